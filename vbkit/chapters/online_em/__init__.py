"""Notebook 02: online EM and batch EM on four Gaussians (Sato 1999).

`runs`: what is run, and how far it ends from the truth; `pictures`; `explorers`; `answers`: the
exercises.
"""

from vbkit.chapters.online_em import pictures
from vbkit.chapters.online_em.explorers import choose_schedule, one_start, two_bumps
from vbkit.chapters.online_em.runs import block_epoch
from vbkit.course.four_gaussians import (
    divergence,
    em_mixture,
    learn,
    parameters,
    truth_on_grid,
)

__all__ = ["block_epoch", "divergence", "em_mixture", "learn", "parameters", "pictures"]
__all__ += ["choose_schedule", "one_start", "truth_on_grid", "two_bumps"]
