"""Notebook 07c: one number, two updates and a threshold (Nakajima's slides, first half)."""

from vbkit.chapters.factorization import answers, pictures
from vbkit.chapters.factorization.well import double_well
