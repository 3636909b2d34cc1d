"""What a notebook calls: publish a figure or a page, keep the results of a long study."""

import hashlib
import io
import json
import os
import platform
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from tqdm import tqdm

from vbkit.plots import Picture
from vbkit.press import ROOT, UsageError
from vbkit.press.ledger.storage import (
    PROFILES,
    read_entries,
    read_json,
    write,
    write_json,
)

NAME = re.compile(r"[a-z]+\d*-fig[A-Za-z0-9][A-Za-z0-9.-]*")
TO_NOTEBOOK = re.compile(
    r"\]\((?=(?:evidence/)?\w+\.ipynb)"
)  # a link as the notebooks have it
PACKAGES = ("numpy", "scipy", "matplotlib", "numba", "vbkit")
FEW = 4  # jobs of a quick run
ATOL = 1e-9  # what should be zero may be off by this much
RTOL = 1e-6  # for arrays and measured numbers that declare nothing looser


def publish(name: str, picture: Picture, tolerance: dict | None = None) -> Picture:
    """Show a picture that reproduces a source; while recording, write it, its arrays and
    its description.

    name: "<source>-fig<id>", for instance "sato2000-fig2". picture: with the arrays behind
    it. tolerance: for arrays that another processor gives less exactly than to 1e-6, the
    agreement that `check` shall ask for, relative to the array's largest magnitude. Raises
    ValueError for a malformed argument."""
    if not NAME.fullmatch(name):
        raise ValueError(f'name was {name!r}: it must read like "sato2000-fig2"')
    arrays = picture.arrays
    if not isinstance(arrays, dict) or not arrays:
        raise ValueError(
            f"arrays must be a dict of ndarrays, and not empty; it was {arrays!r}"
        )
    for key, array in arrays.items():
        kind = getattr(array, "dtype", type(array).__name__)
        if not isinstance(array, np.ndarray) or array.dtype == object:
            raise ValueError(
                f"arrays[{key!r}] must be an ndarray of numbers or text, not {kind}"
            )
    for key, value in (tolerance or {}).items():
        if key not in arrays or not value > 0:
            words = f"above 0, for one of {sorted(arrays)}"
            raise ValueError(f"tolerance[{key!r}] was {value!r}: {words}")
    if record := os.environ.get("VBKIT_RECORD"):
        packed = io.BytesIO()
        np.savez_compressed(packed, **arrays)
        entry = {"figure": name, "source": name.split("-fig")[0], "alt": picture.alt}
        entry["versions"] = versions()
        entry["sha256"] = {key: digest(array) for key, array in arrays.items()}
        entry |= {"tolerance": tolerance} if tolerance else {}
        write(picture.png, Path(record, f"{name}.png"))
        write(packed.getvalue(), Path(record, "data", f"{name}.npz"))
        write_json(entry, Path(record, "fragments", f"figure-{name}.json"))
    return picture


def arrays_of(name: str, compute: Callable[[], dict], parameters: dict) -> dict:
    """The arrays behind a figure whose study is long: what `compute` gives.

    In a browser, where no loop is compiled, the arrays that were published with these parameters
    are read instead, and a line says so. name: of the figure. parameters: all that the notebook is
    run with, by name."""
    if sys.platform != "emscripten":
        return compute()
    path = on_file(f"data/{name}.npz")
    entries = read_entries(on_file("manifest.json"), "figure", "parameters")
    made = [entry["parameters"] for entry in entries if entry["figure"] == name]
    if made != [parameters] or not path.exists():
        return compute()
    print(
        "Not computed here: read from the figure's stored arrays. In a browser they take long."
    )
    with np.load(path) as file:
        return dict(file)


@dataclass(frozen=True, repr=False)
class Page:
    """Text in Markdown; displays as such."""

    markdown: str

    def _repr_markdown_(self):
        return self.markdown

    def __repr__(self):
        return f"a page of {len(self.markdown.splitlines())} lines"


def publish_page(name: str, markdown: str) -> Page:
    """Show text in Markdown; while recording, write it as a page into the folder of figures.

    name: of the file, without ".md". markdown: links to notebooks as the notebooks have them
    ("05_x.ipynb"). Raises ValueError for a name of other than small letters.
    """
    if not re.fullmatch("[a-z]+", name):
        raise ValueError(f"name was {name!r}: small letters only")
    if record := os.environ.get("VBKIT_RECORD"):
        words = "makes this page; what is written here by hand will be lost"
        head = f"<!-- {os.environ.get('VBKIT_NOTEBOOK')} {words} -->"
        text = TO_NOTEBOOK.sub("](../notebooks/", markdown)
        write(f"{head}\n\n{text}".encode(), Path(record, f"{name}.md"))
    return Page(markdown)


def on_file(name: str) -> Path:
    """Where a file of the folder of figures lies for the notebook that runs; it need not be there.

    In JupyterLab the figures beside the notebook come first: one installed vbkit serves several
    hand-outs.
    """
    own = os.pathsep.join([os.path.abspath("../figures"), str(ROOT / "figures")])
    folders = os.environ.get("VBKIT_FIGURES", own).split(os.pathsep)
    paths = [Path(folder, name) for folder in folders]
    return next((path for path in paths if path.exists()), paths[-1])


def digest(array: np.ndarray) -> str:
    """SHA-256 of an array's type, shape and numbers."""
    head = f"{array.dtype.str}{array.shape}".encode()
    return hashlib.sha256(head + np.ascontiguousarray(array).tobytes()).hexdigest()


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that numbers and pictures come from."""
    packages = {package: version(package) for package in PACKAGES}
    return {"python": platform.python_version()} | packages


def stored(
    name: str,
    compute: Callable,
    jobs: list[dict],
    *,
    profile: str,
    recheck=2,
    rtol=RTOL,
    map=map,
) -> list[dict]:
    """Results of a long study, one dict per job, in job order; lists come back as ndarrays.

    compute: job -> dict of numbers and arrays, the same keys for every job. jobs: dicts of JSON
    literals that hold all that varies, the seed included. Profile "full" runs every job through
    `map` (an executor's map runs them side by side) and stores the results while recording. "paper"
    loads what is stored and computes `recheck` of the jobs again, to agree within `rtol`. "quick"
    runs the first 4 jobs only, also through `map`.

    Raises ValueError for jobs that JSON does not hold and for an unknown profile, UsageError where
    nothing is stored or it was stored for other jobs, ArithmeticError where a job no longer gives
    its stored result."""
    if profile not in PROFILES:
        raise ValueError(
            f"profile was {profile!r}: it must be one of {', '.join(PROFILES)}"
        )
    if not jobs or json.loads(json.dumps(jobs)) != jobs:
        raise ValueError(
            "jobs must be dicts of numbers, strings, booleans and lists; one at least"
        )
    if profile == "paper":
        return _load(name, compute, jobs, recheck, rtol)
    if profile == "quick":
        return [_with_arrays(_json(result)) for result in map(compute, jobs[:FEW])]
    bar = tqdm(map(compute, jobs), total=len(jobs), desc=name, unit="job")
    results = [_json(result) for result in bar]
    if any(result.keys() != results[0].keys() for result in results):
        raise ValueError(
            f"compute must give every job the keys of the first: {[*results[0]]}"
        )
    if record := os.environ.get("VBKIT_RECORD"):
        head = {
            "study": name,
            "notebook": os.environ.get("VBKIT_NOTEBOOK"),
            "versions": versions(),
        }
        rows = ",\n".join(json.dumps(row) for row in zip(jobs, results, strict=True))
        text = (
            f'{json.dumps(head)[:-1]}, "results": [\n{rows}\n]}}\n'  # one job per line
        )
        write(text.encode(), Path(record, "data", f"{name}.json"))
    return [_with_arrays(result) for result in results]


def _load(
    name: str, compute: Callable, jobs: list[dict], recheck: int, rtol: float
) -> list[dict]:
    notebook = os.environ.get("VBKIT_NOTEBOOK", "NOTEBOOK")
    remedy = f"run: python -m vbkit reproduce {notebook} --profile full"
    if not (
        ROOT / "notebooks"
    ).is_dir():  # the package is installed without the workbook
        remedy = "they come with the whole workbook: run the notebook there"
    path = on_file(f"data/{name}.json")
    if not path.exists():
        raise UsageError(f"no results of the study {name} are stored; {remedy}")
    rows = read_json(path)["results"]
    if [job for job, _ in rows] != jobs:
        raise UsageError(
            f"the study {name} is stored for other jobs than these; {remedy}"
        )
    rng = np.random.default_rng(int(os.environ.get("VBKIT_RECHECK", 0)))
    for i in rng.choice(len(jobs), size=min(recheck, len(jobs)), replace=False):
        kept, fresh = rows[i][1], _json(compute(jobs[i]))
        for key in sorted(kept.keys() | fresh.keys()):
            old, new = kept.get(key), fresh.get(key)
            if not agree(old, new, rtol):
                now = f"{key} is now {new!r:.100}, stored {old!r:.100}"
                words = (
                    f"study {name}, job {jobs[i]}: {now}; if that is right, {remedy}"
                )
                raise ArithmeticError(words)
    if record := os.environ.get("VBKIT_RECORD"):
        write(path.read_bytes(), Path(record, "data", path.name))
    return [_with_arrays(result) for _, result in rows]


def agree(old, new, rtol: float, atol: float = ATOL) -> bool:
    """Whether two JSON values agree, floats within these tolerances; counts too where a relative
    one is declared, for then they may flip."""
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = [(old[key], new.get(key)) for key in old]
        return old.keys() == new.keys() and all(
            agree(*pair, rtol, atol) for pair in pairs
        )
    if isinstance(old, list) and isinstance(new, list):
        pairs = zip(old, new, strict=False)
        return len(old) == len(new) and all(agree(*pair, rtol, atol) for pair in pairs)
    kinds = {type(old), type(new)}
    if kinds in ({float}, {float, int}) or (kinds == {int} and rtol > RTOL):
        return bool(np.isclose(new, old, rtol=rtol, atol=atol, equal_nan=True))
    return old == new


def _json(result: dict) -> dict:
    """A result as JSON holds it."""
    return json.loads(json.dumps(result, default=lambda value: value.tolist()))


def _with_arrays(result: dict) -> dict:
    arrays = {
        key: np.asarray(value)
        for key, value in result.items()
        if isinstance(value, list)
    }
    return result | arrays
