"""Run notebooks and put in place what they make: figures, arrays, pages, manifest, ledger,
notebooks.

A notebook's products move in when it has finished, file by file and each whole, the manifest last.
Whatever fails or is interrupted before that leaves everything as it was. Chapters and appendices
print verdicts of the ledger, so they run after the evidence; the appendices also run after any
evidence that ran in place. Two runs into one place do not disturb each other: one at a time moves
in.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tqdm import tqdm

from vbkit.press import ROOT, UsageError, ledger, manifest
from vbkit.press.folder import own, remove_abandoned, stamp
from vbkit.press.ledger.storage import PROFILES
from vbkit.press.run import Job, run
from vbkit.press.select import choose, kind, late, notebooks, parameters, share

TIMEOUT = dict.fromkeys(PROFILES, 600) | {"full": 6 * 3600}


def reproduce(
    names=(),
    *,
    figures=(),
    values=(),
    profile="paper",
    to=None,
    workers=2,
    timeout=None,
    root=ROOT,
) -> int:
    """Run the notebooks that `choose` finds and move in what they make.

    names, figures: texts, as `choose` takes them. values: pairs (parameter, text). to: another
    Path than the workbook's own figures/ and notebooks/, needed with values or the profile "quick".
    workers: notebooks at a time. timeout: seconds for a notebook; None allows what its profile
    needs. Returns 0, or 1 if a notebook failed. Raises UsageError, before anything runs, for what
    is not possible; KeyboardInterrupt after a signal.
    """
    root = root.absolute()
    profile = dict(values).get("profile", profile)
    values = [(key, text) for key, text in values if key != "profile"]
    _check_place(profile, values, to, root)
    destination = (to or root / "figures").absolute()
    home = destination / "notebooks" if to else root / "notebooks"
    make = {"figures": root / "figures", "profile": profile}
    chosen = choose(root, names, figures)
    if values and not (
        names or figures
    ):  # parameters are those of chapters and evidence
        chosen = {
            name: chosen[name]
            for name in chosen
            if kind(name) in ("chapter", "evidence")
        }
    asked = share(chosen, values)
    if to is None and any(kind(name) == "evidence" for name in chosen):
        chosen |= {
            name: path
            for name, path in notebooks(root).items()
            if kind(name) == "appendix"
        }
    for name, path in chosen.items():  # errors of asking come before any file or folder
        plan(name, path, Path(), asked=asked.get(name, ()), **make)
    manifest.refuse_strangers(destination, home, root / "figures", chosen)
    before, errors = {name: path.read_bytes() for name, path in chosen.items()}, []

    def finish(job: Job, error: str | None, seconds: float) -> None:
        if not error and job.notebook.read_bytes() != before[job.name]:
            error = f"{job.name}: was edited while it ran; nothing was moved in, run it again"
        error = error or _move_in(job, destination, home, existing={*notebooks(root)})
        tqdm.write(f"{job.name}: {'failed' if error else 'done'} after {seconds:.0f} s")
        errors.extend([error] if error else [])

    with _scratch(destination, home) as scratch:
        for second in (False, True):
            if second and (destination / manifest.LEDGER).exists():
                make["newest"] = (
                    destination  # with the ledger that the evidence has just made
                )
            jobs = [
                plan(name, path, scratch / name, asked=asked.get(name, ()), **make)
                for name, path in chosen.items()
                if late(name) == second
            ]
            if jobs:
                run(jobs, workers, timeout or TIMEOUT[profile], finish)
    print(*[f"vbkit: {error}\n" for error in errors], sep="", end="", file=sys.stderr)
    return 1 if errors else 0


def plan(
    name,
    path: Path,
    folder: Path,
    figures: Path,
    asked=(),
    profile="paper",
    recheck=0,
    newest=None,
) -> Job:
    """The job of running a notebook with the parameters asked for; UsageError if they are not its
    own.

    Profile "full" takes two runs: one stores the studies, the other, "paper", reads them.
    """
    defaults, values = parameters(name, path, asked)
    profiles = ("full", "paper") if profile == "full" else (profile,)
    wanted = (
        [values | {"profile": p} for p in profiles]
        if "profile" in defaults
        else [values]
    )
    phases = tuple(
        {k: v for k, v in phase.items() if v != defaults[k]} for phase in wanted
    )
    return Job(
        name, path, folder, phases, defaults | wanted[-1], figures, recheck, newest
    )


def _check_place(profile: str, values: list, to: Path | None, root: Path) -> None:
    if profile not in PROFILES:
        raise UsageError(
            f"there is no profile {profile}; there are: {', '.join(PROFILES)}"
        )
    if to is None and (values or profile == "quick"):
        raise UsageError(
            "parameters and the profile quick need a place of their own: --to DIR"
        )
    if to is not None and own(to, root):
        raise UsageError(
            f"{to.resolve()} holds the workbook's own files: give --to another folder"
        )


@contextmanager
def _scratch(destination: Path, home: Path) -> Iterator[Path]:
    """A folder for all that is unfinished; UsageError if one cannot write to the destination."""
    if destination.exists() and not destination.is_dir():
        raise UsageError(f"cannot write to {destination}: it is a file")
    needed = [destination, destination / "data", home]
    fresh = [folder for folder in needed if not folder.exists()]
    try:
        for folder in needed:
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise PermissionError(f"no permission to write in {folder}")
        remove_abandoned(destination)
        scratch = tempfile.mkdtemp(prefix=f"{stamp()}-", dir=destination)
    except OSError as error:
        raise UsageError(f"cannot write to {destination}: {error}") from error
    try:
        yield Path(scratch)
    finally:
        shutil.rmtree(scratch)
        for folder in reversed(fresh):
            with suppress(OSError):  # it holds something
                folder.rmdir()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other runs from moving into a folder meanwhile; they wait."""
    place = os.open(folder, os.O_RDONLY)
    try:
        with suppress(
            ImportError, OSError
        ):  # Windows, some network file systems: nobody waits
            import fcntl

            fcntl.flock(place, fcntl.LOCK_EX)
        yield
    finally:
        os.close(place)


def _move_in(job: Job, destination: Path, home: Path, existing: set[str]) -> str | None:
    """Put a notebook's products in place and remove what it no longer makes; returns an error."""
    try:
        return _move(job, destination, home, existing)
    except OSError as error:  # the disk is full, ...
        return f"{job.name}: could not be moved in whole, run it again: {error}"


def _move(job: Job, destination: Path, home: Path, existing: set[str]) -> str | None:
    others = existing - {job.name}
    with _alone(destination):
        owners = manifest.owners(destination)
        moves = {job.folder / "notebook.ipynb": home / f"{job.name}.ipynb"}
        for path in manifest.products(job.record):
            target = destination / path.relative_to(job.record)
            if owners.get(target) not in others:
                moves[path] = target
            elif path.suffix != ".json":  # others renew their own studies
                return f"{job.name}: another notebook already publishes {target.name}"
        try:
            moves |= _merge_claims(job, destination, existing)
        except ValueError as error:  # a claim that another notebook settles
            return f"{job.name}: {error}"
        listed = manifest.read_manifest(destination)
        kept = [entry for entry in listed if entry["notebook"] in others]
        made = manifest.recorded(job.record, job.name, job.parameters)
        manifest.write_manifest(kept + made, job.folder / manifest.NAME)
        moves[job.folder / manifest.NAME] = destination / manifest.NAME
        *first, last = moves.items()  # from here on only whole files change places
        for path, target in first:
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, target)
        for (
            path,
            owner,
        ) in owners.items():  # while the old manifest still says whose they are
            lost = owner not in existing and path.suffix in (".png", ".npz")
            if (owner == job.name or lost) and path not in moves.values():
                path.unlink(missing_ok=True)
        os.replace(*last)
    return None


def _merge_claims(job: Job, destination: Path, existing: set[str]) -> dict[Path, Path]:
    """Write the destination's new ledger into the job's folder, if there are claims; returns the
    move."""
    copy, committed = job.folder / manifest.LEDGER, destination / manifest.LEDGER
    if not committed.exists() and not manifest.recorded_claims(job.record):
        return {}
    if committed.exists():
        shutil.copyfile(committed, copy)
    ledger.merge(job.record / "fragments", copy, notebook=job.name, existing=existing)
    return {copy: committed}
