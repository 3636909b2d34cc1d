"""What is on file: published figures with their origin and digests, pages, stored studies, settled claims."""

from __future__ import annotations

import json
from pathlib import Path

NAME = "manifest.json"
LEDGER = "ledger.json"


def _read(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def read_manifest(figures: Path) -> list[dict]:
    """Entries of a folder's manifest, sorted by figure; empty where there is none."""
    return _read(figures / NAME)


def write_manifest(entries: list[dict], path: Path) -> None:
    """Write entries, sorted by figure, always in the same form."""
    text = json.dumps(sorted(entries, key=lambda entry: entry["figure"]), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def recorded(record: Path, notebook: str, parameters: dict) -> list[dict]:
    """The entries of the figures that a recording of a notebook holds."""
    found = [json.loads(path.read_text()) for path in sorted(record.glob("fragments/figure-*.json"))]
    own = {"notebook": notebook, "parameters": parameters, "seed": parameters.get("seed")}
    return [{"source": entry["source"], "figure": entry["figure"]} | own | entry for entry in found]


def files(figures: Path, entries: list[dict]) -> list[Path]:
    """Picture and arrays of each entry."""
    names = [entry["figure"] for entry in entries]
    return [figures / f"{name}.png" for name in names] + [figures / "data" / f"{name}.npz" for name in names]


def studies(figures: Path, notebook: str) -> list[Path]:
    """The stored studies that a notebook made."""
    found = (figures / "data").glob("*.json")
    return [path for path in found if json.loads(path.read_text())["notebook"] == notebook]


def pages(figures: Path, notebook: str) -> list[Path]:
    """The pages that a notebook published; the first line of each names it."""
    return [path for path in sorted(figures.glob("*.md")) if path.read_text("utf-8").startswith(f"<!-- {notebook} ")]


def claims(figures: Path, notebook: str) -> dict[str, dict]:
    """The ledger's entries of the claims that a notebook settled, by id."""
    return {entry["id"]: entry for entry in _read(figures / LEDGER) if entry["notebook"] == notebook}


def recorded_claims(record: Path) -> dict[str, dict]:
    """The same from a recording."""
    return {entry["id"]: entry for entry in map(_read, sorted(record.glob("fragments/claim-*.json")))}
