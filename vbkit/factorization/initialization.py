"""Where to start: random factors, or the leading singular vectors."""

import numpy as np

from vbkit.checks import as_generator, as_integer, as_positive
from vbkit.factorization.matrices import SVD, validate
from vbkit.factorization.model import Factorization, as_variances


def init_random(V, H, rng, *, prior_a=None, prior_b=None, noise=None, offsets=False):
    """Return a Factorization with H columns of factors drawn from their priors by the NumPy
    Generator rng, and with the priors' covariances.

    V: (L, M), as `validate` takes it.
    prior_a, prior_b: a number or (H,); None makes B A' vary as the data do.
    noise: None takes the data's mean square (about their mean with offsets), or a tenth of it if
        entries are missing. From large noise, empirical Bayes takes weak columns for noise; from
        small noise, it may take noise for a column.
    offsets: give each row and each column of V an offset of its own, normal with a variance that is
        learned like the others; `centre` is then the mean of the observed entries.

    Raises ValueError for unfit data, H below 0, and variances that are not > 0.
    """
    data, rng, H = validate(V), as_generator("rng", rng), as_integer("H", H, 0)
    (L, M), centre = data.shape, float(data.values.mean()) if offsets else 0.0
    mean_square = data.square / data.size
    spread = float(np.mean((data.values - centre) ** 2)) if offsets else mean_square
    if spread <= 1e-28 * mean_square:  # constant data, to rounding
        spread = mean_square or 1.0
    usual = np.sqrt(spread / max(H, 1))
    prior_a = as_variances("prior_a", usual if prior_a is None else prior_a, H)
    prior_b = as_variances("prior_b", usual if prior_b is None else prior_b, H)
    usual = spread if isinstance(data, SVD) else 0.1 * spread
    noise = as_positive("noise", usual if noise is None else noise)
    A = rng.standard_normal((M, H)) * np.sqrt(prior_a)
    B = rng.standard_normal((L, H)) * np.sqrt(prior_b)
    if offsets:
        A = np.column_stack([A, np.zeros(M), np.ones(M)])
        B = np.column_stack([B, np.ones(L), np.zeros(L)])
        prior_a = np.append(prior_a, [0.1 * spread, 0])
        prior_b = np.append(prior_b, [0, 0.1 * spread])
    return Factorization(
        A, B, np.diag(prior_a), np.diag(prior_b), prior_a, prior_b, noise, centre
    )


def init_spectral(
    V, H: int, *, prior_a=None, prior_b=None, noise=None
) -> Factorization:
    """Take the leading H singular vectors of a full matrix, with the singular value shared equally.

    The rest is as in `init_random`. The column with the largest product of prior variances takes
    the largest singular value. Columns beyond min(L, M) stay zero. Raises ValueError as
    `init_random` does, and for missing entries.
    """
    data, rng = validate(V), np.random.default_rng(0)
    if not isinstance(data, SVD):
        raise ValueError("V has missing entries; use init_random")
    f = init_random(data, H, rng, prior_a=prior_a, prior_b=prior_b, noise=noise)
    place, root = pairing(f.prior_a, f.prior_b), np.sqrt(data.d)
    return f.replace(
        A=at_places(data.W * root, place), B=at_places(data.U * root, place)
    )


def pairing(prior_a: np.ndarray, prior_b: np.ndarray) -> np.ndarray:
    """Which singular value (H,), from 0 for the largest, each column takes at the optimum: the
    column with the largest prior_a prior_b takes the largest."""
    return np.argsort(np.argsort(-prior_a * prior_b, kind="stable"), kind="stable")


def at_places(X: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The columns of X at `place`, zeros where X has none."""
    return np.column_stack([X, np.zeros((len(X), len(place)))])[:, place]
