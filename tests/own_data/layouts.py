"""A hundred generated tables of numbers whose groups are known: what the default prior of
`VariationalMixture` is judged by. Written before the prior; no seed was ever chosen."""

from typing import NamedTuple

import numpy as np

EACH = 10  # layouts of each kind


class Layout(NamedTuple):
    """A table whose groups are known.

    name: the kind and its number.
    X: rows (N, D).
    truth: the group of each row (N,).
    counts: whether a row is judged (N,); wild ones are not.
    """

    name: str
    X: np.ndarray
    truth: np.ndarray
    counts: np.ndarray


def layouts():
    """Yield all layouts, ten of each kind."""
    for kind, make in enumerate(KINDS):
        for number in range(EACH):
            rng = np.random.default_rng([kind, number])
            X, truth, counts = make(rng)
            order = rng.permutation(len(X))
            name = f"{make.__name__[1:]} {number}"
            yield Layout(name, X[order], truth[order], counts[order])


# ---- parts ----


def _centres(rng, K: int, D: int, apart: float) -> np.ndarray:
    """Centres (K, D), the two nearest `apart` from each other."""
    z = rng.normal(size=(K, D))
    distances = np.linalg.norm(z[:, None] - z, axis=2)
    nearest = distances[np.triu_indices(K, 1)].min()
    return z * apart / nearest


def _sizes(rng, K: int, N: int, equal: bool) -> np.ndarray:
    if equal:
        return np.full(K, N // K)
    shares = np.geomspace(1, 0.08, K)
    return rng.permutation(np.maximum(20, N * shares / shares.sum()).astype(int))


def _groups(rng, centres, sizes, roots=None):
    """Rows around the centres, with covariance root root' each (the identity if None)."""
    K, D = centres.shape
    truth = np.repeat(np.arange(K), sizes)
    z = rng.normal(size=(len(truth), D))
    if roots is not None:
        z = np.einsum("nij,nj->ni", roots[truth], z)
    return centres[truth] + z, truth, np.full(len(truth), True)


# ---- kinds ----


def _near(rng):
    """Two to five groups whose nearest centres are 5 to 8 standard deviations apart."""
    K = rng.integers(2, 6)
    D = rng.integers(2, 6)
    centres = _centres(rng, K, D, rng.uniform(5, 8))
    return _groups(rng, centres, _sizes(rng, K, 300, True))


def _far(rng):
    """Two or three near groups, and one that is 30 to 1,000 away."""
    K = rng.integers(2, 4)
    D = rng.integers(2, 6)
    near = _centres(rng, K, D, rng.uniform(6, 9))
    direction = rng.normal(size=D)
    direction /= np.linalg.norm(direction)
    far = near.mean(axis=0) + np.exp(rng.uniform(*np.log([30, 1000]))) * direction
    centres = np.vstack([near, far])
    return _groups(rng, centres, _sizes(rng, K + 1, 400, True))


def _unequal_sizes(rng):
    """Three to five groups, the smallest with a twelfth of the rows of the largest."""
    K = rng.integers(3, 6)
    D = rng.integers(2, 6)
    centres = _centres(rng, K, D, rng.uniform(6, 9))
    return _groups(rng, centres, _sizes(rng, K, 600, False))


def _unequal_widths(rng):
    """Two to four groups whose standard deviations differ by up to a factor of 10."""
    K = rng.integers(2, 5)
    D = rng.integers(2, 6)
    widths = np.exp(rng.uniform(np.log(0.3), np.log(3), K))
    centres = _centres(rng, K, D, 4 * widths.max())
    roots = widths[:, None, None] * np.eye(D)
    return _groups(rng, centres, _sizes(rng, K, 400, True), roots)


def _wild(rng):
    """Two to four groups, and one to three rows with a wild value in one column."""
    K = rng.integers(2, 5)
    D = rng.integers(2, 6)
    centres = _centres(rng, K, D, rng.uniform(6, 9))
    X, truth, counts = _groups(rng, centres, _sizes(rng, K, 300, True))
    rows = rng.choice(len(X), rng.integers(1, 4), replace=False)
    size = 10.0 ** rng.uniform(2, 6)
    X[rows, rng.integers(D, size=len(rows))] += size * rng.choice([-1, 1], len(rows))
    counts[rows] = False
    return X, truth, counts


def _slanted(rng):
    """Two to four groups, each with a covariance of its own."""
    K = rng.integers(2, 5)
    D = rng.integers(2, 7)
    roots = rng.normal(size=(K, D, D)) / np.sqrt(D) + 0.3 * np.eye(D)
    centres = _centres(rng, K, D, rng.uniform(7, 10))
    return _groups(rng, centres, _sizes(rng, K, 500, True), roots)


def _many_columns(rng):
    """Two to four groups in 10 to 100 columns, of which a third tells them apart."""
    K = rng.integers(2, 5)
    D = int(np.exp(rng.uniform(np.log(10), np.log(100))))
    centres = np.zeros((K, D))
    telling = rng.choice(D, max(3, D // 3), replace=False)
    apart = rng.uniform(8, 16)
    centres[:, telling] = _centres(rng, K, len(telling), apart)
    return _groups(rng, centres, _sizes(rng, K, rng.integers(200, 600), True))


def _noise(rng):
    """One group in 2 to 100 columns."""
    D = int(np.exp(rng.uniform(np.log(2), np.log(100))))
    N = rng.integers(30, 400)
    return _groups(rng, np.zeros((1, D)), np.array([N]))


def _other_units(rng):
    """Two to four groups, each column in a unit and with an offset of its own."""
    K = rng.integers(2, 5)
    D = rng.integers(2, 8)
    centres = _centres(rng, K, D, rng.uniform(6, 9))
    X, truth, counts = _groups(rng, centres, _sizes(rng, K, 300, True))
    units = 10.0 ** rng.uniform(-4, 4, D)
    return units * (X + 10.0 ** rng.uniform(0, 4, D)), truth, counts


def _nested(rng):
    """Two or three places far apart, with two or three near groups in each."""
    D = rng.integers(2, 5)
    places = _centres(
        rng, rng.integers(2, 4), D, np.exp(rng.uniform(*np.log([40, 400])))
    )
    centres = [place + _centres(rng, rng.integers(2, 4), D, 7.0) for place in places]
    centres = np.vstack(centres)
    return _groups(rng, centres, _sizes(rng, len(centres), 600, True))


KINDS = (
    _near,
    _far,
    _unequal_sizes,
    _unequal_widths,
    _wild,
    _slanted,
    _many_columns,
    _noise,
    _other_units,
    _nested,
)
