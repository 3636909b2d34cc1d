"""What the evidence on online EM and batch EM uses (Sato 1999), and later lectures will.

`runs`: online EM in blocks, and how much of the information is seen; `pictures`: Figures 2
and 5.
"""

from vbkit.chapters.online_em import pictures
from vbkit.chapters.online_em.runs import block_epoch, share_seen
from vbkit.course.four_gaussians import (
    divergence,
    em_mixture,
    learn,
    parameters,
    truth_on_grid,
)

__all__ = ["block_epoch", "divergence", "em_mixture", "learn", "parameters", "pictures"]
__all__ += ["share_seen", "truth_on_grid"]
