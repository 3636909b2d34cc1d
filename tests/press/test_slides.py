"""Slides: what of a lecture stands on them, what is refused, and three decks in Chromium without a
network."""

import functools
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import edit_notebook, snapshot, write_notebook
from nbformat.v4 import new_markdown_cell, new_notebook

from vbkit.__main__ import main
from vbkit.course.catalogue import explorers
from vbkit.press import ROOT, canonical, pictures
from vbkit.press.attachments import attached
from vbkit.press.book import explorer_cells
from vbkit.press.deck import blocks, height, sentences, slides_of
from vbkit.press.recordings import recordings
from vbkit.press.selection import notebooks
from vbkit.press.slides import is_core, slides

CORE = [
    name
    for name, path in notebooks(ROOT).items()
    if is_core(canonical.read(path)) and "/" not in name
]
THREE = [name for name in CORE if name.startswith(("00a", "07c", "08a"))]
DECK_LINES = 16  # of a slide whose letters need not become too small
SMALLEST = 200  # pixels that a picture has in height, of 720


def read(name):
    return canonical.read(notebooks(ROOT)[name])


def recorded(name):
    """The names of the explorers of a lecture."""
    return [each for _, each in explorer_cells(read(name)) if each in explorers()]


def split(deck):
    """The cells of a deck, slide by slide."""
    found = []
    for cell in deck.cells:
        if cell.metadata.slideshow.slide_type in ("slide", "subslide"):
            found.append([])
        found[-1].append(cell)
    return found


def alts(cells):
    """The alternative texts of all pictures in cells, in order."""
    found = []
    for cell in cells:
        if cell.cell_type == "markdown":
            tree = BeautifulSoup(canonical_html(cell.source), "html.parser")
            found += [image["alt"] for image in tree.select("img")]
        else:
            shown = [
                each for each in cell.outputs if "image/png" in each.get("data", {})
            ]
            found += [each.metadata["image/png"].alt for each in shown]
    return found


def canonical_html(source):
    """The pictures of Markdown as HTML, with what a backslash protects."""
    return re.sub(
        r"!\[((?:[^\[\]\\]|\\.)*)\]\([^)]*\)",
        lambda link: '<img alt="{}">'.format(
            re.sub(r"\\(.)", r"\1", link[1]).replace('"', "&quot;")
        ),
        source,
    )


def test_there_are_twenty_three_core_lectures():
    assert len(CORE) == 23 and len(THREE) == 3


@pytest.mark.parametrize("name", CORE)
def test_a_deck_has_the_question_the_explorers_and_all_pictures(name):
    notebook = read(name)
    deck = slides_of(notebook)
    first = split(deck)[0]
    title = notebook.cells[0].source.split("\n")[0].removeprefix("# ")
    assert first[0].source == f"## {title}"
    question = notebook.cells[0].source.split("**The question of this lecture:**")[1]
    asked = " ".join(question.split("\n\n")[0].split())
    shown = [" ".join(cell.source.split()) for cell in first]
    assert asked[0].upper() + asked[1:] in shown
    everybodys = [cell for cell in notebook.cells if "too_sure(" not in cell.source]
    wanted = alts(everybodys)
    assert all(wanted) and sorted(alts(deck.cells)) == sorted(wanted)
    makers = [cell for cell, _ in explorer_cells(notebook)]
    assert makers
    for cell in makers:
        (png,) = pictures.pngs(cell.outputs)
        assert any(
            pictures.pngs(each.get("outputs", [])) == [png] for each in deck.cells
        )


@pytest.mark.parametrize("name", CORE)
def test_a_prediction_stands_before_its_answer_and_all_is_said(name):
    notebook = read(name)
    deck = slides_of(notebook)
    predictions = [
        each
        for each in split(deck)
        if any("**Predict" in cell.source for cell in each[1:-1])
    ]
    assert len(predictions) == sum(
        block.startswith("> **Predict")
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for block in blocks(cell.source)
    )
    stills = {alt for alt, _ in attached(notebook).values()}
    assert not [slide for slide in predictions if set(alts(slide)) & stills]
    notes = " ".join(
        cell.source
        for cell in deck.cells
        if cell.metadata.slideshow.slide_type == "notes"
    )
    for cell in notebook.cells[1:]:
        if cell.cell_type == "markdown" and "solutions" not in cell.metadata.get(
            "tags", ()
        ):
            for block in blocks(cell.source):
                if re.match(r"[A-Z]", block) and "](" not in block:
                    assert block in notes


def test_a_paragraph_is_shown_with_its_beginning_and_its_end():
    """What a speaker builds on, and what the argument arrives at, is on the slide; of
    exercises everything is."""
    first, last = (
        "It rains on forty of a hundred days here.",
        "So take a coat with you.",
    )
    middle = " ".join(
        f"On day {n} nobody knows what will come of it all." for n in range(9)
    )
    task = "**1. Check.** Count the days."
    then = "Write the number as a function of the month, and " + 20 * "very " + "soon."
    text = (
        f"## 1. Rain\n\n{first} {middle} {last}\n\n## 2. Exercises\n\n{task}\n\n{then}"
    )
    notebook = new_notebook(
        cells=[new_markdown_cell("# Rain"), new_markdown_cell(text)]
    )
    shown = [
        cell.source
        for cell in slides_of(notebook).cells
        if cell.metadata["slideshow"]["slide_type"] != "notes"
    ]
    assert first in shown and last in shown and then in shown
    assert not any("On day 4" in text for text in shown)


@pytest.mark.parametrize("name", CORE)
def test_a_slide_holds_what_a_slide_can_hold(name):
    for slide in split(slides_of(read(name))):
        *shown, notes = slide
        assert notes.metadata.slideshow.slide_type == "notes" and notes.source
        assert len(shown) > 1  # a title alone is no slide
        lines = sum(height(cell.source) for cell in shown[1:] if cell.cell_type == "markdown"
                    and "data:" not in cell.source)  # fmt: skip
        assert lines < DECK_LINES, shown[1].source


def test_sentences():
    text = "**Learn.** It is $a$. Or b. Then (as D. Kaji says. Or not) it *ends. Really*. Yes?"
    assert sentences(text) == [
        "**Learn.** It is $a$.",
        "Or b.",
        "Then (as D. Kaji says. Or not) it *ends. Really*.",
        "Yes?",
    ]
    assert sentences("It is this: $x$. So") == ["It is this: $x$.", "So"]


def test_blocks():
    text = "One\ntwo\n\n$$a\n\nb$$\n\n<details><summary>A</summary>\n\nx\n\n</details>\n\n* y"
    assert [block[:9] for block in blocks(text)] == [
        "One\ntwo",
        "$$a\n\nb$$",
        "<details>",
        "* y",
    ]


@pytest.mark.parametrize(
    "names, said",
    [
        (["12z"], "no notebook is called 12z"),
        (["00a", "evidence/07_nakajima_matrix_factorization"], "of lectures only"),
        (["94"], "of lectures only, not of 94_for_lecturers"),
        (["solutions/00a"], "of lectures only"),
    ],
)
def test_what_is_no_lecture_is_refused(names, said, tmp_path, capsys):
    assert main(["slides", str(tmp_path / "decks"), *names, "--still"]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_is_in_use_is_refused(tmp_path, capsys):
    (tmp_path / "mine").write_text("precious")
    for place in (tmp_path, tmp_path / "mine", ROOT / "notebooks"):
        before = snapshot(tmp_path)
        assert main(["slides", str(place), "00a", "--still"]) == 2
        error = capsys.readouterr().err
        assert "name a" in error and error.count("\n") == 1
        assert snapshot(tmp_path) == before


def test_a_workbook_without_core_lectures_or_titles_is_refused(tmp_path, capsys):
    write_notebook(tmp_path / "notebooks" / "01_line.ipynb", "print(1)")
    path = write_notebook(tmp_path / "notebooks" / "02_bare.ipynb", "print(2)")
    edit_notebook(path, lambda cells: cells["title"].update(source="No title"))
    before = snapshot(tmp_path)
    command = ["--root", str(tmp_path), "slides", str(tmp_path / "decks")]
    for names, said in (([], "has no core lectures"), (["02"], "begin with a title")):
        assert main([*command, *names, "--still"]) == 2
        error = capsys.readouterr().err
        assert said in error and error.count("\n") == 1
        assert snapshot(tmp_path) == before
    assert main([*command, "01", "--still"]) == 0
    assert "<h2" in (tmp_path / "decks" / "01_line.html").read_text()


def test_a_deck_is_one_file_that_loads_nothing_and_has_its_licences(tmp_path, capsys):
    assert main(["slides", str(tmp_path / "decks"), "00a", "--still"]) == 0
    (file,) = (tmp_path / "decks").iterdir()
    assert file.name == f"{THREE[0]}.html" and file.name in capsys.readouterr().out
    text = file.read_text()
    tree = BeautifulSoup(text, "html.parser")
    for tag in tree.select("[src], link, a[href]"):
        address = tag.get("src") or tag.get("href")
        assert address.startswith(("data:", "#", "https:")), address
        assert tag.name == "a" or address.startswith("data:")
    assert all(image["alt"] for image in tree.select("img"))
    styles = " ".join(style.text for style in tree.select("style"))
    assert not re.search(r"@import|url\((?!['\"]?data:)", styles)
    assert "Hakim El Hattab" in text and "MIT" in text and "Apache License" in text


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    """The slides of three lectures, with recorded explorers."""
    folder = tmp_path_factory.mktemp("hall") / "decks"
    record = functools.partial(recordings, explorers=explorers())
    assert slides(folder, ["00a", "07c", "08a"], record=record) == THREE
    return folder


@pytest.fixture(scope="module")
def still(tmp_path_factory):
    """The slides of all core lectures, whose explorers stand still."""
    folder = tmp_path_factory.mktemp("hall") / "still"
    assert slides(folder) == CORE
    return folder


@pytest.fixture
def opened(chromium, decks):
    """Opens a deck at a width, with no network; gives the page and what went wrong on it."""
    contexts = []

    def open_deck(name, width=1280, query="", folder=decks):
        context = chromium.new_context(
            viewport={"width": width, "height": width * 9 // 16}, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        wrong = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "console", lambda said: said.type == "error" and wrong.append(said.text)
        )
        page.on("request", lambda asked: wrong.extend(foreign(asked.url)))
        page.goto(f"{Path(folder / f'{name}.html').as_uri()}{query}")
        page.wait_for_function(
            "() => document.documentElement.dataset.ready", timeout=60_000
        )
        return page, wrong

    yield open_deck
    for context in contexts:
        context.close()


def foreign(address):
    """The address, in a list, if it is not one of this machine's own files."""
    return [] if address.startswith(("file:", "data:", "blob:")) else [address]


MOVE = """figure => {
    const slider = figure.querySelector("input[type=range]");
    const picture = () => figure.querySelector("svg > g").innerHTML;
    const before = picture();
    const reading = figure.querySelector(".reading").textContent;
    slider.value = +slider.value === +slider.max ? slider.min : slider.max;
    slider.dispatchEvent(new Event("input", {bubbles: true}));
    return [before !== picture(), reading !== figure.querySelector(".reading").textContent];
}"""
SHOWN = """() => {
    const slide = Reveal.getCurrentSlide();
    const room = slide.getBoundingClientRect();
    const scale = Reveal.getScale();
    const boxes = slide.querySelectorAll("p, li, td, pre, svg, img, .levers, .reading");
    const seen = [...boxes].filter(box => !box.closest("aside, mjx-assistive-mml"));
    const outside = seen.filter(box => {
        const place = box.getBoundingClientRect();
        return place.width && (place.right > room.right + 2 || place.bottom > room.bottom + 2);
    });
    const pictures = [...slide.querySelectorAll("figure > img, .still img, .picture")];
    return {
        outside: outside.map(box => box.outerHTML.slice(0, 80)),
        pictures: pictures.map(box => box.getBoundingClientRect().height / scale).filter(Boolean),
        letters: Math.min(...[...slide.querySelectorAll("p, li, td, pre")]
            .filter(box => !box.closest("aside") && box.getBoundingClientRect().width)
            .map(box => parseFloat(getComputedStyle(box).fontSize))),
    };
}"""
PLACE = "() => Reveal.getSlidePastCount()"


@pytest.mark.browser
@pytest.mark.parametrize("width", [1000, 1600])
@pytest.mark.parametrize("name", THREE)
def test_a_deck_is_paged_to_its_end_and_nothing_is_cut(opened, name, width):
    page, wrong = opened(name, width)
    seen = set()
    explorers_moved = 0
    total = page.evaluate("() => Reveal.getTotalSlides()")
    while not page.evaluate("() => Reveal.isLastSlide()") or not seen:
        place = page.evaluate(PLACE)
        if place not in seen:
            seen.add(place)
            for figure in page.query_selector_all(
                "section.present section.present figure[data-explorer]"
            ):
                figure.wait_for_selector(".live .picture svg")
                assert figure.evaluate(MOVE) == [True, True]
                explorers_moved += 1
        before = page.evaluate(
            "() => [Reveal.getSlidePastCount(), Reveal.getIndices().f]"
        )
        page.keyboard.press("ArrowRight")
        after = page.evaluate(
            "() => [Reveal.getSlidePastCount(), Reveal.getIndices().f]"
        )
        assert after != before
        if after[0] != before[0]:  # all fragments of the slide before have been shown
            page.keyboard.press("ArrowLeft")
            shown = page.evaluate(SHOWN)
            assert shown["outside"] == [] and shown["letters"] >= 18, (place, shown)
            assert all(tall >= SMALLEST for tall in shown["pictures"]), (place, shown)
            page.keyboard.press("ArrowRight")
    assert len(seen) == total - 1
    assert explorers_moved == len(recorded(name))
    assert wrong == []


EVERY_SLIDE = f"""() => Reveal.getSlides().map(slide => {{
    const {{h, v}} = Reveal.getIndices(slide);
    Reveal.slide(h, v, 999);
    return [`${{h}}/${{v}}`, ({SHOWN})()];
}})"""


@pytest.mark.browser
@pytest.mark.parametrize("name", CORE)
def test_every_slide_of_every_deck_fits(opened, still, name):
    page, wrong = opened(name, folder=still)
    for place, shown in page.evaluate(EVERY_SLIDE):
        assert shown["outside"] == [] and shown["letters"] >= 18, (place, shown)
        assert all(tall >= SMALLEST for tall in shown["pictures"]), (place, shown)
    assert wrong == []


@pytest.mark.browser
def test_a_slider_moves_by_keys_and_the_slide_stays(opened):
    page, wrong = opened(THREE[0])
    page.evaluate(
        """() => {
            const slide = document.querySelector("figure[data-explorer]").closest("section");
            const {h, v} = Reveal.getIndices(slide);
            Reveal.slide(h, v);
        }"""
    )
    slider = page.locator("section.present section.present input[type=range]").first
    slider.wait_for()
    place, value = page.evaluate(PLACE), slider.input_value()
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.input_value() != value and page.evaluate(PLACE) == place
    value = slider.input_value()
    page.keyboard.press("PageDown")  # a presenter's clicker
    assert page.evaluate(PLACE) != place
    page.keyboard.press("PageUp")
    page.wait_for_function(f"() => ({PLACE})() === {place}")
    assert slider.input_value() == value
    box = slider.bounding_box()
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2)
    assert slider.input_value() != value
    page.keyboard.press("Space")
    assert page.evaluate(PLACE) != place
    assert wrong == []


@pytest.mark.browser
def test_the_speaker_has_a_window_of_notes(opened):
    page, wrong = opened(THREE[0])
    with page.context.expect_page() as window:
        page.keyboard.press("s")
    notes = window.value.locator(".speaker-controls-notes .value")
    notes.get_by_text("The question of this lecture").wait_for()
    page.keyboard.press("ArrowRight")
    notes.get_by_text("This morning eight bolts lie on a bench").wait_for()
    assert wrong == []


@pytest.mark.browser
def test_on_paper_each_slide_is_a_page_with_its_pictures(opened):
    page, wrong = opened(THREE[0], query="?print-pdf")
    page.wait_for_selector(".pdf-page")
    page.emulate_media(media="print")
    sheets = page.locator(".pdf-page")
    count = len(split(slides_of(read(THREE[0]))))
    assert sheets.count() == count
    heights = page.evaluate(
        "() => [...document.querySelectorAll('.pdf-page img')].map(image => image.clientHeight)"
    )
    assert len(heights) == len(alts(slides_of(read(THREE[0])).cells))
    assert min(heights) >= SMALLEST
    assert wrong == []
