"""What chapters 08a and 08b share: structures and their prices, phases, drawing."""

from vbkit.chapters.bernoulli import phases, pictures, structures
