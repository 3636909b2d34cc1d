"""python -m tests.kills: kill a run of a small workbook at `n` random moments.

What is killed is the run itself (at any moment, or while it moves files in), a kernel
or a worker process of a kernel, with SIGKILL, SIGTERM or SIGINT; or the disk is full,
or files may only grow to some size. After each, every file must be what it was before
or what the run makes of it; five seconds after the run has ended none of its processes
may be there; and an undisturbed run must then leave what it always leaves, and nothing
else. A run is `python -m vbkit reproduce` in a fork of this process: all imports are
done, so that the moments fall on the work. A trial that fails names what repeats it:
`python -m tests.kills --seed S --only I`. The moment is drawn, but how far a run has
come by then is not, so a repetition may need several calls.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.conftest import CLAIM, DRAW, FIGURE, write_notebook
from vbkit.__main__ import main as vbkit
from vbkit.press import reproduce as imported  # noqa: F401 (so that no fork has to)
from vbkit.press.folder import SCRATCH

MARK = "VBKIT_KILLS"  # in the environment of a run's processes
PAUSE = "VBKIT_KILLS_PAUSE"  # seconds that a worker's job takes
ALIVE = 5  # seconds that a process may outlive its run
LIMIT = 120  # seconds for a run; longer, and it hangs
JOB = 8  # seconds that a worker's job takes in a run that is killed
DISK = 8_000_000  # bytes of the disk that runs full
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
WORKERS = f"""
import os
import time

import joblib

jobs = [joblib.delayed(time.sleep)(float(os.environ.get("{PAUSE}", 0))) for _ in range(2)]
_ = joblib.Parallel(2)(jobs)
""".strip()
PAGE = """
from vbkit.press.publish import publish_page

publish_page("lines", f"slope {slope}")
""".strip()

Files = dict[str, bytes | None]  # what each file holds, by its path; None for folders


class Disturbance(NamedTuple):
    """What happens to a run: a signal to a process, or no room for its files."""

    target: str
    number: signal.Signals | None = None

    def __str__(self):
        return f"{self.target} {self.number.name}" if self.number else self.target


FULL_DISK = Disturbance("full disk")
FILE_SIZE = Disturbance("file size")
DISTURBANCES = [
    Disturbance(target, number)
    for target in ("run", "moving in", "kernel", "worker")
    for number in SIGNALS
]
DISTURBANCES += [FULL_DISK, FILE_SIZE]


class Whole(NamedTuple):
    """A small workbook: a copy, its files before and after a run, seconds of it."""

    source: Path
    before: Files
    after: Files
    seconds: float


class Outcome(NamedTuple):
    """Of one trial: what was done, whether it struck in time, and what went wrong."""

    disturbance: Disturbance
    struck: bool
    problems: list[str]


class Run:
    """A run of a workbook in a process of its own.

    root: the workbook; log: the file for what it prints; settings: environment
    variables; size: files may not grow beyond so many bytes.
    """

    def __init__(self, root: Path, log: Path, settings: dict, size: int | None = None):
        self.log = log
        self.code = None
        self.pid = os.fork()
        if self.pid == 0:
            self._reproduce(root, settings, size)

    def _reproduce(self, root: Path, settings: dict, size: int | None) -> None:
        """Run the workbook in the fork, and end it."""
        code = 3
        try:
            output = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
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
        """Its exit code; None if it still runs."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def wait(
        self,
        seconds: float,
        until: Callable[[], bool] = lambda: False,
        step: float = 0.002,
    ) -> int | None:
        """Wait so many seconds, or until it has ended or something is so.

        Returns its exit code; None if it still runs.
        """
        deadline = time.monotonic() + seconds
        while self.poll() is None and time.monotonic() < deadline and not until():
            time.sleep(step)
        return self.code

    def kill(self, number: int = signal.SIGKILL) -> bool:
        """Send it a signal; returns whether it was there."""
        if self.poll() is None:
            os.kill(self.pid, number)
        return self.code is None

    def output(self) -> str:
        """What it has printed."""
        return self.log.read_text(errors="replace")


def prepare(folder: Path) -> Whole:
    """A small workbook, run, then changed and run again.

    The second time one figure is new, and one is no longer made.
    """
    root = folder / "whole"
    for slope, figure in ((1.5, 2), (2.5, 3)):
        parameters = f"seed = 1\nslope = {slope}\nprofile = 'paper'"
        write_notebook(
            root / "notebooks" / "01_line.ipynb",
            DRAW,
            FIGURE.format(1),
            PAGE,
            "print(f'slope {slope:.1f}')",
            CLAIM,
            parameters=parameters,
        )
        write_notebook(
            root / "notebooks" / "02_steep.ipynb",
            DRAW,
            WORKERS,
            FIGURE.format(figure),
            parameters=parameters,
        )
        before = files(root)
        shutil.copytree(root, folder / f"before {slope}")
        began = time.monotonic()
        run = Run(root, folder / "log.txt", {})
        if run.wait(LIMIT) != 0:
            raise SystemExit(f"a run of the small workbook fails: {run.output()}")
    seconds = time.monotonic() - began
    return Whole(folder / f"before {slope}", before, files(root), seconds)


def files(root: Path) -> Files:
    """What each file below a folder holds, caches left out; None for folders."""
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
    }


def damaged(found: Files, before: Files, after: Files) -> list[str]:
    """Files that are neither as before nor as after.

    Of the manifest, which two notebooks write, each entry must be one of these.
    """
    problems = []
    for name in sorted(before.keys() | after.keys()):
        states = [before.get(name, "none"), after.get(name, "none")]
        now = found.get(name, "none")
        if now in states:
            continue
        if name.endswith("manifest.json") and _entries_are_known(now, states):
            continue
        digest = now
        if not isinstance(now, str):
            digest = hashlib.sha256(now or b"").hexdigest()[:12]
        problems.append(f"{name} is neither old nor new ({digest})")
    for name in found.keys() - before.keys() - after.keys():
        if SCRATCH not in name:
            problems.append(f"{name} was left behind")
    return problems


def _entries_are_known(manifest: bytes, states: list[bytes]) -> bool:
    """Whether each entry of a manifest is in one of these."""
    try:
        known = [entry for state in states for entry in json.loads(state)]
        return all(entry in known for entry in json.loads(manifest))
    except ValueError:
        return False


def belonging(mark: str) -> list[psutil.Process]:
    """The processes that carry a mark in their environment."""
    processes = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            marked = process.environ().get(MARK) == mark
            if marked and process.status() != psutil.STATUS_ZOMBIE:
                processes.append(process)
    return processes


def role(process: psutil.Process) -> str:
    """What a process of a run is: "run", "kernel", "worker" or "helper"; or "gone"."""
    try:
        command = " ".join(process.cmdline())
        name = process.name()
    except psutil.Error:
        return "gone"
    if "resource_tracker" in command or name == "sh":
        return "helper"
    if "ipykernel" in command:
        return "kernel"
    return "worker" if "loky" in command else "run"


def victims(mark: str, target: str) -> list[psutil.Process]:
    """The processes of a run that are of one role."""
    return [process for process in belonging(mark) if role(process) == target]


def strike(
    run: Run, disturbance: Disturbance, wait: float, root: Path, mark: str
) -> bool:
    """Send a signal to one process of the run, some time after there is such a one.

    Returns whether there was one to send it to.
    """
    target, number = disturbance
    if target == "run":
        run.wait(wait)
        return run.kill(number)
    if target == "moving in":  # the first file that takes its place
        first = root / "notebooks" / "01_line.ipynb"
        old = first.stat().st_ino
        run.wait(LIMIT, until=lambda: first.stat().st_ino != old)
        run.wait(wait / 1000)
        return run.kill(number)
    run.wait(LIMIT, until=lambda: bool(victims(mark, target)), step=0.1)
    run.wait(wait)
    present = victims(mark, target)
    if run.poll() is not None or not present:
        return False
    try:
        random.Random(wait).choice(present).send_signal(number)
    except psutil.NoSuchProcess:
        return False
    return True


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


def trial(seed: int, number: int, whole: Whole, disk: Path | None) -> Outcome:
    """One run that is disturbed, and one that is not."""
    rng = random.Random(f"{seed} {number}")
    possible = [each for each in DISTURBANCES if disk or each != FULL_DISK]
    disturbance = rng.choice(possible)
    longest = 1.2 * whole.seconds if disturbance.target == "run" else 2
    wait = rng.uniform(0, longest)
    room = int(10 ** rng.uniform(2, 5.5))
    mark = uuid.uuid4().hex
    scratch = disk if disturbance == FULL_DISK else whole.source.parent
    place = Path(tempfile.mkdtemp(dir=scratch))
    root = Path(shutil.copytree(whole.source, place / "workbook"))
    (place / "tmp").mkdir()
    log = whole.source.parent / "log.txt"
    ballast = fill(disk, room) if disturbance == FULL_DISK else None
    settings = {MARK: mark, "TMPDIR": str(place / "tmp")}
    slow = disturbance.target in ("run", "kernel", "worker")
    run = Run(
        root,
        log,
        settings | {PAUSE: str(JOB)} if slow else settings,
        size=room if disturbance == FILE_SIZE else None,
    )
    struck = True
    if disturbance.number:
        struck = strike(run, disturbance, wait, root, mark)
    problems = []
    if run.wait(LIMIT, step=0.05) is None:
        run.kill()
        run.wait(LIMIT)
        problems.append(f"the run did not end within {LIMIT} s")
    if ballast:
        ballast.unlink()
    problems += orphans(mark)
    problems += damaged(files(root), whole.before, whole.after)
    if not disturbance.number:
        struck = run.code != 0  # else there was room enough
        if "Traceback" in run.output():
            problems.append(f"a traceback: {run.output().splitlines()[-1]}")
    problems += left_behind(Run(root, log, settings), root, whole.after)
    shutil.rmtree(place)
    return Outcome(disturbance, struck, problems)


def orphans(mark: str) -> list[str]:
    """Processes of a run that are still there some seconds after it; they are ended."""
    deadline = time.monotonic() + ALIVE
    alive = belonging(mark)
    while alive and time.monotonic() < deadline:
        time.sleep(0.2)
        alive = belonging(mark)
    problems = [f"a {role(process)} outlives its run" for process in alive]
    for process in alive:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    return problems


def left_behind(run: Run, root: Path, after: Files) -> list[str]:
    """What another, undisturbed run leaves differently from what it should."""
    problems = []
    if run.wait(LIMIT, step=0.05) != 0:
        run.kill()
        last = run.output().splitlines()[-1:]
        problems.append(f"the next run ends with {run.code}: {last}")
    found = files(root)
    for name in sorted(found.keys() | after.keys()):
        same = found.get(name, "none") == after.get(name, "none")
        if not same and SCRATCH not in str(Path(name).parent):
            problems.append(f"after the next run {name} is not as it should be")
    for path in sorted((root.parent / "tmp").glob("*")):
        problems.append(f"left among the temporary files: {path.name}")
    return problems


def report(n: int, seed: int, only: int | None = None, file=None) -> int:
    """Make the trials and print a table of them; returns how many have a problem.

    An interrupt ends the trials, and the table tells of those that were made.
    """
    outcomes = {}
    with (
        suppress(KeyboardInterrupt),
        tempfile.TemporaryDirectory(prefix="vbkit-kills-") as folder,
    ):
        whole = prepare(Path(folder))
        with small_disk(Path(folder)) as disk:
            for number in range(n) if only is None else [only]:
                outcomes[number] = trial(seed, number, whole, disk)
                bad = sum(bool(each.problems) for each in outcomes.values())
                print(f"{number + 1} done, {bad} faults", end="\r", file=sys.stderr)
    for number, outcome in outcomes.items():
        for problem in outcome.problems:
            repeat = f"--seed {seed} --only {number} ({outcome.disturbance})"
            print(f"{repeat}: {problem}", file=file)
    return _print_table(list(outcomes.values()), file)


def _print_table(outcomes: list[Outcome], file) -> int:
    """Print a row for each disturbance, and one for all; return the faults."""
    trials = Counter()
    in_time = Counter()
    faults = Counter()
    for outcome in outcomes:
        for row in (str(outcome.disturbance), "all"):
            trials[row] += 1
            in_time[row] += outcome.struck
            faults[row] += bool(outcome.problems)
    head = f"{'what is disturbed':18}{'trials':>8}{'in time':>9}{'faults':>8}"
    print(f"\n{head}", file=file)
    for row in [*sorted(trials.keys() - {"all"}), "all"]:
        print(f"{row:18}{trials[row]:8}{in_time[row]:9}{faults[row]:8}", file=file)
    return faults["all"]


def main() -> int:
    """Make the trials that the command line asks for; 1 if one has a problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this trial alone")
    arguments = parser.parse_args()
    # also where a shell's background ignores them
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return 1 if report(arguments.n, arguments.seed, arguments.only) else 0


if __name__ == "__main__":
    sys.exit(main())
