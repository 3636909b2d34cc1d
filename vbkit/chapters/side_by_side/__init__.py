"""Notebook 10: one phase transition in three models."""

from vbkit.chapters.side_by_side import answers, one_too_many, pictures
