"""A curve with an error band, learned by experts (Sato 1999)."""

from vbkit.chapters.other_models.curve import roof
