"""OldExplorer: a thousand people, a small group among them, and what VB finds under any prior."""

from functools import lru_cache

import numpy as np

from vbkit.chapters.hyperparameter_design import experiments
from vbkit.chapters.hyperparameter_design.answers import isolated
from vbkit.chapters.hyperparameter_design.pictures import fill_rows, open_rows
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider
from vbkit.families.bernoulli import pattern_counts
from vbkit.phases import solve

TRUTH, ITEMS, STARTS = experiments.MINORITIES[5], 5, 10


@lru_cache
def thousand_people(few: int) -> tuple:
    """Return answers (1000, 5), truth values (1000,) for the small group, patterns' counts and
    starts. Exactly `few` belong to the small group."""
    rng, groups = (
        np.random.default_rng(2011),
        np.repeat([0, 1, 2], [550, 450 - few, few]),
    )
    X = (rng.random((experiments.SIZE, ITEMS)) < TRUTH.means[groups]).astype(np.uint8)
    return X, groups == 2, pattern_counts(X), experiments.random_starts(X, STARTS, rng)


@lru_cache
def find_components(a: float, b: float, few: int = 10) -> dict:
    """Fit the thousand people: "weights" and "means" of the used components by falling weight.

    The best of ten starts; "F" is its free energy, and "own" tells whether the small group has a
    component of its own.
    """
    X, minority, counts, starts = thousand_people(few)
    fits = solve(counts, starts, a, b, max_iterations=300, tolerance=1e-5)
    S = fits.S[fits.free_energy.argmin()]
    mixture = experiments.bernoulli_mixture(ITEMS, a, b)
    order = [
        k for k in np.argsort(-S[:, 0], kind="stable") if S[k, 0] >= experiments.USED
    ]
    return {
        "weights": (S[order, 0] + a)
        / (experiments.SIZE + experiments.N_COMPONENTS * a),
        "means": mixture.family.parameters(S[order]).probability,
        "F": fits.free_energy.min(),
        "own": isolated(mixture.responsibilities(X, S), minority),
    }


def ten_people() -> OldExplorer:
    """Slide the prior and the size of the small group, and see which components VB uses."""
    controls = {
        "a": select_slider(
            "Weights' prior a", (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0), 1.0
        ),
        "b": select_slider(
            "Answers' prior b", (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 5.0, 10.0), 1.0
        ),
        "few": select_slider("People in the small group", (3, 10, 30, 100), 10),
    }
    for _, few in controls["few"].options:
        thousand_people(few)  # now, and not while the slider moves
    words = {"title": "A thousand people, ten components", "status": status}
    return OldExplorer(controls, find_components, setup, draw, size=(6.5, 3.2), **words)


def setup(figure):
    """Left: the three true groups as rows of five squares, white where yes is probable, with their
    weights. Right: the components that VB uses, in the same way, by falling weight.
    """
    return [*map(open_rows, figure.subplots(1, 2), ("truth", "found by VB"))]


def draw(artists, arrays, values):
    weights = np.array([550, 450 - values["few"], values["few"]]) / experiments.SIZE
    fill_rows(*artists[0], weights, TRUTH.means)
    fill_rows(*artists[1], arrays["weights"], arrays["means"])


def status(arrays, values) -> str:
    used, number = len(arrays["weights"]), "a" if arrays["own"] else "no"
    return (
        f"{used} of {experiments.N_COMPONENTS} components are used (best of {STARTS} starts). The "
        f"group of {values['few']} has {number} component of its own. F = {arrays['F']:.1f} nats."
    )
