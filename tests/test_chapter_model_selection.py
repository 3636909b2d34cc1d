"""The explorer of notebook 06 shows the engine's search; its stream of data and its answers."""

import numpy as np
import pytest

from vbkit.chapters.model_selection import answers, search
from vbkit.chapters.model_selection.pictures import course
from vbkit.chapters.models import sato_mixture
from vbkit.data import changing_mixture
from vbkit.learning import init_gaussian
from vbkit.structure import iterate_search, run_search, start_search

SETTINGS = {
    "data": "A",
    "model": "isotropic",
    "n_components": 2,
    "gamma0": 1.0,
    "method": "batch",
    "beta": 0.3,
}


def prior_of(X):
    return lambda K: sato_mixture(X, K, "isotropic", 1.0)


def test_the_explorer_s_search_is_the_engine_s():
    X, rng = search.points("A"), np.random.default_rng(0)
    start = init_gaussian(prior_of(X)(2), X, 2, rng)
    first = start_search(prior_of(X), X, start, rng, learn=search.learner("A", "batch"), beta=0.3)
    there = search.compute(move=6, **SETTINGS)["records"]
    assert there[1:] == run_search(first, 6).records[1:]
    assert (
        search.compute(move=2, **SETTINGS)["records"][1:] == there[1:3]
    )  # and back through the history


def test_a_search_that_is_over_says_so():
    values = SETTINGS | {"beta": search.GREEDY}
    over = search.compute(move=search.MOVES, **values)
    assert over["finished"] and len(over["records"]) == 4
    assert "Nothing is left to try" in search.status(over, values)
    assert "Best so far: 2 components" in search.status(over, values)
    assert search.status(search.compute(move=0, **values), values).startswith("Start: 2 components")


def test_pictures_and_words_follow_the_controls():
    explorer = search.explorer()
    pictures = [explorer.png]
    over = {"move": 16}
    for change in (
        over,
        {"data": "B"},
        {"beta": 0.03, "move": 14},
        {"gamma0": 10.0},
        {"method": "online"},
    ):
        explorer.set(**change)
        pictures.append(explorer.png)
    assert len(set(pictures)) == len(pictures) and explorer.error is None
    last = search.compute(**explorer.values)["records"][-1]
    assert f"Attempt 14: {last.kind}" in search.status(
        search.compute(**explorer.values), explorer.values
    )


def test_the_course_of_a_search_counts_epochs():
    X, rng = search.points("A"), np.random.default_rng(1)
    first = start_search(prior_of(X), X, init_gaussian(prior_of(X)(3), X, 3, rng), rng)
    path = [first, *iterate_search(first, attempts=30)]
    assert path[-1].finished
    drawn, records = course(path), path[-1].records
    assert len(drawn["current"]) == len(drawn["best"]) == sum(r.epochs for r in records)
    assert len(drawn["ends"]) == len(drawn["log_likelihood"]) == len(records)
    assert np.allclose(drawn["current"][drawn["ends"]], [r.elbo for r in records])
    assert (np.diff(drawn["best"]) >= 0).all()
    assert drawn["components"][drawn["ends"]].tolist() == [r.K for r in records]


def test_a_changing_stream():
    centres = np.array([[-50.0, 0.0], [0.0, 0.0], [50.0, 0.0]])
    X, active = changing_mixture(np.random.default_rng(0), 400, [[0], [0, 2], [1]], centres, 1.0)
    assert X.shape == (1200, 2) and active.tolist() == [1] * 400 + [2] * 400 + [1] * 400
    nearest = abs(X[:, :1] - centres[:, 0]).argmin(axis=1)
    assert (
        set(nearest[:400]) == {0} and set(nearest[400:800]) == {0, 2} and set(nearest[800:]) == {1}
    )
    assert abs(X[800:].std() - 1) < 0.1
    for wrong, name in (((None, 4), "rng"), ((np.random.default_rng(0), 0), "length")):
        with pytest.raises(ValueError, match=name):
            changing_mixture(*wrong, [[0]], centres, 1.0)


def test_answer_visits_is_where_the_chain_stays():
    elbos, beta = np.array([1.0, 0.2, 2.5, 2.4]), 0.7
    n, chain = len(elbos), np.zeros((4, 4))
    for k in range(n):
        for other in (k - 1, k + 1):
            if 0 <= other < n:
                chain[k, other] = 0.5 * min(1, np.exp(beta * (elbos[other] - elbos[k])))
        chain[k, k] = 1 - chain[k].sum()
    share = np.full(n, 1 / n)
    for _ in range(5000):
        share = share @ chain
    assert np.allclose(answers.visits(elbos, beta), share, atol=1e-10)


def test_answer_barrier_falls_where_three_heaps_are_plain():
    rng = np.random.default_rng(0)
    heaps = np.concatenate(
        [c + 0.3 * rng.standard_normal((40, 2)) for c in ([0, 0], [9, 0], [0, 9])]
    )
    assert answers.barrier(heaps, starts=4) < -50
    assert answers.barrier(0.3 * rng.standard_normal((60, 2)), starts=4) > 0
