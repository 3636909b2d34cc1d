"""What is on file: published figures with their origin and digests, pages, stored studies, settled claims."""

from __future__ import annotations

import json
import os
from pathlib import Path

NAME = "manifest.json"
LEDGER = "ledger.json"


def read_json(path: Path) -> list[dict]:
    """What a file holds; an empty list where there is none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def write_json(content, path: Path, *, sort_keys: bool = False) -> None:
    """Write JSON, always in the same form."""
    write(
        (json.dumps(content, indent=1, ensure_ascii=False, sort_keys=sort_keys) + "\n").encode(),
        path,
    )


def write(content: bytes, path: Path) -> None:
    """Write a file, whole or not at all, and the folders it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.write_bytes(content)
    os.replace(new, path)


def read_manifest(figures: Path) -> list[dict]:
    """Entries of a folder's manifest, sorted by figure; empty where there is none."""
    return read_json(figures / NAME)


def write_manifest(entries: list[dict], path: Path) -> None:
    """Write entries, sorted by figure."""
    write_json(sorted(entries, key=lambda entry: entry["figure"]), path)


def recorded(record: Path, notebook: str, parameters: dict) -> list[dict]:
    """The entries of the figures that a recording of a notebook holds."""
    found = [
        json.loads(path.read_text()) for path in sorted(record.glob("fragments/figure-*.json"))
    ]
    own = {"notebook": notebook, "parameters": parameters, "seed": parameters.get("seed")}
    return [{"source": entry["source"], "figure": entry["figure"]} | own | entry for entry in found]


def files(figures: Path, entries: list[dict]) -> list[Path]:
    """Picture and arrays of each entry."""
    names = [entry["figure"] for entry in entries]
    return [figures / f"{name}.png" for name in names] + [
        figures / "data" / f"{name}.npz" for name in names
    ]


def studies(figures: Path, notebook: str) -> list[Path]:
    """The stored studies that a notebook made."""
    found = (figures / "data").glob("*.json")
    return [path for path in found if json.loads(path.read_text())["notebook"] == notebook]


def pages(figures: Path, notebook: str) -> list[Path]:
    """The pages that a notebook published; the first line of each names it."""
    return [
        path
        for path in sorted(figures.glob("*.md"))
        if path.read_text("utf-8").startswith(f"<!-- {notebook} ")
    ]


def claims(figures: Path, notebook: str) -> dict[str, dict]:
    """The ledger's entries of the claims that a notebook settled, by id."""
    return {
        entry["id"]: entry for entry in read_json(figures / LEDGER) if entry["notebook"] == notebook
    }


def recorded_claims(record: Path) -> dict[str, dict]:
    """The same from a recording."""
    return {
        entry["id"]: entry
        for entry in map(read_json, sorted(record.glob("fragments/claim-*.json")))
    }
