"""The documents' data sets, by an explicit generator."""

from __future__ import annotations

import numpy as np

SATO2000_CENTRES = {
    "A": np.array([[0, 0], [2, np.sqrt(12)], [4, 0], [-2, -np.sqrt(12)]]),
    "B": np.array([[2, np.sqrt(12)], [2, np.sqrt(12)], [-2, -np.sqrt(12)], [-2, -np.sqrt(12)]]),
}
SATO2000_WIDTHS = {"A": np.array([1.2, 1.2, 1.2, 1.2]), "B": np.array([1.0, 5.0, 1.0, 5.0])}
SATO2000_SIZES = {"A": 200, "B": 1000}


def gaussian_mixture(rng, size: int, weights, centres, widths) -> tuple[np.ndarray, np.ndarray]:
    """Draw from isotropic Gaussians with these weights (K,), centres (K, D) and standard deviations (K,).

    Returns the data (size, D) and the labels (size,).
    """
    labels = rng.choice(len(weights), size=size, p=weights)
    X = np.asarray(centres)[labels] + np.asarray(widths)[labels, None] * rng.standard_normal((size, len(centres[0])))
    return X, labels


def sato2000(name: str, rng: np.random.Generator, size: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Data set "A" (200 points, four centres, sigma 1.2) or "B" (1,000 points, two centres, sigma 1 and 5 at each) of
    Sato 2000, section 5, with labels. The report does not state the weights; they are taken as equal. `size`: another
    number."""
    if name not in SATO2000_CENTRES:
        raise ValueError(f"name is {name!r}; it must be 'A' or 'B'")
    size = SATO2000_SIZES[name] if size is None else size
    return gaussian_mixture(rng, size, np.full(4, 0.25), SATO2000_CENTRES[name], SATO2000_WIDTHS[name])
