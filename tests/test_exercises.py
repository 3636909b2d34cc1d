"""The exercises of every chapter: one form, right answers pass, wrong ones fail with words that
help.

tests/wrong_answers/NN.py holds what a student might write in chapter NN, a function each: its name
is that of the exercise, two underscores, and the mistake; its docstring is a part of what the
student must be told. The functions run among the names of the solution notebook, as a student's do.
"""

import ast
import html
from functools import cache
from pathlib import Path

import pytest
from matplotlib import rc_context

from vbkit.workbook import ROOT
from vbkit.workbook.canonical import code_cells, read, words
from vbkit.workbook.exercises import Feedback

CHAPTERS = {
    path.stem[:2]: path for path in sorted((ROOT / "notebooks").glob("[0-8]*.ipynb"))
}  # 90 on: appendices
KINDS = ("Check", "Vary", "Prove")


def solution_of(chapter: str):
    return read(ROOT / "notebooks" / "solutions" / CHAPTERS[chapter].name)


def take_apart(cell) -> tuple[str, list[str], str]:
    """Of an exercise: the name of the student's function, its arguments, the source after it."""
    function = ast.parse(cell.source).body[0]
    names = [argument.arg for argument in function.args.args]
    return function.name, names, "\n".join(cell.source.splitlines()[function.end_lineno :]).strip()


def run(source: str, namespace: dict) -> Feedback:
    """What the last statement of a cell gives."""
    *body, last = ast.parse(source).body
    exec(compile(ast.Module(body, []), "cell", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)


@cache
def solved(chapter: str) -> tuple[dict, list[Feedback]]:
    """The names after the cells before the first exercise and the exercises, and what their
    checkers say."""
    cells, namespace = code_cells(solution_of(chapter)), {"__name__": chapter}
    exercises = code_cells(solution_of(chapter), "exercise")
    with rc_context():  # the notebooks' style of pictures stays among them
        for cell in cells[: cells.index(exercises[0])]:
            exec(compile(cell.source, "cell", "exec"), namespace)
        return namespace, [run(cell.source, namespace) for cell in exercises]


def wrong_answers(chapter: str) -> dict[str, str]:
    path = Path(__file__).parent / "wrong_answers" / f"{chapter}.py"
    functions = ast.parse(path.read_text()).body if path.exists() else []
    return {
        node.name: ast.get_docstring(node)
        for node in functions
        if isinstance(node, ast.FunctionDef)
    }


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_three_exercises_of_one_form(chapter):
    notebook = read(CHAPTERS[chapter])
    exercises = code_cells(notebook, "exercise")
    assert len(exercises) == 3
    for number, (cell, kind) in enumerate(zip(exercises, KINDS, strict=True), start=1):
        text = notebook.cells[notebook.cells.index(cell) - 1]
        assert text.cell_type == "markdown" and f"**{number}. {kind}.** " in text.source
        assert "<details><summary>Hint</summary>" in text.source
        name, _, rest = take_apart(cell)
        call = ast.parse(rest).body[-1].value
        assert [ast.unparse(part) for part in (call.func, *call.args[:2])] == [
            "check_exercise",
            name,
            f"answers.{name}",
        ]
        assert f"Not yet: {name} returns nothing" in words(cell.outputs[-1])


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_solution_passes_the_chapters_own_checkers(chapter):
    asked, answered = (
        code_cells(read(CHAPTERS[chapter]), "exercise"),
        code_cells(solution_of(chapter), "exercise"),
    )
    namespace, found = solved(chapter)
    for cell, solution, feedback in zip(asked, answered, found, strict=True):
        assert take_apart(solution) == take_apart(cell)
        name = take_apart(cell)[0]
        assert feedback.passed, feedback
        assert f"Correct: {name} agrees" in words(solution.outputs[-1])
        reference = getattr(namespace["answers"], name)
        assert (
            list(reference.__code__.co_varnames[: reference.__code__.co_argcount])
            == take_apart(cell)[1]
        )


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_has_a_wrong_answer(chapter):
    names = [take_apart(cell)[0] for cell in code_cells(read(CHAPTERS[chapter]), "exercise")]
    assert {wrong.split("__")[0] for wrong in wrong_answers(chapter)} == set(names)


@pytest.mark.parametrize(
    ("chapter", "wrong"), [(c, name) for c in CHAPTERS for name in wrong_answers(c)]
)
def test_a_wrong_answer_is_told_what_is_wrong(chapter, wrong):
    student, cell = dict(solved(chapter)[0]), dict(solved(chapter)[0])
    path = Path(__file__).parent / "wrong_answers" / f"{chapter}.py"
    exec(compile(path.read_text(), path, "exec"), student)
    name, expected = wrong.split("__")[0], wrong_answers(chapter)[wrong]
    student[wrong].__name__ = name
    (rest,) = (
        rest
        for stub, _, rest in map(take_apart, code_cells(solution_of(chapter), "exercise"))
        if stub == name
    )
    feedback = run(rest, cell | {name: student[wrong]})
    assert not feedback.passed
    assert expected in repr(feedback)
    assert feedback.hint and feedback.hint in repr(feedback)
    assert html.escape(feedback.hint) in feedback._repr_html_()
