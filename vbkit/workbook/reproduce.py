"""Run notebooks and put in place what they make: figures, arrays, pages, manifest, ledger, executed notebooks.

A notebook's products are moved in when it has finished, file by file and each whole, the manifest last.
Whatever fails or is interrupted before that leaves everything as it was. The appendices print the ledger, so
they run when the chapters have been moved in, and after any chapter that ran in place. Two runs into one place do
not disturb each other: one at a time moves in.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from vbkit.workbook import OWN, PROFILES, ROOT, UsageError, manifest
from vbkit.workbook.canonical import code_cells, read
from vbkit.workbook.run import Interruptible, Job, run
from vbkit.workbook.select import appendix, choose, notebooks, parameters

TIMEOUT = dict.fromkeys(PROFILES, 600) | {"full": 6 * 3600}
SCRATCH = ".vbkit-"  # beginning of the folder of a run; the number of its process follows


def reproduce(
    names: Iterable[str] = (),
    *,
    figures: Iterable[str] = (),
    values: Iterable[tuple[str, str]] = (),
    profile: str = "paper",
    to: Path | None = None,
    workers: int = 2,
    timeout: float | None = None,
    root: Path = ROOT,
) -> int:
    """Run the notebooks that `choose` finds and move in what they make.

    values: pairs (parameter, text). to: another place than the workbook's own figures/ and notebooks/, needed
    with values or the profile "quick". Returns 0, 1 if a notebook failed, 130 if interrupted; UsageError
    before anything runs if what is asked for is not possible.
    """
    root = root.absolute()
    profile = dict(values).get("profile", profile)
    values = [(key, text) for key, text in values if key != "profile"]
    if profile not in TIMEOUT:
        raise UsageError(f"there is no profile {profile}; there are: {', '.join(TIMEOUT)}")
    if (values or profile == "quick") and to is None:
        raise UsageError(
            "other parameters and the profile quick need a place of their own: give --to DIR"
        )
    if to is not None and _own(to.resolve(), root.resolve()):
        raise UsageError(
            f"{to.resolve()} holds the workbook's own files: give --to a folder elsewhere"
        )
    destination = (to or root / "figures").absolute()
    home = destination / "notebooks" if to else root / "notebooks"
    chosen = choose(root, names, figures)
    if values and not (names or figures):  # parameters are the chapters'
        chosen = {
            name: path for name, path in chosen.items() if not ("/" in name or appendix(name))
        }
    if to is None and any(not ("/" in name or appendix(name)) for name in chosen):
        chosen |= {name: path for name, path in notebooks(root).items() if appendix(name)}
    make = {"figures": root / "figures", "asked": values, "profile": profile}
    for name, path in chosen.items():
        plan(name, path, Path(), **make)  # errors of asking come before any file or folder
    failures = []
    try:
        with Interruptible() as signals, _scratch(destination, home) as scratch:
            for late in (False, True):
                if late and (destination / manifest.LEDGER).exists():
                    make["figures"] = destination  # the ledger that the chapters have just made
                turn = [name for name in chosen if appendix(name) == late]
                jobs = [plan(name, chosen[name], scratch / name, **make) for name in turn]
                if not jobs:
                    continue
                with closing(run(jobs, workers, timeout or TIMEOUT[profile], signals)) as finished:
                    failures += _finish(jobs, finished, signals, destination, home, root)
    except KeyboardInterrupt:
        print("vbkit: interrupted; what had not finished is as it was", file=sys.stderr)
        return 130
    for error in failures:
        print(f"vbkit: {error}", file=sys.stderr)
    return 1 if failures else 0


def _finish(
    jobs: list[Job], finished, signals: Interruptible, destination: Path, home: Path, root: Path
) -> list[str]:
    """Move in what each job has made when it ends; returns the errors."""
    from tqdm import tqdm

    before, errors = {job: job.notebook.read_bytes() for job in jobs}, []
    for job, error, seconds in finished:
        if not error and job.notebook.read_bytes() != before[job]:
            error = f"{job.name}: was edited while it ran; nothing was moved in, run it again"
        if not error:
            with signals.hold(), _alone(destination):
                error = _move_in(job, destination, home, existing={*notebooks(root)})
        tqdm.write(f"{job.name}: {'failed' if error else 'done'} after {seconds:.0f} s")
        errors += [error] if error else []
    return errors


def plan(
    name: str, path: Path, folder: Path, figures: Path, asked=(), profile="paper", recheck=0
) -> Job:
    """The job of running a notebook with the parameters asked for; UsageError if they are not its own.

    Profile "full" takes two runs: one stores the studies, the other, "paper", reads them.
    """
    defaults, values = parameters(name, path, asked)
    profiles = ("full", "paper") if profile == "full" else (profile,)
    wanted = [values | {"profile": p} for p in profiles] if "profile" in defaults else [values]
    phases = tuple({k: v for k, v in phase.items() if v != defaults[k]} for phase in wanted)
    cells = len(code_cells(read(path)))
    return Job(name, path, folder, phases, defaults | wanted[-1], cells, figures, recheck)


def _own(folder: Path, root: Path) -> bool:
    return folder == root or any(folder.is_relative_to(root / name) for name in OWN)


@contextmanager
def _alone(folder: Path):
    """Keep other runs from moving into a folder meanwhile; they wait. Where folders cannot be locked, nothing waits."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    place = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems
            fcntl.flock(place, fcntl.LOCK_EX)
        yield
    finally:
        os.close(place)


@contextmanager
def _scratch(destination: Path, home: Path):
    """A folder for all that is unfinished, beside the destination and on its file system.

    UsageError if one cannot write to the destination.
    """
    if destination.exists() and not destination.is_dir():
        raise UsageError(f"cannot write to {destination}: it is a file")
    needed = [destination, destination / "data", home]
    fresh = [folder for folder in needed if not folder.exists()]
    try:
        for folder in needed:
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError(f"no permission to write in {folder}")
        parent = destination.resolve().parent
        beside = parent.stat().st_dev == destination.stat().st_dev and os.access(parent, os.W_OK)
        path = tempfile.mkdtemp(
            prefix=f"{SCRATCH}{os.getpid()}-", dir=parent if beside else destination
        )
    except OSError as error:
        raise UsageError(f"cannot write to {destination}: {error}") from error
    try:
        yield Path(path)
    finally:
        shutil.rmtree(path)
        for folder in reversed(fresh):
            with suppress(OSError):  # it holds something
                folder.rmdir()


def _move_in(job: Job, destination: Path, home: Path, existing: set[str]) -> str | None:
    """Put a finished notebook's products in place and remove what it no longer makes; returns an error."""
    made = manifest.recorded(job.record, job.name, job.parameters)
    old = manifest.read_manifest(destination)
    kept = [entry for entry in old if entry["notebook"] in existing - {job.name}]
    others = {
        path.name for other in existing - {job.name} for path in manifest.pages(destination, other)
    }
    others |= {entry["figure"] for entry in kept}
    for double in others & {
        *(entry["figure"] for entry in made),
        *(path.name for path in job.record.glob("*.md")),
    }:
        return f"{job.name}: another notebook already publishes {double}"
    stale = {*manifest.files(destination, [entry for entry in old if entry not in kept])}
    stale |= {*manifest.studies(destination, job.name), *manifest.pages(destination, job.name)}
    moves = {}
    for path in [*job.record.glob("*.png"), *job.record.glob("*.md"), *job.record.glob("data/*")]:
        target = destination / path.relative_to(job.record)
        if (
            path.suffix != ".json" or target in stale or not target.exists()
        ):  # others renew their own studies
            moves[path] = target
    moves[job.folder / "notebook.ipynb"] = home / f"{job.name}.ipynb"
    try:
        moves |= _merge_claims(job, destination, existing)
    except ValueError as error:  # a claim that another notebook settles
        return f"{job.name}: {error}"
    manifest.write_manifest(kept + made, job.folder / manifest.NAME)
    moves[job.folder / manifest.NAME] = destination / manifest.NAME
    for (
        path,
        target,
    ) in moves.items():  # all is prepared; from here on only whole files change places
        target.parent.mkdir(exist_ok=True)
        os.replace(path, target)
    for path in stale - {*moves.values()}:
        path.unlink(missing_ok=True)
    return None


def _merge_claims(job: Job, destination: Path, existing: set[str]) -> dict[Path, Path]:
    """Write the destination's new ledger into the job's folder, if there are claims; returns the move."""
    copy, committed = job.folder / manifest.LEDGER, destination / manifest.LEDGER
    if not committed.exists() and not manifest.recorded_claims(job.record):
        return {}
    from vbkit import ledger

    if committed.exists():
        shutil.copyfile(committed, copy)
    ledger.merge(job.record / "fragments", copy, notebook=job.name, existing=existing)
    return {copy: committed}
