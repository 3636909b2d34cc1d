"""The controls of an explorer: what each may be set to, and how its values read in words.

Every control has finitely many positions, also a slider over numbers: so a test can try all of them, a cache
can remember them, and a value is exactly what its read-out says.
"""

import html
import math
import time
from dataclasses import dataclass

import ipywidgets as widgets


@dataclass(frozen=True)
class Control:
    """One control, made by `slider`, `log_slider`, `select_slider`, `dropdown` or `checkbox`.

    label: its name in words; options: its positions as pairs (text, hashable value); value: the first one
    shown; play: milliseconds between two steps of a slider that can run by itself, or None. ValueError for no
    label, fewer than two options, one that stands there twice (as read or as value), a value that is none of them.
    """

    kind: str
    label: str
    options: tuple
    value: object
    play: int | None = None

    def __post_init__(self):
        if not self.label.strip():
            raise ValueError(f"label was {self.label!r}: name the control in words")
        for column in zip(*self.options, strict=True):
            if len(set(column)) < max(2, len(self.options)):
                raise ValueError(
                    f"{self.label!r}: options were {column}; it needs two or more, none twice"
                )
        self.position(self.value)

    def position(self, value):
        """The index of `value` among the options; ValueError if it is not one of them."""
        values = [option for _, option in self.options]
        if value not in values:
            shown = values if len(values) <= 12 else [*values[:9], "...", *values[-2:]]
            raise ValueError(
                f"{self.label!r} was {value!r}; allowed are {', '.join(map(str, shown))}"
            )
        return values.index(value)

    def words(self, value):
        """The control's name and `value`, as a reader sees them."""
        return f"{self.label}: {self.options[self.position(value)][0]}"

    def widgets(self):
        """The widget that holds the value, and the box to lay out; names are written in full, above."""
        share = {"description": self.label, "style": {"description_width": "initial"}}
        if self.kind == "checkbox":
            holder = widgets.Checkbox(
                self.value, indent=False, layout=widgets.Layout(width="auto"), **share
            )
            return holder, holder
        if self.kind == "dropdown":
            width = 3 + 0.6 * max(len(text) for text, _ in self.options)
            layout = widgets.Layout(
                flex=f"0 1 {max(8, width)}em", flex_flow="row wrap", height="auto"
            )
            holder = widgets.Dropdown(
                options=self.options, value=self.value, layout=layout, **share
            )
            return holder, holder
        layout = widgets.Layout(
            flex="1 1 auto", width="auto", min_width="0", margin="2px 2px 2px 6px"
        )
        holder = widgets.SelectionSlider(options=self.options, value=self.value, layout=layout)
        row = [holder]
        if self.play is not None:
            holder.player = Player(holder, self.play)
            row = [holder.player, holder]
        layout = widgets.Layout(flex=f"1 1 {12 + 6 * len(row)}em", max_width="36em", min_width="0")
        return holder, widgets.VBox([text_line(self.label), widgets.HBox(row)], layout=layout)


def text_line(text):
    """A widget with text that wraps where it must, unlike the labels that controls bring along."""
    return widgets.HTML(f'<div style="line-height:1.4">{html.escape(text)}</div>')


DEAF = 0.5  # seconds after a running player was stopped in which it cannot be started again


class Player(widgets.Play):
    """The play button of a slider: each steps the other, by way of the kernel.

    A link within the browser would let the steps of a running player overtake what the kernel sets meanwhile.
    """

    def __init__(self, slider, interval):
        super().__init__(max=len(slider.options) - 1, value=slider.index, interval=interval)
        self.show_repeat, self.layout.flex, self.layout.width = False, "0 0 auto", "7em"
        self._slider, self._stopped, self._deaf_until = slider, False, 0.0
        self.observe(self._step, "value")
        self.observe(self._start, "playing")
        slider.observe(self._follow, "index")

    def stop(self):
        """Stop, and disregard what is on its way from the browser: steps, and a late word that it plays."""
        if self.playing:
            self._deaf_until = time.monotonic() + DEAF
        self._stopped, self.playing = True, False

    def _start(self, change):
        if change.new and time.monotonic() < self._deaf_until:
            self.playing = False
        elif change.new:
            self._stopped = False

    def _step(self, change):
        if self._stopped:
            self.value = self._slider.index
        else:
            self._slider.index = change.new

    def _follow(self, change):
        self.value = change.new


def slider(label, low, high, value, step=1, *, form="{:g}", play=None):
    """Equal steps from `low` to `high` included, integers if all three are; ValueError where `step` does not divide the
    way. `form` formats the read-out."""
    count = (high - low) / step if step else 0
    if count < 1 or abs(count - round(count)) > 1e-6:
        raise ValueError(f"{label!r}: step was {step}; it must divide the way from {low} to {high}")
    values = (low + i * step for i in range(round(count) + 1))
    values = [v if isinstance(v, int) else round(v, 12) for v in values]
    return Control("slider", label, tuple((form.format(v), v) for v in values), value, play)


def log_slider(label, low, high, value, per_decade=10, *, play=None):
    """Equal ratios, `per_decade` of them between powers of ten, from `low` to `high` included.

    Values are rounded to the two digits (from 20 steps a decade on, three) that tell neighbours apart. ValueError
    unless 0 < low < high.
    """
    if not 0 < low < high:
        raise ValueError(f"{label!r}: low, high were {low}, {high}; allowed is 0 < low < high")
    first, last = (math.floor(per_decade * math.log10(end)) for end in (low, high))
    digits = 2 if per_decade < 20 else 3
    grid = (float(f"{10 ** (k / per_decade):.{digits}g}") for k in range(first, last + 2))
    values = sorted({float(low), float(high), *(v for v in grid if low < v < high)})
    return Control("slider", label, tuple((f"{v:g}", v) for v in values), value, play)


def select_slider(label, options, value, *, play=None):
    """A slider over the given options: values, or pairs (text, value)."""
    return Control("slider", label, _pairs(options), value, play)


def dropdown(label, options, value):
    """A menu of the given options: values, or pairs (text, value)."""
    return Control("dropdown", label, _pairs(options), value)


def checkbox(label, value=False):
    """Yes or no."""
    return Control("checkbox", label, (("no", False), ("yes", True)), value)


def _pairs(options):
    return tuple(
        option if isinstance(option, tuple) else (str(option), option) for option in options
    )
