"""The problem sheets: marks add up, every problem has a solution, hidden tests tell right from
wrong."""

import ast
import re
from functools import cache

import pytest

from vbkit.press import ROOT
from vbkit.press.canonical import code_cells, read
from vbkit.press.selection import kind, notebooks

NOTEBOOKS = notebooks(ROOT)
SHEETS = [name for name in NOTEBOOKS if kind(name) == "problems"]
HEADING = re.compile(r"## (\d)\. (\w+): .+ \*\((\d+) marks\)\*")
MARKS = re.compile(r"\*\((\d+)\)\*")
LAST_LECTURES = ["00d", "01b", "03", "05a", "06a", "07d", "09", "10"]  # of the units


def solution_of(sheet):
    return NOTEBOOKS[sheet.replace("problems/", "solutions/")]


def problems(path):
    """The cells of each problem, by its heading."""
    found = {}
    for cell in read(path).cells:
        heading = HEADING.match(cell.source)
        if heading:
            found[heading[0]] = []
        if found:
            found[[*found][-1]].append(cell)
    return found


def marks(cells):
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return sum(int(each) for each in MARKS.findall(text))


@cache
def solved(sheet):
    """The names in a solution notebook once its cells have run."""
    namespace = {}
    for cell in code_cells(read(solution_of(sheet))):
        exec(compile(cell.source, "cell", "exec"), namespace)
    return namespace


def asked_function(sheet):
    """The function that a sheet asks for, as it stands there."""
    (stub,) = [
        cell for cell in code_cells(read(NOTEBOOKS[sheet])) if "def " in cell.source
    ]
    return [
        each
        for each in ast.parse(stub.source).body
        if isinstance(each, ast.FunctionDef)
    ][0]


def test_every_unit_has_a_sheet():
    units = [re.match(r"problems/unit(\d)_", name)[1] for name in SHEETS]
    assert units == ["1", "2", "3", "4", "5", "6", "7", "8"]


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_has_three_kinds_of_problems_and_its_marks_add_up(sheet):
    found = problems(NOTEBOOKS[sheet])
    headings = [HEADING.match(each) for each in found]
    assert [each[2] for each in headings] == ["Derive", "Implement", "Judge"]
    opening = read(NOTEBOOKS[sheet]).cells[0].source
    assert int(re.search(r"(\d+) marks", opening)[1]) == sum(
        int(each[3]) for each in headings
    )
    for heading, cells in zip(headings, found.values(), strict=True):
        if heading[2] != "Implement":  # which has one part
            assert marks(cells) == int(heading[3]), heading[0]


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_problem_has_a_solution_whose_marks_add_up_and_that_is_checked(sheet):
    found = problems(solution_of(sheet))
    assert [*found] == [*problems(NOTEBOOKS[sheet])]
    for heading, cells in found.items():
        assert marks(cells) == int(HEADING.match(heading)[3]), heading
        code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        assert code.count("assert ") >= 2, heading


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_sheet_needs_its_unit_and_earlier_ones_only(sheet):
    unit = int(re.match(r"problems/unit(\d)", sheet)[1])
    notebook = read(NOTEBOOKS[sheet])
    text = "\n".join(cell.source for cell in notebook.cells)
    links = re.findall(r"\]\(\.\./(\w+)\.ipynb\)", notebook.cells[0].source)
    assert links and all(name in NOTEBOOKS for name in links)
    named = [name.split("_")[0] for name in links]
    named += re.findall(r"[Ll]ectures? (\d\d[a-d]?)", text)
    assert max(named) <= LAST_LECTURES[unit - 1]
    assert "solutions/" not in text


@pytest.mark.parametrize("sheet", SHEETS)
def test_the_hidden_test_passes_the_model_and_nothing_else(sheet):
    names = solved(sheet)  # runs the test on the model
    asked = asked_function(sheet)
    model = names[asked.name]
    assert model.__code__.co_varnames[: len(asked.args.args)] == tuple(
        argument.arg for argument in asked.args.args
    )

    def nearly(*arguments):
        result = model(*arguments)
        if isinstance(result, tuple):
            return (1.01 * result[0], *result[1:])
        return 1.01 * result

    def shifted(*arguments):
        result = model(*arguments)
        if isinstance(result, tuple):
            return (*result[:-1], result[-1] + 0.01)
        return result + 0.01

    for wrong in (nearly, shifted, lambda *arguments: None):
        with pytest.raises((AssertionError, TypeError, AttributeError)):
            names["test"](wrong)
