"""Run notebooks and put in place what they make: figures, arrays, pages, manifest,
ledger, notebooks.

A notebook's products move in when it has finished, file by file and each whole, the
manifest last. Whatever fails or is interrupted before that leaves everything as it was.
Chapters and appendices print verdicts of the ledger, so they run after the evidence;
the appendices also run after any evidence that ran in place. Two runs into one place do
not disturb each other: one at a time moves in.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs
from tqdm import tqdm

from vbkit.press import PROFILES, ROOT, UsageError, ledger, manifest
from vbkit.press.folder import own, remove_abandoned, stamp
from vbkit.press.run import Job, run
from vbkit.press.selection import (
    choose,
    kind,
    notebooks,
    parameters,
    parameters_by_notebook,
)

TIMEOUT = {"quick": 600, "paper": 600, "full": 6 * 3600}  # seconds for a notebook
SHOW_VERDICTS = ("chapter", "appendix")  # kinds of notebooks that run after evidence
# beginnings of names: a minute and more each, where the others take seconds
LONGEST = ("evidence/02", "evidence/06", "evidence/05", "02b_", "05b_", "08b_")


@attrs.frozen
class Place:
    """Where products go: the folder of figures, that of the notebooks, and the
    workbook's notebooks, which own what is there."""

    figures: Path
    notebooks: Path
    existing: frozenset[str]

    @property
    def manifest(self) -> Path:
        """The file that lists the figures."""
        return self.figures / manifest.MANIFEST

    @property
    def ledger(self) -> Path:
        """The file that holds the settled claims."""
        return self.figures / manifest.LEDGER


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

    names, figures: texts, as `choose` takes them; of a notebook that only makes one of
    the figures, nothing but these moves into the workbook. values: pairs (parameter,
    text). to: another folder than the workbook's own figures/ and notebooks/, needed with values
    or the profile "quick". workers: notebooks at a time. timeout: seconds for a
    notebook; None allows what its profile needs. Returns 0, or 1 if a notebook failed.
    Raises UsageError, before anything runs, for what is not possible; KeyboardInterrupt
    after a signal.
    """
    root = root.absolute()
    profile = dict(values).get("profile", profile)
    settings = [(key, text) for key, text in values if key != "profile"]
    _check_destination(profile, settings, to, root)
    chosen = choose(root, names, figures)
    if settings and not (names or figures):
        chosen = _of_kinds(chosen, "chapter", "evidence")  # only these have parameters
    only = {}  # the figures that move in, by notebook, where that is not all
    if to is None and figures:
        only = _figures_by_notebook(root, names, figures)
    whole = {name: path for name, path in chosen.items() if name not in only}
    if to is None and _of_kinds(whole, "evidence"):
        chosen |= _of_kinds(notebooks(root), "appendix")
    own_values = parameters_by_notebook(chosen, settings)
    place = _place(root, to)
    manifest.refuse_strangers(
        place.figures, place.notebooks, root / "figures", set(chosen)
    )
    before = {name: path.read_bytes() for name, path in chosen.items()}
    errors = []

    def finish(job: Job, error: str | None, seconds: float) -> None:
        if not error and job.notebook.read_bytes() != before[job.name]:
            error = (
                f"{job.name}: was edited while it ran; "
                "nothing was moved in, run it again"
            )
        if not error:
            error = _move_in(job, place, only.get(job.name))
        tqdm.write(f"{job.name}: {'failed' if error else 'done'} after {seconds:.0f} s")
        if error:
            errors.append(error)

    with _scratch(place) as scratch:
        for second_round in (False, True):
            newest = None
            if second_round and place.ledger.exists():
                newest = place.figures  # has the ledger that the evidence just made
            jobs = [
                plan(
                    name,
                    path,
                    scratch / name,
                    root / "figures",
                    own_values[name],
                    profile,
                    newest=newest,
                )
                for name, path in _longest_first(chosen).items()
                if (kind(name) in SHOW_VERDICTS) == second_round
            ]
            if jobs:
                run(jobs, workers, timeout or TIMEOUT[profile], finish)
    for error in errors:
        print(f"vbkit: {error}", file=sys.stderr)
    return 1 if errors else 0


def plan(
    name: str,
    path: Path,
    folder: Path,
    figures: Path,
    values: dict | None = None,
    profile: str = "paper",
    recheck: int = 0,
    newest: Path | None = None,
) -> Job:
    """The job of running a notebook with these values of its parameters.

    folder, figures, recheck, newest: as a Job has them. Profile "full" takes two runs:
    one stores the studies, the other, "paper", reads them.
    """
    defaults = parameters(name, path)
    values = values or {}
    runs = [values]
    if "profile" in defaults:
        profiles = ("full", "paper") if profile == "full" else (profile,)
        runs = [values | {"profile": each} for each in profiles]
    phases = [
        {key: value for key, value in each.items() if value != defaults[key]}
        for each in runs
    ]
    return Job(
        name=name,
        notebook=path,
        folder=folder,
        phases=tuple(phases),
        parameters=defaults | runs[-1],
        figures=figures,
        recheck=recheck,
        newest=newest,
    )


def _figures_by_notebook(
    root: Path, names: Iterable[str], figures: Iterable[str]
) -> dict[str, set[str]]:
    """The figures asked for, by the notebook that makes them, of notebooks that were not
    asked for themselves."""
    asked = choose(root, names) if names else {}
    found = {}
    for figure in figures:
        (maker,) = choose(root, figures=[figure])
        if maker not in asked:
            found.setdefault(maker, set()).add(figure)
    return found


def _longest_first(chosen: dict[str, Path]) -> dict[str, Path]:
    """The notebooks with those of LONGEST first: else one of them might still run when
    nothing is left for the other cores."""
    first = [name for number in LONGEST for name in chosen if name.startswith(number)]
    return {name: chosen[name] for name in [*first, *chosen]}


def _of_kinds(chosen: dict[str, Path], *kinds: str) -> dict[str, Path]:
    """Those notebooks that are of some kinds."""
    return {name: path for name, path in chosen.items() if kind(name) in kinds}


def _place(root: Path, to: Path | None) -> Place:
    existing = frozenset(notebooks(root))
    if to is None:
        return Place(root / "figures", root / "notebooks", existing)
    destination = to.absolute()
    return Place(destination, destination / "notebooks", existing)


def _check_destination(
    profile: str, settings: list, to: Path | None, root: Path
) -> None:
    """UsageError unless a run of this profile with these settings may write there."""
    if profile not in PROFILES:
        raise UsageError(
            f"there is no profile {profile}; there are: {', '.join(PROFILES)}"
        )
    if to is None and (settings or profile == "quick"):
        raise UsageError(
            "parameters and the profile quick need a place of their own: --to DIR"
        )
    if to is not None and own(to, root):
        raise UsageError(
            f"{to.resolve()} holds the workbook's own files: give --to another folder"
        )


@contextmanager
def _scratch(place: Place) -> Iterator[Path]:
    """A folder for all that is unfinished; UsageError if one cannot write there."""
    destination = place.figures
    if destination.exists() and not destination.is_dir():
        raise UsageError(f"cannot write to {destination}: it is a file")
    needed = [destination, destination / "data", place.notebooks]
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
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # On Windows, and some network file systems, nobody waits.
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _move_in(job: Job, place: Place, only: set[str] | None = None) -> str | None:
    """Put a notebook's products in place and remove what it no longer makes.

    only: figures; with these, nothing else moves in, and nothing is removed. Returns in
    one line what went wrong, None if nothing did.
    """
    try:
        with _alone(place.figures):
            if only:
                _move_figures(job, place, only)
            else:
                _move_all(job, place)
        return None
    except UsageError as error:
        return f"{job.name}: {error}"
    except OSError as error:  # the disk is full, ...
        return f"{job.name}: could not be moved in whole, run it again: {error}"


def _move_figures(job: Job, place: Place, only: set[str]) -> None:
    """Put some of a notebook's figures in place: pictures, arrays, entries of the
    manifest."""
    made = manifest.recorded_figures(job.recording, job.name, job.parameters)
    made = [entry for entry in made if entry["figure"] in only]
    for missing in only - {entry["figure"] for entry in made}:
        raise UsageError(f"the notebook no longer makes {missing}")
    entries = manifest.read_manifest(place.figures)
    kept = [entry for entry in entries if entry["figure"] not in only]
    copy = job.folder / manifest.MANIFEST
    manifest.write_manifest(kept + made, copy)
    for figure in only:
        for product in (f"{figure}.png", f"data/{figure}.npz"):
            os.replace(job.recording / product, place.figures / product)
    os.replace(copy, place.manifest)


def _move_all(job: Job, place: Place) -> None:
    """Put all that a notebook makes in place; once all is ready, only whole files move.

    What the notebook no longer makes, and what no notebook owns any more, is removed
    while the old manifest still says whose it is: the new one moves last.
    """
    owners = manifest.owners(place.figures)
    moves = _moves(job, place, owners)
    merged_manifest = _merged_manifest(job, place)
    for path, target in moves.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)
    for path, owner in owners.items():
        lost = owner not in place.existing and path.suffix in (".png", ".npz")
        if (owner == job.name or lost) and path not in moves.values():
            path.unlink(missing_ok=True)
    os.replace(merged_manifest, place.manifest)


def _moves(job: Job, place: Place, owners: dict[Path, str]) -> dict[Path, Path]:
    """From where to where files move, without the manifest.

    Raises UsageError for a product or a claim that is another notebook's.
    """
    others = place.existing - {job.name}
    moves = {job.folder / "notebook.ipynb": place.notebooks / f"{job.name}.ipynb"}
    for path in manifest.products(job.recording):
        target = place.figures / path.relative_to(job.recording)
        if owners.get(target) not in others:
            moves[path] = target
        elif path.suffix != ".json":  # others renew their own studies
            raise UsageError(f"another notebook already publishes {target.name}")
    if place.ledger.exists() or manifest.recorded_claims(job.recording):
        moves[_merged_ledger(job, place)] = place.ledger
    return moves


def _merged_ledger(job: Job, place: Place) -> Path:
    """Write the place's new ledger into the job's folder."""
    copy = job.folder / manifest.LEDGER
    if place.ledger.exists():
        shutil.copyfile(place.ledger, copy)
    try:
        ledger.merge(job.recording, copy, notebook=job.name, existing=place.existing)
    except ValueError as error:  # a claim that another notebook settles
        raise UsageError(str(error)) from error
    return copy


def _merged_manifest(job: Job, place: Place) -> Path:
    """Write the place's new manifest into the job's folder."""
    others = place.existing - {job.name}
    entries = manifest.read_manifest(place.figures)
    kept = [entry for entry in entries if entry["notebook"] in others]
    made = manifest.recorded_figures(job.recording, job.name, job.parameters)
    copy = job.folder / manifest.MANIFEST
    manifest.write_manifest(kept + made, copy)
    return copy
