"""Run notebooks into a scratch folder and say where they differ from what is committed."""

import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

import numpy as np
from tqdm import tqdm

from vbkit.press import ROOT, manifest, pictures
from vbkit.press.canonical import code_cells, lint, read, words
from vbkit.press.publish import ATOL, RTOL, agree, digest
from vbkit.press.reproduce import plan
from vbkit.press.run import Job, run
from vbkit.press.select import choose, kind, notebooks

ROUNDING = re.compile(
    r"0 ± 1e-\d+"
)  # as the ledger shows what is compared there as a number


def check(
    names: Iterable[str] = (), *, workers=2, timeout=600.0, root: Path = ROOT
) -> int:
    """Compare figures, claims and notebooks with what a fresh run gives, a line for each; count
    them.

    workers: notebooks at a time. timeout: seconds for a notebook. Returns 0 if all agree, 1 if
    something differs or fails. Of stored studies, each check computes other jobs again. Raises
    KeyboardInterrupt after a signal.
    """
    root, results = root.absolute(), []
    chosen = choose(root, names)

    def report(what: str, problems: list[str]) -> None:
        results.append(not problems)
        head = f"{'DIFFERS' if problems else 'same   '}  {what}"
        tqdm.write("\n         ".join([head, *problems]))

    def finish(job: Job, error: str | None, _) -> None:
        for what, problems in [(job.name, [error])] if error else differences(job):
            report(what, problems)

    if not names:
        report("manifest", [*inventory(root)])
    with tempfile.TemporaryDirectory(prefix="vbkit-check-") as scratch:
        make = {"figures": root / "figures", "recheck": int(time.time())}
        jobs = [
            plan(name, path, Path(scratch, name), **make)
            for name, path in chosen.items()
        ]
        run(jobs, workers, timeout, finish)
    print(f"{sum(results)} of {len(results)} as committed")
    return 0 if all(results) else 1


def inventory(root: Path) -> Iterator[str]:
    """What lies in the folder of figures without belonging to a notebook, or the other way
    round."""
    figures, there = root / "figures", notebooks(root)
    owners, found = manifest.owners(figures), {*manifest.products(figures)}
    for path in sorted({*owners} - found):
        yield f"{path.relative_to(root)} is listed but not there"
    judged = any(
        kind(name) == "evidence" for name in there
    )  # a hand-out has no evidence
    for path in sorted(found):
        if owners.get(path) not in there and (judged or path.suffix != ".json"):
            yield f"{path.relative_to(root)} belongs to no notebook"


def differences(job: Job) -> Iterator[tuple[str, list[str]]]:
    """(what, problems) for each figure, page, the claims and the notebook of a job that has run."""
    entries = manifest.read_manifest(job.figures)
    old = {entry["figure"]: entry for entry in entries if entry["notebook"] == job.name}
    fresh = manifest.recorded(job.record, job.name, job.parameters)
    new = {entry["figure"]: entry for entry in fresh}
    yield from _pairs(old, new, lambda a, b: _compare_figures(job, a, b), "published")
    old, new = _pages(job.figures, job), _pages(job.record, job)
    yield from _pairs(old, new, _compare_pages, "published")
    old, new = (
        manifest.claims(job.figures, job.name),
        manifest.recorded_claims(job.record),
    )
    if old or new:
        found = _pairs(old, new, _compare_claims, "settled")
        problems = [
            f"{claim}: {problem}" for claim, problems in found for problem in problems
        ]
        yield f"claims of {job.name}", problems
    yield f"notebook {job.name}", [*lint(job.notebook), *compare_notebooks(job)]


def _pairs(
    old: dict, new: dict, compare: Callable, done: str
) -> Iterator[tuple[str, list[str]]]:
    for key in sorted(old | new):
        if key in old and key in new:
            yield key, [*compare(old[key], new[key])]
        else:
            yield (
                key,
                [
                    f"is {'no longer' if key in old else 'newly'} {done} by this notebook"
                ],
            )


def _compare_figures(job: Job, old: dict, new: dict) -> Iterator[str]:
    for key in ("alt", "parameters", "seed"):
        if old[key] != new[key]:
            yield f"{key} is {new[key]!r}, stored {old[key]!r}"
    png, npz = f"{old['figure']}.png", f"data/{old['figure']}.npz"
    missing = [path for path in (png, npz) if not (job.figures / path).exists()]
    yield from (f"{path} is missing" for path in missing)
    if missing:
        return
    stored, fresh = (
        (folder / png).read_bytes() for folder in (job.figures, job.record)
    )
    if found := pictures.difference(stored, fresh):
        yield found
    with np.load(job.figures / npz) as a, np.load(job.record / npz) as b:
        if {key: digest(a[key]) for key in a} != old["sha256"]:
            yield f"{npz} is not what the manifest's SHA-256 says"
        if {*a} != {*b}:
            yield f"the arrays are {sorted(b)}, stored {sorted(a)}"
        for key in sorted({*a} & {*b}):
            if found := _compare_arrays(
                a[key], b[key], new.get("tolerance", {}).get(key)
            ):
                yield f"array {key}: {found}"


def _compare_arrays(
    old: np.ndarray, new: np.ndarray, tolerance: float | None
) -> str | None:
    """What tells two arrays apart, None if they agree within the tolerance."""
    if old.shape != new.shape or old.dtype.kind != new.dtype.kind:
        return f"{new.dtype} {new.shape}, stored {old.dtype} {old.shape}"
    same = old == new
    if old.dtype.kind in "fc":
        largest = np.max(np.abs(old[np.isfinite(old)]), initial=0.0)
        rtol, atol = (0.0, tolerance * largest) if tolerance else (RTOL, ATOL)
        same = np.isclose(new, old, rtol=rtol, atol=atol, equal_nan=True)
    if same.all():
        return None
    i = tuple(map(int, np.argwhere(~same)[0]))
    count = f"{np.sum(~same)} of {old.size} entries differ"
    return f"{count}; the first, at {i}, is {new[i]}, stored {old[i]}"


def _pages(folder: Path, job: Job) -> dict[str, str]:
    owners = manifest.owners(folder)
    own = [path for path in owners if path.suffix == ".md" and owners[path] == job.name]
    return {path.name: path.read_text("utf-8") for path in own}


def _compare_pages(old: str, new: str) -> Iterator[str]:
    if found := _first_difference(
        *(_without_sizes(page).split("\n") for page in (old, new))
    ):
        yield f"line {found[0]} is {found[1]}"


def _without_sizes(text: str) -> str:
    """A text without the sizes of rounding errors."""
    return ROUNDING.sub("0", text)


def _first_difference(old: Iterable[str], new: Iterable[str]) -> tuple[int, str] | None:
    for number, (a, b) in enumerate(zip_longest(old, new, fillvalue="(nothing)"), 1):
        if a != b:
            return number, f"{b!r:.200}, stored {a!r:.200}"
    return None


def _compare_claims(old: dict, new: dict) -> Iterator[str]:
    a, b = (
        {key: entry[key] for key in ("verdict", "measured")} for entry in (old, new)
    )
    rtol = new["tolerance"] or RTOL
    if not agree(a, b, rtol, ATOL * rtol / RTOL):
        yield f"{b}, stored {a}"


def compare_notebooks(job: Job) -> Iterator[str]:
    """Cells whose pictures or words are not as stored."""
    stored, fresh = (
        code_cells(read(job.notebook)),
        code_cells(read(job.folder / "notebook.ipynb")),
    )
    for number, (old, new) in enumerate(zip(stored, fresh, strict=True), 1):
        for found in pictures.compare(old.outputs, new.outputs):
            yield f"code cell {number}: {found}"
        shown = (
            [_without_sizes(words(each)) for each in cell.outputs]
            for cell in (old, new)
        )
        if found := _first_difference(*shown):
            yield f"code cell {number} shows {found[1]}"
