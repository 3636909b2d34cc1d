"""The site: what it takes from a distribution, what it refuses, and the chapters in a browser.

VBKIT_PYODIDE=FOLDER names a folder with the Pyodide distribution: the whole site is then built and
its chapters are run in Chromium, with nothing but a local server to reach.
"""

import functools
import hashlib
import http.server
import json
import os
import re
import shutil
import threading
import time
from base64 import b64decode
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import RUN_ALL

from vbkit.__main__ import main
from vbkit.course.catalogue import explorers
from vbkit.press import ROOT, UsageError, book, canonical, site
from vbkit.press.recordings import Recording, recordings
from vbkit.press.selection import kind, notebooks

SLIDING = "lecture_00a.MoveABolt"  # the explorer that is recorded here
PYODIDE = os.environ.get("VBKIT_PYODIDE")
SLIDES_IN = "00a_start_here_eight_bolts"
RECORDED = '.jp-CodeCell:has(.noUi-handle) img[src^="data:image/svg+xml"]'
ATTACHED = 'img[src^="attachment:"]'
CHAPTERS = (SLIDES_IN, "01a_nakajima_update_rules", "05a_sato2000_batch_vs_online")
CHAPTERS += ("02a_sato1999_online_em", "02b_sato1999_luck_or_rule")
CHAPTERS += ("07c_nakajima_jump_and_return",)
CHAPTERS += ("07d_nakajima_missing_entries", "09a_kaji2011_small_groups")
CHAPTERS += ("08b_kaji2011_phase_diagram", "08c_kaji2011_beyond_the_theorem")
LIMIT, FIRST = (
    300,
    60,
)  # seconds for a chapter, and for 00a, on a machine with nothing else to do
PATIENCE = float(os.environ.get("VBKIT_PATIENCE", LIMIT))  # seconds, where it is busy

# a link to a file of the workbook, without its place in the file
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")

# ---- the distribution ----------------------------------------------------------------------------


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def distribution(tmp_path, monkeypatch) -> Path:
    """A folder like a distribution of three packages, and pins that fit it."""
    folder = tmp_path / "pyodide"
    folder.mkdir()
    packages = {
        name: {
            "file_name": f"{name}.whl",
            "sha256": sha(name.encode()),
            "depends": depends,
        }
        for name, depends in {
            "numpy": ["lib-blas"],
            "lib-blas": [],
            "pandas": ["numpy"],
        }.items()
    }
    for name in packages:
        (folder / f"{name}.whl").write_bytes(name.encode())
    (folder / site.LOCK).write_text(json.dumps({"info": {}, "packages": packages}))
    (folder / "pyodide.js").write_bytes(b"js")
    core = {
        name: sha((folder / name).read_bytes()) for name in (site.LOCK, "pyodide.js")
    }
    monkeypatch.setattr(site, "CORE", core)
    monkeypatch.setattr(site, "PACKAGES", ("numpy",))
    return folder


@pytest.fixture
def server():
    """Serves a folder on this machine; gives the address."""
    running = []

    class Quiet(http.server.SimpleHTTPRequestHandler):
        kinds = {".wasm": "application/wasm", ".mjs": "text/javascript"}
        extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | kinds

        def log_message(self, *_):
            pass

    def serve(folder) -> str:
        handler = functools.partial(Quiet, directory=folder)
        running.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=running[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{running[-1].server_address[1]}/"

    yield serve
    for one in running:
        one.shutdown()


@pytest.mark.parametrize("fetched", [False, True])
def test_what_is_needed_is_taken_and_verified(fetched, distribution, server, tmp_path):
    target = tmp_path / "taken"
    target.mkdir()
    given = (None, server(distribution)) if fetched else (distribution, "")
    site.collect(target, *given)
    names = {path.name for path in target.iterdir()}
    assert names == {site.LOCK, "pyodide.js", "numpy.whl", "lib-blas.whl"}


def spoil(distribution):
    (distribution / "numpy.whl").write_bytes(b"other")


def remove(distribution):
    (distribution / "lib-blas.whl").unlink()


@pytest.mark.parametrize(
    ("harm", "words"),
    [(spoil, "numpy.whl is not that of Pyodide"), (remove, "lib-blas.whl is missing")],
)
def test_a_distribution_with_a_fault_is_refused_and_nothing_is_left(
    harm, words, distribution, tmp_path, capsys
):
    harm(distribution)
    target = tmp_path / "site"
    assert main(["site", str(target), "--pyodide", str(distribution), "--still"]) == 2
    assert words in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pyodide"]


def test_no_network_no_folder_and_a_folder_in_use(distribution, tmp_path, capsys):
    with pytest.raises(UsageError, match="cannot fetch .*--pyodide FOLDER"):
        site.collect(tmp_path, None, "http://127.0.0.1:9/")
    assert main(["site", str(tmp_path / "a"), "--pyodide", str(tmp_path / "no")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    assert main(["site", str(distribution), "--pyodide", str(distribution)]) == 2
    assert "not empty" in capsys.readouterr().err


# ---- its first page ------------------------------------------------------------------------------


def first_page(folder: Path, slides: bool) -> Path:
    path = folder / "index.html"
    path.write_text(site._first_page(ROOT, slides), encoding="utf-8")
    return path


@pytest.mark.parametrize("slides", [True, False])
def test_the_first_page_leads_to_every_lecture_and_promises_what_is_there(
    slides, tmp_path
):
    page = BeautifulSoup(first_page(tmp_path, slides).read_text(), "html.parser")
    targets = {link["href"] for link in page.find_all("a")}
    for name in notebooks(ROOT):
        if kind(name) == "chapter":
            assert f"book/{name}.html" in targets
            assert f"lab/notebooks/index.html?path=notebooks/{name}.ipynb" in targets
    assert "book/index.html" in targets
    said = [item.get_text() for item in page.find_all("li", class_="short")]
    optional = [words.split()[0] for words in said if "(optional)" in words]
    assert optional == ["04c", "06b", "08c", "11a", "11b", "11c"]
    text = " ".join(page.get_text().split())
    assert ("The explorers answer to their sliders" in text) == slides
    assert ("The explorers stand still there" in text) == (not slides)
    assert ("and its explorers slide" in page.script.string) == slides
    assert ("Its explorers slide at once" in text) == slides
    assert ("more slowly where a position was not recorded" in text) == slides
    assert "What a browser lacks" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ("", ""),
        ("delete window.WebAssembly", "This browser has no WebAssembly."),
        (
            "window.Worker = class { constructor() { throw Error() } }",
            "blocks workers.",
        ),
    ],
)
def test_what_a_browser_lacks_is_said(harm, words, chromium, tmp_path):
    page = chromium.new_page()
    page.add_init_script(harm)
    page.goto(first_page(tmp_path, slides=True).as_uri())
    said = page.locator(".note").text_content()
    assert words in said and bool(said) == bool(words)
    page.close()


# ---- notebooks before anything runs: no kernel is needed -----------------------------------------


@pytest.fixture(scope="module")
def lite(tmp_path_factory) -> Path:
    """This workbook's notebooks in a JupyterLite whose Python cannot start, with one recorded
    explorer, and empty pages in place of the book's."""
    build = tmp_path_factory.mktemp("lite")
    distribution = build / "distribution" / "pyodide"
    distribution.mkdir(parents=True)
    (distribution / site.LOCK).write_text('{"packages": {}}')
    for name in ("pyodide.js", "pyodide.mjs"):
        (distribution / name).write_text("")
    made = recordings([SLIDING], tmp_path_factory.mktemp("recordings"), explorers())
    site._build_lite(build, distribution, ROOT, made)
    for name in notebooks(ROOT):
        page = build / "book" / f"{name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"<title>{name}</title>")
    for folder in ("assets/explorers", "explorers"):
        (build / "book" / folder).mkdir(parents=True)
    for name in book.ASSETS:
        shutil.copyfile(book.PAGES / name, build / "book" / "assets" / name)
    exporter = book.page_exporter()
    book._write_explorer(SLIDING, SLIDES_IN, made[SLIDING], exporter, build / "book")
    return build


@pytest.fixture
def open_notebook(lite, server, chromium):
    """Opens a notebook of that JupyterLite in a page, for a reader who likes dark ones."""
    address = server(lite)
    window = {"width": 1300, "height": 1000}
    context = chromium.new_context(viewport=window, color_scheme="dark")
    page = context.new_page()

    def open_it(name):
        page.goto(f"{address}lab/notebooks/index.html?path=notebooks/{name}.ipynb")
        page.locator(".jp-RenderedMarkdown h1").first.wait_for()
        return page

    yield open_it
    context.close()


def recorded_as(picture: bytes) -> dict:
    """What was recorded, as if every explorer of lecture 00a opened with this picture."""
    names = [name for name in explorers() if name.startswith("lecture_00a.")]
    return {name: Recording("", "A title", "Alt", picture) for name in names}


def explorers_of(folder: Path) -> list[dict]:
    """The data of the outputs of a copied lecture's explorers."""
    notebook = canonical.read(folder / "notebooks" / "00a_start_here_eight_bolts.ipynb")
    return [
        cell.outputs[0].data
        for cell in canonical.code_cells(notebook)
        if cell.source.startswith("# the explorer")
    ]


def test_a_copy_names_the_recording_where_it_opens_with_the_stored_picture(tmp_path):
    site._copy_contents(tmp_path / "still", ROOT, {})
    stored = explorers_of(tmp_path / "still")
    assert len(stored) == 3
    assert all("image/png" in data and "text/html" not in data for data in stored)
    first = b64decode(stored[0]["image/png"])
    site._copy_contents(tmp_path / "one", ROOT, recorded_as(first))
    one, *others = explorers_of(tmp_path / "one")
    assert others == stored[1:]  # their recordings open with another picture
    figure = BeautifulSoup(one["text/html"], "html.parser").figure
    assert figure["class"] == ["vbkit-explorer"]
    assert figure["title"] == "lecture_00a.MoveABolt"
    assert b64decode(figure.img["src"].split(",")[1]) == first
    assert figure.img["alt"].startswith("Eight bolts by length;")
    assert "image/png" not in one and one["text/plain"] == stored[0]["text/plain"]


def test_no_text_of_a_stored_output_is_a_list(tmp_path):
    site._copy_contents(tmp_path, ROOT, {})
    copies = list((tmp_path / "notebooks").rglob("*.ipynb"))
    assert copies
    for path in copies:
        for cell in json.loads(path.read_text())["cells"]:
            for output in cell.get("outputs", ()):
                texts_of = [output.get("text"), *output.get("data", {}).values()]
                assert not any(isinstance(text, list) for text in texts_of), path.name


@pytest.mark.slow
def test_a_stored_table_is_a_table_before_anything_runs(open_notebook):
    page = open_notebook("92_claims")
    table = page.locator(".jp-OutputArea-output table").first
    table.wait_for()
    assert table.locator("tr").count() > 2
    assert "|---|" not in page.locator("body").inner_text()


def scroll_to(page, name: str):
    """Scroll down until the named explorer is in sight, as a reader does; its slider."""
    frame = page.locator(f'iframe[src$="/book/explorers/{name}.html"]')
    frame.wait_for(state="attached")
    for _ in range(100):
        if frame.is_visible():
            break
        page.locator(".jp-WindowedPanel-outer").evaluate("box => box.scrollBy(0, 500)")
        page.wait_for_timeout(100)
    frame.scroll_into_view_if_needed()
    slide = frame.content_frame.locator('input[type="range"]').first
    slide.wait_for()
    return frame, slide


@pytest.mark.slow
@pytest.mark.parametrize("width", [1300, 390])
def test_a_recorded_explorer_slides_before_anything_runs(width, open_notebook):
    page = open_notebook("00a_start_here_eight_bolts")
    page.set_viewport_size({"width": width, "height": 800})
    frame, slide = scroll_to(page, SLIDING)
    picture = frame.content_frame.locator(".picture")
    before, drawn = slide.get_attribute("aria-valuetext"), picture.inner_html()
    slide.focus()
    page.keyboard.press("ArrowRight")
    assert slide.get_attribute("aria-valuetext") != before
    assert picture.inner_html() != drawn
    assert frame.get_attribute("title") == "The exact answer when one bolt moves"
    heights = frame.evaluate(
        "f => [f.clientHeight, f.contentDocument.documentElement.scrollHeight]"
    )
    assert heights[0] == heights[1] > 200  # nothing of it is cut off
    wide = "f => f.contentDocument.documentElement.scrollWidth <= f.clientWidth"
    assert frame.evaluate(wide)
    # it is as light as the notebook around it, whatever the reader's system prefers
    colour = "f => getComputedStyle(f.contentDocument.body).backgroundColor"
    assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert frame.evaluate(colour) == "rgb(255, 255, 255)"
    # what has no recording here keeps its still picture
    assert page.locator("iframe").count() == 1
    assert page.locator(".jp-OutputArea-output img").count() > 2


@pytest.mark.slow
def test_reloading_finds_the_notebook_and_the_readers_work(open_notebook):
    page = open_notebook("00a_start_here_eight_bolts")
    editor = page.locator(".jp-CodeCell .cm-content", has_text="lengths").first
    editor.click()
    page.keyboard.press("End")
    page.keyboard.type("  # my own words")
    page.keyboard.press("Control+s")
    page.get_by_text("Last Checkpoint").first.wait_for()
    page.wait_for_timeout(2000)  # the file is written to the browser's own database
    page.reload()
    page.get_by_text("# my own words").first.wait_for()


@pytest.mark.slow
def test_a_reader_downloads_a_notebook_as_the_first_page_says(open_notebook):
    page = open_notebook("00a_start_here_eight_bolts")
    page.get_by_role("menuitem", name="File").first.click()
    with page.context.expect_page() as opened:
        page.locator(".lm-Menu-item", has_text="Open…").first.click()
    files = opened.value
    files.locator(".jp-DirListing-item", has_text="notebooks").dblclick()
    files.locator(".jp-DirListing-item", has_text="00a_start").click()
    with files.expect_download() as download:
        files.get_by_text("Download", exact=True).click()
    assert download.value.suggested_filename == "00a_start_here_eight_bolts.ipynb"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "link", "place"),
    [
        ("92_claims", "evidence/", "/book/evidence/"),
        ("94_for_lecturers", "92_claims", "index.html?path=notebooks/92_claims.ipynb"),
        ("94_for_lecturers", "README.md", "/lab/files/notebooks/README.md"),
    ],
)
def test_a_link_leads_to_what_is_there(name, link, place, open_notebook):
    page = open_notebook(name)
    with page.context.expect_page() as opened:
        page.locator(f".jp-RenderedMarkdown a[href*='{link}']").first.click()
    assert place in opened.value.url
    assert page.request.get(opened.value.url).ok


def test_every_link_of_a_copy_has_a_target(tmp_path):
    site._copy_contents(tmp_path, ROOT, {})
    names = set(notebooks(ROOT))
    for path in (tmp_path / "notebooks").rglob("*.ipynb"):
        notebook = canonical.read(path)
        said = [
            canonical.words(o) for c in notebook.cells for o in c.get("outputs", ())
        ]
        said += [c.source for c in notebook.cells if c.cell_type == "markdown"]
        for link in LINK.findall("\n".join(said)):
            target = (path.parent / link).resolve()
            name = target.relative_to(tmp_path.resolve()).as_posix()
            name = name.removeprefix("notebooks/").removesuffix(".ipynb")
            assert target.exists() or name in names, f"{path.name}: {link}"


# ---- the whole site ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site of this workbook, with the recording of one explorer."""
    folder = tmp_path_factory.mktemp("static") / "site"
    kept = tmp_path_factory.mktemp("recordings")
    site.site(
        folder,
        pyodide=Path(PYODIDE),
        record=lambda names, cache: recordings([SLIDING], kept, explorers()),
    )
    steer(folder)
    return folder


def steer(folder: Path) -> None:
    """Let a test steer the pages of a site, and have them draw every cell, in sight or not."""
    tracker = {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}}
    for path in ("jupyter-lite.json", "notebooks/jupyter-lite.json"):
        settings = json.loads((folder / "lab" / path).read_text())
        options = settings.setdefault("jupyter-config-data", {})
        options |= {"exposeAppInBrowser": True, "settingsOverrides": tracker}
        (folder / "lab" / path).write_text(json.dumps(settings))


CELLS = """() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells
    .filter(cell => cell.cell_type === "code")
    .map(cell => ({id: cell.id, outputs: cell.getOutputs()}))"""
SELECTED = "() => window.jupyterapp.shell.currentWidget.content.activeCellIndex"
SOLVE = """([id, source]) => {
    const { content, sessionContext } = window.jupyterapp.shell.currentWidget;
    content.activeCellIndex = content.widgets.findIndex(cell => cell.model.id === id);
    content.activeCell.model.sharedModel.setSource(source);
    return window.jupyterapp.commands.execute("notebook:run-cell").then(() => true);
}"""
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
READ = "Not computed here"  # the line of a figure whose arrays are read


def texts(outputs) -> str:
    """What a cell says: printed lines, and results in words; not what packages report."""
    said = []
    for output in outputs:
        if output.get("name") == "stderr":
            continue
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        said.append(text if isinstance(text, str) else "".join(text))
    return "\n".join(
        line for line in "".join(said).splitlines() if not line.startswith(READ)
    )


def last_digits(ours: str, theirs: str) -> bool:
    """Whether two texts have the same words, and numbers that differ by one unit of the last
    digit, or by 1e-6 of their size."""
    if NUMBER.sub("#", ours) != NUMBER.sub("#", theirs):
        return False
    for one, other in zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True):
        digits = len(one.partition("e")[0].partition(".")[2])
        x, y = float(one.replace(",", "")), float(other.replace(",", ""))
        if abs(x - y) > max(1.001 * 10.0**-digits, 1e-6 * abs(x)):
            return False
    return True


def run_all(page, chapter: str) -> float:
    """Run a chapter from its first load on; how many seconds that took."""
    begin = time.monotonic()
    page.goto(f"{page.address}lab/notebooks/index.html?path=notebooks/{chapter}.ipynb")
    ready = "() => window.jupyterapp?.shell.currentWidget?.sessionContext"
    page.wait_for_function(ready, timeout=1000 * LIMIT)
    page.evaluate(RUN_ALL)
    while not (ran := page.evaluate("() => window.ran")):
        assert time.monotonic() < begin + PATIENCE, (
            f"{chapter} still ran after {PATIENCE} s"
        )
        time.sleep(0.5)
    assert ran == "all", [
        o for c in page.evaluate(CELLS) for o in c["outputs"] if "ename" in o
    ]
    return time.monotonic() - begin


def compare(chapter: str, cells: list[dict]) -> dict[str, tuple]:
    """Cells whose text is not the stored one: by id, the stored and the browser's."""
    stored = canonical.code_cells(
        canonical.read(ROOT / "notebooks" / f"{chapter}.ipynb")
    )
    found = {cell["id"]: texts(cell["outputs"]) for cell in cells}
    pairs = {cell.id: (texts(cell.outputs), found[cell.id]) for cell in stored}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def move_a_slider(page) -> None:
    """Drag the first slider: its explorer's picture changes."""
    output = page.locator(".jp-CodeCell:has(.noUi-handle)").first
    image, handle = output.locator("img").first, output.locator(".noUi-handle").first
    handle.scroll_into_view_if_needed()
    before, place = image.get_attribute("src"), handle.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    now, top = (handle.get_attribute(f"aria-value{end}") for end in ("now", "max"))
    away = -1 if now == top else 1
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 9):  # neighbouring positions may have the same picture
        page.mouse.move(x + 15 * away * step, y)
        page.wait_for_timeout(300)
    page.mouse.up()
    end = time.monotonic() + PATIENCE / 3
    while image.get_attribute("src") == before:
        assert time.monotonic() < end, "the picture did not follow the slider"
        time.sleep(0.2)


def press_a_key(page) -> None:
    """Press arrows on the first slider, which has a name: its value in words changes, the picture
    follows, and another cell is not selected."""
    output = page.locator(".jp-CodeCell:has(.noUi-handle)").first
    image, handle = output.locator("img").first, output.get_by_role("slider").first
    label = output.locator(".widget-vbox .widget-vbox .widget-html-content").first
    assert handle.get_attribute("aria-label") == label.inner_text()
    assert image.get_attribute("alt")
    before = image.get_attribute("src")
    handle.focus()
    selected = page.evaluate(SELECTED)
    key = "ArrowUp"  # JupyterLab goes from cell to cell by this key
    texts = [handle.get_attribute("aria-valuetext")]
    for _ in range(8):  # neighbouring positions may have the same picture
        page.keyboard.press(key)
        page.wait_for_timeout(300)
        texts.append(handle.get_attribute("aria-valuetext"))
        if texts[-1] == texts[-2]:  # it stands at its end
            key = "ArrowDown"
    assert len(set(texts)) > 1
    assert page.evaluate(SELECTED) == selected
    end = time.monotonic() + PATIENCE / 3
    while image.get_attribute("src") == before:
        assert time.monotonic() < end, "the picture did not follow the keys"
        time.sleep(0.2)


def solve_an_exercise(page, chapter: str) -> None:
    """Put the stored solution into the first exercise and run it, with what it imports: the checker
    says it is right."""
    folder = ROOT / "notebooks"
    answers = canonical.code_cells(
        canonical.read(folder / f"solutions/{chapter}.ipynb")
    )
    cells, solved = (
        [cell for cell in found if "exercise" in cell.metadata.get("tags", ())]
        for found in (
            canonical.code_cells(canonical.read(folder / f"{chapter}.ipynb")),
            answers,
        )
    )
    page.evaluate(SOLVE, [cells[0].id, f"{answers[0].source}\n\n{solved[0].source}"])
    expected, found = (
        texts(solved[0].outputs),
        {c["id"]: c for c in page.evaluate(CELLS)},
    )
    assert (
        texts(found[cells[0].id]["outputs"]).splitlines()[0] == expected.splitlines()[0]
    )


@pytest.mark.slow
@pytest.mark.skipif(not PYODIDE, reason="VBKIT_PYODIDE names no Pyodide distribution")
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_runs_in_the_browser(chapter, built, server, chromium):
    address, outside = server(built), []
    context = chromium.new_context(viewport={"width": 1300, "height": 1000})
    page = context.new_page()
    page.address = address
    page.on(
        "request", lambda r: outside.append(r.url) if address not in r.url else None
    )
    seconds = run_all(page, chapter)
    cells = page.evaluate(CELLS)
    other = compare(chapter, cells)
    print(f"{chapter}: {seconds:.0f} s; cells with other last digits: {other}")
    assert all(last_digits(*pair) for pair in other.values())
    # what was recorded is not drawn in the kernel; a figure has given way to its explorer
    assert not page.locator("figure.vbkit-explorer").count()
    assert page.locator(RECORDED).count() == (chapter == SLIDES_IN)
    move_a_slider(page)
    assert page.locator(RECORDED).count() == (chapter == SLIDES_IN)
    press_a_key(page)
    solve_an_exercise(page, chapter)
    # an attached picture has its own kind of address until it is put in its place
    inside = ("data:", "blob:", "attachment:")
    assert not [url for url in outside if not url.startswith(inside)]
    assert page.locator("img").count() and not page.locator(ATTACHED).count()
    if PATIENCE == LIMIT:
        assert seconds < (FIRST if chapter.startswith("00") else LIMIT)
    context.close()


@pytest.mark.slow
@pytest.mark.skipif(not PYODIDE, reason="VBKIT_PYODIDE names no Pyodide distribution")
def test_the_site_is_small_enough(built):
    assert (
        sum(path.stat().st_size for path in built.rglob("*") if path.is_file()) < 160e6
    )
