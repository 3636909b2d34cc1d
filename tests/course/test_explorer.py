"""Explorers without a browser: what they show, remember, report and leave behind."""

import asyncio
import base64
import doctest
import io
import re
from types import SimpleNamespace
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from vbkit import plots
from vbkit.course import explorer as module
from vbkit.course.blit import BlitFigure
from vbkit.course.controls import checkbox, dropdown, log_slider, select_slider, slider
from vbkit.course.explorer import WIDGET, Explorer
from vbkit.course.panel import Panel
from vbkit.press import server


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), float)


def rms(a, b):
    return np.sqrt(np.mean((pixels(a) - pixels(b)) ** 2))


def full_drawing(live):
    """The same artists as in the explorer's figure, all drawn from nothing."""
    return whole(live.figure)


def whole(figure):
    every = figure.findobj()
    animated = [artist for artist in every if artist.get_animated()]
    for artist in animated:
        artist.set_animated(False)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=figure.dpi)
    for artist in animated:
        artist.set_animated(True)
    return file.getvalue()


X = np.linspace(-1, 1, 101)


class Curve(NamedTuple):
    y: np.ndarray
    top: float


class Bump(Explorer):
    """A curve with
    a bump."""

    title = "A bump"
    size = (6.0, 2.5)
    height = slider("Height of the bump", -2, 2, 1)
    width = log_slider("Width of the bump", 0.01, 1.0, 0.1, play=100)
    kind = dropdown("Kind of curve", [("smooth", "cos"), ("straight", "abs")], "cos")
    filled = checkbox("Fill the bump", True)

    def __init__(self):
        self.computed = []
        self.broken = None  # the method that fails at height 2
        super().__init__()

    def compute(self, height, width, kind):
        self.computed.append((height, width, kind))
        if height == -1:
            raise ArithmeticError("no <b>bump</b> of this height")
        shape = np.cos(X) if kind == "cos" else 1 - abs(X)
        y = height * np.exp(-((X / width) ** 2) / 2) * shape
        return Curve(y, abs(y).max())

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        left.set(xlim=(-1, 1), ylim=(-2, 2))
        left.plot(X[::10], 0 * X[::10], "o", ms=12, color=plots.COLOURS[1], zorder=3)
        left.text(-0.9, 1.5, "stays above", zorder=5, backgroundcolor="white")
        right.set(xlim=(-3, 3), ylim=(-3, 3), title="components")
        return left, right

    def draw(self, panels, curve, now):
        self.fail("draw", now)
        left, right = panels
        left.artist(self.empty_image, data=curve.y[None, :])
        left.line(X, curve.y, color="black" if now.height > 0 else "red")
        if now.filled:
            left.area(X, 0, curve.y, alpha=0.5)
        centres = np.array([[now.height, 0.0], [0.0, 1.0]])
        right.ellipses(centres, np.array([now.width, 1.0]), [1.0, 2.0])
        # other limits and another title, but only where they change
        if left.axes.get_title() != now.kind:
            left.axes.set_ylim((-1, 1) if now.kind == "abs" else (-2, 2))
            left.axes.set_title(now.kind)

    def say(self, curve, now):
        self.fail("say", now)
        return f"the curve peaks at {curve.top:.2f} & no higher"

    @staticmethod
    def empty_image(axes):
        extent = (-1, 1, -2, 2)
        return axes.imshow(
            np.zeros((1, 101)), extent=extent, aspect="auto", vmin=-2, vmax=2
        )

    def fail(self, method, now):
        if self.broken == method and now.height == 2:
            raise KeyError("broken")


@pytest.fixture
def live():
    return Bump()


def holder(live, name):
    return live._widgets[name]


def count_full_drawings(live, monkeypatch):
    drawings = []
    draw = live.figure.canvas.draw
    monkeypatch.setattr(
        live.figure.canvas, "draw", lambda: (drawings.append(1), draw())
    )
    return drawings


def test_the_example_of_the_documentation_runs():
    result = doctest.testmod(module)
    assert result.attempted >= 8 and result.failed == 0


def test_a_moved_slider_changes_picture_and_status(live):
    before, line = live.png, live._status_line.value
    assert before.startswith(b"\x89PNG")
    holder(live, "height").index = 4  # as the browser moves it
    assert live.values["height"] == 2
    assert rms(before, live.png) > 1
    assert "peaks at 2.00 &amp; no higher" in live._status_line.value != line
    assert 'aria-live="polite"' in live._status_line.value


def test_a_dragged_slider_is_answered_at_once_and_only_its_newest_value_drawn(live):
    first = live.png

    async def drag():
        # three messages from the browser, before the kernel is free
        for index in (2, 3, 4):
            holder(live, "height").set_state({"index": index})
            assert live.png == first
        await asyncio.sleep(0)
        assert "peaks at 2.00" in live._status_line.value and live.png != first
        holder(live, "height").set_state({"index": 3})
        live.set(height=-2)  # code draws at once, and nothing is drawn twice
        drawn = live.png
        await asyncio.sleep(0)
        assert live.png == drawn and live.values["height"] == -2

    asyncio.run(drag())
    assert [call[0] for call in live.computed] == [1, 2, -2]


def test_the_browser_gets_the_picture_and_no_echo_of_its_slider(live, monkeypatch):
    sent = []
    monkeypatch.setattr(
        widgets.Widget, "_send", lambda *message, **_: sent.append(message)
    )
    for name in ("height", "kind"):
        holder(live, name).set_state({"index": 1})
    echoed = [widget for widget, message in sent if message["method"] == "echo_update"]
    assert echoed == [holder(live, "kind")]
    head, _, data = bytes(live._image.value).partition(b",")
    assert head == b"data:image/png;base64" and live._image.format == "url"
    assert base64.b64decode(data) == live.png


def test_the_picture_is_opaque_and_as_large_as_asked(live):
    image = Image.open(io.BytesIO(live.png))
    assert image.mode == "RGB" and image.size == (576, 240)
    assert image.getpixel((0, 0)) == (255, 255, 255)


def test_a_page_without_a_kernel_shows_title_and_values_above_the_picture(live):
    data, _ = live._repr_mimebundle_()
    shown = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    bare = Image.open(io.BytesIO(live.png))
    above = shown.height - bare.height
    assert above in (40, 60, 80)  # a title and one line, or two or three
    below = shown.crop((0, above, *shown.size))
    assert below.tobytes() == bare.tobytes()
    assert np.asarray(shown.crop((0, 0, shown.width, 20))).min() < 100  # a title


def test_the_browser_gets_the_words_for_a_screen_reader(live):
    (words,) = live.widget.children[-1].children
    sent = words.get_state()
    assert sent["title"] == "A bump"
    assert sent["alt"] == "A curve with a bump."
    assert "export default" in sent["_esm"]


def test_a_long_line_above_a_picture_is_wrapped(live):
    one = Image.open(io.BytesIO(plots.below_lines(live.png, "T", "word")))
    many = Image.open(io.BytesIO(plots.below_lines(live.png, "T", "word " * 40)))
    assert many.height > one.height and many.width == one.width


def test_results_are_remembered_up_to_the_bound(monkeypatch):
    monkeypatch.setattr(module, "RESULTS", 3)
    live = Bump()
    for height in (2, 1, 2, 1, 0):
        live.set(height=height)
    assert [call[0] for call in live.computed] == [1, 2, 0]
    live.set(height=-2)  # the fourth drives out the oldest, which is 2
    live.set(height=2)
    assert [call[0] for call in live.computed] == [1, 2, 0, -2, 2]


class Slow(Bump):
    """A bump whose results take long."""

    computes_ahead = True
    height = slider("Height of the bump", 0, 2, 1)
    width = select_slider("Width of the bump", (0.1, 0.5), 0.1)


def test_an_explorer_that_computes_ahead_makes_no_position_wait():
    live = Slow()
    every = {(h, w, k) for h in (0, 1, 2) for w in (0.1, 0.5) for k in ("cos", "abs")}
    assert set(live.computed) == every
    live.set(height=2, width=0.5, kind="abs", filled=False)
    assert len(live.computed) == len(every)


def test_what_compute_does_not_ask_for_computes_nothing(live):
    first = live.png
    live.set(filled=False)
    assert rms(first, live.png) > 1
    assert live.computed == [(1, 0.1, "cos")]


def test_set_computes_and_draws_once(live):
    live.set(height=2, width=0.5, kind="abs", filled=False)
    assert live.computed == [(1, 0.1, "cos"), (2, 0.5, "abs")]
    assert live.values == {"height": 2, "width": 0.5, "kind": "abs", "filled": False}


def test_an_error_is_shown_with_the_values_and_cleared(live):
    before, line = live.png, live._status_line.value
    holder(live, "height").value = -1
    message = live._error_line.value
    assert 'role="alert"' in message
    assert "ArithmeticError: no &lt;b&gt;bump&lt;/b&gt; of this height" in message
    values = "Height of the bump: -1; Width of the bump: 0.1; Kind of curve: smooth"
    assert values in message
    assert isinstance(live.error, ArithmeticError)
    assert live.png == before and live._status_line.value == line
    holder(live, "height").value = 2
    assert live._error_line.value == "" and live.error is None
    assert live.png != before
    with pytest.raises(ArithmeticError, match="of this height"):
        live.set(height=-1)
    assert "ArithmeticError" in live._error_line.value


@pytest.mark.parametrize("method", ["draw", "say"])
def test_an_error_in_draw_or_say_leaves_the_picture(live, method):
    live.broken = method
    before, line = live.png, live.status
    holder(live, "height").value = 2
    assert "KeyError" in live._error_line.value
    assert live.png == before and live.status == line
    holder(live, "height").value = 1
    assert live._error_line.value == "" and live.png == before


def test_an_error_at_the_first_values_is_raised():
    class Wrong(Bump):
        """A curve that is never drawn."""

        def draw(self, panels, curve, now):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Wrong()


def test_reset_goes_back_to_the_first_picture(live, monkeypatch):
    # a busy machine may take its time here
    monkeypatch.setattr("vbkit.course.controls.DEAF_SECONDS", 60)
    first = live.png
    live.set(height=-2, width=1.0, kind="abs", filled=False)
    player = holder(live, "width").player
    player.playing = True
    row = live.widget.children[1].children
    (button,) = [widget for widget in row if isinstance(widget, widgets.Button)]
    assert button.description == "Reset"
    button.click()
    assert live.values == live.first and live.png == first
    assert len(live.computed) == 2
    assert not player.playing and player.value == holder(live, "width").index
    player.value = 7  # a step that was on its way
    assert live.values == live.first and player.value == holder(live, "width").index
    player.playing = True  # late, too
    assert not player.playing and live.values == live.first
    player._deaf_until = 0.0  # some time later
    player.playing = True
    player.value = 7
    assert holder(live, "width").index == 7


MOVES = [
    {"height": 2},
    {"width": 0.5, "height": -2},
    {"kind": "abs"},
    {"filled": False},
    {"height": 0, "width": 0.01},
    {"kind": "cos", "height": 2, "filled": True},
    {"width": 1.0},
]


def test_the_blitted_picture_equals_a_full_drawing(live):
    seen = {live.png}
    for move in MOVES:
        live.set(**move)
        assert live.png not in seen
        assert rms(live.png, full_drawing(live)) < 0.5
        seen.add(live.png)
    fresh = Bump()
    fresh.set(**live.values)
    assert rms(live.png, fresh.png) < 0.5


def test_only_what_moves_is_drawn_again(live, monkeypatch):
    drawings = count_full_drawings(live, monkeypatch)
    live.set(height=2)
    live.set(height=-2, width=0.5)  # the curve in another colour
    live.set(filled=False)
    assert not drawings
    live.set(kind="abs")
    assert len(drawings) == 1


# ---- what a drawing says -------------------------------------------------------------


def thin_line(panel):
    panel.line([0, 1], [0.1, 0.9])


def thick_red_line(panel):
    panel.line([0, 1], [0.9, 0.1], lw=9, c="red")


def line_of_squares(panel):
    panel.line([0, 0.5, 1], [0.9, 0.1, 0.2], marker="s", ms=9)


def two_crossing_lines(panel):
    panel.line([0, 1], [0.5, 0.5], lw=12, color="black")
    panel.line([0.5, 0.5], [0, 1], lw=12, color="orange")


def one_dot(panel):
    panel.points(0.5, 0.3, color="black")


def words_and_a_dot(panel):
    panel.text(0.2, 0.5, "some words", color="green", weight="bold")
    panel.points([0.5, 0.6], [0.3, 0.9], marker="^")


def other_words(panel):
    panel.text(0.4, 0.2, "other words", color="blue", weight="bold")


def an_area(panel):
    panel.area([0, 0.5, 1], 0.2, [0.3, 0.9, 0.4])


def three_ellipses(panel):
    centres = [[0.2, 0.2], [0.5, 0.5], [0.8, 0.3]]
    panel.ellipses(centres, np.full(3, 0.01), [0.1, 0.2, 0.7])


def one_ellipse(panel):
    panel.ellipses([[0.4, 0.4]], np.array([0.02]))


def three_columns(panel):
    panel.columns(np.array([0.2, 0.5, 0.8]), 0, np.array([0.9, 0.3, 0.5]), 0.2)


def hatched_columns(panel):
    x = np.array([0.3, 0.6])
    panel.columns(x, [0.1, 0.2], 0.8, 0.1, facecolor="red", hatch="///")


def nothing(panel):
    pass


SAYS = [
    thin_line, thick_red_line, line_of_squares, two_crossing_lines, one_dot,
    words_and_a_dot, other_words, an_area, three_ellipses, one_ellipse,
    three_columns, hatched_columns, nothing,
]  # fmt: skip


class Scene(Explorer):
    """What one of the functions above says."""

    title = "A scene"
    size = (3.0, 2.0)
    step = slider("Step", 0, len(SAYS) - 1, 0)

    def __init__(self, says):
        self.says = says
        super().__init__()

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(0, 1), ylim=(0, 1))
        return axes

    def draw(self, panels, nothing, now):
        self.says[now.step](panels[0])

    def say(self, nothing, now):
        return f"step {now.step}"


def test_a_drawing_shows_what_it_says_whatever_was_said_before():
    fresh = [Scene([say] * len(SAYS)).png for say in SAYS]
    assert len({*fresh}) == len(SAYS)
    live = Scene(SAYS)
    for before in range(len(SAYS)):
        for after in range(len(SAYS)):
            live.set(step=before)
            assert live.png == fresh[before]
            live.set(step=after)
            assert live.png == fresh[after]


def test_columns_reach_from_low_to_high_and_nobody_misses_the_lowest():
    panel = Panel(Figure().subplots())
    x = np.array([0.0, 1.0, 2.0])
    columns = panel.columns(x, 1, np.array([3.0, 1.0, 4.0]), 0.5)
    first, last = columns.get_path().to_polygons()
    assert first.min(axis=0).tolist() == [-0.25, 1] and first.max() == 3
    assert last.min(axis=0).tolist() == [1.75, 1] and last.max() == 4


# ---- still pictures ------------------------------------------------------------------


def test_the_picture_of_a_setting_is_that_which_the_slider_shows(live):
    before = live.png
    still = live.at(height=2, kind="abs")
    assert live.png == before and live.values == live.first
    assert len(still.png) <= 60_000
    live.set(width=0.5)  # what is not named is as at first
    assert live.at(height=2, kind="abs").png == still.png
    live.set(height=2, kind="abs", width=0.1)
    titled = plots.below_lines(live.png, live.title, f"{live.describe()}.")
    assert rms(titled, still.png) < 2.0
    assert Image.open(io.BytesIO(still.png)).mode == "P"
    assert still.alt == (
        "A curve with a bump. Height of the bump: 2; Width of the bump: 0.1; "
        "Kind of curve: straight; Fill the bump: yes. "
        "the curve peaks at 2.00 & no higher"
    )


def test_a_still_picture_of_many_colours_loses_some():
    noise = np.random.default_rng(0).integers(0, 256, (100, 400, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "PNG")
    few = plots.in_few_colours(file.getvalue(), 30_000)
    assert len(file.getvalue()) > 100_000 and len(few) <= 30_000
    assert pixels(few).shape == (100, 400, 3)


def test_what_is_displayed_is_the_same_for_two_constructions():
    (a, meta_a), (b, meta_b) = (Bump()._repr_mimebundle_() for _ in range(2))
    assert a.pop(WIDGET)["model_id"] != b.pop(WIDGET)["model_id"]
    assert a == b and meta_a == meta_b
    assert set(a) == {"image/png", "text/plain"}
    assert a["text/plain"] == (
        "A bump. Height of the bump: 1; Width of the bump: 0.1; Kind of curve: smooth; "
        "Fill the bump: yes."
    )
    assert meta_a == {"image/png": {"alt": "A curve with a bump."}}


def test_overlapping_axes_insets_and_figure_texts_keep_their_order():
    stage = BlitFigure((4, 3), 80)
    ax = stage.figure.subplots()
    inset = ax.inset_axes([0.1, 0.1, 0.3, 0.3])
    (wide,) = ax.plot([0, 1], [0, 1], lw=40)
    (small,) = inset.plot([0, 1], [0, 1], "r")
    text = stage.figure.text(0.5, 0.5, "moving")
    moving = [wide, small, text]
    first = stage.png(moving)
    wide.set_ydata([1, 0])
    small.set_ydata([1, 0])
    text.set_text("moved")
    second = stage.png(moving)
    assert rms(first, second) > 1
    assert rms(second, whole(stage.figure)) < 0.5


# ---- controls, and what is refused ---------------------------------------------------


def test_controls_have_exact_positions():
    values = [v for _, v in slider("Share", 0.1, 0.7, 0.3, 0.1, form="{:.1f}").options]
    assert values == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert slider("Number", 2, 8, 4, 2).options == (
        ("2", 2),
        ("4", 4),
        ("6", 6),
        ("8", 8),
    )
    values = [v for _, v in log_slider("Size", 0.02, 3, 1, 3).options]
    assert values == [0.02, 0.022, 0.046, 0.1, 0.22, 0.46, 1.0, 2.2, 3.0]
    assert select_slider("Data", ["A", ("second", 2)], 2).describe(2) == "Data: second"
    bar, row = Bump.width.widgets()
    name, play = row.children[0], row.children[1].children[0]
    assert "Width of the bump" in name.value
    assert (play.min, play.max, play.value, play.interval) == (0, 20, 10, 100)
    play.value = 12
    assert bar.index == 12
    bar.index = 3
    assert play.value == 3


def changed(**attributes):
    """A class like Bump with other attributes."""
    return type("Changed", (Bump,), {"__doc__": "A curve."} | attributes)


class NoControls(Explorer):
    """Nothing to move."""

    title = "No controls"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: slider("Number", 0, 10, 11), "'Number' was 11; allowed are 0, 1"),
        (lambda: slider("Number", 0, 10, 0, 3), "step was 3"),
        (lambda: slider("Number", 0, 10, 0, 0), "step was 0"),
        (lambda: log_slider("Size", 0, 1, 1), "low, high were 0, 1"),
        (lambda: dropdown("Data", ["A"], "A"), "two or more"),
        (lambda: select_slider("Data", ["A", "A"], "A"), "two or more"),
        (lambda: slider("Share", 0, 1, 0, 0.05, form="{:.1f}"), "none twice"),
        (lambda: checkbox(" "), "label was ' '"),
        (changed(__doc__=None), "the docstring was None"),
        (changed(title=""), "title was ''"),
        (NoControls, "controls were {}"),
        (changed(status=checkbox("Status")), "a control was named 'status'"),
        (changed(compute=lambda self, breadth: 1), "compute asks for 'breadth'"),
        (changed(frame=lambda self, figure: None), "frame returned None"),
        (changed(say=lambda self, curve, now: None), "say returned None"),
        (
            lambda: Bump().set(breadth=1),
            "'breadth' is not a control; allowed are height, width",
        ),
        (lambda: Bump().set(height=7), "'Height of the bump' was 7"),
        (lambda: Bump().at(height=7), "'Height of the bump' was 7"),
        (lambda: Bump().at(breadth=7), "'breadth' is not a control"),
    ],
)
def test_malformed_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_an_unknown_control_of_now_is_named():
    class Misspelt(Bump):
        """A curve."""

        def say(self, curve, now):
            return f"{now.hieght}"

    with pytest.raises(
        AttributeError, match="now.hieght is not a control; allowed are h"
    ):
        Misspelt()


def test_what_is_drawn_behind_the_panels_back_is_refused():
    def drawn_directly(panel):
        panel.axes.plot([0, 1], [0, 1])

    live = Scene([nothing, drawn_directly] * len(SAYS))
    before = live.png
    with pytest.raises(ValueError, match="Line2D on the axes directly.*panel.artist"):
        live.set(step=1)
    live.set(step=2)
    assert live.png == before


def test_a_line_of_unlike_coordinates_is_refused():
    scene = Scene([lambda panel: panel.line([0, 1], [0, 1])] * len(SAYS))
    scene.says[1] = lambda panel: panel.line([0, 1], [0, 1, 2])
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\)"):
        scene.set(step=1)


def test_a_refused_set_changes_nothing(live):
    with pytest.raises(ValueError, match="was 7"):
        live.set(width=1.0, height=7)
    assert live.values == live.first


# ---- draw functions ------------------


def test_components_are_drawn_where_they_are_and_move():
    _, (ax,) = plots.figure()
    covariances = np.array([[[4.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 9.0]]])
    centres = np.array([[1.0, 2.0], [-3.0, 0.0]])
    components = plots.draw_ellipses(ax, centres, covariances, [0.2, 0.8], radius=1.5)
    for path, centre, covariance in zip(
        components.outlines.get_paths(), centres, covariances, strict=True
    ):
        offset = path.vertices - centre
        radius = np.sqrt(
            np.einsum("ni,ij,nj->n", offset, np.linalg.inv(covariance), offset)
        )
        assert np.allclose(radius, 1.5)
    plots.update_ellipses(components, centres[:1] + 1, np.array([4.0]), radius=2.0)
    (path,) = components.outlines.get_paths()
    assert np.allclose(np.linalg.norm(path.vertices - [2.0, 3.0], axis=1), 4.0)
    assert components.centres.get_offsets().tolist() == [[2.0, 3.0]]
    plots.update_ellipses(components, centres, np.array([[1.0, 4.0], [np.nan, 1.0]]))
    assert len(components.outlines.get_paths()) == 1


def test_points_carry_marker_and_colour():
    _, (ax,) = plots.figure()
    points = np.arange(8.0).reshape(4, 2)
    lines = plots.draw_points(ax, points, [0, 2, 0, 2])
    assert [len(line.get_xdata()) for line in lines] == [2, 2]
    assert (
        len({line.get_marker() for line in lines})
        == len({line.get_color() for line in lines})
        == 2
    )


def test_labels_and_titles_of_a_figure():
    fig, axes = plots.figure(6, 4, ncols=2, nrows=2)
    assert isinstance(fig, Figure) and axes.shape == (4,)
    axes[0].plot([0, 1, 2], [3, 4, 5], color="C1")
    label = plots.label_line(axes[0], [0, 1, 2], [3, 4, 5], "rising", at=1)
    assert label.xy == (1, 4) and label.get_color() == "C1"
    assert "left" in plots.panel_title(axes[1], "B", "left side").get_text()
    assert (
        len(plots.COLOURS)
        == len(plots.MARKERS)
        == len(set(plots.MARKERS))
        == len(plots.LINES)
    )


class OtherConnection:
    pass


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (server.ZMQChannelsWebsocketConnection, server.PromptConnection),
        (OtherConnection, OtherConnection),
    ],
)
def test_the_server_takes_prompt_connections_unless_it_has_some_of_its_own(
    before, after
):
    settings = {"kernel_websocket_connection_class": before}
    hooks = []
    app = SimpleNamespace(
        web_app=SimpleNamespace(settings=settings),
        contents_manager=SimpleNamespace(register_pre_save_hook=hooks.append),
    )
    server._load_jupyter_server_extension(app)
    assert settings == {"kernel_websocket_connection_class": after}
    assert hooks == [server.keep_pictures]


def test_a_saved_notebook_keeps_pictures_in_place_of_widgets():
    explorer = {WIDGET: {"model_id": "1"}, "image/png": "iVBO"}
    progress_bar = {WIDGET: {"model_id": "2"}}
    cells = [
        {"outputs": [{"data": explorer}, {"data": progress_bar}, {"text": "5"}]},
        {"source": "prose"},
    ]
    server.keep_pictures({"type": "notebook", "content": {"cells": cells}})
    assert list(explorer) == ["image/png"] and list(progress_bar) == [WIDGET]
    server.keep_pictures({"type": "file", "content": "text"})
