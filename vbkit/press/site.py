"""The workbook as a static site: the book, and a JupyterLite with the notebooks.

Each notebook opens in a page of its own, as in Jupyter Notebook, not in JupyterLab: its
address names it, so that reloading, a bookmark and the way back all find it again.

Python in the browser is Pyodide. Its distribution is the official one: its version, the
digest of its lock file and those of its core are pinned here, and every package is
verified by that lock. Nothing is loaded from elsewhere once the site is built.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from base64 import b64decode
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from jupyter_core.paths import jupyter_path
from nbformat import NotebookNode
from tqdm import tqdm

from vbkit.press import ROOT, UsageError, canonical, pictures
from vbkit.press.book import (
    PAGES,
    mark_recorded,
    page_exporter,
    read_all,
    record_explorers,
    write_pages,
)
from vbkit.press.folder import new_folder
from vbkit.press.manifest import LEDGER, MANIFEST
from vbkit.press.recorded import figure
from vbkit.press.selection import kind, notebooks
from vbkit.press.slides import is_core

SCRIPT = "lite.js"  # what JupyterLite's page of a notebook needs beside its own
VERSION = "0.27.7"
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
LOCK = "pyodide-lock.json"
TIMEOUT = 60  # seconds for a file
CORE = {  # SHA-256 of the files that the lock does not list
    LOCK: "9c45b916001a750f4102fc287494f3eab215909c7535c626a20db80fd6333e2c",
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
    "pyodide.mjs": "04c052c815abb0bf2981fa38c2dfa58e3120ee5288c956df2b2a15e301782c5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
}
NUMERICS = (  # what vbkit imports
    "numpy",
    "scipy",
    "matplotlib",
    "scikit-learn",
    "pillow",
    "joblib",
    "threadpoolctl",
)
# What a kernel of JupyterLite needs.
KERNEL = ("ipython", "jedi", "micropip", "sqlite3", "ssl")
PACKAGES = (*NUMERICS, *KERNEL)
MAX_BYTES = 10**6  # of a figure's arrays that a reader may load
OWN = (  # pure Python, packed from what is installed here
    "anywidget",
    "attrs",
    "comm",
    "ipywidgets",
    "jupyterlab_widgets",
    "psygnal",
    "tqdm",
    "typing_extensions",
    "vbkit",
    "widgetsnbextension",
)
MODULES = {"attrs": ("attr", "attrs")}  # where they are not called as the package is
DEPENDENCIES = {  # of these
    "vbkit": [*NUMERICS, "anywidget", "attrs", "ipywidgets", "tqdm"],
    "anywidget": ["ipywidgets", "psygnal", "typing-extensions"],
    "ipywidgets": [
        "comm",
        "jupyterlab-widgets",
        "widgetsnbextension",
        "traitlets",
        "ipython",
    ],
    "comm": ["traitlets"],
}
NOT_PACKED = (".pyc", ".nbi", ".nbc", ".so")
APPS = ("notebooks", "tree", "edit")  # of JupyterLite: a notebook, the files, a file
EXTENSIONS = (
    "anywidget",
    "@jupyter-widgets/jupyterlab-manager",
    "@jupyterlite/pyodide-kernel-extension",
)


def site(
    folder: Path,
    *,
    pyodide: Path | None = None,
    root: Path = ROOT,
    record: Callable | None = None,
) -> float:
    """Build the site in a new folder; return its size in MB.

    pyodide: a folder with the official distribution; without it, it is fetched. record:
    as `book` takes it. Raises UsageError, and leaves nothing behind, where a file is
    missing, has a wrong checksum or cannot be fetched, and where the folder is not new.
    """
    if pyodide is not None and not pyodide.is_dir():
        raise UsageError(
            f"{pyodide} is not a folder: --pyodide takes one with Pyodide {VERSION}"
        )
    with new_folder(folder, root) as build:
        distribution = build / "distribution" / "pyodide"
        distribution.mkdir(parents=True)
        collect(distribution, pyodide)
        _add_own(distribution, root)
        stored = read_all(root)
        recordings = record_explorers(stored.values(), record, root)
        write_pages(build / "book", stored, recordings)
        _build_lite(build, distribution, root, recordings)
        shutil.rmtree(build / "distribution")
        text = _first_page(root, slides=bool(recordings))
        (build / "index.html").write_text(text, encoding="utf-8")
        files = [path for path in build.rglob("*") if path.is_file()]
        return sum(path.stat().st_size for path in files) / 1e6


def collect(target: Path, source: Path | None, address: str = ADDRESS) -> None:
    """Put the files of the distribution that are needed into a folder, verified.

    source: a folder with the distribution; None to fetch the files from an address.
    Raises UsageError for a file that is missing, cannot be fetched or has a wrong
    checksum.
    """
    for name, digest in CORE.items():
        _take(name, digest, target, source, address)
    listed = json.loads((target / LOCK).read_text())["packages"]
    names = sorted(_with_dependencies(PACKAGES, listed))
    for name in tqdm(names, unit="package", desc="Pyodide", disable=source is not None):
        package = listed[name]
        _take(package["file_name"], package["sha256"], target, source, address)


def _with_dependencies(names: Iterable[str], listed: dict[str, dict]) -> set[str]:
    """Names of packages and of all that they depend on, as the lock spells its keys."""
    collected = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop().replace("_", "-").lower()
        if name not in collected:
            collected.add(name)
            waiting += listed[name]["depends"]
    return collected


def _take(
    name: str, digest: str, target: Path, source: Path | None, address: str
) -> None:
    """Copy or fetch one file, and verify it."""
    if source is None:
        content = _fetch(address + name)
    elif (source / name).is_file():
        content = (source / name).read_bytes()
    else:
        raise UsageError(
            f"{source} is not a whole Pyodide {VERSION}: {name} is missing"
        )
    if hashlib.sha256(content).hexdigest() != digest:
        raise UsageError(
            f"{name} is not that of Pyodide {VERSION}: its checksum is another one"
        )
    (target / name).write_bytes(content)


def _fetch(address: str) -> bytes:
    """What lies at an address; UsageError if it cannot be fetched."""
    try:
        with urlopen(address, timeout=TIMEOUT) as reply:
            return reply.read()
    except (URLError, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise UsageError(
            f"cannot fetch {address} ({reason}); "
            "give a folder with it: --pyodide FOLDER"
        ) from error


def _add_own(distribution: Path, root: Path) -> None:
    """Add packages of pure Python to the distribution, as they are installed here."""
    path = distribution / LOCK
    lock = json.loads(path.read_text())
    kept = _with_dependencies(PACKAGES, lock["packages"])
    packages = {name: lock["packages"][name] for name in sorted(kept)}
    for name in OWN:
        modules = MODULES.get(name, (name,))
        version = metadata.version(name)
        wheel = distribution / f"{name}-{version}-py3-none-any.whl"
        _pack(name, version, modules, wheel, root)
        key = name.replace("_", "-")
        packages[key] = {
            "name": key,
            "version": version,
            "file_name": wheel.name,
            "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
            "install_dir": "site",
            "package_type": "package",
            "imports": list(modules),
            "depends": DEPENDENCIES.get(name, []),
            "unvendored_tests": False,
        }
    path.write_text(json.dumps(lock | {"packages": packages}))


def _pack(
    name: str, version: str, modules: Iterable[str], wheel: Path, root: Path
) -> None:
    """Pack a package's modules as a wheel."""
    home = root if name == "vbkit" else metadata.distribution(name).locate_file("")
    info = f"{name}-{version}.dist-info"
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    tags = (
        "Wheel-Version: 1.0\n"
        "Generator: vbkit\n"
        "Root-Is-Purelib: true\n"
        "Tag: py3-none-any\n"
    )
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for module in modules:
            paths = sorted(Path(home, module).rglob("*"))
            for path in paths or [Path(home, f"{module}.py")]:
                if path.is_file() and path.suffix not in NOT_PACKED:
                    archive.write(path, path.relative_to(home).as_posix())
        archive.writestr(f"{info}/METADATA", about)
        archive.writestr(f"{info}/WHEEL", tags)
        archive.writestr(f"{info}/RECORD", "")


def _build_lite(build: Path, distribution: Path, root: Path, recordings: dict) -> None:
    """Build a JupyterLite with notebooks and the data that they read."""
    work = build / "distribution"
    contents = work / "contents"
    _copy_contents(contents, root, recordings)
    archive = work / f"pyodide-{VERSION}.tar.bz2"
    with tarfile.open(archive, "w:bz2", compresslevel=1) as packed:
        packed.add(distribution, "pyodide")
    extensions = [_extension(name) for name in EXTENSIONS]
    settings = {
        "federated_extensions": extensions,
        # those that happen to be installed
        "ignore_sys_prefix": ["federated_extensions"],
    }
    config = work / "jupyter_lite_config.json"
    config.write_text(json.dumps({"LiteBuildConfig": settings}))
    options = {
        "--contents": contents,
        "--output-dir": build / "lab",
        "--lite-dir": work,
        "--pyodide": archive,
    }
    command = [sys.executable, "-m", "jupyter", "lite", "build", "--no-sourcemaps"]
    for app in APPS:
        command += ["--apps", app]
    for option, value in options.items():
        command += [option, str(value)]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise UsageError(f"JupyterLite could not be built: {' '.join(lines[-1:])}")
    shutil.copyfile(PAGES / SCRIPT, build / "lab" / SCRIPT)
    page = build / "lab" / "notebooks" / "index.html"
    text = page.read_text("utf-8")
    tag = f'<script src="../{SCRIPT}"></script>'
    page.write_text(text.replace("</head>", f"{tag}</head>"), encoding="utf-8")


def _copy_contents(contents: Path, root: Path, recordings: dict) -> None:
    """Copy the notebooks that run in a browser, and the data that they read."""
    for name, path in notebooks(root).items():
        if kind(name) != "evidence":
            notebook = canonical.read(path)
            _frame_explorers(notebook, recordings)
            target = contents / "notebooks" / f"{name}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            # JupyterLite shows lists of lines with commas between them, so a text is
            # stored as one string here
            target.write_text(json.dumps(notebook), encoding="utf-8")
    figures = root / "figures"
    arrays = figures.glob("data/*.npz")
    files = [
        *(root / "notebooks").glob("README.md"),
        *figures.glob("*.md"),
        figures / LEDGER,
        figures / MANIFEST,
        *figures.glob("data/*.json"),
        *[path for path in arrays if path.stat().st_size < MAX_BYTES],
    ]
    (contents / "figures" / "data").mkdir(parents=True)
    for path in files:
        shutil.copyfile(path, contents / path.relative_to(root))


def _frame_explorers(notebook: NotebookNode, recordings: dict) -> None:
    """Put a figure that names the recording in the place of an explorer's picture.

    Before anything has run, the notebook's page shows the book's explorer there (see
    lite.js). JupyterLab leaves of such a figure its class, its title and its picture.
    """
    mark_recorded(notebook, recordings)
    for cell in canonical.code_cells(notebook):
        recording = cell.metadata.pop("recording", None)
        if recording is None or not recording.fits:
            continue
        for output in cell.outputs:
            png = output.get("data", {}).pop("image/png", None)
            if png:
                alt = output.metadata.pop("image/png", {}).get("alt", "")
                size = pictures.size(b64decode(png))
                picture = f"data:image/png;base64,{png}"
                output.data["text/html"] = figure(recording.name, picture, size, alt)


def _first_page(root: Path, slides: bool) -> str:
    """The site's first page: each lecture as a page of the book and as a notebook.

    slides: whether the explorers of the book slide.
    """
    lectures = []
    for name, path in notebooks(root).items():
        if kind(name) == "chapter":
            notebook = canonical.read(path)
            lecture = {
                "name": name,
                "number": name.split("_")[0],
                "title": canonical.title(notebook),
                "is_core": is_core(notebook),
            }
            lectures.append(lecture)
    template = page_exporter().environment.get_template("site.html.j2")
    return template.render(lectures=lectures, slides=slides)


def _extension(name: str) -> str:
    """Where an extension of JupyterLab is installed; UsageError if it is not."""
    for folder in jupyter_path("labextensions"):
        path = Path(folder, name)
        if path.is_dir():
            return str(path)
    raise UsageError(
        f"JupyterLab's extension {name} is not installed: see requirements.txt"
    )
