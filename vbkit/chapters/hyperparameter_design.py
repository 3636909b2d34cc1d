"""Kaji 2011, chapter 6: what the prior's (a, b) do to F, to the generalization error and to small clusters; handwritten
digits, clustered under any (a, b)."""

from functools import lru_cache

import numpy as np
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.binary import Truth, binary_vectors, pattern_counts
from vbkit.chapters.phase_figures import in_a_row
from vbkit.families import BetaBernoulli, Dirichlet
from vbkit.learning import fit_batch, init_from_rows
from vbkit.mixture import Mixture
from vbkit.theory import elbo_of_statistics, generalization_error, solve
from vbkit.widgets.controls import log_slider, select_slider
from vbkit.widgets.explorer import Explorer

MEANS = {  # ours, three components each: the thesis shows its own as pictures
    "clear": [[0.9, 0.8, 0.1, 0.2, 0.1], [0.1, 0.2, 0.9, 0.8, 0.2], [0.2, 0.9, 0.8, 0.1, 0.9]],
    "mixed": [[0.7, 0.6, 0.2, 0.3, 0.4], [0.3, 0.4, 0.8, 0.7, 0.2], [0.4, 0.8, 0.6, 0.3, 0.8]],
}
TRUTHS = {
    name: Truth(np.array([0.4, 0.35, 0.25]), np.array(means)) for name, means in MEANS.items()
}
_MINORITY = np.array(
    [[0.9, 0.8, 0.7, 0.1, 0.2], [0.2, 0.1, 0.6, 0.8, 0.9], [0.02, 0.98, 0.02, 0.98, 0.02]]
)
MINORITIES = {M: Truth(np.array([0.55, 0.44, 0.01]), np.tile(_MINORITY, M // 5)) for M in (5, 10)}
PATIENCE = {"max_sweeps": 3000, "tolerance": 1e-7}
N_COMPONENTS, SIZE, USED = (
    10,
    1000,
    0.5,
)  # K and N of section 6.2; a component with this many data or more counts as used


def bernoulli_mixture(dimension: int, a: float, b: float, **settings) -> Mixture:
    """The thesis's mixture: weights of prior Dirichlet(a), probabilities of prior Beta(b, b)."""
    return Mixture(BetaBernoulli(dimension, b, **settings), Dirichlet(a))


def log_evidence(counts, ones, a: float, b: float) -> float:
    """log p(X, Z) in nats for data assigned to components: counts (K,), and counts of ones (K, M)."""
    n, ones = np.asarray(counts, float)[:, None], np.asarray(ones, float)
    return elbo_of_statistics(
        bernoulli_mixture(ones.shape[1], a, b), np.hstack([n, ones, n - ones])
    )


def random_starts(X, number: int, rng) -> np.ndarray:
    """States (number, K, 1 + 2M): each component begins near a random data point, 30 % of the way to the mean of all."""
    mixture = bernoulli_mixture(X.shape[1], 1.0, 1.0)
    return np.stack([init_from_rows(mixture, X, N_COMPONENTS, rng) for _ in range(number)])


def surfaces(truth: Truth, a, b, starts: int, rng) -> dict[str, np.ndarray]:
    """One trial of section 6.2.1: data of the truth, VB at every pair of a (A,), b (B,), from the same starts.

    Each (A, B): "free_energy" (less N S) and generalization "error" of the solution with the lowest F, in nats, its
    "used" components, the data in its "smallest" used component, and the "spread" of F over the starts.
    """
    X, _ = truth.sample(SIZE, rng)
    counts, begin = pattern_counts(X), random_starts(X, starts, rng)
    pairs = np.array([(x, y) for x in a for y in b])
    found = solve(
        counts, np.tile(begin, (len(pairs), 1, 1)), *np.repeat(pairs, starts, axis=0).T, **PATIENCE
    )
    F = found.free_energy.reshape(len(pairs), starts)
    S = found.S[np.arange(len(pairs)) * starts + F.argmin(axis=1)]
    shares, lowest, n = counts[counts > 0] / SIZE, F.min(axis=1), S[..., 0]
    mixtures = [bernoulli_mixture(X.shape[1], *pair) for pair in pairs]
    out = {"free_energy": lowest + SIZE * shares @ np.log(shares), "used": (n >= USED).sum(axis=1)}
    out |= {
        "error": np.array(
            [generalization_error(m, s, truth)[0] for m, s in zip(mixtures, S, strict=True)]
        )
    }
    out |= {
        "smallest": np.where(n >= USED, n, np.inf).min(axis=1),
        "spread": F.max(axis=1) - lowest,
    }
    return {name: values.reshape(len(a), len(b)) for name, values in out.items()}


def isolates(counts, minority, mixture: Mixture, S) -> bool:
    """Whether one component holds at least half of the minority (2^M,) among the counts (2^M,), and is half of it."""
    R = mixture.responsibilities(binary_vectors(S.shape[1] // 2), S)
    held, size = minority @ R, counts @ R
    return bool(((held >= 0.5 * minority.sum()) & (held >= 0.5 * size)).any())


def minority_trial(dimension: int, settings, starts: int, rng) -> dict[str, np.ndarray]:
    """One trial of section 6.2.2 at every (a, b) of settings (n, 2): "found", the minority isolated, and "used" components
    (n, 3) of the first start, of the lowest F of all starts, and of a start at the true assignment; "excess" (n,): F of
    the last above the lowest of the random ones."""
    truth = MINORITIES[dimension]
    X, labels = truth.sample(SIZE, rng)
    counts, minority = pattern_counts(X), pattern_counts(X[labels == 2])
    T = BetaBernoulli(dimension).statistics(X)
    at_truth = np.pad(np.eye(3)[labels].T @ T, ((0, N_COMPONENTS - 3), (0, 0)))
    begin = np.concatenate([random_starts(X, starts, rng), at_truth[None]])
    out = {"found": [], "used": [], "excess": []}
    for a, b in settings:
        fits, mixture = solve(counts, begin, a, b, **PATIENCE), bernoulli_mixture(dimension, a, b)
        best = fits.free_energy[:-1].argmin()
        out["found"].append(
            [float(isolates(counts, minority, mixture, fits.S[i])) for i in (0, best, -1)]
        )
        out["used"].append([(fits.S[i, :, 0] >= USED).sum() for i in (0, best, -1)])
        out["excess"].append(fits.free_energy[-1] - fits.free_energy[best])
    return {name: np.array(values, float) for name, values in out.items()}


# ---- digits ------------------------------------------------------------------------------------------------------

SIDE, COLUMNS, ROWS, SWEEPS, EVERY = 8, 5, 4, 40, 4
UNITS_OFFERED = (5, 10, 15, 20)


@lru_cache
def digits(every: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Every n-th of scikit-learn's handwritten digits, a pixel 1 where its ink is 8 of 16 or more: (N, 64); labels."""
    from sklearn.datasets import load_digits  # here, since it takes longer to load than all else

    X, labels = load_digits(return_X_y=True)
    return (X[::every] >= 8).astype(np.uint8), labels[::every]


@lru_cache
def _start(n_components: int, every: int, start: int = 0):
    rng = np.random.default_rng([n_components, start])
    return init_from_rows(bernoulli_mixture(SIDE**2, 1.0, 1.0), digits(every)[0], n_components, rng)


def cluster_digits(
    a: float, b: float, n_components: int, *, every: int = 1, sweeps: int = 200, start: int = 0
) -> dict:
    """VB on every n-th digit, from the same start for any (a, b): "counts" (K,) and "means" (K, 64) by falling size,
    "agreement", the share of images in a cluster where their own digit is the commonest, "F" and "size"."""
    X, labels = digits(every)
    mixture = bernoulli_mixture(X.shape[1], a, b, precision=np.float64)
    fit = fit_batch(
        mixture, X, _start(n_components, every, start), max_epochs=sweeps, tolerance=0.01
    )
    S = fit.S[np.argsort(-fit.S[:, 0], kind="stable")]
    mine = mixture.responsibilities(X, S).argmax(axis=1)
    table = np.zeros((n_components, 10))
    np.add.at(table, (mine, labels), 1)
    found = {"agreement": table.max(axis=1).sum() / len(X), "F": -fit.elbo, "size": len(X)}
    return found | {"counts": S[:, 0], "means": mixture.family.means(S)}


def explorer() -> Explorer:
    """Slide (a, b) and see the digits' clusters merge, vanish and sharpen."""
    controls = {
        "a": log_slider("Weights' prior a", 0.01, 100, 1.0, 2),
        "b": log_slider("Pixels' prior b", 0.01, 100, 1.0, 2),
        "n_components": select_slider("Components offered", UNITS_OFFERED, 20),
    }
    alt = (
        "Left: the clusters' mean images by falling size, white where ink is probable, their images' number above. "
        "Right: the sizes in the same order on a logarithmic axis."
    )
    words = {"title": "Handwritten digits under any prior", "alt": alt, "status": status}
    return Explorer(controls, compute, setup, draw, size=(9.0, 4.2), **words)


def compute(a, b, n_components):
    return cluster_digits(a, b, n_components, every=EVERY, sweeps=SWEEPS)


def setup(figure):
    left, right = figure.subplots(1, 2, width_ratios=[1.5, 1])
    image = left.imshow(
        np.zeros((ROWS * 12, COLUMNS * 10)), cmap="gray", vmin=0, vmax=1, interpolation="nearest"
    )
    left.spines[:].set_visible(False)
    places = [(10 * (k % COLUMNS), 12 * (k // COLUMNS)) for k in range(20)]
    words = [left.text(x + 4.5, y + 1.6, "", fontsize=9, ha="center") for x, y in places]
    left.set(xticks=[], yticks=[], title="Clusters by falling size")
    (line,) = right.plot([], [], marker="o", ls="-", color=plots.COLOURS[0])
    right.set(
        xlim=(0.5, 20.5), ylim=(0.7, 1000), yscale="log", xlabel="cluster", title="Images in each"
    )
    right.set_xticks([1, 5, 10, 15, 20])
    right.set_yticks([1, 10, 100], ["1", "10", "100"])
    return {"image": image, "words": words, "sizes": line}


def draw(artists, arrays, values):
    counts, tiles = arrays["counts"], np.full((ROWS * 12, COLUMNS * 10), np.nan)
    for k, word in enumerate(artists["words"]):
        there = k < len(counts) and counts[k] >= USED
        word.set_text(f"{counts[k]:.0f}" if there else "")
        if there:
            top, left = 12 * (k // COLUMNS) + 3, 10 * (k % COLUMNS) + 1
            tiles[top : top + SIDE, left : left + SIDE] = arrays["means"][k].reshape(SIDE, SIDE)
    artists["image"].set_data(np.ma.masked_invalid(tiles))
    shown = counts[counts >= USED]
    artists["sizes"].set_data(np.arange(1, len(shown) + 1), shown)


def status(arrays, values) -> str:
    counts, used = arrays["counts"], int((arrays["counts"] >= USED).sum())
    return (
        f"{used} of {values['n_components']} components are used after at most {SWEEPS} sweeps over {arrays['size']} images; the "
        f"smallest holds {counts[used - 1]:.0f}. F = {arrays['F']:.0f} nats. {100 * arrays['agreement']:.0f} % of the "
        "images lie in a cluster where their own digit is the commonest."
    )


# ---- drawings of the notebook ------------------------------------------------------------------------------------


def draw_surface(ax, a, b, values, *, form="{:.0f}", lines=None, top=None):
    """A surface (A, B) over a (A,) and b (B,) as a shaded table, a to the right and b upwards, with its numbers.
    lines: M, to draw the limit below which redundant components vanish, a = min((M + 1)/2, 1/2 + M b). top: of shades."""
    look = {
        "low": np.min(values),
        "top": np.max(values) if top is None else top,
        "middle": 0.5,
        "lw": 1,
        "size": 8,
    }
    plots.draw_table(ax, np.transpose(values), a, b, form=form, **look)
    if lines is not None:
        at = np.geomspace(b[0], b[-1], 200)
        limit = np.minimum((lines + 1) / 2, 0.5 + lines * at)
        position = [
            np.interp(np.log(x), np.log(grid), np.arange(len(grid)) + 0.5)
            for x, grid in ((limit, a), (at, b))
        ]
        ax.plot(*position, color=plots.COLOURS[1], lw=2.5, ls="--", alpha=0.8)
    ax.set(xlabel="$a$", ylabel="$b$")


def draw_ellipses(ax, weights, means, *, least=0.0):
    """Components as rows of squares, white for ones, by falling weight, with the weights (K,) beside them."""
    order = [k for k in np.argsort(-np.asarray(weights), kind="stable") if weights[k] >= least]
    for row, k in enumerate(order):
        for m, value in enumerate(means[k]):
            ax.add_patch(Rectangle((m, -row), 0.94, 0.86, fc=str(float(value)), ec="black", lw=0.6))
        ax.text(len(means[k]) + 0.2, 0.43 - row, f"{weights[k]:.3f}", va="center", fontsize=8)
    ax.set(xlim=(-0.2, len(means[0]) + 2.6), ylim=(-N_COMPONENTS + 0.8, 1.1))
    ax.axis("off")


def draw_images(ax, means, counts):
    """Used clusters in one row: mean images (K, 64) by falling size, white for ink, and the number of images above."""
    K = int((counts >= USED).sum())
    ax.imshow(in_a_row(means[:K].reshape(K, SIDE, SIDE)), cmap="gray", vmin=0, vmax=1)
    for k, n in enumerate(counts[:K]):
        ax.text(9 * k + 3.5, -1.1, f"{n:.0f}", ha="center", fontsize=8)
    ax.set(xlim=(-0.5, 9 * len(counts) - 0.5))
    ax.axis("off")


EXPLORERS = {"09": explorer}
