"""A lost bracket: the printed update rule beside the corrected one."""

from functools import cache

import numpy as np
from scipy.special import digamma, softmax, xlogy

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import dropdown, select_slider, slider
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

SWEEPS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 80, 120)
STARTS = 4
RULES = {"corrected": -0.5, "as printed": 1.0}  # the factor before M sigma^2
MIXTURE = Mixture(KnownCovariance(np.zeros(2), 10.0), Dirichlet(1.0))


@cache
def clumps() -> np.ndarray:
    """Draw 60 points in three clumps."""
    rng = np.random.default_rng(1)
    corners = 3.0 * np.array([[-1, -0.6], [1, -0.6], [0, 1.1]])
    return corners[rng.integers(3, size=60)] + rng.standard_normal((60, 2))


@cache
def learn(rule: str, start: int) -> tuple[list, np.ndarray]:
    """Return the states (6, 3) of each sweep of six components and F (sweeps,) by this rule."""
    x, states, F = clumps(), [], []
    z = np.random.default_rng([1, start]).dirichlet(np.ones(6), 60)
    for _ in range(SWEEPS[-1] + 1):
        S = MIXTURE.m_step(x, z)
        base = MIXTURE.family.log_base(x).sum()
        states.append(S)
        F.append(xlogy(z, z).sum() - MIXTURE.log_normalizer_ratio(S) - base)
        variance, centres = 1 / (S[:, 0] + 0.1), MIXTURE.family.parameters(S).mean
        squares = ((x[:, None] - centres) ** 2).sum(-1)
        z = softmax(
            digamma(1 + S[:, 0]) - squares / 2 + RULES[rule] * 2 * variance, axis=1
        )
    return states, np.array(F)


def lose_a_bracket() -> OldExplorer:
    """Choose the rule, a start and the sweep."""

    def compute(sweep, rule, start):
        states, F = learn(rule, start)
        gaussians = MIXTURE.family.parameters(states[sweep])
        counts = states[sweep][:, 0]
        return {
            "x": clumps(),
            "counts": counts,
            "gaussians": gaussians,
            "F": F[: sweep + 1],
        }

    controls = {
        "sweep": select_slider("Sweep", SWEEPS, 5, play=600),
        "rule": dropdown("Rule", [*RULES], "corrected"),
        "start": slider("Start", 1, STARTS, 1),
    }
    words = {"title": "What a bracket is worth", "status": tell}
    return OldExplorer(controls, compute, set_up, draw, **words, size=(9, 3.8))


def set_up(figure):
    """Left: sixty points in three clumps and six components as circles of two standard deviations,
    heavier the more data they hold. Right: the free energy, sweep by sweep.
    """
    plane, energy = figure.subplots(1, 2)
    plane.set(xlim=(-7, 7), ylim=(-5.5, 6.5), aspect="equal", xticks=[], yticks=[])
    plane.set_title("Data and components")
    energy.set(
        xlim=(-3, SWEEPS[-1] + 3), ylim=(248, 268), xlabel="sweep", title="F (nats)"
    )
    return {
        "points": plots.draw_points(plane, np.zeros((1, 2)), size=3),
        "components": plots.draw_ellipses(plane, np.zeros((1, 2)), np.ones(1)),
        "F": energy.plot(
            [], [], color=plots.COLOURS[0], ls="-", marker="o", markevery=[-1]
        )[0],
    }


def draw(artists, arrays, values):
    artists["points"][0].set_data(*arrays["x"].T)
    weights = np.maximum(arrays["counts"], 0.01)
    plots.update_ellipses(artists["components"], *arrays["gaussians"], weights)
    artists["F"].set_data(np.arange(2, len(arrays["F"])), arrays["F"][2:])


def tell(arrays, values) -> str:
    alive = sum(arrays["counts"] > 1)
    return f"F {arrays['F'][-1]:.1f} nats; {alive} of 6 components hold more than one data point."
