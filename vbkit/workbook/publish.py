"""What a notebook calls: show a figure, publish one with its arrays, or a page; keep a long study's results."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from vbkit.plots import Picture, show
from vbkit.workbook import PROFILES, ROOT, UsageError
from vbkit.workbook.manifest import write, write_json

NAME = re.compile(r"[a-z]+\d*-fig[A-Za-z0-9][A-Za-z0-9.-]*")
TO_NOTEBOOK = re.compile(r"\]\((?=\w+\.ipynb)")  # a link as the notebooks have it
PACKAGES = ("numpy", "scipy", "matplotlib", "numba", "vbkit")
FEW = 4  # jobs of a quick run
ATOL = 1e-9  # what should be zero may be off by this much


def publish(name: str, fig, alt: str, arrays: dict, tolerance: dict | None = None) -> Picture:
    """Show a figure that reproduces a source; when a recording is on, write its picture, arrays, description.

    name: "<source>-fig<id>", for instance "sato2000-fig2". arrays: the ndarrays behind the figure, by name.
    tolerance: for arrays that another processor gives less exactly than to 1e-6, the agreement that `check`
    shall ask for, relative to the array's largest magnitude. ValueError for a malformed argument.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f'name was {name!r}: it must read like "sato2000-fig2"')
    if not isinstance(arrays, dict) or not arrays:
        raise ValueError(f"arrays must be a dict of ndarrays, and not empty; it was {arrays!r}")
    for key, array in arrays.items():
        kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        if not isinstance(array, np.ndarray) or array.dtype == object:
            raise ValueError(
                f"arrays[{key!r}] must be an ndarray of numbers, booleans or text, not {kind}"
            )
    for key, value in (tolerance or {}).items():
        if key not in arrays or not value > 0:
            raise ValueError(
                f"tolerance[{key!r}] was {value!r}: above 0, for one of {sorted(arrays)}"
            )
    picture = show(fig, alt)
    if record := os.environ.get("VBKIT_RECORD"):
        packed = io.BytesIO()
        np.savez_compressed(packed, **arrays)
        digests = {key: digest(array) for key, array in arrays.items()}
        entry = {
            "figure": name,
            "source": name.split("-fig")[0],
            "alt": picture.alt,
            "versions": versions(),
        }
        entry |= {"sha256": digests} | ({"tolerance": tolerance} if tolerance else {})
        write(picture.png, Path(record, f"{name}.png"))
        write(packed.getvalue(), Path(record, "data", f"{name}.npz"))
        write_json(entry, Path(record, "fragments", f"figure-{name}.json"))
    return picture


@dataclass(frozen=True, repr=False)
class Page:
    """Text in Markdown; displays as such."""

    markdown: str

    def _repr_markdown_(self):
        return self.markdown

    def __repr__(self):
        return f"a page of {len(self.markdown.splitlines())} lines"


def publish_page(name: str, markdown: str) -> Page:
    """Show text in Markdown; when a recording is on, write it as a page for readers of the folder of figures.

    name: of the file, without ".md". markdown: links to notebooks as the notebooks have them ("05_x.ipynb").
    ValueError for a name of other than small letters.
    """
    if not re.fullmatch("[a-z]+", name):
        raise ValueError(f"name was {name!r}: small letters only")
    if record := os.environ.get("VBKIT_RECORD"):
        head = f"<!-- {os.environ.get('VBKIT_NOTEBOOK')} makes this page; what is written here by hand will be lost -->"
        text = f"{head}\n\n{TO_NOTEBOOK.sub('](../notebooks/', markdown)}"
        write(text.encode(), Path(record, f"{name}.md"))
    return Page(markdown)


def on_file(name: str) -> Path:
    """Where a file of the folder of figures lies, for whoever runs this notebook; it need not be there.

    In JupyterLab the figures beside the notebook come first: one installed vbkit serves several hand-outs.
    """
    own = os.pathsep.join([os.path.abspath("../figures"), str(ROOT / "figures")])
    paths = [
        Path(folder, name) for folder in os.environ.get("VBKIT_FIGURES", own).split(os.pathsep)
    ]
    return next((path for path in paths if path.exists()), paths[-1])


def digest(array: np.ndarray) -> str:
    """SHA-256 of an array's type, shape and numbers."""
    head = f"{array.dtype.str}{array.shape}".encode()
    return hashlib.sha256(head + np.ascontiguousarray(array).tobytes()).hexdigest()


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that numbers and pictures come from."""
    return {"python": platform.python_version()} | {
        package: version(package) for package in PACKAGES
    }


def stored(
    name: str,
    compute: Callable[[dict], dict],
    jobs: list[dict],
    *,
    profile: str,
    recheck: int = 2,
    rtol: float = 1e-6,
    map: Callable[..., Iterable] = map,
) -> list[dict]:
    """Results of a long study, one dict a job, in the order of the jobs; lists in them come back as ndarrays.

    compute: job -> dict of numbers and arrays, the same keys for every job. jobs: dicts of JSON literals that
    hold all that varies, the seed included. Profile "full" runs every job through `map` (an executor's map
    runs them side by side) and stores the results when a recording is on. "paper" loads what is stored and
    computes `recheck` of the jobs again. "quick" runs the first 4 jobs only and gives so many results.

    Raises ValueError for jobs that JSON does not hold and for an unknown profile, UsageError where nothing is
    stored or it was stored for other jobs, ArithmeticError where a job no longer gives its stored result.
    """
    if profile not in PROFILES:
        raise ValueError(f"profile was {profile!r}: it must be one of {', '.join(PROFILES)}")
    if not jobs or json.loads(json.dumps(jobs)) != jobs:
        raise ValueError(
            "jobs must be a non-empty list of dicts of numbers, strings, booleans and lists"
        )
    if profile == "paper":
        return _load(name, compute, jobs, recheck, rtol)
    if profile == "quick":
        return [_plain(compute(job)) for job in jobs[:FEW]]
    from tqdm import tqdm

    results = [_plain(r) for r in tqdm(map(compute, jobs), total=len(jobs), desc=name, unit="job")]
    if any(result.keys() != results[0].keys() for result in results):
        raise ValueError(
            f"compute must give every job of {name} the keys of the first: {sorted(results[0])}"
        )
    if record := os.environ.get("VBKIT_RECORD"):
        head = {"study": name, "notebook": os.environ.get("VBKIT_NOTEBOOK"), "versions": versions()}
        rows = [
            json.dumps(row, default=np.ndarray.tolist) for row in zip(jobs, results, strict=True)
        ]
        text = (
            json.dumps(head)[:-1] + ', "results": [\n' + ",\n".join(rows) + "\n]}\n"
        )  # one job a line
        write(text.encode(), Path(record, "data", f"{name}.json"))
    return results


def _load(name: str, compute: Callable, jobs: list[dict], recheck: int, rtol: float) -> list[dict]:
    remedy = f"run: python -m vbkit reproduce {os.environ.get('VBKIT_NOTEBOOK', 'NOTEBOOK')} --profile full"
    path = on_file(f"data/{name}.json")
    if not path.exists():
        raise UsageError(f"no results of the study {name} are stored; {remedy}")
    rows = json.loads(path.read_text())["results"]
    if [job for job, _ in rows] != jobs:
        raise UsageError(
            f"the results of the study {name} are stored for other jobs than these; {remedy}"
        )
    rng = np.random.default_rng(int(os.environ.get("VBKIT_RECHECK", 0)))
    for i in rng.choice(len(jobs), size=min(recheck, len(jobs)), replace=False):
        kept, fresh = rows[i][1], _json(compute(jobs[i]))
        for key in sorted(kept.keys() | fresh.keys()):
            if not agree(kept.get(key), fresh.get(key), rtol):
                now = f"{key} is now {_short(fresh.get(key))}, stored {_short(kept.get(key))}"
                raise ArithmeticError(
                    f"study {name}, job {jobs[i]}: {now}; if that is right, {remedy}"
                )
    if record := os.environ.get("VBKIT_RECORD"):
        write(path.read_bytes(), Path(record, "data", path.name))
    return [_plain(result) for _, result in rows]


def agree(old, new, rtol: float) -> bool:
    """Whether two JSON values agree, floats within a relative tolerance."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(agree(old[key], new[key], rtol) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(
            agree(*pair, rtol) for pair in zip(old, new, strict=True)
        )
    if {type(old), type(new)} in ({float}, {float, int}):
        return bool(np.isclose(new, old, rtol=rtol, atol=ATOL, equal_nan=True))
    return old == new


def _short(value) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 100 else f"{text[:100]} ..."


def _plain(result: dict) -> dict:
    """A result as a stored file gives it back: lists as arrays."""
    return {
        key: np.asarray(value) if isinstance(value, list) else value
        for key, value in _json(result).items()
    }


def _json(result: dict) -> dict:
    return json.loads(json.dumps(result, default=lambda value: value.tolist()))
