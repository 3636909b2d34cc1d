"""The explorers' widget without a browser: what it draws, remembers, reports and leaves behind."""

import asyncio
import base64
import io
import re
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from vbkit import plots
from vbkit.course.blit import BlitFigure
from vbkit.course.controls import checkbox, dropdown, log_slider, select_slider, slider
from vbkit.course.explorer import WIDGET, Explorer
from vbkit.press import server


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), float)


def rms(a, b):
    return np.sqrt(np.mean((pixels(a) - pixels(b)) ** 2))


def full_drawing(live):
    """The same artists as in the explorer's figure, all drawn from nothing."""
    figure = live._blit.figure
    for artist in live._blit._children:
        artist.set_animated(False)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=figure.dpi)
    for artist in live._blit._moving:
        artist.set_animated(True)
    return file.getvalue()


CONTROLS = {
    "height": slider("Height of the bump", -2, 2, 1),
    "width": log_slider("Width of the bump", 0.01, 1.0, 0.1, play=100),
    "kind": dropdown("Kind of curve", [("smooth", "cos"), ("straight", "abs")], "cos"),
    "filled": checkbox("Fill the bump", True),
}
X = np.linspace(-1, 1, 101)


class Bump:
    """A curve, an image under it and points over it; keeps count of its calls."""

    def __init__(self):
        self.computed = []

    def compute(self, height, width, kind, filled):
        self.computed.append((height, width, kind, filled))
        if height == -1:
            raise ArithmeticError("no <b>bump</b> of this height")
        return (
            height
            * np.exp(-((X / width) ** 2) / 2)
            * (np.cos(X) if kind == "cos" else 1 - abs(X))
        )

    def setup(self, figure):
        left, right = figure.subplots(1, 2)
        image = left.imshow(
            np.zeros((1, 101)), extent=(-1, 1, -2, 2), aspect="auto", vmin=-2, vmax=2
        )
        (curve,) = left.plot(X, 0 * X, color="black")
        left.plot(
            X[::10], 0 * X[::10], "o", ms=12, color=plots.COLOURS[1]
        )  # stands still, but above
        left.text(-0.9, 1.5, "stays above", zorder=5, backgroundcolor="white")
        components = plots.draw_ellipses(right, np.zeros((0, 2)), np.zeros(0))
        right.set(xlim=(-3, 3), ylim=(-3, 3), title="components")
        return {"lines": [curve, (image,)], "components": components, "left": left}

    def draw(self, artists, curve, values):
        (line, (image,)), left = artists["lines"], artists["left"]
        line.set_ydata(curve)
        image.set_data(curve[None, :])
        centres = np.array([[values["height"], 0.0], [0.0, 1.0]])
        plots.update_ellipses(
            artists["components"], centres, np.array([values["width"], 1.0]), [1.0, 2.0]
        )
        if (
            left.get_title() != values["kind"]
        ):  # other limits and another title, but only where they change
            left.set_ylim((-1, 1) if values["kind"] == "abs" else (-2, 2))
            left.set_title(values["kind"])

    def status(self, curve, values):
        return f"the curve peaks at {abs(curve).max():.2f} & no higher"

    def live(self, **options):
        options = {
            "title": "A bump",
            "alt": "A curve with a bump.",
            "size": (6, 2.5),
        } | options
        return Explorer(
            CONTROLS, self.compute, self.setup, self.draw, status=self.status, **options
        )


@pytest.fixture
def explorer():
    return Bump()


@pytest.fixture
def live(explorer):
    return explorer.live()


def holder(live, name):
    return live._widgets[name]


def test_a_moved_slider_changes_picture_and_status(live):
    before, line = live.png, live._line.value
    assert before.startswith(b"\x89PNG")
    holder(live, "height").index = 4  # as the browser moves it
    assert live.values["height"] == 2
    assert rms(before, live.png) > 1
    assert "peaks at 2.00 &amp; no higher" in live._line.value != line
    assert 'aria-live="polite"' in live._line.value


def test_a_dragged_slider_is_answered_at_once_and_only_its_newest_value_drawn(explorer):
    live = explorer.live()
    first = live.png

    async def drag():
        for index in (
            2,
            3,
            4,
        ):  # three messages from the browser, before the kernel is free
            holder(live, "height").set_state({"index": index})
            assert live.png == first
        await asyncio.sleep(0)
        assert "peaks at 2.00" in live._line.value and live.png != first
        holder(live, "height").set_state({"index": 3})
        live.set(height=-2)  # code draws at once, and nothing is drawn twice
        drawn = live.png
        await asyncio.sleep(0)
        assert live.png == drawn and live.values["height"] == -2

    asyncio.run(drag())
    assert [call[0] for call in explorer.computed] == [1, 2, -2]


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


def test_results_are_remembered_up_to_the_bound(explorer):
    live = explorer.live(cache=3)
    for height in (2, 1, 2, 1, 0):
        live.set(height=height)
    assert [call[0] for call in explorer.computed] == [1, 2, 0]
    live.set(height=-2)  # the fourth drives out the oldest, which is 2
    live.set(height=2)
    assert [call[0] for call in explorer.computed] == [1, 2, 0, -2, 2]


def test_set_computes_and_draws_once(explorer):
    live = explorer.live()
    live.set(height=2, width=0.5, kind="abs", filled=False)
    assert explorer.computed == [(1, 0.1, "cos", True), (2, 0.5, "abs", False)]
    assert live.values == {"height": 2, "width": 0.5, "kind": "abs", "filled": False}


def test_an_error_is_shown_with_the_values_and_cleared(live):
    before, line = live.png, live._line.value
    holder(live, "height").value = -1
    message = live._message.value
    assert 'role="alert"' in message
    assert "ArithmeticError: no &lt;b&gt;bump&lt;/b&gt; of this height" in message
    assert (
        "Height of the bump: -1; Width of the bump: 0.1; Kind of curve: smooth"
        in message
    )
    assert isinstance(live.error, ArithmeticError)
    assert live.png == before and live._line.value == line
    holder(live, "height").value = 2
    assert live._message.value == "" and live.error is None
    assert live.png != before
    with pytest.raises(ArithmeticError, match="of this height"):
        live.set(height=-1)
    assert "ArithmeticError" in live._message.value


@pytest.mark.parametrize("function", ["draw", "status"])
def test_an_error_in_draw_or_status_leaves_the_picture(explorer, function):
    good = getattr(explorer, function)

    def fragile(*arguments):
        result = good(*arguments)
        if arguments[-1]["height"] == 2:
            raise KeyError("broken")
        return result

    setattr(explorer, function, fragile)
    live = explorer.live()
    before = live.png
    holder(live, "height").value = 2
    assert "KeyError" in live._message.value and live.png == before
    holder(live, "height").value = 1
    assert live._message.value == "" and live.png == before


def test_an_error_at_the_first_values_is_raised(explorer):
    explorer.draw = lambda *_: 1 / 0
    with pytest.raises(ZeroDivisionError):
        explorer.live()


def test_reset_goes_back_to_the_first_picture(explorer, monkeypatch):
    monkeypatch.setattr(
        "vbkit.course.controls.DEAF", 60
    )  # a busy machine may take its time here
    live = explorer.live()
    first, count = live.png, len(explorer.computed)
    live.set(height=-2, width=1.0, kind="abs", filled=False)
    player = holder(live, "width").player
    player.playing = True
    (button,) = (
        w for w in live.widget.children[1].children if isinstance(w, widgets.Button)
    )
    assert button.description == "Reset"
    button.click()
    assert live.values == live.first and live.png == first
    assert len(explorer.computed) == count + 1
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
    {"height": 0, "width": 0.01},
    {"kind": "cos", "height": 2},
    {"width": 1.0},
]


def test_the_blitted_picture_equals_a_full_drawing(live):
    seen = {live.png}
    for move in MOVES:
        live.set(**move)
        assert live.png not in seen
        assert rms(live.png, full_drawing(live)) < 0.5
        seen.add(live.png)
    fresh = Bump().live()
    fresh.set(**live.values)
    assert rms(live.png, fresh.png) < 0.5


def test_only_what_moves_is_drawn_again(live, monkeypatch):
    drawings = []
    monkeypatch.setattr(live._blit.canvas, "draw", lambda: drawings.append(1))
    live.set(height=2)
    live.set(width=0.5)
    assert not drawings
    live.set(kind="abs")
    assert len(drawings) == 1


def test_artists_that_come_and_go_and_an_asked_for_drawing():
    def setup(figure):
        return {"ax": figure.subplots()}

    def draw(artists, arrays, values):
        for line in artists["ax"].lines:
            line.remove()
        artists["ax"].plot([0, 1], [0, values["n"]])
        return values["n"] == 3

    live = Explorer(
        {"n": slider("Slope", 0, 5, 1)}, lambda n: n, setup, draw,
        title="A line", alt="A line.", status=lambda arrays, values: str(arrays),
    )  # fmt: skip
    for n in (2, 3, 5):
        live.set(n=n)
        assert len(live._blit.figure.axes[0].lines) == 1
        assert rms(live.png, full_drawing(live)) < 0.5


def test_a_returned_true_draws_everything(explorer, monkeypatch):
    draw = explorer.draw
    explorer.draw = lambda artists, arrays, values: (
        draw(artists, arrays, values) or values["height"] == 2
    )
    live, drawings = explorer.live(), []
    monkeypatch.setattr(live._blit.canvas, "draw", lambda: drawings.append(1))
    live.set(height=0)
    assert not drawings
    live.set(height=2)
    assert len(drawings) == 1


def test_overlapping_axes_insets_and_figure_texts_keep_their_order():
    def setup(figure):
        ax = figure.subplots()
        inset = ax.inset_axes([0.1, 0.1, 0.3, 0.3])
        (wide,) = ax.plot([0, 1], [0, 1], lw=40)
        (small,) = inset.plot([0, 1], [0, 1], "r")
        return [wide, small, figure.text(0.5, 0.5, "moving")]

    stage = BlitFigure(setup, (4, 3), 80)
    first = stage.png()
    wide, small, text = stage.artists
    wide.set_ydata([1, 0]), small.set_ydata([1, 0]), text.set_text("moved")
    second = stage.png()
    assert rms(first, second) > 1
    assert rms(second, stage.png(full=True)) == 0
    for artist in stage._children:
        artist.set_animated(False)
    file = io.BytesIO()
    stage.figure.savefig(file, format="png", dpi=80)
    assert rms(second, file.getvalue()) < 0.5


def test_static_panels_are_distinct_and_named(live):
    settings = [{"height": 2}, {"height": -2, "width": 1.0}, {"kind": "abs"}]
    figure = live.panels(settings, ncols=2, width=8)
    titles = [panel.get_suptitle().replace("\n", " ") for panel in figure.subfigs[:3]]
    words = (
        "Height of the bump: -2; Width of the bump: 1; "
        "Kind of curve: smooth; Fill the bump: yes"
    )
    assert titles[1] == words
    curves = [panel.axes[0].lines[0].get_ydata() for panel in figure.subfigs[:3]]
    assert curves[0].max() == 2 and curves[1].min() == -2
    picture = live.static(settings, "Three bumps.", ncols=3, width=9)
    data, metadata = picture._repr_mimebundle_()
    assert data["text/plain"] == "Three bumps." == metadata["image/png"]["alt"]
    thirds = np.array_split(pixels(picture.png)[:, :-3], 3, axis=1)
    assert thirds[0].shape == thirds[1].shape
    assert np.sqrt(np.mean((thirds[0] - thirds[1]) ** 2)) > 5
    assert np.sqrt(np.mean((thirds[0] - thirds[2]) ** 2)) > 5
    assert live.static(settings, "Three bumps.", ncols=3, width=9).png == picture.png
    assert live.values == live.first


def test_what_is_displayed_is_the_same_for_two_constructions():
    (a, meta_a), (b, meta_b) = (Bump().live()._repr_mimebundle_() for _ in range(2))
    assert a.pop(WIDGET)["model_id"] != b.pop(WIDGET)["model_id"]
    assert a == b and meta_a == meta_b
    assert set(a) == {"image/png", "text/plain"}
    assert a["text/plain"] == (
        "A bump. Height of the bump: 1; Width of the bump: 0.1; Kind of curve: smooth; "
        "Fill the bump: yes."
    )
    assert meta_a == {"image/png": {"alt": "A curve with a bump."}}


def test_a_drawing_for_itself_leaves_what_is_shown(live):
    before = live.png
    values = live.first | {"height": 2}
    drawn = live.draw(live.compute(**values), values)
    assert live.png == before != drawn
    live.set(height=2)
    assert live.png == drawn


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
    bar, row = CONTROLS["width"].widgets()
    name, play = row.children[0], row.children[1].children[0]
    assert "Width of the bump" in name.value
    assert (play.min, play.max, play.value, play.interval) == (0, 20, 10, 100)
    play.value = 12
    assert bar.index == 12
    bar.index = 3
    assert play.value == 3


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
        (lambda: Bump().live(alt=" "), "alt was ' '"),
        (lambda: Bump().live(title=None), "title was None"),
        (
            lambda: Explorer({}, None, None, None, title="t", alt="a", status=None),
            "controls was {}",
        ),
        (
            lambda: Explorer(
                {"x": 3}, None, None, None, title="t", alt="a", status=None
            ),
            "controls was",
        ),
        (
            lambda: Bump().live().set(breadth=1),
            "'breadth' is not a control; allowed are height, width",
        ),
        (lambda: Bump().live().set(height=7), "'Height of the bump' was 7"),
        (lambda: Bump().live().static([], "alt"), "settings was empty"),
        (
            lambda: Bump().live().static([{"height": 9}], "alt"),
            "'Height of the bump' was 9",
        ),
    ],
)
def test_malformed_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


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
    app = SimpleNamespace(web_app=SimpleNamespace(settings=settings))
    server._load_jupyter_server_extension(app)
    assert settings == {"kernel_websocket_connection_class": after}
