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
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import numpy as np
from packaging.requirements import Requirement

from vbkit.press import ROOT, THREADS
from vbkit.press.check_notebooks import differences
from vbkit.press.reproduce import plan
from vbkit.press.run import Job, run
from vbkit.press.selection import choose, kind

VERSIONS = ["pinned", "oldest", "newest"]
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
    present = [
        name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)
    ]
    return [" ".join(present[first:]) for first in reversed(range(len(present)))]


def lesser_processor() -> dict[str, str]:
    """Environment variables that take vector instructions from numpy, BLAS and numba."""
    least = dict.fromkeys(
        ["NPY_DISABLE_CPU_FEATURES"] * bool(numpy_steps()), numpy_steps()[-1]
    )
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
    tried = subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True
    )
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
        each = [
            f"{what}: {problem}" for what, problems in compared for problem in problems
        ]
        found[job.name] = [error] if error else each

    make = {"figures": root / "figures", "recheck": recheck}
    jobs = [
        plan(name, path, scratch / name, **make)
        for name, path in choose(root, names).items()
    ]
    with environment(variables):
        run(jobs, workers, timeout, finish)
    return found


def report(
    names: Iterable[str], only: list[str], recheck: int, workers: int, pinned: bool
) -> int:
    """Try the processors and print a table; returns how many notebooks differ on some."""
    chosen = [name for name in choose(ROOT, names) if kind(name) != "solutions"]
    rows, lines, seen = {}, [], {}
    for name, variables in processors().items():
        if only and not any(word.lower() in name.lower() for word in only):
            continue
        kernels = blas(variables)
        rest = {
            key: value for key, value in variables.items() if key != "OPENBLAS_CORETYPE"
        }
        same = seen.setdefault((kernels, *sorted(rest.items())), name)
        if kernels is None or same != name:
            rows[name] = "cannot run here" if kernels is None else f"the same as {same}"
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="vbkit-processors-") as scratch:
            found = differing(
                chosen, variables, Path(scratch), workers=workers, recheck=recheck
            )
        identical = sum(not problems for problems in found.values())
        if not pinned:
            found = {
                notebook: [*filter(decides, each)] for notebook, each in found.items()
            }
        bad = {notebook: problems for notebook, problems in found.items() if problems}
        words = ", ".join(
            f"{each.split('_')[0]} ({len(bad[each])})" for each in sorted(bad)
        )
        rows[name] = (
            f"{len(found) - len(bad)} of {len(found)} same; {words or 'nothing differs'}"
        )
        rows[name] += "" if pinned else f"; in {identical} all text and pictures too"
        rows[name] += f"; {time.monotonic() - began:.0f} s"
        lines += [
            f"{name}: {notebook}: {each}" for notebook in bad for each in bad[notebook]
        ]
        print(f"{name}: {rows[name]}", file=sys.stderr, flush=True)
    head = f"Python {platform.python_version()}, numpy {np.__version__}, {len(chosen)} notebooks"
    print("\n".join([*lines, "", f"{head}, recheck {recheck}", ""]))
    in_columns(rows)
    return len(lines)


def decides(problem: str) -> bool:
    """Whether it concerns an array, a verdict or a failed run, rather than text or a picture."""
    what, _, words = problem.partition(": ")
    shown = (
        what.startswith("notebook ")
        or what.endswith(".md")
        or words.startswith("the picture")
    )
    return not shown


def in_columns(rows: dict[str, str]) -> None:
    width = max(map(len, rows)) + 2
    for name, words in rows.items():
        print(f"{name:{width}}{words}")


def requirements(versions: str) -> list[str]:
    """Lines for pip: the pinned packages, the newest of each, or the oldest that pyproject.toml
    names a bound for (of the others, what goes with these, no newer than pinned)."""
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line[:1].isalpha()]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = chain.from_iterable(project["optional-dependencies"].values())
    needs = [Requirement(each) for each in (*project["dependencies"], *optional)]
    least = {
        need.name: str(need.specifier).replace(">=", "==")
        for need in needs
        if need.specifier
    }
    for pin in pins:
        if versions == "newest":
            pin.specifier = type(pin.specifier)("")
        elif versions == "oldest":
            older = str(pin.specifier).replace("==", "<=")
            pin.specifier = type(pin.specifier)(least.get(pin.name, older))
    return [*map(str, pins), "-e ."]


def elsewhere(python: str, versions: str, arguments: list[str]) -> int:
    """Do the same with another Python, or other versions, in an environment of its own."""
    with tempfile.TemporaryDirectory(prefix="vbkit-python-") as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        own, listed = (
            str(Path(folder, "bin", "python")),
            Path(folder, "requirements.txt"),
        )
        listed.write_text("\n".join(requirements(versions)))
        subprocess.run(
            [own, "-m", "pip", "install", "-q", "-r", listed], check=True, cwd=ROOT
        )
        command = [own, "-m", "tests.processors", "--installed", versions, *arguments]
        return subprocess.run(command, cwd=ROOT).returncode


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
    option(
        "--python",
        metavar="PATH",
        help="another Python; the packages are installed for it",
    )
    words = (
        "of packages: those pinned (default), "
        "or the oldest or newest that pyproject.toml allows"
    )
    option("--versions", choices=VERSIONS, help=words)
    option(
        "--installed",
        choices=VERSIONS,
        default="pinned",
        help="which versions are in place",
    )
    given = parser.parse_args()
    if given.list:
        each = processors().items()
        in_columns(
            {
                name: " ".join(f"{k}={v!r}" for k, v in variables.items())
                for name, variables in each
            }
        )
        return 0
    if given.python or given.versions:
        python = shutil.which(given.python or sys.executable) or given.python
        left = [f"--recheck={given.recheck}", f"--jobs={given.jobs}"]
        left += ["--only", *given.only] * bool(given.only)
        left += ["--processors", *given.processors] * bool(given.processors)
        return elsewhere(python, given.versions or "pinned", left)
    pinned = given.installed == "pinned"
    return (
        1
        if report(given.only, given.processors, given.recheck, given.jobs, pinned)
        else 0
    )


if __name__ == "__main__":
    sys.exit(main())
