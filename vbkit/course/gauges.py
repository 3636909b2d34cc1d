"""Ten gauges that a few causes move, and VB's sweep that looks for these causes.

A table X (N, D) of readings is B A' + noise of variance 1, as in unit 6: B (N, H) are the
amounts of H causes on N days, with variance 1, and A (D, H) the loadings of D gauges.
"""

import numpy as np

GAUGES = 10
STRONG = (4.0, 3.0)  # lengths of the columns of two causes
EMPTY = 0.1  # a shorter column of a hidden cause is empty


def gauges(
    rng: np.random.Generator, days: int, third: float, causes=STRONG
) -> np.ndarray:
    """Return readings (days, GAUGES): causes whose columns of loadings have the given
    lengths, the `third` last, and are at right angles, and noise of sd 1."""
    lengths = np.array([*causes, third])
    directions = np.linalg.qr(rng.standard_normal((GAUGES, len(lengths))))[0]
    amounts = rng.standard_normal((days, len(lengths)))
    noise = rng.standard_normal((days, GAUGES))
    return amounts @ (directions * lengths).T + noise


def first_columns(X, offered: int) -> tuple[np.ndarray, np.ndarray]:
    """Return loadings (D, H) of length 1, in the directions in which X (N, D) varies most,
    and their covariance (H, H), zero: where every run begins."""
    directions = np.linalg.svd(X, full_matrices=False)[2]
    return directions[:offered].T, np.zeros((offered, offered))


def sweep(X, A, cov_A) -> tuple[np.ndarray, np.ndarray]:
    """Return means A (D, H) and covariance (H, H), for each gauge, of the loadings after a
    sweep: of the prior variances, of the amounts, of the loadings. X (N, D)."""
    N, D = X.shape
    H = A.shape[1]
    AA = A.T @ A + D * cov_A
    prior = np.diag(AA) / D
    cov_B = np.linalg.inv(AA + np.eye(H))
    B = X @ A @ cov_B
    BB = B.T @ B + N * cov_B
    cov_A = np.linalg.inv(BB + np.diag(1 / prior))
    return X.T @ B @ cov_A, cov_A


def left(A) -> int:
    """Return how many columns of mean loadings A (D, H) are not empty. A hidden column is
    far longer than EMPTY at rest, or it is on its way to zero."""
    return int(np.sum(np.linalg.norm(A, axis=0) > EMPTY))
