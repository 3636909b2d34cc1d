"""Wagers: a reader says how probable an answer is, and is scored as a forecaster is.

    wager("00a-1", 0.7)          # after a prediction: I give a yes 70 %
    score("00a-1", m < 0.15)     # after the answer: was it a yes?

A score is the logarithm of the probability that was given to what turned out to be true,
in nats: 0 for somebody who was sure and right, log 0.5 = -0.69 for somebody who does not
know, and far below that for somebody who was sure and wrong. Nothing leaves the notebook.
"""

import math

from vbkit.press.publish import Page

NO_IDEA = math.log(0.5)  # nats, the score of whoever says one half

_said: dict[str, float] = {}


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
        f"Wager {name}: you give *yes* {percent}. Your score is below the answer."
    )


def score(name: str, happened: bool) -> Page:
    """Return the score of a wager, in a fold.

    happened: whether the answer was yes. Raises ValueError if there was no such wager.
    """
    if name not in _said:
        raise ValueError(f"name was {name!r}; the wagers so far are {sorted(_said)}")
    yes = _said[name]
    given = yes if happened else 1 - yes
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
