"""A figure that draws again only what moves."""

import io
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase
from PIL import Image


class Layers(NamedTuple):
    """What a picture consists of.

    redrawn: whether its still parts were just drawn anew; still, moving: its artists, the
    moving ones in drawing order.
    """

    redrawn: bool
    still: list[Artist]
    moving: list[Artist]


class BlitFigure:
    """A figure whose still parts are drawn once; its moving artists are drawn over a copy of them.

    `setup(figure)` returns the moving artists in any nesting of mappings, lists and tuples; Axes
    among them are passed on but do not move. Whatever lies above a moving artist in its axes is
    drawn with it, so the picture equals a full drawing. Any other change (new limits or titles,
    artists added or removed) is noticed and costs a full drawing, so set limits only where they
    differ.
    """

    def __init__(self, setup, size, dpi):
        self.figure = Figure(
            figsize=size, dpi=dpi, facecolor="white", layout="constrained"
        )
        self.canvas = FigureCanvasAgg(self.figure)
        self.artists = setup(self.figure)
        self._declared = set(_moving_artists(self.artists))
        self._background = None

    def png(self, full=False):
        """Return the picture as PNG bytes; `full` also draws the still parts again."""
        if self._background is None:
            self.canvas.draw()  # fits the layout, once: that takes longer than drawing
            self.figure.set_layout_engine("none")
        layers = self.layers(full)
        self.canvas.restore_region(self._background)
        for artist in layers.moving:
            artist.draw(self.canvas.get_renderer())
        file = io.BytesIO()
        opaque = Image.fromarray(np.asarray(self.canvas.buffer_rgba())).convert("RGB")
        opaque.save(file, "PNG", compress_level=1)
        return file.getvalue()

    def layers(self, full=False):
        """Return the Layers, the still parts drawn again if they changed, or if `full`."""
        redrawn = full or self._background is None or self._changed()
        if redrawn:
            self._draw_background()
        return Layers(redrawn, self._still, self._moving)

    def _draw_background(self):
        self._background = None  # if this drawing fails, the next one starts afresh
        self._children = _all_children(self.figure)
        self._moving = _drawing_order(self.figure, self._children, self._declared)
        moving = set(self._moving)
        for artist in self._children:
            artist.set_animated(artist in moving)
        self.canvas.draw()
        frames = (Axes, FigureBase)
        self._still = [
            a for a in self._children if a not in moving and not isinstance(a, frames)
        ]
        for artist in self._still:
            artist.stale = (
                False  # drawing leaves this set on artists that are hidden or empty
            )
        self._background = self.canvas.copy_from_bbox(self.figure.bbox)

    def _changed(self):
        stale = any(artist.stale for artist in self._still)
        return stale or self._children != _all_children(self.figure)


def _moving_artists(artists):
    """Yield the artists, other than Axes, in a nesting of mappings, lists and tuples."""
    if isinstance(artists, Artist) and not isinstance(artists, (Axes, FigureBase)):
        yield artists
    elif isinstance(artists, (Mapping, list, tuple)):
        for item in artists.values() if isinstance(artists, Mapping) else artists:
            yield from _moving_artists(item)


def _all_children(parent):
    """List all artists of a figure, including those of each axes."""
    children = []
    for child in parent.get_children():
        children.append(child)
        if isinstance(child, (Axes, FigureBase)):
            children += _all_children(child)
    return children


def _drawing_order(figure, children, declared):
    """List the declared artists, and what lies above them in their axes except ticks and titles."""
    layers = []
    all_axes = [child for child in children if isinstance(child, Axes)]
    for ax in sorted(all_axes, key=lambda ax: ax.zorder):
        titles = {ax.patch, ax.title, ax._left_title, ax._right_title}
        order = sorted(ax.get_children(), key=lambda child: child.zorder)
        lowest = next(
            (i for i, child in enumerate(order) if child in declared), len(order)
        )
        for child in order[lowest:]:
            if child in declared or not (child in titles or isinstance(child, Axis)):
                layers.append(child)
    return layers + [child for child in figure.get_children() if child in declared]
