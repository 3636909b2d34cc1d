"""Chapter 04b: a posterior and its evidence on a stream (Sato 2000, section 3)."""

from vbkit.chapters.line import machines
from vbkit.chapters.online_theory.pictures import four_models
from vbkit.chapters.online_theory.single import one_by_one
from vbkit.chapters.online_theory.tracking import (
    collapse,
    errors,
    moving_target,
    theory,
    track,
)
from vbkit.chapters.online_theory.trust import monitor
