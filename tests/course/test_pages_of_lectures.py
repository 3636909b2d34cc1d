"""Chapters are for students: few words, little visible code, a slider for each idea, no audit."""

import ast
import re
from statistics import median

import pytest

from vbkit.course import Explorer
from vbkit.course.catalogue import explorers
from vbkit.press import ROOT, ledger
from vbkit.press.book import NAMED
from vbkit.press.canonical import code_cells, read
from vbkit.press.manifest import LEDGER, read_manifest
from vbkit.press.selection import kind, notebooks, number

NOTEBOOKS = notebooks(ROOT)
CHAPTERS = [name for name in NOTEBOOKS if kind(name) == "chapter"]
EVIDENCE = [name for name in NOTEBOOKS if kind(name) == "evidence"]
MAKERS = explorers()
MARKUP = re.compile(r"\$[^$]*\$|<[^>]+>")  # a formula or a tag counts as one word


def hidden(cell) -> bool:
    return cell.metadata.get("jupyter", {}).get("source_hidden", False)


def visible(chapter: str) -> list[list[str]]:
    """The lines of each code cell that a reader sees."""
    cells = [cell for cell in code_cells(read(NOTEBOOKS[chapter])) if not hidden(cell)]
    return [
        [line for line in cell.source.splitlines() if line.strip()] for cell in cells
    ]


def word_count(cell) -> int:
    return (
        len(MARKUP.sub(" x ", cell.source).split())
        if cell.cell_type == "markdown"
        else 0
    )


def explorers_of(chapter: str) -> list[tuple[int, str]]:
    """(words before it, "companion.maker") for each cell that ends with an explorer's maker."""
    found, before, companions = [], 0, {}
    for cell in read(NOTEBOOKS[chapter]).cells:
        before += word_count(cell)
        if cell.cell_type != "code":
            continue
        for companion, short in NAMED.findall(cell.source):
            companions[short] = companion
        call = re.fullmatch(r"(\w+)\.(\w+)\(\)", cell.source.strip().splitlines()[-1])
        if call and f"{companions.get(call[1])}.{call[2]}" in MAKERS:
            found.append((before, f"{companions[call[1]]}.{call[2]}"))
    return found


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_is_short_and_its_visible_code_is_to_be_read(chapter):
    cells = visible(chapter)
    lengths = [len(lines) for lines in cells]
    assert sum(map(word_count, read(NOTEBOOKS[chapter]).cells)) <= 4000
    assert sum(lengths) <= 150 and median(lengths) <= 6 and max(lengths) <= 15
    assert max(len(line) for lines in cells for line in lines) <= 88
    trees = [ast.parse("\n".join(lines)) for lines in cells]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    assert sum(isinstance(node, ast.comprehension) for node in nodes) <= 0.2 * len(
        cells
    )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_slides_early_and_often(chapter):
    """A lecture may have one explorer only, if the others of its number have more."""
    together = {
        name
        for part in CHAPTERS
        if number(part) == number(chapter)
        for _, name in explorers_of(part)
    }
    before_the_first, _ = explorers_of(chapter)[0]
    total = sum(map(word_count, read(NOTEBOOKS[chapter]).cells))
    assert len(together) >= 3 and before_the_first <= total / 4


@pytest.mark.browser
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_its_explorers_are_live_and_have_few_controls(chapter):
    made = [MAKERS[name]() for _, name in explorers_of(chapter)]
    assert all(isinstance(explorer, Explorer) for explorer in made)
    assert all(1 <= len(explorer.controls) <= 4 for explorer in made)


def test_every_explorer_stands_in_a_chapter():
    assert {name for chapter in CHAPTERS for _, name in explorers_of(chapter)} == {
        *MAKERS
    }


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_judges_nothing_and_prints_no_bare_truth_values(chapter):
    for cell in code_cells(read(NOTEBOOKS[chapter])):
        assert not re.search(r"\bsettle\(|\bfound\[|\bmeasured\[", cell.source)
        assert not re.search(r"\balt\s*=\s*[\"(]", cell.source)
        printed = [o.text for o in cell.outputs if o.output_type == "stream"]
        assert not re.search(r"\b(?:True|False)\b", "".join(printed))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_says_what_it_is(chapter):
    notebook = read(NOTEBOOKS[chapter])
    opening = "\n".join(cell.source for cell in notebook.cells[:2])
    for phrase in ("You will learn", "You need", "minutes to read", "Run All Cells"):
        assert phrase in opening, phrase
    assert hidden(code_cells(notebook)[0])


LEDGER_ROWS = [
    row for row in ledger.table(ROOT / "figures" / LEDGER) if row["notebook"]
]


@pytest.mark.parametrize("evidence", EVIDENCE)
def test_the_chapters_of_a_number_lead_to_what_became_of_its_claims(evidence):
    """By a link to the page of all claims."""
    settled = [
        row for row in LEDGER_ROWS if number(row["notebook"]) == number(evidence)
    ]
    leading = []
    for chapter in CHAPTERS:
        if number(chapter) == number(evidence):
            for cell in read(NOTEBOOKS[chapter]).cells:
                if "(92_claims.ipynb" in cell.source:
                    leading.append(cell)
    assert leading or not settled


def test_claims_are_settled_in_evidence_only():
    assert {row["notebook"] for row in LEDGER_ROWS} <= {*EVIDENCE}
    assert not [row["id"] for row in LEDGER_ROWS if row["verdict"] == "open"]


def test_each_number_has_evidence_and_each_figure_one_owner():
    numbers = {row["notebook"][9:11] for row in LEDGER_ROWS}
    assert (
        numbers <= {name[9:11] for name in EVIDENCE} <= {name[:2] for name in CHAPTERS}
    )
    figures = [entry["figure"] for entry in read_manifest(ROOT / "figures")]
    assert len(figures) == len({*figures})


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_cell_is_empty(name):
    assert all(cell.source.strip() for cell in read(NOTEBOOKS[name]).cells)
