"""Still pictures in answers: attachments of markdown cells, made as the notebook runs.

The fold of an answer shows how a thing ends, also to a reader without a kernel. Its
markdown cell says where: `![](attachment:end.png)`. A code cell of the notebook makes
the picture, `attach("end", explorer.at(...))` (see `vbkit.press.publish.attach`). A run
then puts picture and alternative text into the markdown cell; `reproduce` stores the
notebook with them, and `check` compares them with those of a fresh run.
"""

import base64
import re
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from vbkit.press import UsageError, pictures
from vbkit.press.json_files import read_json, write, write_json

FOLDER = "attachments"  # of a recording
MAX_BYTES = 60_000
TEXT = r"(?:[^\[\]\\]|\\.)*"  # without brackets, but for those after a backslash
LINK = re.compile(rf"!\[(?P<alt>{TEXT})\]\(attachment:(?P<file>[^()\s]+)\)")


def record(name: str, png: bytes, alt: str, recording: Path) -> None:
    """Write a picture to a recording, in fewer colours where nobody sees it.

    Raises ValueError if it still has more than 60 kB, or if the recording has one
    already.
    """
    png = pictures.in_fewer_bytes(png)
    path = recording / FOLDER / f"{name}.png"
    if len(png) > MAX_BYTES:
        raise ValueError(
            f"the still picture {name} has {len(png) / 1000:.0f} kB; an answer holds "
            f"at most {MAX_BYTES / 1000:.0f}: draw it smaller, or with less in it"
        )
    if path.exists():
        raise ValueError(f"two still pictures are called {name}: rename one")
    write(png, path)
    write_json(alt, path.with_suffix(".json"))


def fill(notebook: NotebookNode, recording: Path) -> None:
    """Put the pictures of a recording, and their words, into markdown cells.

    Attachments that no link of their cell refers to are removed. Raises UsageError
    where a cell refers to a picture that was not made, or no cell to one that was.
    """
    made = {path.name: path for path in (recording / FOLDER).glob("*.png")}
    shown = set()
    for cell in _markdown_cells(notebook):
        files = [link["file"] for link in LINK.finditer(cell.source)]
        for file in files:
            if file not in made:
                raise UsageError(
                    f"the markdown cell {cell.id} shows attachment:{file}, and no cell "
                    f"makes it: attach({Path(file).stem!r}, ...)"
                )
        cell.source = LINK.sub(lambda link: _with_alt(link, made), cell.source)
        cell.pop("attachments", None)
        if files:
            cell.attachments = NotebookNode()
        for file in files:
            png = base64.b64encode(made[file].read_bytes()).decode()
            cell.attachments[file] = NotebookNode({"image/png": png})
        shown |= set(files)
    for file in sorted(made.keys() - shown):
        raise UsageError(f"no markdown cell shows the picture ![](attachment:{file})")


def _with_alt(link: re.Match, made: dict[str, Path]) -> str:
    alt = read_json(made[link["file"]].with_suffix(".json"))
    escaped = re.sub(r"([\[\]\\])", r"\\\1", alt)
    return f"![{escaped}](attachment:{link['file']})"


def problems(cell: NotebookNode) -> Iterator[str]:
    """What keeps the attachments of a markdown cell from being publishable."""
    attached = cell.get("attachments", {})
    for link in LINK.finditer(cell.source):
        file = link["file"]
        if file not in attached:
            yield f"shows attachment:{file}, which `python -m vbkit reproduce` makes"
            continue
        if not link["alt"]:
            yield f"shows attachment:{file} without alternative text"
        size = len(base64.b64decode(attached[file].get("image/png", "")))
        if size > MAX_BYTES:
            yield f"holds attachment:{file}, larger than {MAX_BYTES / 1000:g} kB"


def differences(stored: tuple[str, bytes], fresh: tuple[str, bytes]) -> Iterator[str]:
    """Where two attachments, as `attached` gives them, differ."""
    stored_alt, stored_png = stored
    fresh_alt, fresh_png = fresh
    if stored_alt != fresh_alt:
        yield f"it is described by {fresh_alt!r}, stored {stored_alt!r}"
    problem = pictures.difference(stored_png, fresh_png)
    if problem:
        yield problem


def attached(notebook: NotebookNode) -> dict[str, tuple[str, bytes]]:
    """Alternative text and PNG of each attachment of a notebook, by its file's name."""
    files = {}
    for cell in _markdown_cells(notebook):
        alts = {link["file"]: link["alt"] for link in LINK.finditer(cell.source)}
        for file, bundle in cell.get("attachments", {}).items():
            if "image/png" in bundle:
                png = base64.b64decode(bundle["image/png"])
                files[file] = (alts.get(file, ""), png)
    return files


def _markdown_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]
