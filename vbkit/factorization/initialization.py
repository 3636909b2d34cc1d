"""Where to start: random factors, or the leading singular vectors."""

import numpy as np

from vbkit.checks import as_generator, as_integer, as_positive
from vbkit.factorization.matrices import SVD, ObservedEntries, validate
from vbkit.factorization.model import Factorization, as_variances


def init_random(
    V, H: int, rng, *, prior_a=None, prior_b=None, noise=None, offsets: bool = False
) -> Factorization:
    """H columns of factors drawn from their priors, with the priors' covariances.

    V: (L, M), as `validate` takes it. rng: a NumPy Generator.
    prior_a, prior_b: a number or (H,); None makes B A' vary as the data do.
    noise: None takes the data's mean square (about their mean with offsets), or a tenth
        of it if entries are missing. From large noise, empirical Bayes takes weak
        columns for noise; from small noise, it may take noise for a column.
    offsets: give each row and each column of V an offset of its own, normal with a
        variance that is learned like the others; `centre` is then the mean of the
        observed entries.

    Raises ValueError for unfit data, H below 0, and variances that are not > 0.
    """
    data = validate(V)
    rng = as_generator("rng", rng)
    H = as_integer("H", H, 0)
    L, M = data.shape
    centre = float(data.values.mean()) if offsets else 0.0
    spread = _mean_square_about(data, centre)
    if prior_a is None:
        prior_a = np.sqrt(spread / max(H, 1))
    if prior_b is None:
        prior_b = np.sqrt(spread / max(H, 1))
    if noise is None:
        noise = spread if isinstance(data, SVD) else 0.1 * spread
    prior_a = as_variances("prior_a", prior_a, H)
    prior_b = as_variances("prior_b", prior_b, H)
    noise = as_positive("noise", noise)
    A = rng.standard_normal((M, H)) * np.sqrt(prior_a)
    B = rng.standard_normal((L, H)) * np.sqrt(prior_b)
    if offsets:  # of columns, times a known 1; and of rows, times a known 1
        A = np.column_stack([A, np.zeros(M), np.ones(M)])
        B = np.column_stack([B, np.ones(L), np.zeros(L)])
        prior_a = np.append(prior_a, [0.1 * spread, 0])
        prior_b = np.append(prior_b, [0, 0.1 * spread])
    return Factorization(
        A, B, np.diag(prior_a), np.diag(prior_b), prior_a, prior_b, noise, centre
    )


def _mean_square_about(data: SVD | ObservedEntries, centre: float) -> float:
    """The mean square of the entries about the centre; about 0, or 1, where they do not
    vary."""
    mean_square = data.square / data.size
    spread = mean_square
    if centre:
        spread = float(np.mean((data.values - centre) ** 2))
    if spread > 1e-28 * mean_square:  # the data are not constant, to rounding
        return spread
    if mean_square > 0:
        return mean_square
    return 1.0


def init_spectral(
    V, H: int, *, prior_a=None, prior_b=None, noise=None
) -> Factorization:
    """The leading H singular vectors of a full matrix, with the singular value shared
    equally.

    The rest is as in `init_random`. The column with the largest product of prior
    variances takes the largest singular value. Columns beyond min(L, M) stay zero.
    Raises ValueError as `init_random` does, and for missing entries.
    """
    data = validate(V)
    if not isinstance(data, SVD):
        raise ValueError("V has missing entries; use init_random")
    any_rng = np.random.default_rng(0)  # its factors are replaced
    f = init_random(data, H, any_rng, prior_a=prior_a, prior_b=prior_b, noise=noise)
    order = assign_singular_values(f.prior_a, f.prior_b)
    root = np.sqrt(data.d)
    return f.replace(
        A=take_columns(data.W * root, order), B=take_columns(data.U * root, order)
    )


def assign_singular_values(prior_a: np.ndarray, prior_b: np.ndarray) -> np.ndarray:
    """Which singular value (H,), from 0 for the largest, each column takes at the
    optimum.

    The column with the largest prior_a prior_b takes the largest.
    """
    by_size = np.argsort(-prior_a * prior_b, kind="stable")
    order = np.empty(len(by_size), dtype=np.int64)
    order[by_size] = np.arange(len(by_size))
    return order


def take_columns(X: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The columns of X at `order`, zeros where X has none."""
    taken = np.zeros((len(X), len(order)))
    exists = order < X.shape[1]
    taken[:, exists] = X[:, order[exists]]
    return taken
