"""Every notebook, run once: each cell shows the words and pictures that are stored."""

import pytest

from vbkit.workbook import ROOT
from vbkit.workbook.check import rerun
from vbkit.workbook.select import notebooks


@pytest.mark.notebook
@pytest.mark.parametrize("name", notebooks(ROOT))
def test_every_cell_shows_what_is_stored(name, tmp_path):
    assert rerun(name, tmp_path) == []
