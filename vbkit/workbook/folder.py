"""A folder that is made whole or not at all: what the hand-out and the book are built in."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vbkit.workbook import OWN, UsageError
from vbkit.workbook.reproduce import SCRATCH
from vbkit.workbook.run import Interruptible


@contextmanager
def new_folder(target: Path, root: Path) -> Iterator[Path]:
    """A scratch folder to fill, moved to `target` when the block ends well; otherwise nothing is left of it.

    UsageError, before anything is written, where target is a file or a folder that holds something, lies
    among the workbook's own files, or cannot be written.
    """
    target, root = target.resolve(), root.resolve()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        kind = "a folder that is not empty" if target.is_dir() else "a file"
        raise UsageError(f"{target} is {kind}: name a new folder")
    if any(target.is_relative_to(root / name) for name in OWN):
        raise UsageError(f"{target} lies among the workbook's own files: name a folder elsewhere")
    scratch = target.parent / f"{SCRATCH}{os.getpid()}-{target.name}"
    if not target.parent.is_dir():
        raise UsageError(f"cannot write to {target}: there is no folder {target.parent}")
    try:
        if target.exists() and not os.access(target, os.W_OK | os.X_OK):
            raise PermissionError(f"no permission to write in {target}")
        scratch.mkdir()
    except OSError as error:
        raise UsageError(f"cannot write to {target}: {error.strerror or error}") from error
    try:
        with Interruptible() as signals:
            yield scratch
            with signals.hold():
                if target.exists():  # it stays the same folder for whoever stands in it
                    for path in [*scratch.iterdir()]:
                        path.rename(target / path.name)
                else:
                    scratch.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)  # after a rename it is no longer there
