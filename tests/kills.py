"""python -m tests.kills: kill a run of a small workbook at `n` random moments, in one table.

What is killed is the run itself (at any moment, or while it moves files in), a kernel or a worker
process of a kernel, with SIGKILL, SIGTERM or SIGINT; or the disk is full, or files may only grow to
some size. After each, every file must be what it was before or what the run makes of it; five
seconds after the run has ended none of its processes may be there; and an undisturbed run must then
leave what it always leaves, and nothing else. A run is `python -m vbkit reproduce` in a fork of
this process: all imports are done, so that the moments fall on the work. A trial that fails names
what repeats it: `python -m tests.kills --seed S --only I`. The moment is drawn, but how far a run
has come by then is not, so a repetition may need several calls.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from tests.conftest import CLAIM, DRAW, FIGURE, write_notebook
from vbkit.__main__ import main as vbkit
from vbkit.press import reproduce as imported  # noqa: F401 (so that no fork has to)
from vbkit.press.folder import SCRATCH

MARK, PAUSE = "VBKIT_KILLS", "VBKIT_KILLS_PAUSE"
ALIVE = 5  # seconds that a process may outlive its run
LIMIT = 120  # seconds for a run; longer, and it hangs
JOB = 8  # seconds that a worker's job takes in a run that is killed
DISK = 8_000_000  # bytes of the disk that runs full
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
KINDS = [
    (target, s) for target in ("run", "moving in", "kernel", "worker") for s in SIGNALS
]
KINDS += [("full disk", None), ("file size", None)]
WORKERS = f"""
import os
import time

import joblib

jobs = [joblib.delayed(time.sleep)(float(os.environ.get("{PAUSE}", 0))) for _ in range(2)]
_ = joblib.Parallel(2)(jobs)
""".strip()
PAGE = "from vbkit.press.publish import publish_page\npublish_page('lines', f'slope {slope}')"


class Run:
    """A run of a workbook in a process of its own."""

    def __init__(self, root: Path, log: Path, settings: dict, size: int | None = None):
        """size: files may not grow beyond so many bytes."""
        self.log, self.code = log, None
        self.pid = os.fork()
        if self.pid:
            return
        code = 3
        try:
            place = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(place, 1)
            os.dup2(place, 2)
            os.environ.update(settings)
            tempfile.tempdir = None
            if size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            code = vbkit(["--root", str(root), "reproduce"])
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(Exception):
                sys.stdout.flush()
            os._exit(code)

    def poll(self) -> int | None:
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code

    def wait(self, seconds: float, until=lambda: False, step=0.002) -> int | None:
        """Its exit code; None if it still runs after so many seconds, or until something is so."""
        deadline = time.monotonic() + seconds
        while self.poll() is None and time.monotonic() < deadline and not until():
            time.sleep(step)
        return self.code

    def kill(self, number: int = signal.SIGKILL) -> bool:
        """Whether it was there to be killed."""
        if self.poll() is None:
            os.kill(self.pid, number)
        return self.code is None

    def words(self) -> str:
        return self.log.read_text(errors="replace")


def prepare(folder: Path) -> tuple[Path, dict, dict, float]:
    """A small workbook, run and then changed: the files as they are, and as a run leaves them, and
    the seconds that this takes."""
    root = folder / "whole"
    for slope in (
        1.5,
        2.5,
    ):  # the second time one figure is new, and one is no longer made
        values = f"seed = 1\nslope = {slope}\nprofile = 'paper'"
        first = root / "notebooks" / "01_line.ipynb"
        sources = [DRAW, FIGURE.format(1), PAGE, "print(f'slope {slope:.1f}')", CLAIM]
        write_notebook(first, *sources, parameters=values)
        second = root / "notebooks" / "02_steep.ipynb"
        sources = [DRAW, WORKERS, FIGURE.format(2 if slope < 2 else 3)]
        write_notebook(second, *sources, parameters=values)
        before = files(root)
        if slope > 2:
            shutil.copytree(root, folder / "before")
        began = time.monotonic()
        run = Run(root, folder / "words.txt", {})
        if run.wait(LIMIT) != 0:
            raise SystemExit(f"a run of the small workbook fails: {run.words()}")
    return folder / "before", before, files(root), time.monotonic() - began


def files(root: Path) -> dict[str, bytes | None]:
    """What each file below a folder holds, caches left out; None for folders."""
    paths = sorted(root.rglob("*"))
    return {
        str(p.relative_to(root)): p.read_bytes() if p.is_file() else None for p in paths
    }


def damaged(found: dict, before: dict, after: dict) -> list[str]:
    """Files that are neither as before nor as after; of what two notebooks write, the entries."""
    problems = []
    for name in sorted(before.keys() | after.keys()):
        states = [before.get(name, "none"), after.get(name, "none")]
        if (now := found.get(name, "none")) in states:
            continue
        if name.endswith("manifest.json") and name in found:
            with suppress(ValueError):
                known = [entry for state in states for entry in json.loads(state)]
                if all(entry in known for entry in json.loads(now)):
                    continue
        digest = (
            now if isinstance(now, str) else hashlib.sha256(now or b"").hexdigest()[:12]
        )
        problems.append(f"{name} is neither old nor new ({digest})")
    extra = [
        name
        for name in found.keys() - before.keys() - after.keys()
        if SCRATCH not in name
    ]
    return problems + [f"{name} was left behind" for name in extra]


def belonging(mark: str) -> list[psutil.Process]:
    """The processes that carry a mark in their environment, wherever they hang by now."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if (
                process.environ().get(MARK) == mark
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                found.append(process)
    return found


def role(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        words = " ".join(process.cmdline())
        if "resource_tracker" in words or process.name() == "sh":
            return "helper"
        if "ipykernel" in words:
            return "kernel"
        return "worker" if "loky" in words else "run"
    return "gone"


def strike(
    run: Run, target: str, number: int, wait: float, place: Path, mark: str
) -> bool:
    """Send a signal to one process of the run, some time after there is such a one; whether there
    was one to send it to."""
    if target == "run":
        run.wait(wait)
        return run.kill(number)
    if target == "moving in":  # the first file that takes its place
        first = place / "notebooks" / "01_line.ipynb"
        old = first.stat().st_ino
        run.wait(LIMIT, until=lambda: first.stat().st_ino != old)
        run.wait(wait / 1000)
        return run.kill(number)
    run.wait(LIMIT, until=lambda: victims(mark, target), step=0.1)
    run.wait(wait)
    there = victims(mark, target)
    if run.poll() is not None or not there:
        return False
    with suppress(psutil.NoSuchProcess):
        random.Random(wait).choice(there).send_signal(number)
        return True
    return False


def victims(mark: str, target: str) -> list[psutil.Process]:
    return [process for process in belonging(mark) if role(process) == target]


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A disk of its own that can be filled; None where one may not mount any."""
    place = folder / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    try:
        yield place if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(place)], check=True)


def fill(place: Path, free: int) -> Path:
    """A file that leaves so many bytes of a disk free."""
    ballast = place / "ballast"
    ballast.write_bytes(bytes(max(shutil.disk_usage(place).free - free, 0)))
    return ballast


def trial(seed: int, number: int, whole: tuple, disk: Path | None) -> tuple:
    """(kind, whether it struck in time, problems) of one run that is disturbed."""
    (source, before, after, seconds), rng = whole, random.Random(f"{seed} {number}")
    target, sign = rng.choice(
        KINDS if disk else [k for k in KINDS if k[0] != "full disk"]
    )
    wait, room = (
        rng.uniform(0, {"run": 1.2 * seconds}.get(target, 2)),
        int(10 ** rng.uniform(2, 5.5)),
    )
    kind, mark = f"{target} {sign.name}" if sign else target, uuid.uuid4().hex
    place = Path(tempfile.mkdtemp(dir=disk if target == "full disk" else source.parent))
    root = Path(shutil.copytree(source, place / "workbook"))
    (place / "tmp").mkdir()
    ballast = fill(disk, room) if target == "full disk" else None
    settings = {MARK: mark, "TMPDIR": str(place / "tmp")}
    slow = {PAUSE: str(JOB)} if target in ("run", "kernel", "worker") else {}
    log = source.parent / "words.txt"
    run = Run(root, log, settings | slow, size=room if target == "file size" else None)
    struck = strike(run, target, sign, wait, root, mark) if sign else True
    problems = []
    if run.wait(LIMIT, step=0.05) is None:
        run.kill()
        run.wait(LIMIT)
        problems.append(f"the run did not end within {LIMIT} s")
    if ballast:
        ballast.unlink()
    problems += [*orphans(mark), *damaged(files(root), before, after)]
    if target in ("full disk", "file size"):
        struck = run.code != 0  # there was room enough
        if "Traceback" in run.words():
            problems.append(f"a traceback: {run.words().splitlines()[-1]}")
    problems += left_behind(Run(root, log, settings), root, after)
    shutil.rmtree(place)
    return kind, struck, problems


def orphans(mark: str) -> list[str]:
    """Processes of a run that are still there some seconds after it; they are ended."""
    deadline = time.monotonic() + ALIVE
    while (alive := belonging(mark)) and time.monotonic() < deadline:
        time.sleep(0.2)
    found = [f"a {role(process)} outlives its run" for process in alive]
    for process in alive:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    return found


def left_behind(run: Run, root: Path, after: dict) -> list[str]:
    """What another, undisturbed run leaves differently from what it should."""
    problems = []
    if run.wait(LIMIT, step=0.05) != 0:
        run.kill()
        problems.append(
            f"the next run ends with {run.code}: {run.words().splitlines()[-1:]}"
        )
    found = files(root)
    for name in sorted(found.keys() | after.keys()):
        if found.get(name, "none") != after.get(name, "none"):
            if SCRATCH not in str(Path(name).parent):
                problems.append(f"after the next run {name} is not as it should be")
    temporary = sorted((root.parent / "tmp").glob("*"))
    return problems + [
        f"left among the temporary files: {path.name}" for path in temporary
    ]


def report(n: int, seed: int, only: int | None = None, file=None) -> int:
    """Make the trials and print a table of them; returns the number of those with a problem. An
    interrupt ends the trials, and the table tells of those that were made."""
    counts, faults = {}, []
    with (
        suppress(KeyboardInterrupt),
        tempfile.TemporaryDirectory(prefix="vbkit-kills-") as folder,
    ):
        whole = prepare(Path(folder))
        with small_disk(Path(folder)) as disk:
            for number in range(n) if only is None else [only]:
                kind, struck, problems = trial(seed, number, whole, disk)
                tally = counts.setdefault(kind, Counter())
                tally.update(
                    ["trials"] + ["in time"] * struck + ["faults"] * bool(problems)
                )
                faults += [(number, kind, problem) for problem in problems]
                print(
                    f"{number + 1} done, {len(faults)} faults",
                    end="\r",
                    file=sys.stderr,
                )
    for number, kind, problem in faults:
        print(f"--seed {seed} --only {number} ({kind}): {problem}", file=file)
    print(
        f"\n{'what is disturbed':18}{'trials':>8}{'in time':>9}{'faults':>8}", file=file
    )
    total = sum(counts.values(), Counter())
    for kind, tally in [*sorted(counts.items()), ("all", total)]:
        row = f"{tally['trials']:8}{tally['in time']:9}{tally['faults']:8}"
        print(f"{kind:18}{row}", file=file)
    return total["faults"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this trial alone")
    arguments = parser.parse_args()
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # also where a shell's background ignores them
        signal.signal(number, signal.default_int_handler)
    return 1 if report(arguments.n, arguments.seed, arguments.only) else 0


if __name__ == "__main__":
    sys.exit(main())
