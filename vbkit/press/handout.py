"""The students' copy: a folder that stands alone and runs.

It has no solutions to exercises. Answers to predictions stay, in their folds: wagers are
scored by them, and later cells go on from what they computed.
"""

import base64
import posixpath
import re
import shutil
import textwrap
import tomllib
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from nbconvert.preprocessors import ClearOutputPreprocessor, TagRemovePreprocessor
from nbformat import NotebookNode

from vbkit.press import ROOT, canonical, manifest
from vbkit.press.folder import LEFTOVERS, new_folder
from vbkit.press.selection import choose_some, kind

FILES = ("environment.yml", "pyproject.toml")  # copied, besides vbkit/
# templates of the README and of packed answers
PAGES = Path(__file__).with_name("pages")
TAGS = {"solutions"}  # of cells that point to solutions
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
COLUMNS = 100  # of packed answers


def handout(
    folder: Path,
    names: Iterable[str] = (),
    *,
    clear_outputs: bool = False,
    root: Path = ROOT,
) -> list[str]:
    """Make a copy for students of chapters, appendices and problem sheets; return the
    names.

    names: as `choose` takes them (default: all). clear_outputs: empty all outputs.
    Raises UsageError, before anything is written, where a notebook is not there or is
    never handed out, or the folder is not new.
    """
    refusal = "evidence, solutions and what is for lecturers are not handed out:"
    chosen = choose_some(root, names, is_handed_out, refusal)
    with new_folder(folder, root) as build:
        _package(root if (root / "vbkit").is_dir() else ROOT, build)
        _figures(root / "figures", build / "figures", chosen)
        lines = []
        for name, path in chosen.items():
            place = f"notebooks/{posixpath.dirname(name)}"
            notebook = for_students(
                canonical.read(path),
                lambda link, place=place: _is_there(link, place, build, chosen),
            )
            if clear_outputs:
                notebook, _ = ClearOutputPreprocessor().preprocess(notebook, {})
            text = canonical.dumps(notebook)
            (build / place).mkdir(parents=True, exist_ok=True)
            (build / "notebooks" / f"{name}.ipynb").write_text(text, encoding="utf-8")
            title = canonical.title(notebook)
            number = "" if kind(name) == "problems" else f"{name.split('_')[0]} "
            lines.append(f"- {number}[{title}](notebooks/{name}.ipynb)")
        first = next(iter(chosen))
        template = (PAGES / "handout.md").read_text("utf-8")
        readme = template.format(
            notebooks="\n".join(lines), first=f"notebooks/{first}.ipynb"
        )
        (build / "README.md").write_text(readme, encoding="utf-8")
    return list(chosen)


def is_handed_out(name: str) -> bool:
    """Whether students get a notebook: lectures, problem sheets and appendices, but for
    that of lecturers."""
    handed_out = kind(name) in ("chapter", "appendix", "problems")
    return handed_out and not name.endswith("for_lecturers")


def for_students(
    notebook: NotebookNode, is_there: Callable[[str], bool]
) -> NotebookNode:
    """A notebook without the cells that point to solutions.

    is_there: whether the file that a link leads to is handed out; other links become
    their words.
    """
    notebook, _ = TagRemovePreprocessor(remove_cell_tags=TAGS).preprocess(notebook, {})
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = plain_links(cell.source, is_there)
        for output in cell.get("outputs", ()):
            page = output.get("data", {}).get("text/markdown")
            if page:
                output.data["text/markdown"] = plain_links(page, is_there)
    return notebook


def plain_links(text: str, is_there: Callable[[str], bool]) -> str:
    """A text in which links to files that are not there are only their words."""

    def link_or_words(match: re.Match) -> str:
        link = urlsplit(match[2])
        leads = link.scheme or not link.path or is_there(unquote(link.path))
        return match[0] if leads else match[1]

    return LINK.sub(link_or_words, text)


def _is_there(target: str, place: str, build: Path, chosen: dict[str, Path]) -> bool:
    """Whether the target of a link in a notebook of a folder, `place`, is handed out."""
    path = posixpath.normpath(posixpath.join(place, target))
    if path.endswith(".ipynb"):
        return path.removeprefix("notebooks/").removesuffix(".ipynb") in chosen
    return path == "README.md" or (build / path).exists()


def _package(source: Path, build: Path) -> None:
    """Copy vbkit, the answers packed, and what installs it."""
    ignored = shutil.ignore_patterns(*LEFTOVERS, "*.py[co]", "*.nb[ci]")
    shutil.copytree(source / "vbkit", build / "vbkit", ignore=ignored)
    template = (PAGES / "answers.txt").read_text("utf-8")
    for path in answers(build):
        packed = base64.b64encode(zlib.compress(path.read_bytes(), 9)).decode()
        lines = textwrap.wrap(packed, COLUMNS)
        path.write_text(template.format(packed="\n".join(lines)), encoding="utf-8")
    for name in FILES:
        shutil.copyfile(source / name, build / name)
    (build / "requirements.txt").write_text(_requirements(source), encoding="utf-8")


def answers(root: Path) -> list[Path]:
    """The files below root that answer exercises."""
    return sorted((root / "vbkit" / "course").glob("answers_*.py"))


def _requirements(source: Path) -> str:
    """The pins of what students need.

    That is neither tests nor measurements, nor what builds a site.
    """
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    needed = project["dependencies"] + project["optional-dependencies"]["workbook"]
    names = {_package_name(requirement) for requirement in needed}
    pins = (source / "requirements.txt").read_text("utf-8").splitlines()
    lines = [
        "# What the notebooks and their sliders need.",
        *[pin for pin in pins if _package_name(pin) in names],
        "-e .",
    ]
    return "\n".join(lines) + "\n"


def _package_name(requirement: str) -> str:
    return re.match(r"[\w.-]*", requirement)[0].lower().replace("_", "-")


def _figures(figures: Path, copy: Path, chosen: dict[str, Path]) -> None:
    """Copy what the notebooks read and show.

    These are the figures, arrays and pages of the chosen ones, and the ledger and the
    stored studies of all.
    """
    (copy / "data").mkdir(parents=True)
    owners = manifest.owners(figures)
    needed = {path for path, owner in owners.items() if owner in chosen}
    needed |= set(figures.glob("data/*.json"))
    if (figures / manifest.LEDGER).exists():
        needed.add(figures / manifest.LEDGER)
    for path in needed:
        shutil.copyfile(path, copy / path.relative_to(figures))
    entries = manifest.read_manifest(figures)
    own = [entry for entry in entries if entry["notebook"] in chosen]
    manifest.write_manifest(own, copy / manifest.MANIFEST)
    for page in copy.glob("*.md"):
        text = page.read_text("utf-8")
        text = plain_links(text, lambda link: Path(link).stem in chosen)
        page.write_text(text, encoding="utf-8")
