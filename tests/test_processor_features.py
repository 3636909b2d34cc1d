"""The notebooks print the same numbers on a lesser processor, and with two threads."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


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


def two_threads() -> dict[str, str]:
    return {f"{library}_NUM_THREADS": "2" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}


def run_notebook(notebook: str, environment: dict[str, str]):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n0",
        "-q",
        "-p",
        "no:cacheprovider",
        f"notebooks/{notebook}",
    ]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout[-6000:]


class TestLesserProcessor:  # a class each, so that two workers share them
    @pytest.mark.parametrize("notebook", NOTEBOOKS)
    def test_printed_numbers(self, notebook):
        run_notebook(notebook, lesser_processor())


class TestTwoThreads:
    @pytest.mark.parametrize("notebook", NOTEBOOKS)
    def test_printed_numbers(self, notebook):
        run_notebook(notebook, two_threads())
