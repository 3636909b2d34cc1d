"""Chapter 00, eight bolts from two machines.

`bolts`: the exact answer and VB's sweeps; `narrow`: which way the divergence points; `copies`: tax
and grant, and how many components live.
"""

from vbkit.chapters.start_here import bolts, copies, narrow  # noqa: F401
from vbkit.chapters.start_here.bolts import move_a_bolt, play_the_sweeps  # noqa: F401
from vbkit.chapters.start_here.copies import how_many_live, tax_and_grant  # noqa: F401
from vbkit.chapters.start_here.narrow import cut_a_dependence  # noqa: F401
