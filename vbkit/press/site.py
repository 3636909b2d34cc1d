"""The workbook as a static site: the book, and a JupyterLite in which every notebook runs.

Python in the browser is Pyodide. Its distribution is the official one: its version, the digest of
its lock file and those of its core are pinned here, and every package is verified by that lock.
Nothing is loaded from elsewhere once the site is built.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from jupyter_core.paths import jupyter_path
from tqdm import tqdm

from vbkit.press import ROOT, UsageError
from vbkit.press.book import book
from vbkit.press.folder import new_folder
from vbkit.press.manifest import LEDGER
from vbkit.press.manifest import MANIFEST
from vbkit.press.selection import kind, notebooks

VERSION = "0.27.7"
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
LOCK = "pyodide-lock.json"
CORE = {  # SHA-256 of the files that the lock does not list
    LOCK: "9c45b916001a750f4102fc287494f3eab215909c7535c626a20db80fd6333e2c",
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
    "pyodide.mjs": "04c052c815abb0bf2981fa38c2dfa58e3120ee5288c956df2b2a15e301782c5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
}
PACKAGES = (
    "numpy",
    "scipy",
    "matplotlib",
    "scikit-learn",
    "pillow",
    "joblib",
    "threadpoolctl",
)
PACKAGES += (
    "ipython",
    "jedi",
    "micropip",
    "sqlite3",
    "ssl",
)  # what a kernel of JupyterLite needs
MOST = 10**6  # bytes of a figure's arrays that a reader may load
OWN = {  # pure Python, packed from what is installed here: name -> modules to import
    "attrs": ("attr", "attrs"),
    "comm": ("comm",),
    "ipywidgets": ("ipywidgets",),
    "jupyterlab_widgets": ("jupyterlab_widgets",),
    "tqdm": ("tqdm",),
    "vbkit": ("vbkit",),
    "widgetsnbextension": ("widgetsnbextension",),
}
EXTENSIONS = (
    "@jupyter-widgets/jupyterlab-manager",
    "@jupyterlite/pyodide-kernel-extension",
)
NEEDS = {"vbkit": [*PACKAGES[:7], "attrs", "ipywidgets", "tqdm"]}
NEEDS["ipywidgets"] = [
    "comm",
    "jupyterlab-widgets",
    "widgetsnbextension",
    "traitlets",
    "ipython",
]
NEEDS["comm"] = ["traitlets"]


def site(
    folder: Path, *, pyodide: Path | None = None, root: Path = ROOT, record=None
) -> float:
    """Build the site in a new folder; return its size in MB.

    pyodide: a folder with the official distribution; without it, it is fetched. record: as `book`
    takes it. Raises UsageError, and leaves nothing behind, where a file is missing, has a wrong
    checksum or cannot be fetched, and where the folder is not new.
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
        _build_lite(build, distribution, root)
        book(build / "book", root=root, record=record)
        shutil.rmtree(build / "distribution")
        page = Path(__file__).with_name("pages") / "site.html"
        shutil.copyfile(page, build / "index.html")
        return (
            sum(path.stat().st_size for path in build.rglob("*") if path.is_file())
            / 1e6
        )


def collect(target: Path, source: Path | None, address: str = ADDRESS) -> None:
    """Put the files of the distribution that are needed into a folder, each one verified."""
    for name, digest in CORE.items():
        _take(name, digest, target, source, address)
    listed = json.loads((target / LOCK).read_text())["packages"]
    names = _with_dependencies(PACKAGES, listed)
    for name in tqdm(
        sorted(names), unit="package", desc="Pyodide", disable=source is not None
    ):
        _take(
            listed[name]["file_name"], listed[name]["sha256"], target, source, address
        )


def _with_dependencies(names, listed: dict) -> set[str]:
    found, waiting = set(), [*names]
    while waiting:
        name = waiting.pop().replace("_", "-").lower()  # as the lock spells its keys
        if name not in found:
            found.add(name)
            waiting += listed[name]["depends"]
    return found


def _take(
    name: str, digest: str, target: Path, source: Path | None, address: str
) -> None:
    """Copy or fetch one file, and verify it."""
    if source is not None:
        path = source / name
        if not path.is_file():
            raise UsageError(
                f"{source} is not a whole Pyodide {VERSION}: {name} is missing"
            )
        content = path.read_bytes()
    else:
        try:
            with urlopen(address + name, timeout=60) as reply:
                content = reply.read()
        except (URLError, TimeoutError, ConnectionError) as error:
            words = f"cannot fetch {address}{name} ({getattr(error, 'reason', error)})"
            raise UsageError(
                f"{words}; give a folder with it: --pyodide FOLDER"
            ) from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise UsageError(
            f"{name} is not that of Pyodide {VERSION}: its checksum is another one"
        )
    (target / name).write_bytes(content)


def _add_own(distribution: Path, root: Path) -> None:
    """Add packages of pure Python to the distribution, as they are installed here."""
    path = distribution / LOCK
    lock = json.loads(path.read_text())
    kept = _with_dependencies(PACKAGES, lock["packages"])
    packages = {name: lock["packages"][name] for name in sorted(kept)}
    for name, modules in OWN.items():
        version = metadata.version(name)
        wheel = distribution / f"{name}-{version}-py3-none-any.whl"
        _pack(name, version, modules, wheel, root)
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        entry = {
            "name": name.replace("_", "-"),
            "version": version,
            "file_name": wheel.name,
        }
        entry |= {"sha256": digest, "install_dir": "site", "package_type": "package"}
        entry |= {
            "imports": [*modules],
            "depends": NEEDS.get(name, []),
            "unvendored_tests": False,
        }
        packages[entry["name"]] = entry
    path.write_text(json.dumps(lock | {"packages": packages}))


def _pack(name: str, version: str, modules, wheel: Path, root: Path) -> None:
    """Pack a package's modules as a wheel."""
    info = f"{name}-{version}.dist-info"
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    tags = "Wheel-Version: 1.0\nGenerator: vbkit\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as packed:
        for module in modules:
            home = (
                root if name == "vbkit" else metadata.distribution(name).locate_file("")
            )
            for path in sorted(Path(home, module).rglob("*")):
                if path.is_file() and path.suffix not in (
                    ".pyc",
                    ".nbi",
                    ".nbc",
                    ".so",
                ):
                    packed.write(path, path.relative_to(home).as_posix())
        packed.writestr(f"{info}/METADATA", head)
        packed.writestr(f"{info}/WHEEL", tags)
        packed.writestr(f"{info}/RECORD", "")


def _build_lite(build: Path, distribution: Path, root: Path) -> None:
    """Build a JupyterLite with chapters, appendices, solutions and the data that they read."""
    contents, work = build / "distribution" / "contents", build / "distribution"
    data = root / "figures"
    for name, path in notebooks(root).items():
        if kind(name) != "evidence":
            target = contents / "notebooks" / f"{name}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    (contents / "figures" / "data").mkdir(parents=True)
    small = [path for path in data.glob("data/*.npz") if path.stat().st_size < MOST]
    for path in [data / LEDGER, data / MANIFEST, *data.glob("data/*.json"), *small]:
        shutil.copyfile(path, contents / path.relative_to(root))
    archive = work / f"pyodide-{VERSION}.tar.bz2"
    with tarfile.open(archive, "w:bz2", compresslevel=1) as packed:
        packed.add(distribution, "pyodide")
    command = [sys.executable, "-m", "jupyter", "lite", "build", "--apps", "lab"]
    command += [
        "--contents",
        str(contents),
        "--output-dir",
        str(build / "lab"),
        "--lite-dir",
    ]
    command += [str(work), "--pyodide", str(archive), "--no-sourcemaps"]
    named = {"federated_extensions": [_extension(name) for name in EXTENSIONS]}
    named["ignore_sys_prefix"] = [
        "federated_extensions"
    ]  # those that happen to be installed
    (work / "jupyter_lite_config.json").write_text(
        json.dumps({"LiteBuildConfig": named})
    )
    done = subprocess.run(command, cwd=work, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise UsageError(f"JupyterLite could not be built: {' '.join(last)}")


def _extension(name: str) -> str:
    """Where an extension of JupyterLab is installed."""
    places = [Path(folder, name) for folder in jupyter_path("labextensions")]
    for place in filter(Path.is_dir, places):
        return str(place)
    raise UsageError(
        f"JupyterLab's extension {name} is not installed: see requirements.txt"
    )
