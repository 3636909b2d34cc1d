"""Recordings of explorers, made on all cores and kept until their code changes."""

import hashlib
import platform
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from modulefinder import ModuleFinder
from pathlib import Path
from typing import NamedTuple

import joblib
from tqdm import tqdm

from vbkit import plots
from vbkit.press import ROOT, recorder, recording

HOME = ROOT / "vbkit"
OWN_CODE = {Path(__file__), Path(recorder.__file__), Path(recording.__file__)}
PACKAGES = ("numpy", "scipy", "matplotlib", "numba", "scikit-learn")


class Recording(NamedTuple):
    """A script for a page, and the explorer's title, description and first PNG."""

    script: str
    title: str
    alt: str
    still: bytes


def recordings(
    names: list[str], cache: Path, explorers: dict[str, Callable]
) -> dict[str, Recording]:
    """The recordings of explorers, by name; those of unchanged code come from a cache.

    names: "module.maker"; those that make no explorer are left out. cache: a
    folder for recordings, made if need be; those of older code are removed from it.
    explorers: the functions and classes that make the explorers, by name (see
    `vbkit.press.recorder` for what an explorer has to have); other processes import
    them.
    """
    names = [name for name in names if name in explorers]
    cache.mkdir(parents=True, exist_ok=True)
    places = {name: cache / f"{name}-{_key(explorers[name])}" for name in names}
    missing = [name for name, place in places.items() if not place.exists()]
    made = joblib.Parallel(n_jobs=-1, return_as="generator")(
        joblib.delayed(_make)(name, explorers[name]) for name in missing
    )
    bar = tqdm(
        made, total=len(missing), unit="explorer", desc="recording", disable=not missing
    )
    for name, new in zip(missing, bar, strict=True):
        for old in cache.glob(f"{name}-*"):
            old.unlink()
        joblib.dump(new, places[name])
    return {name: joblib.load(place) for name, place in places.items()}


def _make(name: str, make_explorer: Callable) -> Recording:
    plots.use_style()
    explorer = make_explorer()
    still = explorer.without_kernel()
    script = recording.pack(name, recorder.record(explorer))
    return Recording(script, explorer.title, explorer.alt, still)


def _key(make_explorer: Callable) -> str:
    """A digest of the code that an explorer depends on, and of the versions."""
    digest = hashlib.sha256(platform.python_version().encode())
    for package in PACKAGES:
        digest.update(version(package).encode())
    for path in needed(make_explorer.__module__):
        digest.update(path.relative_to(HOME).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache
def needed(module: str) -> list[Path]:
    """The files of vbkit that run when explorers of a module are recorded, the rest of
    the press left out."""
    finder = ModuleFinder([str(ROOT)], excludes=["vbkit.press"])
    finder.import_hook(module)
    files = {Path(each.__file__) for each in finder.modules.values() if each.__file__}
    return sorted(files | OWN_CODE)
