"""Notebook 03: a mixture learned by accumulation (Ghahramani 2000).

`streams`: the data, and how what is learned is judged; `pictures`; `explorers`; `answers`: the
exercises.
"""

from vbkit.chapters.models import N_COMPONENTS, draw_means, make_mixture
from vbkit.chapters.online_mixture import explorers, pictures, streams
from vbkit.chapters.online_mixture.explorers import (
    copies,
    one_data_point,
    orders,
    shared_stream,
)
