"""The notebooks show the same numbers and pictures on a lesser processor, and with two threads.

(.ci/run gives nbval two threads where it runs the evidence, so that need not be done twice.)"""

import numpy as np
import pytest
from conftest import rerun

from vbkit.workbook import ROOT, THREADS
from vbkit.workbook.select import kind, notebooks

NOTEBOOKS = [name for name in notebooks(ROOT) if kind(name) != "solutions"]


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


def rerun_with(variables: dict[str, str], name, tmp_path, monkeypatch):
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)  # the kernel inherits them
    assert rerun(name, tmp_path) == []


@pytest.mark.processor
@pytest.mark.parametrize("name", NOTEBOOKS)
class TestLesserProcessor:  # a class each, so that two workers share them
    def test_every_cell_shows_what_is_stored(self, name, tmp_path, monkeypatch):
        rerun_with(lesser_processor(), name, tmp_path, monkeypatch)


@pytest.mark.processor
@pytest.mark.parametrize("name", [name for name in NOTEBOOKS if kind(name) != "evidence"])
class TestTwoThreads:
    def test_every_cell_shows_what_is_stored(self, name, tmp_path, monkeypatch):
        rerun_with(dict.fromkeys(THREADS, "2"), name, tmp_path, monkeypatch)
