"""Still pictures in answers: made by a cell, stored by reproduce, compared by check."""

import base64
import io

import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup
from conftest import DRAW, edit_notebook, png, snapshot, write_notebook
from nbformat.v4 import new_markdown_cell
from PIL import Image

from vbkit.plots import Picture
from vbkit.press import attachments, canonical
from vbkit.press.book import book
from vbkit.press.check_notebooks import check_notebooks
from vbkit.press.publish import attach
from vbkit.press.reproduce import reproduce

ATTACH = """
from vbkit.press.publish import attach

attach("end", Picture(fig, f"Line [A] of slope {slope:.1f}"))
""".strip()
ANSWER = """<details><summary>Answer</summary>

It ends here. ![](attachment:end.png)

</details>"""
ALT = r"Line \[A\] of slope 1.5"


def add_answer(path, source=ANSWER):
    """Append an answer's markdown cell to a stored notebook."""
    notebook = canonical.read(path)
    notebook.cells.append(new_markdown_cell(source, id="answer"))
    path.write_text(canonical.dumps(notebook))


@pytest.fixture
def drawn(tmp_path):
    """A workbook of two parts of a chapter, the second with an answer; not yet run."""
    folder = tmp_path / "workbook" / "notebooks"
    write_notebook(folder / "05a_first.ipynb", "print(1)")
    add_answer(write_notebook(folder / "05b_second.ipynb", DRAW, ATTACH))
    return tmp_path / "workbook"


def answer(root):
    path = root / "notebooks" / "05b_second.ipynb"
    return nbformat.read(path, as_version=4).cells[-1]


def stored_png(cell):
    return base64.b64decode(cell.attachments["end.png"]["image/png"])


@pytest.mark.broken
def test_a_run_puts_the_picture_and_its_words_into_the_answer(drawn, tmp_path, capfd):
    assert reproduce(["05"], root=drawn) == 0
    cell = answer(drawn)
    assert cell.source == ANSWER.replace("![]", f"![{ALT}]")
    assert Image.open(io.BytesIO(stored_png(cell))).size == (330, 220)
    assert not (drawn / "figures" / "attachments").exists()
    before = snapshot(drawn)
    assert reproduce(["05"], root=drawn) == 0
    assert snapshot(drawn) == before
    assert check_notebooks(["05"], root=drawn) == 0
    assert "2 of 2 as committed" in capfd.readouterr().out
    book(tmp_path / "book", root=drawn)
    page = (tmp_path / "book" / "05b_second.html").read_text()
    image = BeautifulSoup(page, "html.parser").select_one(".text img")
    assert image["alt"] == "Line [A] of slope 1.5"
    shown = (tmp_path / "book" / image["src"]).read_bytes()
    assert shown == stored_png(cell)


@pytest.mark.broken
def test_check_finds_another_picture_and_other_words(drawn, capfd):
    assert reproduce(["05"], root=drawn) == 0
    path = drawn / "notebooks" / "05b_second.ipynb"

    def change(cells):
        image = Image.open(io.BytesIO(stored_png(cells["answer"]))).convert("RGB")
        image.paste((0, 0, 0), (0, 0, 40, 40))
        file = io.BytesIO()
        image.save(file, "PNG")
        bundle = {"image/png": base64.b64encode(file.getvalue()).decode()}
        cells["answer"].attachments["end.png"] = bundle
        cells["answer"].source = cells["answer"].source.replace("1.5", "1.4")

    edit_notebook(path, change)
    assert check_notebooks(["05"], root=drawn) == 1
    output = capfd.readouterr().out
    assert "attachment end.png: the picture differs by" in output
    assert (
        "attachment end.png: it is described by" in output
        and "same     notebook 05a" in output
    )


@pytest.mark.broken
@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        ("No picture.", ATTACH, "no markdown cell shows the picture"),
        (ANSWER, "pass", "shows attachment:end.png, and no cell makes it"),
        (ANSWER, f"{ATTACH}\n{ATTACH}", "two still pictures are called end"),
    ],
)
def test_a_picture_without_its_place_or_a_place_without_a_picture(
    drawn, capfd, source, code, words
):
    path = drawn / "notebooks" / "05b_second.ipynb"

    def change(cells):
        cells["answer"].source = source
        cells["code-1"].source = code

    edit_notebook(path, change)
    before = snapshot(drawn)
    assert reproduce(["05b"], root=drawn) == 1
    assert words in capfd.readouterr().err
    assert snapshot(drawn) == before


def test_attaching_outside_of_a_run_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert attach("end", Picture(base64.b64decode(png()), "Grey")) is None
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="letters, digits"):
        attach("the end", Picture(base64.b64decode(png()), "Grey"))


def test_a_picture_of_too_many_bytes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("VBKIT_RECORD", str(tmp_path))
    noise = np.random.default_rng(0).integers(256, size=(200, 200, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "PNG")
    with pytest.raises(ValueError, match="has 120 kB; an answer holds at most 60"):
        attach("end", Picture(file.getvalue(), "Noise"))


def test_the_lint_finds_a_picture_that_is_missing_nameless_or_large():
    bundle = {"image/png": png()}
    cell = new_markdown_cell("![A](attachment:a.png) ![](attachment:b.png)")
    cell.attachments = {"b.png": bundle}
    assert list(attachments.problems(cell)) == [
        "shows attachment:a.png, which `python -m vbkit reproduce` makes",
        "shows attachment:b.png without alternative text",
    ]
    cell.source = "![A](attachment:b.png)"
    assert list(attachments.problems(cell)) == []
    large = base64.b64encode(b"0" * 60_001).decode()
    cell.attachments = {"b.png": {"image/png": large}}
    assert list(attachments.problems(cell)) == [
        "holds attachment:b.png, larger than 60 kB"
    ]
