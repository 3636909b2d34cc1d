"""Three kinds of people or two? The free energy of both readings of the example of Kaji 2011,
section 3.3, and of all that lies between them. For the evidence."""

import numpy as np
from matplotlib.patches import Rectangle
from scipy.special import betaln, gammaln, xlogy

from vbkit import plots
from vbkit.theory import bisect

SHARES = np.array([0.4, 0.4, 0.2])  # of the answer sheets 110, 011, 010


def free_energy_of_ties(concentration, pseudo_count, total, given):
    """Return F in nats of points that maximize the likelihood, up to a term of the
    concentration and `total`.

    given: the share of the sheet 010 that belongs to the component of 110. Concentration,
    pseudo-count and given may be arrays that broadcast, and F has their shape.
    """
    given, pseudo_count = np.broadcast_arrays(given, pseudo_count)
    first, second, rest = SHARES * total
    nobody = 0 * given
    sizes = np.stack([first + given * rest, second + nobody, (1 - given) * rest])
    yes = np.stack([first + nobody, second + nobody, nobody])
    no = np.stack([given * rest, nobody, (1 - given) * rest])
    # one question has both answers in the first component; two never vary
    answers = betaln(pseudo_count + yes, pseudo_count + no)
    answers = answers + 2 * betaln(pseudo_count, pseudo_count + sizes)
    answers = answers - 3 * betaln(pseudo_count, pseudo_count)
    labels = rest * (xlogy(given, given) + xlogy(1 - given, 1 - given))
    components = answers + gammaln(concentration + sizes)
    return labels - components.sum(axis=0) + 3 * gammaln(concentration)


def switch(pseudo_count, total):
    """Return the concentration (n,) at which hard assignments to two and to three kinds
    tie, for pseudo-counts (n,)."""

    def two_win(concentration):
        three = free_energy_of_ties(concentration, pseudo_count, total, 0.0)
        two = free_energy_of_ties(concentration, pseudo_count, total, 1.0)
        return three > two

    shape = np.shape(pseudo_count)
    return bisect(two_win, np.full(shape, 1e-9), np.full(shape, 50.0), 50)


# ---- a picture -----------------------------------------------------------------------


def picture_of_reading(weights, means) -> plots.Picture:
    """Draw a reading of three answer sheets as columns of squares (Kaji 2011, Figures 3.2
    and 3.3): weights (3,), probabilities of a yes (3, 3)."""
    weights = np.asarray(weights, float)
    means = np.asarray(means, float)
    fig, (ax,) = plots.figure(4.2, 2.6)
    columns = []
    for k, weight in enumerate(weights):
        middle = 1.5 * k + 0.5
        for question, value in enumerate(means[k]):
            place = (1.5 * k, -question)
            ax.add_patch(Rectangle(place, 1, 0.9, fc=str(value), ec="black", lw=0.8))
            ax.text(
                middle,
                0.45 - question,
                f"{value:.3g}",
                ha="center",
                va="center",
                color="white" if value < 0.5 else "black",
            )
        words = rf"$\pi_{k + 1}$ = {weight:.3g}"
        ax.text(middle, 1.25, words, ha="center", va="center")
        answers = ", ".join(f"{value:.3g}" for value in means[k])
        columns.append(f"weight {weight:.3g} with {answers}")
    for question in range(3):
        words = f"question {question + 1}"
        ax.text(-0.15, 0.45 - question, words, ha="right", va="center", size=9)
    ax.set(xlim=(-1.6, 4.2), ylim=(-2.2, 1.7), aspect="equal")
    ax.axis("off")
    alt = "Three components as columns of three squares, white for a certain yes:"
    arrays = {"weights": weights, "means": means}
    return plots.Picture(fig, f"{alt} {'; '.join(columns)}.", arrays)
