"""Densities and divergences on a mesh (Sato 1999, 43), and the data sets they belong to."""

import numpy as np
import pytest
from oracles import close
from scipy import stats

from vbkit import data
from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, init_uniform
from vbkit.mixture import EM, Mixture
from vbkit.theory import (
    divergence_on_grid,
    grid_points,
    isotropic_log_density,
    mass_on_grid,
)

pytestmark = pytest.mark.filterwarnings("error")
POINTS, CELL = grid_points()
layouts = pytest.mark.parametrize("layout", data.SATO1999_LAYOUTS)


def truth(layout, points=POINTS):
    centres, widths = data.SATO1999_LAYOUTS[layout]
    return isotropic_log_density(points, data.SATO1999_WEIGHTS, centres, widths**2)


def test_the_mesh():
    assert POINTS.shape == (2601, 2) and CELL.shape == (2601,)
    close(POINTS[[0, 1, 51, -1]], [[0, 0], [0, 0.02], [0.02, 0], [1, 1]])
    points, cell = grid_points(7, -1.0, 3.0)
    close(
        [
            cell.sum(),
            cell @ points[:, 0],
            cell @ points.prod(1),
            cell.min() / cell.max(),
        ],
        [16, 16, 16, 1 / 4],
    )
    for name, bad in (
        ("points", (1,)),
        ("points", (5.5,)),
        ("high", (5, 1, 1)),
        ("low", (5, np.nan)),
    ):
        with pytest.raises(ValueError, match=name):
            grid_points(*bad)


@pytest.mark.parametrize("D", [1, 2, 3])
def test_log_density(D):
    rng = np.random.default_rng(D)
    X, w, m, v = (
        rng.normal(size=(40, D)),
        rng.dirichlet(np.ones(3), 5),
        rng.normal(size=(5, 3, D)),
        rng.gamma(2, size=(5, 3)),
    )
    w[2] = [0, 1, 0]
    ours = isotropic_log_density(X, w, m, v)
    for e in range(5):
        parts = [
            w[e, k] * stats.multivariate_normal(m[e, k], v[e, k]).pdf(X)
            for k in range(3)
        ]
        close(ours[e], np.log(np.sum(parts, axis=0)))
    close(isotropic_log_density(X, w[0], m[0], v[0]), ours[0])
    assert np.isfinite(
        isotropic_log_density(np.full((1, D), 1e100), [1.0], m[0, :1], [1e200])
    )
    far = isotropic_log_density(
        np.full((1, D), 1e4), w[:, :1] * 0 + 1, m[:, :1], v[:, :1]
    )
    close(
        far[:, 0],
        [
            stats.multivariate_normal(m[e, 0], v[e, 0]).logpdf(np.full(D, 1e4))
            for e in range(5)
        ],
    )


def test_parameters_that_are_not_numbers_stay_so():
    nan = isotropic_log_density(
        POINTS,
        [[np.nan] * 2, [0.5] * 2],
        np.full((2, 2, 2), [[[np.nan]], [[0.5]]]),
        [[np.nan] * 2, [1] * 2],
    )
    found = divergence_on_grid(truth("factorised"), nan, CELL)
    assert np.isnan(nan[0]).all() and np.isnan(found[0]) and np.isfinite(found[1])
    w, m, v = np.full(2, 0.5), np.zeros((2, 2)), np.ones(2)
    for bad in ((w[:1], m, v), (w, m[:, :1], v), (w, m, v[0]), (0.5, m[0], 1.0)):
        with pytest.raises(ValueError, match="centres"):
            isotropic_log_density(POINTS, *bad)
    for bad in ((-w, m, v), (w, m, 0 * v)):
        with pytest.raises(ValueError, match="weights"):
            isotropic_log_density(POINTS, *bad)
    with pytest.raises(ValueError, match="log_p"):
        divergence_on_grid(nan[0], nan, CELL)


def test_divergence_of_two_gaussians():
    """On a mesh that holds them, the closed form; a finer mesh changes nothing."""
    a, b, s, t = np.array([0.5, 0.4]), np.array([0.45, 0.5]), 0.1, 0.13
    exact = 2 * np.log(t / s) + (2 * s**2 + ((a - b) ** 2).sum()) / (2 * t**2) - 1
    for size in (51, 101):
        points, cell = grid_points(size, -0.5, 1.5)
        p, q = (
            isotropic_log_density(points, [1.0], [m], [v**2])
            for m, v in ((a, s), (b, t))
        )
        close(
            [divergence_on_grid(p, q, cell), mass_on_grid(p, cell)],
            [exact, 1],
            rtol=1e-7,
        )
        assert divergence_on_grid(p, p, cell) == 0
        close(divergence_on_grid(p, np.array([p, q]), cell), [0, exact], rtol=1e-7)


@layouts
def test_the_component_square_holds_the_data(layout):
    centres, widths = data.SATO1999_LAYOUTS[layout]
    below, up_to_1 = (stats.norm.cdf(end, centres, widths[:, None]) for end in (0, 1))
    exact = data.SATO1999_WEIGHTS @ (up_to_1 - below).prod(axis=1)
    log_p = truth(layout)
    mass = mass_on_grid(log_p, CELL)
    close(mass, exact, atol=2e-4)
    assert 0.99 < exact < 1
    close(
        divergence_on_grid(log_p, log_p - np.log(mass), CELL), mass * np.log(mass)
    )  # the least there is


@layouts
def test_the_data(layout):
    X, labels = data.sato1999(40_000, np.random.default_rng(1), layout)
    again, _ = data.sato1999(40_000, np.random.default_rng(1), layout)
    assert X.shape == (40_000, 2) and (X == again).all()
    centres, widths = data.SATO1999_LAYOUTS[layout]
    close(9 * data.SATO1999_WEIGHTS, [4, 2, 2, 1])
    for k, (centre, width) in enumerate(zip(centres, widths, strict=True)):
        group = X[labels == k]
        assert abs(len(group) / 40_000 - data.SATO1999_WEIGHTS[k]) < 0.01
        assert (
            abs(group.mean(0) - centre).max() < 0.01
            and abs(group.std(0) / width - 1).max() < 0.05
        )
    for name, bad in (
        ("layout", (9, np.random.default_rng(1), "A")),
        ("size", (0, np.random.default_rng(1))),
        ("rng", (9, 1)),
    ):
        with pytest.raises(ValueError, match=name):
            data.sato1999(*bad)


def test_where_p_is_nothing_q_plays_no_part():
    log_p, log_q = (
        np.array([0.0, -800.0]),
        np.array([[-1.0, -np.inf], [-2.0, -5.0], [np.nan, np.nan]]),
    )
    found = divergence_on_grid(log_p, log_q, 1.0)
    assert found[:2].tolist() == [1.0, 2.0] and np.isnan(found[2])


def test_the_divergence_is_a_bound_on_weighted_data():
    """To the engine, the grid is data with weights p cell: entropy and ELBO give the same
    divergence; and it falls from a poor start to the estimates from many data."""
    family = IsotropicGaussian([0.5, 0.5], 1.0, 1.0, 1.0)
    mixture, log_p = Mixture(family, Dirichlet(0.0), clones=EM), truth("irregular")
    X, labels = data.sato1999(5000, np.random.default_rng(3), "irregular")
    start = init_uniform(mixture, 4, 5000, np.random.default_rng(2))
    found = []
    for S in (start, fit_batch(mixture, X, mixture.m_step(X, np.eye(4)[labels])).S):
        weights, (centres, covariances) = mixture.parameters(S)
        log_q = isotropic_log_density(POINTS, weights, centres, covariances[:, 0, 0])
        close(log_q, mixture.log_predictive(POINTS, S), rtol=1e-8)
        found.append(divergence_on_grid(log_p, log_q, CELL))
        p = np.exp(log_p) * CELL
        close(found[-1], p @ log_p - mixture.elbo(POINTS, S, weights=p), rtol=1e-8)
    assert found[0] > 0.3 and 0 < found[1] < 0.005
