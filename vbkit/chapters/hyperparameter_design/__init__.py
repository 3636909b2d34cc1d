"""Chapter 09: design the prior of a Bernoulli mixture (Kaji 2011, chapter 6)."""

from vbkit.chapters.hyperparameter_design import answers, experiments, pictures
from vbkit.chapters.hyperparameter_design.digits import (
    cluster_digits,
    handwritten_digits,
)
from vbkit.chapters.hyperparameter_design.people import find_components, ten_people
from vbkit.chapters.hyperparameter_design.prices import price_of_a_group, smallest_group
