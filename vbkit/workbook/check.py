"""Run notebooks into a scratch folder and say where they differ from what is committed."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import zip_longest
from pathlib import Path

import numpy as np

from vbkit.workbook import ROOT, manifest, pictures
from vbkit.workbook.canonical import code_cells, lint, read, words
from vbkit.workbook.publish import ATOL, agree, digest
from vbkit.workbook.reproduce import plan
from vbkit.workbook.run import Interruptible, Job, run
from vbkit.workbook.select import choose, notebooks

RTOL = 1e-6  # for arrays and measured numbers that declare nothing looser


def check(
    names: Iterable[str] = (), *, workers: int = 2, timeout: float = 600, root: Path = ROOT
) -> int:
    """Compare figures, claims and notebooks with what a fresh run gives, a line for each, a count at the end.

    Returns 0 if all agree, 1 if something differs or fails, 130 if interrupted. Of stored studies, each check
    computes other jobs again.
    """
    from tqdm import tqdm

    root, results = root.absolute(), []

    def report(what: str, problems: list[str]) -> None:
        results.append(not problems)
        tqdm.write(
            "\n         ".join([f"{'DIFFERS' if problems else 'same   '}  {what}", *problems])
        )

    chosen, seed = choose(root, names), int(time.time())
    try:
        with (
            Interruptible() as signals,
            tempfile.TemporaryDirectory(prefix="vbkit-check-") as scratch,
        ):
            jobs = [
                plan(name, path, Path(scratch, name), figures=root / "figures", recheck=seed)
                for name, path in chosen.items()
            ]
            if not names:
                report("manifest", _inventory(root))
            with closing(run(jobs, workers, timeout, signals)) as finished:
                for job, error, _ in finished:
                    for what, problems in [(job.name, [error])] if error else _compare(job):
                        report(what, problems)
    except KeyboardInterrupt:
        print("vbkit: interrupted", file=sys.stderr)
        return 130
    print(f"{sum(results)} of {len(results)} as committed")
    return 0 if all(results) else 1


def _inventory(root: Path) -> list[str]:
    """What lies in the folder of figures without belonging to a notebook, or the other way round."""
    figures, there = root / "figures", notebooks(root)
    entries = manifest.read_manifest(figures)
    listed = {*manifest.files(figures, entries)}
    known = listed.union(
        *(manifest.studies(figures, name) + manifest.pages(figures, name) for name in there)
    )
    found = {*figures.glob("*.png"), *figures.glob("*.md"), *figures.glob("data/*")}
    return [
        *(
            f"{e['figure']}: {e['notebook']} is not there"
            for e in entries
            if e["notebook"] not in there
        ),
        *(f"{path.relative_to(root)} is listed but not there" for path in sorted(listed - found)),
        *(f"{path.relative_to(root)} belongs to no notebook" for path in sorted(found - known)),
    ]


def _compare(job: Job) -> Iterator[tuple[str, list[str]]]:
    """(what, problems) for each figure, the claims and the notebook of a job that has run."""
    committed = {
        e["figure"]: e for e in manifest.read_manifest(job.figures) if e["notebook"] == job.name
    }
    fresh = {e["figure"]: e for e in manifest.recorded(job.record, job.name, job.parameters)}
    for name in sorted(committed | fresh):
        if name in committed and name in fresh:
            yield name, [*_compare_figure(job, committed[name], fresh[name])]
        else:
            yield (
                name,
                [f"is {'no longer' if name in committed else 'newly'} published by {job.name}"],
            )
    pages = [
        {path.name: path for path in manifest.pages(f, job.name)} for f in (job.figures, job.record)
    ]
    for name in sorted({*pages[0]} | {*pages[1]}):
        yield name, [*_compare_pages(*(side.get(name) for side in pages))]
    claims = manifest.claims(job.figures, job.name), manifest.recorded_claims(job.record)
    if any(claims):
        yield f"claims of {job.name}", [*_compare_claims(*claims)]
    yield f"notebook {job.name}", [*lint(job.notebook), *_compare_notebooks(job)]


def _compare_figure(job: Job, committed: dict, fresh: dict) -> Iterator[str]:
    for key in ("alt", "parameters", "seed"):
        if committed[key] != fresh[key]:
            yield f"{key} is {fresh[key]!r}, stored {committed[key]!r}"
    png, npz = manifest.files(Path(), [committed])
    if missing := [
        f"{path} is missing" for path in (png, npz) if not (job.figures / path).exists()
    ]:
        yield from missing
        return
    if found := pictures.difference(
        *((folder / png).read_bytes() for folder in (job.figures, job.record))
    ):
        yield found
    with np.load(job.figures / npz) as old, np.load(job.record / npz) as new:
        if {key: digest(old[key]) for key in old} != committed["sha256"]:
            yield f"{npz} is not what the manifest's SHA-256 says"
        if {*old} != {*new}:
            yield f"the arrays are {sorted(new)}, stored {sorted(old)}"
        for key in sorted({*old} & {*new}):
            if found := _compare_arrays(old[key], new[key], fresh.get("tolerance", {}).get(key)):
                yield f"array {key}: {found}"


def _compare_arrays(old: np.ndarray, new: np.ndarray, tolerance: float | None) -> str | None:
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
    return f"{np.sum(~same)} of {old.size} entries differ; the first, at {i}, is {new[i]}, stored {old[i]}"


def _compare_pages(old: Path | None, new: Path | None) -> Iterator[str]:
    if not (old and new):
        yield f"is {'no longer' if old else 'newly'} published by this notebook"
        return
    lines = zip_longest(
        *(path.read_text("utf-8").split("\n") for path in (old, new)), fillvalue="(nothing)"
    )
    for number, (a, b) in enumerate(lines, 1):
        if a != b:
            yield f"line {number} is {b!r:.200}, stored {a!r:.200}"
            return


def _compare_claims(old: dict[str, dict], new: dict[str, dict]) -> Iterator[str]:
    for claim in sorted(old | new):
        if claim not in old or claim not in new:
            yield f"{claim} is {'no longer' if claim in old else 'newly'} settled here"
            continue
        a, b = ({key: side[claim][key] for key in ("verdict", "measured")} for side in (old, new))
        if not agree(a, b, new[claim]["tolerance"] or RTOL):
            yield f"{claim}: {b}, stored {a}"


def _compare_notebooks(job: Job) -> Iterator[str]:
    """Cells whose pictures or words are not as stored."""
    pairs = zip(
        code_cells(read(job.notebook)), code_cells(read(job.folder / "notebook.ipynb")), strict=True
    )
    for number, (old, new) in enumerate(pairs, 1):
        for found in pictures.compare(old.outputs, new.outputs):
            yield f"code cell {number}: {found}"
        a, b = ([*map(words, cell.outputs), ""] for cell in (old, new))
        if a != b:
            before, after = next(pair for pair in zip(a, b, strict=False) if pair[0] != pair[1])
            yield f"code cell {number} shows {after!r:.200}, stored {before!r:.200}"
