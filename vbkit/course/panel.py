"""Axes on which a drawing says what there is to see, as if from nothing."""

from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.cbook import normalize_kwargs
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.text import Text

from vbkit import plots

LEAST_HEIGHT = 1e-3  # a lower column is not drawn: nobody would see it


class _Kept(NamedTuple):
    """An artist that is kept from drawing to drawing, or a tuple of artists."""

    made: Artist | tuple
    properties: frozenset[str]  # the names of those that it gets in each drawing

    @property
    def artists(self) -> tuple:
        return self.made if isinstance(self.made, tuple) else (self.made,)


class Panel:
    """Axes on which each drawing says all its artists anew.

    The first drawing makes the artists. A later one moves them: its second line is the
    second line of the drawing before, its first text the first text, and so on. What a
    drawing does not say is hidden. `style` stands for properties of matplotlib, which may
    have other values in each drawing. To say more artists than ever before, or a property
    for the first time, costs a full drawing; a line of no points costs nothing.

    axes: the matplotlib Axes, for what stands still, and for limits where they follow a
    value (change them only where they differ: that costs a full drawing).
    """

    def __init__(self, axes):
        self.axes = axes
        self._still = axes.get_children()
        self._kept = {}
        self._said = {}

    def line(self, x, y, **style) -> Line2D:
        """Draw a line through x (n,) and y (n,); blue and solid unless `style` differs.

        Raises ValueError for x and y of other shapes.
        """
        return self._line(x, y, normalize_kwargs(style, Line2D))

    def points(self, x, y, **style) -> Line2D:
        """Draw points at x (n,) and y (n,), or one at two numbers; blue dots unless
        `style` differs."""
        style = {"marker": "o"} | normalize_kwargs(style, Line2D)
        return self._line(np.ravel(x), np.ravel(y), style | {"linestyle": "none"})

    def _line(self, x, y, style: dict) -> Line2D:
        if np.ndim(x) != 1 or np.shape(x) != np.shape(y):
            raise ValueError(
                f"x and y have shapes {np.shape(x)} and {np.shape(y)}; a line takes two "
                "of one shape, (n,)"
            )
        style = {"color": plots.COLOURS[0], "linestyle": "-"} | style
        line = self._next("line", style, lambda: self.axes.plot([], [])[0])
        line.update(style)
        line.set_data(x, y)
        return line

    def area(self, x, low, high, **style) -> PolyCollection:
        """Fill the area between low and high, numbers or (n,), over x (n,)."""
        style = {"color": "#DDDDDD"} | style

        def make():
            return self.axes.add_collection(PolyCollection([]), autolim=False)

        area = self._next("area", style, make)
        low = np.broadcast_to(low, np.shape(x))
        high = np.broadcast_to(high, np.shape(x))
        there = np.column_stack([x, high])
        back = np.column_stack([x, low])[::-1]
        area.update(style)
        area.set_verts([np.concatenate([there, back])])
        return area

    def columns(self, x, low, high, width, **style) -> PathPatch:
        """Draw a column of this width from low to high, numbers or (n,), at each x (n,);
        blue and without a hatch unless `style` differs."""
        style = {
            "facecolor": plots.COLOURS[0],
            "edgecolor": "white",
            "linewidth": 0.5,
            "hatch": "",
        } | normalize_kwargs(style, PathPatch)
        low = np.broadcast_to(low, np.shape(x))
        high = np.broadcast_to(high, np.shape(x))
        shown = high - low > LEAST_HEIGHT
        left = (x - width / 2)[shown]
        right = (x + width / 2)[shown]
        low = low[shown]
        high = high[shown]
        corners = np.array([[left, low], [right, low], [right, high], [left, high]])
        # one path for all columns is drawn much faster than a patch for each
        path = Path.make_compound_path_from_polys(np.moveaxis(corners, 2, 0))
        columns = self._next(
            "columns", style, lambda: self.axes.add_artist(PathPatch(path))
        )
        columns.update(style)
        columns.set_path(path)
        return columns

    def text(self, x, y, text, **style) -> Text:
        """Write a text at (x, y) in the units of the axes."""
        written = self._next("text", style, lambda: self.axes.text(x, y, text))
        written.update(style)
        written.set(x=x, y=y, text=text)
        return written

    def ellipses(
        self, centres, covariances, weights=None, *, radius=2.0, colours=None
    ) -> plots.Components:
        """Draw K Gaussian components as `plots.draw_ellipses` does; K may change."""

        def make():
            return plots.draw_ellipses(self.axes, centres, covariances)

        components = self._next("ellipses", {}, make)
        plots.update_ellipses(
            components, centres, covariances, weights, radius=radius, colours=colours
        )
        return components

    def artist(self, make, **properties) -> Artist:
        """Draw an artist of any other kind: `make(axes)` makes it, the first time; each
        time it gets the properties, those that its `update` knows.

        For example `panel.artist(lambda axes: axes.imshow(table), data=table)`.
        """
        artist = self._next("artist", properties, lambda: make(self.axes))
        artist.update(properties)
        return artist

    def begin(self):
        """Begin a drawing: nothing is said yet."""
        self._said = {}

    def end(self):
        """End a drawing: show what it said, and hide the rest.

        Raises ValueError for an artist that was put on the axes behind the panel's back:
        no later drawing would move or hide it.
        """
        known = {*self._still, *self.artists}
        for artist in self.axes.get_children():
            if artist not in known:
                artist.remove()
                raise ValueError(
                    f"draw put a {type(artist).__name__} on the axes directly, where it "
                    "would stay; say it with a method of the panel, such as panel.artist"
                )
        for kind, kept in self._kept.items():
            for place, one in enumerate(kept):
                for artist in one.artists:
                    artist.set_visible(place < self._said.get(kind, 0))

    @property
    def artists(self) -> list[Artist]:
        """All artists of the drawings so far."""
        return [
            artist
            for kept in self._kept.values()
            for one in kept
            for artist in one.artists
        ]

    def _next(self, kind, properties, make):
        """Return what is said next of a kind, made where it has no predecessor."""
        place = self._said.get(kind, 0)
        self._said[kind] = place + 1
        kept = self._kept.setdefault(kind, [])
        if place < len(kept) and kept[place].properties != set(properties):
            # A property that is not said any more would stay as it was. What comes after
            # is made anew, too, so that it lies above.
            for one in kept[place:]:
                for artist in one.artists:
                    artist.remove()
            del kept[place:]
        if place == len(kept):
            kept.append(_Kept(make(), frozenset(properties)))
        return kept[place].made
