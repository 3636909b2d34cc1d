"""Notebook 07d: a table with holes (Nakajima's slides, first half)."""

from vbkit.chapters.missing_entries import answers, pictures
from vbkit.chapters.missing_entries.completion import completion
from vbkit.chapters.missing_entries.error_bars import error_bars
from vbkit.chapters.missing_entries.one_film import one_film
from vbkit.chapters.missing_entries.one_to_five import best_possible
