"""Chapter 08b: the phase diagram of a Bernoulli mixture (Kaji 2011, chapters 3 to 5)."""

from vbkit.chapters.bernoulli.structures import extra_costs
from vbkit.chapters.phase_diagram import answers
from vbkit.chapters.phase_diagram.costs import one_term, price_list
from vbkit.chapters.phase_diagram.explorers import phase_plane, redundant_component
from vbkit.chapters.phase_diagram.figures import (
    figure_5_1,
    figure_5_3,
    price_lines,
    puzzle,
    random_runs,
)
