"""The book: every page by its structure, and in Chromium without a network, light and dark, wide and narrow.

VBKIT_REQUIRE_BROWSER=1 fails where there is no Chromium, instead of skipping.
"""

import re
from collections import Counter
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import write_notebook

from vbkit.__main__ import main
from vbkit.workbook import ROOT, UsageError
from vbkit.workbook.book import book
from vbkit.workbook.select import notebooks

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
    found = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.html")}
    return {file: BeautifulSoup(text, "html.parser") for file, text in found.items()}


def cells(name):
    return nbformat.read(notebooks(ROOT)[name], as_version=4).cells


def test_every_notebook_is_a_page_and_the_contents_lead_to_it(trees):
    assert set(trees) == {f"{name}.html" for name in NAMES}
    listed = [link["href"] for link in trees["index.html"].select(".contents a.title")]
    assert listed == [f"{name}.html" for name in NAMES[1:]]
    for name in NAMES[1:]:
        rows = [row for row in trees["index.html"].select(".contents > li") if row.a["href"] == f"{name}.html"]
        if re.match(r"0\d_", name):
            assert re.search(r"minutes? to read.* to run", rows[0].select_one(".time").text)
            assert rows[0].p.text.startswith("Learn ") and rows[0].select("details li")


def test_all_that_notebooks_show_is_there(trees):
    for name in NAMES[1:]:
        tree, found = trees[f"{name}.html"], cells(name)
        outputs = [output for cell in found for output in cell.get("outputs", [])]
        pictures = [output for output in outputs if "image/png" in output.get("data", {})]
        alts = [output.metadata["image/png"].alt for output in pictures]
        assert [image["alt"] for image in tree.select("figure img")] == alts, name
        text = "\n".join(cell.source for cell in found if cell.cell_type == "markdown")
        assert len(tree.select("main details")) == text.count("<details"), name
        assert len(tree.select("details > summary")) == len(tree.select("details"))
        code = [cell.source.strip() for cell in found if cell.cell_type == "code"]
        assert [pre.text.strip() for pre in tree.select(".highlight pre")] == code, name
        captions = [output.data["text/plain"] for output, alt in zip(pictures, alts, strict=True)
                    if output.data["text/plain"] != alt]  # fmt: skip
        assert all(caption in tree.text for caption in captions), name


def test_no_page_needs_a_network_and_all_links_within_the_book_lead_somewhere(trees, folder):
    for file, tree in trees.items():
        for tag in tree.select("[src], link[href], a[href]"):
            address = tag.get("src") or tag["href"]
            parts = urlsplit(address)
            if parts.scheme:
                assert tag.name == "a" and parts.scheme == "https", (file, address)
                continue
            target = (folder / file).parent / unquote(parts.path) if parts.path else folder / file
            assert target.resolve().is_file(), (file, address)
            if parts.fragment:
                goal = trees[target.resolve().relative_to(folder.resolve()).as_posix()]
                assert goal.find(id=unquote(parts.fragment)), (file, address)
    for path in (folder / "assets").iterdir():
        assert not re.search(r"@import|url\(|<script src=.http", path.read_text()[:20_000])


def test_pages_are_well_formed(trees):
    known = set("""a article b body br button code col dd del details div dl dt em figcaption figure footer h1 h2 h3 h4
        head header hr html i img kbd li link main meta nav ol p pre script section small span strong sub summary sup
        table tbody td th thead title tr ul blockquote""".split())
    for file, tree in trees.items():
        ids = Counter(tag["id"] for tag in tree.select("[id]"))
        assert max(ids.values()) == 1, (file, ids.most_common(3))
        assert {tag.name for tag in tree.find_all(True)} <= known, file
        assert len(tree.select("h1")) == 1 and tree.title.text and tree.html["lang"] == "en", file
        assert all(image["alt"] and image["width"] for image in tree.select("img")), file
        assert not tree.select("table table") and all(table.find_parent(class_=["wide", "output"]) for table in tree.select("table"))
        for raw in tree.select("pre, code, script, figcaption, .output"):
            raw.clear()
        words = re.sub(r"\$\$.+?\$\$|\$.+?\$", "", tree.main.text, flags=re.S)
        assert not re.search(r"\*\*|`|\]\(|\$", words), (file, re.search(r".*(\*\*|`|\]\(|\$).*", words))


def test_links_out_of_the_book_become_text(tmp_path):
    root = tmp_path / "workbook"
    path = write_notebook(root / "notebooks" / "01_a.ipynb", "1 + 1")
    notebook = nbformat.read(path, as_version=4)
    links = "[one](02_b.ipynb) [two](../README.md) [three](https://example.org) [four](01_a.ipynb#Twice) [five](#Twice)"
    notebook.cells.append(nbformat.v4.new_markdown_cell(f"{links}\n\n## Twice\n\n## Twice"))
    nbformat.write(notebook, path)
    assert main(["--root", str(root), "book", str(tmp_path / "book")]) == 0
    tree = BeautifulSoup((tmp_path / "book" / "01_a.html").read_text(), "html.parser")
    assert [link["href"] for link in tree.select("main a")] == ["https://example.org", "01_a.html#Twice", "#Twice"]
    assert [span["title"] for span in tree.select("span[title]")] == [
        "in the workbook's folder: notebooks/02_b.ipynb", "in the workbook's folder: README.md"]  # fmt: skip
    assert [heading["id"] for heading in tree.select("h2")] == ["Twice", "Twice-2"]


def test_a_folder_is_made_whole_or_not_at_all(tmp_path, monkeypatch, capsys):
    root = tmp_path / "workbook"
    write_notebook(root / "notebooks" / "01_a.ipynb", "1 + 1")
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    refused = {"file": "is a file", "workbook": "is a folder that is not empty", "workbook/notebooks/x": "own files",
               "workbook/figures": "own files", "nowhere/x": "cannot write"}  # fmt: skip
    for command in ("book", "handout"):
        for place, words in refused.items():
            assert main(["--root", str(root), command, str(tmp_path / place)]) == 2
            assert words in capsys.readouterr().err
        assert main(["--root", str(root), command, "/proc/vbkit"]) == 2
    assert sorted(tmp_path.rglob("*")) == before
    for error in (KeyboardInterrupt, OSError):
        def fail(*_, error=error):
            raise error

        monkeypatch.setattr("vbkit.workbook.book._write", fail)
        with pytest.raises(error):
            book(tmp_path / "book", root=root)
        assert sorted(tmp_path.rglob("*")) == before
    monkeypatch.setattr("vbkit.workbook.book.MATHJAX", "not-there-at-all")
    with pytest.raises(UsageError, match="not-there-at-all is not installed"):
        book(tmp_path / "book", root=root)
