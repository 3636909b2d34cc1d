"""python -m tests.processors: run notebooks as on other processors, and compare, in one table.

OpenBLAS is told to take the kernels of other processors, numpy to do without its faster
instructions, one set after the other, numba to compile for any processor; and libraries get two
threads. Each figure's arrays and picture, each page, verdict and cell must be as stored, and two
results of each stored study as computed anew. What this machine cannot run is left out, and so is
what would be the same again; the table says so. Kernels compiled for another processor take a
minute the first time.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from vbkit.workbook import ROOT, THREADS
from vbkit.workbook.check import differences
from vbkit.workbook.reproduce import plan
from vbkit.workbook.run import Job, run
from vbkit.workbook.select import choose, kind

CORES = "Nehalem Sandybridge Haswell Zen SkylakeX".split()
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
PROBE = """
import numpy, scipy.linalg, threadpoolctl
x = numpy.ones((99, 99))
x @ x
scipy.linalg.cholesky(x + numpy.eye(99))
print([p["architecture"] for p in threadpoolctl.threadpool_info() if p["user_api"] == "blas"])
"""


def numpy_steps() -> list[str]:
    """Sets of instructions that numpy would use here, to forbid: the newest, then more and more."""
    core = np._core._multiarray_umath
    present = [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]
    return [" ".join(present[first:]) for first in reversed(range(len(present)))]


def lesser_processor() -> dict[str, str]:
    """Environment variables that take vector instructions from numpy, BLAS and numba."""
    least = dict.fromkeys(["NPY_DISABLE_CPU_FEATURES"] * bool(numpy_steps()), numpy_steps()[-1])
    return least | {"OPENBLAS_CORETYPE": "Nehalem"} | GENERIC


def processors() -> dict[str, dict[str, str]]:
    """Environment variables that emulate processors, by name."""
    found = {"this one": {}}
    found |= {f"BLAS {core}": {"OPENBLAS_CORETYPE": core} for core in CORES}
    for step in numpy_steps():
        found[f"numpy without {step}"] = {"NPY_DISABLE_CPU_FEATURES": step}
    found |= {"numba generic": GENERIC, "all of these": lesser_processor()}
    return found | {"two threads": dict.fromkeys(THREADS, "2")}


def blas(variables: dict[str, str]) -> str | None:
    """The BLAS kernels that are taken with these variables; None where this machine has not what
    they need."""
    command = [sys.executable, "-c", PROBE]
    tried = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True)
    return None if tried.returncode else tried.stdout.strip()


@contextmanager
def environment(variables: dict[str, str]) -> Iterator[None]:
    """These variables for kernels that start in the block."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def differing(
    names: Iterable[str],
    variables: dict[str, str],
    scratch: Path,
    *,
    workers=1,
    timeout=900,
    recheck=0,
    root=ROOT,
) -> dict[str, list[str]]:
    """What notebooks show or make otherwise than stored, by their names, where kernels are given
    some environment variables.

    names: as `choose` takes them. scratch: a new folder. recheck: the seed that chooses which
    results of stored studies are computed anew."""
    found = {}

    def finish(job: Job, error: str | None, _) -> None:
        compared = [] if error else differences(job)
        each = [f"{what}: {problem}" for what, problems in compared for problem in problems]
        found[job.name] = [error] if error else each

    make = {"figures": root / "figures", "recheck": recheck}
    jobs = [plan(name, path, scratch / name, **make) for name, path in choose(root, names).items()]
    with environment(variables):
        run(jobs, workers, timeout, finish)
    return found


def report(names: Iterable[str], only: list[str], recheck: int, workers: int) -> int:
    """Try the processors and print a table; returns how many notebooks differ on some."""
    chosen = [name for name in choose(ROOT, names) if kind(name) != "solutions"]
    rows, lines, seen = {}, [], {}
    for name, variables in processors().items():
        if only and not any(word.lower() in name.lower() for word in only):
            continue
        kernels = blas(variables)
        rest = {key: value for key, value in variables.items() if key != "OPENBLAS_CORETYPE"}
        same = seen.setdefault((kernels, *sorted(rest.items())), name)
        if kernels is None or same != name:
            rows[name] = "cannot run here" if kernels is None else f"the same as {same}"
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="vbkit-processors-") as scratch:
            found = differing(chosen, variables, Path(scratch), workers=workers, recheck=recheck)
        bad = {notebook: problems for notebook, problems in found.items() if problems}
        words = ", ".join(f"{each.split('_')[0]} ({len(bad[each])})" for each in sorted(bad))
        rows[name] = f"{len(found) - len(bad)} of {len(found)} same; {words or 'nothing differs'}"
        rows[name] += f"; {time.monotonic() - began:.0f} s"
        lines += [f"{name}: {notebook}: {each}" for notebook in bad for each in bad[notebook]]
        print(f"{name}: {rows[name]}", file=sys.stderr, flush=True)
    head = f"Python {platform.python_version()}, numpy {np.__version__}, {len(chosen)} notebooks"
    print("\n".join([*lines, "", f"{head}, recheck {recheck}", ""]))
    in_columns(rows)
    return len(lines)


def in_columns(rows: dict[str, str]) -> None:
    width = max(map(len, rows)) + 2
    for name, words in rows.items():
        print(f"{name:{width}}{words}")


def elsewhere(python: str, arguments: list[str]) -> int:
    """Do the same with another Python, in an environment of its own with the pinned packages."""
    with tempfile.TemporaryDirectory(prefix="vbkit-python-") as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        own = str(Path(folder, "bin", "python"))
        pins = str(ROOT / "requirements.txt")
        subprocess.run([own, "-m", "pip", "install", "-q", "-r", pins], check=True, cwd=ROOT)
        return subprocess.run([own, "-m", "tests.processors", *arguments], cwd=ROOT).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    option = parser.add_argument
    words = "as `vbkit check` takes them (default: all but solutions)"
    option("--only", nargs="+", default=[], metavar="NOTEBOOK", help=words)
    words = "those whose names hold one of these words (default: all)"
    option("--processors", nargs="+", default=[], metavar="WORD", help=words)
    option("--recheck", type=int, default=0, help="seed that chooses the studies' jobs")
    option("--jobs", type=int, default=1, help="notebooks at a time")
    option("--list", action="store_true", help="name the processors and run nothing")
    option("--python", metavar="PATH", help="another Python; the pinned packages are installed")
    given = parser.parse_args()
    if given.list:
        each = processors().items()
        in_columns(
            {name: " ".join(f"{k}={v!r}" for k, v in variables.items()) for name, variables in each}
        )
        return 0
    if given.python:
        python = shutil.which(given.python) or given.python
        left = [f"--recheck={given.recheck}", f"--jobs={given.jobs}"]
        left += ["--only", *given.only] * bool(given.only)
        left += ["--processors", *given.processors] * bool(given.processors)
        return elsewhere(python, left)
    return 1 if report(given.only, given.processors, given.recheck, given.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
