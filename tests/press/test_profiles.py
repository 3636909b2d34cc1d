"""Notebooks also run in their quick profile, and with other parameters, into another place."""

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


QUICK = [name for name, path in notebooks(ROOT).items() if has_profile(path)]


@pytest.mark.parametrize("name", QUICK)
class TestQuick:  # a class each, so that two workers share them
    def test_it_runs_through(self, name, tmp_path):
        assert reproduce([name], profile="quick", to=tmp_path / "quick", workers=1) == 0
        assert (tmp_path / "quick/manifest.json").exists()


class TestVariant:
    def test_another_seed_and_schedule(self, tmp_path):
        """What a lecturer does: README, "Teach with it"."""
        values = [("profile", "quick"), ("seed", "7"), ("tau0", "300")]
        assert reproduce(["05"], values=values, to=tmp_path / "variant", workers=1) == 0
        assert (tmp_path / "variant/sato2000-fig2.png").exists()
