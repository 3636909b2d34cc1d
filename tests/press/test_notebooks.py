"""Notebooks as files: canonical form, lint, which are meant, whose parameters."""

import ast

import nbformat
import pytest
from conftest import edit_notebook, picture, write_notebook
from nbformat.v4 import new_output

from vbkit.__main__ import main
from vbkit.press import ROOT, UsageError, canonical
from vbkit.press.selection import (
    choose,
    kind,
    notebooks,
    parameters,
    parameters_by_notebook,
)

ERROR = new_output("error", ename="E", evalue="", traceback=[])


TAGGED = nbformat.from_dict({"tags": ["parameters"]})


WIDGET = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}}


def said(text, name="stdout"):
    return new_output("stream", name=name, text=text)


@pytest.fixture
def path(tmp_path):
    """An executed notebook without faults."""
    path = write_notebook(tmp_path / "notebooks" / "01_line.ipynb", "x = 1", "x")

    def execute(cells):
        for count, cell in enumerate(
            (cells["parameters"], cells["code-0"], cells["code-1"]), 1
        ):
            cell.execution_count = count
        cells["code-1"].outputs = [picture()]

    edit_notebook(path, execute)
    return path


def test_canonical_form_drops_what_passes_and_stays_as_it_is(path):
    notebook = nbformat.read(path, as_version=4)
    expected = canonical.dumps(notebook)
    notebook.metadata |= {"widgets": {"state": 1}, "papermill": {"duration": 3.0}}
    notebook.metadata.language_info.version = "3.99"
    for count, cell in enumerate(notebook.cells, 7):
        cell.metadata |= {
            "papermill": {"start_time": "now"},
            "execution": {"iopub.status.busy": "now"},
        }
        cell.metadata.setdefault("tags", [])
        if cell.cell_type == "code":
            cell.execution_count = count
    (output,) = notebook.cells[-1].outputs
    output.data |= WIDGET
    assert canonical.dumps(notebook) == expected
    assert canonical.dumps(canonical.canonical(notebook)) == expected
    assert [cell.id for cell in canonical.canonical(notebook).cells] == [
        "title",
        "parameters",
        "code-0",
        "code-1",
    ]


def test_canonical_form_keeps_a_widget_without_picture_and_merges_streams(path):
    notebook = nbformat.read(path, as_version=4)
    streams = [said("a"), said("b"), said("c", "stderr")]
    notebook.cells[-1].outputs = [new_output("display_data", dict(WIDGET)), *streams]
    widget, merged, other = canonical.canonical(notebook).cells[-1].outputs
    assert widget.data == WIDGET and merged.text == "ab" and other.text == "c"


def test_canonical_form_gives_ids_to_cells_without(path):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[2].id = notebook.cells[1].id
    del notebook.cells[3]["id"]
    assert [cell.id for cell in canonical.canonical(notebook).cells] == [
        "title",
        "parameters",
        "cell-2",
        "cell-3",
    ]


def test_lint_finds_nothing_in_a_good_notebook(path):
    assert canonical.lint(path) == []


@pytest.mark.parametrize(
    ("cell", "change", "problem"),
    [
        ("code-1", {"execution_count": None}, "code cell 3 was not executed"),
        ("code-1", {"outputs": [ERROR]}, "code cell 3 ends in an error: E"),
        ("code-1", {"outputs": [said("oh", "stderr")]}, "code cell 3 writes to stderr"),
        (
            "code-1",
            {"outputs": [said("UserWarning: oh")]},
            "code cell 3 shows a warning",
        ),
        (
            "code-1",
            {"outputs": [picture(alt="")]},
            "code cell 3 shows a picture without alternative text",
        ),
        (
            "code-1",
            {"outputs": [said("in /home/me/x")]},
            "names a path of one machine: /home/me",
        ),
        ("code-1", {"outputs": [said("long" * 800_000)]}, "is larger than 3 MB"),
        (
            "code-0",
            {"source": "x = 1\n" * 31},
            "code cell 2 has 31 lines, more than 30",
        ),
        ("code-0", {"source": "%pip install x"}, "code cell 2 is not plain Python"),
        ("code-0", {"source": "!ls"}, "code cell 2 is not plain Python"),
        ("code-0", {"source": "get_ipython()"}, "code cell 2 calls get_ipython"),
        ("title", {"source": "Lines"}, "does not begin with a title"),
        (
            "parameters",
            {"metadata": nbformat.from_dict({})},
            "has 0 cells tagged `parameters`",
        ),
        ("code-0", {"metadata": TAGGED}, "has 2 cells tagged `parameters`"),
        (
            "parameters",
            {"source": "n = 2 * 3"},
            "the parameters cell holds more than `name = literal`: n",
        ),
        (
            "parameters",
            {"source": "profile = 'full'"},
            "sets the parameter profile to something else",
        ),
    ],
)
def test_lint_finds_each_problem_and_only_it(path, cell, change, problem):
    edit_notebook(path, lambda cells: cells[cell].update(change))
    (found,) = canonical.lint(path)
    assert found.startswith(problem)


def test_lint_finds_counts_and_form(path):
    path.write_text(
        path.read_text().replace('"execution_count": 2', '"execution_count": 5')
    )
    assert canonical.lint(path)[0] == "code cell 2 has the count 5"
    assert canonical.lint(path)[-1].startswith("is not in canonical form")
    assert main(["--root", str(path.parents[1]), "lint"]) == 1


def test_solutions_need_no_parameters(path):
    edit_notebook(path, lambda cells: cells["parameters"].metadata.clear())
    solution = path.parent / "solutions" / path.name
    solution.parent.mkdir()
    path.rename(solution)
    assert canonical.lint(solution) == []


def test_notebooks_are_chosen_by_name_number_beginning_and_file(tmp_path):
    for name in ("05_b", "10_c", "solutions/05_b"):
        write_notebook(tmp_path / "notebooks" / f"{name}.ipynb")
    write_notebook(tmp_path / "notebooks" / ".ipynb_checkpoints" / "05_b.ipynb")
    everything = ["05_b", "10_c", "solutions/05_b"]
    file = str(tmp_path / "notebooks" / "05_b.ipynb")
    wanted = {
        "05_b": 1,
        "5": 1,
        "05": 1,
        "05_b.ipynb": 1,
        file: 1,
        "10": 2,
        "solutions": 3,
        "solutions/05": 3,
    }
    assert list(choose(tmp_path)) == everything
    for asked, place in wanted.items():
        assert list(choose(tmp_path, [asked])) == [everything[place - 1]], asked
    for asked in ("1", "07", "x", ""):
        with pytest.raises(UsageError, match="05_b, 10_c, solutions/05_b"):
            choose(tmp_path, [asked])
    for name in ("07a_c", "07b_d", "evidence/07_c"):
        write_notebook(tmp_path / "notebooks" / f"{name}.ipynb")
    assert list(choose(tmp_path, ["7"])) == ["07a_c", "07b_d", "evidence/07_c"]
    assert list(choose(tmp_path, ["07a"])) == ["07a_c"]
    assert list(choose(tmp_path, ["evidence/07"])) == ["evidence/07_c"]
    with pytest.raises(UsageError, match="there are no notebooks in"):
        choose(tmp_path / "nowhere")


def values_of(path, asked):
    return parameters_by_notebook({"01": path}, asked)["01"]


def test_parameters_take_the_defaults_type(tmp_path):
    source = (
        "n = 3  # how many\nrate = 1.0\nsizes = [1, 2]\n"
        "label = 'a'\nflag = True\nprofile = 'paper'"
    )
    path = write_notebook(tmp_path / "01.ipynb", parameters=source)
    asked = [
        ("n", "4"),
        ("rate", "2"),
        ("sizes", "[3]"),
        ("label", "b c"),
        ("flag", "False"),
    ]
    values = values_of(path, asked)
    assert values == {"n": 4, "rate": 2.0, "sizes": [3], "label": "b c", "flag": False}
    assert type(values["rate"]) is float and parameters("01", path)["n"] == 3
    assert values_of(path, [("label", "'7'")]) == {"label": "7"}
    for key, text in (
        ("n", "2.5"),
        ("n", "x"),
        ("n", "True"),
        ("rate", "'1'"),
        ("sizes", "3"),
        ("flag", "1"),
    ):
        with pytest.raises(UsageError, match="is of type"):
            values_of(path, [(key, text)])
    with pytest.raises(
        UsageError, match="01 has no parameter m; its parameters: n = 3, rate = 1.0"
    ):
        values_of(path, [("m", "1")])


def test_a_parameter_goes_to_every_notebook_of_the_number_that_has_it(tmp_path):
    for name, source in (
        ("07a_c", "seed = 1"),
        ("07b_d", "seed = 1\nratings = ''"),
        ("evidence/07_c", "seed = 1\nratings = ''"),
        ("05_b", "seed = 1"),
    ):
        write_notebook(tmp_path / "notebooks" / f"{name}.ipynb", parameters=source)
    chosen = choose(tmp_path, ["07"])
    given = parameters_by_notebook(chosen, [("ratings", "a.tsv"), ("seed", "2")])
    both = {"ratings": "a.tsv", "seed": 2}
    assert given == {"07a_c": {"seed": 2}, "07b_d": both, "evidence/07_c": both}
    with pytest.raises(
        UsageError, match="05_b has no parameter ratings; its parameters: seed = 1"
    ):
        parameters_by_notebook(choose(tmp_path, ["05", "07"]), [("ratings", "a.tsv")])
    with pytest.raises(UsageError, match="evidence/07_c: seed = x is of type str"):
        parameters_by_notebook(choose(tmp_path, ["evidence/07"]), [("seed", "x")])


def names(node, context=ast.Load):
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, context)
    }


def own_names(node):
    """What comprehensions and functions within a statement bind for themselves."""
    parts = [*ast.walk(node)]
    own = {part.arg for part in parts if isinstance(part, ast.arg)}
    for part in parts:
        if isinstance(part, ast.comprehension):
            own |= names(part.target, ast.Store)
        if isinstance(part, ast.FunctionDef):
            own |= names(part, ast.Store)
    return own


def study_inputs(notebook):
    """(study, parameters of the notebook that its function or its jobs depend on) for each stored
    study."""
    tainted = {
        name: {name} for name in canonical.parameters_of(notebook) if name != "profile"
    }
    functions = {}

    def reached(start):
        seen, found = set(), set()
        while start:
            seen |= start
            found |= set().union(*(tainted.get(name, set()) for name in start))
            start = set().union(*(functions.get(name, set()) for name in start)) - seen
        return found

    cells = [
        cell
        for cell in canonical.code_cells(notebook)
        if "parameters" not in cell.metadata.get("tags", ())
    ]
    for statement in ast.parse("\n".join(cell.source for cell in cells)).body:
        for call in ast.walk(statement):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "stored":
                yield (
                    ast.unparse(call.args[0]),
                    reached(set().union(*map(names, call.args[1:3])) - own_names(call)),
                )
        read = names(statement) - own_names(statement)
        if isinstance(statement, ast.FunctionDef):
            tainted.pop(statement.name, None)
            functions[statement.name] = (
                read  # but for defaults of arguments, which a call may replace
            )
        else:
            bound = names(statement, ast.Store) - own_names(statement)
            tainted |= dict.fromkeys(bound, reached(read))


@pytest.mark.parametrize(("function", "expected"), [("seed", {"seed"}), ("job", set())])
def test_dependence_of_a_study_is_seen(path, function, expected):
    source = "start = seed + 1\nshift = start\n\n"
    source += f"def inner(job):\n    return {function.replace('seed', 'shift')}\n"
    source += "def outer(job):\n    return inner(job)\n\n"
    source += "stored('a', outer, [{'seed': seed} for seed in (1, 2)])"
    edit_notebook(path, lambda cells: cells["code-0"].update(source=source))
    assert [*study_inputs(canonical.read(path))] == [("'a'", expected)]


@pytest.mark.parametrize(
    "name", [name for name in notebooks(ROOT) if kind(name) != "solutions"]
)
def test_stored_studies_do_not_depend_on_parameters(name):
    """Else a run with other parameters, which the README offers, would find that they no longer
    hold."""
    assert {
        study: found
        for study, found in study_inputs(canonical.read(notebooks(ROOT)[name]))
        if found
    } == {}
