"""The students' copy: it stands alone and runs, and nothing in it solves an exercise."""

import ast
import json
import os
import re
import subprocess
import sys

import nbformat
import pytest
from conftest import snapshot, write_notebook

from vbkit.__main__ import main
from vbkit.press import ROOT, UsageError, canonical, manifest
from vbkit.press.check_notebooks import inventory
from vbkit.press.handout import answers, for_students, handout, is_handed_out
from vbkit.press.selection import notebooks

pytestmark = pytest.mark.broken

CHAPTERS = [name for name in notebooks(ROOT) if is_handed_out(name)]
SHORT = "00a_start_here_eight_bolts"  # the chapter that runs here
ASKED = re.compile(r"answers\.exercise_\d\((\w+)\)")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The hand-out of this workbook."""
    folder = tmp_path_factory.mktemp("course") / "copy"
    assert handout(folder) == CHAPTERS
    return folder


def cells(path):
    return nbformat.read(path, as_version=4).cells


def run(copy, *arguments, timeout=300):
    """Run Python in the copy, with nothing but the copy to import vbkit from."""
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {
        "NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", str(copy.parent / "cache"))
    }
    command = [sys.executable, *arguments]
    return subprocess.run(
        command,
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def test_the_copy_is_in_order_and_whole(copy):
    assert sorted(path.name for path in copy.iterdir()) == sorted(
        "README.md environment.yml figures notebooks pyproject.toml requirements.txt vbkit".split()
    )
    assert [*notebooks(copy)] == CHAPTERS
    assert {name: canonical.lint(path) for name, path in notebooks(copy).items()} == {
        name: [] for name in CHAPTERS
    }
    assert [*inventory(copy)] == []
    entries = [
        entry
        for entry in manifest.read_manifest(ROOT / "figures")
        if entry["notebook"] in CHAPTERS
    ]
    assert manifest.read_manifest(copy / "figures") == entries
    assert not [
        path
        for path in copy.rglob("*")
        if path.name in ("solutions", "tests", "__pycache__")
    ]
    text = (copy / "README.md").read_text()
    assert (
        all(f"notebooks/{name}.ipynb" in text for name in CHAPTERS) and "{" not in text
    )


def test_students_install_what_the_notebooks_need_and_no_more(copy):
    """Every package that vbkit's chapters import is pinned;
    those of tests and of the site are not."""
    pins = (copy / "requirements.txt").read_text().splitlines()
    names = {pin.split("==")[0] for pin in pins if "==" in pin}
    assert {"numpy", "numba", "scikit-learn", "jupyterlab", "papermill"} <= names
    assert not names & {
        "pytest",
        "nbval",
        "playwright",
        "dask[distributed]",
        "ruff",
        "pandas",
    }
    assert not names & {"jupyterlite-core", "hmmlearn", "mpmath"} and pins[-1] == "-e ."
    whole = (ROOT / "requirements.txt").read_text().splitlines()
    assert set(pins[1:]) <= set(whole)


def test_only_what_points_to_solutions_is_missing(copy):
    """So the cells of a hand-out run as those of the workbook do, one after another."""
    for name in CHAPTERS:
        before, after = (
            cells(root / "notebooks" / f"{name}.ipynb") for root in (ROOT, copy)
        )
        kept = {cell.id: cell for cell in after}
        for cell in before:
            if cell.cell_type == "code":
                assert kept[cell.id].source == cell.source
            elif cell.id not in kept:
                assert (
                    cell.metadata.tags == ["solutions"] and "solutions/" in cell.source
                )
            else:
                assert kept[cell.id].source == cell.source or re.search(
                    r"\]\([^)]*\.(ipynb|md|json)", cell.source
                ), cell.source
        text = "\n".join(cell.source for cell in after if cell.cell_type == "markdown")
        assert "solutions/" not in text, name
        assert text.count("<details") == text.count("</details>")


def bodies():
    """The body of every function that answers an exercise, without white space, by where it
    stands."""
    sources = {
        f"{path.parent.name}/{path.name}": path.read_text() for path in answers(ROOT)
    }
    for path in (ROOT / "notebooks" / "solutions").glob("*.ipynb"):
        sources[path.name] = "\n".join(
            cell.source
            for cell in canonical.code_cells(nbformat.read(path, as_version=4))
        )
    for place, source in sources.items():
        asked = ASKED.findall(source)
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and (node.name in asked or not asked):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                lines = [
                    ast.get_source_segment(source, statement) for statement in body
                ]
                if (
                    len(told := "".join("".join(lines).split())) > 60
                ):  # a formula is no answer
                    yield f"{place}: {node.name}", told


def test_no_file_tells_an_answer(copy):
    found = dict(bodies())
    assert len(found) > 50
    chapters = [
        cell.source
        for name in CHAPTERS
        for cell in canonical.code_cells(canonical.read(notebooks(ROOT)[name]))
    ]
    taught = {
        place
        for place, body in found.items()
        if body in "".join("".join(chapters).split())
    }
    assert (
        len(taught) < 3
    )  # a chapter may show what a later exercise asks for in another way
    for path in copy.rglob("*"):
        if path.is_file() and path.suffix not in (".png", ".npz"):
            text = path.read_text()
            if path.suffix == ".ipynb":
                text = "\n".join(
                    cell.source + json.dumps(cell.get("outputs", ""))
                    for cell in cells(path)
                )
            text = "".join(text.split())
            assert (
                not {place for place, body in found.items() if body in text} - taught
            ), path


def test_packed_answers_are_the_answers(copy):
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in answers(ROOT)
    ]
    code = f"""
import importlib, json
modules = [importlib.import_module(name) for name in {names}]
functions = [
    {{k: v.__doc__ for k, v in vars(m).items() if hasattr(v, "__code__")}} for m in modules
]
print(json.dumps([[m.__file__ for m in modules], functions]))
"""
    there, here = (json.loads(run(root, "-c", code).stdout) for root in (copy, ROOT))
    assert there[1] == here[1] and all(there[1])
    assert all(file.startswith(str(copy)) for file in there[0])


def test_a_chapter_runs_and_a_right_answer_passes(copy, tmp_path):
    """The first exercise is answered, the others are left as they are handed out."""
    path = tmp_path / "workbook" / "notebooks" / f"{SHORT}.ipynb"
    path.parent.mkdir(parents=True)
    notebook = nbformat.read(copy / "notebooks" / path.name, as_version=4)
    solution = "\n".join(
        cell.source
        for cell in canonical.code_cells(
            canonical.read(notebooks(ROOT)[f"solutions/{SHORT}"])
        )
    )
    cell = next(cell for cell in notebook.cells if ASKED.search(cell.source))
    name = ASKED.search(cell.source)[1]
    stub, answer = (
        next(
            ast.get_source_segment(source, node)
            for node in ast.parse(source).body
            if getattr(node, "name", "") == name
        )
        for source in (cell.source, solution)
    )
    cell.source = cell.source.replace(stub, answer)
    nbformat.write(notebook, path)
    out = tmp_path / "out"
    command = [
        "-m",
        "vbkit",
        "--root",
        str(path.parents[1]),
        "reproduce",
        "--profile",
        "quick",
        "--to",
        str(out),
    ]
    done = run(copy, *command)
    assert done.returncode == 0, done.stderr
    said = [
        str(cell.outputs)
        for cell in cells(out / "notebooks" / path.name)
        if ASKED.search(cell.source)
    ]
    assert (
        "Correct at all" in said[0]
        and len(said) == 2
        and all("Not yet" in words for words in said[1:])
    )


def test_a_lecture_with_the_problem_sheet_of_its_unit(tmp_path):
    sheet = "problems/unit1_eight_bolts"
    assert handout(tmp_path / "copy", ["00a", "problems/unit1"]) == [SHORT, sheet]
    opening = cells(tmp_path / "copy" / "notebooks" / f"{sheet}.ipynb")[0].source
    assert f"[00a](../{SHORT}.ipynb) to 00d" in opening  # which is not handed out
    page = (tmp_path / "copy" / "README.md").read_text()
    assert f"- [Problem sheet 1: Eight bolts](notebooks/{sheet}.ipynb)" in page
    assert sorted(
        path.name for path in (tmp_path / "copy" / "notebooks").iterdir()
    ) == [f"{SHORT}.ipynb", "problems"]
    with pytest.raises(UsageError, match="not handed out"):
        handout(tmp_path / "more", ["00a", "solutions/unit1"])
    assert not (tmp_path / "more").exists()


def test_named_notebooks_only_and_no_outputs(tmp_path):
    target = tmp_path / "copy"
    target.mkdir()
    assert main(["handout", str(target), "05", "09", "--clear-outputs"]) == 0
    names = [
        "05a_sato2000_batch_vs_online",
        "05b_sato2000_how_many_components",
        "09a_kaji2011_small_groups",
        "09b_kaji2011_frozen_components",
    ]
    assert [*notebooks(target)] == names and [*inventory(target)] == []
    for name, path in notebooks(target).items():
        code = canonical.code_cells(canonical.read(path))
        assert all(cell.execution_count is None and not cell.outputs for cell in code)
        assert {re.sub(r"\d+", "", problem) for problem in canonical.lint(path)} == {
            "code cell  was not executed"
        }, name
        text = "\n".join(cell.source for cell in cells(path))
        assert {*re.findall(r"\]\((\w+)\.ipynb", text)} <= {*names}
    figures = {
        entry["figure"].split("-")[0]
        for entry in manifest.read_manifest(target / "figures")
    }
    assert (
        figures == {"sato2000", "kaji2011"}
        and (target / "figures/data/sato2000-comparison.json").exists()
    )
    for asked, words in (
        (["solutions/05"], "not handed out"),
        (["evidence/05"], "not handed out"),
        (["94"], "not handed out"),
        (["77"], "no notebook is called 77"),
    ):
        with pytest.raises(UsageError, match=words):
            handout(tmp_path / "other", asked)
    assert not (tmp_path / "other").exists()


def test_what_is_taken_away():
    links = "[a](06_y.ipynb), [b](05_x.ipynb), [c](https://x.org) and [d](#e)"
    new = nbformat.v4.new_markdown_cell
    cells = [
        new(links),
        new("[Solutions](s.ipynb)", metadata={"tags": ["solutions"]}),
        new("Go on."),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    left = for_students(notebook, lambda target: target == "05_x.ipynb").cells
    plain = "a, [b](05_x.ipynb), [c](https://x.org) and [d](#e)"
    assert [cell.source for cell in left] == [plain, "Go on."]


def test_a_failure_leaves_nothing(tmp_path, monkeypatch):
    write_notebook(tmp_path / "workbook" / "notebooks" / "01_a.ipynb", "1 + 1")
    before = snapshot(tmp_path)

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("vbkit.press.handout._figures", fail)
    with pytest.raises(KeyboardInterrupt):
        handout(tmp_path / "copy", root=tmp_path / "workbook")
    assert snapshot(tmp_path) == before and [
        path.name for path in tmp_path.iterdir()
    ] == ["workbook"]
