"""Companion of notebook 06: choosing the structure while learning (Sato 2000, section 4)."""

from vbkit.chapters.model_selection.attempts import search_after, search_explorer
from vbkit.chapters.model_selection.heaps import split_explorer, split_gain
from vbkit.chapters.model_selection.pays import pays_explorer
from vbkit.chapters.model_selection.searches import (
    CELLS,
    figure_of_searches,
    four_searches,
    search,
)
from vbkit.course.sato import sato_mixture
