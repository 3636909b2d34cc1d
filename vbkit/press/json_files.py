"""JSON files, always written in the same form, and whole or not at all."""

import json
import os
from pathlib import Path


class DamagedFile(ValueError):
    """A stored file that does not hold what was written, as after a power cut."""


def read_json(path: Path):
    """What a JSON file holds. Raises DamagedFile if it is not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedFile(
            f"{path} is damaged ({error}); restore it from git"
        ) from error


def read_entries(path: Path, *keys: str) -> list[dict]:
    """The entries of a JSON file, each with all keys; none where there is no file.

    Raises DamagedFile where the file holds anything else.
    """
    if not path.exists():
        return []
    entries = read_json(path)
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and entry.keys() >= set(keys) for entry in entries
    ):
        raise DamagedFile(
            f"{path} is damaged (no list of entries with {', '.join(keys)}); "
            "restore it from git"
        )
    return entries


def write_json(content, path: Path, *, sort_keys: bool = False) -> None:
    """Write JSON, always in the same form, as `write` writes."""
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=sort_keys)
    write(f"{text}\n".encode(), path)


def write(content: bytes, path: Path) -> None:
    """Write a file, whole or not at all, and make the folders it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.new")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
