"""How many states a hidden Markov model has: split, merge and delete, as for mixtures."""

import attrs
import numpy as np
import pytest
from oracles import close
from scipy.stats import binomtest

from tests.models.test_hidden_markov_learning import LENGTH, chains, gaussian
from vbkit import Dirichlet, fit_batch
from vbkit.families import LinearRegression
from vbkit.labels import MarkovChain
from vbkit.learning import init_from_rows
from vbkit.mixture import Mixture
from vbkit.models import FactorAnalysis
from vbkit.structure import (
    Tracker,
    delete,
    init_by_splits,
    merge,
    responsibility_statistics,
    run_search,
    split,
    start_search,
    track,
)


@pytest.fixture(scope="module")
def learned():
    X, rng = chains(1, 8)
    model = gaussian(MarkovChain(Dirichlet(0.7), Dirichlet(0.4)))
    data = model.observe(X, lengths=LENGTH)
    start = model.m_step(data, rng.dirichlet(np.ones(3), len(X)))
    S = fit_batch(model, data, start, max_epochs=20).S
    return responsibility_statistics(model, data, S)


def test_moves_keep_what_they_should(learned):
    P = learned.mixture.n_statistics
    parts, one = split(learned, 1), merge(learned, 0, 2)
    close(parts.S[:, : P + 1].sum(axis=0), learned.S[:, : P + 1].sum(axis=0))
    close(parts.S[:, P + 1 :].sum(), learned.S[:, P + 1 :].sum())
    close(parts.S[[0, 2], P + 2] + parts.S[[0, 2], P + 4], learned.S[[0, 2], P + 2])
    moves = learned.S[:, P + 1 :]
    close(one.S[0, P + 1], moves[np.ix_([0, 2], [0, 2])].sum())
    close(one.S[0, : P + 1], learned.S[[0, 2], : P + 1].sum(axis=0))
    assert delete(learned, 1).S.shape == (2, P + 3)
    for move in (parts, one, delete(learned, 1)):
        first = fit_batch(move.mixture, learned.data, move.S, max_epochs=1).trace[0]
        close(move.gain, first - learned.elbo, atol=1e-6)


def test_a_split_and_the_merge_of_its_halves_is_nothing(learned):
    parts = split(learned, 1)
    there = responsibility_statistics(parts.mixture, learned.data, parts.S)
    back = merge(attrs.evolve(there, S=parts.S), 1, 3)
    close(back.S, learned.S, rtol=1e-9, atol=1e-9)


@pytest.fixture(scope="module", params=[1, 6])
def searches(request):
    """From so many states, of 20 data sets of three."""
    found = []
    for seed in range(200, 220):
        X, rng = chains(seed, 10)
        model = gaussian()
        data = model.observe(X, lengths=LENGTH)
        start = model.m_step(data, np.ones((len(X), 1)))
        if request.param > 1:
            start = init_from_rows(model, data, request.param, rng)
        found.append(run_search(start_search(model, data, start, rng), 60))
    return found


@pytest.mark.long
def test_three_states_are_found(searches):
    """The interval of the rate (95 %) lies above a half."""
    right = sum(search.best.n_components == 3 for search in searches)
    assert binomtest(right, len(searches)).proportion_ci().low > 0.5, right


@pytest.mark.long
def test_each_accepted_move_raises_the_elbo_by_what_was_foretold_at_least(searches):
    """The ELBO that a move promises before learning is a floor under what is learned from it."""
    for search in searches:
        best, data = search.best, search.config.data
        close(best.mixture.elbo(data, best.S), best.elbo, rtol=1e-9)
        elbos = [record.elbo for record in search.records if record.accepted]
        assert (
            len(elbos) > 1 and (np.diff(elbos) > 0.1).all() and elbos[-1] == best.elbo
        )
        for record in search.records[1:]:
            assert record.elbo > record.base_elbo + record.gain - 1e-6


def test_independent_rows_have_as_many_components_as_the_mixture():
    X, rng = chains(5, 8)
    chain = gaussian()
    mixture = Mixture(chain.family, chain.labels.starts)
    found = []
    for model, data in (
        (chain, chain.observe(X, lengths=1)),
        (mixture, mixture.observe(X)),
    ):
        start = model.m_step(data, np.ones((len(X), 1)))
        best = run_search(start_search(model, data, start, rng), 30).best
        found.append((best.n_components, best.elbo))
    assert found[0][0] == found[1][0] == 3
    close(found[0][1], found[1][1], atol=0.05)


def test_bad_input_is_named(learned):
    unequal = Mixture(learned.mixture.family, MarkovChain(Dirichlet(np.ones(3))))
    with pytest.raises(ValueError, match="it must be one number"):
        merge(learned, 0, 1, unequal)
    with pytest.raises(ValueError, match="mixture has the labels MarkovChain"):
        track(
            Tracker(learned.mixture, learned.S, np.random.default_rng(1)), learned.data
        )
    factors = FactorAnalysis(LinearRegression(np.zeros(1), np.zeros(2)))
    start = factors.m_step(learned.data.X, np.ones((len(learned.data.X), 1)))
    with pytest.raises(
        ValueError, match="prior gives FactorAnalysis.* it must give a Mixture"
    ):
        start_search(factors, learned.data.X, start, np.random.default_rng(1))
    with pytest.raises(
        ValueError, match="mixture is FactorAnalysis.* it must be a Mixture"
    ):
        init_by_splits(factors, learned.data.X, 2)


def test_a_start_without_chance(learned):
    start = init_by_splits(learned.mixture, learned.data, 4)
    assert start.shape == (4, learned.mixture.width(4))
    close(start[:, 0].sum(), len(learned.data.X))
