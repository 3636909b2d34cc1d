"""The documents' data sets, each drawn by an explicit generator, and the truth behind
data of 0 and 1."""

from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import (
    as_array,
    as_generator,
    as_integer,
    as_matrix,
    as_nonnegative,
    as_number,
    read_only,
)
from vbkit.factorization import ObservedEntries
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors

# ---- Bernoulli mixtures that data come from ----


def _as_weights(weights) -> np.ndarray:
    return read_only(as_array("weights", weights, ndim=1))


def _as_probabilities(means) -> np.ndarray:
    values = as_matrix("means", means)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(
            f"means reach from {values.min()} to {values.max()}; allowed is 0 to 1"
        )
    return read_only(np.asarray(means))  # of the type given: 0 and 1 may be integers


@attrs.frozen(eq=False)
class Truth:
    """A Bernoulli mixture that data come from: `weights, means = truth` (Kaji 2011,
    3.1).

    weights (K,): >= 0, with sum 1. means (K, M): the probabilities of ones. Raises
    ValueError for other numbers and for shapes that do not fit.
    """

    weights: np.ndarray = attrs.field(converter=_as_weights)
    means: np.ndarray = attrs.field(converter=_as_probabilities)

    def __attrs_post_init__(self):
        w = self.weights
        K = len(self.means)
        if len(w) != K or (w < 0).any() or abs(w.sum() - 1) > 1e-9:
            raise ValueError(f"weights is {w}; it must be {K} numbers >= 0, sum 1")

    def __iter__(self):
        return iter((self.weights, self.means))

    @property
    def dimension(self) -> int:
        """M, the number of coordinates."""
        return self.means.shape[1]

    def joint(self, X) -> np.ndarray:
        """p(x, z = k) (N, K) of the rows of X (N, M) of 0 and 1; ValueError for other
        data."""
        X = BetaBernoulli(self.dimension).check_data(X)
        is_one = np.asarray(X, dtype=bool)[:, None]
        return self.weights * np.where(is_one, self.means, 1 - self.means).prod(axis=2)

    def probabilities(self) -> np.ndarray:
        """p(x) of all patterns (2^M,), in the order of `binary_vectors`."""
        return self.joint(binary_vectors(self.dimension)).sum(axis=1)

    def sample(
        self, size: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw data (size, M), uint8, and their labels (size,)."""
        as_integer("size", size, 1)
        p = self.weights / self.weights.sum()
        labels = as_generator("rng", rng).choice(len(p), size=size, p=p)
        X = rng.random((size, self.dimension)) < self.means[labels]
        return X.astype(np.uint8), labels


# ---- numbers of the documents ----

SATO1999_WEIGHTS = np.array([4, 2, 2, 1]) / 9
SATO1999_LAYOUTS = {  # centres in the unit square, standard deviations
    "factorised": (
        np.array([[0.3, 0.3], [0.7, 0.3], [0.3, 0.7], [0.7, 0.7]]),
        np.full(4, 0.1),
    ),
    "irregular": (
        np.array([[0.3, 0.32], [0.72, 0.24], [0.34, 0.8], [0.76, 0.66]]),
        np.array([0.12, 0.08, 0.06, 0.1]),
    ),
}
SATO2000_CENTRES = {
    "A": np.array([[0, 0], [2, np.sqrt(12)], [4, 0], [-2, -np.sqrt(12)]]),
    "B": np.array(
        [[2, np.sqrt(12)], [2, np.sqrt(12)], [-2, -np.sqrt(12)], [-2, -np.sqrt(12)]]
    ),
}
SATO2000_WIDTHS = {
    "A": np.array([1.2, 1.2, 1.2, 1.2]),
    "B": np.array([1.0, 5.0, 1.0, 5.0]),
}
SATO2000_SIZES = {"A": 200, "B": 1000}
FIVE_WEIGHTS = np.array([3, 4, 6, 4, 3]) / 20
FIVE_WIDTHS = np.array([0.8, 0.6, 1.0, 0.7, 1.2])
FIVE_CENTRES = {  # by dimension
    1: np.array([[-9.0], [-5], [-1], [3], [8]]),
    2: np.array([[-6.0, 4], [6, 5], [0, 0], [5, -5], [-5, -6]]),
}
# Ours, as the thesis shows its own in pictures: without and with a deterministic
# component; (3.4).
KAJI2011_TRUTHS = {
    "A": Truth(
        np.array([0.5, 0.5]), np.array([[0.2, 0.3, 0.8, 0.7], [0.8, 0.7, 0.3, 0.2]])
    ),
    "B": Truth(
        np.array([0.6, 0.4]), np.array([[0.2, 0.3, 0.8, 0.7], [1.0, 1.0, 0.0, 0.0]])
    ),
    "example 3.3": Truth(
        np.array([0.6, 0.4]), np.array([[2 / 3, 1.0, 0.0], [0.0, 1.0, 1.0]])
    ),
}
# Users of each cluster of `item_by_user`, 1750 in all.
CLUSTERS = (795, 604, 300, 38, 8, 3, 2)
Labelled = tuple[np.ndarray, np.ndarray]  # data and labels

# ---- Gaussian mixtures ----


def gaussian_mixture(
    rng: np.random.Generator, size: int, weights, centres, widths
) -> Labelled:
    """Draw data (size, D) and labels (size,) from a mixture of isotropic Gaussians.

    weights (K,), centres (K, D), widths (K,): the standard deviations. Raises
    ValueError unless there are as many of each, the weights sum to 1, and no weight or
    width is below 0.
    """
    as_generator("rng", rng)
    as_integer("size", size, 1)
    weights = as_nonnegative("weights", weights)
    widths = as_nonnegative("widths", widths)
    centres = as_matrix("centres", centres)
    K, D = centres.shape
    if weights.shape != (K,) or widths.shape != (K,) or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(
            f"weights {weights}, widths {widths} must be {K} each, weights with sum 1"
        )
    labels = rng.choice(K, size=size, p=weights)
    deviations = widths[labels, None] * rng.standard_normal((size, D))
    return centres[labels] + deviations, labels


def sato1999(
    size: int, rng: np.random.Generator, layout: str = "factorised"
) -> Labelled:
    """Draw data (size, 2) and labels (size,) like those of Sato 1999, section 7.1.

    Four isotropic Gaussians with the weights (4, 2, 2, 1) / 9. The paper shows centres
    and widths in a picture only; both layouts are ours, with 99 % of the mass in the
    unit square. "factorised": a square of side 0.4 with sigma 0.1, as the weights are
    (2/3, 1/3) x (2/3, 1/3). "irregular": unequal distances and widths. Raises
    ValueError for another layout or size.
    """
    if not isinstance(layout, str) or layout not in SATO1999_LAYOUTS:
        raise ValueError(
            f"layout is {layout!r}; it must be one of {sorted(SATO1999_LAYOUTS)}"
        )
    centres, widths = SATO1999_LAYOUTS[layout]
    return gaussian_mixture(rng, size, SATO1999_WEIGHTS, centres, widths)


def sato2000(name: str, rng: np.random.Generator, size: int | None = None) -> Labelled:
    """Draw data set "A" or "B" of Sato 2000, section 5: data (size, 2) and labels
    (size,).

    "A": 200 points, four centres, sigma 1.2. "B": 1,000 points, two centres, sigma 1
    and 5 at each. The report does not state the weights; they are taken as equal. size:
    another number of points. Raises ValueError for another name or size.
    """
    if not isinstance(name, str) or name not in SATO2000_CENTRES:
        raise ValueError(f"name is {name!r}; it must be 'A' or 'B'")
    if size is None:
        size = SATO2000_SIZES[name]
    weights = np.full(4, 0.25)
    centres = SATO2000_CENTRES[name]
    widths = SATO2000_WIDTHS[name]
    return gaussian_mixture(rng, size, weights, centres, widths)


def ghahramani2000(size: int, rng: np.random.Generator, dimension: int = 1) -> Labelled:
    """Draw data (size, D) and labels (size,) of five clusters on a line or in the plane
    (D = 1, 2).

    3,000 of them are the example of Ghahramani 2000. The slide shows its clusters in a
    picture only; weights, centres and widths are ours, within -12 to 12. Raises
    ValueError for another dimension.
    """
    if as_integer("dimension", dimension, 1) not in FIVE_CENTRES:
        raise ValueError(f"dimension is {dimension!r}; it must be 1 or 2")
    return gaussian_mixture(
        rng, size, FIVE_WEIGHTS, FIVE_CENTRES[dimension], FIVE_WIDTHS
    )


def random_clusters(
    rng: np.random.Generator, dimension: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw weights (5,), centres (5, D) and standard deviations (5,) of five Gaussians.

    The centres are uniform in [-10, 10]^D, drawn again until no two are nearer than 3;
    the widths uniform in [0.5, 1]; the weights from a Dirichlet of concentration 10.
    """
    as_generator("rng", rng)
    as_integer("dimension", dimension, 1)
    nearest = 0.0
    while nearest < 3:
        centres = rng.uniform(-10, 10, (5, dimension))
        distances = np.linalg.norm(centres[:, None] - centres, axis=2)
        nearest = distances[np.triu_indices(5, 1)].min()
    weights = rng.dirichlet(np.full(5, 10.0))
    widths = rng.uniform(0.5, 1, 5)
    return weights, centres, widths


def changing_mixture(rng, length: int, active, centres, width: float) -> Labelled:
    """Draw a stream in which Gaussians appear and vanish.

    active: a sequence of lists of rows of centres (K, D). Each list gives `length`
    data, in equal shares, with standard deviation `width`. Returns the data (n, D), n =
    len(active) * length, and how many components were active at each (n,). Raises
    ValueError for an empty list, one of rows that do not exist, and a width that is not
    one number >= 0.
    """
    as_generator("rng", rng)
    as_integer("length", length, 1)
    centres = as_matrix("centres", centres)
    width = as_number("width", width, 0.0)
    active = _as_lists_of_rows("active", active, len(centres))
    stretches = []
    for rows in active:
        n = len(rows)
        weights = np.full(n, 1 / n)
        widths = np.full(n, width)
        X, _ = gaussian_mixture(rng, length, weights, centres[rows], widths)
        stretches.append(X)
    n_active = np.repeat([len(rows) for rows in active], length)
    return np.concatenate(stretches), n_active


def _as_lists_of_rows(name: str, lists, n_rows: int) -> list[list[int]]:
    """Lists of rows below n_rows; ValueError unless there is one, and none is empty."""
    allowed = f"rows 0 to {n_rows - 1}"
    if not _is_sequence(lists) or len(lists) == 0:
        raise ValueError(f"{name} is {lists!r}; it must be lists of {allowed}")
    for rows in lists:
        if not _is_sequence(rows):
            raise ValueError(f"{name} holds {rows!r}; it must be lists of {allowed}")
        for row in rows:
            as_integer(name, row, 0)
        if len(rows) == 0 or max(rows) >= n_rows:
            raise ValueError(f"{name} holds {rows}; a list must name {allowed}")
    return [list(rows) for rows in lists]


def _is_sequence(value) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, list | tuple)


# ---- tables of items and users ----


class Items(NamedTuple):
    """Who has what: X (users, items) of 0 and 1, uint8, and the names of items and
    users."""

    X: np.ndarray
    items: list[str]
    users: list[str]


def item_by_user(rng: np.random.Generator) -> tuple[Items, np.ndarray]:
    """Draw a table like the wish lists of Kaji 2011, 6.2.3, which are not ours to ship.

    Returns 1750 users by 83 items, and each user's cluster (1750,). Clusters 0 to 2 are
    large, with favourites of their own beside what everybody likes. Clusters 3 to 6
    have 38, 8, 3 and 2 users, who want the same six items and nothing else; each entry
    is wrong with probability 0.005.
    """
    M = 83
    N = sum(CLUSTERS)
    K = len(CLUSTERS)
    popularity = 0.15 / np.arange(1, M + 1) ** 0.8
    means = np.tile(popularity, (K, 1))
    means[3:] = 0.005
    for k in range(K):
        favourites = [0.45, 0.35, 0.3, 0.25, 0.2, 0.15] if k < 3 else 0.995
        means[k, 6 * k : 6 * k + 6] = favourites
    labels = np.repeat(np.arange(K), CLUSTERS)
    as_generator("rng", rng).shuffle(labels)
    X = (rng.random((N, M)) < means[labels]).astype(np.uint8)
    items = [f"item {m}" for m in range(M)]
    users = [f"user {n}" for n in range(N)]
    return Items(X, items, users), labels


def synthetic_ratings(
    rng: np.random.Generator,
    users: int = 943,
    items: int = 1682,
    ratings: int = 100_000,
    H: int = 5,
) -> tuple[ObservedEntries, np.ndarray]:
    """Draw ratings 1 to 5 by a known model, by default in the shape of the file on which
    the field measures itself.

    mean = 3.5 + offsets of user and item (sd 0.45 each) + H factors (together sd 0.5);
    noise sd 0.9. Activity of users and popularity of items are log-normal (sd of the log
    1 and 1.6). Which pairs are rated does not depend on the rating.

    Returns the ratings, and the means (users, items) before noise, rounding and clipping.
    Raises ValueError for numbers below 1, H below 0, and more ratings than pairs.
    """
    as_generator("rng", rng)
    as_integer("users", users, 1)
    as_integer("items", items, 1)
    as_integer("ratings", ratings, 1)
    as_integer("H", H, 0)
    as_number("ratings", ratings, 1, users * items)
    user_factors = rng.standard_normal((users, H))
    item_factors = rng.standard_normal((items, H))
    mean = 3.5 + 0.45 * (rng.standard_normal((users, 1)) + rng.standard_normal(items))
    mean += 0.5 / np.sqrt(max(H, 1)) * user_factors @ item_factors.T
    log_rate = rng.standard_normal((users, 1)) + 1.6 * rng.standard_normal(items)
    # the largest of these are pairs drawn by their rates, without replacement
    log_rate += rng.gumbel(size=log_rate.shape)
    chosen = np.sort(np.argsort(-log_rate, axis=None)[:ratings])
    noise = 0.9 * rng.standard_normal(ratings)
    values = np.clip(np.rint(mean.ravel()[chosen] + noise), 1, 5)
    rows, columns = np.divmod(chosen, items)
    return ObservedEntries(rows, columns, values, (users, items)), mean
