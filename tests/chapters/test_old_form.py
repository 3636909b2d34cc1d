"""Explorers made of functions: what differs from those that are classes."""

import pytest

from vbkit.chapters.old_form import OldExplorer
from vbkit.course import slider


class Line:
    """An explorer of a line, and how often its figure was drawn in full."""

    def __init__(self, monkeypatch, draw):
        self.explorer = OldExplorer(
            {"slope": slider("Slope", 0, 5, 1)},
            lambda slope: slope,
            self.setup,
            draw,
            title="A line",
            status=lambda slope, values: f"slope {slope}",
        )
        self.full = 0
        monkeypatch.setattr(self.explorer.figure.canvas, "draw", self.count)

    def setup(self, figure):
        """A line through the origin."""
        axes = figure.subplots()
        axes.set(xlim=(0, 1), ylim=(0, 5))
        return {"axes": axes, "lines": [axes.plot([], [])[0]]}

    def count(self):
        self.full += 1


def move(artists, slope, values):
    artists["lines"][0].set_data([0, 1], [0, slope])


def make_anew(artists, slope, values):
    for line in artists["axes"].lines:
        line.remove()
    artists["axes"].plot([0, 1], [0, slope])


def test_what_moves_is_drawn_over_what_stands_still(monkeypatch):
    line = Line(monkeypatch, move)
    explorer = line.explorer
    first = explorer.png
    assert explorer.alt == "A line through the origin." and explorer.status == "slope 1"
    explorer.set(slope=2)
    assert explorer.png != first and explorer.status == "slope 2" and line.full == 0
    assert explorer.at(slope=1).alt.endswith("origin. Slope: 1. slope 1")


@pytest.mark.parametrize(("draw", "full"), [(move, [0, 0]), (make_anew, [1, 2])])
def test_only_new_artists_cost_a_full_drawing(monkeypatch, draw, full):
    line = Line(monkeypatch, draw)
    line.explorer.set(slope=2)
    assert line.full == full[0]
    line.explorer.set(slope=3)
    assert line.full == full[1]
