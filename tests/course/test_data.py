"""The documents' data sets stay what they are: every stored number was measured on these draws."""

import numpy as np
import pytest
from oracles import close

from vbkit import data

PLACES = [[-2.0, 1.0], [0.5, 3.0], [4.0, 0.0]]
DRAWN = {  # what is drawn, and its shadow (below)
    "Sato 1999, factorised": (lambda rng: data.sato1999(50, rng), -3.44482198595),
    "Sato 1999, irregular": (
        lambda rng: data.sato1999(50, rng, "irregular"),
        -3.08178874149,
    ),
    "Sato 2000, A": (lambda rng: data.sato2000("A", rng), -5.07901400141),
    "Sato 2000, B": (lambda rng: data.sato2000("B", rng), 171.227146385),
    "five clusters, D = 1": (lambda rng: data.ghahramani2000(50, rng), -4.04491641108),
    "five clusters, D = 2": (lambda rng: data.ghahramani2000(50, rng, 2), 26.655201259),
    "random clusters": (lambda rng: data.random_clusters(rng, 2), 4.91127208913),
    "changing": (
        lambda rng: data.changing_mixture(rng, 20, [[0, 1], [1, 2]], PLACES, 0.5),
        -0.500110619842,
    ),
    "wish lists": (
        lambda rng: (data.item_by_user(rng)[0].X, data.CLUSTERS),
        -827.654983623,
    ),
    "coins": (
        lambda rng: [part for t in data.KAJI2011_TRUTHS.values() for part in parts(t)],
        -1.39925350493,
    ),
}


def parts(truth):
    return truth.weights, truth.means


def shadow(arrays) -> float:
    """A number that moves with every entry of the arrays, and with their order."""
    flat = np.concatenate([np.ravel(part).astype(float) for part in arrays])
    return float(flat @ np.cos(np.arange(flat.size)))


@pytest.mark.parametrize("name", DRAWN)
def test_a_data_set_stays_what_it_is(name):
    draw, expected = DRAWN[name]
    close(shadow(draw(np.random.default_rng(1))), expected, atol=1e-9)
