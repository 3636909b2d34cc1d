"""Notebook 08: the phase diagram of a Bernoulli mixture (Kaji 2011, chapters 3 and 5)."""

from vbkit.chapters.phase_diagram import answers, example, phases, pictures
