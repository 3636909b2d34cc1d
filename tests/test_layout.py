"""Rooms import only what lies below them; files, functions and lines are short."""

import ast
import io
import tokenize
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from vbkit.workbook import ROOT

ENGINE = {
    "checks",
    "compiled",
    "families",
    "binary",
    "observations",
    "latent",
    "mixture",
}
ENGINE |= {"learning", "structure"}
BELOW = {  # what each room may import
    "checks": set(),
    "compiled": {"checks"},
    "families": {"checks", "compiled"},
    "binary": {"checks", "families"},
    "observations": {"checks", "compiled", "families"},
    "latent": {"checks", "compiled", "families", "observations"},
    "mixture": {"checks", "compiled", "families", "observations", "latent"},
    "learning": ENGINE - {"learning", "structure"},
    "structure": ENGINE - {"structure"},
    "theory": ENGINE,
    "factorization": {"checks", "compiled"},
    "estimators": ENGINE | {"factorization"},
    "data": {"checks", "binary"},
    "plots": {"checks"},
    "widgets": {"checks", "plots"},
    "server": set(),
    "ledger": set(),
    "workbook": {"ledger", "plots"},
    "tables": {"checks", "estimators", "factorization", "plots", "workbook"},
    "chapters": ENGINE
    | {"theory", "factorization", "data", "plots", "widgets", "workbook"},
    "__main__": {"ledger", "workbook", "chapters", "tables"},
}
FILES = sorted((ROOT / "vbkit").rglob("*.py"))
NUMERICS = {"numpy", "scipy", "numba", "matplotlib", "sklearn"}
MAX_COLUMNS, MAX_LINES, MAX_FUNCTION = 100, 170, 50


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


def test_workbook_and_ledger_know_no_numerics_but_arrays_and_intervals():
    found = set()
    for module, path in MODULES.items():
        if room(module) in ("workbook", "ledger"):
            found |= {name for name in imported(path) if name.split(".")[0] in NUMERICS}
    assert found <= {"numpy", "scipy.stats"}


def code_lines(text: str, tree: ast.Module) -> int:
    """Lines that are neither blank nor comment nor docstring."""
    skip, kept = set(), set()
    for node in ast.walk(tree):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef
        ) and ast.get_docstring(node):
            skip |= {*range(node.body[0].lineno, node.body[0].end_lineno + 1)}
    blank = (
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
    )
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (*blank, tokenize.ENDMARKER):
            kept |= {*range(token.start[0], token.end[0] + 1)}
    return len(kept - skip)


@pytest.mark.parametrize("module", MODULES)
def test_files_and_functions_are_short(module):
    text = MODULES[module].read_text()
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    large = [f.name for f in functions if f.end_lineno - f.lineno + 1 > MAX_FUNCTION]
    assert (code_lines(text, tree) <= MAX_LINES, large) == (True, [])


def test_lines_are_short():
    """In the tests, too."""
    found = []
    for path in (*FILES, *sorted((ROOT / "tests").rglob("*.py"))):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if len(line) > MAX_COLUMNS:
                found.append(f"{path.relative_to(ROOT)}:{number}")
    assert found == []
