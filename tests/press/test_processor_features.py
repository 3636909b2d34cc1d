"""The notebooks give the same numbers, pictures and verdicts on a lesser processor, two threads.

`python -m tests.processors` tries these apart, and more processors."""

import pytest
from conftest import DRAW, edit_notebook

from tests.processors import (
    decides,
    differing,
    lesser_processor,
    numpy_steps,
    processors,
    requirements,
)
from vbkit.press import ROOT, THREADS
from vbkit.press.selection import kind, notebooks

NOTEBOOKS = [name for name in notebooks(ROOT) if kind(name) != "solutions"]


def test_what_is_emulated_differs():
    assert len({frozenset(each.items()) for each in processors().values()}) == len(
        processors()
    )
    assert [len(step.split()) for step in numpy_steps()] == [
        *range(1, len(numpy_steps()) + 1)
    ]


def test_oldest_and_newest_versions():
    pinned, oldest, newest = map(requirements, ["pinned", "oldest", "newest"])
    assert len(pinned) == len(oldest) == len(newest)
    assert "numpy==2" in oldest and "matplotlib==3.8.4" in oldest and "numpy" in newest
    assert "scipy<=" in "".join(oldest) and "scipy" in newest


@pytest.mark.parametrize(
    "problem, counts",
    [
        ("tiny2000-fig1: array x: 1 of 20 entries differ", True),
        ("claims of evidence/01_line: tiny2000-A1: ...", True),
        ("cell 3: ZeroDivisionError", True),
        ("notebook 01_line: code cell 2 shows '2', stored '1'", False),
        ("tiny2000-fig1: the picture differs by 3.1 of 255 RMS (at most 2)", False),
        ("claims.md: line 4 is ...", False),
    ],
)
def test_with_other_versions_arrays_and_verdicts_decide(problem, counts):
    assert decides(problem) == counts


@pytest.mark.processor
def test_a_difference_is_seen_where_there_is_one(workbook, tmp_path, monkeypatch):
    source = "import os\n" + DRAW.replace(
        "(0, 1, 20)", "(0, float(os.environ['LENGTH']), 20)"
    )
    line = workbook / "notebooks" / "01_line.ipynb"
    edit_notebook(line, lambda cells: cells["code-0"].update(source=source))
    assert differing(["1"], {"LENGTH": "1"}, tmp_path / "a", root=workbook) == {
        "01_line": []
    }
    problems = differing(["1"], {"LENGTH": "2"}, tmp_path / "b", root=workbook)[
        "01_line"
    ]
    assert any(
        "tiny2000-fig1: array x: 19 of 20 entries differ" in each for each in problems
    )


@pytest.mark.processor
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_everything_is_as_stored_on_a_lesser_processor(name, tmp_path):
    variables = lesser_processor() | dict.fromkeys(THREADS, "2")
    assert differing([name], variables, tmp_path / "run") == {name: []}
