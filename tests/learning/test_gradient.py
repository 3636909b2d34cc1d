"""Online gradient ascent (Sato 1999, 44): the gradient, the compiled loop, breakdown;
online EM as one (28)."""

import numpy as np
import pytest
from oracles import close, gradient
from scipy import stats
from scipy.special import logsumexp, softmax

from vbkit import data
from vbkit.compiled.ascent import plain_ascent
from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.learning import (
    Schedule,
    accumulation,
    fit_gradient,
    fit_online,
    reciprocal,
    sato1999,
)
from vbkit.learning.gradient import WIDTHS, ascend
from vbkit.mixture import EM, Mixture
from vbkit.theory import isotropic_log_density

pytestmark = pytest.mark.filterwarnings("error")
kinds = pytest.mark.parametrize("kind", WIDTHS)


def reference_ascent(X, rates, theta, kind):
    theta = theta.copy()
    plain_ascent(X, rates, theta, WIDTHS[kind].constant)
    return theta


X = data.sato1999(200, np.random.default_rng(1))[0]
RNG = np.random.default_rng(0)
START = {
    "weights": [0.2, 0.3, 0.5],
    "centres": RNG.uniform(size=(3, 2)),
    "widths": [0.2, 0.3, 0.25],
}


def theta_of(rng, K, D, kind):
    sigma = rng.uniform(0.3, 1.5, K)
    return np.column_stack(
        [rng.normal(size=K), rng.normal(size=(K, D)), WIDTHS[kind].from_sigma(sigma)]
    )


def log_density(x, theta, kind):
    """log p(x | theta) of one data point, by SciPy's normal density."""
    sd = {
        "sigma": lambda v: v,
        "variance": np.sqrt,
        "log variance": lambda v: np.exp(v / 2),
    }[kind](theta[:, -1])
    parts = stats.norm.logpdf(x, theta[:, 1:-1], sd[:, None]).sum(axis=1)
    return logsumexp(parts + np.log(softmax(theta[:, 0])))


def likelihood(fit, X):
    return isotropic_log_density(X, fit.weights, fit.centres, fit.variances).sum(
        axis=-1
    )


# ---- the gradient and the loop -------------------------------------------------------------------


@kinds
@pytest.mark.parametrize("D, K", [(1, 1), (2, 4), (3, 9), (5, 17)])
def test_a_step_is_the_gradient(kind, D, K):
    rng = np.random.default_rng(D)
    theta, x = theta_of(rng, K, D, kind), rng.normal(size=D)
    expected = gradient(lambda th: log_density(x, th, kind), theta)
    for eta in (1.0, 1e-3):
        one = x[None], np.array([eta]), theta, kind
        for after in (ascend(*one)[0], reference_ascent(*one)):
            close((after - theta) / eta, expected, rtol=1e-7, atol=1e-8)


@kinds
@pytest.mark.parametrize("D, K", [(1, 1), (2, 4), (2, 8), (3, 9), (2, 20)])
def test_the_compiled_loop_is_numpys(kind, D, K):
    """Also where all densities of a data point are 0, 1e5 widths away."""
    rng = np.random.default_rng(K)
    theta, rates, rows = (
        theta_of(rng, K, D, kind),
        rng.uniform(0, 0.01, 300),
        rng.normal(size=(300, D)),
    )
    after, done = ascend(rows, rates, theta, kind)
    close(after, reference_ascent(rows, rates, theta, kind), rtol=1e-11)
    assert done == 300 and abs(after - theta).max() > 0.05
    rows[7], rates[7] = 1e5, 1e-13
    close(
        ascend(rows, rates, theta, kind)[0],
        reference_ascent(rows, rates, theta, kind),
        rtol=1e-9,
    )


def test_the_smallest_weights():
    theta = np.column_stack(
        [np.log([1e-100, 1e-100, 1.0]) + 100, RNG.uniform(size=(3, 2)), [0.2, 0.3, 0.4]]
    )
    rates = np.full(200, 1e-3)
    close(
        ascend(X, rates, theta, "sigma")[0],
        reference_ascent(X, rates, theta, "sigma"),
        rtol=1e-11,
    )
    start = START | {"weights": [1e-100, 1e-100, 1.0]}
    close(
        fit_gradient(X, **start, schedule=reciprocal(1.0, 1e-4, 0.1)).weights[1],
        [0, 0, 1],
    )


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_densities_beyond_floating_point(scale):
    """In six dimensions, of 1e360 and 1e-360."""
    theta = np.column_stack(
        [
            np.zeros(3),
            scale * RNG.normal(size=(3, 6)),
            scale * np.array([0.7, 1.0, 1.3]),
        ]
    )
    rows, rates = (
        scale * RNG.normal(size=(20, 6)),
        np.full(20, 0.01 * min(1.0, scale**2)),
    )
    after, done = ascend(rows, rates, theta, "sigma")
    close(after / scale, reference_ascent(rows, rates, theta, "sigma") / scale)
    assert done == 20 and not (after == theta).all()


@pytest.mark.long
@kinds
def test_small_rates_climb(kind):
    """The likelihood of all data rises every epoch,
    at first by the squared length of its gradient."""
    schedule = reciprocal(1.0, 1e-7, 0.0)
    fit = fit_gradient(X, **START, schedule=schedule, parametrisation=kind, epochs=20)
    trace = likelihood(fit, X)
    assert fit.diverged is None and (np.diff(trace) > 0).all()
    logits = np.log(START["weights"])
    theta = np.column_stack(
        [logits, START["centres"], WIDTHS[kind].from_sigma(np.array(START["widths"]))]
    )
    slope = gradient(lambda th: sum(log_density(x, th, kind) for x in X), theta)
    close(np.diff(trace)[0], 1e-7 * (slope**2).sum(), rtol=0.02)


@kinds
def test_what_a_fit_holds(kind):
    """The start first; a cut at an epoch changes nothing; the order is the generator's;
    arguments are left alone."""
    kept = {name: np.array(value) for name, value in START.items()}
    eta0 = 1e-5 if kind == "variance" else 1e-3
    schedule = reciprocal(5.0, eta0, 0.1)
    whole = fit_gradient(X, **START, schedule=schedule, parametrisation=kind, epochs=3)
    assert (
        whole.weights.shape == (4, 3)
        and whole.centres.shape == (4, 3, 2)
        and whole.variances.shape == (4, 3)
    )
    for ours, theirs in zip(
        (whole.weights, whole.centres, whole.variances**0.5), kept.values(), strict=True
    ):
        close(ours[0], theirs)
    close(whole.weights.sum(1), 1)
    first = fit_gradient(X, **START, schedule=schedule, parametrisation=kind, epochs=2)
    now = first.weights[-1], first.centres[-1], first.variances[-1] ** 0.5
    second = fit_gradient(X, *now, first.schedule, parametrisation=kind)
    close(second.centres[-1], whole.centres[-1], rtol=1e-11)
    assert second.schedule == whole.schedule == schedule.learning_rates(600)[1]
    assert "diverged=None" in repr(first) and len(repr(first)) < 200
    shuffled = fit_gradient(
        X,
        **START,
        schedule=schedule,
        parametrisation=kind,
        rng=np.random.default_rng(3),
    )
    rows = X[np.random.default_rng(3).permutation(len(X))]
    again = fit_gradient(rows, **START, schedule=schedule, parametrisation=kind)
    assert (shuffled.centres == again.centres).all() and not (
        shuffled.centres[1] == whole.centres[1]
    ).all()
    assert all((kept[name] == np.array(START[name])).all() for name in kept)
    eta = reciprocal(1.0, eta0, 0.1).learning_rates(200)[0]
    theta = np.column_stack(
        [
            np.log(kept["weights"]),
            kept["centres"],
            WIDTHS[kind].from_sigma(kept["widths"]),
        ]
    )
    close(whole.centres[1], reference_ascent(X, eta, theta, kind)[:, 1:-1], rtol=1e-10)


# ---- breakdown -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, eta0",
    [("sigma", 0.3), ("variance", 0.01), ("log variance", 0.9999), ("sigma", 0.99)],
)
def test_large_rates_break_down(kind, eta0):
    fit = fit_gradient(
        X, **START, schedule=reciprocal(1.0, eta0, 0.0), parametrisation=kind, epochs=20
    )
    assert 1 <= fit.diverged <= 20  # when depends on the last digits
    for history in (fit.weights, fit.centres, fit.variances):
        assert (
            np.isfinite(history[: fit.diverged]).all()
            and np.isnan(history[fit.diverged :]).all()
        )
    early = fit_gradient(
        X,
        **START,
        schedule=reciprocal(1.0, eta0, 0.0),
        parametrisation=kind,
        epochs=fit.diverged - 1,
    )
    assert early.diverged is None and early.schedule == fit.schedule


def test_each_kind_of_breakdown():
    one = {"weights": [1.0], "centres": [[0.0]], "widths": [1.0]}

    def broken(rows, eta, kind, **change):
        rows = np.array(rows, dtype=float)[:, None]
        fit = fit_gradient(
            rows,
            **(one | change),
            schedule=reciprocal(1.0, eta, 0.0),
            parametrisation=kind,
        )
        return fit.diverged == 1

    assert broken(
        [0.0, 1.0], 0.9999, "variance", widths=[0.5]
    )  # to a variance of .25 - .9999 * 2 < 0
    assert broken(
        [0.1], 0.5, "sigma", widths=[0.5]
    )  # to a width of .5 - .5 * 1.92 < 0, at the last data point
    assert not broken([0.1], 0.2, "sigma", widths=[0.5])
    assert broken([1e9], 0.5, "log variance")  # a log variance of 1e17
    assert broken([1e90, 1.0], 0.5, "log variance")  # a log variance of 1e179
    assert broken(
        [1e70], 1e-300, "sigma", widths=[1e-90]
    )  # 1e160 widths away: no density, not even its log
    for eta, kind in (
        (0.01, "sigma"),
        (2e-4, "variance"),
    ):  # sigma^2 / D and 2 sigma^4 / D in one dimension
        assert broken([0.0], 1.001 * eta, kind, widths=[0.1]) and not broken(
            [0.0], 0.999 * eta, kind, widths=[0.1]
        )
    two = {"weights": [0.5, 0.5], "centres": [[0.5], [0.4]], "widths": [0.02, 0.9]}
    assert broken(
        [0.0, 1.0, 0.45], 0.2, "log variance", **two
    )  # a narrow component is thrown out of sight


# ---- online EM -----------------------------------------------------------------------------------


def complete(phi, K, D):
    """Weights, centres, variances of the expectation parameters: counts of all components but the
    last, then E[z_k x] and E[z_k |x|^2]. With the last count, 1 minus the others, the family (11)
    would not be minimal."""
    n = np.append(phi[: K - 1], 1 - phi[: K - 1].sum())
    m = phi[K - 1 : K - 1 + K * D].reshape(K, D) / n[:, None]
    return n, m, (phi[K - 1 + K * D :] / n - (m**2).sum(1)) / D


def cross_entropy(phi, at, K, D):
    """E log P(x, z | phi) under the parameters of `at`;
    minus its Hessian there is the Fisher matrix V (13b, 14b)."""
    (pi, m, v), (n, centre, variance) = complete(phi, K, D), complete(at, K, D)
    square = D * variance + ((centre - m) ** 2).sum(1)
    return n @ (np.log(pi) - D / 2 * np.log(2 * np.pi * v) - square / (2 * v))


@pytest.mark.parametrize("D, K, eta", [(1, 2, 0.3), (2, 3, 0.01)])
def test_on_line_em_is_a_gradient_with_the_inverse_fisher_matrix(D, K, eta):
    """(28): the step in the expectation parameters is eta V^-1 dL(x)/dphi,
    all by finite differences but the step."""
    rng, T = np.random.default_rng(K), 50.0
    mixture = Mixture(
        IsotropicGaussian(np.zeros(D), 1.0, 1.0, 1.0), Dirichlet(0.0), clones=EM
    )
    counts, centres = T * rng.dirichlet(np.full(K, 3.0)), rng.normal(size=(K, D))
    S = mixture.family.state(
        counts, centres, rng.uniform(0.5, 1.5, (K, 1, 1)) * np.eye(D)
    )
    x = rng.normal(size=(1, D))

    def coordinates(S):
        return np.concatenate([S[:-1, 0], S[:, 1:-1].ravel(), S[:, -1]]) / T

    def log_p(phi):
        return isotropic_log_density(x, *complete(phi, K, D))[0]

    phi = coordinates(S)
    after = coordinates(fit_online(mixture, x, S, sato1999(T, learning_rate=eta)).S)

    def slope(f):
        return lambda p: gradient(f, p, step=4e-4)

    V = -slope(slope(lambda p: cross_entropy(p, phi, K, D)))(phi)
    assert (
        np.linalg.eigvalsh((V + V.T) / 2).min() > 0
        and abs(V - V.T).max() < 1e-5 * abs(V).max()
    )
    close(
        after - phi,
        eta * np.linalg.solve(V, slope(log_p)(phi)),
        rtol=1e-5,
        atol=1e-6 * eta,
    )


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, value",
    [("X", v) for v in ([[np.nan, 0]], [[1e101, 0]], np.zeros((0, 2)), "a")]
    + [
        ("weights", v)
        for v in (
            [0.5, 0.5],
            [0.5, 0.5, 0],
            [1, 1e-101, 0.0],
            [0.5, 0.4, 0.3],
            [np.nan, 0.5, 0.5],
            1.0,
        )
    ]
    + [("centres", v) for v in (np.zeros((3, 3)), np.zeros(3), np.full((3, 2), np.inf))]
    + [("widths", v) for v in ([1, 1], [1, 1, 0], [1, 1, -1], [1, 1, np.nan], 0.1)]
    + [("parametrisation", v) for v in ("precision", None, 1)]
    + [("epochs", v) for v in (-1, 1.5, None)]
    + [("rng", 1)],
)
def test_bad_input(name, value):
    arguments = {"X": X, **START, "schedule": reciprocal(1.0, 1e-4, 0.1), name: value}
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        fit_gradient(**arguments)


def test_a_centre_may_leave_the_data_a_little():
    """A large step past the last data point is no divergence, above them and below."""
    for sign in (1.0, -1.0):
        schedule = Schedule(memory=9.0, forgetting_rate=0.0, decay=0.0)
        x = sign * np.array([[1.0], [0.5]])
        fit = fit_gradient(x, [1.0], [[0.0]], [0.2], schedule)
        assert fit.diverged is None and 1 < sign * fit.centres[-1, 0, 0] < 3


def test_a_centre_may_leave_the_box_by_ten_diagonals():
    """One step of rate 1 takes the centre from 0 to 1 / sigma^2; the box is from 0 to 1."""
    for reach, diverged in ((10.9, None), (11.1, 1)):
        start = [1.0], [[0.0]], [reach**-0.5]
        fit = fit_gradient(
            [[1.0]], *start, accumulation(), parametrisation="log variance"
        )
        assert fit.diverged == diverged
