"""Whether two pictures look the same: RMS over pixels, since drawings are not bit-identical
everywhere."""

import base64
import io

import numpy as np
from PIL import Image, ImageChops

LIMIT = 2.0  # of 255
UNSEEN = (
    8  # of 255: no channel of any pixel changes by more when the colours become fewer
)


def difference(stored: bytes, fresh: bytes) -> str | None:
    """What tells two PNGs apart, None if they have one size and differ by no more than an RMS of 2
    of 255."""
    if stored == fresh:
        return None
    a, b = (Image.open(io.BytesIO(png)).convert("RGB") for png in (stored, fresh))
    if a.size != b.size:
        return "the picture is {} x {} pixels, stored {} x {}".format(*b.size, *a.size)
    rms = np.sqrt(np.mean((np.asarray(a, float) - np.asarray(b, float)) ** 2))
    if rms <= LIMIT:
        return None
    return f"the picture differs by {rms:.1f} of 255 RMS (at most {LIMIT:g})"


def quantised(png: bytes) -> bytes:
    """The picture in at most 256 colours, or unchanged where the eye might see the difference."""
    full = Image.open(io.BytesIO(png)).convert("RGB")
    few = full.quantize(
        256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )
    change = ImageChops.difference(full, few.convert("RGB"))
    if max(high for _, high in change.getextrema()) > UNSEEN:
        return png
    file = io.BytesIO()
    few.save(file, "PNG", optimize=True)
    return min(png, file.getvalue(), key=len)


def compare(stored: list, fresh: list) -> list[str]:
    """Differences between the pictures in two lists of outputs, pair by pair."""
    a, b = _pngs(stored), _pngs(fresh)
    if len(a) != len(b):
        return [f"there are {len(b)} pictures, stored {len(a)}"]
    return [found for pair in zip(a, b, strict=True) if (found := difference(*pair))]


def _pngs(outputs: list) -> list[bytes]:
    bundles = (output.get("data", {}) for output in outputs)
    return [
        base64.b64decode(data["image/png"]) for data in bundles if "image/png" in data
    ]
