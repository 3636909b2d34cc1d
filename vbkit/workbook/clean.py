"""Remove what runs and tests leave behind."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from vbkit.workbook import ROOT, UsageError
from vbkit.workbook.reproduce import SCRATCH

LEFTOVERS = ("__pycache__", ".ipynb_checkpoints", ".pytest_cache", ".ruff_cache")


def clean(root: Path = ROOT) -> list[Path]:
    """Remove caches and folders of interrupted runs below root, never a figure; returns what it removed.

    UsageError where root is no workbook. Links stay.
    """
    if not (root / "notebooks").is_dir():
        raise UsageError(f"{root} is no workbook: there is no folder notebooks in it")
    removed = []
    for folder, folders, files in os.walk(root):
        if "pyvenv.cfg" in files or Path(folder).name == ".git":
            folders.clear()
            continue
        for path in [
            Path(folder, name) for name in folders if name in LEFTOVERS or _abandoned(name)
        ]:
            if not path.is_symlink():
                shutil.rmtree(path)
                folders.remove(path.name)
                removed.append(path)
        for name in [name for name in files if name.endswith((".nbi", ".nbc"))]:
            Path(folder, name).unlink()
            removed.append(Path(folder, name))
    return removed


def _abandoned(name: str) -> bool:
    """Whether a folder is of a run whose process is no longer there."""
    import psutil

    number = name.removeprefix(SCRATCH).split("-")[0]
    return name.startswith(SCRATCH) and number.isdigit() and not psutil.pid_exists(int(number))
