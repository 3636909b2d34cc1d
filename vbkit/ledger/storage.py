"""How things lie on disk: JSON always in the same form, files whole or not at all."""

import json
import os
from pathlib import Path

PROFILES = ("quick", "paper", "full")  # of a notebook's run


class DamagedFile(ValueError):
    """A stored file that holds no JSON, as after a power cut."""


def read_json(path: Path) -> list[dict]:
    """What a file holds; an empty list where there is none. Raises DamagedFile."""
    if not path.exists():
        return []
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedFile(f"{path} is damaged ({error}); restore it from git") from error


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
