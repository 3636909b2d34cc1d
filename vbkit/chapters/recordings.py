"""Recordings of the explorers, made on all cores and kept until their code changes."""

import hashlib
import platform
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import joblib
from tqdm import tqdm

import vbkit
from vbkit import plots
from vbkit.widgets.record import pack, record

HOME = Path(vbkit.__file__).parent
ABOVE = {"chapters", "ledger", "workbook", "__main__.py"}  # rooms that no explorer depends on
PACKAGES = ("numpy", "scipy", "matplotlib", "numba", "scikit-learn")


class Recording(NamedTuple):
    """A script for a page, and the explorer's title, description and first picture (PNG)."""

    script: str
    title: str
    alt: str
    still: bytes


def recordings(names: list[str], cache: Path) -> dict[str, Recording]:
    """Record the explorers named "companion.function", or take them from the cache.

    cache: a folder for recordings, made if need be; those of older code are removed from it.
    """
    cache.mkdir(parents=True, exist_ok=True)
    places = {name: cache / f"{name}-{_key(name)}" for name in names}
    missing = [name for name, place in places.items() if not place.exists()]
    made = joblib.Parallel(n_jobs=-1, return_as="generator")(map(joblib.delayed(_make), missing))
    bar = tqdm(made, total=len(missing), unit="explorer", desc="recording", disable=not missing)
    for name, recording in zip(missing, bar, strict=True):
        for old in cache.glob(f"{name}-*"):
            old.unlink()
        joblib.dump(recording, places[name])
    return {name: joblib.load(place) for name, place in places.items()}


def _make(name: str) -> Recording:
    plots.use_style()
    companion, function = name.split(".")
    explorer = getattr(import_module(f"vbkit.chapters.{companion}"), function)()
    still = explorer.png
    return Recording(pack(name, record(explorer)), explorer.title, explorer.alt, still)


def _key(name: str) -> str:
    """A digest of the code that an explorer depends on, and of the versions it runs with."""
    below = [path for path in HOME.rglob("*.py") if path.relative_to(HOME).parts[0] not in ABOVE]
    own = [*(HOME / "chapters" / name.split(".")[0]).rglob("*.py")]
    digest = hashlib.sha256(platform.python_version().encode())
    for package in PACKAGES:
        digest.update(version(package).encode())
    for path in sorted(below + own):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
