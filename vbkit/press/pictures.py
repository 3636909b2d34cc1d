"""PNG pictures: whether two look the same, and the same picture in fewer bytes.

Drawings are not bit-identical on every machine, so pictures are compared by the root
mean square (RMS) of the differences of their pixels.
"""

import base64
import io
from struct import unpack

import numpy as np
from PIL import Image, ImageChops

from vbkit import plots

LIMIT = 2.0  # RMS, of 255
# of 255: no channel of any pixel changes by more when the colours become fewer
UNSEEN = 8


def difference(stored: bytes, fresh: bytes) -> str | None:
    """What tells two PNGs apart, in words.

    None if they have one size and differ by an RMS of at most 2 of 255.
    """
    if stored == fresh:
        return None
    stored_image = _rgb(stored)
    fresh_image = _rgb(fresh)
    if stored_image.size != fresh_image.size:
        width, height = fresh_image.size
        stored_width, stored_height = stored_image.size
        return (
            f"the picture is {width} x {height} pixels, "
            f"stored {stored_width} x {stored_height}"
        )
    change = np.asarray(stored_image, float) - np.asarray(fresh_image, float)
    rms = np.sqrt(np.mean(change**2))
    if rms <= LIMIT:
        return None
    return f"the picture differs by {rms:.1f} of 255 RMS (at most {LIMIT:g})"


def differences(stored_outputs: list, fresh_outputs: list) -> list[str]:
    """What tells the pictures in two lists of a cell's outputs apart, pair by pair."""
    stored = pngs(stored_outputs)
    fresh = pngs(fresh_outputs)
    if len(stored) != len(fresh):
        return [f"there are {len(fresh)} pictures, stored {len(stored)}"]
    pairs = zip(stored, fresh, strict=True)
    each = [difference(stored_png, fresh_png) for stored_png, fresh_png in pairs]
    return [problem for problem in each if problem]


def in_fewer_bytes(png: bytes) -> bytes:
    """The picture in at most 256 colours, or unchanged where one might see it."""
    few = plots.quantised(png, 256)
    change = ImageChops.difference(_rgb(png), _rgb(few))
    if max(largest for _, largest in change.getextrema()) > UNSEEN:
        return png
    return min(png, few, key=len)


def _rgb(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def size(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG in pixels, from its head."""
    return unpack(">II", png[16:24])


def pngs(outputs: list) -> list[bytes]:
    """The pictures in the outputs of a cell."""
    data = [output.get("data", {}) for output in outputs]
    return [base64.b64decode(each["image/png"]) for each in data if "image/png" in each]
