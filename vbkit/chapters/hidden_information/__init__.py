"""Chapter 04c: what hidden labels cost (Sato 2000, 2), in the form of the old chapters."""

from vbkit.chapters.hidden_information.share import blur
