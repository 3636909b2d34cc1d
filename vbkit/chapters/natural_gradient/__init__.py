"""Chapter 04a: the coin, the natural gradient, and the share of information (Sato 2000, 2)."""

from vbkit.chapters.natural_gradient.hill import climbers, fog
from vbkit.chapters.natural_gradient.pictures import (
    ellipses,
    forty_readings,
    two_hikers,
    which_way,
)
from vbkit.chapters.natural_gradient.share import blur
from vbkit.chapters.natural_gradient.stretch import stretched_map
