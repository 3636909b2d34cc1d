"""Rooms import only what lies below them; lines are short."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from vbkit.press import ROOT

ENGINE = {
    "checks",
    "compiled",
    "families",
    "observations",
    "labels",
    "mixture",
    "learning",
    "structure",
    "models",
}
BELOW = {  # what each room may import
    "checks": set(),
    "compiled": {"checks"},
    "families": {"checks", "compiled"},
    "observations": {"checks", "families"},
    "labels": {"checks", "compiled", "families", "observations"},
    "mixture": {"checks", "families", "observations", "labels"},
    "learning": ENGINE - {"learning", "structure", "models"},
    "structure": ENGINE - {"structure", "models"},
    "models": ENGINE - {"models", "structure"},
    "theory": ENGINE | {"data"},
    "phases": ENGINE | {"theory", "data"},
    "factorization": {"checks", "compiled"},
    "data": {"checks", "families", "factorization"},
    "plots": {"checks"},
    "press": {"plots"},
    "own_data": ENGINE | {"factorization", "data", "plots", "press"},
    "course": ENGINE | {"theory", "phases", "factorization", "data", "plots", "press"},
    "__main__": {"press", "course", "own_data"},
}
FILES = sorted((ROOT / "vbkit").rglob("*.py"))
NUMERICS = {"numpy", "scipy", "numba", "matplotlib", "sklearn"}
MAX_COLUMNS = 100


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(
        ".__init__"
    )


MODULES = {module_of(path): path for path in FILES}


def imported(path: Path) -> list[str]:
    """The modules that a file imports, wherever in the file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import"
            parts = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [part if part in MODULES else node.module for part in parts]
    return found


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@pytest.mark.parametrize("module", MODULES)
def test_a_room_imports_only_what_lies_below_it(module):
    known = BELOW[room(module)] | {room(module), ""} if room(module) else {""}
    used = {
        room(name)
        for name in imported(MODULES[module])
        if name.split(".")[0] == "vbkit"
    }
    assert used <= known


def test_there_is_no_cycle():
    assert [*TopologicalSorter(BELOW).static_order()]
    needs = {name: {other for other in imported(path) if other in MODULES} - {name}
             for name, path in MODULES.items()}  # fmt: skip
    for name in needs:  # a package is there before its modules are
        needs[name] -= {name.rsplit(".", 1)[0]}
    assert [*TopologicalSorter(needs).static_order()]


def test_the_press_knows_no_numerics_but_arrays_and_intervals():
    found = set()
    for module, path in MODULES.items():
        if room(module) == "press":
            found |= {name for name in imported(path) if name.split(".")[0] in NUMERICS}
    drawing = {name for name in found if name.split(".")[0] == "matplotlib"}
    assert found - drawing <= {"numpy", "scipy.stats"}
    drawn = imported(MODULES["vbkit.press.recorder"])  # it draws as SVG
    assert drawing <= set(drawn)


def test_lines_are_short():
    """In the tests, too."""
    found = []
    for path in (*FILES, *sorted((ROOT / "tests").rglob("*.py"))):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if len(line) > MAX_COLUMNS:
                found.append(f"{path.relative_to(ROOT)}:{number}")
    assert found == []


def test_the_packages_page_names_what_there_is():
    """Every file and room that vbkit/README.md names is there, and none is left out."""
    page = (ROOT / "vbkit" / "README.md").read_text()
    named = set(re.findall(r"`([a-z_]+/|(?:[a-z_/]+/)?[a-z_]+\.py)`", page))
    assert len(named) > 20
    for name in named:
        assert (ROOT / "vbkit" / name).exists() or (ROOT / name).exists(), name
    rooms = {f"{path.name}/" for path in (ROOT / "vbkit").iterdir() if path.is_dir()}
    files = {path.name for path in (ROOT / "vbkit").glob("*.py")}
    assert (rooms | files) - named - {"__pycache__/", "__init__.py"} == set()
