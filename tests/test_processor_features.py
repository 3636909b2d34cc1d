"""The notebooks show the same numbers and pictures on a lesser processor, and with two threads."""

import numpy as np
import pytest

from vbkit.workbook import ROOT, THREADS
from vbkit.workbook.check import rerun
from vbkit.workbook.select import notebooks

NOTEBOOKS = [name for name in notebooks(ROOT) if "/" not in name]


def lesser_processor() -> dict[str, str]:
    """Environment variables that take vector instructions from numpy, BLAS and numba."""
    core = np._core._multiarray_umath
    present = [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(present),
        "OPENBLAS_CORETYPE": "Nehalem",
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
    }


CONDITIONS = {"lesser-processor": lesser_processor(), "two-threads": dict.fromkeys(THREADS, "2")}


@pytest.mark.processor
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_cell_shows_what_is_stored(name, condition, tmp_path, monkeypatch):
    for variable, value in CONDITIONS[condition].items():
        monkeypatch.setenv(variable, value)  # the kernel inherits them
    assert rerun(name, tmp_path) == []
