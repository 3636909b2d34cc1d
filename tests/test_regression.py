"""Linear experts: a family's contract, exact evidence, least squares as the limit, bad input."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression as LeastSquares

from vbkit.families import NormalWishart, check_family
from vbkit.families.product import Product
from vbkit.families.regression import LinearRegression


def rows(dx, dy, N=60):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, dx))
    y = 1 + x @ rng.normal(size=(dx, dy)) + 0.5 * rng.normal(size=(N, dy))
    return x, y


@pytest.mark.parametrize(("dx", "dy"), [(1, 1), (2, 1), (1, 2)])
def test_a_linear_expert_with_its_gate_is_a_family(dx, dy):
    gate = NormalWishart(np.zeros(dx), 1.0, dx + 2.0, np.eye(dx))
    check_family(Product(gate, LinearRegression(dx, dy)), np.hstack(rows(dx, dy)))


@pytest.mark.parametrize("dy", [1, 2])
def test_the_evidence_is_a_multivariate_student_density(dy):
    x, y = rows(2, dy, N=7)
    family = LinearRegression(2, dy, precision=0.7, shape=1.3, rate=0.4)
    S = family.statistics(np.hstack([x, y])).sum(axis=0)
    design = np.column_stack([x, np.ones(7)])
    scale = 0.4 / 1.3 * (np.eye(7) + design @ design.T / 0.7)
    exact = sum(stats.multivariate_t.logpdf(v, np.zeros(7), scale, df=2.6) for v in y.T)
    got = family.log_normalizer(S) - family.log_normalizer(np.zeros_like(S))
    np.testing.assert_allclose(got, exact, rtol=1e-10)


def test_many_clones_give_least_squares():
    x, y = rows(2, 1)
    family = LinearRegression(2)
    W = family.expected(2.0**60 * family.statistics(np.hstack([x, y])).sum(axis=0)[None])[0]
    fit = LeastSquares().fit(x, y[:, 0])
    weights = W[-4:-1] / (-2 * W[-1])
    np.testing.assert_allclose(weights, [*fit.coef_, fit.intercept_], rtol=1e-10)


def test_a_gate_of_another_dimension_is_named():
    with pytest.raises(ValueError, match="gate has dimension 1; the expert has 2 inputs"):
        Product(NormalWishart(np.zeros(1), 1.0, 3.0, np.eye(1)), LinearRegression(2))
