"""The students' copy: a folder that stands alone and runs, without solutions and answers to
predictions."""

import base64
import posixpath
import re
import shutil
import textwrap
import tomllib
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from nbconvert.preprocessors import ClearOutputPreprocessor, TagRemovePreprocessor
from nbformat import NotebookNode

from vbkit.press import ROOT, UsageError, canonical, manifest
from vbkit.press.folder import LEFTOVERS, new_folder
from vbkit.press.selection import choose, kind

FILES = ("environment.yml", "pyproject.toml")  # copied, besides vbkit/
PAGES = Path(__file__).with_name(
    "pages"
)  # templates of the README and of packed answers
TAGS = {
    "answer",
    "solutions",
}  # of cells that answer a prediction, or point to solutions
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")


def handout(
    folder: Path, wanted=(), *, clear_outputs=False, root: Path = ROOT
) -> list[str]:
    """Make a copy for students of the chapters and appendices wanted (default: all); return their
    names.

    wanted: names, as `choose` takes them. clear_outputs: empty all outputs. Raises UsageError,
    before anything is written, where a notebook is not there or is never handed out, or the folder
    is not new."""
    wanted = [*wanted]
    for asked in wanted:
        kept = [
            name
            for name in choose(root, [asked])
            if kind(name) in ("evidence", "solutions")
        ]
        if len(kept) == len(choose(root, [asked])):
            raise UsageError(
                f"evidence and solutions are not handed out: {', '.join(kept)}"
            )
    chosen = choose(root, wanted)
    chosen = {
        name: chosen[name] for name in chosen if kind(name) in ("chapter", "appendix")
    }
    with new_folder(folder, root) as build:
        _package(root if (root / "vbkit").is_dir() else ROOT, build)
        _figures(root / "figures", build / "figures", chosen)
        (build / "notebooks").mkdir()
        lines = []
        for name, path in chosen.items():
            notebook = for_students(
                canonical.read(path), lambda link: _there(link, build, chosen)
            )
            if clear_outputs:
                notebook, _ = ClearOutputPreprocessor().preprocess(notebook, {})
            text = canonical.dumps(notebook)
            (build / "notebooks" / f"{name}.ipynb").write_text(text, encoding="utf-8")
            title = notebook.cells[0].source.split("\n")[0].lstrip("# ")
            lines.append(f"- {name.split('_')[0]} [{title}](notebooks/{name}.ipynb)")
        first = f"notebooks/{next(iter(chosen))}.ipynb"
        text = (PAGES / "handout.md").read_text("utf-8")
        text = text.format(notebooks="\n".join(lines), first=first)
        (build / "README.md").write_text(text, encoding="utf-8")
    return [*chosen]


def for_students(notebook: NotebookNode, there: Callable[[str], bool]) -> NotebookNode:
    """A notebook without the cells tagged `answer` and `solutions`.

    there: whether the file that a link leads to is handed out; other links become their words.
    """
    notebook, _ = TagRemovePreprocessor(remove_cell_tags=TAGS).preprocess(notebook, {})
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = plain_links(cell.source, there)
        for output in cell.get("outputs", ()):
            if page := output.get("data", {}).get("text/markdown"):
                output.data["text/markdown"] = plain_links(page, there)
    return notebook


def plain_links(text: str, there: Callable[[str], bool]) -> str:
    """A text in which links to files that are not there are only their words."""

    def link(found: re.Match) -> str:
        parts = urlsplit(found[2])
        leads = parts.scheme or not parts.path or there(unquote(parts.path))
        return found[0] if leads else found[1]

    return LINK.sub(link, text)


def _there(target: str, build: Path, chosen: dict) -> bool:
    path = posixpath.normpath(posixpath.join("notebooks", target))
    if path.endswith(".ipynb"):
        return path.removeprefix("notebooks/").removesuffix(".ipynb") in chosen
    return path == "README.md" or (build / path).exists()


def _package(source: Path, build: Path) -> None:
    """Copy vbkit, the answers packed, and what installs it."""
    ignored = shutil.ignore_patterns(*LEFTOVERS, "*.py[co]", "*.nb[ci]")
    shutil.copytree(source / "vbkit", build / "vbkit", ignore=ignored)
    template = (PAGES / "answers.txt").read_text("utf-8")
    for path in (build / "vbkit" / "chapters").glob("*/answers.py"):
        packed = base64.b64encode(zlib.compress(path.read_bytes(), 9)).decode()
        text = template.format(packed="\n".join(textwrap.wrap(packed, 100)))
        path.write_text(text, encoding="utf-8")
    for name in FILES:
        shutil.copyfile(source / name, build / name)
    (build / "requirements.txt").write_text(_requirements(source), encoding="utf-8")


def _requirements(source: Path) -> str:
    """The pins of what students need: neither tests nor measurements, nor what builds a site."""
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["workbook"]
    names = {_package_name(requirement) for requirement in wanted}
    pins = (source / "requirements.txt").read_text("utf-8").splitlines()
    kept = [pin for pin in pins if _package_name(pin) in names]
    return "\n".join(
        ["# What the notebooks and their sliders need.", *kept, "-e .", ""]
    )


def _package_name(requirement: str) -> str:
    return re.match(r"[\w.-]*", requirement)[0].lower().replace("_", "-")


def _figures(figures: Path, copy: Path, chosen: dict[str, Path]) -> None:
    """Copy the figures, arrays and pages of the chosen notebooks, and the ledger and the stored
    studies of all."""
    (copy / "data").mkdir(parents=True)
    needed = [
        path for path, owner in manifest.owners(figures).items() if owner in chosen
    ]
    needed += [path for path in figures.glob("data/*.json") if path not in needed]
    if (figures / manifest.LEDGER).exists():
        needed.append(figures / manifest.LEDGER)
    for path in needed:
        shutil.copyfile(path, copy / path.relative_to(figures))
    entries = [
        entry
        for entry in manifest.read_manifest(figures)
        if entry["notebook"] in chosen
    ]
    manifest.write_manifest(entries, copy / manifest.MANIFEST)
    for page in copy.glob("*.md"):
        text = plain_links(
            page.read_text("utf-8"), lambda link: Path(link).stem in chosen
        )
        page.write_text(text, encoding="utf-8")
