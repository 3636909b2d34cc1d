"""A figure that draws again only what moves."""

import io
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
    moving ones, and what lies above them, from the lowest to the highest.
    """

    redrawn: bool
    still: list[Artist]
    moving: list[Artist]


class BlitFigure:
    """A figure whose still parts are drawn once, and the moving ones over a copy of them.

    Whatever lies above a moving artist in its axes is drawn with it, so the picture equals
    a full drawing. Any other change (new limits or titles, still artists added or removed)
    is noticed and costs a full drawing.

    figure: a Figure of `size` inches, to put axes and artists on.
    """

    def __init__(self, size, dpi):
        self.figure = Figure(
            figsize=size, dpi=dpi, facecolor="white", layout="constrained"
        )
        self.canvas = FigureCanvasAgg(self.figure)
        self._declared = set()
        self._children = []
        self._still = []
        self._moving = []
        self._background = None

    def png(self, moving) -> bytes:
        """Return the picture as PNG bytes; moving: the artists that move."""
        if self._background is None:
            # Once: this takes longer than to draw.
            self.figure.get_layout_engine().execute(self.figure)
            self.figure.set_layout_engine("none")
        layers = self.layers(moving)
        self.canvas.restore_region(self._background)
        for artist in layers.moving:
            artist.draw(self.canvas.get_renderer())
        opaque = Image.fromarray(np.asarray(self.canvas.buffer_rgba())).convert("RGB")
        file = io.BytesIO()
        opaque.save(file, "PNG", compress_level=1)
        return file.getvalue()

    def layers(self, moving) -> Layers:
        """Return the Layers, the still parts drawn again if they changed."""
        declared = set(moving)
        children = _all_children(self.figure)
        if declared != self._declared or children != self._children:
            self._sort(declared, children)
        redrawn = self._background is None or any(one.stale for one in self._still)
        if redrawn:
            self._draw_background()
        return Layers(redrawn, self._still, self._moving)

    def _sort(self, declared, children):
        """Tell what moves from what stands still.

        The background is kept if the same artists stand still as before: an artist that
        moves lies over it, and may be new.
        """
        self._declared = declared
        self._children = children
        self._moving = _drawing_order(self.figure, children, declared)
        above = set(self._moving)
        for artist in children:
            artist.set_animated(artist in above)
        still = [
            artist
            for artist in children
            if artist not in above and not isinstance(artist, (Axes, FigureBase))
        ]
        if still != self._still:
            self._still = still
            self._background = None

    def _draw_background(self):
        self._background = None  # if this drawing fails, the next one starts afresh
        self.canvas.draw()
        for artist in self._still:
            artist.stale = False  # a drawing leaves it set on what is hidden or empty
        self._background = self.canvas.copy_from_bbox(self.figure.bbox)


def _all_children(parent) -> list:
    """List all artists of a figure, including those of each axes."""
    children = []
    for child in parent.get_children():
        children.append(child)
        if isinstance(child, (Axes, FigureBase)):
            children += _all_children(child)
    return children


def _drawing_order(figure, children, moving) -> list:
    """List the moving artists, and what lies above them except ticks and titles."""
    layers = []
    all_axes = [child for child in children if isinstance(child, Axes)]
    for ax in sorted(all_axes, key=lambda ax: ax.zorder):
        # matplotlib has no public names of the titles at the sides
        titles = {ax.patch, ax.title, ax._left_title, ax._right_title}
        above = False
        for child in sorted(ax.get_children(), key=lambda child: child.zorder):
            if child in moving:
                above = True
                layers.append(child)
            elif above and not isinstance(child, Axis) and child not in titles:
                layers.append(child)
    layers += [child for child in figure.get_children() if child in moving]
    return layers
