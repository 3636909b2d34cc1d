"""Does a family keep its contract? What is tested is what batch and online learning, the ELBO and
predictions need."""

import numpy as np
from scipy.special import gammaln, logsumexp

from vbkit.families.base import Family

DRAWS = 20_000  # from `sample`, and of points over which the predictive density is summed
ERRORS = 5.0  # standard errors that are allowed
PATTERNS = 12  # binary data of at most so many columns are enumerated


def check_family(family: Family, X) -> None:
    """Test a conjugate family on data X (N, D) that it is meant for, some twenty rows or more, not
    all equal.

    Tests that statistics are finite, row by row and begin with 1; that `expected` is the gradient
    of `log_normalizer` (by finite differences along the data); that the predictive density is the
    difference of two log-normalisers and adds up to 1; that a batch ELBO never falls; that
    `sample`, if there is one, has the moments of that density. The sums run over the whole numbers
    (D = 1), all binary rows (D <= 12) or, for other real data, random points. Raises ValueError
    with a sentence on the first thing that is wrong.
    """
    if not isinstance(family, Family):
        raise ValueError(f"family is {family!r}; it must be a Family")
    X, rng = family.check_data(X), np.random.default_rng(0)
    if len(X) < 10:
        raise ValueError(f"X has {len(X)} rows; the tests need at least 10")
    T = _check_statistics(family, X)
    S = rng.uniform(0.2, 1.0, (2, len(X))) @ T
    _check_gradient(family, S, T[:20])
    _check_elbo(family, X, T, rng)
    _check_predictive(family, S, X[:20], T[:20])
    points = _points(family, X, rng)
    if points is not None:
        _check_sums(family, S[0], *points, rng)


def _require(holds, message: str, family: Family) -> None:
    if not holds:
        raise ValueError(f"{type(family).__name__}: {message}")


def _check_statistics(family: Family, X) -> np.ndarray:
    T = np.asarray(family.statistics(X))
    shape = len(X), family.n_statistics
    _require(T.shape == shape, f"statistics has shape {T.shape}; it must be {shape}", family)
    _require(np.isfinite(T).all(), "statistics are not all finite", family)
    _require((T[:, 0] == 1).all(), "the first column of statistics must be 1", family)
    alone = np.concatenate([family.statistics(X[n : n + 1]) for n in range(len(X))])
    message = "the statistics of a row depend on the other rows, so they do not add up over data"
    _require(np.allclose(alone, T, rtol=1e-9, atol=1e-12 * abs(T).max()), message, family)
    base = family.log_base(X)
    message = f"log_base must be None or of shape {(len(X),)}"
    _require(base is None or np.shape(base) == (len(X),), message, family)
    return T


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
        worst = np.abs(slope - T @ w) - rounding - 1e-5 * (1 + np.abs(T * w).sum(axis=1))
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
        elbo = logsumexp(L, axis=1).sum() - divergence + (0.0 if base is None else base.sum())
        message = f"the batch ELBO is {elbo} in epoch {epoch}, after {before}; it must never fall"
        _require(elbo > before - 1e-9 * max(1.0, abs(elbo)), message, family)
        before, R = elbo, np.exp(L - logsumexp(L, axis=1, keepdims=True))


def _check_predictive(family: Family, S, X, T) -> None:
    A, base = family.log_normalizer, family.log_base(X)
    plain = A(S[:, None] + T) - A(S)[:, None] + (0.0 if base is None else base)
    found = np.asarray(family.log_predictive(S, X))
    message = "log_predictive(S, X) must have shape (K, n) and be the difference of log-normalisers"
    close = found.shape == plain.shape and np.allclose(found, plain, rtol=1e-7, atol=1e-7)
    _require(close, message, family)


def _points(family: Family, X, rng):
    """Possible data (m, D) and what each stands for, (m,), in a sum over all data; and whether it
    was drawn. None for whole numbers in several dimensions, which are too many."""
    X = np.asarray(X, dtype=float)
    D, drawn = X.shape[1], False
    if np.isin(X, (0, 1)).all() and D <= PATTERNS:
        points = np.indices((2,) * D).reshape(D, -1).T
        volumes = np.ones(len(points))
    elif (np.round(X) == X).all():
        if D > 1:
            return None
        reach = 60 * (X.std() + 1)
        points = np.arange(X.min() - reach, X.max() + reach)[:, None].round()
        volumes = np.ones(len(points))
    else:  # importance sampling from a Cauchy density about the data
        drawn, covariance = True, np.cov(X.T).reshape(D, D)
        root = np.linalg.cholesky(covariance + 1e-6 * np.diag(covariance.diagonal()))
        z = rng.standard_normal((DRAWS, D)) / np.abs(rng.standard_normal((DRAWS, 1)))
        points, half = X.mean(axis=0) + z @ root.T, (D + 1) / 2
        log_q = gammaln(half) - half * (np.log(np.pi) + np.log1p((z**2).sum(axis=1)))
        volumes = root.diagonal().prod() * np.exp(-log_q) / DRAWS
    possible = np.array([_possible(family, x) for x in points])
    return points[possible], volumes[possible], drawn


def _possible(family: Family, x) -> bool:
    try:
        family.check_data(x[None])
    except ValueError:
        return False
    return True


def _check_sums(family: Family, S, points, volumes, drawn: bool, rng) -> None:
    """The total of the predictive density, and the moments of draws from it."""
    points = family.check_data(points)
    mass = volumes * np.exp(family.log_predictive(S[None], points)[0])
    total, error = mass.sum(), np.sqrt((mass**2).sum()) if drawn else 0.0
    cause = "log_base or log_normalizer is wrong, or check_data lets impossible data pass"
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
