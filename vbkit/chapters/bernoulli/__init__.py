"""What chapters 08b and 08c share: structures and their prices, phases, drawing."""

from vbkit.chapters.bernoulli import phases, pictures, structures, thesis
