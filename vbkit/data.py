"""The documents' data sets, by an explicit generator."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from vbkit.binary import Truth
from vbkit.checks import as_generator, as_integer, as_matrix, as_nonnegative

SATO1999_WEIGHTS = np.array([4, 2, 2, 1]) / 9
SATO1999_LAYOUTS = {  # centres in the unit square, standard deviations
    "factorised": (np.array([[0.3, 0.3], [0.7, 0.3], [0.3, 0.7], [0.7, 0.7]]), np.full(4, 0.1)),
    "irregular": (
        np.array([[0.3, 0.32], [0.72, 0.24], [0.34, 0.8], [0.76, 0.66]]),
        np.array([0.12, 0.08, 0.06, 0.1]),
    ),
}
SATO2000_CENTRES = {
    "A": np.array([[0, 0], [2, np.sqrt(12)], [4, 0], [-2, -np.sqrt(12)]]),
    "B": np.array([[2, np.sqrt(12)], [2, np.sqrt(12)], [-2, -np.sqrt(12)], [-2, -np.sqrt(12)]]),
}
SATO2000_WIDTHS = {"A": np.array([1.2, 1.2, 1.2, 1.2]), "B": np.array([1.0, 5.0, 1.0, 5.0])}
SATO2000_SIZES = {"A": 200, "B": 1000}
FIVE_WEIGHTS = np.array([3, 4, 6, 4, 3]) / 20
FIVE_WIDTHS = np.array([0.8, 0.6, 1.0, 0.7, 1.2])
FIVE_CENTRES = {  # by dimension
    1: np.array([[-9.0], [-5], [-1], [3], [8]]),
    2: np.array([[-6.0, 4], [6, 5], [0, 0], [5, -5], [-5, -6]]),
}


KAJI2011_TRUTHS = {  # ours, as the thesis shows its own in pictures: without and with a deterministic component; (3.4)
    "A": Truth(np.array([0.5, 0.5]), np.array([[0.2, 0.3, 0.8, 0.7], [0.8, 0.7, 0.3, 0.2]])),
    "B": Truth(np.array([0.6, 0.4]), np.array([[0.2, 0.3, 0.8, 0.7], [1.0, 1.0, 0.0, 0.0]])),
    "example 3.3": Truth(np.array([0.6, 0.4]), np.array([[2 / 3, 1.0, 0.0], [0.0, 1.0, 1.0]])),
}
CLUSTERS = 795, 604, 300, 38, 8, 3, 2  # users of each cluster of the stand-in, 1750 in all


def gaussian_mixture(rng, size: int, weights, centres, widths) -> tuple[np.ndarray, np.ndarray]:
    """Draw from isotropic Gaussians with these weights (K,), centres (K, D) and standard deviations (K,).

    Returns the data (size, D) and the labels (size,). ValueError unless there are as many of each, weights sum to 1,
    and neither weights nor widths are below 0.
    """
    as_generator("rng", rng)
    as_integer("size", size, 1)
    weights, centres, widths = (
        as_nonnegative("weights", weights),
        as_matrix("centres", centres),
        as_nonnegative("widths", widths),
    )
    K = len(centres)
    if weights.shape != (K,) or widths.shape != (K,) or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(
            f"weights is {weights} and widths {widths}; each must be {K} numbers, and weights sum to 1"
        )
    labels = rng.choice(K, size=size, p=weights)
    return centres[labels] + widths[labels, None] * rng.standard_normal(
        (size, centres.shape[1])
    ), labels


def sato1999(
    size: int, rng: np.random.Generator, layout: str = "factorised"
) -> tuple[np.ndarray, np.ndarray]:
    """Data (size, 2) of four isotropic Gaussians with the weights (4, 2, 2, 1) / 9
    of Sato 1999, section 7.1, with labels (size,).

    The paper shows centres and widths in a picture only; both layouts are ours, with 99 % of the mass in the component
    square. "factorised": a square of side 0.4 with sigma 0.1, as the weights are (2/3, 1/3) x (2/3, 1/3).
    "irregular": unequal distances and widths.
    """
    if layout not in SATO1999_LAYOUTS:
        raise ValueError(f"layout is {layout!r}; it must be one of {sorted(SATO1999_LAYOUTS)}")
    return gaussian_mixture(rng, size, SATO1999_WEIGHTS, *SATO1999_LAYOUTS[layout])


def sato2000(
    name: str, rng: np.random.Generator, size: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Data set "A" (200 points, four centres, sigma 1.2) or "B" (1,000 points, two centres, sigma 1 and 5 at each) of
    Sato 2000, section 5, with labels. The report does not state the weights; they are taken as equal. `size`: another
    number."""
    if name not in SATO2000_CENTRES:
        raise ValueError(f"name is {name!r}; it must be 'A' or 'B'")
    size = SATO2000_SIZES[name] if size is None else size
    return gaussian_mixture(
        rng, size, np.full(4, 0.25), SATO2000_CENTRES[name], SATO2000_WIDTHS[name]
    )


def ghahramani2000(
    size: int, rng: np.random.Generator, dimension: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Data (size, D) of five clusters on a line or (dimension = 2) in the plane, with labels (size,): 3,000 of them are
    the example of Ghahramani 2000. The slide shows its clusters in a picture only; weights, centres and widths are
    ours, within -12 to 12."""
    if dimension not in FIVE_CENTRES:
        raise ValueError(f"dimension is {dimension!r}; it must be 1 or 2")
    return gaussian_mixture(rng, size, FIVE_WEIGHTS, FIVE_CENTRES[dimension], FIVE_WIDTHS)


def random_clusters(
    rng: np.random.Generator, dimension: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights (5,), centres (5, dimension) and standard deviations (5,) of five Gaussians at random places: centres
    uniform in [-10, 10]^D, drawn again until no two are nearer than 3; widths uniform in [0.5, 1]; weights from a
    Dirichlet of concentration 10."""
    while True:
        centres = as_generator("rng", rng).uniform(
            -10, 10, (5, as_integer("dimension", dimension, 1))
        )
        if np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(5, 1)].min() >= 3:
            return rng.dirichlet(np.full(5, 10.0)), centres, rng.uniform(0.5, 1, 5)


def changing_mixture(
    rng, length: int, active, centres, width: float
) -> tuple[np.ndarray, np.ndarray]:
    """A stream in which Gaussians appear and vanish: `length` data from each set of components in `active`, a sequence of
    lists of rows of centres (K, D), in equal shares, with standard deviation `width`.

    Returns the data (len(active) * length, D) and how many components are active at each (len(active) * length,).
    ValueError where no component is active, or one that has no row.
    """
    as_integer("length", length, 1)
    centres, active = as_matrix("centres", centres), [list(n_components) for n_components in active]
    for n_components in active or [[]]:
        if not n_components or not set(n_components) <= set(range(len(centres))):
            raise ValueError(
                f"active holds {n_components}; it must hold lists of rows of centres, 0 to {len(centres) - 1}"
            )
    parts = [
        gaussian_mixture(
            rng,
            length,
            np.full(len(n_components), 1 / len(n_components)),
            centres[n_components],
            np.full(len(n_components), width),
        )
        for n_components in active
    ]
    return np.concatenate([X for X, _ in parts]), np.repeat(
        [len(n_components) for n_components in active], length
    )


class Items(NamedTuple):
    """Who has what: X (users, items) of 0 and 1, the names of the items and of the users."""

    X: np.ndarray
    items: list[str]
    users: list[str]


def item_by_user(rng: np.random.Generator) -> tuple[Items, np.ndarray]:
    """A stand-in for the wish lists of Kaji 2011, 6.2.3 (1750 users, 83 items, not ours to ship), and each user's
    cluster (1750,). Clusters 0 to 2 are large, with favourites of their own beside what everybody likes; 3 to 6 have
    38, 8, 3 and 2 users, who want the same six items and nothing else (each entry wrong with probability .005)."""
    popularity = 0.15 / np.arange(1, 84) ** 0.8
    means = np.tile(popularity, (len(CLUSTERS), 1))
    for k in range(len(CLUSTERS)):
        favourites = slice(6 * k, 6 * k + 6)
        if k < 3:
            means[k, favourites] = [0.45, 0.35, 0.3, 0.25, 0.2, 0.15]
        else:
            means[k] = 0.005
            means[k, favourites] = 0.995
    labels = np.repeat(np.arange(len(CLUSTERS)), CLUSTERS)
    as_generator("rng", rng).shuffle(labels)
    X = (rng.random((len(labels), means.shape[1])) < means[labels]).astype(np.uint8)
    return Items(X, [f"item {m}" for m in range(83)], [f"user {n}" for n in range(1750)]), labels


def read_items(path) -> Items:
    """An item-by-user table: tab-separated text, a header of user names (after a corner cell), then a line an item with
    its name and a 0 or 1 for each user. ValueError names line and column of what is not as it must be."""
    try:
        lines = Path(path).read_text("utf-8").rstrip().splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not text in UTF-8: {error}") from None
    users = lines[0].split("\t")[1:] if lines else []
    if not users or len(lines) < 2:
        raise ValueError(
            f"{path} must have a tab-separated header with user names on line 1, and an item on line 2"
        )
    X, items = np.empty((len(lines) - 1, len(users)), dtype=np.uint8), []
    for number, line in enumerate(lines[1:], start=2):
        name, *cells = line.split("\t")
        if len(cells) != len(users):
            raise ValueError(
                f"{path}, line {number} has {len(cells)} values; the header names {len(users)} users"
            )
        for user, cell in zip(users, cells, strict=True):
            if cell.strip() not in ("0", "1"):
                raise ValueError(
                    f"{path}, line {number} ({name}), column {user!r} is {cell!r}; it must be 0 or 1"
                )
        X[number - 2] = [int(cell) for cell in cells]
        items.append(name)
    return Items(np.ascontiguousarray(X.T), items, users)
