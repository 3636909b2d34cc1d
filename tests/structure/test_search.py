"""Sequential and Metropolis selection: the rules of section 4, step by step; stops, resumptions,
ends."""

import pickle
import re
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import ClassVar

import attrs
import numpy as np
import pytest
from oracles import close
from scipy.special import digamma, gammaln, logsumexp
from scipy.stats import multivariate_normal

from tests.families.test_new_family import MIXTURE as POISSON
from vbkit import data
from vbkit.families import (
    BetaBernoulli,
    IsotropicGaussian,
    KnownCovariance,
    NormalWishart,
)
from vbkit.families.base import Family
from vbkit.labels import Dirichlet
from vbkit.learning import Fit, fit_batch, init_from_rows, init_gaussian
from vbkit.mixture import EM, Mixture
from vbkit.structure import (
    iterate_search,
    learn_batch,
    learn_online,
    run_search,
    split_along_axis,
    start_search,
    step_search,
)
from vbkit.structure.moves import candidate_splits
from vbkit.structure.search import IMPROVEMENT


@dataclass(frozen=True, eq=False)
class Line(Family):
    """y given x in rows (x, y): a line through unknown points with unknown noise, of normal-gamma
    prior."""

    dimension: ClassVar[int] = 2
    precision: float = 0.1
    shape: float = 1.0
    rate: float = 0.1

    def statistics(self, X):
        x, y = X.T
        return np.column_stack([np.ones(len(X)), x, x * x, y, x * y, y * y])

    def posterior(self, S):
        """Precision matrix (..., 2, 2), coefficients (..., 2), and the noise precision's shape and
        rate."""
        moments = np.stack([S[..., [0, 1]], S[..., [1, 2]]], axis=-2)
        precision = moments + self.precision * np.eye(2)
        m = np.linalg.solve(precision, S[..., 3:5, None])[..., 0]
        rate = self.rate + (S[..., 5] - (m * S[..., 3:5]).sum(axis=-1)) / 2
        return precision, m, self.shape + S[..., 0] / 2, rate

    def log_normalizer(self, S):
        precision, _, shape, rate = self.posterior(S)
        log_det = np.linalg.slogdet(precision)[1]
        return (
            gammaln(shape)
            - shape * np.log(rate)
            - (log_det + S[..., 0] * np.log(2 * np.pi)) / 2
        )

    def expected(self, S):
        precision, m, shape, rate = self.posterior(S)
        tau = shape / rate
        square = (
            np.linalg.inv(precision)
            + tau[..., None, None] * m[..., :, None] * m[..., None, :]
        )
        first = (
            digamma(shape) - np.log(rate) - np.log(2 * np.pi) - square[..., 0, 0]
        ) / 2
        rest = [
            -square[..., 0, 1],
            -square[..., 1, 1] / 2,
            tau * m[..., 0],
            tau * m[..., 1],
            -tau / 2,
        ]
        return np.stack([first, *rest], axis=-1)


pytestmark = pytest.mark.filterwarnings("error")
X, _ = data.sato2000("A", np.random.default_rng(1), 120)
LEARN = {
    "batch": partial(learn_batch, max_epochs=40),
    "online": partial(learn_online, max_epochs=8),
}


def scaled(K):
    """Sato's prior of K components, with prior_strength = 1."""
    component = IsotropicGaussian.from_pseudo_data(X.mean(0), X.var(0).mean(), 1 / K)
    return Mixture(component, Dirichlet(1 + 1 / K))


def search(components, seed, temperature=None, learn="batch", prior=scaled, **more):
    rng = np.random.default_rng(seed)
    return start_search(
        prior,
        X,
        init_gaussian(scaled(components), X, components, rng),
        rng,
        temperature=temperature,
        learn=LEARN[learn],
        **more,
    )


def same(a, b):
    """The same search, number for number."""
    assert (
        repr(a.records) == repr(b.records) and repr(a) == repr(b) and a.tried == b.tried
    )  # repr: nan is nan
    assert a.rng.bit_generator.state == b.rng.bit_generator.state
    for x, y in ((a.base, b.base), (a.best, b.best), (a.trial, b.trial)):
        assert (x.S == y.S).all() and (x.trace == y.trace).all()


def permitted(selection):
    """The moves that section 4 allows next: (kind, components)."""
    stats, K = selection.stats, selection.base.n_components
    tried = {(choice.kind, choice.components) for choice in selection.tried}
    nearly_empty = [
        k
        for k in range(K)
        if K > 1 and stats.S[k, 0] < 1 and ("delete", (k,)) not in tried
    ]
    if nearly_empty:
        return [("delete", (min(nearly_empty, key=lambda k: stats.S[k, 0]),))]
    everything = {
        "split": [(k,) for k in range(K)],
        "merge": list(combinations(range(K), 2)),
    }
    if all(
        (kind, u) in tried
        for kind, components in everything.items()
        for u in components
    ):
        tried = set()  # Metropolis begins anew
    left = {
        kind: [u for u in components if (kind, u) not in tried]
        for kind, components in everything.items()
    }
    if selection.exploring:
        return [(kind, u) for kind, components in left.items() for u in components]
    kind = (
        selection.kind
        if left[selection.kind]
        else {"split": "merge", "merge": "split"}[selection.kind]
    )
    if kind == "split":
        return [(kind, min(left[kind], key=lambda u: stats.component_elbos[u[0]]))]
    return [(kind, max(left[kind], key=stats.correlation.__getitem__))]


@pytest.mark.parametrize("learn", LEARN)
@pytest.mark.parametrize(
    ("components", "temperature", "more"),
    [
        (2, None, {}),
        (8, None, {}),
        (3, 5.0, {}),
        (6, 2.0, {}),
        (5, None, {"split_by": split_along_axis}),
    ],
)
def test_every_attempt_follows_the_rules(components, temperature, more, learn):
    before, kinds = (
        search(components, 0, temperature, learn, candidates=1, **more),
        set(),
    )
    for after in iterate_search(before, 25):
        if after.finished:
            assert temperature is None
            break
        record, old, trial = after.records[-1], before.base, after.trial
        change, move = record.elbo - old.elbo, (record.kind, record.components)
        assert move in permitted(before) and record.at_random == (
            before.exploring and record.kind != "delete"
        )
        assert (
            record.K
            == trial.n_components
            == old.n_components + (1 if record.kind == "split" else -1)
        )
        assert (record.base_K, record.base_elbo, record.elbo) == (
            old.n_components,
            old.elbo,
            trial.elbo,
        )
        assert record.visits == record.epochs * 120 == trial.epochs * 120
        better = change > IMPROVEMENT
        assert (
            record.accepted == better
            if temperature is None
            else record.accepted >= better
        )
        assert after.base is (trial if record.accepted else old)
        assert after.best is (
            trial if record.accepted and trial.elbo > before.best.elbo else before.best
        )
        assert temperature is not None or after.best is after.base
        assert (record.best_K, record.best_elbo) == (
            after.best.n_components,
            after.best.elbo,
        )
        if record.accepted:
            assert after.tried == set() and after.exploring == (change < 0)
        else:
            assert (*move, 0) in after.tried and after.exploring == before.exploring
        if record.kind == "delete":
            assert after.kind == before.kind
        else:
            assert after.kind == (
                record.kind
                if record.accepted
                else "split"
                if record.kind == "merge"
                else "merge"
            )
        kinds.add(record.kind)
        before = after
    assert kinds >= {"split", "merge"}


def test_idle_components_are_deleted_first():
    S = init_gaussian(scaled(3), X, 3, np.random.default_rng(0))
    S[1:] *= [[1e-3], [1e-4]]
    keep = Fit(scaled(3), S, np.array([-600.0]))
    for gain, expected in (
        (1.0, [(2,), (1,)]),
        (0.0, [(2,), (1,), (0,)]),
    ):  # accepted, or each tried once
        fits = iter(
            [keep]
            + [
                Fit(scaled(K), S[:K], np.array([-600 + gain * (3 - K)]))
                for K in (2, 1, 1)
            ]
        )
        selection = start_search(
            scaled,
            X,
            S,
            np.random.default_rng(0),
            learn=lambda *_, fits=fits: next(fits),
        )
        stats = attrs.evolve(selection.stats, S=S)  # what the E-step would have found
        selection = step_search(attrs.evolve(selection, stats=stats))
        for _ in expected[1:]:
            selection = step_search(
                attrs.evolve(
                    selection,
                    stats=attrs.evolve(
                        selection.stats, S=S[: selection.base.n_components]
                    ),
                )
            )
        assert [r.components for r in selection.records[1:]] == expected
        assert [r.kind for r in selection.records[1:]] == ["delete", "delete", "split"][
            : len(expected)
        ]
    lone = run_search(
        start_search(
            scaled,
            scaled(1).observe(X[:2], [0.1, 0.2]),
            S[:1],
            np.random.default_rng(0),
        ),
        5,
    )
    assert "delete" not in [
        r.kind for r in lone.records
    ]  # a single component stays, however few its data


def test_an_emptied_component_vanishes():
    """From a start with a component that no data point chooses, the first attempt takes it away and
    gains."""
    S = init_gaussian(scaled(3), X, 3, np.random.default_rng(0))
    S[2] = scaled(3).family.state([0.3], [[40, 40]], [np.eye(2)])[0]
    selection = step_search(
        start_search(
            scaled,
            X,
            S,
            np.random.default_rng(0),
            learn=partial(learn_batch, max_epochs=0),
        )
    )
    record = selection.records[1]
    assert (record.kind, record.components, record.accepted) == ("delete", (2,), True)


@pytest.mark.parametrize(
    ("temperature", "change"),
    [
        (1 / 0.3, -2.0),
        (1.0, -30.0),
        pytest.param(0.5, -0.5, marks=pytest.mark.long),
        pytest.param(2.0, 0.05, marks=pytest.mark.long),
        pytest.param(0.25, 0.0, marks=pytest.mark.long),
    ],
)
def test_metropolis_accepts_with_its_probability(temperature, change):
    """A learner of known bounds: acceptances over 1,000 states of the generator are binomial."""
    first = search(2, 0, temperature)
    fixed = Fit(scaled(3), first.base.S, np.array([first.base.elbo + change]))
    first = attrs.evolve(
        first, config=attrs.evolve(first.config, learn=lambda *_: fixed)
    )
    N, p = 1000, min(1.0, np.exp(change / temperature))
    accepted = sum(
        step_search(attrs.evolve(first, rng=np.random.default_rng(n)))
        .records[-1]
        .accepted
        for n in range(N)
    )
    assert abs(accepted - N * p) <= 4.5 * np.sqrt(N * p * (1 - p)) + 1e-9
    greedy = step_search(
        attrs.evolve(first, config=attrs.evolve(first.config, temperature=None))
    )
    assert not greedy.records[-1].accepted


def test_moves_after_a_worse_one_are_random():
    """Kinds are equally likely, and the components within a kind."""
    first = attrs.evolve(search(3, 0, 1.0), exploring=True)
    stub = attrs.evolve(
        first.config,
        learn=lambda mixture, data, S, rng: Fit(mixture, S, np.array([-1e6])),
    )
    found = [
        step_search(
            attrs.evolve(first, config=stub, rng=np.random.default_rng(n))
        ).records[-1]
        for n in range(600)
    ]
    moves = [(r.kind, r.components) for r in found]
    for kind, components in (
        ("split", [(0,), (1,), (2,)]),
        ("merge", [(0, 1), (0, 2), (1, 2)]),
    ):
        for u in components:
            assert abs(moves.count((kind, u)) - 100) < 4.5 * np.sqrt(100 * 5 / 6)
    assert all(r.at_random for r in found)
    assert abs([kind for kind, _ in moves].count("split") - 300) < 4.5 * np.sqrt(150)


@pytest.mark.parametrize(
    ("temperature", "learn"),
    [(None, "batch"), (None, "online"), (5.0, "batch"), (5.0, "online")],
)
def test_stop_and_resume(temperature, learn):
    """Also through a file, and whatever was done with the caller's generator in between."""
    rng = np.random.default_rng(7)
    start = init_gaussian(scaled(5), X, 5, rng)
    state = rng.bit_generator.state
    first = start_search(
        scaled, X, start, rng, temperature=temperature, learn=LEARN[learn]
    )
    assert rng.bit_generator.state == state
    whole, half = run_search(first, 14), run_search(first, 6)
    rng.random(5)
    same(whole, run_search(pickle.loads(pickle.dumps(half)), 8))
    same(whole, [*iterate_search(half, 8)][-1])
    same(half, run_search(first, 6))
    assert len(whole.records) > 10 and (
        temperature is None or any(r.at_random for r in whole.records)
    )


def test_an_interruption_loses_nothing():
    calls = []

    def learn(mixture, data, S, rng):
        calls.append(len(S))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return learn_batch(mixture, data, S, rng)

    start, rng = (
        init_gaussian(scaled(5), X, 5, np.random.default_rng(0)),
        np.random.default_rng(0),
    )
    selection = first = start_search(scaled, X, start, rng, learn=learn)
    with pytest.raises(KeyboardInterrupt):
        for after in iterate_search(first, 10):
            selection = after
    assert [r.attempt for r in selection.records] == [0, 1, 2]
    assert [r.attempt for r in run_search(selection, 3).records] == [0, 1, 2, 3, 4, 5]


def test_greedy_finds_clusters_far_apart():
    """The final model is the best of all direct fits, and its bound theirs."""
    rng = np.random.default_rng(3)
    X = (
        rng.normal(size=(90, 2))
        + 12 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(90) % 3]
    )
    mixture = Mixture(NormalWishart.from_pseudo_data(X.mean(0), 4.0, 0.5))
    best = {
        K: max(
            fit_batch(mixture, X, init_gaussian(mixture, X, K, rng)).elbo
            for _ in range(5)
        )
        for K in (2, 3, 4)
    }
    assert max(best, key=best.get) == 3
    for components in (1, 6):
        done = run_search(
            start_search(mixture, X, init_gaussian(mixture, X, components, rng), rng),
            60,
        )
        assert (
            done.finished
            and done.best.n_components == 3
            and abs(done.best.elbo - best[3]) < 0.05
        )


def test_log_likelihood():
    selection = search(3, 1)
    mixture, S = selection.base.mixture, selection.base.S
    weights, (means, covariances) = mixture.parameters(S)
    parts = [
        multivariate_normal(m, C).logpdf(X) + np.log(w)
        for w, m, C in zip(weights, means, covariances, strict=True)
    ]
    close(selection.records[0].log_likelihood, logsumexp(parts, axis=0).sum())


def test_a_family_without_compiled_code():
    rng = np.random.default_rng(0)
    counts = rng.poisson(np.array([1.0, 20.0, 90.0])[rng.integers(3, size=150)])[
        :, None
    ].astype(float)
    for components, learn in (
        (1, learn_batch),
        (6, learn_batch),
        (2, partial(learn_online, max_epochs=3)),
    ):
        start = init_from_rows(POISSON, counts, components, rng)
        done = run_search(start_search(POISSON, counts, start, rng, learn=learn), 30)
        assert done.best.n_components == 3 and np.isnan(done.records[-1].log_likelihood)


def test_weights_are_repetitions():
    w = np.arange(120) % 4
    data = scaled(4).observe(X, w)
    start, rng = (
        init_gaussian(scaled(4), X, 4, np.random.default_rng(0)),
        np.random.default_rng(1),
    )
    weighted = run_search(start_search(scaled, data, start, rng), 8)
    repeated = run_search(start_search(scaled, np.repeat(X, w, axis=0), start, rng), 8)
    for a, b in zip(weighted.records, repeated.records, strict=True):
        assert (a.kind, a.components, a.accepted, a.epochs) == (
            b.kind,
            b.components,
            b.accepted,
            b.epochs,
        )
        close((a.elbo, a.log_likelihood), (b.elbo, b.log_likelihood), rtol=1e-7)
    online = start_search(
        scaled, data, start, rng, learn=partial(learn_online, max_epochs=200)
    ).base
    assert (
        abs(online.S[:, 0].sum() / w.sum() - 1) < 0.02
    )  # it stands for all the weights, not for 120 data


def crossing(seed):
    """Two lines through the origin, of slopes 1 and -1."""
    rng = np.random.default_rng(seed)
    x, sign = rng.normal(size=100), rng.choice([-1.0, 1.0], 100)
    return np.column_stack([x, sign * x + 0.3 * rng.normal(size=100)])


def rare_items(seed):
    """Baskets of 300 customers of four kinds: 40 items, ten of them likelier for each kind, none
    likely."""
    rng = np.random.default_rng(seed)
    p = np.where(np.arange(40) // 10 == np.arange(4)[:, None], 0.2, 0.02)
    return (rng.random((300, 40)) < p[rng.integers(4, size=300)]).astype(float)


def from_one(mixture, X, **settings):
    start = mixture.m_step(X, np.ones((len(X), 1)))
    return run_search(
        start_search(mixture, X, start, np.random.default_rng(0), **settings), 200
    )


@pytest.mark.parametrize("seed", range(12))
def test_crossing_lines_are_found(seed):
    """No cut along X parts them: with the first split alone the search stops at one line for some
    seeds."""
    mixture, X = Mixture(Line()), crossing(seed)
    found, report = from_one(mixture, X), from_one(mixture, X, candidates=1)
    assert found.finished and found.best.n_components == 2
    assert report.finished and report.best.n_components == 1 + (
        seed in (0, 1, 2, 3, 8, 9, 10, 7)
    )
    assert found.best.elbo > report.best.elbo - 1e-6
    slopes = found.best.S[:, 4] / found.best.S[:, 2]
    assert sorted(np.round(slopes)) == [-1, 1]


@pytest.mark.parametrize("seed", range(6))
def test_a_search_is_finished_where_no_candidate_gains(seed):
    """Of sparse binary tables, too: each split that the final model offers is learned again here,
    and none gains."""
    mixture, X = Mixture(BetaBernoulli(40, 0.1)), rare_items(seed)
    found, report = from_one(mixture, X), from_one(mixture, X, candidates=1)
    assert found.finished and found.best.elbo > report.best.elbo - 0.2
    for k in range(found.best.n_components):
        for move in candidate_splits(found.stats, k)[:5]:
            assert (
                fit_batch(mixture, X, move.S, tolerance=0.01).elbo
                < found.best.elbo + 0.1
            )
    gained = [r for r in found.records if r.accepted and r.candidate]
    assert gained or report.best.elbo == found.best.elbo


def test_nothing_to_do():
    """Identical points stay with one component; one attempt more changes nothing."""
    same_point, S = np.ones((50, 2)), np.array([[50.0, 10, 10, 50]])
    for temperature in (None, 10.0):
        done = run_search(
            start_search(
                scaled, same_point, S, np.random.default_rng(0), temperature=temperature
            ),
            10,
        )
        assert done.finished and len(done.records) == 1 and len(done.tried) == 0
        assert step_search(done).records == done.records
    two = scaled(2).family.state(
        [25, 25], [[1, 1], [1.1, 1]], np.tile(np.eye(2), (2, 1, 1))
    )
    done = run_search(
        start_search(scaled, same_point, two, np.random.default_rng(0)), 10
    )
    assert done.finished and done.best.n_components == 1


# ---- bad input --------------------------------------------------------------------------------

RNG, START = (
    np.random.default_rng(0),
    init_gaussian(scaled(2), X, 2, np.random.default_rng(0)),
)
BAD = {
    "temperature is 0;": lambda: search(2, 0, 0),
    "temperature is -1": lambda: search(2, 0, -1),
    "temperature is inf": lambda: search(2, 0, np.inf),
    "rng is 3": lambda: start_search(scaled, X, START, 3),
    "learn is 'batch'": lambda: start_search(scaled, X, START, RNG, learn="batch"),
    "split_by is None": lambda: start_search(scaled, X, START, RNG, split_by=None),
    "start has shape (0, 4)": lambda: start_search(scaled, X, START[:0], RNG),
    "the state has shape": lambda: start_search(scaled, X, START[:, :3], RNG),
    "X has 1 columns": lambda: start_search(scaled, X[:, :1], START, RNG),
    "X[0, 0] is nan": lambda: start_search(scaled, X * np.nan, START, RNG),
    "prior gives 7 for 2 components": lambda: start_search(lambda K: 7, X, START, RNG),
    "concentration has one entry": lambda: start_search(
        Mixture(scaled(2).family, Dirichlet([1, 2])), X, START, RNG
    ),
    "clones is EM": lambda: start_search(
        attrs.evolve(scaled(2), clones=EM), X, START, RNG
    ),
    "candidates is 0": lambda: search(2, 0, candidates=0),
    "candidates is 2, but split_by is split_along_axis": lambda: search(
        2, 0, candidates=2, split_by=split_along_axis
    ),
    "attempts is -1": lambda: run_search(search(2, 0), -1),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        BAD[message]()


def test_a_way_to_split_of_ones_own_gives_one_candidate():
    assert search(2, 0).config.candidates == 5
    assert search(2, 0, split_by=split_along_axis).config.candidates == 1


@pytest.mark.parametrize(("weight", "empty"), [(0.95, True), (1.05, False)])
def test_a_component_of_less_than_one_data_point_goes_first(weight, empty):
    """One data point far from the others, that counts `weight`, has a component of its own."""
    X, w = np.array([[-1.0], [0.0], [1.0], [99.0]]), [1.0, 1.0, 1.0, weight]
    mixture = Mixture(KnownCovariance([0.0], 1e4))
    start = mixture.m_step(X, np.eye(2)[[0, 0, 0, 1]], w)
    search = start_search(mixture, X, start, np.random.default_rng(0), weights=w)
    last = step_search(search).records[-1]
    assert ((last.kind, last.components) == ("delete", (1,))) == empty
