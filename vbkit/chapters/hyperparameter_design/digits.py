"""OldExplorer: handwritten digits, clustered under any prior (a, b)."""

from functools import lru_cache

import numpy as np

from vbkit.chapters.hyperparameter_design.experiments import USED, bernoulli_mixture
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import log_slider, select_slider
from vbkit.learning import fit_batch, init_from_rows

SIDE, COLUMNS, ROWS = 8, 7, 3  # pixels of an image; images shown
SWEEPS, EVERY = 40, 4  # of the explorer: sweeps at most, and one in so many images


@lru_cache
def digits(every: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return every n-th of scikit-learn's handwritten digits (N, 64) and their labels (N,).

    A pixel is 1 where its ink is 8 of 16 or more.
    """
    from sklearn.datasets import (
        load_digits,
    )  # here, since it takes longer to load than all else

    X, labels = load_digits(return_X_y=True)
    return (X[::every] >= 8).astype(np.uint8), labels[::every]


def cluster_digits(
    a: float, b: float, n_components: int, *, every=1, sweeps=200, start=0
) -> dict:
    """Fit every n-th digit by VB, from the same start for any (a, b).

    Returns "counts" (K,) and "means" (K, 64) by falling size, "F" (nats), the number of images
    "size", and their "agreement": the share in a cluster where their own digit is the commonest.
    """
    X, labels = digits(every)
    mixture = bernoulli_mixture(SIDE**2, a, b, precision=np.float64)
    first = init_from_rows(
        mixture, X, n_components, np.random.default_rng([n_components, start])
    )
    fit = fit_batch(mixture, X, first, max_epochs=sweeps, tolerance=0.01)
    S = fit.S[np.argsort(-fit.S[:, 0], kind="stable")]
    table = np.zeros((n_components, 10))
    np.add.at(table, (mixture.responsibilities(X, S).argmax(axis=1), labels), 1)
    found = {
        "agreement": table.max(axis=1).sum() / len(X),
        "F": -fit.elbo,
        "size": len(X),
    }
    return found | {
        "counts": S[:, 0],
        "means": mixture.family.parameters(S).probability,
    }


def handwritten_digits() -> OldExplorer:
    """Slide (a, b) and see the digits' clusters merge, vanish and sharpen."""
    controls = {
        "a": log_slider("Weights' prior a", 0.01, 100, 1.0, 2),
        "b": log_slider("Pixels' prior b", 0.01, 100, 1.0, 2),
        "n_components": select_slider("Components offered", (5, 10, 15, 20), 20),
    }
    for name, value in [(n, value) for n in "ab" for _, value in controls[n].options]:
        compute(**{"a": 1.0, "b": 1.0, "n_components": 20, name: value})
    title = "Handwritten digits under any prior"
    return OldExplorer(
        controls, compute, setup, draw, title=title, status=status, size=(6.3, 3.4)
    )


@lru_cache(1000)
def compute(a, b, n_components):
    return cluster_digits(a, b, n_components, every=EVERY, sweeps=SWEEPS)


def setup(figure):
    """The used clusters' mean images by falling size, white where ink is probable, with the number
    of images in each cluster above.
    """
    ax = figure.add_subplot(xticks=[], yticks=[])
    image = ax.imshow(np.zeros((ROWS * 12, COLUMNS * 10)), "gray", vmin=0, vmax=1)
    ax.spines[:].set_visible(False)
    places = [
        (10 * column + 4.5, 12 * row + 1.6) for row, column in np.ndindex(ROWS, COLUMNS)
    ]
    return image, [ax.text(*place, "", fontsize=10, ha="center") for place in places]


def draw(artists, arrays, values):
    (image, labels), tiles = artists, np.full((ROWS * COLUMNS, 12, 10), np.nan)
    shown = arrays["counts"][arrays["counts"] >= USED]
    for k, label in enumerate(labels):
        label.set_text(f"{shown[k]:.0f}" if k < len(shown) else "")
    tiles[: len(shown), 3:-1, 1:-1] = arrays["means"][: len(shown)].reshape(
        -1, SIDE, SIDE
    )
    image.set_data(
        tiles.reshape(ROWS, COLUMNS, 12, 10).swapaxes(1, 2).reshape(ROWS * 12, -1)
    )


def status(arrays, values) -> str:
    used = arrays["counts"][arrays["counts"] >= USED]
    return (
        f"{len(used)} of {values['n_components']} components are used after at most {SWEEPS} "
        f"sweeps over {arrays['size']} images; the smallest holds {used[-1]:.0f}. "
        f"F = {arrays['F']:.0f} nats. {100 * arrays['agreement']:.0f} % of the images lie in a "
        "cluster where their own digit is the commonest."
    )
