"""A source that moves: what it costs to remember, and to forget (waits for lecture 06b)."""

from vbkit.chapters.moving_source import answers
from vbkit.chapters.moving_source.tracking import collapse, errors, theory, track
