"""What a notebook calls: publish a figure or a page, attach a still picture to an
answer, keep the results of a long study."""

import hashlib
import io
import json
import platform
import re
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path

import attrs
import numpy as np
from tqdm import tqdm

from vbkit.plots import Picture
from vbkit.press import PROFILES, ROOT, UsageError, environment
from vbkit.press.json_files import read_entries, read_json, write, write_json
from vbkit.press.recorded import IN_BROWSER

FIGURE_NAME = re.compile(r"[a-z]+\d*-fig[A-Za-z0-9][A-Za-z0-9.-]*")
ATTACHMENT_NAME = re.compile(r"[A-Za-z0-9_-]+")
# a link to a notebook, as the notebooks have it
TO_NOTEBOOK = re.compile(r"\]\((?=(?:evidence/)?\w+\.ipynb)")
PACKAGES = ("numpy", "scipy", "matplotlib", "numba", "vbkit")
FEW = 4  # jobs of a quick run
ATOL = 1e-9  # what should be zero may be off by this much
RTOL = 1e-6  # for arrays and measured numbers that declare nothing looser


def publish(
    name: str, picture: Picture, tolerance: dict[str, float] | None = None
) -> Picture:
    """Show a picture that reproduces a source; a run stores it with its arrays.

    The maker of the picture says all of it, `Picture(figure, alt, arrays)`; so a
    notebook publishes in one line, `publish("sato2000-fig2", pictures.figure_2(fits))`.

    name: "<source>-fig<id>", for instance "sato2000-fig2". picture: with the arrays
    behind it, by name. tolerance: for arrays that another processor gives less exactly
    than to 1e-6, the agreement that `check` shall ask for, relative to the array's
    largest magnitude. Returns the picture, so that a cell may end with the call. Raises
    ValueError for a malformed argument.
    """
    _check_figure(name, picture.arrays, tolerance or {})
    recording = environment.recording()
    if recording is None:
        return picture
    entry = {
        "figure": name,
        "source": name.split("-fig")[0],
        "alt": picture.alt,
        "versions": versions(),
        "sha256": {key: digest(array) for key, array in picture.arrays.items()},
    }
    if tolerance:
        entry["tolerance"] = tolerance
    arrays = io.BytesIO()
    np.savez_compressed(arrays, **picture.arrays)
    write(picture.png, recording / f"{name}.png")
    write(arrays.getvalue(), recording / "data" / f"{name}.npz")
    write_json(entry, recording / "fragments" / f"figure-{name}.json")
    return picture


def _check_figure(name: str, arrays: dict, tolerance: dict[str, float]) -> None:
    """ValueError for a malformed argument of `publish`."""
    if not FIGURE_NAME.fullmatch(name):
        raise ValueError(f'name was {name!r}: it must read like "sato2000-fig2"')
    if not isinstance(arrays, dict) or not arrays:
        raise ValueError(
            f"arrays must be a dict of ndarrays, and not empty; it was {arrays!r}"
        )
    for key, array in arrays.items():
        if not isinstance(array, np.ndarray) or array.dtype == object:
            kind = getattr(array, "dtype", type(array).__name__)
            raise ValueError(
                f"arrays[{key!r}] must be an ndarray of numbers or text, not {kind}"
            )
    for key, value in tolerance.items():
        if key not in arrays or not value > 0:
            raise ValueError(
                f"tolerance[{key!r}] was {value!r}: "
                f"above 0, for one of {sorted(arrays)}"
            )


def attach(name: str, picture: Picture) -> None:
    """Attach a still picture to the answer that shows `![](attachment:<name>.png)`.

    A reader without a kernel then sees how an explorer ends. Called in a code cell, for
    instance `attach("slow_death", chapter.slow_death().at(sweep=40))`; it shows nothing
    there. A run puts the picture and its alternative text into the markdown cell (see
    `vbkit.press.attachments`).

    name: letters, digits, "-" and "_". Raises ValueError for any other name and, while
    recording, for a picture of more than 60 kB and for a name that is given twice.
    """
    if not ATTACHMENT_NAME.fullmatch(name):
        raise ValueError(f'name was {name!r}: letters, digits, "-" and "_" only')
    recording = environment.recording()
    if recording is not None:
        from vbkit.press import attachments  # needs nbformat, which no browser has

        attachments.record(name, picture.png, picture.alt, recording)


@attrs.frozen(repr=False)
class Page:
    """Text in Markdown; displays as such."""

    markdown: str

    def _repr_markdown_(self):
        return self.markdown

    def __repr__(self):
        return f"a page of {len(self.markdown.splitlines())} lines"


def publish_page(name: str, markdown: str) -> Page:
    """Show text in Markdown; while recording, write it as a page among the figures.

    name: of the file, without ".md". markdown: links to notebooks as the notebooks have
    them ("05_x.ipynb"). Raises ValueError for a name of other than small letters.
    """
    if not re.fullmatch("[a-z]+", name):
        raise ValueError(f"name was {name!r}: small letters only")
    recording = environment.recording()
    if recording is not None:
        head = (
            f"<!-- {environment.notebook_name()} makes this page; "
            "what is written here by hand will be lost -->"
        )
        text = TO_NOTEBOOK.sub("](../notebooks/", markdown)
        write(f"{head}\n\n{text}".encode(), recording / f"{name}.md")
    return Page(markdown)


def on_file(name: str) -> Path:
    """Where a file of the folder of figures lies for the notebook that runs.

    The first folder that has it counts (see `vbkit.press.environment`). The file need
    not be there.
    """
    paths = [folder / name for folder in environment.figure_folders()]
    for path in paths:
        if path.exists():
            return path
    return paths[-1]


def digest(array: np.ndarray) -> str:
    """SHA-256 of an array's type, shape and numbers."""
    head = f"{array.dtype.str}{array.shape}".encode()
    return hashlib.sha256(head + np.ascontiguousarray(array).tobytes()).hexdigest()


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that numbers and pictures come from."""
    packages = {package: version(package) for package in PACKAGES}
    return {"python": platform.python_version()} | packages


# ---- results of long studies ---------------------------------------------------------


def arrays_of(name: str, compute: Callable[[], dict], parameters: dict) -> dict:
    """The arrays behind a figure whose study is long: what `compute` gives.

    In a browser, where no loop is compiled, the arrays that were published with these
    parameters are read instead, and a line says so. name: of the figure. parameters:
    all that the notebook is run with, by name.
    """
    if not IN_BROWSER:
        return compute()
    path = on_file(f"data/{name}.npz")
    entries = read_entries(on_file("manifest.json"), "figure", "parameters")
    published = [entry["parameters"] for entry in entries if entry["figure"] == name]
    if published != [parameters] or not path.exists():
        return compute()
    print(
        "Not computed here: read from the figure's stored arrays. "
        "In a browser they take long."
    )
    with np.load(path) as file:
        return dict(file)


def takes_long(what: str) -> bool:
    """Whether to leave out a check that takes long: in a browser, where a line says so.

    what: is not computed there, in words that begin a sentence.
    """
    if IN_BROWSER:
        print(f"Not computed here: {what}. In a browser this takes long.")
    return IN_BROWSER


def stored(
    name: str,
    compute: Callable[[dict], dict],
    jobs: list[dict],
    *,
    profile: str,
    recheck: int = 2,
    rtol: float = RTOL,
    map: Callable[..., Iterable] = map,
) -> list[dict]:
    """Results of a long study, a dict per job, in job order, lists as ndarrays.

    compute: job -> dict of numbers and arrays, the same keys for every job. jobs: dicts
    of JSON literals that hold all that varies, the seed included. Profile "full" runs
    every job through `map` (an executor's map runs them side by side) and stores the
    results while recording. "paper" loads what is stored and computes `recheck` of the
    jobs again, to agree within `rtol`. "quick" runs the first 4 jobs only, also through
    `map`.

    Raises ValueError for jobs that JSON does not hold and for an unknown profile,
    UsageError where nothing is stored or it was stored for other jobs, ArithmeticError
    where a job no longer gives its stored result.
    """
    if profile not in PROFILES:
        raise ValueError(
            f"profile was {profile!r}: it must be one of {', '.join(PROFILES)}"
        )
    if not jobs or json.loads(json.dumps(jobs)) != jobs:
        raise ValueError(
            "jobs must be dicts of numbers, strings, booleans and lists; one at least"
        )
    if profile == "paper":
        results = _load(name, compute, jobs, recheck, rtol)
    elif profile == "quick":
        results = [_as_json(result) for result in map(compute, jobs[:FEW])]
    else:
        results = _run_study(name, map(compute, jobs), jobs)
    return [_with_arrays(result) for result in results]


def _run_study(name: str, computed: Iterable[dict], jobs: list[dict]) -> list[dict]:
    """The results of all jobs; while recording, they are stored."""
    bar = tqdm(computed, total=len(jobs), desc=name, unit="job")
    results = [_as_json(result) for result in bar]
    keys = results[0].keys()
    if any(result.keys() != keys for result in results):
        raise ValueError(
            f"compute must give every job the keys of the first: {[*keys]}"
        )
    recording = environment.recording()
    if recording is not None:
        head = {
            "study": name,
            "notebook": environment.notebook_name(),
            "versions": versions(),
        }
        pairs = zip(jobs, results, strict=True)
        lines = ",\n".join(json.dumps(pair) for pair in pairs)  # one job per line
        text = f'{json.dumps(head)[:-1]}, "results": [\n{lines}\n]}}\n'
        write(text.encode(), recording / "data" / f"{name}.json")
    return results


def _load(
    name: str, compute: Callable, jobs: list[dict], recheck: int, rtol: float
) -> list[dict]:
    """The stored results of all jobs, some of them computed again."""
    remedy = _how_to_store()
    path = on_file(f"data/{name}.json")
    if not path.exists():
        raise UsageError(f"no results of the study {name} are stored; {remedy}")
    pairs = read_json(path)["results"]
    if [job for job, _ in pairs] != jobs:
        raise UsageError(
            f"the study {name} is stored for other jobs than these; {remedy}"
        )
    results = [result for _, result in pairs]
    rng = np.random.default_rng(environment.recheck_seed())
    for i in rng.choice(len(jobs), size=min(recheck, len(jobs)), replace=False):
        difference = _difference(results[i], _as_json(compute(jobs[i])), rtol)
        if difference:
            raise ArithmeticError(
                f"study {name}, job {jobs[i]}: {difference}; if that is right, {remedy}"
            )
    recording = environment.recording()
    if recording is not None:
        write(path.read_bytes(), recording / "data" / path.name)
    return results


def _how_to_store() -> str:
    """What to do where the results of a study are not stored as they should be."""
    if not (ROOT / "notebooks").is_dir():  # vbkit is installed without the workbook
        return "they come with the whole workbook: run the notebook there"
    notebook = environment.notebook_name() or "NOTEBOOK"
    return f"run: python -m vbkit reproduce {notebook} --profile full"


def _difference(stored_result: dict, fresh_result: dict, rtol: float) -> str | None:
    """The first value, by name, that a job no longer gives; None if it gives all."""
    for key in sorted(stored_result.keys() | fresh_result.keys()):
        old = stored_result.get(key)
        new = fresh_result.get(key)
        if not agree(old, new, rtol):
            return f"{key} is now {new!r:.100}, stored {old!r:.100}"
    return None


def agree(old, new, rtol: float, atol: float = ATOL) -> bool:
    """Whether two JSON values agree, floats within these tolerances.

    Counts agree within them too where a looser relative one is declared, for then they
    may flip.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        if old.keys() != new.keys():
            return False
        return all(agree(old[key], new[key], rtol, atol) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            return False
        pairs = zip(old, new, strict=True)
        return all(agree(first, second, rtol, atol) for first, second in pairs)
    kinds = {type(old), type(new)}
    are_floats = kinds in ({float}, {float, int})
    are_loose_counts = kinds == {int} and rtol > RTOL
    if are_floats or are_loose_counts:
        return bool(np.isclose(new, old, rtol=rtol, atol=atol, equal_nan=True))
    return old == new


def _as_json(result: dict) -> dict:
    """A result as JSON holds it."""
    return json.loads(json.dumps(result, default=lambda value: value.tolist()))


def _with_arrays(result: dict) -> dict:
    """A result with ndarrays in the place of lists."""
    return {
        key: np.asarray(value) if isinstance(value, list) else value
        for key, value in result.items()
    }
