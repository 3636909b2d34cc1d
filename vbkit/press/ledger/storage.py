"""How things lie on disk: JSON always in the same form, files whole or not at all."""

import json
import os
from pathlib import Path

PROFILES = ("quick", "paper", "full")  # of a notebook's run


class DamagedFile(ValueError):
    """A stored file that does not hold what was written, as after a power cut."""


def read_json(path: Path):
    """What a file holds. Raises DamagedFile."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedFile(
            f"{path} is damaged ({error}); restore it from git"
        ) from error


def read_entries(path: Path, *keys: str) -> list[dict]:
    """The entries of a file, each with all of the keys; none where there is no file. Raises
    DamagedFile."""
    entries = read_json(path) if path.exists() else []
    whole = isinstance(entries, list) and all(
        isinstance(entry, dict) for entry in entries
    )
    if not whole or not all(entry.keys() >= {*keys} for entry in entries):
        wanted = f"entries with {', '.join(keys)}"
        raise DamagedFile(
            f"{path} is damaged (no list of {wanted}); restore it from git"
        )
    return entries


def write_json(content, path: Path, *, sort_keys: bool = False) -> None:
    """Write JSON, always in the same form."""
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=sort_keys)
    write(f"{text}\n".encode(), path)


def write(content: bytes, path: Path) -> None:
    """Write a file, whole or not at all, and make the folders it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.write_bytes(content)
    os.replace(new, path)
