"""Notebook 09: design the prior of a Bernoulli mixture (Kaji 2011, chapter 6)."""

from vbkit.chapters.hyperparameter_design import answers, digits, experiments, pictures
