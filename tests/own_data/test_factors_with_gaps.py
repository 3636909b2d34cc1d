"""How many factors a table with gaps has: the number alive, for whatever is missing."""

import numpy as np
import pytest

from vbkit.own_data import VariationalMatrixFactorization


def table(number, rank, missing):
    """A table (L, M) of a known rank about means of its columns, with gaps; at least
    twice as many entries are seen in each row and column, on average, as it has factors."""
    rng = np.random.default_rng([7, number])
    L = int(rng.integers(120, 200))
    M = int(max(20, 2.5 * rank / (1 - missing))) + int(rng.integers(10))
    V = rng.normal(size=(L, rank)) @ rng.normal(size=(rank, M))
    V += rng.uniform(0.2, 0.5) * rng.normal(size=(L, M)) + 5 * rng.normal(size=M)
    gone = rng.random((L, M)) < missing
    gone[0] = False
    V[gone] = np.nan
    return V


@pytest.mark.long
def test_the_rank_of_a_hundred_tables():
    wrong = []
    for number in range(100):
        rank = 1 + number % 15
        missing = (0.1, 0.3, 0.5, 0.7)[number % 4]
        model = VariationalMatrixFactorization(random_state=0)
        found = model.fit(table(number, rank, missing)).n_components_
        if found != rank:
            wrong.append((number, rank, missing, found))
    assert len(wrong) <= 5, wrong


@pytest.mark.parametrize(
    "number, rank, missing", [(1, 2, 0.001), (2, 5, 0.5), (3, 15, 0.001)]
)
def test_only_factors_that_are_alive_are_counted(number, rank, missing):
    V = table(number, rank, missing)
    model = VariationalMatrixFactorization(random_state=0).fit(V)
    assert model.n_components_ == rank
    assert model.transform(V).shape == (len(V), rank)
    assert model.components_.shape == (rank, V.shape[1])
    assert len(model.get_feature_names_out()) == rank
    assert model.inverse_transform(model.transform(V)).shape == V.shape


@pytest.mark.parametrize("missing", [0.0, 0.001, 0.3, 0.6])
def test_noise_has_no_factor(missing):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        V = 3 + rng.normal(size=(80, 20))
        V[rng.random(V.shape) < missing] = np.nan
        model = VariationalMatrixFactorization(random_state=0).fit(V)
        assert model.n_components_ == 0 and model.transform(V).shape == (80, 0)
        assert np.allclose(model.predict(V), np.nanmean(V, axis=0), atol=0.5)
        seen = np.mean((V - model.mean_)[~np.isnan(V)] ** 2)
        assert abs(model.noise_variance_ / seen - 1) < 0.03
