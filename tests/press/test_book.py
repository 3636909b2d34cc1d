"""The book: every page by its structure, and in Chromium without a network, light and dark, wide
and narrow."""

import re
from collections import Counter
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import write_notebook

from vbkit.__main__ import main
from vbkit.press import ROOT, UsageError
from vbkit.press.book import book
from vbkit.press.selection import notebooks

pytestmark = pytest.mark.browser
NAMES = ["index", *notebooks(ROOT)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The book of this workbook."""
    folder = tmp_path_factory.mktemp("shelf") / "book"
    assert book(folder) == len(NAMES) - 1
    return folder


@pytest.fixture(scope="module")
def trees(folder):
    """Every page, parsed, by its path in the book."""
    found = {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*.html")
    }
    return {file: BeautifulSoup(text, "html.parser") for file, text in found.items()}


def cells(name):
    return nbformat.read(notebooks(ROOT)[name], as_version=4).cells


def test_every_notebook_is_a_page_and_the_contents_lead_to_it(trees):
    assert set(trees) == {f"{name}.html" for name in NAMES}
    listed = [link["href"] for link in trees["index.html"].select(".contents a.title")]
    assert listed == [f"{name}.html" for name in NAMES[1:]]
    for name in NAMES[1:]:
        rows = [
            row
            for row in trees["index.html"].select(".contents > li")
            if row.a["href"] == f"{name}.html"
        ]
        if re.match(r"0\d[ab]?_", name):
            assert re.search(r"minutes? to read", rows[0].select_one(".time").text)
            assert rows[0].p.text.startswith("Learn ") and rows[0].select("details li")


def test_all_that_notebooks_show_is_there(trees):
    for name in NAMES[1:]:
        tree, found = trees[f"{name}.html"], cells(name)
        outputs = [output for cell in found for output in cell.get("outputs", [])]
        pictures = [
            output for output in outputs if "image/png" in output.get("data", {})
        ]
        alts = [output.metadata["image/png"].alt for output in pictures]
        assert [image["alt"] for image in tree.select("figure img")] == alts, name
        text = "\n".join(cell.source for cell in found if cell.cell_type == "markdown")
        shown = "".join(
            output.get("data", {}).get("text/markdown", "") for output in outputs
        )
        count = (text + shown).count("<details")
        assert len(tree.select("main details:not(.code)")) == count, name
        folds = [
            cell
            for cell in found
            if cell.metadata.get("jupyter", {}).get("source_hidden")
        ]
        assert len(tree.select("main details.code")) == len(folds), name
        assert len(tree.select("details > summary")) == len(tree.select("details"))
        code = [cell.source.strip() for cell in found if cell.cell_type == "code"]
        assert [
            pre.text.strip() for pre in tree.select(".cell .highlight pre")
        ] == code, name
        captions = [output.data["text/plain"] for output, alt in zip(pictures, alts, strict=True)
                    if output.data["text/plain"] != alt]  # fmt: skip
        assert all(caption in tree.text for caption in captions), name


def test_no_page_needs_a_network_and_all_links_within_the_book_lead_somewhere(
    trees, folder
):
    for file, tree in trees.items():
        for tag in tree.select("[src], link[href], a[href]"):
            address = tag.get("src") or tag["href"]
            parts = urlsplit(address)
            if parts.scheme:
                assert tag.name == "a" and parts.scheme == "https", (file, address)
                continue
            target = (
                (folder / file).parent / unquote(parts.path)
                if parts.path
                else folder / file
            )
            assert target.resolve().is_file(), (file, address)
            if parts.fragment:
                goal = trees[target.resolve().relative_to(folder.resolve()).as_posix()]
                assert goal.find(id=unquote(parts.fragment)), (file, address)
    for path in (folder / "assets").glob("*.*"):
        assert not re.search(
            r"@import|url\(|<script src=.http", path.read_text()[:20_000]
        )


def test_no_page_tells_a_reader_to_run_it(trees):
    for file, tree in trees.items():
        assert "Run All" not in tree.get_text(), file


def test_mathjax_comes_with_its_licence(folder):
    assert "Apache License" in (folder / "assets" / "mathjax-licence.txt").read_text()


def test_pages_are_well_formed(trees):
    known = """a b blockquote body br code details div em figcaption figure footer h1 h2 h3 h4 head
        header hr html i img li link main meta nav ol p pre script section span strong sub summary
        sup table tbody td th thead title tr ul"""
    for file, tree in trees.items():
        ids = Counter(tag["id"] for tag in tree.select("[id]"))
        assert max(ids.values()) == 1, (file, ids.most_common(3))
        assert {tag.name for tag in tree.find_all(True)} <= {*known.split()}, file
        assert (
            len(tree.select("h1")) == 1
            and tree.title.text
            and tree.html["lang"] == "en"
        ), file
        assert all(image["alt"] and image["width"] for image in tree.select("img")), (
            file
        )
        assert all(
            table.find_parent(class_=["wide", "output"])
            for table in tree.select("table")
        ), file
        for raw in tree.select("pre, code, script, figcaption, .output"):
            raw.clear()
        words = re.sub(r"\$\$.+?\$\$|\$.+?\$", "", tree.main.text, flags=re.S)
        assert not re.search(r"\*\*|`|\]\(|\$", words), (
            file,
            re.search(r".*(\*\*|`|\]\(|\$).*", words),
        )


def test_links_out_of_the_book_become_text(tmp_path):
    root = tmp_path / "workbook"
    path = write_notebook(root / "notebooks" / "01_a.ipynb", "1 + 1")
    notebook = nbformat.read(path, as_version=4)
    links = (
        "[one](02_b.ipynb) [two](../README.md) [three](https://example.org) "
        "[four](01_a.ipynb#Twice) [five](#Twice)"
    )
    notebook.cells.append(
        nbformat.v4.new_markdown_cell(f"{links}\n\n## Twice\n\n## Twice")
    )
    nbformat.write(notebook, path)
    assert main(["--root", str(root), "book", str(tmp_path / "book")]) == 0
    tree = BeautifulSoup((tmp_path / "book" / "01_a.html").read_text(), "html.parser")
    assert [link["href"] for link in tree.select("main a")] == [
        "https://example.org",
        "01_a.html#Twice",
        "#Twice",
    ]
    assert [span["title"] for span in tree.select("span[title]")] == [
        "in the workbook's folder: notebooks/02_b.ipynb",
        "in the workbook's folder: README.md",
    ]
    assert [heading["id"] for heading in tree.select("h2")] == ["Twice", "Twice-2"]


def test_a_folder_is_made_whole_or_not_at_all(tmp_path, monkeypatch, capsys):
    root = tmp_path / "workbook"
    write_notebook(root / "notebooks" / "01_a.ipynb", "1 + 1")
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    refused = {
        "file": "is a file",
        "workbook": "is a folder that is not empty",
        "workbook/notebooks/x": "own files",
        "workbook/figures": "own files",
        "nowhere/x": "cannot write",
    }
    for command in ("book", "handout"):
        for place, words in refused.items():
            assert main(["--root", str(root), command, str(tmp_path / place)]) == 2
            assert words in capsys.readouterr().err
        assert main(["--root", str(root), command, "/proc/vbkit"]) == 2
    assert sorted(tmp_path.rglob("*")) == before
    for error in (KeyboardInterrupt, OSError):

        def fail(*_, error=error):
            raise error

        monkeypatch.setattr("vbkit.press.book._write", fail)
        with pytest.raises(error):
            book(tmp_path / "book", root=root)
        assert sorted(tmp_path.rglob("*")) == before
    monkeypatch.setattr("vbkit.press.book.MATHJAX", "not-there-at-all")
    with pytest.raises(UsageError, match="not-there-at-all is not installed"):
        book(tmp_path / "book", root=root)


@pytest.fixture(scope="module")
def context(chromium):
    """A browser without a network; notes what it would have asked for."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.asked = []

    def block(route):
        context.asked.append(route.request.url)
        route.abort()

    context.route(lambda address: not address.startswith("file:"), block)
    yield context
    context.close()


def opened(context, folder, name):
    page = context.new_page()
    page.goto((folder / f"{name}.html").as_uri())
    page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
    return page


FORMULAS = """() => {
    const count = selector => document.querySelectorAll(selector).length;
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const raw = [];
    for (let node; (node = texts.nextNode());)
        if (/[$]|\\\\\\w/.test(node.data)
            && !node.parentElement.closest("pre, code, script, .output"))
            raw.push(node.data);
    return {raw, set: count("mjx-container > svg"),
            read: count("mjx-container > mjx-assistive-mml math"),
            stops: count("mjx-container[tabindex]:not([display]):not(.long)"),
            wrong: count("[data-mml-node=merror], [data-mjx-error], mjx-container [fill=red]")};
}"""
WIDER = """async () => {
    for (const box of document.querySelectorAll("details")) box.open = true;
    // the page arranges what has come into view
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
}"""
CUT = """() => [...document.querySelectorAll("mjx-container[display]")]
    .filter(box => box.scrollWidth > box.clientWidth + 1)
    .map(box => box.textContent.slice(0, 80))"""
# Every colour of letters on the ground that is behind it, with its contrast (WCAG 2) and one place
# where it occurs.
CONTRAST = """() => {
    const parts = colour => colour.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
        .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = e => { for (; e; e = e.parentElement) {
        const colour = parts(getComputedStyle(e).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
    } return [255, 255, 255]; };
    const found = {};
    for (const e of document.body.querySelectorAll("*")) {
        if (e.closest("script, .skip, mjx-assistive-mml") || !(e.tagName === "MJX-CONTAINER" ||
            [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim()))) continue;
        const letters = parts(getComputedStyle(e).color), behind = ground(e);
        const [a, b] = [light(letters), light(behind)].sort((x, y) => y - x);
        found[`${letters} on ${behind}`] = [(a + 0.05) / (b + 0.05), e.outerHTML.slice(0, 100)];
    }
    return found;
}"""


@pytest.mark.parametrize("name", NAMES)
def test_a_page_reads_well_in_a_browser(context, folder, name):
    page = opened(context, folder, name)
    formulas = page.evaluate(FORMULAS)
    assert not formulas["raw"] and not formulas["wrong"] and not formulas["stops"], (
        formulas
    )
    assert formulas["set"] == formulas["read"]
    assert formulas["set"] or "$" not in (folder / f"{name}.html").read_text()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(CONTRAST)
        assert len(found) > 3 and not {
            pair: at for pair, at in found.items() if at[0] < 4.5
        }, scheme
    assert all(
        image.evaluate("i => i.complete && i.naturalWidth")
        for image in page.locator("img").all()
    )
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(WIDER) <= 0, width
        assert width < 1280 or not page.evaluate(CUT)
    page.close()
    assert not context.asked


def test_a_page_works_by_keyboard(context, folder):
    page = opened(context, folder, NAMES[1])
    focused = """e => [document.activeElement.className,
        getComputedStyle(document.activeElement).outlineStyle]"""
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == ["skip", "solid"]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    box = page.locator("main details").first
    box.locator("summary").focus()
    assert box.get_attribute("open") is None
    page.keyboard.press("Enter")
    assert box.get_attribute("open") is not None
    page.set_viewport_size({"width": 360, "height": 800})
    code = page.locator(".highlight pre[tabindex]").first
    code.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")
    code.evaluate("box => { box.scrollLeft = 0; }")
    page.wait_for_selector(".highlight pre.more:focus")
    code.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    page.wait_for_selector(".highlight pre:focus:not(.more)")
    contents = page.locator("details.toc")
    assert contents.get_attribute("open") is None
    page.emulate_media(media="print")
    assert not contents.is_visible()
    page.close()
