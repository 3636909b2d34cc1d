"""The exercises of every chapter: one form, solutions pass, typical mistakes are recognised."""

import ast
import inspect
from functools import cache

import pytest
from matplotlib import rc_context

from vbkit.press import ROOT
from vbkit.press.canonical import code_cells, read, words
from vbkit.press.exercises import Exercise
from vbkit.press.selection import kind, notebooks

NOTEBOOKS = notebooks(ROOT)
CHAPTERS = [name for name in NOTEBOOKS if kind(name) == "chapter"]
KINDS = ("Check", "Vary", "Prove")


def take_apart(cell) -> tuple[str, list[str], str]:
    """Of an exercise: the student's function, its arguments, and the call of the checker."""
    function, call = ast.parse(cell.source).body
    names = [argument.arg for argument in function.args.args]
    assert [ast.unparse(argument) for argument in call.value.args] == [function.name]
    return function.name, names, ast.unparse(call.value.func)


@cache
def solved(chapter: str) -> tuple[dict, list]:
    """The names in a solution notebook once its cells have run, and what its checkers say."""
    notebook, namespace, found = read(NOTEBOOKS[f"solutions/{chapter}"]), {}, []
    with rc_context():  # the notebooks' style of pictures stays among them
        for cell in code_cells(notebook):
            *body, last = ast.parse(cell.source).body
            if "exercise" not in cell.metadata.get("tags", ()):
                exec(compile(cell.source, "cell", "exec"), namespace)
                continue
            exec(compile(ast.Module(body, []), "cell", "exec"), namespace)
            found.append(eval(ast.unparse(last), namespace))
    return namespace, found


def exercises(chapter: str) -> list[tuple]:
    """(student's function, its arguments, Exercise) for each exercise of a chapter."""
    namespace, _ = solved(chapter)
    found = []
    for cell in code_cells(read(NOTEBOOKS[chapter]), "exercise"):
        name, arguments, checker = take_apart(cell)
        found.append((name, arguments, eval(checker, namespace)))
    return found


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_exercises_of_one_form(chapter):
    notebook = read(NOTEBOOKS[chapter])
    cells = code_cells(notebook, "exercise")
    parts = chapter[2] != "_"
    assert len(cells) >= (2 if parts else 3)
    first = 0
    for number, cell in enumerate(cells, start=1):
        last = notebook.cells.index(cell)
        text = "".join(
            c.source for c in notebook.cells[first:last] if c.cell_type == "markdown"
        )
        text, first = text[text.index(f"**{number}. ") :], last
        kinds = KINDS if parts else [KINDS[min(number, 3) - 1]]
        assert any(text.startswith(f"**{number}. {kind}.**") for kind in kinds)
        assert "<summary>Hint</summary>" in text
        name, _, checker = take_apart(cell)
        assert checker == f"answers.exercise_{number}"
        assert f"Not yet: {name} returns nothing" in words(cell.outputs[-1])


@pytest.mark.solutions
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_solution_passes_the_chapters_own_checkers(chapter):
    asked, answered = (
        code_cells(read(NOTEBOOKS[name]), "exercise")
        for name in (chapter, f"solutions/{chapter}")
    )
    assert [take_apart(cell) for cell in asked] == [
        take_apart(cell) for cell in answered
    ]
    for feedback, cell in zip(solved(chapter)[1], answered, strict=True):
        assert feedback.passed, feedback
        assert "Correct at all" in words(cell.outputs[-1])


@pytest.mark.solutions
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_recognises_three_mistakes_and_leads_on(chapter):
    for name, arguments, exercise in exercises(chapter):
        assert isinstance(exercise, Exercise) and len(exercise.mistakes) >= 3, name
        assert [*inspect.signature(exercise.reference).parameters] == arguments, name
        assert exercise.hint and exercise.meaning and exercise.further, name
        assert exercise(exercise.reference).passed, name
        told = {}
        for mistake in exercise.mistakes:
            exercise.tries = 0
            feedback = exercise(mistake)
            said = " ".join(mistake.__doc__.split())
            assert not feedback.passed and feedback.message.startswith(said), (
                name,
                feedback,
            )
            assert not feedback.hint and exercise(mistake).hint == exercise.hint
            told[said] = feedback
        assert len(told) == len(exercise.mistakes), name
        exercise.tries = 0
