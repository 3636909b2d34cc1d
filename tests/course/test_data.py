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


def test_a_changing_stream():
    centres = np.array([[-50.0, 0.0], [0.0, 0.0], [50.0, 0.0]])
    X, active = data.changing_mixture(
        np.random.default_rng(0), 400, [[0], [0, 2], [1]], centres, 1.0
    )
    assert X.shape == (1200, 2) and active.tolist() == [1] * 400 + [2] * 400 + [1] * 400
    nearest = abs(X[:, :1] - centres[:, 0]).argmin(axis=1)
    assert set(nearest[:400]) == {0} and set(nearest[400:800]) == {0, 2}
    assert set(nearest[800:]) == {1} and abs(X[800:].std() - 1) < 0.1
    for wrong, name in (((None, 4), "rng"), ((np.random.default_rng(0), 0), "length")):
        with pytest.raises(ValueError, match=name):
            data.changing_mixture(*wrong, [[0]], centres, 1.0)


RNG = np.random.default_rng(0)
CENTRES = np.eye(2)
WRONG = {  # an argument, a call that takes it, and what it refuses
    "layout": (lambda v: data.sato1999(5, RNG, v), ["square", ["irregular"], None, 1]),
    "name": (lambda v: data.sato2000(v, RNG), ["C", ["A"], None, 1]),
    "dimension": (lambda v: data.ghahramani2000(5, RNG, v), [[1], 3, 0, True, 1.0]),
    "active": (
        lambda v: data.changing_mixture(RNG, 5, v, CENTRES, 1.0),
        [1.0, None, "ab", [1.0], [None], ["ab"], [["a"]], [[0], []], np.array(1.0)]
        + [[], [[]], [[0, 2]], [[-1]], [[1.0]], [[0.5]]],
    ),
    "width": (
        lambda v: data.changing_mixture(RNG, 5, [[0, 1]], CENTRES, v),
        [-1.0, np.nan, "a", None, [1.0], [1.0, 2.0]],
    ),
    "rng": (lambda v: data.sato2000("A", v), [None, 3]),
    "size": (
        lambda v: data.gaussian_mixture(RNG, v, [0.5, 0.5], CENTRES, [1.0, 2.0]),
        [0, 2.5],
    ),
    "weights": (
        lambda v: data.gaussian_mixture(RNG, 5, v, CENTRES, [1.0, 2.0]),
        [[1.0], [0.5, 0.6], [-1.0, 2.0]],
    ),
    "widths": (
        lambda v: data.gaussian_mixture(RNG, 5, [0.5, 0.5], CENTRES, v),
        [1.0, [1.0], [-1.0, 1.0], [np.nan, 1.0]],
    ),
}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, (_, values) in WRONG.items() for value in values],
)
def test_a_wrong_argument_is_named(name, value):
    call, _ = WRONG[name]
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        call(value)


@pytest.mark.parametrize("active", [[(0, 1), (1,)], np.array([[0, 1], [1, 0]])])
def test_tuples_and_arrays_name_rows_too(active):
    X, counts = data.changing_mixture(RNG, 5, active, CENTRES, 0.0)
    assert X.shape == (10, 2)
    assert counts.tolist() == [2] * 5 + [len(active[1])] * 5
