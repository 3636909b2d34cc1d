"""What is on file: figures with their origin and digests, pages, stored studies, settled claims."""

import os
import re
from pathlib import Path

from vbkit.press import UsageError
from vbkit.press.folder import SCRATCH
from vbkit.press.ledger.storage import read_entries, read_json, write_json

NAME = "manifest.json"
LEDGER = "ledger.json"
MAKER = re.compile(
    r'^<!-- (\S+) makes this page|"notebook": "([^"]+)"'
)  # in a file's first line


def read_manifest(figures: Path) -> list[dict]:
    """Entries of a folder's manifest, sorted by figure; empty where there is none."""
    return read_entries(figures / NAME, "figure", "notebook", "parameters")


def write_manifest(entries: list[dict], path: Path) -> None:
    """Write entries, sorted by figure."""
    write_json(sorted(entries, key=lambda entry: entry["figure"]), path)


def recorded(record: Path, notebook: str, parameters: dict) -> list[dict]:
    """The entries of the figures in a recording of a notebook."""
    found = [read_json(path) for path in sorted(record.glob("fragments/figure-*.json"))]
    own = {
        "notebook": notebook,
        "parameters": parameters,
        "seed": parameters.get("seed"),
    }
    return [
        {"source": entry["source"], "figure": entry["figure"]} | own | entry
        for entry in found
    ]


def owners(figures: Path) -> dict[Path, str]:
    """The notebook that made each picture, array, page and stored study that is on file.

    The manifest says it of pictures and arrays, a file's first line of pages and studies."""
    found = _listed(read_manifest(figures), figures)
    for path in sorted([*figures.glob("*.md"), *figures.glob("data/*.json")]):
        with open(path, encoding="utf-8") as file:
            if maker := MAKER.search(file.readline()):
                found[path] = maker[1] or maker[2]
    return found


def _listed(entries: list[dict], figures: Path) -> dict[Path, str]:
    """The notebook of each picture and array in the entries of a manifest."""
    names = "{}.png", "data/{}.npz"
    found = {}
    for entry in entries:
        found |= {
            figures / name.format(entry["figure"]): entry["notebook"] for name in names
        }
    return found


def refuse_strangers(
    destination: Path, home: Path, figures: Path, chosen: dict
) -> None:
    """UsageError for a file that a run would overwrite though no run has made it."""
    if destination == figures:  # the workbook's own
        return
    made, known = {*owners(destination)}, owners(figures)
    begun = [
        *destination.glob(f"{SCRATCH}*/**/{NAME}")
    ]  # runs that were killed as they moved in
    for path in begun:
        made |= {*_listed(read_manifest(path.parent), destination)}
    aims = {
        destination / path.relative_to(figures)
        for path in known
        if known[path] in chosen
    }
    if not (
        begun or (destination / NAME).exists()
    ):  # with it, these are of an earlier run
        aims |= {home / f"{name}.ipynb" for name in chosen} | {destination / LEDGER}
    for path in sorted(aims - made):
        if os.path.lexists(path):
            raise UsageError(
                f"{path} would be overwritten, and no run made it: move it away"
            )


def products(figures: Path) -> list[Path]:
    """All pictures, pages, arrays and stored studies of a folder."""
    return [path for kind in ("*.png", "*.md", "data/*") for path in figures.glob(kind)]


def claims(figures: Path, notebook: str) -> dict[str, dict]:
    """The ledger's entries of the claims that a notebook settled, by id."""
    entries = read_entries(figures / LEDGER, "id", "notebook")
    return {entry["id"]: entry for entry in entries if entry["notebook"] == notebook}


def recorded_claims(record: Path) -> dict[str, dict]:
    """The same from a recording."""
    found = [read_json(path) for path in sorted(record.glob("fragments/claim-*.json"))]
    return {entry["id"]: entry for entry in found}
