"""The students' copy: a folder that stands alone and runs, without solutions and without answers to predictions."""

import base64
import posixpath
import re
import shutil
import textwrap
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from nbformat import NotebookNode

from vbkit.workbook import ROOT, UsageError, canonical, manifest
from vbkit.workbook.clean import LEFTOVERS
from vbkit.workbook.folder import new_folder
from vbkit.workbook.select import choose

FILES = (
    "requirements.txt",
    "environment.yml",
    "pyproject.toml",
)  # copied as they are, besides vbkit/
README = Path(__file__).with_name("pages") / "handout.md"
SUMMARY = r"<summary>(?:(?!</summary>).)*?"
ANSWER = re.compile(rf"<details>\s*{SUMMARY}\banswers?\b.*?</details>", re.S | re.I)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
# Between sentences, paragraphs, items and rows; before what opens or closes a box.
SEAM = re.compile(
    r"(?<=[.!?])(?=\s)|(?<=[.!?][*_)\"'])(?=\s)|(?<=[.!?]\*\*)(?=\s)|(?=\n\n|\n[-*|] |\n\d+\. |</?details|</?summary)"
)
SPOILER = re.compile(
    r"\]\([^)]*\bsolutions/[^)]*\)|`[^`\n]*\bsolutions/[^`\n]*`|\bsolutions? notebooks?\b"
)
PACKED = '''"""Reference answers to exercises, which the checkers read, packed so that they do not meet the eye.

This hides, it does not lock: whoever wants to unpack them can. Try the exercises first.
"""

import base64
import zlib

PACKED = """
{packed}
"""

exec(compile(zlib.decompress(base64.b64decode(PACKED)), __name__, "exec"))
'''


def handout(
    folder: Path, wanted: Iterable[str] = (), *, clear_outputs: bool = False, root: Path = ROOT
) -> list[str]:
    """Make a copy for students of the notebooks wanted (default: all but solutions); returns their names.

    clear_outputs: empty all outputs. UsageError, before anything is written, where a notebook is not there or
    is a solution, or the folder is not new.
    """
    wanted = [*wanted]
    chosen = choose(root, wanted)
    if wanted and (solutions := [name for name in chosen if "/" in name]):
        raise UsageError(f"solutions are not handed out: {', '.join(solutions)}")
    chosen = {name: path for name, path in chosen.items() if "/" not in name}
    with new_folder(folder, root) as build:
        _package(root if (root / "vbkit").is_dir() else ROOT, build)
        _figures(root / "figures", build / "figures", chosen)
        (build / "notebooks").mkdir()
        titles = {}
        for name, path in chosen.items():
            notebook = for_students(
                canonical.read(path), lambda target: _there(target, build, chosen)
            )
            if clear_outputs:
                for cell in canonical.code_cells(notebook):
                    cell.outputs, cell.execution_count = [], None
            (build / "notebooks" / f"{name}.ipynb").write_text(
                canonical.dumps(notebook), encoding="utf-8"
            )
            titles[name] = notebook.cells[0].source.split("\n")[0].lstrip("# ")
        lines = [
            f"- {name.split('_')[0]} [{title}](notebooks/{name}.ipynb)"
            for name, title in titles.items()
        ]
        words = {"title": "Variational Bayes: notebooks", "notebooks": "\n".join(lines)}
        text = README.read_text("utf-8").format(
            **words, first=f"notebooks/{next(iter(chosen))}.ipynb"
        )
        (build / "README.md").write_text(text, encoding="utf-8")
    return [*chosen]


def for_students(notebook: NotebookNode, there: Callable[[str], bool]) -> NotebookNode:
    """A notebook without answers, and without sentences that point to solutions.

    there: whether the file that a link leads to, seen from the notebooks, is handed out; other links become text.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = plain_links(_discreet(ANSWER.sub("", cell.source)), there)
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip()]
    return notebook


def _discreet(text: str) -> str:
    """A text without the sentences, items and rows that point to solutions; breaks between paragraphs stay."""
    parts = SEAM.split(text)
    kept = ("\n\n" * part.startswith("\n\n") if SPOILER.search(part) else part for part in parts)
    return re.sub(r"\n{3,}", "\n\n", "".join(kept)).strip()


def plain_links(text: str, there: Callable[[str], bool]) -> str:
    """A text in which links to files that are not there are only their words."""

    def link(found: re.Match) -> str:
        parts = urlsplit(found[2])
        return (
            found[0] if parts.scheme or not parts.path or there(unquote(parts.path)) else found[1]
        )

    return LINK.sub(link, text)


def _there(target: str, build: Path, chosen: dict) -> bool:
    path = posixpath.normpath(posixpath.join("notebooks", target))
    name = path.removeprefix("notebooks/").removesuffix(".ipynb")
    return (
        name in chosen
        if path.endswith(".ipynb")
        else path == "README.md" or (build / path).exists()
    )


def _package(source: Path, build: Path) -> None:
    """Copy vbkit, the answers packed, and what installs it."""
    ignored = shutil.ignore_patterns(*LEFTOVERS, "*.py[co]", "*.nb[ci]")
    shutil.copytree(source / "vbkit", build / "vbkit", ignore=ignored)
    for path in (build / "vbkit" / "answers").glob("*.py"):
        if path.name != "__init__.py":
            packed = base64.b64encode(zlib.compress(path.read_bytes(), 9)).decode()
            path.write_text(
                PACKED.format(packed="\n".join(textwrap.wrap(packed, 100))), encoding="utf-8"
            )
    for name in FILES:
        shutil.copyfile(source / name, build / name)


def _figures(figures: Path, copy: Path, chosen: dict[str, Path]) -> None:
    """Copy the figures, arrays, studies and pages of the chosen notebooks, and the ledger of all."""
    (copy / "data").mkdir(parents=True)
    entries = [entry for entry in manifest.read_manifest(figures) if entry["notebook"] in chosen]
    needed = manifest.files(figures, entries)
    for name in chosen:
        needed += manifest.studies(figures, name) + manifest.pages(figures, name)
    if (figures / manifest.LEDGER).exists():
        needed.append(figures / manifest.LEDGER)
    for path in needed:
        shutil.copyfile(path, copy / path.relative_to(figures))
    manifest.write_manifest(entries, copy / manifest.NAME)
    for page in copy.glob("*.md"):
        text = page.read_text("utf-8")
        page.write_text(
            plain_links(text, lambda target: Path(target).stem in chosen), encoding="utf-8"
        )
