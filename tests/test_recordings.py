"""The book's explorers slide without a kernel: from file://, offline, exactly as the kernel would.

VBKIT_ALL_RECORDINGS=1 records every explorer of the workbook instead of three.
"""

import io
import os
import re

import numpy as np
import pytest
from conftest import write_notebook
from PIL import Image

from vbkit import plots
from vbkit.__main__ import main
from vbkit.chapters import explorers
from vbkit.chapters.recordings import recordings
from vbkit.widgets import Explorer, checkbox, slider
from vbkit.widgets.record import grid, pack, record
from vbkit.workbook.reproduce import reproduce

POSITIONS = 10
LIMIT = 14.0  # RMS of grey at a quarter of the size: two renderers draw letters differently
ALL = sorted(explorers())
THREE = ["phase_diagram.price_list", "start_here.move_a_bolt", "start_here.play_the_sweeps"]
CHOSEN = ALL if os.environ.get("VBKIT_ALL_RECORDINGS") else THREE


def line(high=40, first=7):
    """An explorer of a line, quick to record."""
    controls = {"slope": slider("Slope", 0, high, first), "up": checkbox("Up", True)}

    def setup(figure):
        ax = figure.subplots()
        ax.set(xlim=(0, 1), ylim=(-50, 50))
        return ax.plot([0], [0], color="#123456")

    def draw(artists, y, values):
        artists[0].set_data([0, 1], y)

    def status(y, values):
        return f"it ends at {y[1]}"

    def compute(slope, up):
        return [0, slope if up else -slope]

    return Explorer(controls, compute, setup, draw, title="A line", alt="A line.", status=status)


@pytest.mark.parametrize(("high", "first"), [(5, 0), (40, 7), (40, 40), (3000, 1), (3000, 0)])
@pytest.mark.parametrize("frames", [6, 20, 700])
def test_a_grid_keeps_both_ends_the_first_value_and_every_box(high, first, frames):
    explorer = line(high, first)
    kept = grid(explorer, frames)
    assert kept["up"] == [0, 1]
    assert {0, high, first} <= {*kept["slope"]} and kept["slope"] == sorted({*kept["slope"]})
    assert len(kept["slope"]) == min(high + 1, max(3, frames // 2))


def test_a_recording_holds_each_frame_and_is_the_same_every_time():
    recording = record(line())
    assert len(recording["said"]) == 41 * 2
    said = np.cumsum(recording["said"])
    assert recording["readings"][said[2 * 7 + 1]] == "it ends at 7"
    assert recording["readings"][said[2 * 7]] == "it ends at -7"
    lines = [piece for piece in recording["pieces"] if "stroke:#123456" in piece]
    assert len(lines) == 41 + 40  # each once; down and up agree at slope 0
    assert not [piece for piece in lines if re.search(r"\d\.\d{2}", piece)]  # short numbers
    assert pack("a.line", recording) == pack("a.line", record(line()))


def test_recordings_are_kept_until_their_code_changes(tmp_path, monkeypatch):
    import vbkit.chapters.recordings as module

    made = []

    def make(name):
        made.append(name)
        return module.Recording(f"script of {name}", name, name, b"")

    monkeypatch.setattr(module, "_make", make)
    one_by_one = lambda **_: lambda jobs: (call(*given) for call, given, _ in jobs)  # noqa: E731
    monkeypatch.setattr(module.joblib, "Parallel", one_by_one)
    assert recordings(["a.b", "c.d"], tmp_path)["c.d"].script == "script of c.d"
    recordings(["a.b", "c.d"], tmp_path)
    assert made == ["a.b", "c.d"]
    monkeypatch.setattr(module, "_key", lambda name: f"new-{name}"[:6])
    recordings(["c.d"], tmp_path)
    assert made[2:] == ["c.d"] and len([*tmp_path.glob("c.d-*")]) == 1


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """A book of the chosen explorers, a notebook for each companion."""
    root = tmp_path_factory.mktemp("recorded") / "workbook"
    for companion in sorted({name.split(".")[0] for name in CHOSEN}):
        first = f"from vbkit import plots\nfrom vbkit.chapters import {companion} as chapter"
        made = [f"chapter.{n.split('.')[1]}()" for n in CHOSEN if n.split(".")[0] == companion]
        path = root / "notebooks" / f"01_{companion}.ipynb"
        write_notebook(path, f"{first}\n\nplots.use_style()", *made)
    assert reproduce(root=root) == 0
    assert main(["--root", str(root), "book", str(root.parent / "book")]) == 0
    return root.parent / "book"


@pytest.fixture
def offline(chromium):
    """A page without a network, and the addresses that it asks for."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: asked.append(f"error: {error}"))
    yield page, asked
    context.close()


def open_explorer(page, shelf, name):
    """The figure of an explorer, once it slides."""
    page.goto((shelf / f"01_{name.split('.')[0]}.html").as_uri())
    page.locator(f'figure[data-recording$="/{name}.js"]').scroll_into_view_if_needed()
    figure = page.locator(f'figure[data-recording$="/{name}.js"][data-explorer="live"]')
    figure.wait_for(timeout=30_000)
    return figure


SET = """(figure, places) => [...figure.querySelectorAll(".control :is(input, select)")].forEach(
    (control, n) => {
        control.value = places[n];
        control.dispatchEvent(new Event("input", {bubbles: true}));
    })"""


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOSEN)
def test_a_recorded_explorer_shows_what_the_kernel_shows(name, shelf, offline):
    plots.use_style()
    page, asked = offline
    figure = open_explorer(page, shelf, name)
    explorer, rng = explorers()[name](), np.random.default_rng(1)
    kept = grid(explorer)
    width, height = Image.open(io.BytesIO(explorer.png)).size
    figure.evaluate(f"f => f.querySelector('.picture').style.width = '{width}px'")
    for _ in range(POSITIONS):
        places = [int(rng.integers(len(positions))) for positions in kept.values()]
        figure.evaluate(SET, places)
        pairs = zip(kept, places, strict=True)
        explorer.set(**{n: explorer.controls[n].options[kept[n][at]][1] for n, at in pairs})
        assert figure.locator(".reading").inner_text().split() == explorer.status.split()
        shot = Image.open(io.BytesIO(figure.locator(".picture svg").screenshot()))
        seen, wanted = (
            np.asarray(picture.convert("L").resize((width // 4, height // 4), Image.BOX), float)
            for picture in (shot, Image.open(io.BytesIO(explorer.png)))
        )
        assert np.sqrt(np.mean((seen - wanted) ** 2)) < LIMIT, explorer.describe()
    assert asked and all(address.startswith(("file://", "data:")) for address in asked), asked
    assert (shelf / "assets" / "explorers" / f"{name}.js").stat().st_size < 2e6


@pytest.mark.slow
def test_keys_play_reset_and_words_for_who_cannot_see(shelf, offline):
    page, _ = offline
    figure = open_explorer(page, shelf, CHOSEN[0])
    slide = figure.locator('input[type="range"]').first
    slide.focus()
    before = slide.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowRight" if slide.input_value() == "0" else "ArrowLeft")
    assert slide.get_attribute("aria-valuetext") != before
    figure.get_by_role("button", name="Reset").click()
    assert slide.get_attribute("aria-valuetext") == before
    assert figure.locator('[role="status"]').inner_text() and figure.locator('[role="img"]').count()
    figure.get_by_role("link", name="Show it alone").click()
    page.locator('figure[data-explorer="live"]').wait_for()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "words"),
    [("gone", "is missing"), ("damaged", "is damaged"), ("old", "cannot unpack")],
)
def test_without_its_recording_the_picture_stands_still_and_says_so(fault, words, shelf, offline):
    page, _ = offline
    name = CHOSEN[0]
    file = shelf / "assets" / "explorers" / f"{name}.js"
    script = file.read_text()
    if fault == "old":
        page.add_init_script("delete window.DecompressionStream")
    try:
        damaged = script.replace(script[60:90], "A" * 30)
        file.unlink() if fault == "gone" else file.write_text(damaged)
        page.goto((shelf / f"01_{name.split('.')[0]}.html").as_uri())
        figure = page.locator(f'figure[data-recording$="/{name}.js"]')
        figure.scroll_into_view_if_needed()
        figure.get_by_text(words).wait_for()
        assert figure.locator("img").is_visible()
    finally:
        file.write_text(script)
