"""python -m tests.processors: run notebooks as on other processors, and compare.

OpenBLAS is told to take the kernels of other processors, numpy to do without its faster
instructions, one set after the other, numba to compile for any processor; and libraries
get two threads. Each figure's arrays and picture, each page, verdict and cell must be
as stored, and two results of each stored study as computed anew. What this machine
cannot run is left out, and so is what would be the same again; the table says so.
Kernels compiled for another processor take a minute the first time.
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
    """Sets of instructions that numpy would use here, to forbid.

    First the newest alone, then more and more.
    """
    core = np._core._multiarray_umath
    present = [
        name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)
    ]
    return [" ".join(present[first:]) for first in reversed(range(len(present)))]


def lesser_processor() -> dict[str, str]:
    """Environment variables that forbid vector instructions."""
    variables = {"OPENBLAS_CORETYPE": "Nehalem"} | GENERIC
    steps = numpy_steps()
    if steps:
        variables["NPY_DISABLE_CPU_FEATURES"] = steps[-1]
    return variables


def processors() -> dict[str, dict[str, str]]:
    """Environment variables that emulate processors, by name."""
    emulated = {"this one": {}}
    for core in CORES:
        emulated[f"BLAS {core}"] = {"OPENBLAS_CORETYPE": core}
    for step in numpy_steps():
        emulated[f"numpy without {step}"] = {"NPY_DISABLE_CPU_FEATURES": step}
    emulated["numba generic"] = GENERIC
    emulated["all of these"] = lesser_processor()
    emulated["two threads"] = dict.fromkeys(THREADS, "2")
    return emulated


def blas(variables: dict[str, str]) -> str | None:
    """The BLAS kernels that are taken with these variables.

    None where this machine has not what they need.
    """
    probe = subprocess.run(
        [sys.executable, "-c", PROBE],
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
    return None if probe.returncode else probe.stdout.strip()


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
    workers: int = 1,
    timeout: float = 900,
    recheck: int = 0,
    root: Path = ROOT,
) -> dict[str, list[str]]:
    """What notebooks show or make otherwise than stored, by their names.

    names: as `choose` takes them. variables: environment variables for the kernels.
    scratch: a new folder. recheck: the seed that chooses which results of stored
    studies are computed anew.
    """
    problems = {}

    def finish(job: Job, error: str | None, seconds: float) -> None:
        problems[job.name] = [error] if error else []
        if not error:
            for subject, own in differences(job):
                problems[job.name] += [f"{subject}: {problem}" for problem in own]

    jobs = [
        plan(name, path, scratch / name, root / "figures", recheck=recheck)
        for name, path in choose(root, names).items()
    ]
    with environment(variables):
        run(jobs, workers, timeout, finish)
    return problems


def decides(problem: str) -> bool:
    """Whether it is about an array, a verdict or a failed run, not how it looks."""
    subject, _, problem = problem.partition(": ")
    shown = subject.startswith("notebook ") or subject.endswith(".md")
    return not shown and not problem.startswith("the picture")


def report(
    names: Iterable[str], only: list[str], recheck: int, workers: int, pinned: bool
) -> int:
    """Try the processors and print a table; returns how many problems there are.

    names: as `choose` takes them. only: words of the processors' names; all if empty.
    pinned: whether the packages are those pinned; with others, text and pictures may
    differ.
    """
    chosen = [name for name in choose(ROOT, names) if kind(name) != "solutions"]
    rows = {}
    problems = []
    tried = {}  # what a processor takes: its name
    for name, variables in processors().items():
        if only and not any(word.lower() in name.lower() for word in only):
            continue
        kernels = blas(variables)
        if kernels is None:
            rows[name] = "cannot run here"
            continue
        rest = [pair for pair in variables.items() if pair[0] != "OPENBLAS_CORETYPE"]
        same = tried.setdefault((kernels, *sorted(rest)), name)
        if same != name:
            rows[name] = f"the same as {same}"
            continue
        row, own = _try(chosen, variables, recheck, workers, pinned)
        rows[name] = row
        problems += [f"{name}: {problem}" for problem in own]
        print(f"{name}: {row}", file=sys.stderr, flush=True)
    for problem in problems:
        print(problem)
    print(
        f"\nPython {platform.python_version()}, numpy {np.__version__}, "
        f"{len(chosen)} notebooks, recheck {recheck}\n"
    )
    in_columns(rows)
    return len(problems)


def _try(
    chosen: list[str],
    variables: dict[str, str],
    recheck: int,
    workers: int,
    pinned: bool,
) -> tuple[str, list[str]]:
    """Try one processor; returns its row of the table, and the problems."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="vbkit-processors-") as scratch:
        found = differing(
            chosen, variables, Path(scratch), workers=workers, recheck=recheck
        )
    identical = sum(not problems for problems in found.values())
    if not pinned:
        found = {
            notebook: [problem for problem in problems if decides(problem)]
            for notebook, problems in found.items()
        }
    bad = {notebook: problems for notebook, problems in found.items() if problems}
    counts = [f"{each.split('_')[0]} ({len(bad[each])})" for each in sorted(bad)]
    row = f"{len(found) - len(bad)} of {len(found)} same"
    row += f"; {', '.join(counts) or 'nothing differs'}"
    if not pinned:
        row += f"; in {identical} all text and pictures too"
    row += f"; {time.monotonic() - began:.0f} s"
    lines = [f"{notebook}: {each}" for notebook in bad for each in bad[notebook]]
    return row, lines


def in_columns(rows: dict[str, str]) -> None:
    """Print names and texts in two columns."""
    width = max(map(len, rows)) + 2
    for name, text in rows.items():
        print(f"{name:{width}}{text}")


def requirements(versions: str) -> list[str]:
    """Lines for pip: the packages pinned, the newest of each, or the oldest.

    The oldest are those that pyproject.toml names a bound for; of the others, what goes
    with these, no newer than pinned.
    """
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
    """Do the same with another Python, or other versions."""
    with tempfile.TemporaryDirectory(prefix="vbkit-python-") as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        own = str(Path(folder, "bin", "python"))
        listing = Path(folder, "requirements.txt")
        listing.write_text("\n".join(requirements(versions)))
        install = [own, "-m", "pip", "install", "-q", "-r", listing]
        subprocess.run(install, check=True, cwd=ROOT)
        command = [own, "-m", "tests.processors", "--installed", versions, *arguments]
        return subprocess.run(command, cwd=ROOT).returncode


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NOTEBOOK",
        help="as `vbkit check` takes them (default: all but solutions)",
    )
    options.add_argument(
        "--processors",
        nargs="+",
        default=[],
        metavar="WORD",
        help="those whose names hold one of these words (default: all)",
    )
    options.add_argument(
        "--recheck", type=int, default=0, help="seed that chooses the studies' jobs"
    )
    options.add_argument("--jobs", type=int, default=1, help="notebooks at a time")
    options.add_argument(
        "--list", action="store_true", help="name the processors and run nothing"
    )
    options.add_argument(
        "--python",
        metavar="PATH",
        help="another Python; the packages are installed for it",
    )
    options.add_argument(
        "--versions",
        choices=VERSIONS,
        help="of packages: those pinned (default), "
        "or the oldest or newest that pyproject.toml allows",
    )
    options.add_argument(
        "--installed",
        choices=VERSIONS,
        default="pinned",
        help="which versions are in place",
    )
    return options


def main() -> int:
    """Do what the command line asks for; 1 if something differs."""
    options = parser().parse_args()
    if options.list:
        rows = {}
        for name, variables in processors().items():
            pairs = [f"{key}={value!r}" for key, value in variables.items()]
            rows[name] = " ".join(pairs)
        in_columns(rows)
        return 0
    if options.python or options.versions:
        python = shutil.which(options.python or sys.executable) or options.python
        arguments = [f"--recheck={options.recheck}", f"--jobs={options.jobs}"]
        if options.only:
            arguments += ["--only", *options.only]
        if options.processors:
            arguments += ["--processors", *options.processors]
        return elsewhere(python, options.versions or "pinned", arguments)
    count = report(
        options.only,
        options.processors,
        options.recheck,
        options.jobs,
        options.installed == "pinned",
    )
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
