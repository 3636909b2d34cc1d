'''A picture that answers to sliders.

An explorer is a class. Its controls are attributes, its docstring is what a reader hears
who does not see the picture, and four methods say the rest:

- `compute(some, controls)` calculates: it asks for the controls that its result depends
  on, by name, and must depend on nothing else, because its results are kept;
- `frame(figure)` makes the axes and what stands still, and returns the axes;
- `draw(panels, result, now)` draws what moves, each artist once, as if on empty axes;
- `say(result, now)` returns one line of text on what there is to see.

`result` is what `compute` returned, a small class with names; `now` holds the values of
all controls by name; and `panels` are the axes of `frame`, as `vbkit.course.panel.Panel`.

>>> from typing import NamedTuple
>>> import numpy as np
>>> from vbkit.course import Explorer, checkbox, slider
>>> class Wave(NamedTuple):
...     t: np.ndarray  # (200,), seconds
...     height: np.ndarray  # (200,), metres
>>> class FadingWave(Explorer):
...     """A wave that fades: its crests become lower. A black dot marks the first crest."""
...
...     title = "A wave that fades"
...     size = (6.0, 2.5)
...     frequency = slider("Crests in a second", 1, 9, 4)
...     marked = checkbox("Mark the first crest", True)
...
...     def compute(self, frequency):
...         t = np.linspace(0, 1, 200)
...         return Wave(t, np.exp(-t) * np.sin(2 * np.pi * frequency * t))
...
...     def frame(self, figure):
...         axes = figure.subplots()
...         axes.set(xlim=(0, 1), ylim=(-1.1, 1.1), xlabel="time (seconds)")
...         return axes
...
...     def draw(self, panels, wave, now):
...         (panel,) = panels
...         panel.line(wave.t, wave.height)
...         if now.marked:
...             first = wave.height.argmax()
...             panel.points(wave.t[first], wave.height[first], color="black")
...
...     def say(self, wave, now):
...         return f"The first of {now.frequency} crests is {wave.height.max():.2f} m high."
>>> explorer = FadingWave()
>>> explorer.set(frequency=2)
>>> explorer.status
'The first of 2 crests is 0.89 m high.'

`explorer` at the end of a cell shows it. `explorer.at(frequency=9)` is the still picture of
one setting, drawn by the same code, for a page that is read without a kernel:

>>> explorer.at(frequency=9).alt[-37:]
'The first of 9 crests is 0.96 m high.'

Only what moves is drawn again, over a kept background, and sent as PNG bytes to an image
widget: this takes a few milliseconds, where a new figure takes a hundred. Nothing queues:
the front end keeps one message of a slider in flight and behind it only the newest value.
The kernel answers that message before it draws, so the next one is on its way meanwhile,
and it draws the newest values only. So a slow step skips positions instead of lagging
behind. Where Python runs in the browser, positions that were recorded for the book are
shown from there (see `vbkit.press.recorded`).
'''

import asyncio
import base64
import html
import inspect
from functools import cached_property, lru_cache
from itertools import product

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes

from vbkit import plots
from vbkit.course.blit import BlitFigure, Layers
from vbkit.course.controls import Control
from vbkit.course.panel import Panel
from vbkit.course.spoken import spoken
from vbkit.press import recorded

DPI = 96
STILL_BYTES = 60_000  # of a still picture, at most
RESULTS = 256  # how many results of `compute` are kept
COMES_TO_LIFE = "Run > Run All Cells brings this picture to life."
WIDGET = "application/vnd.jupyter.widget-view+json"
LINE = 'style="line-height:1.4"'
ERROR = 'style="line-height:1.4;border-left:4px solid #D55E00;padding-left:8px"'


# What an explorer keeps in itself, beside the attributes of its class: no control may have
# one of these names.
OWN_NAMES = ("alt", "controls", "error", "status", "widget")


class Now:
    """The values of an explorer's controls, by name, as `draw` and `say` get them."""

    def __init__(self, values: dict):
        vars(self).update(values)

    def __getattr__(self, name):  # Python asks here only for what is not there
        allowed = ", ".join(vars(self))
        raise AttributeError(f"now.{name} is not a control; allowed are {allowed}")


class Explorer:
    """Controls, a picture that follows them, and a line of text that says what it shows.

    A subclass has a docstring, which is the alternative text of its picture, and

    - title: its name; size: of the picture, in inches
    - controls as attributes, made by the functions of `vbkit.course.controls`
    - computes_ahead: True where a result takes so long that a slider would have to wait
      for it; all of them are then computed before the first drawing
    - compute, frame, draw and say: see the module's docstring for an example

    End a cell with an explorer to display it; without a kernel its picture and its values
    remain. An error at the first values is raised. A later one appears in a visible line
    and in the attribute `error`; picture and `status` stay as they were until the next
    values that work. Raises ValueError where a part of the class is missing.

    controls: by name. alt: what there is to see, in words. status: the line of text below
    the picture. error: what went wrong, or None. widget: what is displayed.
    """

    title = ""
    size = (9.0, 4.0)
    computes_ahead = False

    def __init__(self):
        self.controls = self._declared_controls()
        _check_words("title", self.title)
        alt = type(self).__doc__
        _check_words("the docstring", alt)
        self.alt = " ".join(alt.split())
        self.status = ""
        self.error = None
        self._update_due = None  # the handle of an update that the kernel is to make
        self._setting = False  # whether several controls are being set
        self._names_asked = self._names_that_compute_asks()
        self._kept_result = lru_cache(RESULTS)(self.compute)
        self._blit_figure = BlitFigure(self.size, DPI)
        self._recording = recorded.recording_of(self)
        self._shown = {}  # the values of the picture that is shown
        self._png = None  # the picture, where it was drawn
        self._lay_out(f"{round(self.size[0] * DPI)}px")
        self._update()
        if self.error:
            raise self.error

    # ---- what a subclass says --------------------------------------------------------

    def compute(self):
        """Return what the picture shows, given the values of some controls by name."""

    def frame(self, figure):
        """Make the axes, and what stands still; return one Axes, or several."""
        raise NotImplementedError

    def draw(self, panels, result, now):
        """Draw what moves, each artist once: `panels` are the axes of `frame`."""
        raise NotImplementedError

    def say(self, result, now) -> str:
        """Return a line of text that says what the picture shows now."""
        raise NotImplementedError

    # ---- what a reader and a notebook ask --------------------------------------------

    @property
    def values(self) -> dict:
        """The current values by name."""
        return {name: widget.value for name, widget in self._widgets.items()}

    @property
    def first(self) -> dict:
        """The values at the start and after Reset, by name."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def png(self) -> bytes:
        """The picture that is shown, as PNG bytes."""
        if self._png is None:  # it is a recorded one
            self._png = self._picture_at(self._shown)
        return self._png

    def describe(self, values=None) -> str:
        """Return the current values, replaced by those given, as a reader sees them."""
        values = self.values | (values or {})
        parts = []
        for name, control in self.controls.items():
            parts.append(control.describe(values[name]))
        return "; ".join(parts)

    def set(self, **values):
        """Set the named controls and draw once; an error is shown and raised.

        Raises ValueError, and changes nothing, for an unknown name or a value that is no
        position of its control.
        """
        self._check_values(values)
        self._set_widgets(values)
        if self.error:
            raise self.error

    def at(self, **values) -> plots.Picture | recorded.RecordedPicture:
        """Return the picture at the named values, the other controls as at first.

        It is drawn in few colours and has at most 60 kB, so that it can lie in a page; its
        words are those of the explorer, the values, and the line of text. What is shown
        stays. In the browser a recorded picture is returned as it was recorded. Raises
        ValueError as `set` does.
        """
        self._check_values(values)
        values = self.first | values
        found = self._recorded_at(values)
        if found:
            svg, line = found
            alt = f"{self.alt} {self.describe(values)}. {line}"
            return recorded.RecordedPicture(svg, alt)
        png = self._picture_at(values)
        png = plots.below_lines(png, self.title, f"{self.describe(values)}.")
        png = plots.in_few_colours(png, STILL_BYTES)
        alt = f"{self.alt} {self.describe(values)}. {self._line_at(values)}"
        return plots.Picture(png, alt)

    def without_kernel(self) -> bytes:
        """Return the picture as a page without a kernel shows it, as PNG bytes.

        Above it stand its title, its values and how it comes to life.
        """
        line = f"{self.describe()}. {COMES_TO_LIFE}"
        return plots.below_lines(self.png, self.title, line)

    def _repr_mimebundle_(self, include=None, exclude=None):
        title = self.title if self.title.endswith("?") else f"{self.title}."
        words = f"{title} {self.describe()}."
        if self._png is None:
            data = self._recorded_figure(words)
            metadata = {}
        else:
            picture = plots.Picture(self.without_kernel(), self.alt)
            data, metadata = picture._repr_mimebundle_()
        data["text/plain"] = words
        data[WIDGET] = {
            "version_major": 2,
            "version_minor": 0,
            "model_id": self.widget.model_id,
        }
        return data, metadata

    def _recorded_figure(self, words) -> dict:
        """Return what is left of a recorded picture without a kernel, as HTML."""
        picture = bytes(self._image.value).decode()
        size = [side * DPI for side in self.size]
        name = self._recording.name
        return {"text/html": recorded.figure(name, picture, size, self.alt, words)}

    # ---- what is drawn and said at given values --------------------------------------

    @property
    def figure(self):
        """The matplotlib Figure of the picture."""
        return self._blit_figure.figure

    def layers(self, values) -> tuple[Layers, str]:
        """Move the artists to these values, for who draws them otherwise than as PNG.

        Returns the figure's Layers and the line of text; what is shown stays.
        """
        self._move_artists(values)
        layers = self._blit_figure.layers(self._moving_artists())
        return layers, self._line_at(values)

    def _move_artists(self, values):
        """Move the artists to these values."""
        result = self._result_at(values)
        for panel in self._panels:
            panel.begin()
        self.draw(self._panels, result, Now(values))
        for panel in self._panels:
            panel.end()

    def _moving_artists(self) -> list:
        """Return the artists that were said so far."""
        return [artist for panel in self._panels for artist in panel.artists]

    def _line_at(self, values) -> str:
        """Return the line of text at these values."""
        line = self.say(self._result_at(values), Now(values))
        if not isinstance(line, str):
            raise ValueError(f"say returned {line!r}; it must return a line of text")
        return line

    def _picture_at(self, values) -> bytes:
        """Return the picture at these values as PNG bytes; what is shown stays."""
        self._move_artists(values)
        return self._blit_figure.png(self._moving_artists())

    def _result_at(self, values):
        """Return what `compute` gives, from the results that are kept if it is there."""
        return self._kept_result(*[values[name] for name in self._names_asked])

    # ---- construction ----------------------------------------------------------------

    def _declared_controls(self) -> dict[str, Control]:
        """Return the controls among the attributes of the class, in their order."""
        controls = {}
        for cls in reversed(type(self).__mro__):
            for name, value in vars(cls).items():
                if isinstance(value, Control):
                    controls[name] = value
        if not controls:
            raise ValueError(
                f"controls were {controls}; an explorer has one Control or more"
            )
        for name in controls:
            if name in dir(Explorer) or name in OWN_NAMES:
                raise ValueError(f"a control was named {name!r}: that name is taken")
        return controls

    def _names_that_compute_asks(self) -> list[str]:
        """Return the names of the controls that `compute` asks for."""
        names = list(inspect.signature(self.compute).parameters)
        for name in names:
            if name not in self.controls:
                allowed = ", ".join(self.controls)
                raise ValueError(
                    f"compute asks for {name!r}, which is not a control; "
                    f"allowed are {allowed}"
                )
        return names

    @cached_property
    def _panels(self) -> list[Panel]:
        """What stands still is made here, and the panels for what moves.

        That is at the first drawing, because a recorded picture needs no figure.
        """
        if self.computes_ahead:
            self._compute_all_results()
        panels = []
        for axes in np.ravel(self.frame(self.figure)):
            if not isinstance(axes, Axes):
                raise ValueError(
                    f"frame returned {axes!r}; it must return the axes that it made, "
                    "one or several"
                )
            panels.append(Panel(axes))
        return panels

    def _compute_all_results(self):
        """Compute the results at all positions of the controls that `compute` asks for."""
        options = [self.controls[name].options for name in self._names_asked]
        for chosen in product(*options):
            self._kept_result(*[value for _, value in chosen])

    def _lay_out(self, width):
        """Make the widgets; in a narrow window controls wrap and the picture shrinks."""
        self._widgets = {}
        boxes = []
        for name, control in self.controls.items():
            widget, box = control.widgets()
            widget.observe(self._on_change, "value")
            self._widgets[name] = widget
            boxes.append(box)
        reset = widgets.Button(description="Reset")
        reset.layout.width = "auto"
        reset.layout.flex = "0 0 auto"
        reset.on_click(self._reset)
        controls = widgets.Box([*boxes, reset])
        controls.layout.flex_flow = "row wrap"
        controls.layout.align_items = "flex-end"
        controls.layout.grid_gap = "4px 16px"
        title = widgets.HTML(f"<b>{html.escape(self.title)}</b>")
        # As a data address, a picture need not be fetched through the browser's other
        # processes.
        self._image = widgets.Image(format="url")
        self._image.layout.width = "100%"
        self._image.layout.max_width = width
        self._image.layout.height = "auto"
        self._image.layout.flex = "0 0 auto"
        # Otherwise its 100 % would be wider than the box, which then scrolls.
        self._image.layout.margin = "0"
        self._status_line = widgets.HTML()
        self._error_line = widgets.HTML()
        self.widget = widgets.VBox(
            [
                title,
                controls,
                self._image,
                self._status_line,
                self._error_line,
                spoken(self.title, self.alt),
            ]
        )
        self.widget.layout.width = "100%"
        self.widget.layout.max_width = width

    # ---- answers to what a reader does -----------------------------------------------

    def _check_values(self, values):
        for name, value in values.items():
            if name not in self.controls:
                allowed = ", ".join(self.controls)
                raise ValueError(f"{name!r} is not a control; allowed are {allowed}")
            self.controls[name].position(value)

    def _set_widgets(self, values):
        """Set the widgets and draw once, after the last of them."""
        self._setting = True
        try:
            for name, value in values.items():
                self._widgets[name].value = value
        finally:
            self._setting = False
        self._update()

    def _reset(self, _):
        for widget in self._widgets.values():
            if hasattr(widget, "player"):
                widget.player.stop()
        self._set_widgets(self.first)

    def _on_change(self, change):
        """Draw; while a hand moves a slider, right after the browser was answered."""
        if self._setting:
            return
        in_hand = getattr(change.owner, "in_hand", False)
        loop = _running_loop() if in_hand else None
        if loop is None:
            self._update()
        elif not self._update_due:
            self._update_due = loop.call_soon(self._update)

    def _update(self):
        """Show picture and status at the current values, or else the error."""
        if self._update_due:
            self._update_due.cancel()
        self._update_due = None
        values = self.values
        try:
            png, address, status = self._shown_at(values)
        except Exception as error:
            # Any error goes to the reader, who sees nothing but this page.
            self.error = error
            self._error_line.value = self._description_of(error)
        else:
            self.error = None
            self.status = status
            self._shown = values
            self._png = png
            self._image.value = address
            self._status_line.value = (
                f'<div role="status" aria-live="polite" {LINE}>'
                f"{html.escape(status)}</div>"
            )
            self._error_line.value = ""

    def _shown_at(self, values) -> tuple[bytes | None, bytes, str]:
        """Return the picture at these values as PNG bytes, its data address and the line.

        A recorded picture has no PNG.
        """
        found = self._recorded_at(values)
        if found:
            svg, line = found
            return None, recorded.address_of(svg), line
        png = self._picture_at(values)
        address = b"data:image/png;base64," + base64.b64encode(png)
        return png, address, self._line_at(values)

    def _recorded_at(self, values) -> tuple[str, str] | None:
        """Return the recorded picture, as SVG, and line; None where there is none."""
        if self._recording is None:
            return None
        return self._recording.at(self._texts_of(values))

    def _texts_of(self, values) -> list[str]:
        """Return what each control shows at these values, in order."""
        texts = []
        for name, control in self.controls.items():
            text, _ = control.options[control.position(values[name])]
            texts.append(text)
        return texts

    def _description_of(self, error) -> str:
        text = f"{type(error).__name__}: {error} (at {self.describe()})"
        return f'<div role="alert" {ERROR}><b>Not drawn.</b> {html.escape(text)}</div>'


def _running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop of events of a kernel; None outside of one."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _check_words(name: str, text) -> None:
    """ValueError unless a part of an explorer's class says something in words."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError(
            f"{name} was {text!r}; it must say in words what there is to see"
        )
