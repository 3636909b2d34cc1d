"""Recordings of the explorers, made on all cores and kept until their code changes."""

import ast
import hashlib
import platform
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import joblib
from tqdm import tqdm

import vbkit
from vbkit import plots
from vbkit.chapters import explorers
from vbkit.course.record import pack, record

HOME = Path(vbkit.__file__).parent
ABOVE = {
    "ledger",
    "press",
}  # rooms that draw and compute nothing that an explorer shows
PACKAGES = ("numpy", "scipy", "matplotlib", "numba", "scikit-learn")


class Recording(NamedTuple):
    """A script for a page, and the explorer's title, description and first picture (PNG)."""

    script: str
    title: str
    alt: str
    still: bytes


def recordings(names: list[str], cache: Path) -> dict[str, Recording]:
    """Record the explorers among the functions named "companion.function", or take them from the
    cache.

    cache: a folder for recordings, made if need be; those of older code are removed from it.
    """
    known = explorers()
    names = [name for name in names if name in known]
    cache.mkdir(parents=True, exist_ok=True)
    places = {name: cache / f"{name}-{_key(name)}" for name in names}
    missing = [name for name, place in places.items() if not place.exists()]
    made = joblib.Parallel(n_jobs=-1, return_as="generator")(
        map(joblib.delayed(_make), missing)
    )
    bar = tqdm(
        made, total=len(missing), unit="explorer", desc="recording", disable=not missing
    )
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
    digest = hashlib.sha256(platform.python_version().encode())
    for package in PACKAGES:
        digest.update(version(package).encode())
    for path in needed(f"vbkit.chapters.{name.split('.')[0]}"):
        digest.update(path.relative_to(HOME).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache
def needed(module: str) -> list[Path]:
    """The files of this package that run when a module is imported and its explorers recorded."""
    found, waiting = set(), {_file(module), Path(__file__)} - {None}
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= _imported(path) - found
    return sorted(found)


@lru_cache
def _imported(path: Path) -> set[Path]:
    """The files that one file imports, wherever in it, and those of the packages around them."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {
                node.module,
                *(f"{node.module}.{alias.name}" for alias in node.names),
            }
    parts = [name.split(".") for name in names]
    names = {".".join(part[:end]) for part in parts for end in range(1, len(part) + 1)}
    return {path for name in names if (path := _file(name))}


def _file(module: str) -> Path | None:
    """The file of a module of this package that an explorer may depend on."""
    parts = module.split(".")
    if parts[0] != "vbkit" or {*parts} & ABOVE:
        return None
    place = HOME.joinpath(*parts[1:])
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((file for file in files if file.is_file()), None)
