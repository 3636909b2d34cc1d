"""Companion of notebook 05a: batch and online VB (Sato 2000, section 5)."""

from vbkit.chapters.batch_vs_online.finish import finish_line_explorer
from vbkit.chapters.batch_vs_online.memory import memory_explorer
from vbkit.chapters.batch_vs_online.race import race_explorer
