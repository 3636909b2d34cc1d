"""Chapter 01, the whole derivation on the simplest mixture.

`irises`: nine petals and all; `bench`: two tables that take turns; `slip`: a lost bracket;
`copies`: two components for one job; `groups`: the exact evidence of a few data.
"""

from vbkit.chapters.known_covariance import bench, copies, groups, irises, slip  # noqa: F401
from vbkit.chapters.known_covariance.bench import take_turns  # noqa: F401
from vbkit.chapters.known_covariance.copies import two_components  # noqa: F401
from vbkit.chapters.known_covariance.irises import change_the_width  # noqa: F401
from vbkit.chapters.known_covariance.slip import lose_a_bracket  # noqa: F401
