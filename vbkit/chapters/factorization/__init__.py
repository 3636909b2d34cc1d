"""Notebook 07: matrix factorization (Nakajima's slides, first half)."""

from vbkit.chapters.factorization import answers, completion, pictures, singular_value
