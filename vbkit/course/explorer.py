"""A picture that answers to sliders.

Only what moves is drawn again, over a kept background, and sent as PNG bytes to an image widget:
this takes a few milliseconds, where a new figure takes a hundred. Nothing queues: the front end
keeps one message of a slider in flight and behind it only the newest value. The kernel answers that
message before it draws, so the next one is on its way meanwhile, and it draws the newest values
only. So a slow step skips positions instead of lagging behind.
"""

import asyncio
import base64
import contextlib
import html
import textwrap
from functools import lru_cache

import ipywidgets as widgets
from matplotlib.figure import Figure

from vbkit import plots
from vbkit.course.blit import BlitFigure
from vbkit.course.controls import Control

DPI = 96
WIDGET = "application/vnd.jupyter.widget-view+json"
READ_ALOUD = (
    "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"
)
LINE = 'style="line-height:1.4"'
ERROR = 'style="line-height:1.4;border-left:4px solid #D55E00;padding-left:8px"'


class Explorer:
    """Controls, a picture that follows them, and a line of text that says what it shows.

    - controls: mapping of argument name -> Control (see `vbkit.course.controls`)
    - compute(**values) -> arrays: pure; its newest results are kept, so draw must not change them
    - setup(figure) -> artists: the moving ones in any nesting (see BlitFigure); it sets no
      `figure.suptitle`
    - draw(artists, arrays, values): moves the artists; returns True if everything must be drawn
      again
    - status(arrays, values) -> one line of text on the current state
    - title, alt: the explorer's name, and what its picture shows, in words; without an `alt` the
      docstring of `setup` says it
    - size: of the picture, in inches; cache: how many results are kept

    End a cell with an explorer to display it; without a kernel its picture and its values remain.
    An error at the first values is raised. A later one appears in a visible line and in the
    attribute `error`; picture and `status` stay as they were until the next values that work.
    Raises ValueError for malformed arguments.
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
        cache=256,
    ):
        if not controls or not all(
            isinstance(control, Control) for control in controls.values()
        ):
            raise ValueError(
                f"controls was {controls!r}; it must map one or more names to Control"
            )
        alt = setup.__doc__ if alt is None else alt
        for name, text in (("title", title), ("alt", alt)):
            if not isinstance(text, str) or not text.strip():
                raise ValueError(
                    f"{name} was {text!r}; it must say in words what there is to see"
                )
        self.controls, self.title, self.alt = (
            dict(controls),
            title,
            " ".join(alt.split()),
        )
        self.compute, self._cached = compute, lru_cache(cache)(compute)
        self._setup, self._move, self._make_status, self._size = (
            setup,
            draw,
            status,
            size,
        )
        self.status, self.error, self._png, self._due = "", None, None, None
        self._blit = BlitFigure(setup, size, DPI)
        self._lay_out(f"{round(size[0] * DPI)}px")
        self._update()
        if self.error:
            raise self.error

    def _lay_out(self, width):
        """Make the widgets; in a narrow window the controls wrap and the picture shrinks."""
        made = {name: control.widgets() for name, control in self.controls.items()}
        self._widgets = {name: widget for name, (widget, _) in made.items()}
        for widget in self._widgets.values():
            widget.observe(self._follow, "value")
        reset = widgets.Button(
            description="Reset", layout={"width": "auto", "flex": "0 0 auto"}
        )
        reset.on_click(self._reset)
        controls = widgets.Box([*(box for _, box in made.values()), reset])
        controls.layout.flex_flow, controls.layout.align_items = "row wrap", "flex-end"
        controls.layout.grid_gap = "4px 16px"
        # An image widget has no place for an alternative text, so it stands unseen in the title.
        alt = (
            f'<span style="{READ_ALOUD}">. The picture: {html.escape(self.alt)}</span>'
        )
        title = widgets.HTML(f"<b>{html.escape(self.title)}</b>{alt}")
        # As a data address, a picture need not be fetched through the browser's other processes.
        self._image = widgets.Image(
            format="url", layout={"width": "100%", "max_width": width}
        )
        self._image.layout.height, self._image.layout.flex = "auto", "0 0 auto"
        self._image.layout.margin = (
            "0"  # else its 100 % would be wider than the box, which scrolls
        )
        self._line, self._message = widgets.HTML(), widgets.HTML()
        parts = [title, controls, self._image, self._line, self._message]
        self.widget = widgets.VBox(parts, layout={"width": "100%", "max_width": width})

    @property
    def values(self):
        """The current values by name."""
        return {name: widget.value for name, widget in self._widgets.items()}

    @property
    def first(self):
        """The values at the start and after Reset, by name."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def png(self):
        """The picture that is shown, as PNG bytes."""
        return self._png

    def describe(self, values=None):
        """Return the current values, replaced by those given, as a reader sees them."""
        values = self.values | (values or {})
        return "; ".join(
            control.describe(values[name]) for name, control in self.controls.items()
        )

    def set(self, **values):
        """Set the named controls and draw once; an error is shown and raised.

        Raises ValueError, and changes nothing, for an unknown name or a value that is no position.
        """
        self._assign(self._checked(values))
        if self.error:
            raise self.error

    def _checked(self, values):
        for name, value in values.items():
            if name not in self.controls:
                allowed = ", ".join(self.controls)
                raise ValueError(f"{name!r} is not a control; allowed are {allowed}")
            self.controls[name].position(value)
        return values

    def _assign(self, values):
        with (
            contextlib.ExitStack() as stack
        ):  # one drawing for all of them, after the last
            for widget in self._widgets.values():
                widget.unobserve(self._follow, "value")
                stack.callback(widget.observe, self._follow, "value")
            for name, value in values.items():
                self._widgets[name].value = value
        self._update()

    def _reset(self, _):
        for widget in self._widgets.values():
            if hasattr(widget, "player"):
                widget.player.stop()
        self._assign(self.first)

    def _follow(self, change):
        """Draw; while a hand moves a slider, right after the browser was answered."""
        loop = None
        if getattr(change.owner, "in_hand", False):
            with contextlib.suppress(RuntimeError):  # there is none outside of a kernel
                loop = asyncio.get_running_loop()
        if loop is None:
            self._update()
        elif not self._due:
            self._due = loop.call_soon(self._update)

    def _update(self):
        """Show picture and status at the current values, or else the error."""
        if self._due:
            self._due.cancel()
        values, self._due = self.values, None
        try:
            arrays = self._cached(**values)
            png = self.draw(arrays, values)
            status = self._make_status(arrays, values)
        except (
            Exception
        ) as error:  # any error goes to the reader, who sees nothing but this page
            self.error = error
            text = html.escape(
                f"{type(error).__name__}: {error} (at {self.describe()})"
            )
            self._message.value = (
                f'<div role="alert" {ERROR}><b>Not drawn.</b> {text}</div>'
            )
        else:
            self.status, self.error = status, None
            self._png, self._message.value = png, ""
            self._image.value = b"data:image/png;base64," + base64.b64encode(png)
            line = f'<div role="status" aria-live="polite" {LINE}>{html.escape(status)}</div>'
            self._line.value = line

    def draw(self, arrays, values) -> bytes:
        """Return the PNG bytes of what `compute` gives at these values; what is shown stays."""
        return self._blit.png(
            full=self._move(self._blit.artists, arrays, values) is True
        )

    @property
    def figure(self):
        """The figure of the picture that is shown."""
        return self._blit.figure

    def frame(self, values):
        """Move the artists to these values, for who draws them otherwise than as PNG.

        Returns the figure's Layers and the line of text; what is shown stays.
        """
        arrays = self._cached(**values)
        full = self._move(self._blit.artists, arrays, values) is True
        return self._blit.layers(full), self._make_status(arrays, values)

    def panels(self, settings, *, ncols=None, width=9.0, aspect=None):
        """Draw small multiples: a new Figure with a panel for each of the settings.

        settings: dicts of values; what they leave out is as at first, and all is written above the
        panel. ncols: 2 unless the explorer is wide; width: of the figure in inches; aspect: a
        panel's height over its width, by default the explorer's. Raises ValueError for no settings
        or malformed ones.
        """
        settings = [self.first | self._checked(values) for values in settings]
        if not settings:
            raise ValueError(
                "settings was empty; it must hold one dict of values or more"
            )
        aspect = aspect or self._size[1] / self._size[0]
        ncols = min(ncols or (2 if aspect > 0.55 else 1), len(settings))
        nrows = -(-len(settings) // ncols)
        size = (width, nrows * (width / ncols * aspect + 0.4))
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subfigures(nrows, ncols, squeeze=False).flat
        for panel, values in zip(panels, settings, strict=False):
            self._move(self._setup(panel), self._cached(**values), values)
            title = textwrap.fill(self.describe(values), round(width / ncols * 13))
            panel.suptitle(title, fontsize=10, x=0.01, ha="left")
        return figure

    def static(self, settings, alt, **layout):
        """Return the Picture of `panels`, for readers who have no kernel."""
        return plots.Picture(self.panels(settings, **layout), alt)

    def _repr_mimebundle_(self, include=None, exclude=None):
        data, metadata = plots.Picture(self.png, self.alt)._repr_mimebundle_()
        view = {
            "version_major": 2,
            "version_minor": 0,
            "model_id": self.widget.model_id,
        }
        title = self.title if self.title.endswith("?") else f"{self.title}."
        return data | {
            "text/plain": f"{title} {self.describe()}.",
            WIDGET: view,
        }, metadata
