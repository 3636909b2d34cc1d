"""What is on file: figures with their origin, pages, stored studies, claims."""

import os
import re
from pathlib import Path

from vbkit.press import UsageError
from vbkit.press.folder import SCRATCH
from vbkit.press.json_files import read_entries, read_json, write_json

MANIFEST = "manifest.json"
LEDGER = "ledger.json"
# Pages and stored studies say in their first line which notebook made them.
MAKER = re.compile(r'^<!-- (\S+) makes this page|"notebook": "([^"]+)"')


def read_manifest(figures: Path) -> list[dict]:
    """Entries of a folder's manifest, sorted by figure; empty where there is none."""
    return read_entries(figures / MANIFEST, "figure", "notebook", "parameters")


def write_manifest(entries: list[dict], path: Path) -> None:
    """Write entries of a manifest, sorted by figure."""
    write_json(sorted(entries, key=lambda entry: entry["figure"]), path)


def recorded_figures(recording: Path, notebook: str, parameters: dict) -> list[dict]:
    """The manifest's entries for the figures in a recording of a notebook."""
    entries = []
    for path in sorted(recording.glob("fragments/figure-*.json")):
        fragment = read_json(path)
        entry = {
            "source": fragment["source"],
            "figure": fragment["figure"],
            "notebook": notebook,
            "parameters": parameters,
            "seed": parameters.get("seed"),
        }
        entries.append(entry | fragment)
    return entries


def settled_claims(figures: Path, notebook: str) -> dict[str, dict]:
    """The ledger's entries of the claims that a notebook settled, by id."""
    entries = read_entries(figures / LEDGER, "id", "notebook")
    return {entry["id"]: entry for entry in entries if entry["notebook"] == notebook}


def recorded_claims(recording: Path) -> dict[str, dict]:
    """The claims that the notebook of a recording settled, by id."""
    paths = sorted(recording.glob("fragments/claim-*.json"))
    entries = [read_json(path) for path in paths]
    return {entry["id"]: entry for entry in entries}


def products(figures: Path) -> list[Path]:
    """All pictures, pages, arrays and stored studies of a folder, but for the page that
    tells what the folder is, which is written by hand."""
    found = [*figures.glob("*.png"), *figures.glob("*.md"), *figures.glob("data/*")]
    return [path for path in found if path.name != "README.md"]


def owners(figures: Path) -> dict[Path, str]:
    """The notebook that made each picture, array, page and stored study on file.

    The manifest says it of pictures and arrays, a file's first line of pages and
    studies.
    """
    notebooks = _owners_of_figures(read_manifest(figures), figures)
    for path in sorted([*figures.glob("*.md"), *figures.glob("data/*.json")]):
        with open(path, encoding="utf-8") as file:
            maker = MAKER.search(file.readline())
        if maker:
            notebooks[path] = maker[1] or maker[2]
    return notebooks


def _owners_of_figures(entries: list[dict], figures: Path) -> dict[Path, str]:
    """The notebook of each picture and array in the entries of a manifest."""
    notebooks = {}
    for entry in entries:
        name = entry["figure"]
        notebooks[figures / f"{name}.png"] = entry["notebook"]
        notebooks[figures / "data" / f"{name}.npz"] = entry["notebook"]
    return notebooks


def refuse_strangers(
    destination: Path, home: Path, figures: Path, chosen: set[str]
) -> None:
    """UsageError for a file that a run would overwrite though no run has made it.

    destination: the folder of figures to write to; home: that of the notebooks;
    figures: the workbook's own; chosen: the names of the notebooks that will run.
    """
    if destination == figures:
        return
    made = set(owners(destination))
    # Runs that were killed as they moved files in have left their manifests behind.
    unfinished = list(destination.glob(f"{SCRATCH}*/**/{MANIFEST}"))
    for path in unfinished:
        entries = read_manifest(path.parent)
        made |= _owners_of_figures(entries, destination).keys()
    targets = {
        destination / path.relative_to(figures)
        for path, notebook in owners(figures).items()
        if notebook in chosen
    }
    if not unfinished and not (destination / MANIFEST).exists():
        # With a manifest, notebooks and ledger are those of an earlier run.
        targets |= {home / f"{name}.ipynb" for name in chosen}
        targets.add(destination / LEDGER)
    for path in sorted(targets - made):
        if os.path.lexists(path):
            raise UsageError(
                f"{path} would be overwritten, and no run made it: move it away"
            )
