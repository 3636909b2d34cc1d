"""Companion of notebook 05: batch and online VB (Sato 2000, section 5)."""

from vbkit.chapters.batch_vs_online.finish import finish_line_explorer
from vbkit.chapters.batch_vs_online.memory import memory_explorer
from vbkit.chapters.batch_vs_online.methods import (
    METHODS,
    compare,
    curves_of_figure_2,
    learn,
)
from vbkit.chapters.batch_vs_online.race import race_explorer
from vbkit.chapters.models import sato_mixture
