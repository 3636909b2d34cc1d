"""Run notebooks elsewhere and say where they differ from what is committed."""

import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

import numpy as np
from nbformat import NotebookNode
from tqdm import tqdm

from vbkit.press import ROOT, attachments, manifest, pictures
from vbkit.press.canonical import code_cells, lint, read, words
from vbkit.press.publish import ATOL, RTOL, agree, digest
from vbkit.press.reproduce import plan
from vbkit.press.run import Job, run
from vbkit.press.selection import choose, kind, notebooks

# the size of a rounding error, as the ledger shows it; its number is compared there
ROUNDING = re.compile(r"0 ± 1e-\d+")


def check_notebooks(
    names: Iterable[str] = (),
    *,
    workers: int = 2,
    timeout: float = 600.0,
    root: Path = ROOT,
) -> int:
    """Compare figures, claims and notebooks with a fresh run, a line for each.

    workers: notebooks at a time. timeout: seconds for a notebook. Returns 0 if all
    agree, 1 if something differs or fails. Of stored studies, each call computes other
    jobs again. Raises KeyboardInterrupt after a signal.
    """
    root = root.absolute()
    chosen = choose(root, names)
    results = []

    def report(subject: str, problems: list[str]) -> None:
        results.append(not problems)
        head = f"{'DIFFERS' if problems else 'same   '}  {subject}"
        tqdm.write("\n         ".join([head, *problems]))

    def finish(job: Job, error: str | None, seconds: float) -> None:
        if error:
            report(job.name, [error])
            return
        for subject, problems in differences(job):
            report(subject, problems)

    if not names:
        report("manifest", list(inventory(root)))
    seed = int(time.time())
    with tempfile.TemporaryDirectory(prefix="vbkit-check-") as scratch:
        jobs = [
            plan(name, path, Path(scratch, name), root / "figures", recheck=seed)
            for name, path in chosen.items()
        ]
        run(jobs, workers, timeout, finish)
    print(f"{sum(results)} of {len(results)} as committed")
    return 0 if all(results) else 1


def inventory(root: Path) -> Iterator[str]:
    """What lies among the figures and is no notebook's, or the other way round."""
    figures = root / "figures"
    existing = notebooks(root)
    owners = manifest.owners(figures)
    products = set(manifest.products(figures))
    for path in sorted(owners.keys() - products):
        yield f"{path.relative_to(root)} is listed but not there"
    # In a hand-out there is no evidence, and stored studies are those of evidence.
    judged = any(kind(name) == "evidence" for name in existing)
    for path in sorted(products):
        if owners.get(path) not in existing and (judged or path.suffix != ".json"):
            yield f"{path.relative_to(root)} belongs to no notebook"


def differences(job: Job) -> Iterator[tuple[str, list[str]]]:
    """Where a job that has run differs from what is committed.

    Yields pairs (subject, problems): one for each figure and page, one for the claims
    and one for the notebook.
    """
    yield from _differences_of_figures(job)
    stored_pages = _pages(job.figures, job)
    fresh_pages = _pages(job.recording, job)
    yield from _pair_by_pair(stored_pages, fresh_pages, _compare_pages, "published")
    stored_claims = manifest.settled_claims(job.figures, job.name)
    fresh_claims = manifest.recorded_claims(job.recording)
    if stored_claims or fresh_claims:
        pairs = _pair_by_pair(stored_claims, fresh_claims, _compare_claims, "settled")
        yield f"claims of {job.name}", _in_one_list(pairs)
    yield f"notebook {job.name}", [*lint(job.notebook), *compare_notebooks(job)]


def _differences_of_figures(job: Job) -> Iterator[tuple[str, list[str]]]:
    """Where the figures of a job differ from those that the manifest lists."""
    stored = {
        entry["figure"]: entry
        for entry in manifest.read_manifest(job.figures)
        if entry["notebook"] == job.name
    }
    fresh = {
        entry["figure"]: entry
        for entry in manifest.recorded_figures(job.recording, job.name, job.parameters)
    }

    def compare(old: dict, new: dict) -> Iterator[str]:
        return _compare_figures(job, old, new)

    yield from _pair_by_pair(stored, fresh, compare, "published")


def _pair_by_pair(
    stored: dict[str, object],
    fresh: dict[str, object],
    compare: Callable[[object, object], Iterable[str]],
    made: str,
) -> Iterator[tuple[str, list[str]]]:
    """Problems by key; where a key is not in both, `made` says what a notebook does."""
    for key in sorted(stored | fresh):
        if key not in fresh:
            yield key, [f"is no longer {made} by this notebook"]
        elif key not in stored:
            yield key, [f"is newly {made} by this notebook"]
        else:
            yield key, list(compare(stored[key], fresh[key]))


def _in_one_list(pairs: Iterable[tuple[str, list[str]]]) -> list[str]:
    """The problems of several subjects, each with its subject in front."""
    return [
        f"{subject}: {problem}" for subject, problems in pairs for problem in problems
    ]


def _compare_figures(job: Job, stored: dict, fresh: dict) -> Iterator[str]:
    """Differences between two entries of a figure, its pictures and its arrays."""
    for key in ("alt", "parameters", "seed"):
        if stored[key] != fresh[key]:
            yield f"{key} is {fresh[key]!r}, stored {stored[key]!r}"
    png = f"{stored['figure']}.png"
    npz = f"data/{stored['figure']}.npz"
    missing = [path for path in (png, npz) if not (job.figures / path).exists()]
    if missing:
        for path in missing:
            yield f"{path} is missing"
        return
    problem = pictures.difference(
        (job.figures / png).read_bytes(), (job.recording / png).read_bytes()
    )
    if problem:
        yield problem
    with (
        np.load(job.figures / npz) as stored_arrays,
        np.load(job.recording / npz) as fresh_arrays,
    ):
        digests = {key: digest(stored_arrays[key]) for key in stored_arrays}
        if digests != stored["sha256"]:
            yield f"{npz} is not what the manifest's SHA-256 says"
        if set(stored_arrays) != set(fresh_arrays):
            yield f"the arrays are {sorted(fresh_arrays)}, stored {sorted(stored_arrays)}"
        tolerances = fresh.get("tolerance", {})
        for key in sorted(set(stored_arrays) & set(fresh_arrays)):
            problem = _compare_arrays(
                stored_arrays[key], fresh_arrays[key], tolerances.get(key)
            )
            if problem:
                yield f"array {key}: {problem}"


def _compare_arrays(
    stored: np.ndarray, fresh: np.ndarray, tolerance: float | None
) -> str | None:
    """What tells two arrays apart, None if they agree within the tolerance.

    tolerance: relative to the largest magnitude; None for what all arrays are held to.
    """
    if stored.shape != fresh.shape or stored.dtype.kind != fresh.dtype.kind:
        return f"{fresh.dtype} {fresh.shape}, stored {stored.dtype} {stored.shape}"
    same = stored == fresh
    if stored.dtype.kind in "fc":
        rtol = RTOL
        atol = ATOL
        if tolerance:
            largest = np.max(np.abs(stored[np.isfinite(stored)]), initial=0.0)
            rtol = 0.0
            atol = tolerance * largest
        same = np.isclose(fresh, stored, rtol=rtol, atol=atol, equal_nan=True)
    if same.all():
        return None
    first = tuple(np.argwhere(~same)[0].tolist())
    count = f"{np.sum(~same)} of {stored.size} entries differ"
    return f"{count}; the first, at {first}, is {fresh[first]}, stored {stored[first]}"


def _pages(folder: Path, job: Job) -> dict[str, str]:
    """The texts of the pages that a job's notebook made, by file name."""
    return {
        path.name: path.read_text("utf-8")
        for path, owner in manifest.owners(folder).items()
        if path.suffix == ".md" and owner == job.name
    }


def _compare_pages(stored: str, fresh: str) -> Iterator[str]:
    stored_lines = _without_rounding_errors(stored).split("\n")
    fresh_lines = _without_rounding_errors(fresh).split("\n")
    difference = _first_difference(stored_lines, fresh_lines)
    if difference:
        number, problem = difference
        yield f"line {number} is {problem}"


def _without_rounding_errors(text: str) -> str:
    """A text without the sizes of rounding errors."""
    return ROUNDING.sub("0", text)


def _first_difference(
    stored: Iterable[str], fresh: Iterable[str]
) -> tuple[int, str] | None:
    """The number of the first text that differs, and how; None if all are the same."""
    pairs = zip_longest(stored, fresh, fillvalue="(nothing)")
    for number, (old, new) in enumerate(pairs, 1):
        if old != new:
            return number, f"{new!r:.200}, stored {old!r:.200}"
    return None


def _compare_claims(stored: dict, fresh: dict) -> Iterator[str]:
    old = {key: stored[key] for key in ("verdict", "measured")}
    new = {key: fresh[key] for key in ("verdict", "measured")}
    rtol = fresh["tolerance"] or RTOL
    atol = ATOL * rtol / RTOL
    if not agree(old, new, rtol, atol):
        yield f"{new}, stored {old}"


def compare_notebooks(job: Job) -> Iterator[str]:
    """Where the cells of a job that has run show something else than stored."""
    stored = read(job.notebook)
    fresh = read(job.folder / "notebook.ipynb")
    pairs = zip(code_cells(stored), code_cells(fresh), strict=True)
    for number, (old, new) in enumerate(pairs, 1):
        for problem in pictures.differences(old.outputs, new.outputs):
            yield f"code cell {number}: {problem}"
        difference = _first_difference(_texts(old), _texts(new))
        if difference:
            _, problem = difference
            yield f"code cell {number} shows {problem}"
    attached = _pair_by_pair(
        attachments.attached(stored),
        attachments.attached(fresh),
        attachments.differences,
        "attached",
    )
    for problem in _in_one_list(attached):
        yield f"attachment {problem}"


def _texts(cell: NotebookNode) -> list[str]:
    """What the outputs of a cell say."""
    return [_without_rounding_errors(words(output)) for output in cell.outputs]
