"""The command line, and what the files of this repository have to agree on."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from conftest import write_notebook

from vbkit.__main__ import main
from vbkit.press import ROOT, canonical


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("notebooks/**/[!.]*.ipynb")), ids=lambda path: path.stem
)
def test_the_workbooks_notebooks_are_in_order(path):
    assert ".ipynb_checkpoints" in path.parts or canonical.lint(path) == []


def test_the_command_line_answers_in_one_line(tmp_path, capsys):
    write_notebook(tmp_path / "notebooks" / "01_a.ipynb")
    asked = (
        "reproduce 7|reproduce --jobs 0|reproduce -p slope 2|reproduce --profile quick"
    )
    asked += "|claims --source x|reproduce -p profile quick|reproduce --figure a-fig1"
    asked += "|check x|lint x|what|"
    for arguments in map(str.split, asked.split("|")):
        assert main(["--root", str(tmp_path), *arguments]) == 2
        output = capsys.readouterr()
        assert re.fullmatch(r"vbkit: error: [^\n]+\n", output.err) and not output.out, (
            arguments
        )
    assert main(["--root", str(tmp_path / "nowhere"), "claims"]) == 2
    assert "name the workbook's folder: --root DIR" in capsys.readouterr().err
    assert main(["handout"]) == 2
    assert "required: DIR (see" in capsys.readouterr().err


def test_claims_are_printed_and_filtered(capsys):
    assert main(["claims", "--json", "--source", "sato2000"]) == 0
    rows = json.loads(capsys.readouterr().out)
    wanted = {
        "id",
        "source",
        "where",
        "statement",
        "verdict",
        "measured",
        "criterion",
        "notebook",
    }
    assert rows and all(
        row.keys() >= wanted and row["source"] == "sato2000" for row in rows
    )
    assert main(["claims", "--verdict", "transcription"]) == 0
    assert "transcription" in capsys.readouterr().out


def test_clean_removes_what_is_left_behind_and_nothing_else(tmp_path, capsys):
    gone = [
        "vbkit/__pycache__/a.pyc",
        "a.nbi",
        "a.nbc",
        "notebooks/.ipynb_checkpoints/x",
        ".vbkit-999999999-x/y",
    ]
    kept = [
        "figures/a.png",
        "figures/a.md",
        ".git/__pycache__/x",
        ".venv/pyvenv.cfg",
        ".venv/lib/__pycache__/x",
        ".vbkit-1-x/y",
    ]
    for name in gone + kept:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "figures" / "__pycache__").symlink_to(tmp_path / "figures")
    assert main(["--root", str(tmp_path), "clean"]) == 0
    assert "removed vbkit/__pycache__" in capsys.readouterr().out
    assert not any((tmp_path / name).exists() for name in gone)
    assert all((tmp_path / name).exists() for name in [*kept, "figures/__pycache__"])


def test_clean_says_what_it_cannot_remove(tmp_path, capsys, monkeypatch):
    (tmp_path / "notebooks" / "__pycache__").mkdir(parents=True)

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("shutil.rmtree", refuse)
    assert main(["--root", str(tmp_path), "clean"]) == 2
    place = tmp_path / "notebooks" / "__pycache__"
    assert f"cannot remove {place}: Permission denied" in capsys.readouterr().err


def test_clean_touches_nothing_but_a_workbook(tmp_path, capsys):
    (tmp_path / "other" / "__pycache__").mkdir(parents=True)
    assert main(["--root", str(tmp_path), "clean"]) == 2
    assert (
        "is no workbook" in capsys.readouterr().err
        and (tmp_path / "other" / "__pycache__").is_dir()
    )


def requirements() -> dict[str, str]:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith(("#", "-e"))]
    return {re.split(r"[\[=]", pin)[0].replace("-", "_"): pin for pin in pins}


def needed() -> dict[str, str]:
    """What pyproject.toml asks for: name -> least version, or nothing."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {*project["dependencies"]}.union(*project["optional-dependencies"].values())
    return {
        re.split(r"[\[>]", words)[0].replace("-", "_"): words.partition(">=")[2]
        for words in asked
    }


def test_requirements_are_pinned_exactly_and_hold_what_the_package_needs():
    pins = requirements()
    assert all(re.fullmatch(r"[\w-]+(\[\w+\])?==[\d.]+", pin) for pin in pins.values())
    assert (ROOT / "requirements.txt").read_text().splitlines()[-1] == "-e ."
    for name, bound in needed().items():
        pin, bound = (
            [int(part) for part in text.split(".") if part]
            for text in (pins[name].split("==")[1], bound)
        )
        assert pin >= bound, name


def imported(folder: str) -> set[str]:
    """The distributions that the Python files of a folder import."""
    nodes = [
        node
        for path in ROOT.glob(f"{folder}/**/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
    ]
    names = [
        alias.name
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    names += [
        node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and not node.level
    ]
    provided = packages_distributions()
    return {dist for name in names for dist in provided.get(name.split(".")[0], ())} - {
        "vbkit"
    }


def test_all_that_is_imported_is_declared():
    found, tested = (
        {name.lower().replace("-", "_") for name in imported(folder)}
        for folder in ("vbkit", "tests")
    )
    assert (
        found - {"nbval"} <= needed().keys()
    )  # nbval is there where the plugin for it is
    assert found | tested <= requirements().keys()


def test_environment_names_python_and_defers_to_the_requirements():
    lines = [
        line.strip() for line in (ROOT / "environment.yml").read_text().splitlines()
    ]
    assert "- -r requirements.txt" in lines
    (python,) = [line.split("=")[1] for line in lines if line.startswith("- python=")]
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "requires-python"
    ]
    assert requires == f">={python}"
    assert [line for line in lines if "=" in line] == [f"- python={python}"]


def test_continuous_integration_runs_the_readmes_tests():
    script = Path(ROOT / ".ci" / "run")
    assert script.stat().st_mode & 0o111
    *before, last = script.read_text().splitlines()
    run = [re.search(r'pytest -m "?([a-z ]+)', line) for line in before]
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"][
        "ini_options"
    ]
    left_out = re.search(r'-m "not \((.*)\)"', groups["addopts"])[1]
    asked = " or ".join(found[1].strip() for found in run if found)
    assert (
        f"evidence or {asked}" == left_out
    )  # evidence runs whole, among the processor tests
    assert last == "python -m pytest"
    readme = (ROOT / "README.md").read_text()
    assert f"pip install -r requirements.txt && {last}\n" in readme


WITHOUT = """
import importlib.util, sys

find_spec, missing = importlib.util.find_spec, {missing}
importlib.util.find_spec = lambda name: None if name in missing else find_spec(name)

class Slim:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.split(".")[0])

sys.meta_path.insert(0, Slim())
"""


def without(missing: set, code: str):
    """Run Python code where some distributions are not installed."""
    code = WITHOUT.format(missing=missing) + code
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT
    )


def test_the_engine_needs_no_extra_and_what_does_names_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extra = {"sklearn", "PIL", "pandas", "dask", "distributed", "IPython", "pytest"}
    for words in project["optional-dependencies"]["workbook"]:
        extra.add(re.split(r"[\[>]", words)[0].replace("-", "_"))
    rooms = "families mixture learning structure theory factorization data".split()
    imports = [f"import vbkit.{room}" for room in [*rooms, "press.ledger"]]
    code = "\n".join([*imports, "from vbkit import Mixture, fit_batch, run_search"])
    done = without(extra, code)
    assert done.returncode == 0, done.stderr
    for code, module in {
        "from vbkit.own_data import VariationalMixture": "sklearn",
        "import vbkit.plots": "matplotlib",
        "import vbkit.course": "ipywidgets",
    }.items():
        last = without(extra, code).stderr.splitlines()[-1]
        name = "sklearn" if module == "sklearn" else "workbook"
        assert re.search(rf"needs {module}: pip install 'vbkit\[{name}\]'$", last), last
    command = "from vbkit.__main__ import main\nsys.exit(main(['lint']))"
    done = without(extra, command)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done.stderr
    assert "vbkit[workbook]" in done.stderr


@pytest.mark.parametrize(
    "content", ["", "[1]", "null", '{"id": 1}', '[{"id": "a"}]', "[" * 10**5]
)
def test_a_damaged_ledger_is_named(content, tmp_path, capsys):
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "ledger.json").write_text(content)
    assert main(["--root", str(tmp_path), "claims"]) == 2
    assert "ledger.json is damaged" in capsys.readouterr().err
