"""Explorers of chapter 08b that run VB: the redundant component, and the phase plane."""

from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.chapters.bernoulli import phases, pictures
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import slider
from vbkit.data import KAJI2011_TRUTHS as TRUTHS


def redundant_component() -> OldExplorer:
    """A thousand people of two kinds, three components: what becomes of the third?"""
    controls = {
        "a": slider(
            "Prior a of the weights", 0.2, pictures.A_MAX, 1.0, 0.2, form="{:.1f}"
        ),
        "b": slider(
            "Prior b of the answers", 0.05, pictures.B_MAX, 1.0, 0.05, form="{:.2f}"
        ),
    }
    title = "One component too many"
    parts = _compute_three, _setup_three, _draw_three
    return OldExplorer(controls, *parts, title=title, status=_say_three, size=(8, 2.9))


def _compute_three(a, b):
    return phases.lowest_minimum("B", 3, 1000.0, a, b)[0]


def _setup_three(figure):
    """Left: the two kinds of people as rows of four squares, white where a yes is certain and black
    where a no is. Right: the three components that VB finds, as rows of squares with their numbers
    of people; an empty one is hatched.
    """
    left, right = figure.subplots(1, 2)
    weights, means = TRUTHS["B"]
    people = pictures.setup_tiles(left, 2, 4, "The people", gap=8, aspect="auto")
    people.set_data(means)
    left.set(
        ylim=(2.5, -0.5)
    )  # room for a note, outside the frame: it is no third kind
    left.spines.bottom.set_position(("data", 1.5))  # and the ticks with it
    left.add_patch(
        Rectangle((-0.5, -0.5), 4, 2, fc="none", ec=plots.GREY, clip_on=False)
    )
    left.spines[["left", "bottom"]].set_visible(False)
    left.text(
        1.5, 2.4, "1,000 people in all", ha="center", va="center", color=plots.GREY
    )
    for row, weight in enumerate(weights):
        left.text(-0.6, row, f"{1000 * weight:.0f} people", ha="right", va="center")
    return phases.setup_components(right)


def _draw_three(artists, S, values):
    phases.draw_components(artists, S, values["b"], 1000.0, "{} people")


def _say_three(S, values) -> str:
    kind, smallest = phases.FATES[phases.fate("B", S, 1000.0)], phases.short(S[-1, 0])
    return (
        f"The smallest component holds {smallest} people. The one too many is {kind}."
    )


def phase_plane() -> OldExplorer:
    """The phase diagram to click in: a truth with a black-and-white component."""
    return phases.plane("B", "The phase diagram, at any number of data")
