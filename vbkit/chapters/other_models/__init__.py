"""Notebook 11: a Markov chain and hidden factors, learned by one engine (Sato 1999 and
2000)."""

from vbkit.chapters.other_models import answers, pictures
from vbkit.chapters.other_models.chain import regimes
from vbkit.chapters.other_models.factors import dying
