"""The book's explorers slide without a kernel: from file://, offline, exactly as the kernel would.

VBKIT_ALL_RECORDINGS=1 records every explorer of the workbook instead of three.
"""

import io
import os
import re
from base64 import b64decode

import numpy as np
import pytest
from bs4 import BeautifulSoup
from conftest import picture, png, write_notebook
from PIL import Image, ImageFilter

from vbkit import plots
from vbkit.__main__ import main
from vbkit.course import Explorer, checkbox, slider
from vbkit.course.catalogue import explorers
from vbkit.press import ROOT
from vbkit.press.book import book, explorer_cells
from vbkit.press.canonical import dumps, read
from vbkit.press.recorder import grid, record
from vbkit.press.recording import pack, unpack
from vbkit.press.recordings import HOME, Recording, needed, recordings
from vbkit.press.reproduce import reproduce
from vbkit.press.selection import notebooks

POSITIONS = 10
# Two renderers draw letters differently: a right frame is up to 8.4 of grey away (RMS at a quarter
# of the size), as far as a wrong one. This limit only notices parts that are missing.
LIMIT = 10.0
# The step to a neighbouring frame has no such noise, since what stands still drops out. Correlated
# with the kernel's step, a right frame gives 0.53 or more, the neighbour's in its place 0. Steps of
# less than 0.35 of grey (RMS) are left out: they are as small as the noise of an edge.
LIKENESS, VISIBLE = 0.4, 0.35
LETTER = 10  # points, the size of letters in a picture
ALL = sorted(explorers())
THREE = [
    "lecture_00d.CutADependence",
    "lecture_00a.MoveABolt",
    "lecture_03.CopiesOnline",
]
CHOSEN = ALL if os.environ.get("VBKIT_ALL_RECORDINGS") else THREE


def line(high=40, first=7):
    """An explorer of a line, quick to record."""

    class Line(Explorer):
        """A line."""

        title = "A line"
        slope = slider("Slope", 0, high, first)
        up = checkbox("Up", True)

        def compute(self, slope, up):
            return slope if up else -slope

        def frame(self, figure):
            ax = figure.subplots()
            ax.set(xlim=(0, 1), ylim=(-50, 50))
            return ax

        def draw(self, panels, height, now):
            panels[0].line(np.array([0, 1]), np.array([0, height]), color="#123456")

        def say(self, height, now):
            return f"it ends at {height}"

    return Line()


@pytest.mark.parametrize(
    ("high", "first"), [(5, 0), (40, 7), (40, 40), (3000, 1), (3000, 0)]
)
@pytest.mark.parametrize("frames", [6, 20, 700])
def test_a_grid_keeps_both_ends_the_first_value_and_every_box(high, first, frames):
    explorer = line(high, first)
    kept = grid(explorer, frames)
    assert kept["up"] == [0, 1]
    assert {0, high, first} <= {*kept["slope"]} and kept["slope"] == sorted(
        {*kept["slope"]}
    )
    assert len(kept["slope"]) == min(high + 1, max(3, frames // 2))


def test_a_recording_holds_each_frame_and_is_the_same_every_time():
    recording = record(line())
    assert len(recording["said"]) == 41 * 2
    said = np.cumsum(recording["said"])
    assert recording["readings"][said[2 * 7 + 1]] == "it ends at 7"
    assert recording["readings"][said[2 * 7]] == "it ends at -7"
    lines = [piece for piece in recording["pieces"] if "stroke:#123456" in piece]
    assert len(lines) == 41 + 40  # each once; down and up agree at slope 0
    assert not [
        piece for piece in lines if re.search(r"\d\.\d{2}", piece)
    ]  # short numbers
    assert pack("a.line", recording) == pack("a.line", record(line()))
    assert unpack(pack("a.line", recording)) == recording


def test_a_text_that_is_no_recording_is_refused():
    with pytest.raises(ValueError, match="script was '<!DOCTYPE html>'"):
        unpack("<!DOCTYPE html>")


def test_recordings_are_kept_until_their_code_changes(tmp_path, monkeypatch):
    import vbkit.press.recordings as module

    made = []

    def make(name, explorer):
        made.append(name)
        return module.Recording(f"script of {name}", name, name, b"")

    monkeypatch.setattr(module, "_make", make)
    monkeypatch.setattr(module, "_key", lambda explorer: "old")
    one_by_one = lambda **_: lambda jobs: (call(*given) for call, given, _ in jobs)  # noqa: E731
    monkeypatch.setattr(module.joblib, "Parallel", one_by_one)
    known = {"a.b": line, "c.d": line}
    names = ["a.b", "a.picture", "c.d"]  # what is no explorer is left out
    assert recordings(names, tmp_path, known)["c.d"].script == "script of c.d"
    recordings(["a.b", "c.d"], tmp_path, known)
    assert made == ["a.b", "c.d"]
    monkeypatch.setattr(module, "_key", lambda explorer: "new")
    recordings(["c.d"], tmp_path, known)
    assert made[2:] == ["c.d"] and len([*tmp_path.glob("c.d-*")]) == 1


def test_a_recording_depends_on_the_code_that_it_runs_and_on_no_other():
    files = {
        path.relative_to(HOME).as_posix() for path in needed("vbkit.course.lecture_08a")
    }
    assert {"course/lecture_08a.py", "course/people.py"} <= files
    assert {
        "press/recorder.py",
        "course/explorer.py",
        "theory/phase.py",
        "plots.py",
    } <= files
    own = {"press/recorder.py", "press/recording.py", "press/recordings.py"}
    assert {file for file in files if file.startswith("press")} == own
    assert not [file for file in files if file.startswith("course/answers")]
    assert "course/lecture_09a.py" not in files


def test_every_explorer_is_found_in_a_notebook():
    found = [
        name
        for path in notebooks(ROOT).values()
        for _, name in explorer_cells(read(path))
    ]
    assert {*ALL} <= {*found}


def test_explorers_are_classes_of_lectures(tmp_path):
    imports = (
        "from vbkit.course import lecture_00d as other\n"
        "from vbkit.course import lecture_00a as lecture"
    )
    calls = ["lecture.MoveABolt()", "other.CutADependence()", "lecture.LENGTHS.sum()"]
    path = write_notebook(tmp_path / "01_a.ipynb", imports, *calls)
    notebook = read(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [picture("Dots")]
    cells, names = zip(*explorer_cells(notebook), strict=True)
    assert [cell.source for cell in cells] == calls[:2]
    assert list(names) == ["lecture_00a.MoveABolt", "lecture_00d.CutADependence"]
    assert {*names} <= {*ALL}
    assert explorers()["lecture_00a.MoveABolt"]().title.startswith("The exact answer")


@pytest.mark.browser
def test_a_picture_that_is_not_the_recorded_one_stands_still_and_says_so(tmp_path):
    first = "from vbkit.course import lecture_00a as lecture"
    call = "lecture.MoveABolt()"
    path = write_notebook(tmp_path / "notebooks" / "01_a.ipynb", first, call)
    notebook = read(path)
    notebook.cells[-1].outputs = [picture("Another picture")]
    path.write_text(dumps(notebook))
    other = Recording("", "A title", "Alt", b64decode(png(shade=0)))
    book(
        tmp_path / "book",
        root=tmp_path,
        record=lambda names, cache: dict.fromkeys(names, other),
    )
    figure = BeautifulSoup(
        (tmp_path / "book" / "01_a.html").read_text(), "html.parser"
    ).figure
    assert figure.img and "data-explorer" not in figure.attrs
    assert "opens with another picture" in figure.select_one(".note").text


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """A book of the chosen explorers, a notebook for each companion."""
    root = tmp_path_factory.mktemp("recorded") / "workbook"
    for companion in sorted({name.split(".")[0] for name in CHOSEN}):
        first = (
            f"from vbkit import plots\nfrom vbkit.course import {companion} as chapter"
        )
        made = [
            f"chapter.{n.split('.')[1]}()"
            for n in CHOSEN
            if n.split(".")[0] == companion
        ]
        path = root / "notebooks" / f"01_{companion}.ipynb"
        write_notebook(path, f"{first}\n\nplots.use_style()", *made)
    assert reproduce(root=root) == 0
    assert main(["--root", str(root), "book", str(root.parent / "book")]) == 0
    return root.parent / "book"


@pytest.fixture
def offline(chromium):
    """A page without a network, and the addresses that it asks for."""
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900}, offline=True
    )
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


def grey(png):
    """A picture, blurred by a letter's stroke: a digit may stand a pixel aside in the page."""
    picture = (
        Image.open(io.BytesIO(png)).convert("L").filter(ImageFilter.GaussianBlur(2))
    )
    return np.asarray(picture, float)


def rms(change):
    return np.sqrt(np.mean(change**2))


def likeness(seen, wanted):
    """The correlation of two changes of a picture; 0 if nothing changed."""
    size = rms(seen) * rms(wanted)
    return np.mean(seen * wanted) / size if size else 0.0


def neighbour(places, sizes, rng):
    """The places one step away along a control chosen at random."""
    n = rng.choice([n for n, size in enumerate(sizes) if size > 1])
    to = places[n] + 1 if places[n] + 1 < sizes[n] else places[n] - 1
    return [*places[:n], to, *places[n + 1 :]]


class Pair:
    """An explorer in a page and the same in a kernel, at the same places of the recorded grid."""

    def __init__(self, page, shelf, name):
        self.page, self.explorer = page, explorers()[name]()
        self.figure, self.kept = open_explorer(page, shelf, name), grid(self.explorer)
        self.width, self.height = Image.open(io.BytesIO(self.explorer.png)).size
        style = f"position:fixed;inset:0;width:{self.width}px;height:{self.height}px;z-index:9"
        self.figure.evaluate(
            f"f => {{ f.querySelector('.picture').style = '{style}'; }}"
        )

    def seen(self, places):
        self.figure.evaluate(SET, places)
        clip = {"x": 0, "y": 0, "width": self.width, "height": self.height}
        return grey(self.page.screenshot(clip=clip))

    def wanted(self, places):
        pairs = zip(self.kept, places, strict=True)
        controls = self.explorer.controls
        self.explorer.set(
            **{n: controls[n].options[self.kept[n][at]][1] for n, at in pairs}
        )
        return grey(self.explorer.png)


def coarse(picture):
    height, width = (side // 4 for side in picture.shape)
    blocks = picture[: 4 * height, : 4 * width].reshape(height, 4, width, 4)
    return blocks.mean((1, 3))


@pytest.mark.browser
@pytest.mark.parametrize("name", CHOSEN)
def test_a_recorded_explorer_shows_what_the_kernel_shows(name, shelf, offline):
    plots.use_style()
    page, asked = offline
    pair, rng, compared = Pair(page, shelf, name), np.random.default_rng(1), 0
    sizes = [len(positions) for positions in pair.kept.values()]
    for _ in range(POSITIONS):
        places = [int(rng.integers(size)) for size in sizes]
        beside = neighbour(places, sizes, rng)
        seen_beside, wanted_beside = pair.seen(beside), pair.wanted(beside)
        seen, wanted = pair.seen(places), pair.wanted(places)
        explorer = pair.explorer
        assert (
            pair.figure.locator(".reading").inner_text().split()
            == explorer.status.split()
        )
        assert rms(coarse(seen) - coarse(wanted)) < LIMIT, explorer.describe()
        step = wanted - wanted_beside
        if rms(step) >= VISIBLE:
            compared += 1
            assert likeness(seen - seen_beside, step) > LIKENESS, explorer.describe()
            wrong = seen_beside  # as if the neighbour's frame had been recorded here
            assert not likeness(wrong - seen_beside, step) > LIKENESS
            assert (
                not likeness(seen_beside - seen, step) > LIKENESS
            )  # the two exchanged
    assert compared
    assert asked and all(
        address.startswith(("file://", "data:")) for address in asked
    ), asked
    assert (shelf / "assets" / "explorers" / f"{name}.js").stat().st_size < 2e6


@pytest.mark.browser
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
    assert (
        figure.locator('[role="status"]').inner_text()
        and figure.locator('[role="img"]').count()
    )
    figure.get_by_role("link", name="Show it alone").click()
    page.locator('figure[data-explorer="live"]').wait_for()


@pytest.mark.browser
def test_on_a_phone_only_the_picture_scrolls(shelf, offline):
    page, _ = offline
    page.set_viewport_size({"width": 390, "height": 800})
    figure = open_explorer(page, shelf, "lecture_00a.MoveABolt")
    picture = figure.locator(".picture[tabindex]")  # the keyboard reaches what scrolls
    assert picture.evaluate("box => box.scrollWidth > box.clientWidth")
    wide = "figure => figure.scrollWidth > figure.clientWidth || getComputedStyle(figure).maskImage"
    assert figure.evaluate(wide) == "none"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


PANELS = """picture => [...picture.querySelectorAll("svg")].map(
    svg => svg.clientWidth / svg.viewBox.baseVal.width)"""
DRAWN = """picture => [...picture.querySelectorAll("svg > g")].map(group => group.innerHTML)"""


@pytest.mark.browser
@pytest.mark.parametrize(
    "name", ["lecture_00d.CutADependence", "lecture_03.CopiesOnline"]
)
def test_on_a_phone_panels_stand_one_below_the_other(name, shelf, offline):
    page, _ = offline
    page.set_viewport_size({"width": 390, "height": 800})
    figure = open_explorer(page, shelf, name)
    picture = figure.locator(".picture")
    scales = picture.evaluate(PANELS)  # pixels of a point
    assert len(scales) == 2 and min(scales) * LETTER >= 8
    assert picture.evaluate("box => box.scrollWidth <= box.clientWidth")
    first = picture.evaluate(DRAWN)
    slide = figure.locator('input[type="range"]').first
    slide.focus()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    moved = picture.evaluate(DRAWN)
    assert moved[0] == moved[1]
    page.keyboard.press("End")
    assert picture.evaluate(DRAWN) != moved
    assert first[0] == first[1]
    page.set_viewport_size({"width": 1000, "height": 800})
    page.wait_for_timeout(300)
    assert len(picture.evaluate(PANELS)) == 1


def columns_of(widths, legend=False):
    """The columns of an explorer whose figure has axes of these widths, side by side."""

    class Lines(Explorer):
        """Lines."""

        title = "Lines"
        slope = slider("Slope", 0, 2, 1)

        def compute(self, slope):
            return slope

        def frame(self, figure):
            axes = figure.subplots(1, len(widths), width_ratios=widths)
            if legend:
                axes[0].plot([0, 1], [0, 1], label="one")
                figure.legend(loc="upper center")
            return list(axes)

        def draw(self, panels, height, now):
            for panel in panels:
                panel.line(np.array([0, 1]), np.array([0, height]))

        def say(self, height, now):
            return f"it ends at {height}"

    recording = record(Lines())
    assert sum(width for _, width in recording["columns"]) == pytest.approx(
        recording["size"][0], abs=0.3
    )
    return len(recording["columns"])


def test_panels_side_by_side_are_columns_and_a_scale_or_a_legend_is_none():
    assert columns_of([1, 1]) == 2
    assert columns_of([2, 3, 3]) == 3
    assert columns_of([12, 0.4, 12]) == 2
    assert columns_of([1, 1], legend=True) == 1


@pytest.mark.browser
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("gone", "is missing"),
        ("damaged", "is damaged"),
        ("cut off", "is damaged"),
        ("old", "cannot unpack"),
    ],
)
def test_without_its_recording_the_picture_stands_still_and_says_so(
    fault, words, shelf, offline
):
    page, _ = offline
    name = CHOSEN[0]
    file = shelf / "assets" / "explorers" / f"{name}.js"
    script = file.read_text()
    if fault == "old":
        page.add_init_script("delete window.DecompressionStream")
    try:
        cut = script[: len(script) // 2]  # no longer a script
        damaged = cut if fault == "cut off" else script.replace(script[60:90], "A" * 30)
        file.unlink() if fault == "gone" else file.write_text(damaged)
        page.goto((shelf / f"01_{name.split('.')[0]}.html").as_uri())
        figure = page.locator(f'figure[data-recording$="/{name}.js"]')
        figure.scroll_into_view_if_needed()
        figure.get_by_text(words).wait_for()
        assert figure.locator("img").is_visible()
    finally:
        file.write_text(script)
