"""Chapter 08a: the phase diagram of a Bernoulli mixture (Kaji 2011, chapters 3 to 5)."""

from vbkit.chapters.phase_diagram import answers, phases, pictures
from vbkit.chapters.phase_diagram.costs import one_term, price_list
from vbkit.chapters.phase_diagram.figures import (
    exponents,
    figure_3_1,
    figure_5_1,
    figure_5_3,
    growth_picture,
    price_lines,
    puzzle,
    random_runs,
)
from vbkit.chapters.phase_diagram.phases import phase_plane, redundant_component
from vbkit.chapters.phase_diagram.structures import extra_costs
