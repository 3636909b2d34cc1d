"""Rows with many columns whose products are not written out: the same products with
parameters and responsibilities as the statistics written out have."""

import numpy as np
import pytest

from vbkit.families import NormalWishart
from vbkit.families.normal_wishart import MANY_COLUMNS
from vbkit.families.squares import RowsWithSquares
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture


def family_and_rows(D: int, n: int, cell=0.0):
    rng = np.random.default_rng(D)
    family = NormalWishart(rng.normal(size=D), 0.5, D + 2.0, np.eye(D), cell)
    return family, rng.normal(size=(n, D)) * rng.uniform(0.1, 10, D), rng


@pytest.mark.parametrize("D", [1, 2, 7, MANY_COLUMNS])
@pytest.mark.parametrize("cell", [0.0, 0.3])
def test_products_are_those_of_the_statistics(D, cell):
    family, X, rng = family_and_rows(D, 40, cell)
    T = family.statistics(X)
    rows = RowsWithSquares(X - family.mean, family.spread_of_cells)
    assert rows.shape == T.shape and len(rows) == 40
    assert np.allclose(rows.toarray(), T, rtol=1e-12, atol=1e-12)
    W = rng.normal(size=(T.shape[1], 3))
    scale = np.abs(T) @ np.abs(W)
    assert np.abs((rows @ W - T @ W) / scale).max() < 1e-14
    R = rng.dirichlet(np.ones(3), 40).T
    R[:, 0] = [1, 0, 0]
    scale = R @ np.abs(T) + 1e-300
    assert np.abs((R @ rows - R @ T) / scale).max() < 1e-13


def test_from_many_columns_on_an_e_step_uses_them_and_changes_nothing():
    few, X, _ = family_and_rows(MANY_COLUMNS - 1, 5)
    assert isinstance(few.block_statistics(X), np.ndarray)
    family, X, rng = family_and_rows(MANY_COLUMNS, 700)
    assert isinstance(family.block_statistics(X), RowsWithSquares)

    class WrittenOut(NormalWishart):
        block_statistics = None

    plain = WrittenOut(family.mean, 0.5, MANY_COLUMNS + 2.0, np.eye(MANY_COLUMNS))
    weights = rng.integers(0, 3, 700).astype(float)
    steps = []
    for each in (family, plain):
        mixture = Mixture(each, Dirichlet(0.7))
        S = init_gaussian(mixture, X, 3, np.random.default_rng(1))
        steps.append(mixture.e_step(X, S, weights))
        steps.append(fit_batch(mixture, X, S, max_epochs=5))
    assert np.allclose(steps[0].S, steps[2].S, rtol=1e-9, atol=1e-9)
    assert steps[0].elbo == pytest.approx(steps[2].elbo, rel=1e-12)
    assert np.allclose(steps[1].trace, steps[3].trace, rtol=1e-12)
