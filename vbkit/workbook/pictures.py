"""Whether two pictures look the same: RMS over pixels, since drawings are not bit-identical
everywhere."""

from __future__ import annotations

import base64
import io

import numpy as np
from PIL import Image

LIMIT = 2.0  # of 255


def difference(stored: bytes, fresh: bytes) -> str | None:
    """What tells two PNGs apart, None if they have one size and differ by no more than an RMS of 2
    of 255."""
    if stored == fresh:
        return None
    a, b = (
        np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=float)
        for png in (stored, fresh)
    )
    if a.shape != b.shape:
        return (
            f"the picture is {b.shape[1]} x {b.shape[0]} pixels, stored {a.shape[1]} x {a.shape[0]}"
        )
    rms = np.sqrt(np.mean((a - b) ** 2))
    return (
        None if rms <= LIMIT else f"the picture differs by {rms:.1f} of 255 RMS (at most {LIMIT:g})"
    )


def compare(stored: list, fresh: list) -> list[str]:
    """Differences between the pictures in two lists of outputs, pair by pair."""
    a, b = (
        [o["data"]["image/png"] for o in outputs if "image/png" in o.get("data", {})]
        for outputs in (stored, fresh)
    )
    if len(a) != len(b):
        return [f"there are {len(b)} pictures, stored {len(a)}"]
    pairs = (map(base64.b64decode, pair) for pair in zip(a, b, strict=True))
    return [found for pair in pairs if (found := difference(*pair))]
