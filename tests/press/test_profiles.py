"""Notebooks also run in their quick profile, and with other parameters, into another place."""

import ast
import re

import pytest

from vbkit.press import ROOT, canonical
from vbkit.press.reproduce import reproduce
from vbkit.press.selection import notebooks

pytestmark = pytest.mark.quick


def has_profile(path) -> bool:
    """Whether a notebook computes anything else in another profile (most chapters do not)."""
    cells = [cell for cell in canonical.read(path).cells if cell.cell_type == "code"]
    own = [cell for cell in cells if "parameters" not in cell.metadata.get("tags", [])]
    return any(re.search(r"\bprofile\b", cell.source) for cell in own)


def test_a_variant_with_another_seed_and_schedule(tmp_path):
    """What a lecturer does: README, "Teach with it"."""
    values = [("profile", "quick"), ("seed", "7"), ("tau0", "300")]
    assert reproduce(["05"], values=values, to=tmp_path / "variant", workers=1) == 0
    assert (tmp_path / "variant/sato2000-fig2.png").exists()


# ---- a lecture holds for every value that the comment of a parameter allows ----------

ANY_SEED = re.compile(r"any whole number from 0")
RANGE = re.compile(r"from (\S+) to (\S+)")
LECTURES = [
    name
    for name in notebooks(ROOT)
    if (ROOT / f"vbkit/course/lecture_{name.split('_')[0]}.py").exists()
]


def parameters(name) -> dict[str, str]:
    """The lines of a lecture's parameters, with their comments, by parameter."""
    (cell,) = [
        cell
        for cell in canonical.read(notebooks(ROOT)[name]).cells
        if "parameters" in cell.metadata.get("tags", [])
    ]
    lines = {}
    for line in cell.source.splitlines():
        if "=" in line.partition("#")[0]:
            lines[line.partition("=")[0].strip()] = line
    return lines


def allowed(line: str) -> tuple[str, str]:
    """The lowest and the highest value of a parameter, as its comment states them."""
    comment = line.partition("#")[2]
    if ANY_SEED.search(comment):
        return "0", "987654321"
    found = RANGE.search(comment)
    assert found, f"{line!r} does not say which values are allowed"
    return found[1].rstrip(",."), found[2].rstrip(",.")


def variants(name) -> dict[str, list[tuple[str, str]]]:
    """Four variants of a lecture: two other seeds, all at the lower and the upper ends; none
    where the profile is its only parameter."""
    lines = parameters(name)
    profile = [("profile", "quick")] if lines.pop("profile", None) else []
    ends = {parameter: allowed(line) for parameter, line in lines.items()}
    if not ends:
        return {}
    chosen = {
        "lower": profile + [(key, low) for key, (low, _) in ends.items()],
        "upper": profile + [(key, high) for key, (_, high) in ends.items()],
    }
    if "seed" in ends:
        stored = ast.literal_eval(lines["seed"].partition("=")[2].strip())
        for step in (1, 2):
            values = [*profile, ("seed", str(stored + step))]
            chosen[f"seed {stored + step}"] = values
    return chosen


VARIANTS = [(name, which) for name in LECTURES for which in variants(name)]


@pytest.mark.parametrize(("name", "which"), VARIANTS)
def test_a_lecture_runs_with_all_that_its_parameters_allow(name, which, tmp_path):
    values = variants(name)[which]
    folder = tmp_path / "variant"
    assert reproduce([name], values=values, to=folder, workers=1) == 0
    (written,) = folder.rglob(f"{name}.ipynb")
    assert "This is a variant: the text describes" in written.read_text()


# ---- what has no such parameters runs in its quick profile ---------------------------

QUICK = [
    name
    for name, path in notebooks(ROOT).items()
    if has_profile(path) and not (name in LECTURES and variants(name))
]


@pytest.mark.parametrize("name", QUICK)
def test_it_runs_through_in_its_quick_profile(name, tmp_path):
    assert reproduce([name], profile="quick", to=tmp_path / "quick", workers=1) == 0
    assert (tmp_path / "quick/manifest.json").exists()
