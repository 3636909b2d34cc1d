"""Does a family keep its contract? What is tested is what batch and online learning, the ELBO and
predictions need."""

import numpy as np
from scipy.special import logsumexp

from vbkit.checks import as_instance
from vbkit.compiled.online import log_densities
from vbkit.families.base import Family
from vbkit.families.check_points import DRAWS, points_of

EFFECTIVE = 1000  # points that must carry the sum at least, else it is left out
ERRORS = 5.0  # standard errors that are allowed


def check_family(family: Family, X) -> None:
    """Test a conjugate family on data X (N, D) that it is meant for, some twenty rows or more, not
    all equal.

    Tests that statistics are finite, row by row and begin with 1; that `expected` is the gradient
    of `log_normalizer` (by finite differences along the data); that the predictive density is the
    difference of two log-normalisers and adds up to 1; that a batch ELBO never falls; that
    `sample`, if there is one, has the moments of that density; that `value_and_gradient` and
    `block_statistics` say what the plain functions say, and so does `compiled_density`, if there is
    one; that `origin` is the hyperparameter from which data are measured, if there is one. The sums
    run over whole numbers (D = 1), all rows of categories (if at most 4,096) or random points, by
    what `check_data` lets pass. They are left out for a constant column, and where too few random
    points count. Raises ValueError with a sentence on the first thing that is wrong.
    """
    as_instance("family", family, Family)
    X, rng = family.check_data(X), np.random.default_rng(0)
    if len(X) < 10:
        raise ValueError(f"X has {len(X)} rows; the tests need at least 10")
    T = _check_statistics(family, X)
    S = rng.uniform(0.2, 1.0, (2, len(X))) @ T
    _check_origin(family, X, T)
    _check_shortcuts(family, S, X, T)
    _check_gradient(family, S, T[:20])
    _check_elbo(family, X, T, rng)
    _check_predictive(family, S, X[:20], T[:20])
    points = points_of(family, X, rng)
    if points is not None:
        _check_sums(family, S[0], *points, rng)


def _require(holds, message: str, family: Family) -> None:
    if not holds:
        raise ValueError(f"{type(family).__name__}: {message}")


def _check_statistics(family: Family, X) -> np.ndarray:
    T = np.asarray(family.statistics(X))
    message = "statistics(X) must be (N, P), also for no rows at all (N = 0)"
    try:
        shape = len(X), family.n_statistics
    except (ValueError, IndexError, AttributeError) as error:
        raise ValueError(f"{type(family).__name__}: {message}: {error}") from None
    _require(
        T.shape == shape, f"statistics has shape {T.shape}; it must be {shape}", family
    )
    _require(np.isfinite(T).all(), "statistics are not all finite", family)
    _require((T[:, 0] == 1).all(), "the first column of statistics must be 1", family)
    alone = np.concatenate([family.statistics(X[n : n + 1]) for n in range(len(X))])
    message = "the statistics of a row depend on the other rows, so they do not add up over data"
    _require(
        np.allclose(alone, T, rtol=1e-9, atol=1e-12 * abs(T).max()), message, family
    )
    base = family.log_base(X)
    message = f"log_base must be None or of shape {(len(X),)}"
    _require(base is None or np.shape(base) == (len(X),), message, family)
    return T


def _check_origin(family: Family, X, T) -> None:
    """A family that measures data from a hyperparameter of its own says so in `origin`."""
    fields = {
        name: getattr(family, name) for name in getattr(family, "__match_args__", ())
    }
    for name, value in fields.items():
        if (
            np.shape(value) not in ((), (1,), (X.shape[1],))
            or np.asarray(value).dtype.kind != "f"
        ):
            continue
        try:
            other = type(family)(**fields | {name: value + 0.5})
        except ValueError:  # not allowed for this hyperparameter
            continue
        moves = not np.array_equal(other.statistics(X), T)
        moves = moves and np.allclose(
            other.statistics(X + 0.5), T, atol=1e-9 * abs(T).max()
        )
        message = f"statistics measure data from {name}, so `origin` must be {name}"
        _require(
            not moves or not np.array_equal(other.origin, family.origin),
            message,
            family,
        )


def _check_shortcuts(family: Family, S, X, T) -> None:
    """What a family may offer for speed says the same as its plain functions."""
    value, gradient = family.value_and_gradient(S)
    plain = family.log_normalizer(S), family.expected(S)
    same = np.allclose(value, plain[0], rtol=1e-9) and np.allclose(
        gradient, plain[1], rtol=1e-9
    )
    _require(same, "value_and_gradient must be log_normalizer and expected", family)
    block = family.block_statistics(X)
    block = block if isinstance(block, np.ndarray) else block.toarray()
    same = block.shape == T.shape and np.allclose(block, T, rtol=1e-5)
    _require(same, "block_statistics must be statistics, but for their type", family)
    if family.compiled_density is not None:
        rows = T[:20]
        density = log_densities(family, rows, S)
        same = np.allclose(density, plain[1] @ rows.T, rtol=1e-7, atol=1e-7)
        message = "compiled_density must be statistics times expected, with packed_hyperparameters"
        _require(same, message, family)


def _check_gradient(family: Family, S, T) -> None:
    """Fourth-order differences of `log_normalizer` along the statistics of data, where it must
    exist."""
    A, W = family.log_normalizer, np.asarray(family.expected(S))
    shapes = np.shape(A(S)), np.shape(A(S[None])), np.shape(A(S[0])), W.shape
    wanted = (2,), (1, 2), (), S.shape
    message = "log_normalizer must map (..., P) to (...), and expected (K, P) to (K, P)"
    _require(shapes == wanted, message, family)
    step = 0.01
    for s, w in zip(S, W, strict=True):
        near = A(s + step * T) - A(s - step * T)
        slope = (8 * near - A(s + 2 * step * T) + A(s - 2 * step * T)) / (12 * step)
        rounding = 1e-13 * abs(A(s)) / step
        worst = (
            np.abs(slope - T @ w) - rounding - 1e-5 * (1 + np.abs(T * w).sum(axis=1))
        )
        n = worst.argmax()
        numbers = f"{T[n] @ w:.6g} instead of {slope[n]:.6g} along the statistics of a data point"
        message = f"expected is not the gradient of log_normalizer: {numbers}"
        _require(worst[n] < 0, message, family)


def _check_elbo(family: Family, X, T, rng) -> None:
    """Batch VB of two components of equal weight."""
    R = rng.dirichlet(np.ones(2), len(X))
    base, before = family.log_base(X), -np.inf
    for epoch in range(20):
        S = R.T @ T
        W = family.expected(S)
        L = T @ W.T
        nothing = family.log_normalizer(0 * S)
        divergence = ((S * W).sum(1) - family.log_normalizer(S) + nothing).sum()
        elbo = (
            logsumexp(L, axis=1).sum()
            - divergence
            + (0.0 if base is None else base.sum())
        )
        message = f"the batch ELBO is {elbo} in epoch {epoch}, after {before}; it must never fall"
        _require(elbo > before - 1e-9 * max(1.0, abs(elbo)), message, family)
        before, R = elbo, np.exp(L - logsumexp(L, axis=1, keepdims=True))


def _check_predictive(family: Family, S, X, T) -> None:
    A, base = family.log_normalizer, family.log_base(X)
    plain = A(S[:, None] + T) - A(S)[:, None] + (0.0 if base is None else base)
    found = np.asarray(family.log_predictive(S, X))
    message = "log_predictive(S, X) must have shape (K, n) and be the difference of log-normalisers"
    close = found.shape == plain.shape and np.allclose(
        found, plain, rtol=1e-7, atol=1e-7
    )
    _require(close, message, family)


def _check_sums(family: Family, S, points, volumes, drawn: bool, rng) -> None:
    """The total of the predictive density, and the moments of draws from it."""
    points = family.check_data(points)
    mass = volumes * np.exp(family.log_predictive(S[None], points)[0])
    total, error = mass.sum(), np.sqrt((mass**2).sum()) if drawn else 0.0
    if drawn and total**2 < EFFECTIVE * (mass**2).sum():
        return  # a few points hold the whole sum: it says nothing
    cause = (
        "log_base or log_normalizer is wrong, or check_data lets impossible data pass"
    )
    message = f"the predictive density adds up to {total:.4g}, not to 1: {cause}"
    _require(abs(total - 1) < 1e-6 + ERRORS * error, message, family)
    if type(family).sample is Family.sample:
        return
    draws = family.check_data(family.sample(S, DRAWS, rng))
    T, drawn_T = family.statistics(points)[:, 1:], family.statistics(draws)[:, 1:]
    mean = mass @ T / total
    variance = drawn_T.var(axis=0) / DRAWS
    if drawn:
        variance = variance + (mass**2) @ (T - mean) ** 2
    gap = np.abs(drawn_T.mean(axis=0) - mean) - 1e-6 * (1 + np.abs(mean))
    message = "draws from sample do not have the moments of the predictive density"
    _require((gap <= ERRORS * np.sqrt(variance)).all(), message, family)
