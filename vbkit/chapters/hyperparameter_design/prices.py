"""OldExplorer: what a group of identical people costs, apart and inside a large component."""

import numpy as np
from scipy.special import betaln, gammaln

from vbkit import plots
from vbkit.chapters.hyperparameter_design.experiments import (
    MINORITIES,
    N_COMPONENTS,
    SIZE,
)
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import dropdown, log_slider

PEOPLE = np.arange(1.0, 100.0)


def costs(n, a: float, b: float, items: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what n (n,) identical people add to -log p(X, Z) (nats): apart, and inside.

    Apart: in a component of their own. Inside: in that large component of the truth that suits them
    better. The large components hold the expected counts of 1000 - n people.
    """

    def log_evidence(counts, ones):
        pairs = betaln(b + ones, b + counts[..., None] - ones) - betaln(b, b)
        return gammaln(a + counts) - gammaln(a) + pairs.sum(axis=-1)

    truth, prior = MINORITIES[items], N_COMPONENTS * a
    weights, means, alike = truth.weights[:2], truth.means[:2], np.round(truth.means[2])
    large = (SIZE - n)[:, None] * weights / weights.sum()
    ones, theirs = large[..., None] * means, n[:, None] * alike
    merged = log_evidence(large + n[:, None], ones + theirs[:, None]) - log_evidence(
        large, ones
    )
    total = gammaln(prior + SIZE) - gammaln(prior + SIZE - n)
    return total - log_evidence(n, theirs), total - merged.max(axis=1)


def smallest_group(a: float, b: float, items: int) -> int:
    """Return the least number of identical people worth a component; 100 if it is not below."""
    apart, inside = costs(PEOPLE, a, b, items)
    return int(np.append(inside > apart, True).argmax()) + 1


def price_of_a_group() -> OldExplorer:
    """Slide the prior: what each person pays apart and inside, and from which group size on apart
    is cheaper."""
    controls = {
        "a": log_slider("Weights' prior a", 0.01, 10, 1.0, 4),
        "b": log_slider("Answers' prior b", 0.001, 10, 10.0, 4),
        "items": dropdown("Questions", (5, 10), 5),
    }
    words = {"title": "A component of their own, or not?", "status": status}
    return OldExplorer(controls, compute, setup, draw, size=(7.0, 3.2), **words)


def compute(a, b, items):
    each = [cost / PEOPLE for cost in costs(PEOPLE, a, b, items)]
    return {"each": each, "least": smallest_group(a, b, items)}


def setup(figure):
    """Cost per person in nats over the number of identical people: a solid line for a component of
    their own, a dashed one for staying inside a large component. A dot marks the smallest group for
    which the first is cheaper.
    """
    ax = figure.subplots()
    ax.set(
        xlabel="identical people in the group",
        ylabel="cost per person (nats)",
        ylim=(0, 19),
    )
    ax.set(xscale="log", xlim=(1, 99), yticks=[0, 5, 10, 15])
    ax.set_xticks([1, 2, 5, 10, 20, 50], [1, 2, 5, 10, 20, 50])
    ax.minorticks_off()
    names = "in a component of their own", "inside a large component"
    lines = [
        ax.plot([], [], **plots.line_style(k, label=name))[0]
        for k, name in enumerate(names)
    ]
    ax.legend(loc="upper right")
    return lines, ax.plot([], [], "o", color="black", ms=9, clip_on=False)[0]


def draw(artists, arrays, values):
    lines, dot = artists
    for line, each in zip(lines, arrays["each"], strict=True):
        line.set_data(PEOPLE, each)
    least = arrays["least"]
    dot.set_data(([least], [arrays["each"][0][least - 1]]) if least < 100 else ([], []))


def status(arrays, values) -> str:
    least, (apart, inside) = arrays["least"], arrays["each"]
    size = f"for {least} or more" if least < 100 else "for no group below 100"
    return (
        f"A component of their own is cheaper {size} identical people. Ten of them cost "
        f"{10 * apart[9]:.1f} nats apart and {10 * inside[9]:.1f} inside; one costs "
        f"{apart[0]:.1f} and {inside[0]:.1f}."
    )
