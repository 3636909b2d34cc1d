"""A thousand people, of whom ten answer alike: what lectures 09a and 09b share. Their answers,
what VB finds of them, and components drawn as rows of squares."""

from functools import cache
from typing import NamedTuple

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.course.minority import (
    MINORITIES,
    N_COMPONENTS,
    SIZE,
    USED,
    bernoulli_mixture,
    learn,
    own_component,
    random_starts,
)
from vbkit.course.people import mean_answers
from vbkit.families.bernoulli import pattern_counts
from vbkit.phases import first_of_the_lowest

QUESTIONS = 5
TRUTH = MINORITIES[QUESTIONS]
SIZES = (550, 440, 10)  # of the groups
STARTS = 10
OWN = plots.COLOURS[1]  # of whatever belongs to the ten people


# ---- a thousand people ---------------------------------------------------------------


class People(NamedTuple):
    """A thousand people: what they answer, and where VB starts."""

    X: np.ndarray  # (1000, 5), 1 for a yes
    ten: np.ndarray  # (1000,), whether they belong to the ten
    counts: np.ndarray  # (32,), how many hand in each answer sheet
    starts: np.ndarray  # (10, 10, 11)


@cache
def thousand_people() -> People:
    """Draw the answers of the three groups, which have exactly SIZES people."""
    rng = np.random.default_rng(2011)
    group = np.repeat([0, 1, 2], SIZES)
    X = (rng.random((SIZE, QUESTIONS)) < TRUTH.means[group]).astype(np.uint8)
    return People(X, group == 2, pattern_counts(X), random_starts(X, STARTS, rng))


class Found(NamedTuple):
    """The components in use with the lowest free energy, the largest first."""

    counts: np.ndarray  # (n,), people
    answers: np.ndarray  # (n, 5), mean probabilities of a yes
    own: int | None  # which of them belongs to the ten people
    free_energy: float  # nats
    S: np.ndarray  # (10, 11), all components


def best_of(starts, alpha: float, beta: float) -> Found:
    """Run VB for the thousand people from the starts, and return the best end."""
    people = thousand_people()
    ends = learn(people.counts, starts, alpha, beta)
    S = ends.S[first_of_the_lowest(ends.free_energy)]
    S = S[np.argsort(-S[:, 0], kind="stable")]
    used = S[S[:, 0] >= USED]
    R = bernoulli_mixture(QUESTIONS, alpha, beta).responsibilities(people.X, S)
    return Found(
        used[:, 0],
        mean_answers(used, beta),
        own_component(R, people.ten),
        float(ends.free_energy.min()),
        S,
    )


@cache
def find(alpha: float, beta: float) -> Found:
    """Return the best of ten random starts."""
    return best_of(thousand_people().starts, alpha, beta)


# ---- rows of squares -----------------------------------------------------------------

SQUARE = np.array([(0, 0.05), (0.94, 0.05), (0.94, 0.91), (0, 0.91)])


def frame_of_rows(axes, title: str, rows=N_COMPONENTS):
    """Lay out axes for so many rows of components."""
    axes.set(xlim=(-1.3, QUESTIONS + 0.1), ylim=(rows, -0.1), title=title)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def make_squares(axes):
    """Make a collection of squares, which come with each drawing."""
    return axes.add_collection(PolyCollection([], edgecolors="black", lw=0.7))


def make_box(axes):
    """Make the frame around the row of the ten people."""
    width = QUESTIONS + 0.06
    box = Rectangle((-0.06, 0), width, 0.96, fill=False, ec=OWN, lw=2.5, zorder=5)
    return axes.add_patch(box)


def squares_of(answers) -> dict:
    """Return the properties of squares for answers (n, 5), one row below the other."""
    places = [SQUARE + place[::-1] for place in np.ndindex(answers.shape)]
    greys = [plots.grey(value) for value in answers.ravel()]
    return {"verts": places, "facecolor": greys}


def draw_rows(panel, found: Found):
    """Draw components as rows of squares, with a frame around that of the ten people."""
    panel.artist(make_squares, **squares_of(found.answers))
    # outside of the axes if they have none
    panel.artist(make_box, y=-5.0 if found.own is None else float(found.own))
    for row, count in enumerate(found.counts):
        words = f"{count:.0f}" if count >= 9.95 else f"{count:.1f}"
        panel.text(-0.2, row + 0.5, words, ha="right", va="center", size=10)


def draw_groups(axes):
    """Draw the three groups of people, which stand still, in the same way."""
    make_squares(axes).update(squares_of(TRUTH.means))
    make_box(axes).set_y(2)
    for row, size in enumerate(SIZES):
        axes.text(-0.2, row + 0.5, size, ha="right", va="center", size=10)
    key = "white: always yes\nblack: always no\norange frame: the ten"
    axes.text(0, 5, key, va="center", color=plots.GREY)
    axes.set_zorder(-1)  # behind all that moves
