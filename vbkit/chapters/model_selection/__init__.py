"""Notebook 06: choose the number of components while learning (Sato 2000, sections 4 and 5)."""

from vbkit.chapters.model_selection import answers, pictures, search
