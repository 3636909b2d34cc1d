"""Wagers: a reader says how probable an answer is, and is scored as a forecaster is.

    wager("00a-1", 0.7)          # after a prediction: I give a yes 70 %
    score("00a-1", m < 0.15)     # after the answer: was it a yes?
    were_you_too_sure()          # at the end of a unit: all wagers so far

A score is the logarithm of the probability that was given to what turned out to be true,
in nats: 0 for somebody who was sure and right, log 0.5 = -0.69 for somebody who does not
know, and far below that for somebody who was sure and wrong. Nothing leaves the notebook.
"""

import math

import numpy as np

from vbkit import plots
from vbkit.press.publish import Page

NO_IDEA = math.log(0.5)  # nats, the score of whoever says one half

_said: dict[str, float] = {}  # to a yes
_given: dict[str, float] = {}  # to what turned out to be true


def wager(name: str, probability: float) -> Page:
    """Note the probability that a reader gives to a yes; return what is shown.

    Raises ValueError unless 0 < probability < 1: whoever is quite sure, and wrong, would
    have lost without a limit.
    """
    if not 0 < probability < 1:
        raise ValueError(
            f"probability was {probability!r}; it must lie between 0 and 1, both excluded"
        )
    _said[name] = float(probability)
    percent = f"{100 * probability:.0f} %"
    return Page(
        f"Wager {name}: you give *yes* {percent}. You will find your score under the answer."
    )


def score(name: str, happened: bool) -> Page:
    """Return the score of a wager, in a fold.

    happened: whether the answer was yes. Raises ValueError if there was no such wager.
    """
    if name not in _said:
        raise ValueError(f"name was {name!r}; the wagers so far are {sorted(_said)}")
    yes = _said[name]
    given = yes if happened else 1 - yes
    _given[name] = given
    answer = "yes" if happened else "no"
    lines = [
        f"<details><summary>Your score for wager {name}</summary>",
        "",
        f"The answer is *{answer}*, and you gave it {100 * given:.0f} %. Your score is "
        f"$\\log {given:.2f}={math.log(given):.2f}$ nats. Zero would be perfect, and "
        f"one half always earns ${NO_IDEA:.2f}$.",
        "",
        "</details>",
    ]
    return Page("\n".join(lines))


def were_you_too_sure(earlier=()) -> plots.Picture:
    """Draw how sure a reader was, on average, above how often the reader was right.

    earlier: what the reader gave to the answers that turned out to be true in other
    notebooks, probabilities between 0 and 1; the scored wagers of this notebook are added.
    Whoever gives one half votes for neither side, and counts as half right. Raises
    ValueError for what is no such probability, and if there is nothing to draw.
    """
    for each in earlier:
        if not 0 < each < 1:
            raise ValueError(
                f"earlier had {each!r}; each must lie between 0 and 1, both excluded"
            )
    given = np.array([*earlier, *_given.values()])
    if not len(given):
        raise ValueError("no wager was scored in this notebook, and earlier is empty")
    sure = 100 * np.maximum(given, 1 - given).mean()
    right = 100 * ((given > 0.5).mean() + (given == 0.5).mean() / 2)
    fig, (ax,) = plots.figure(7.5, 1.6)
    colours = plots.COLOURS[1:3]
    drawn = ax.barh([0, 1], [sure, right], 0.6, color=colours)
    ax.bar_label(drawn, fmt="%.0f %%", padding=4)
    ax.set_yticks([0, 1], ["how sure you were", "how often you were right"])
    ax.set(xlim=(0, 112), ylim=(1.6, -0.6), xticks=[0, 50, 100])
    ax.set_title(f"Your {len(given)} wagers")
    alt = f"""Two bars for {len(given)} wagers: you were {sure:.0f} % sure on average, and
    right in {right:.0f} % of them."""
    return plots.Picture(fig, alt)
