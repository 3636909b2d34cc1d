"""Handwritten digits as black and white pixels, clustered by VB under any prior."""

from functools import cache

import numpy as np

from vbkit.course.minority import bernoulli_mixture
from vbkit.learning import fit_batch, init_from_rows

SIDE = 8  # pixels of an image


@cache
def digits(every: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return every n-th of scikit-learn's handwritten digits (N, 64) and their labels (N,).

    A pixel is 1 where its ink is 8 of 16 or more.
    """
    # here, since it takes longer to load than all else
    from sklearn.datasets import load_digits

    X, labels = load_digits(return_X_y=True)
    return (X[::every] >= 8).astype(np.uint8), labels[::every]


def cluster_digits(
    alpha: float, beta: float, n_components: int, *, every=1, sweeps=200, start=0
) -> dict:
    """Fit every n-th digit by VB, from the same start for any prior.

    Returns "counts" (K,) and "means" (K, 64) by falling size, "F" (nats), the number of
    images "size", the responsibilities "R" (N, K), the "labels" (N,), and their
    "agreement": the share in a cluster where their own digit is the commonest.
    """
    X, labels = digits(every)
    mixture = bernoulli_mixture(SIDE**2, alpha, beta, precision=np.float64)
    rng = np.random.default_rng([n_components, start])
    first = init_from_rows(mixture, X, n_components, rng)
    fit = fit_batch(mixture, X, first, max_epochs=sweeps, tolerance=0.01)
    S = fit.S[np.argsort(-fit.S[:, 0], kind="stable")]
    R = mixture.responsibilities(X, S)
    table = np.zeros((n_components, 10))
    np.add.at(table, (R.argmax(axis=1), labels), 1)
    return {
        "counts": S[:, 0],
        "means": mixture.family.parameters(S).probability,
        "F": -fit.elbo,
        "size": len(X),
        "R": R,
        "labels": labels,
        "agreement": table.max(axis=1).sum() / len(X),
    }
