"""A picture that answers to sliders.

What moves is drawn over a kept background (`stage`) and sent as PNG bytes to an image widget: a few
milliseconds, where a new figure takes a hundred. Nothing queues: the front end keeps one message of a slider
in flight and behind it, until the kernel is idle again, only the newest value, so a slow step skips positions
instead of lagging behind. A delay in the kernel could only add to that; each message is drawn at once.
"""

import contextlib
import html
import textwrap
import time
from functools import lru_cache
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np
from matplotlib.figure import Figure

from vbkit.widgets.blit import BlitFigure
from vbkit.widgets.controls import Control
from vbkit.workbook import WIDGET
from vbkit.workbook.publish import Picture, show

DPI = 96
UNSEEN = (
    "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"  # but read aloud
)
LINE = 'style="line-height:1.4"'
ERROR = 'style="line-height:1.4;border-left:4px solid #D55E00;padding-left:8px"'


class Latency(NamedTuple):
    """Seconds a step took: `compute` (n,) without the cache, `draw` (n,) with the making of the PNG."""

    compute: np.ndarray
    draw: np.ndarray


class Explorer:
    """Controls, a picture that follows them and a line of text that says what it shows.

    controls: mapping of argument name -> Control (made by the functions of `vbkit.widgets.controls`)
    compute(**values) -> arrays; pure, and its newest results are kept: draw must not change them
    setup(figure) -> artists, the moving ones in any nesting (see Stage); `figure.suptitle` is left free
    draw(artists, arrays, values): moves the artists, or returns True where all is to be drawn again
    reading(arrays, values) -> one line of text on the current state
    title, alt: what the explorer is called, and what its picture shows, in words
    size: of the picture, in inches; cache: how many results are kept

    A cell displays it by ending with it; where no kernel runs, its picture and its values remain. An error in
    compute, draw or reading is raised at the first values. Later it goes to a visible line and the attribute
    `error`, and the picture stays as it was until values come that work. ValueError for malformed arguments.
    """

    def __init__(
        self, controls, compute, setup, draw, *, title, alt, status, size=(9.0, 4.0), cache=256
    ):
        if not controls or not all(isinstance(control, Control) for control in controls.values()):
            raise ValueError(f"controls was {controls!r}; it must map one or more names to Control")
        for name, text in (("title", title), ("alt", alt)):
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"{name} was {text!r}; it must say in words what there is to see")
        self.controls, self.title, self.alt = dict(controls), title, " ".join(alt.split())
        self.compute, self.error = compute, None
        self._setup, self._draw, self._reading, self._size = setup, draw, status, size
        self._cached = lru_cache(cache)(
            lambda *key: compute(**dict(zip(self.controls, key, strict=True)))
        )
        self._stage = BlitFigure(setup, size, DPI)
        self._layout(f"{round(size[0] * DPI)}px")
        self._update()
        if self.error:
            raise self.error

    def _layout(self, width):
        """Make the widgets; rows of controls wrap and the picture shrinks where the window is narrow."""
        made = {name: control.widgets() for name, control in self.controls.items()}
        self._holders = {name: holder for name, (holder, _) in made.items()}
        for holder in self._holders.values():
            holder.observe(self._update, "value")
        reset = widgets.Button(
            description="Reset", layout=widgets.Layout(width="auto", flex="0 0 auto")
        )
        reset.on_click(self._reset)
        wrap = widgets.Layout(
            flex_flow="row wrap", align_items="flex-end", grid_gap="4px 16px", width="100%"
        )
        controls = widgets.Box([*(row for _, row in made.values()), reset], layout=wrap)
        head = f"<b>{html.escape(self.title)}</b>"  # an image widget has no place for an alternative text
        head += f'<span style="{UNSEEN}">. The picture: {html.escape(self.alt)}</span>'
        fit = widgets.Layout(width="100%", max_width=width, height="auto", flex="0 0 auto")
        self._image = widgets.Image(format="png", layout=fit)
        self._line, self._message = widgets.HTML(), widgets.HTML()
        parts = [widgets.HTML(head), controls, self._image, self._line, self._message]
        self.widget = widgets.VBox(parts, layout=widgets.Layout(width="100%", max_width=width))

    @property
    def values(self):
        """The current values by name."""
        return {name: holder.value for name, holder in self._holders.items()}

    @property
    def first(self):
        """The values at the start and after Reset, by name."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def png(self):
        """The picture that is shown, as PNG bytes."""
        return bytes(self._image.value)

    def words(self, values=None):
        """The current values, or those given, as a reader sees them."""
        values = self.values | (values or {})
        return "; ".join(control.describe(values[name]) for name, control in self.controls.items())

    def set(self, **values):
        """Set the named controls and draw once; an error of compute, draw or reading is shown and raised.

        ValueError, and no change, for a name that is no control or a value that is none of its positions.
        """
        self._assign(self._checked(values))
        if self.error:
            raise self.error

    def _checked(self, values):
        for name, value in values.items():
            if name not in self.controls:
                raise ValueError(
                    f"{name!r} is not a control; allowed are {', '.join(self.controls)}"
                )
            self.controls[name].position(value)
        return values

    def _assign(self, values):
        with contextlib.ExitStack() as stack:  # one drawing for all of them, after the last
            for holder in self._holders.values():
                holder.unobserve(self._update, "value")
                stack.callback(holder.observe, self._update, "value")
            for name, value in values.items():
                self._holders[name].value = value
        self._update()

    def _reset(self, _):
        for holder in self._holders.values():
            if hasattr(holder, "player"):
                holder.player.stop()
        self._assign(self.first)

    def _update(self, _=None):
        """Show the current values: picture and reading, or else the error."""
        values = self.values
        try:
            arrays = self._cached(*values.values())
            png = self._stage.png(full=self._draw(self._stage.artists, arrays, values) is True)
            line = self._reading(arrays, values)
        except (
            Exception
        ) as error:  # whatever it is, it goes to the reader, who has only this page to see it
            self.error = error
            text = html.escape(f"{type(error).__name__}: {error} (at {self.describe()})")
            self._message.value = f'<div role="alert" {ERROR}><b>Not drawn.</b> {text}</div>'
        else:
            self.error = None
            self._image.value, self._message.value = png, ""
            self._line.value = (
                f'<div role="status" aria-live="polite" {LINE}>{html.escape(line)}</div>'
            )

    def panels(self, settings, *, ncols=None, width=9.0, aspect=None):
        """A new Figure of small multiples made by setup and draw, a panel for each of the settings.

        settings: dicts of values, what they leave out being as at first; all are written above their panel.
        ncols: 2 unless the explorer is wide; width: of the figure in inches; aspect: a panel's height over
        its width, by default the explorer's. ValueError for no settings or malformed ones.
        """
        settings = [self.first | self._checked(values) for values in settings]
        if not settings:
            raise ValueError("settings was empty; it must hold one dict of values or more")
        aspect = aspect or self._size[1] / self._size[0]
        ncols = min(ncols or (2 if aspect > 0.55 else 1), len(settings))
        nrows = -(-len(settings) // ncols)
        figure = Figure(
            figsize=(width, nrows * (width / ncols * aspect + 0.4)), layout="constrained"
        )
        panels = figure.subfigures(nrows, ncols, squeeze=False).flat
        for panel, values in zip(panels, settings, strict=False):
            self._draw(self._setup(panel), self._cached(*values.values()), values)
            words = textwrap.fill(self.describe(values), round(width / ncols * 13))
            panel.suptitle(words, fontsize=10, x=0.01, ha="left")
        return figure

    def static(self, settings, alt, **layout):
        """The Picture of `panels`, for readers who have no kernel."""
        return show(self.panels(settings, **layout), alt)

    def latency(self, settings=None):
        """Measure a Latency at the settings, by default each position of each control in turn."""
        if settings is None:
            settings = [
                {n: value} for n, control in self.controls.items() for _, value in control.options
            ]
        seconds = []
        for values in [self.first | self._checked(values) for values in settings]:
            start = time.perf_counter()
            arrays = self.compute(**values)
            middle = time.perf_counter()
            self._stage.png(full=self._draw(self._stage.artists, arrays, values) is True)
            seconds.append((middle - start, time.perf_counter() - middle))
        return Latency(*np.array(seconds).reshape(-1, 2).T)

    def _repr_mimebundle_(self, include=None, exclude=None):
        data, metadata = Picture(self.png, self.alt)._repr_mimebundle_()
        view = {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}
        title = self.title if self.title.endswith("?") else f"{self.title}."
        return data | {"text/plain": f"{title} {self.describe()}.", WIDGET: view}, metadata
