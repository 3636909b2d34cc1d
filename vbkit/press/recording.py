"""The form of a recorded explorer, as a script that a page loads.

Three programs know it: `vbkit.press.recorder` writes it, and `vbkit.press.recorded` and
pages/explorers.js show a frame of it. A frame is one picture with its line of text, and
there is one for each combination of the controls' positions; the last control changes
fastest. What many frames share is stored once: the pictures are made of pieces of SVG,
and a frame says for each artist which piece it shows.

Here nothing of matplotlib is imported, because `recorded` runs in the browser, too.
"""

import json
import re
import zlib
from base64 import b64decode, b64encode
from itertools import accumulate, pairwise
from typing import TypedDict

POINTS = 72  # an inch
RAW_DEFLATE = -15  # zlib's window bits for a stream without header, as browsers read it
NOTHING = -1  # the number of the piece of an artist that shows nothing
SCRIPT = re.compile(r'vbkit\.arrived\("(?P<name>[^"]+)", "(?P<data>[^"]+)"\);\n')


class RecordedControl(TypedDict):
    """A control, with those of its positions that are recorded."""

    label: str
    kind: str  # "slider", "dropdown" or "checkbox"
    play: int | None  # milliseconds from one position to the next; None: no such button
    texts: list[str]  # what it shows at each position
    first: int  # the place of the first position among the texts
    all: int  # so many positions the explorer itself has


class RecordedExplorer(TypedDict):
    """An explorer's frames; a length is in points."""

    title: str
    alt: str
    size: list[float]  # width and height
    columns: list[list[float]]  # left edge and width of each column of panels
    controls: list[RecordedControl]
    defs: str  # SVG to which the pieces refer
    pieces: list[str]  # of SVG
    frames: list[list[int]]  # for each artist its `differences` of numbers of pieces
    readings: list[str]  # lines of text
    said: list[int]  # `differences` of numbers of readings, one for each frame


def pack(name: str, recording: RecordedExplorer) -> str:
    """A script that hands a recording to the page.

    A page that was opened from a disk can fetch no file, but it can run a script.
    """
    text = json.dumps(recording, separators=(",", ":"), ensure_ascii=False)
    deflate = zlib.compressobj(9, zlib.DEFLATED, RAW_DEFLATE)
    packed = deflate.compress(text.encode()) + deflate.flush()
    return f'vbkit.arrived("{name}", "{b64encode(packed).decode()}");\n'


def unpack(script: str) -> RecordedExplorer:
    """The recording in a script. Raises ValueError for any other text."""
    made = SCRIPT.fullmatch(script)
    if made is None:
        raise ValueError(
            f"script was {script[:30]!r}; it must be a text that `pack` made"
        )
    return json.loads(zlib.decompress(b64decode(made["data"]), RAW_DEFLATE))


def differences(numbers: list[int]) -> list[int]:
    """The first of the numbers, and of each other one the difference from that before.

    Differences compress better than the numbers.
    """
    return [after - before for before, after in pairwise([0, *numbers])]


def numbers(differences: list[int]) -> list[int]:
    """The numbers that have these `differences`."""
    return [*accumulate(differences)]
