"""The test of a family's contract: of what batch and online learning, the ELBO and
predictions need from it."""

from math import prod
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp

from vbkit.checks import as_instance
from vbkit.compiled.online import log_densities
from vbkit.families.base import Family

EFFECTIVE = 1000  # points that must carry the sum at least, else it is left out
ERRORS = 5.0  # standard errors that are allowed
DRAWS = 20_000  # random points, and draws from `sample`
OFTEN = 50  # draws of a row from which on its frequency is compared
# As `vbkit.mixture.EM`, which no family knows: so many copies of data leave a point of the
# posterior.
EM = 2.0**100
FAR = 1e6  # counts beyond it do not count
ROWS = 2**12  # categorical data of at most so many possible rows are enumerated


def check_family(family: Family, X) -> list[str]:
    """Test a conjugate family on data X (N, D) that it is meant for, some twenty rows
    or more, not all equal.

    Tests that statistics are finite, row by row and begin with 1; that `expected` is
    the gradient of `log_normalizer` (by finite differences along the data); that the
    predictive density is the difference of two log-normalisers and adds up to 1; that a
    batch ELBO never falls; that `sample`, if there is one, has the moments of that
    density; that `value_and_gradient` and `block_statistics` say what the plain
    functions say, and so does `compiled_density`, if there is one; that `origin` is the
    hyperparameter from which data are measured, if there is one. The sums run over
    whole numbers (D = 1), all rows of categories (if at most 4,096) or random points,
    by what `check_data` lets pass; where data are whole numbers, draws from `sample` come
    as often as the density says; and in the EM limit, of very many copies of the data,
    `expected` is the maximum of their likelihood.

    Returns a sentence on each test that had to be left out: the sums for a constant column,
    and where too few random points are possible or count. Raises ValueError with a
    sentence on the first thing that is wrong.
    """
    as_instance("family", family, Family)
    X = _checked_data(family, X)
    rng = np.random.default_rng(0)
    if len(X) < 10:
        raise ValueError(f"X has {len(X)} rows; the tests need at least 10")
    T = _check_statistics(family, X)
    S = rng.uniform(0.2, 1.0, (2, len(X))) @ T
    _check_origin(family, X, T)
    _check_shortcuts(family, S, X, T)
    _check_gradient(family, S, T[:20])
    _check_elbo(family, X, T, rng)
    _check_predictive(family, S, X[:20], T[:20])
    left_out = [_check_em_limit(family, S), _check_sums(family, S[0], X, rng)]
    if type(family).sample is not Family.sample:
        left_out.append(_check_frequencies(family, S[0], X, rng))
    return [sentence for sentence in left_out if sentence]


def _checked_data(family: Family, X) -> np.ndarray:
    """What `check_data` makes of X, which must be rows (N, D)."""
    D = getattr(family, "dimension", None)
    is_whole = isinstance(D, int | np.integer) and D >= 1
    _require(is_whole, f"dimension is {D!r}; it must be a whole number from 1", family)
    X = family.check_data(X)
    is_array = isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == D
    message = f"check_data must return the data as an array (N, {D})"
    _require(is_array, message, family)
    return X


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
    message = (
        "the statistics of a row depend on the other rows, so they do not add up over "
        "data"
    )
    _require(
        np.allclose(alone, T, rtol=1e-9, atol=1e-12 * abs(T).max()), message, family
    )
    base = family.log_base(X)
    message = f"log_base must be None or of shape {(len(X),)}"
    _require(base is None or np.shape(base) == (len(X),), message, family)
    return T


def _check_origin(family: Family, X, T) -> None:
    """A family that measures data from a hyperparameter of its own says so in
    `origin`."""
    names = getattr(family, "__match_args__", ())
    fields = {name: getattr(family, name) for name in names}
    for name, value in fields.items():
        may_be_a_point = np.shape(value) in ((), (1,), (X.shape[1],))
        if not may_be_a_point or np.asarray(value).dtype.kind != "f":
            continue
        try:
            other = type(family)(**fields | {name: value + 0.5})
        except ValueError:  # not allowed for this hyperparameter
            continue
        changes = not np.array_equal(other.statistics(X), T)
        moved = other.statistics(X + 0.5)
        moves_along = changes and np.allclose(moved, T, atol=1e-9 * abs(T).max())
        says_so = not np.array_equal(other.origin, family.origin)
        message = f"statistics measure data from {name}, so `origin` must be {name}"
        _require(not moves_along or says_so, message, family)


def _check_shortcuts(family: Family, S, X, T) -> None:
    """What a family may offer for speed says the same as its plain functions."""
    value, gradient = family.value_and_gradient(S)
    expected = family.expected(S)
    same_value = np.allclose(value, family.log_normalizer(S), rtol=1e-9)
    same = same_value and np.allclose(gradient, expected, rtol=1e-9)
    _require(same, "value_and_gradient must be log_normalizer and expected", family)
    if family.block_statistics is not None:
        block = family.block_statistics(X)
        if not isinstance(block, np.ndarray):
            block = block.toarray()
        same = block.shape == T.shape and np.allclose(block, T, rtol=1e-5)
        message = "block_statistics must be statistics, but for their type"
        _require(same, message, family)
    if family.compiled_density is not None:
        rows = T[:20]
        density = log_densities(family, rows, S)
        same = np.allclose(density, expected @ rows.T, rtol=1e-7, atol=1e-7)
        message = (
            "compiled_density must be statistics times expected, with "
            "packed_hyperparameters"
        )
        _require(same, message, family)


def _check_gradient(family: Family, S, T) -> None:
    """Fourth-order differences of `log_normalizer` along the statistics of data, where
    it must exist."""
    A = family.log_normalizer
    W = np.asarray(family.expected(S))
    message = "log_normalizer must map (..., P) to (...), and expected (K, P) to (K, P)"
    try:
        shapes = np.shape(A(S)), np.shape(A(S[None])), np.shape(A(S[0]))
    except (ValueError, IndexError, TypeError) as error:
        raise ValueError(f"{type(family).__name__}: {message}: {error}") from None
    fits = shapes == ((2,), (1, 2), ()) and W.shape == S.shape
    _require(fits, message, family)
    step = 0.01
    for s, w in zip(S, W, strict=True):
        near = A(s + step * T) - A(s - step * T)
        slope = (8 * near - A(s + 2 * step * T) + A(s - 2 * step * T)) / (12 * step)
        rounding = 1e-13 * abs(A(s)) / step
        allowed = rounding + 1e-5 * (1 + np.abs(T * w).sum(axis=1))
        excess = np.abs(slope - T @ w) - allowed
        n = excess.argmax()
        message = (
            f"expected is not the gradient of log_normalizer: {T[n] @ w:.6g} instead "
            f"of {slope[n]:.6g} along the statistics of a data point"
        )
        _require(excess[n] < 0, message, family)


def _check_elbo(family: Family, X, T, rng) -> None:
    """Batch VB of two components of equal weight."""
    R = rng.dirichlet(np.ones(2), len(X))
    total_log_base = _log_base(family, X).sum()
    before = -np.inf
    for epoch in range(20):
        S = R.T @ T
        W = family.expected(S)
        L = T @ W.T
        gain = family.log_normalizer(S) - family.log_normalizer(0 * S)
        divergence = ((S * W).sum(1) - gain).sum()
        elbo = logsumexp(L, axis=1).sum() - divergence + total_log_base
        message = (
            f"the batch ELBO is {elbo} in epoch {epoch}, after {before}; it must never "
            "fall"
        )
        _require(elbo > before - 1e-9 * max(1.0, abs(elbo)), message, family)
        before = elbo
        R = np.exp(L - logsumexp(L, axis=1, keepdims=True))


def _log_base(family: Family, X) -> np.ndarray:
    """The log base measure (N,) of the rows of X, 0 where the family has none."""
    log_base = family.log_base(X)
    if log_base is None:
        return np.zeros(len(X))
    return log_base


def _check_predictive(family: Family, S, X, T) -> None:
    A = family.log_normalizer
    plain = A(S[:, None] + T) - A(S)[:, None] + _log_base(family, X)
    predictive = np.asarray(family.log_predictive(S, X))
    same = predictive.shape == plain.shape
    same = same and np.allclose(predictive, plain, rtol=1e-7, atol=1e-7)
    message = (
        "log_predictive(S, X) must have shape (K, n) and be the difference of "
        "log-normalisers"
    )
    _require(same, message, family)


class Points(NamedTuple):
    """Data over which a predictive density is summed.

    rows (m, D); volumes (m,): what each row stands for in a sum over all data; drawn:
    whether they were drawn at random.
    """

    rows: np.ndarray
    volumes: np.ndarray
    drawn: bool


def _check_em_limit(family: Family, S) -> str:
    """Of very many copies of data with the statistics S (2, P), `expected` must have the
    highest likelihood <s, theta> that a parameter of the other gives, or more. Returns a
    sentence where that cannot be told."""
    try:
        W = family.expected(EM * S)
    except ValueError as error:
        return f"The EM limit was left out: {error}."
    if not np.isfinite(W).all():
        return "The EM limit was left out: some parameters are infinite there."
    likelihoods = S @ W.T
    own = likelihoods.diagonal()
    slack = 1e-9 * np.abs(likelihoods).max()
    message = "expected is no maximum of the likelihood in the EM limit (2^100 copies)"
    _require((likelihoods <= own[:, None] + slack).all(), message, family)
    return ""


def _check_sums(family: Family, S, X, rng) -> str:
    """The total of the predictive density after the statistics S (P,), and averages over
    draws from it. Returns a sentence where no sum can be formed."""
    points = points_of(family, X, rng)
    if points is None:
        return "The sum over all data was left out: a column is constant."
    if not len(points.rows):
        return "The sum over all data was left out: no random row is possible."
    rows = family.check_data(points.rows)
    mass = points.volumes * np.exp(family.log_predictive(S[None], rows)[0])
    total = mass.sum()
    sum_of_squares = (mass**2).sum()
    if points.drawn and total**2 < EFFECTIVE * sum_of_squares:
        return "The sum over all data was left out: a few random rows hold all of it."
    error = np.sqrt(sum_of_squares) if points.drawn else 0.0
    message = (
        f"the predictive density adds up to {total:.4g}, not to 1: log_base or "
        "log_normalizer is wrong, or check_data lets impossible data pass"
    )
    _require(abs(total - 1) < 1e-6 + ERRORS * error, message, family)
    if type(family).sample is Family.sample:
        return ""
    draws = _drawn(family, S, rng)
    T = family.statistics(rows)[:, 1:]
    drawn_T = family.statistics(draws)[:, 1:]
    centre = np.median(drawn_T, axis=0)
    width = np.abs(drawn_T - centre).mean(axis=0)
    width[width == 0] = 1.0
    bounded = [function((T - centre) / width) for function in (np.sin, np.cos)]
    drawn = [function((drawn_T - centre) / width) for function in (np.sin, np.cos)]
    for of_rows, of_draws in zip((T, *bounded), (drawn_T, *drawn), strict=True):
        mean = mass @ of_rows / total
        variance = of_draws.var(axis=0) / DRAWS
        if points.drawn:
            variance = variance + (mass**2) @ (of_rows - mean) ** 2
        gap = np.abs(of_draws.mean(axis=0) - mean) - 1e-6 * (1 + np.abs(mean))
        message = "draws from sample do not have the moments of the predictive density"
        _require((gap <= ERRORS * np.sqrt(variance)).all(), message, family)
    return ""


def _check_frequencies(family: Family, S, X, rng) -> str:
    """How often rows of whole numbers are drawn after the statistics S (P,). Returns a
    sentence where too few rows come often enough."""
    if not _only_whole_numbers(family, X):
        return ""
    rows, counts = np.unique(_drawn(family, S, rng), axis=0, return_counts=True)
    often = counts >= OFTEN
    if not often.any():
        return "The frequencies of draws were left out: no row is drawn often."
    density = np.exp(family.log_predictive(S[None], family.check_data(rows[often]))[0])
    frequency = counts[often] / DRAWS
    spread = np.sqrt(density * np.abs(1 - density) / DRAWS)
    message = (
        "draws from sample do not come as often as the predictive density says: sample, "
        "log_base or log_normalizer is wrong"
    )
    far = np.abs(frequency - density) > ERRORS * (spread + 1 / DRAWS)
    _require(not far.any(), message, family)
    return ""


def _drawn(family: Family, S, rng) -> np.ndarray:
    """Rows (DRAWS, D) from `sample` after the statistics S (P,)."""
    rows = family.sample(S, DRAWS, rng)
    try:
        return family.check_data(rows)
    except ValueError as error:
        message = f"{type(family).__name__}: sample draws impossible rows: {error}"
        raise ValueError(message) from None


def _only_whole_numbers(family: Family, X) -> bool:
    """Whether data are whole numbers: these are, and no others are possible."""
    return bool((X % 1 == 0).all()) and not _possible(family, X + 0.5)


# ---- the data over which a predictive density is summed ----


def points_of(family: Family, X, rng) -> Points | None:
    """All possible data, or data drawn from a Cauchy density; None where a column is
    constant, so that there is nothing to draw from."""
    X = np.asarray(X, dtype=float)
    D = X.shape[1]
    only_whole_numbers = _only_whole_numbers(family, X)
    if only_whole_numbers:
        levels = [_levels(family, X[0], d) for d in range(D)]
        if 0 < prod(levels) <= ROWS:
            rows = np.indices(levels).reshape(D, -1).T
            return Points(rows, np.ones(len(rows)), drawn=False)
        reach = 60 * (X.std() + 1)
        if D == 1 and reach <= DRAWS:
            rows = np.arange(X.min() - reach, X.max() + reach)[:, None].round()
            return _only_possible(family, Points(rows, np.ones(len(rows)), False))
    if not np.ptp(X, axis=0).all():
        return None
    draw = _draw_whole_numbers if only_whole_numbers else _draw_numbers
    return _only_possible(family, draw(X, rng))


def _draw_whole_numbers(X, rng) -> Points:
    """Rows of whole numbers, from a Cauchy density a column about the median of X (N,
    D)."""
    from scipy.stats import cauchy  # takes half a second, which only counts need

    columns = cauchy(np.median(X, axis=0), X.std(axis=0))
    rows = columns.rvs((DRAWS, X.shape[1]), random_state=rng)
    rows = np.clip(rows, -FAR, FAR).round()
    chance = columns.cdf(rows + 0.5) - columns.cdf(rows - 0.5)
    return Points(rows, 1 / (DRAWS * chance.prod(axis=1)), drawn=True)


def _draw_numbers(X, rng) -> Points:
    """Rows from a Cauchy density in D dimensions with the mean and covariance of X (N,
    D)."""
    D = X.shape[1]
    covariance = np.cov(X.T).reshape(D, D)
    root = np.linalg.cholesky(covariance + 1e-6 * np.diag(covariance.diagonal()))
    z = rng.standard_normal((DRAWS, D)) / np.abs(rng.standard_normal((DRAWS, 1)))
    half = (D + 1) / 2
    log_q = gammaln(half) - half * (np.log(np.pi) + np.log1p((z**2).sum(axis=1)))
    volumes = root.diagonal().prod() * np.exp(-log_q) / DRAWS
    return Points(X.mean(axis=0) + z @ root.T, volumes, drawn=True)


def _levels(family: Family, x, column: int) -> int:
    """How many whole numbers from 0 on the column takes, the others being those of x
    (D,); at most `ROWS` + 1."""

    def takes(level: int) -> bool:
        row = x.copy()
        row[column] = level
        return _possible(family, row[None])

    if takes(ROWS):
        return ROWS + 1
    level = 0
    while takes(level):
        level += 1
    return level


def _only_possible(family: Family, points: Points) -> Points:
    """The points that the family takes: all, those not below 0, or one by one."""
    rows = points.rows
    for taken in (np.full(len(rows), True), (rows >= 0).all(axis=1)):
        if taken.any() and _possible(family, rows[taken]):
            return Points(rows[taken], points.volumes[taken], points.drawn)
    taken = np.array([_possible(family, row[None]) for row in rows])
    return Points(rows[taken], points.volumes[taken], points.drawn)


def _possible(family: Family, X) -> bool:
    try:
        family.check_data(X)
    except ValueError:
        return False
    return True
