"""Explorers in the form that the lectures leave behind: four functions instead of a class.

New explorers are written as `vbkit.course.explorer` says.
"""

from collections.abc import Mapping

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from vbkit.course import Explorer
from vbkit.course.explorer import RESULTS


class OldExplorer(Explorer):
    """An explorer made of functions.

    - controls: mapping of argument name -> Control
    - compute(**values) -> arrays: pure; its newest results are kept
    - setup(figure) -> artists: the moving ones in any nesting of mappings, lists and
      tuples; Axes among them are passed on but do not move
    - draw(artists, arrays, values): moves the artists; returns True if everything must be
      drawn again
    - status(arrays, values) -> one line of text on the current state
    - title, alt: the explorer's name, and what its picture shows, in words; without an
      `alt` the docstring of `setup` says it
    - size: of the picture, in inches; cache: how many results are kept
    """

    def __init__(
        self,
        controls,
        compute,
        setup,
        draw,
        *,
        title,
        status,
        alt=None,
        size=(9.0, 4.0),
        cache=RESULTS,
    ):
        self.size = size
        self.compute = compute
        self._setup = setup
        self._draw = draw
        self._say = status
        alt = setup.__doc__ if alt is None else alt
        self._open(controls, title, alt, cache)

    def _move(self, values) -> bool:
        return self._draw(self._artists, self._result(values), values) is True

    def _moving(self) -> list:
        return self._flat

    def _reading(self, values) -> str:
        return self._say(self._result(values), values)

    def _asked_controls(self) -> list[str]:
        return list(self.controls)

    def _result(self, values):
        return self._computed(**values)

    def _set_stage(self, figure):
        self._artists = self._setup(figure)
        self._flat = list(_moving_artists(self._artists))


def _moving_artists(artists):
    """Yield the artists, other than Axes, in a nesting of mappings, lists and tuples."""
    if isinstance(artists, Artist) and not isinstance(artists, (Axes, FigureBase)):
        yield artists
    elif isinstance(artists, Mapping):
        for item in artists.values():
            yield from _moving_artists(item)
    elif isinstance(artists, (list, tuple)):
        for item in artists:
            yield from _moving_artists(item)
