"""A ball in a landscape that is changed and changed back: what lectures 07c and 10 share."""

import numpy as np

from vbkit import plots
from vbkit.course import Explorer

DOWN, UP = plots.COLOURS[1:3]


class RollingBall(Explorer):
    """Left: a landscape, in which a ball rests. Right: where the ball has rested so far, dots
    on the way down and squares on the way up.

    A subclass has the control `stop`, made by `there_and_back`, and says the rest.

    stops (n,): the values at which the ball rests; turn: so many lie on the way down;
    curve: how the landscape is drawn.
    """

    size = (9.0, 3.8)
    stops = np.zeros(0)
    turn = 0
    curve = {}

    def rests(self) -> np.ndarray:
        """Return the place at which the ball rests at each of the stops, (n,)."""
        raise NotImplementedError

    def landscape(self, stop: float) -> tuple[np.ndarray, np.ndarray]:
        """Return places (m,), and the height of the landscape (m,) there, for a value."""
        raise NotImplementedError

    def frame_of_each(self, well, trail):
        """Lay out the axes of the landscape, and those of the ball's trail."""
        raise NotImplementedError

    def compute(self, stop):
        return self.rests()[: stop + 1]

    def frame(self, figure):
        well, trail = figure.subplots(1, 2)
        well.axhline(0, color=plots.GREY, lw=0.8)
        self.frame_of_each(well, trail)
        return well, trail

    def draw(self, panels, rests, now):
        well, trail = panels
        stops = self.stops[: now.stop + 1]
        places, heights = self.landscape(float(stops[-1]))
        well.line(places, heights, **self.curve)
        way = DOWN if self.way(now) == "down" else UP
        height = np.interp(rests[-1], places, heights)
        well.points(rests[-1], height, color=way, mec="black", ms=11)
        turn = self.turn
        trail.points(stops[:turn], rests[:turn], color=DOWN, ms=4)
        trail.points(stops[turn:], rests[turn:], color=UP, marker="s", mfc="none", ms=8)
        trail.points(stops[-1], rests[-1], color=way, mec="black", ms=11)

    def way(self, now) -> str:
        """Return which way the slider goes, "down" or "up"."""
        return "down" if now.stop < self.turn else "up"
