"""Chapter 08c: structures that undercut the price list (Kaji 2011, chapters 3 and 5)."""

from vbkit.chapters.three_cheats import answers, example
from vbkit.chapters.three_cheats.figures import figure_3, figure_5_2, found, puzzle
from vbkit.chapters.three_cheats.theft import cut, impurity, plane_without, small_vertex
