"""Explorers in the form that the lectures leave behind: four functions instead of a class.

New explorers are written as `vbkit.course.explorer` says.
"""

from collections.abc import Mapping

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from vbkit.course import Explorer


class OldExplorer(Explorer):
    """An explorer made of functions.

    - controls: mapping of argument name -> Control
    - compute(**values) -> arrays: pure, of all controls; its results are kept
    - setup(figure) -> artists: the moving ones in any nesting of mappings, lists and
      tuples; Axes among them are passed on but do not move
    - draw(artists, arrays, values): moves the artists
    - status(arrays, values) -> one line of text on the current state
    - title, alt: the explorer's name, and what its picture shows, in words; without an
      `alt` the docstring of `setup` says it
    - size: of the picture, in inches
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
    ):
        self.title = title
        self.size = size
        self.compute = compute
        self._given_controls = controls
        self._given_alt = setup.__doc__ if alt is None else alt
        self._setup = setup
        self._draw = draw
        self._say = status
        super().__init__()

    def _declared_controls(self) -> dict:
        return dict(self._given_controls)

    def _alternative_text(self) -> str:
        return self._given_alt

    def _names_that_compute_asks(self) -> list[str]:
        return list(self.controls)

    def _result_at(self, values):
        return self._kept_result(**values)

    def _set_stage(self, figure):
        self._artists = self._setup(figure)
        self._flat = list(_artists_in(self._artists))

    def _move_artists(self, values):
        self._draw(self._artists, self._result_at(values), values)

    def _moving_artists(self) -> list:
        return self._flat

    def _line_at(self, values) -> str:
        return self._say(self._result_at(values), values)


def _artists_in(artists):
    """Yield the artists, other than Axes, in a nesting of mappings, lists and tuples."""
    if isinstance(artists, Artist) and not isinstance(artists, (Axes, FigureBase)):
        yield artists
    elif isinstance(artists, Mapping):
        for item in artists.values():
            yield from _artists_in(item)
    elif isinstance(artists, (list, tuple)):
        for item in artists:
            yield from _artists_in(item)
