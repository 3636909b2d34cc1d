"""Chapter 00, eight bolts from two machines.

Its data and the explorers of the bolts stand in `vbkit.course.lecture_00`; `copies`: tax
and grant, and how many components live.
"""

from vbkit.chapters.start_here import copies  # noqa: F401
from vbkit.chapters.start_here.copies import how_many_live, tax_and_grant  # noqa: F401
from vbkit.course import Explorer, lecture_00


def move_a_bolt() -> Explorer:
    """Move the fifth bolt; the exact probabilities follow."""
    return lecture_00.MoveABolt()


def play_the_sweeps() -> Explorer:
    """Choose where learning starts and the sweep; the machines and the ELBO follow."""
    return lecture_00.PlayTheSweeps()


def cut_a_dependence() -> Explorer:
    """Choose a correlation; a factorised q follows the correlated p."""
    return lecture_00.CutADependence()
