"""Whole runs on a small workbook with an appendix: when it runs, what it reads, and what becomes of
its page."""

import shutil

import nbformat
import pytest
from conftest import CLAIM, edit_notebook, snapshot, write_notebook

from vbkit.press.check_notebooks import check_notebooks
from vbkit.press.publish import publish_page
from vbkit.press.reproduce import reproduce
from vbkit.press.selection import choose

pytestmark = pytest.mark.broken

PAGE = """
import json

from vbkit.press.publish import on_file, publish_page

(entry,) = json.loads(on_file("ledger.json").read_text())
gap = entry["measured"]["gap"]
text = f"The gap is {gap} in [01](evidence/01_line.ipynb).\\n\\nThat is all.\\n"
publish_page("gaps", text)
""".strip()
SHOW = """
import json

from vbkit.press.publish import on_file

(entry,) = json.loads(on_file("ledger.json").read_text())
print(entry["measured"]["gap"])
""".strip()
QUESTION = 'question = "all"'


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """Evidence that settles a claim, a chapter and an appendix that print it, and a solution;
    reproduced once."""
    root = tmp_path_factory.mktemp("appendix")
    write_notebook(root / "notebooks" / "evidence" / "01_line.ipynb", CLAIM)
    write_notebook(root / "notebooks" / "01_line.ipynb", SHOW)
    write_notebook(root / "notebooks" / "10_late.ipynb", "print(2)")
    write_notebook(root / "notebooks" / "90_gaps.ipynb", PAGE, parameters=QUESTION)
    write_notebook(
        root / "notebooks" / "solutions" / "01_line.ipynb", "print(1)", parameters=None
    )
    assert (
        reproduce(root=root) == 0
    )  # an appendix that ran at once would find no ledger
    return root


@pytest.fixture
def book(once, tmp_path):
    return shutil.copytree(once, tmp_path / "book")


def page(root):
    return (root / "figures" / "gaps.md").read_text()


def steeper(root):
    """Let the evidence settle its claim by another number."""
    path = root / "notebooks" / "evidence" / "01_line.ipynb"
    edit_notebook(
        path,
        lambda cells: cells["parameters"].update(
            source="seed = 1\nslope = 2.5\nprofile = 'paper'"
        ),
    )


def test_chapters_come_first_then_appendices_evidence_and_solutions(book):
    names = ["01_line", "10_late", "90_gaps", "evidence/01_line", "solutions/01_line"]
    assert list(choose(book)) == names


def test_a_page_names_its_notebook_and_links_from_where_it_lies(book):
    head, text = page(book).split("\n\n", 1)
    assert head.startswith("<!-- 90_gaps makes this page") and head.endswith("-->")
    assert (
        text
        == "The gap is 1.5 in [01](../notebooks/evidence/01_line.ipynb).\n\nThat is all.\n"
    )
    shown = (
        nbformat.read(book / "notebooks" / "90_gaps.ipynb", as_version=4)
        .cells[2]
        .outputs[0]
        .data
    )
    assert shown["text/markdown"].startswith(
        "The gap is 1.5 in [01](evidence/01_line.ipynb)."
    )


@pytest.mark.parametrize("names", [[], ["1"]])
def test_chapters_and_appendices_read_the_ledger_that_the_evidence_has_just_made(
    book, names
):
    steeper(book)
    assert reproduce(names, root=book) == 0
    assert "The gap is 2.5" in page(book)
    chapter = nbformat.read(book / "notebooks" / "01_line.ipynb", as_version=4)
    assert chapter.cells[-1].outputs[0].text == "2.5\n"
    assert check_notebooks(root=book) == 0


def test_evidence_alone_renews_the_appendices_and_no_chapter(book, capfd):
    steeper(book)
    assert reproduce(["evidence/01"], root=book) == 0
    output = capfd.readouterr().out
    assert "evidence/01_line: done" in output and "90_gaps: done" in output
    assert "\n01_line: done" not in output and "The gap is 2.5" in page(book)


def test_solutions_alone_leave_the_appendices(book, capfd):
    assert reproduce(["solutions/"], root=book) == 0
    output = capfd.readouterr().out
    assert "solutions/01_line: done" in output and "90_gaps" not in output


def test_elsewhere_an_appendix_runs_only_if_asked_and_reads_that_places_ledger(
    book, tmp_path
):
    before, to = snapshot(book), tmp_path / "mine"
    assert reproduce(["1"], values=[("slope", "3.0")], to=to, root=book) == 0
    assert not (to / "gaps.md").exists() and (to / "ledger.json").exists()
    assert (
        reproduce(values=[("slope", "3.5")], to=to, root=book) == 0
    )  # of all: parameters are those of chapters and evidence
    assert not (to / "gaps.md").exists()
    assert reproduce(["90"], to=to, root=book) == 0
    assert "The gap is 3.5" in (to / "gaps.md").read_text()
    assert reproduce(["90"], to=tmp_path / "other", root=book) == 0
    assert "The gap is 1.5" in (tmp_path / "other" / "gaps.md").read_text()
    assert snapshot(book) == before


def test_failed_evidence_leaves_the_page_as_it_was(book):
    before = page(book)
    steeper(book)
    edit_notebook(
        book / "notebooks" / "evidence" / "01_line.ipynb",
        lambda cells: cells["code-0"].update(source=CLAIM + "\n1 / 0"),
    )
    assert reproduce(root=book) == 1
    assert page(book) == before


def test_check_catches_a_page_edited_by_hand(book, capfd):
    assert check_notebooks(root=book) == 0
    assert "same     gaps.md\n" in capfd.readouterr().out
    path = book / "figures" / "gaps.md"
    path.write_text(page(book).replace("That is all", "That is not all"))
    assert check_notebooks(["90"], root=book) == 1
    words = (
        "DIFFERS  gaps.md\n         line 5 is 'That is all.', stored 'That is not all.'"
    )
    assert words in capfd.readouterr().out
    path.write_text("The gap is 1.5.\n")  # nobody's
    assert check_notebooks(root=book) == 1
    output = capfd.readouterr().out
    assert (
        "figures/gaps.md belongs to no notebook" in output
        and "gaps.md\n         is newly published" in output
    )
    assert reproduce(["90"], root=book) == 0 and check_notebooks(root=book) == 0


def test_check_finds_an_appendix_behind_the_ledger(book, capfd):
    ledger = book / "figures" / "ledger.json"
    ledger.write_text(ledger.read_text().replace("1.5", "1.25"))
    assert check_notebooks(["90"], root=book) == 1
    assert (
        "DIFFERS  gaps.md\n         line 3 is 'The gap is 1.25 "
        in capfd.readouterr().out
    )


def test_a_page_that_is_no_longer_made_is_removed(book, capfd):
    edit_notebook(
        book / "notebooks" / "90_gaps.ipynb",
        lambda cells: cells["code-0"].update(source="pass"),
    )
    assert check_notebooks(["90"], root=book) == 1
    assert "gaps.md\n         is no longer published" in capfd.readouterr().out
    assert reproduce(["90"], root=book) == 0
    assert not (book / "figures" / "gaps.md").exists()


def test_no_two_notebooks_publish_one_page(book, capfd):
    write_notebook(book / "notebooks" / "91_more.ipynb", PAGE, parameters=QUESTION)
    before = page(book)
    assert reproduce(["91"], root=book) == 1
    assert (
        "91_more: another notebook already publishes gaps.md" in capfd.readouterr().err
    )
    assert page(book) == before


def test_a_page_shows_without_a_recording_and_its_name_is_plain(monkeypatch, tmp_path):
    monkeypatch.delenv("VBKIT_RECORD", raising=False)
    monkeypatch.chdir(tmp_path)
    shown = publish_page("gaps", "# Gaps\n\nNone.\n")
    assert (
        shown._repr_markdown_() == "# Gaps\n\nNone.\n"
        and repr(shown) == "a page of 3 lines"
    )
    assert not list(tmp_path.iterdir())
    for name in ("../gaps", "gaps.md", ""):
        with pytest.raises(ValueError, match="small letters only"):
            publish_page(name, "")
