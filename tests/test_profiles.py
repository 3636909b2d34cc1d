"""Every notebook also runs in its quick profile, and with other parameters, into another place."""

import pytest

from vbkit.workbook.reproduce import reproduce

pytestmark = pytest.mark.quick


def test_quick(tmp_path):
    assert reproduce(profile="quick", to=tmp_path / "quick", workers=1) == 0
    assert (tmp_path / "quick/manifest.json").exists()


def test_another_seed_and_schedule(tmp_path):
    """What a lecturer does: README, "Teach with it"."""
    values = [("profile", "quick"), ("seed", "7"), ("tau0", "300")]
    assert reproduce(["05"], values=values, to=tmp_path / "variant") == 0
    assert (tmp_path / "variant/sato2000-fig2.png").exists()
