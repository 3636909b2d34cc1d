"""What the mutation run changes, and which tests it asks."""

import ast
import json
import tomllib
import warnings

import pytest

from tests.mutation.__main__ import EQUIVALENT, files, prune, stale
from tests.mutation.scratch import choose
from tests.mutation.sites import executed, functions, owner, sites
from vbkit.press import ROOT

SOURCE = '''
LIMIT = 3

@frozen(eq=False, slots=False)
def f(x: "a + b", axis=-1):
    """1 + 1 = 2"""
    if x < 0 and not axis:
        raise ValueError(f"{x + 1} is below {0 + 1}")
    def inner(y):
        return y + x.sum(axis=0) * 2.0
    return inner
'''


def test_every_change_is_a_program_and_a_new_one():
    found = [site.apply(SOURCE) for site in sites(SOURCE)]
    assert len(
        {ast.dump(ast.parse(text)) for text in found} - {ast.dump(ast.parse(SOURCE))}
    ) == len(set(found))
    assert all(text.count("1 + 1 = 2") == text.count('"a + b"') == 1 for text in found)
    assert not any("slots=True" in text for text in found)
    assert any("eq=True" in text for text in found)
    assert all("{x + 1} is below {0 + 1}" in text for text in found)


@pytest.mark.parametrize(
    "wanted",
    ["LIMIT = 4", "axis=1)", "x <= 0", "0 or not", "and axis", "y - x", "return y\n", "axis=1) *",
     ") / 2.0", ") * 2.2", "x.mean("],
)  # fmt: skip
def test_kinds_of_changes(wanted):
    assert any(wanted in site.apply(SOURCE) for site in sites(SOURCE))


def test_changes_of_some_lines_are_those_of_the_whole_on_these_lines():
    lines = SOURCE.splitlines()
    wanted = {"LIMIT = 3", "return inner"}
    expected = [s for s in sites(SOURCE) if lines[s.line - 1].strip() in wanted]
    assert sites(SOURCE, wanted) == expected and expected
    assert sites(SOURCE, set()) == []


def test_a_line_belongs_to_the_innermost_function():
    known = functions(SOURCE)
    assert [owner(known, line) for line in (2, 5, 7, 10, 11)] == [
        "",
        "f",
        "f",
        "f.inner",
        "f",
    ]
    assert executed(SOURCE, [2, 5, 7, 9]) == ["f"] and executed(SOURCE, [10]) == [
        "f.inner"
    ]


def test_tests_are_those_that_run_the_function_the_namesake_first():
    known = {
        "test_a.py": {"seconds": 1, "runs": {"vbkit/x.py": ["f"]}},
        "test_x.py": {"seconds": 9, "runs": {"vbkit/x.py": ["f", "g"]}},
        "test_b.py": {"seconds": 2, "runs": {"vbkit/y.py": ["h"]}},
    }
    assert choose("vbkit/x.py", "f", known) == ["test_x.py", "test_a.py"]
    assert choose("vbkit/x.py", "g", known) == ["test_x.py"]
    assert choose("vbkit/x.py", "f.compiled", known) == ["test_x.py", "test_a.py"]
    assert choose("vbkit/x.py", "", known) == ["test_x.py", "test_a.py"]


def test_what_is_marked_equivalent_has_a_reason_and_what_is_stale_is_told():
    listed = tomllib.loads(EQUIVALENT.read_text())["mutant"]
    assert all(entry["reason"] for entry in listed)
    n_stale = len(stale(listed))
    if n_stale:
        warnings.warn(
            f"{n_stale} of {len(listed)} entries of equivalent.toml no longer fit a "
            "source: python -m tests.mutation prune",
            stacklevel=1,
        )


def test_prune_drops_what_is_stale_and_nothing_else(tmp_path):
    source = (ROOT / "vbkit/labels.py").read_text()
    site = sites(source)[0]
    before, after = (
        text.splitlines()[site.line - 1].strip()
        for text in (source, site.apply(source))
    )
    entry = "[[mutant]]\nfile = {}\nbefore = {}\nafter = {}\nreason = 'none'\n\n"
    kept = entry.format(*map(json.dumps, ("vbkit/labels.py", before, after)))
    gone = entry.format(*map(json.dumps, ("vbkit/labels.py", "x = 1", "x = 2")))
    lost = entry.format(*map(json.dumps, ("vbkit/no_such_file.py", before, after)))
    path = tmp_path / "equivalent.toml"
    path.write_text("# why\n\n" + gone + kept + lost)
    assert prune(path) == 2
    assert path.read_text() == "# why\n\n" + kept


def test_the_engine_s_rooms_are_there():
    assert {"vbkit/mixture.py", "vbkit/press/ledger/rules.py"} < {
        *files(["mixture.py", "press/ledger"])
    }
    assert all(name.endswith(".ipynb") for name in files(["notebooks"]))
