"""A copy of the workbook to break, and which of its test files run which of its lines."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from coverage import CoverageData

from tests.mutation.sites import executed
from vbkit.press import ROOT

QUICK = ["-m", "not slow and not notebook"]
FIRST = 5  # test files that a mutant meets together, before all others


def prepare(folder: Path) -> Path:
    """Copy what git knows into the folder, as it is now; what is unchanged keeps its caches."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(
        listed, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for name in names.splitlines():
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_file() and not (target.is_file() and same(source, target)):
            shutil.copy2(source, target)
    for target in [*folder.glob("tests/**/*.py"), *folder.glob("vbkit/**/*.py")]:
        if not (ROOT / target.relative_to(folder)).is_file():
            target.unlink()
    return folder


def same(a: Path, b: Path) -> bool:
    return a.read_bytes() == b.read_bytes()


def run(folder: Path, command: list[str], limit: float) -> int | None:
    """A command's exit code; None if it took longer than `limit` seconds and was ended."""
    settings = {
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def pytest(*arguments: str) -> list[str]:
    return ["pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *arguments]


def coverage_map(folder: Path) -> dict[str, dict]:
    """Of each test file: its seconds, and the functions that it runs of each file of vbkit. Kept in
    the folder; only a test file that changed is measured again. One that fails, or holds no quick
    test, is left out."""
    path = folder / "coverage.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    fresh = {}
    for test in sorted((folder / "tests").rglob("test_*.py")):
        name = str(test.relative_to(folder / "tests"))
        key, entry = (
            hashlib.sha256(test.read_bytes()).hexdigest(),
            known.get(name, {}),
        )
        fresh[name] = (
            entry if entry.get("key") == key else measure(folder, test) | {"key": key}
        )
        path.write_text(json.dumps(known | fresh))
    return {name: entry for name, entry in fresh.items() if entry["runs"]}


def measure(folder: Path, test: Path) -> dict:
    data, began = folder / ".coverage", time.monotonic()
    watch = [
        "coverage",
        "run",
        f"--data-file={data}",
        f"--source={folder / 'vbkit'}",
        "-m",
    ]
    code = run(folder, [*watch, *pytest(*QUICK, str(test))], 900)
    seconds, found, runs = time.monotonic() - began, CoverageData(str(data)), {}
    if code == 0:
        found.read()
        for file in filter(
            lambda path: path.suffix == ".py", map(Path, found.measured_files())
        ):
            names = executed(file.read_text(), found.lines(str(file)))
            runs[str(file.relative_to(folder))] = names
    data.unlink(missing_ok=True)
    left_out = "" if code in (0, 5) else f", left out ({code})"
    print(f"{test.name}: {seconds:.0f} s{left_out}", flush=True)
    return {"seconds": seconds, "runs": runs}


def choose(name: str, function: str, known: dict) -> list[str]:
    """The test files that run a function; where none is seen to (compiled code, a constant), those
    that run what it was defined in, or else something of its file."""
    stem, chosen = Path(name).stem, []
    while function and not chosen:
        chosen = [
            test for test in known if function in known[test]["runs"].get(name, ())
        ]
        function = function.rpartition(".")[0]
    chosen = chosen or [test for test in known if known[test]["runs"].get(name)]
    return sorted(chosen, key=lambda test: (stem not in test, known[test]["seconds"]))


def caught(folder: Path, tests: list[str], known: dict) -> bool:
    """Whether one of the test files fails, or takes far longer than it did."""
    for some in (tests[:FIRST], tests[FIRST:]):
        limit = 120 + 3 * sum(known[test]["seconds"] for test in some)
        if some and run(
            folder, pytest(*QUICK, *(f"tests/{t}" for t in some)), limit
        ) not in (0, 5):
            return True
    return False
