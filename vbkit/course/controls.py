"""The controls of an explorer: which values each may take, and how these read in words.

Every control has finitely many positions, a slider over numbers too. So a test can try
all of them, a cache can remember them, and a value is exactly what the control shows.
"""

import html
import math
import time

import attrs
import ipywidgets as widgets
import traitlets


@attrs.frozen
class Control:
    """A control, made by `slider`, `log_slider`, `select_slider`, `dropdown`, `checkbox`.

    kind: "slider", "dropdown" or "checkbox"; label: its name in words; options: its
    positions as pairs (text, hashable value); value: the first one shown; play:
    milliseconds between the steps of a slider that can run by itself, or None. Raises
    ValueError for an empty label, fewer than two options, a text or a value that occurs
    twice, and a first value that is no option.
    """

    kind: str
    label: str
    options: tuple
    value: object
    play: int | None = None

    def __attrs_post_init__(self):
        if not self.label.strip():
            raise ValueError(f"label was {self.label!r}: name the control in words")
        for column in zip(*self.options, strict=True):
            if len(set(column)) < max(2, len(self.options)):
                raise ValueError(
                    f"{self.label!r}: options were {column}; "
                    "it needs two or more, none twice"
                )
        self.position(self.value)

    def position(self, value) -> int:
        """Return the index of `value` among the options.

        Raises ValueError if it is not one.
        """
        values = [option for _, option in self.options]
        if value not in values:
            shown = values
            if len(values) > 12:
                shown = [*values[:9], "...", *values[-2:]]
            allowed = ", ".join(str(option) for option in shown)
            raise ValueError(f"{self.label!r} was {value!r}; allowed are {allowed}")
        return values.index(value)

    def describe(self, value) -> str:
        """Return the control's name and `value` as a reader sees them."""
        text, _ = self.options[self.position(value)]
        return f"{self.label}: {text}"

    def widgets(self) -> tuple[widgets.Widget, widgets.Widget]:
        """Make the widget that holds the value, and the box to lay out.

        They may be the same.
        """
        if self.kind == "slider":
            return self._slider()
        if self.kind == "checkbox":
            widget = widgets.Checkbox(self.value, indent=False)
            widget.layout.width = "auto"
        else:
            longest = max(len(text) for text, _ in self.options)
            widget = widgets.Dropdown(options=self.options, value=self.value)
            widget.layout.flex = f"0 1 {max(8, 3 + 0.6 * longest)}em"
            widget.layout.flex_flow = "row wrap"
            widget.layout.height = "auto"
        widget.description = self.label
        widget.style.description_width = "initial"
        return widget, widget

    def _slider(self):
        """Make a slider, and a box: its name above it, its play button beside it."""
        slider = Slider(options=self.options, value=self.value)
        slider.layout = widgets.Layout(
            flex="1 1 auto", width="auto", min_width="0", margin="2px 2px 2px 6px"
        )
        row = [slider]
        if self.play is not None:
            slider.player = Player(slider, self.play)
            row = [slider.player, slider]
        name = widgets.HTML(
            f'<div style="line-height:1.4">{html.escape(self.label)}</div>'
        )
        layout = widgets.Layout(
            flex=f"1 1 {12 + 6 * len(row)}em", max_width="36em", min_width="0"
        )
        return slider, widgets.VBox([name, widgets.HBox(row)], layout=layout)


class Slider(widgets.SelectionSlider):
    """A slider that knows when a hand moves it, in the browser.

    The browser is not told again where its own slider is: while it is dragged, that would
    be one more message for each picture.
    """

    index = traitlets.Int(None, allow_none=True).tag(sync=True, echo_update=False)
    in_hand = False

    def set_state(self, sync_data):
        self.in_hand = True
        try:
            super().set_state(sync_data)
        finally:
            self.in_hand = False


# seconds for which a player that was stopped while running cannot be started again
DEAF_SECONDS = 0.5


class Player(widgets.Play):
    """The play button of a slider: each moves the other, through the kernel.

    If they were linked in the browser, the steps of a running player could overtake what
    the kernel sets. After Reset, too, a step may be under way: it must not move the slider
    again, and a start that the browser sent before it heard of the stop must not count.
    """

    def __init__(self, slider, interval):
        last = len(slider.options) - 1
        super().__init__(max=last, value=slider.index, interval=interval)
        self.show_repeat = False
        self.layout.flex = "0 0 auto"
        self.layout.width = "7em"
        self._slider = slider
        self._stopped = False
        self._deaf_until = 0.0
        self.observe(self._step, "value")
        self.observe(self._start, "playing")
        slider.observe(self._follow, "index")

    def stop(self):
        """Stop; ignore steps and starts that are still on their way from the browser."""
        if self.playing:
            self._deaf_until = time.monotonic() + DEAF_SECONDS
        self._stopped = True
        self.playing = False

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


def slider(label, low, high, value, step=1, *, form="{:g}", play=None) -> Control:
    """Make a slider of equal steps from `low` to `high`, both included.

    The values are integers if `low` and `step` are. `form` formats what the slider shows.
    Raises ValueError unless `step` divides the way.
    """
    count = (high - low) / step if step else 0
    if count < 1 or abs(count - round(count)) > 1e-6:
        raise ValueError(
            f"{label!r}: step was {step}; it must divide the way from {low} to {high}"
        )
    options = []
    for i in range(round(count) + 1):
        position = low + i * step
        if not isinstance(position, int):
            position = round(position, 12)
        options.append((form.format(position), position))
    return Control("slider", label, tuple(options), value, play)


def log_slider(label, low, high, value, per_decade=10, *, play=None) -> Control:
    """Make a slider of equal ratios from `low` to `high`.

    There are `per_decade` positions to a power of ten, rounded to two digits, or to three
    from 20 steps per decade on. Raises ValueError unless 0 < low < high.
    """
    if not 0 < low < high:
        raise ValueError(
            f"{label!r}: low, high were {low}, {high}; allowed is 0 < low < high"
        )
    digits = 2 if per_decade < 20 else 3
    first = math.floor(per_decade * math.log10(low))
    last = math.floor(per_decade * math.log10(high))
    positions = {float(low), float(high)}
    for k in range(first, last + 2):
        position = float(f"{10 ** (k / per_decade):.{digits}g}")
        if low < position < high:
            positions.add(position)
    options = tuple((f"{position:g}", position) for position in sorted(positions))
    return Control("slider", label, options, value, play)


def select_slider(label, options, value, *, play=None) -> Control:
    """Make a slider over the given options, which are values or pairs (text, value)."""
    return Control("slider", label, _pairs(options), value, play)


def there_and_back(label, stops, turn: int) -> Control:
    """Make a slider over the places of stops (n,), which go down and up again; its words say
    where one is, and which way one goes.

    turn: so many stops lie on the way down.
    """
    options = []
    for place, stop in enumerate(stops):
        way = "down" if place < turn else "up"
        options.append((f"{stop:.2f}, {way}", place))
    return select_slider(label, options, 0, play=150)


def dropdown(label, options, value) -> Control:
    """Make a menu of the given options, which are values or pairs (text, value)."""
    return Control("dropdown", label, _pairs(options), value)


def checkbox(label, value=False) -> Control:
    """Make a box to tick."""
    return Control("checkbox", label, (("no", False), ("yes", True)), value)


def _pairs(options) -> tuple:
    """Return options as pairs (text, value)."""
    pairs = []
    for option in options:
        if isinstance(option, tuple):
            pairs.append(option)
        else:
            pairs.append((str(option), option))
    return tuple(pairs)
