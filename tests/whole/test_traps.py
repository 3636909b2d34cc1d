"""Traps in which a user got a wrong number, or none, without a word."""

from dataclasses import dataclass

import mpmath
import numpy as np
import pytest
from oracles import close
from scipy.special import digamma, gammaln

from vbkit.factorization import Factorization, fit, fit_map, init_random, validate
from vbkit.families import (
    Family,
    IsotropicGaussian,
    KnownCovariance,
    NormalWishart,
    check_family,
)
from vbkit.families.splits import candidate_sides
from vbkit.labels import Dirichlet
from vbkit.learning import (
    accumulation,
    batch_epochs,
    fit_batch,
    fit_online,
    init_gaussian,
)
from vbkit.mixture import Mixture
from vbkit.structure import responsibility_statistics, run_search, start_search

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2)) + 4 * np.arange(60)[:, None] % 8
M = Mixture(NormalWishart([0, 0], 1.0, 3.0, np.eye(2)))
S = init_gaussian(M, X, 3, np.random.default_rng(1))


@dataclass(frozen=True, eq=False)
class Counts(Family):
    """Independent Poisson columns, whose rates are gamma variables (0.5, 0.3)."""

    dimension: int = 1
    base: float = 1.0

    def check_data(self, X):
        X = super().check_data(X)
        if (X < 0).any() or (X % 1 != 0).any():
            raise ValueError("X must be whole numbers >= 0")
        return X

    def statistics(self, X):
        return np.column_stack([np.ones(len(X)), X])

    def log_normalizer(self, S):
        a, b = 0.5 + S[..., 1:], 0.3 + S[..., :1]
        return (gammaln(a) - a * np.log(b)).sum(axis=-1)

    def expected(self, S):
        a, b = 0.5 + S[:, 1:], 0.3 + S[:, :1]
        return np.column_stack([-(a / b).sum(axis=1), digamma(a) - np.log(b)])

    def log_base(self, X):
        return -self.base * gammaln(X + 1).sum(axis=1)


@dataclass(frozen=True, eq=False)
class Forgetful(Family):
    """A unit Gaussian measured from a centre of its own, which it may forget to state as origin."""

    centre: float = 1.0
    states: bool = False
    dimension = 1

    @property
    def origin(self):
        return np.full(1, self.centre if self.states else 0.0)

    def statistics(self, X):
        return np.column_stack([np.ones(len(X)), X[:, 0] - self.centre])

    def log_normalizer(self, S):
        return 0.5 * (S[..., 1] ** 2 / (1 + S[..., 0]) - np.log(1 + S[..., 0]))

    def expected(self, S):
        m, v = S[:, 1] / (1 + S[:, 0]), 1 / (1 + S[:, 0])
        return np.column_stack([-0.5 * (m**2 + v), m])

    def log_base(self, X):
        return -0.5 * ((X[:, 0] - self.centre) ** 2 + np.log(2 * np.pi))


def test_what_was_observed_is_the_mixtures_own():
    data, w, start, V = X.copy(), np.ones(60), np.array(S), X.copy()
    seen, epochs, matrix = M.observe(data, w), batch_epochs(M, data, start), validate(V)
    search = start_search(M, data, start, np.random.default_rng(0))
    stats, before = responsibility_statistics(M, data, start), M.elbo(X, S)
    next(epochs)
    for array in (data, w, start, V):
        array[:] = 7.0
    assert (
        M.elbo(seen, S) == before
        and next(epochs)[1] == fit_batch(M, X, S, max_epochs=1).elbo
    )
    assert (stats.at == S).all() and (matrix.V == X).all()
    close(
        run_search(search, 3).best.elbo,
        run_search(start_search(M, X, S, np.random.default_rng(0)), 3).best.elbo,
    )


def test_data_of_another_family_object_are_checked_again():
    class Above(Counts):
        def check_data(self, X):
            if (np.asarray(X) < self.base).any():
                raise ValueError(f"X must be >= {self.base}")
            return super().check_data(X)

    seen = Mixture(Above()).observe([[1.0], [2.0]])
    Mixture(Above()).elbo(seen, np.zeros((1, 2)))
    with pytest.raises(ValueError, match="X must be >= 2"):
        Mixture(Above(1, 2.0)).elbo(seen, np.zeros((1, 2)))
    other = Mixture(NormalWishart([5, 5], 1.0, 3.0, np.eye(2)))
    nothing = np.zeros((3, 6))
    assert other.elbo(M.observe(X), nothing) == other.elbo(X, nothing)


@pytest.mark.parametrize("far", [1e6, 1e8, 1e10])
def test_a_known_covariance_says_where_its_digits_end(far):
    """The exact log evidence is that of the same data measured from a prior mean beside them."""
    wide, rows, R = (
        Mixture(KnownCovariance([0.0], 1e30)),
        np.arange(4.0)[:, None],
        np.ones((4, 1)),
    )
    state, near = wide.m_step(far + rows, R), wide.m_step(rows, R)
    exact = wide.log_predictive(rows, near)
    close(wide.log_predictive(far + rows, state), exact, atol=1e-6)
    if far == 1e6:
        close(wide.elbo(far + rows, state), wide.elbo(rows, near), atol=0.02)
        return
    for use in (
        wide.elbo,
        wide.responsibilities,
        lambda X, S: fit_online(wide, X, S, accumulation(), monitor=False),
    ):
        with pytest.raises(
            ValueError, match="component 0 .*too far from the prior mean"
        ):
            use(far + rows, state)


@pytest.mark.parametrize("count", [1e6, 1e10, 1e12, 1e14, 1e17])
@pytest.mark.parametrize("rate", [0.0, 3.0])
def test_the_default_predictive_density_keeps_its_digits(count, rate):
    def A(count, total):
        a = mpmath.mpf(0.5) + total
        return mpmath.loggamma(a) - a * mpmath.log(mpmath.mpf(0.3) + count)

    x = np.array([[0.0], [1.0], [4.0], [60.0]])
    found = Counts().log_predictive(np.array([[count, rate * count]]), x)[0]
    with mpmath.workdps(60):
        value = A(mpmath.mpf(count), mpmath.mpf(rate * count))
        exact = [
            float(A(mpmath.mpf(count) + 1, rate * mpmath.mpf(count) + t) - value)
            for t in x[:, 0]
        ]
    close(found, exact - gammaln(x[:, 0] + 1), rtol=1e-9, atol=1e-7)


def test_check_family_asks_for_the_origin():
    rows = RNG.normal(size=(40, 1))
    check_family(Forgetful(states=True), rows)
    with pytest.raises(ValueError, match="Forgetful: .*`origin` must be centre"):
        check_family(Forgetful(), rows)


def test_check_family_asks_for_the_origin_in_the_plane():
    class Careless(IsotropicGaussian):
        origin = np.zeros(2)

    with pytest.raises(ValueError, match="Careless: .*`origin` must be mean"):
        check_family(Careless([1.0, 2.0], 1.0, 2.0, 1.0), X)


def test_check_family_sums_counts_on_a_line():
    x = RNG.poisson(3.0, (40, 1))
    check_family(Counts(), x)
    with pytest.raises(ValueError, match="adds up to"):
        check_family(Counts(base=0.9), x)


def test_check_family_sums_counts_in_several_dimensions():
    rows = RNG.poisson([3.0, 9.0], (200, 2)).astype(float)
    check_family(Counts(2), rows)
    with pytest.raises(ValueError, match="the predictive density adds up to"):
        check_family(Counts(2, base=0.9), rows)


def test_check_family_tries_the_compiled_density():
    class Wrong(IsotropicGaussian):
        packed_hyperparameters = np.array([1.0, 2.0, 3.0])

    with pytest.raises(ValueError, match="Wrong: compiled_density"):
        check_family(Wrong([0, 0], 1.0, 2.0, 1.0), X)


def test_rows_of_weight_0_do_not_tell_splits_apart():
    r = np.where(np.arange(60) < 6, 0.5, 0.0)
    r[:50] = 0.0
    r[[0, 20, 40]] = 1.0
    sides = [side[r > 0] for side in candidate_sides(M.family, X, r)]
    assert (
        len(sides)
        == len({min(side.tobytes(), (~side).tobytes()) for side in sides})
        <= 3
    )


def test_six_directions_of_wide_data_are_tried():
    """Three of the data and three of standardised columns, for a family of whom no statistic is
    left."""
    wide = np.random.default_rng(1).normal(size=(60, 8)) * np.arange(1, 9)
    family = KnownCovariance(np.zeros(8), 1.0)
    sides = [*candidate_sides(family, wide, np.ones(60))]
    x = wide - wide.mean(axis=0)
    wanted = [x @ np.linalg.eigh(x.T @ x)[1][:, -k] > 0 for k in (1, 2, 3)]
    x = x / x.std(axis=0)
    wanted += [x @ np.linalg.eigh(x.T @ x)[1][:, -k] > 0 for k in (1, 2, 3)]
    assert len(sides) == 6
    for side, want in zip(sides, wanted, strict=True):
        assert np.array_equal(side, want) or np.array_equal(side, ~want)


def test_a_scatter_without_a_factor_is_refused_whatever_its_eigenvalues(monkeypatch):
    """Near singularity, rounding may leave all eigenvalues above 0 where the factor fails."""

    def fails(_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(np.linalg, "cholesky", fails)
    with pytest.raises(ValueError, match="component"):
        M.family.expected(np.asarray(S))


def test_the_largest_concentration_leaves_six_decimals_of_the_elbo():
    """Weights that cannot move: the ELBO is that of equal known weights."""
    family, R = KnownCovariance([0, 0], 1.0), np.full((60, 2), 0.5)
    mixture = Mixture(family, Dirichlet(1e8))
    state = mixture.m_step(X, R)
    W = family.expected(state)
    divergence = float(
        (state * W).sum()
        - (family.log_normalizer(state) - family.log_normalizer(0 * state)).sum()
    )
    logs = family.statistics(X) @ W.T + family.log_base(X)[:, None] - np.log(2)
    close(
        mixture.elbo(X, state),
        np.logaddexp(*logs.T).sum() - divergence,
        rtol=0,
        atol=2e-5,
    )


def test_a_covariance_of_factors_is_one():
    start = init_random(X[:8], 2, np.random.default_rng(0))
    for wrong in ([[1, 2], [2, 1]], [[1, 0.5], [0, 1]]):
        for cov in (np.array(wrong, float), np.tile(np.array(wrong, float), (2, 1, 1))):
            with pytest.raises(
                ValueError, match="cov_A must be symmetric and have no negative"
            ):
                Factorization(start.A, start.B, cov, start.cov_B, 1.0, 1.0, 1.0)
    start.replace(cov_A=np.zeros((2, 2)), cov_B=np.diag([1e-30, 0]))


def test_a_fit_from_a_point_says_why_not():
    V = X[:8]
    with pytest.raises(ValueError, match=r"start has a singular covariance.*fit_map"):
        fit(V, fit_map(V, init_random(V, 1, np.random.default_rng(0))))
