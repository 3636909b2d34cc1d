"""Sequential and Metropolis selection: the rules of section 4, step by step; stops, resumptions, ends."""

import pickle
import re
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from oracles import close
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from test_new_family import MIXTURE as POISSON

from vbkit import data
from vbkit.families import Dirichlet, IsotropicGaussian, NormalWishart
from vbkit.learning import Fit, fit_batch, gaussian_start, start_at_rows
from vbkit.mixture import EM, Mixture
from vbkit.structure import advance, begin, learn_batch, learn_online, select, split_along_axis, steps

pytestmark = pytest.mark.filterwarnings("error")
X, _ = data.sato2000("A", np.random.default_rng(1), 120)
LEARN = {"batch": partial(learn_batch, max_epochs=40), "on-line": partial(learn_online, max_epochs=8)}


def scaled(K):
    """Sato's prior of K units, with gamma0 = 1."""
    unit = IsotropicGaussian.from_pseudo_data(X.mean(0), X.var(0).mean(), 1 / K)
    return Mixture(unit, Dirichlet(1 + 1 / K))


def search(units, seed, beta=None, learn="batch", prior=scaled, **more):
    rng = np.random.default_rng(seed)
    return begin(prior, X, gaussian_start(scaled(units), X, units, rng), rng, beta=beta, learn=LEARN[learn], **more)


def same(a, b):
    """The same search, number for number."""
    assert repr(a.records) == repr(b.records) and repr(a) == repr(b) and a.tried == b.tried  # repr: nan is nan
    assert a.rng.bit_generator.state == b.rng.bit_generator.state
    for x, y in ((a.base, b.base), (a.best, b.best), (a.trial, b.trial)):
        assert (x.S == y.S).all() and (x.trace == y.trace).all()


def permitted(selection):
    """The moves that section 4 allows next: (kind, units)."""
    census, K, tried = selection.census, selection.base.units, selection.tried
    idle = [k for k in range(K) if K > 1 and census.S[k, 0] < 1 and ("delete", (k,)) not in tried]
    if idle:
        return [("delete", (min(idle, key=lambda k: census.S[k, 0]),))]
    everything = {"split": [(k,) for k in range(K)], "merge": list(combinations(range(K), 2))}
    if all((kind, u) in tried for kind, units in everything.items() for u in units):
        tried = set()  # Metropolis begins anew
    left = {kind: [u for u in units if (kind, u) not in tried] for kind, units in everything.items()}
    if selection.wandering:
        return [(kind, u) for kind, units in left.items() for u in units]
    kind = selection.kind if left[selection.kind] else {"split": "merge", "merge": "split"}[selection.kind]
    if kind == "split":
        return [(kind, min(left[kind], key=lambda u: census.unit_bounds[u[0]]))]
    return [(kind, max(left[kind], key=census.correlation.__getitem__))]


@pytest.mark.parametrize("learn", LEARN)
@pytest.mark.parametrize(("units", "beta", "more"), [(2, None, {}), (8, None, {}), (3, 0.2, {}), (6, 0.5, {}),
                         (4, None, {"least_gain": 3.0}), (5, None, {"split_by": split_along_axis})])  # fmt: skip
def test_every_attempt_follows_the_rules(units, beta, more, learn):
    before, kinds = search(units, 0, beta, learn, **more), set()
    for after in steps(before, 25):
        if after.finished:
            assert beta is None
            break
        record, old, trial = after.records[-1], before.base, after.trial
        change, move = record.elbo - old.elbo, (record.kind, record.units)
        assert move in permitted(before) and record.at_random == (before.wandering and record.kind != "delete")
        assert record.K == trial.units == old.units + (1 if record.kind == "split" else -1)
        assert (record.base_K, record.base_elbo, record.elbo) == (old.units, old.elbo, trial.elbo)
        assert record.visits == record.epochs * 120 == trial.epochs * 120
        better = change > more.get("least_gain", 0.1)
        assert record.accepted == better if beta is None else record.accepted >= better
        assert after.base is (trial if record.accepted else old)
        assert after.best is (trial if record.accepted and trial.elbo > before.best.elbo else before.best)
        assert beta is not None or after.best is after.base
        assert (record.best_K, record.best_elbo) == (after.best.units, after.best.elbo)
        if record.accepted:
            assert after.tried == set() and after.wandering == (change < 0)
        else:
            assert move in after.tried and after.wandering == before.wandering
        if record.kind == "delete":
            assert after.kind == before.kind
        else:
            assert after.kind == (record.kind if record.accepted else "split" if record.kind == "merge" else "merge")
        kinds.add(record.kind)
        before = after
    assert kinds >= {"split", "merge"}


def test_idle_units_are_deleted_first():
    S = gaussian_start(scaled(3), X, 3, np.random.default_rng(0))
    S[1:] *= [[1e-3], [1e-4]]
    keep = Fit(scaled(3), S, np.array([-600.0]))
    for gain, expected in ((1.0, [(2,), (1,)]), (0.0, [(2,), (1,), (0,)])):  # accepted, or each tried once
        fits = iter([keep] + [Fit(scaled(K), S[:K], np.array([-600 + gain * (3 - K)])) for K in (2, 1, 1)])
        selection = begin(scaled, X, S, np.random.default_rng(0), learn=lambda *_, fits=fits: next(fits))
        census = replace(selection.census, S=S)  # what the E-step would have found
        selection = advance(replace(selection, census=census))
        for _ in expected[1:]:
            selection = advance(replace(selection, census=replace(selection.census, S=S[: selection.base.units])))
        assert [r.units for r in selection.records[1:]] == expected
        assert [r.kind for r in selection.records[1:]] == ["delete", "delete", "split"][: len(expected)]
    lone = select(begin(scaled, scaled(1).observe(X[:2], [0.1, 0.2]), S[:1], np.random.default_rng(0)), 5)
    assert "delete" not in [r.kind for r in lone.records]  # a single unit stays, however few its data


def test_an_emptied_unit_vanishes():
    """From a start with a unit that no datum chooses, the first attempt takes it away and gains."""
    S = gaussian_start(scaled(3), X, 3, np.random.default_rng(0))
    S[2] = scaled(3).component.state([0.3], [[40, 40]], [np.eye(2)])[0]
    selection = advance(begin(scaled, X, S, np.random.default_rng(0), learn=partial(learn_batch, max_epochs=0)))
    record = selection.records[1]
    assert (record.kind, record.units, record.accepted) == ("delete", (2,), True)


@pytest.mark.parametrize(("beta", "change"), [(0.3, -2.0), (2.0, -0.5), (1.0, -30.0), (0.5, 0.05), (4.0, 0.0)])
def test_metropolis_accepts_with_its_probability(beta, change):
    """A learner of known bounds: acceptances over 1,000 states of the generator are binomial."""
    first = search(2, 0, beta)
    fixed = Fit(scaled(3), first.base.S, np.array([first.base.elbo + change]))
    first = replace(first, rules=replace(first.rules, learn=lambda *_: fixed))
    N, p = 1000, min(1.0, np.exp(beta * change))
    accepted = sum(advance(replace(first, rng=np.random.default_rng(n))).records[-1].accepted for n in range(N))
    assert abs(accepted - N * p) <= 4.5 * np.sqrt(N * p * (1 - p)) + 1e-9
    greedy = advance(replace(first, rules=replace(first.rules, beta=None)))
    assert not greedy.records[-1].accepted


def test_moves_after_a_worse_one_are_random():
    """Kinds are equally likely, and the units within a kind."""
    first = replace(search(3, 0, 1.0), wandering=True)
    stub = replace(first.rules, learn=lambda mixture, data, S, rng: Fit(mixture, S, np.array([-1e6])))
    found = [advance(replace(first, rules=stub, rng=np.random.default_rng(n))).records[-1] for n in range(600)]
    moves = [(r.kind, r.units) for r in found]
    for kind, units in (("split", [(0,), (1,), (2,)]), ("merge", [(0, 1), (0, 2), (1, 2)])):
        for u in units:
            assert abs(moves.count((kind, u)) - 100) < 4.5 * np.sqrt(100 * 5 / 6)
    assert all(r.at_random for r in found)
    assert abs([kind for kind, _ in moves].count("split") - 300) < 4.5 * np.sqrt(150)


@pytest.mark.parametrize(("beta", "learn"), [(None, "batch"), (None, "on-line"), (0.2, "batch"), (0.2, "on-line")])
def test_stop_and_resume(beta, learn):
    """Also through a file, and whatever was done with the caller's generator in between."""
    rng = np.random.default_rng(7)
    start = gaussian_start(scaled(5), X, 5, rng)
    state = rng.bit_generator.state
    first = begin(scaled, X, start, rng, beta=beta, learn=LEARN[learn])
    assert rng.bit_generator.state == state
    whole, half = select(first, 14), select(first, 6)
    rng.random(5)
    same(whole, select(pickle.loads(pickle.dumps(half)), 8))
    same(whole, [*steps(half, 8)][-1])
    same(half, select(first, 6))
    assert len(whole.records) > 10 and (beta is None or any(r.at_random for r in whole.records))


def test_an_interruption_loses_nothing():
    calls = []

    def learn(mixture, data, S, rng):
        calls.append(len(S))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return learn_batch(mixture, data, S, rng)

    start, rng = gaussian_start(scaled(5), X, 5, np.random.default_rng(0)), np.random.default_rng(0)
    selection = first = begin(scaled, X, start, rng, learn=learn)
    with pytest.raises(KeyboardInterrupt):
        for after in steps(first, 10):
            selection = after
    assert [r.attempt for r in selection.records] == [0, 1, 2]
    assert [r.attempt for r in select(selection, 3).records] == [0, 1, 2, 3, 4, 5]


def test_greedy_finds_clusters_far_apart():
    """The final model is the best of all direct fits, and its bound theirs."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 2)) + 12 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(90) % 3]
    mixture = Mixture(NormalWishart.from_pseudo_data(X.mean(0), 4.0, 0.5))
    best = {K: max(fit_batch(mixture, X, gaussian_start(mixture, X, K, rng)).elbo for _ in range(5)) for K in (2, 3, 4)}
    assert max(best, key=best.get) == 3
    for units in (1, 6):
        done = select(begin(mixture, X, gaussian_start(mixture, X, units, rng), rng), 60)
        assert done.finished and done.best.units == 3 and abs(done.best.elbo - best[3]) < 0.05


def test_log_likelihood():
    selection = search(3, 1)
    mixture, S = selection.base.mixture, selection.base.S
    parts = [multivariate_normal(m, C).logpdf(X) + np.log(w) for w, m, C in zip(*mixture.parameters(S), strict=True)]
    close(selection.records[0].log_likelihood, logsumexp(parts, axis=0).sum())


def test_a_family_without_compiled_code():
    rng = np.random.default_rng(0)
    counts = rng.poisson(np.array([1.0, 20.0, 90.0])[rng.integers(3, size=150)])[:, None].astype(float)
    for units, learn in ((1, learn_batch), (6, learn_batch), (2, partial(learn_online, max_epochs=3))):
        start = start_at_rows(POISSON, counts, units, rng)
        done = select(begin(POISSON, counts, start, rng, learn=learn), 30)
        assert done.best.units == 3 and np.isnan(done.records[-1].log_likelihood)


def test_weights_are_repetitions():
    w = np.arange(120) % 4
    data = scaled(4).observe(X, w)
    start, rng = gaussian_start(scaled(4), X, 4, np.random.default_rng(0)), np.random.default_rng(1)
    weighted = select(begin(scaled, data, start, rng), 8)
    repeated = select(begin(scaled, np.repeat(X, w, axis=0), start, rng), 8)
    for a, b in zip(weighted.records, repeated.records, strict=True):
        assert (a.kind, a.units, a.accepted, a.epochs) == (b.kind, b.units, b.accepted, b.epochs)
        close((a.elbo, a.log_likelihood), (b.elbo, b.log_likelihood), rtol=1e-7)
    online = begin(scaled, data, start, rng, learn=partial(learn_online, max_epochs=200)).base
    assert abs(online.S[:, 0].sum() / w.sum() - 1) < 0.02  # it stands for all the weights, not for 120 data


def test_nothing_to_do():
    """Identical points stay with one unit; one attempt more changes nothing."""
    same_point, S = np.ones((50, 2)), np.array([[50.0, 10, 10, 50]])
    for beta in (None, 0.1):
        done = select(begin(scaled, same_point, S, np.random.default_rng(0), beta=beta), 10)
        assert done.finished and len(done.records) == 1 and len(done.tried) == 0
        assert advance(done).records == done.records
    two = scaled(2).component.state([25, 25], [[1, 1], [1.1, 1]], np.tile(np.eye(2), (2, 1, 1)))
    done = select(begin(scaled, same_point, two, np.random.default_rng(0)), 10)
    assert done.finished and done.best.units == 1


# ---- bad input -------------------------------------------------------------------------------------------------------

RNG, START = np.random.default_rng(0), gaussian_start(scaled(2), X, 2, np.random.default_rng(0))
BAD = {
    "beta is 0;": lambda: search(2, 0, 0),
    "beta is -1": lambda: search(2, 0, -1),
    "beta is inf": lambda: search(2, 0, np.inf),
    "least_gain is -0.1": lambda: search(2, 0, least_gain=-0.1),
    "least_gain is nan": lambda: search(2, 0, least_gain=np.nan),
    "rng is 3": lambda: begin(scaled, X, START, 3),
    "learn is 'batch'": lambda: begin(scaled, X, START, RNG, learn="batch"),
    "split_by is None": lambda: begin(scaled, X, START, RNG, split_by=None),
    "start has shape (0, 4)": lambda: begin(scaled, X, START[:0], RNG),
    "the state has shape": lambda: begin(scaled, X, START[:, :3], RNG),
    "X has 1 columns": lambda: begin(scaled, X[:, :1], START, RNG),
    "X[0, 0] is nan": lambda: begin(scaled, X * np.nan, START, RNG),
    "prior gives 7 for 2 units": lambda: begin(lambda K: 7, X, START, RNG),
    "concentration has one entry": lambda: begin(Mixture(scaled(2).component, Dirichlet([1, 2])), X, START, RNG),
    "copies is EM": lambda: begin(replace(scaled(2), copies=EM), X, START, RNG),
    "attempts is -1": lambda: select(search(2, 0), -1),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        BAD[message]()
