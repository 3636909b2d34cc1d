"""Folders: the workbook's own, new ones made whole or not at all, leftovers.

A folder or file that is being made has a name of its own that says which process on
which machine makes it (`stamp`), so that what a killed run has left can be recognised
and removed. `tempfile` would make folders that nobody but their owner may read.
"""

import os
import platform
import re
import shutil
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vbkit.press import OWN, ROOT, UsageError

# beginning of the name of what a run makes; its process and its machine follow
SCRATCH = ".vbkit-"
# a container has a name of its own
MACHINE = f"{zlib.crc32(platform.node().encode()):08x}"
MAKER = re.compile(rf"{re.escape(SCRATCH)}(\d+)(?:\.([^-]*))?-")  # see `stamp`
DAY = 86_400.0  # seconds after which a run of another machine counts as over
RECORDINGS = ".vbkit-recordings"  # of explorers, kept for the next book
LEFTOVERS = (
    "__pycache__",
    ".ipynb_checkpoints",
    ".pytest_cache",
    ".ruff_cache",
    RECORDINGS,
)
COMPILED = (".nbi", ".nbc")  # numba's caches


def own(folder: Path, root: Path) -> bool:
    """Whether a folder is the workbook's or lies among its own files."""
    folder = folder.resolve()
    root = root.resolve()
    return folder == root or any(folder.is_relative_to(root / name) for name in OWN)


@contextmanager
def new_folder(target: Path, root: Path, *, kind: str = "folder") -> Iterator[Path]:
    """A scratch folder to fill, or of the kind "file" a file to write.

    It becomes `target` when the block ends well, else nothing is left of it. Raises
    UsageError, before anything is written, where target is a file or a folder that
    holds something, lies among the workbook's own files, or cannot be written.
    """
    try:
        target = target.resolve()
        _check_is_free(target, kind)
        if own(target, root):
            raise UsageError(
                f"{target} lies among the workbook's own files: name another {kind}"
            )
        remove_abandoned(target.parent)
        scratch = target.parent / f"{stamp()}-{target.name}"
        if kind == "file":
            scratch.touch()
        else:
            scratch.mkdir()
    except (OSError, RuntimeError) as error:  # too long a name, links in a circle, ...
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot write to {target}: {reason}") from error
    try:
        yield scratch
        _check_is_free(target, kind)  # another may have made it in the meantime
        os.replace(scratch, target)
    finally:
        with suppress(OSError):  # after the move it is no longer there
            _remove(scratch)


def _check_is_free(target: Path, kind: str) -> None:
    """UsageError unless a new file, or folder, in this place is in nobody's way."""
    if target.is_mount():
        raise UsageError(f"{target} is a mount point: name a new {kind} inside it")
    if not target.exists():
        return
    if kind == "file":
        raise UsageError(f"{target} exists: name a new file")
    if not target.is_dir():
        raise UsageError(f"{target} is a file: name a new folder")
    if any(target.iterdir()):
        raise UsageError(f"{target} is a folder that is not empty: name a new folder")


def stamp() -> str:
    """The beginning of the name of what this run makes."""
    return f"{SCRATCH}{os.getpid()}.{MACHINE}"


def clean(root: Path = ROOT) -> list[Path]:
    """Remove caches and folders of interrupted runs below root, never a figure.

    Returns what was removed. Links stay. Raises UsageError where root is no workbook,
    and for what cannot be removed.
    """
    if not (root / "notebooks").is_dir():
        raise UsageError(f"{root} is no workbook: there is no folder notebooks in it")
    try:
        return _clean(root)
    except OSError as error:
        raise UsageError(f"cannot remove {error.filename}: {error.strerror}") from error


def _clean(root: Path) -> list[Path]:
    removed = []
    for place, folders, files in os.walk(root):
        if "pyvenv.cfg" in files or Path(place).name == ".git":
            folders.clear()
            continue
        for name in (*folders, *files):
            path = Path(place, name)
            if _is_leftover(path) and not path.is_symlink():
                _remove(path)
                removed.append(path)
    return removed


def _is_leftover(path: Path) -> bool:
    return path.name in LEFTOVERS or path.suffix in COMPILED or _is_abandoned(path)


def remove_abandoned(place: Path) -> None:
    """Remove what runs that were killed left in a folder, as far as one may."""
    for path in place.glob(f"{SCRATCH}*"):
        if _is_abandoned(path) and not path.is_symlink():
            with suppress(OSError):
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _is_abandoned(path: Path) -> bool:
    """Whether a folder or file is of a run whose process is no longer there.

    Nobody can ask for a process of another machine, or container: its run counts as
    over after a day.
    """
    maker = MAKER.match(path.name)
    if not maker:
        return False
    process, machine = maker.groups()
    if machine not in (None, MACHINE):
        return time.time() - path.lstat().st_mtime > DAY
    try:
        os.kill(int(process), 0)  # asks only whether there is such a process
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False
