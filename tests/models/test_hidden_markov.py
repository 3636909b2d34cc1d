"""A hidden Markov model: sums over paths against enumeration, bounds, limits, bad input."""

from itertools import product

import numpy as np
import pytest
from oracles import close
from scipy.special import logsumexp

from vbkit import (
    BetaBernoulli,
    Dirichlet,
    NormalWishart,
    fit_batch,
    fit_online,
    observations,
)
from vbkit.compiled.chains import (
    expectations_in_logs,
    most_probable_path,
    path_expectations,
)
from vbkit.families import GammaPoisson, KnownCovariance
from vbkit.labels import MarkovChain
from vbkit.learning import accumulation
from vbkit.mixture import EM, Mixture

SCALES = [1.0, 30.0, 800.0]


@pytest.mark.parametrize("scale", SCALES)
def test_paths_are_summed_as_by_enumeration(scale):
    rng = np.random.default_rng(1)
    L, a, A = (-abs(rng.normal(0, scale, shape)) for shape in ((6, 3), 3, (3, 3)))
    paths = np.array([*product(range(3), repeat=6)])
    weight = (
        a[paths[:, 0]]
        + A[paths[:, :-1], paths[:, 1:]].sum(1)
        + L[range(6), paths].sum(1)
    )
    p = np.exp(weight - logsumexp(weight))
    R = np.stack([(p[:, None] * (paths == k)).sum(0) for k in range(3)], axis=1)
    moves = [[(p * ((paths[:, :-1] == i) & (paths[:, 1:] == j)).sum(1)).sum() for j in range(3)]
             for i in range(3)]  # fmt: skip
    logs, ours, sums = path_expectations(L, np.array([0, 6]), a, A, np.ones(1))
    for found in ((logs[0], ours, sums), expectations_in_logs(L, a, A)):
        close(found[0], logsumexp(weight))
        close(found[1], R, atol=1e-12)
        close(found[2], np.column_stack([R[0], moves]), atol=1e-12)


@pytest.mark.parametrize("scale", SCALES)
def test_the_most_probable_path_is_that_of_enumeration(scale):
    rng = np.random.default_rng(2)
    paths = np.array([*product(range(3), repeat=5)])
    for _ in range(30):
        L, a, A = (-abs(rng.normal(0, scale, shape)) for shape in ((5, 3), 3, (3, 3)))
        weight = (
            a[paths[:, 0]]
            + A[paths[:, :-1], paths[:, 1:]].sum(1)
            + L[range(5), paths].sum(1)
        )
        assert (most_probable_path(L, a, A) == paths[weight.argmax()]).all()


def problem(seed: int, family: str = "gaussian"):
    """A model, its observed sequences and a start of random responsibilities."""
    rng = np.random.default_rng(seed)
    lengths, K = rng.integers(1, 12, 4), int(rng.integers(1, 5))
    N = int(lengths.sum())
    if family == "gaussian":
        X, emission = (
            rng.normal(0, 2, (N, 2)),
            NormalWishart(np.zeros(2), 0.5, 3.0, np.eye(2)),
        )
    else:
        X, emission = rng.integers(0, 2, (N, 3)).astype(float), BetaBernoulli(3, 0.7)
    a, b = rng.uniform(0.05, 2, 2)
    model = Mixture(emission, MarkovChain(Dirichlet(a), Dirichlet(b)))
    data = model.observe(
        X, rng.uniform(0.5, 2, 4) if seed % 3 == 0 else None, lengths=lengths
    )
    return model, data, model.m_step(data, rng.dirichlet(np.ones(K), N))


@pytest.mark.parametrize("seed", range(300))
def test_batch_never_falls(seed):
    model, data, start = problem(seed, "gaussian" if seed % 2 else "bernoulli")
    fit = fit_batch(model, data, start, max_epochs=15, tolerance=0)
    assert np.diff(fit.trace).min() >= -1e-9 * abs(fit.elbo)


def test_the_elbo_is_at_most_the_exact_evidence():
    rng = np.random.default_rng(4)
    model = Mixture(BetaBernoulli(2, 0.7), MarkovChain(Dirichlet(0.6), Dirichlet(0.4)))
    data = model.observe(rng.integers(0, 2, (7, 2)), lengths=[4, 3])
    each = [model.log_normalizer_ratio(model.m_step(data, np.eye(2)[list(z)]))
            for z in product(range(2), repeat=7)]  # fmt: skip
    evidence = logsumexp(each)
    for _ in range(10):
        start = model.m_step(data, rng.dirichlet([1, 1], 7))
        fit = fit_batch(model, data, start)
        assert fit.elbo < evidence
        assert (
            model.elbo_of_responsibilities(data, model.responsibilities(data, fit.S))
            <= fit.elbo
        )
    one = model.m_step(data, np.ones((7, 1)))
    family = model.family
    exact = family.log_normalizer(one[:, :-2]) - family.log_normalizer(np.zeros((1, 5)))
    close(model.elbo(data, one), exact[0])


@pytest.mark.parametrize("clones", [1.0, EM])
def test_sequences_of_one_row_are_a_mixture(clones):
    rng = np.random.default_rng(2)
    X, K = rng.normal(size=(60, 2)), 3
    family, R = (
        NormalWishart(np.zeros(2), 1.0, 3.0, np.eye(2)),
        rng.dirichlet(np.ones(K), 60),
    )
    chain = Mixture(family, MarkovChain(Dirichlet(0.5), Dirichlet(0.7)), clones=clones)
    mixture = Mixture(family, Dirichlet(0.5), clones)
    data = chain.observe(X, lengths=1)
    ours = fit_batch(chain, data, chain.m_step(data, R), max_epochs=20, tolerance=0)
    theirs = fit_batch(mixture, X, mixture.m_step(X, R), max_epochs=20, tolerance=0)
    close(ours.trace, theirs.trace, rtol=1e-9)
    close(ours.S[:, :-4], theirs.S, rtol=1e-7, atol=1e-9)
    new = rng.normal(size=(5, 2))
    new_sequences = chain.observe(new, lengths=1)
    close(
        chain.log_predictive(new_sequences, ours.S),
        mixture.log_predictive(new, theirs.S),
    )


EMISSIONS = {
    "gaussian": NormalWishart(np.zeros(2), 1.0, 3.0, np.eye(2)),
    "counts": GammaPoisson(2, 1.3, 0.4),
    "known covariance": KnownCovariance(np.zeros(2), 2.0, np.eye(2)),
}


@pytest.mark.parametrize("name", EMISSIONS)
def test_a_weight_counts_a_sequence_again(name):
    rng = np.random.default_rng(3)
    model, X = (
        Mixture(EMISSIONS[name], MarkovChain()),
        rng.integers(0, 9, (12, 2)).astype(float),
    )
    parts = [slice(0, 4), slice(4, 7), slice(7, 12)]
    again = [0, 1, 1, 2, 2, 2]
    R = rng.dirichlet(np.ones(2), 12)
    weighted = model.observe(X, [1.0, 2.0, 3.0], lengths=[4, 3, 5])
    repeated = model.observe([X[parts[s]] for s in again])
    start = model.m_step(weighted, R)
    close(start, model.m_step(repeated, np.concatenate([R[parts[s]] for s in again])))
    ours, theirs = (
        fit_batch(model, data, start, max_epochs=9) for data in (weighted, repeated)
    )
    close(ours.trace, theirs.trace)
    close(ours.S, theirs.S)


@pytest.mark.parametrize("name", EMISSIONS)
def test_one_state_is_one_family(name):
    X = np.random.default_rng(3).integers(0, 9, (12, 2)).astype(float)
    chain, mixture = Mixture(EMISSIONS[name], MarkovChain()), Mixture(EMISSIONS[name])
    data, S = chain.observe(X, lengths=[4, 8]), mixture.m_step(X, np.ones((12, 1)))
    close(chain.elbo(data, chain.m_step(data, np.ones((12, 1)))), mixture.elbo(X, S))


def test_accumulation_of_one_sequence_adds_its_e_step():
    model, data, start = problem(6)
    fit = fit_online(model, data.take(slice(0, 1)), start, accumulation())
    close(fit.S, start + model.e_step(data.take(slice(0, 1)), start).S)


def test_a_million_rows_do_not_underflow():
    rng = np.random.default_rng(0)
    L = rng.normal(-50, 20, (1000, 2))
    a, A = np.log([0.4, 0.6]), np.log([[0.9, 0.1], [0.2, 0.8]])
    logs, R, _ = path_expectations(
        np.tile(L, (1000, 1)), np.array([0, 10**6]), a, A, np.ones(1)
    )
    assert np.isfinite(logs).all() and np.allclose(R.sum(1), 1)


MODEL = Mixture(NormalWishart(np.zeros(2), 1.0, 3.0, np.eye(2)), MarkovChain())
X = np.zeros((4, 2))
BAD = {
    "sequence 1 is unfit": lambda: MODEL.observe([X, X[:0]]),
    "sequence 0 is unfit: X has 3": lambda: MODEL.observe([np.zeros((4, 3))]),
    "add up to the 4 rows": lambda: MODEL.observe(X, lengths=[1, 2]),
    "lengths is .0, 4.": lambda: MODEL.observe(X, lengths=[0, 4]),
    "lengths is .1.5, 2.5.": lambda: MODEL.observe(X, lengths=[1.5, 2.5]),
    "lengths is 0": lambda: MODEL.observe(X, lengths=0),
    "lengths came with a list": lambda: MODEL.observe([X], lengths=[4]),
    "one for each of 2 sequences": lambda: MODEL.observe(X, [1.0], lengths=[2, 2]),
    "every number must be finite": lambda: MODEL.observe(X * np.nan),
    "empty list": lambda: MODEL.observe([]),
    "the state has shape": lambda: MODEL.check_state(np.ones((2, 6))),
    "X was observed already": lambda: MODEL.observe(MODEL.observe(X), [1.0]),
    "observed already; give weights and lengths": lambda: MODEL.observe(
        MODEL.observe(X), lengths=4
    ),
    "a model without sequences": lambda: MODEL.observe(
        Mixture(MODEL.family).observe(X)
    ),
    "starts has 3 entries; the state 2": lambda: UNEQUAL.check_state(np.ones((2, 9))),
    "starts or transitions below 0": lambda: MODEL.check_state(
        np.r_[np.ones(6), 0, -1.0][None]
    ),
}
UNEQUAL = Mixture(MODEL.family, MarkovChain(Dirichlet([1.0, 2.0, 3.0])))


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


@pytest.mark.parametrize("column", [-3, -2])  # a start, a transition
def test_counts_without_end_give_no_probabilities(column):
    limit = Mixture(BetaBernoulli(1, 0.7), MarkovChain(), clones=EM)
    state = np.array(limit.m_step(limit.observe([[1.0], [0.0]]), np.full((2, 2), 0.5)))
    state[0, column] = 1e300
    with pytest.raises(ValueError, match=r"the state reaches 1e\+300"):
        limit.parameters(state)


@pytest.mark.parametrize("only_from_itself", [True, False])
def test_impossible_starts_and_moves_in_logs(only_from_itself):
    rng = np.random.default_rng(5)
    L, a = rng.normal(0, 1, (5, 3)), np.array([-0.2, -np.inf, -1.7])
    A = np.log(rng.dirichlet(np.ones(3), 3))
    A[0, 1] = -np.inf
    A[2, 1] = -np.inf if only_from_itself else A[2, 1]
    paths = np.array([*product(range(3), repeat=5)])
    weight = (
        a[paths[:, 0]]
        + A[paths[:, :-1], paths[:, 1:]].sum(1)
        + L[range(5), paths].sum(1)
    )
    p = np.exp(weight - logsumexp(weight))
    R = np.stack([(p[:, None] * (paths == k)).sum(0) for k in range(3)], axis=1)
    total, ours, _ = expectations_in_logs(L, a, A)
    close(total, logsumexp(weight))
    close(ours, R, atol=1e-12)


def test_the_path_begins_as_the_prior_says():
    """One reading that fits both states alike: its state is the likelier start."""
    model = Mixture(BetaBernoulli(1, 0.7), MarkovChain(Dirichlet(0.5), Dirichlet(0.5)))
    state = np.array(model.m_step(model.observe([[1.0], [0.0]]), np.full((2, 2), 0.5)))
    P = model.n_statistics
    for first in (0, 1):
        state[:, P] = np.eye(2)[first] * 5 + 1
        state[:, P + 1 :] = (
            [[9.0, 1.0], [9.0, 1.0]] if first else [[1.0, 9.0], [1.0, 9.0]]
        )
        assert model.most_probable_labels([[1.0]], state).tolist() == [first]


def test_each_sequence_has_a_path_of_its_own():
    for seed in range(
        6
    ):  # a start and a step that differ, so that a missing border shows
        model, data, start = problem(seed, "bits")
        rows = [
            slice(*ends) for ends in zip(data.starts, data.starts[1:], strict=False)
        ]
        apart = [model.most_probable_labels(data.X[each], start) for each in rows]
        assert (
            model.most_probable_labels(data, start).tolist()
            == np.concatenate(apart).tolist()
        )


def test_blocks_of_sequences_change_nothing(monkeypatch):
    model, data, start = problem(7)
    ours = model.e_step(data, start)
    monkeypatch.setattr(observations, "ROWS_OF_ONE_NUMBER", 1)
    monkeypatch.setattr(observations, "SHORTEST_BLOCK", 3)
    assert len([*data.blocks(4)]) > 1
    theirs = model.e_step(data, start)
    close(ours.S, theirs.S)
    close(ours.elbo, theirs.elbo)


def test_numbers_for_each_component_are_no_common_prior():
    assert MODEL.labels.common_prior and not UNEQUAL.labels.common_prior
    assert not Mixture(
        MODEL.family, MarkovChain(transitions=Dirichlet([1.0, 2.0]))
    ).labels.common_prior
    UNEQUAL.check_state(np.ones((3, 10)))
    MODEL.check_state(np.zeros((2, 9)))


def test_where_nothing_is_known_all_moves_are_alike():
    """In the EM limit, of a component that no data point belongs to."""
    limit = Mixture(
        BetaBernoulli(1), MarkovChain(Dirichlet(0.0), Dirichlet(0.0)), clones=EM
    )
    state = limit.m_step(np.eye(3)[:, :1], [[1.0, 0], [1, 0], [1, 0]])
    close(limit.parameters(state).transitions, [[1, 0], [0.5, 0.5]])
    close(limit.parameters(0 * state + [3, 1, 2, 0, 0, 0]).starts, [0.5, 0.5])


@pytest.mark.parametrize("value", [-np.inf, np.nan])
def test_a_sequence_that_no_path_explains(value):
    L, even = np.array([[0.0, -1.0], [value, value]]), np.log([[0.5, 0.5], [0.5, 0.5]])
    with np.errstate(invalid="ignore"):
        total, R, sums = expectations_in_logs(L, even[0], even)
    assert (
        np.array_equal(total, value, equal_nan=True) and not R.any() and not sums.any()
    )
