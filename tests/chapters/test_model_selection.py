"""The explorers of notebook 06 show the engine's search; its figures, stream and answers."""

import numpy as np
import pytest

from vbkit.chapters import model_selection as chapter
from vbkit.chapters.model_selection import answers, attempts, heaps, pays, searches
from vbkit.course.sato import sato_mixture
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.learning import init_gaussian
from vbkit.mixture import Mixture
from vbkit.structure import learn_batch, run_search, start_search

SETTINGS = {"data": "A", "n_components": 2, "beta": 0.3}


def prior_of(X):
    return lambda K: sato_mixture(X, K, "isotropic", 1.0)


def test_the_explorer_s_search_is_the_engine_s():
    X, rng = attempts.points("A"), np.random.default_rng(0)
    start = init_gaussian(prior_of(X)(2), X, 2, rng)

    def learn(mixture, data, S, rng):
        return learn_batch(mixture, data, S, rng, max_epochs=30, tolerance=0.05)

    first = start_search(
        prior_of(X), X, start, rng, learn=learn, temperature=1 / 0.3, candidates=1
    )
    there = attempts.compute(move=6, **SETTINGS)["records"]
    assert there[1:] == run_search(first, 6).records[1:]
    assert (
        attempts.compute(move=2, **SETTINGS)["records"][1:] == there[1:3]
    )  # and back again


def test_a_search_that_is_over_says_so():
    values = SETTINGS | {"beta": attempts.GREEDY}
    over = attempts.compute(move=attempts.MOVES, **values)
    assert over["finished"] and len(over["records"]) == 4
    assert "Nothing is left to try" in attempts.status(over, values)
    assert "Best so far: 2 components" in attempts.status(over, values)
    begin = attempts.compute(move=0, **values)
    assert attempts.status(begin, values).startswith("Start: 2 components")


def test_what_the_text_says_of_the_searches():
    over = attempts.compute(7, data="A", n_components=10, beta=attempts.GREEDY)[
        "records"
    ]
    assert over[-1].best_K == 4 and over[-2].best_K == 5
    assert (
        attempts.compute(16, data="A", n_components=10, beta=attempts.GREEDY)[
            "records"
        ][-1].best_K
        == 4
    )
    for beta, climbed in ((0.3, 16), (0.1, 7)):
        best = [
            r.best_K
            for r in attempts.compute(16, **SETTINGS | {"beta": beta})["records"]
        ]
        assert best.index(4) == climbed


def test_gain_and_price_add_up_to_the_elbo():
    for data, model in (("A", "full covariance"), ("B", "isotropic")):
        arrays, values = pays.ladder(data, model), {"n_components": 3, "data": data}
        elbo = arrays["fit"] - arrays["price"]
        words = pays.status(arrays, values)
        pays_off = elbo[2] > elbo[1]
        assert ("It pays." in words) == pays_off and f"ELBO {elbo[2]:.1f}" in words
        shares = arrays["parameters"][2].weights
        assert len(shares) == 3 and shares.sum() == pytest.approx(1)


def test_a_split_of_two_heaps_gains_what_the_engine_says():
    mixture = Mixture(
        KnownCovariance(np.zeros(1), heaps.PRIOR_VARIANCE), Dirichlet(1.0)
    )
    for size, half in ((1, 0.5), (4, 2.0), (30, 1.3)):
        X = np.repeat([[-half], [half]], size, axis=0)
        apart, one = np.repeat(np.eye(2), size, axis=0), np.ones((2 * size, 1))
        gain = mixture.elbo_of_responsibilities(
            X, apart
        ) - mixture.elbo_of_responsibilities(X, one)
        fit, price, labels = heaps.split_gain(size, half)
        assert fit - price - labels == pytest.approx(gain, rel=1e-9)
    values = {"half": 2.0, "size": 4.0}
    assert "Gain +7.5. The split pays." in heaps.status(heaps.compute(**values), values)


@pytest.mark.parametrize(
    "make", [chapter.search_explorer, chapter.pays_explorer, chapter.split_explorer]
)
def test_extremes_can_be_drawn(make):
    explorer = make()
    assert len(explorer.controls) <= 4
    pictures = {explorer.png}
    for name, control in explorer.controls.items():
        for _, value in (control.options[0], control.options[-1]):
            explorer.set(**{name: value})
            pictures.add(explorer.png)
    assert len(pictures) > len(explorer.controls) and explorer.error is None


@pytest.mark.parametrize("method", ["batch", "online"])
def test_the_course_of_a_search_counts_epochs(method):
    X, curves = attempts.points("A"), []
    learn = searches.with_likelihoods(searches.learner("A", method), curves)
    case = X, "A", "isotropic", 1.0, method, 3, np.random.default_rng(1)
    path = searches.search(*case, learn=learn)
    drawn, records = searches.course(path, curves), path[-1].records
    plain = searches.search(*case[:-1], np.random.default_rng(1))[-1].records
    assert path[-1].finished and plain[1:] == records[1:]  # looking changes nothing
    assert len(drawn["current"]) == len(drawn["best"]) == sum(r.epochs for r in records)
    assert len(drawn["log_likelihood"]) == len(drawn["current"])
    assert len(drawn["ends"]) == len(records)
    assert np.allclose(drawn["current"][drawn["ends"]], [r.elbo for r in records])
    likelihoods = [r.log_likelihood for r in records]
    assert np.allclose(drawn["log_likelihood"][drawn["ends"]], likelihoods)
    assert (np.diff(drawn["best"]) >= 0).all()
    assert drawn["components"][drawn["ends"]].tolist() == [r.K for r in records]


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
    three = np.concatenate(
        [c + 0.3 * rng.standard_normal((40, 2)) for c in ([0, 0], [9, 0], [0, 9])]
    )
    assert answers.barrier(three, starts=4) < -50
    assert answers.barrier(0.3 * rng.standard_normal((60, 2)), starts=4) > 0
