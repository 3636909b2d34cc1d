"""Chapter 01b, why VB switches components off.

`copies`: points in three clumps, and how many components survive on them.
"""

from vbkit.chapters.sparse_mixtures import copies  # noqa: F401
from vbkit.chapters.sparse_mixtures.copies import how_many_live  # noqa: F401
