"""Notebook 07c: one number, two updates and a threshold (Nakajima's slides, first half)."""

from vbkit.chapters.factorization import answers, pictures
from vbkit.chapters.factorization.scalar import half_steps, one_number, posterior
from vbkit.chapters.factorization.well import double_well
