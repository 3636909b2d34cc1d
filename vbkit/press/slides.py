"""Lectures as slides: for each one HTML file that needs no network and no kernel."""

import base64
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from nbconvert.exporters import SlidesExporter
from nbconvert.filters import Highlight2HTML
from nbformat import NotebookNode

from vbkit.press import ROOT, UsageError, canonical, pictures
from vbkit.press.book import (
    PAGES,
    file_of,
    licence_of_mathjax,
    mark_recorded,
    mathjax,
    record_explorers,
)
from vbkit.press.deck import QUESTION, slides_of
from vbkit.press.folder import new_folder
from vbkit.press.selection import choose_some, kind

OPTIONAL = "an optional lecture"  # says the first cell of one
# The template, style sheet and script; the template is a kind of reveal.
HOME = PAGES / "slides"
REVEAL = "sphinx-revealjs"  # holds reveal.js 5
REVEAL_FILES = "sphinx_revealjs/_static/revealjs"
NOTES = "plugin/notes/notes.js"
# what would end an inlined script; in a string of JavaScript the backslash is nothing
SCRIPT_END = re.compile(r"</(script)", re.I)


def slides(
    folder: Path,
    names: Iterable[str] = (),
    *,
    root: Path = ROOT,
    record: Callable | None = None,
) -> list[str]:
    """Write the slides of lectures into a new folder; return the lectures' names.

    names: as `choose` takes them (default: the core lectures). record: as of `book`;
    without it the explorers stand still. Raises UsageError, before anything is written,
    where a name means no lecture, a lecture has no title, the folder is not new or a
    package is missing.
    """
    chosen = _lectures(root, list(names))
    styles = [
        _reveal("dist/reset.css"),
        _reveal("dist/reveal.css"),
        _page("book.css"),
        _page("slides/slides.css"),
    ]
    scripts = [
        _page("explorers.js"),
        _page("slides/slides.js"),
        _reveal("dist/reveal.js"),
        _reveal(NOTES),
        mathjax().read_text("utf-8"),
    ]
    resources = {
        "styles": styles,
        "scripts": [SCRIPT_END.sub(r"<\\/\1", script) for script in scripts],
        "licences": [_reveal("LICENSE"), licence_of_mathjax()],
    }
    stored = {name: canonical.read(path) for name, path in chosen.items()}
    for name, notebook in stored.items():
        if not canonical.title(notebook):
            raise UsageError(f"{name} does not begin with a title, so it has no slides")
    with new_folder(folder, root) as build:
        recordings = record_explorers(stored.values(), record, root)
        exporter = _exporter()
        for name, notebook in stored.items():
            page = _deck(notebook, recordings, exporter, resources)
            (build / f"{name}.html").write_text(page, encoding="utf-8")
    return list(chosen)


def is_core(notebook: NotebookNode) -> bool:
    """Whether a notebook is a lecture of the core: it asks the question of a lecture, and
    does not call itself optional."""
    if not notebook.cells:
        return False
    opening = notebook.cells[0].source
    return QUESTION in opening and OPTIONAL not in opening


def _lectures(root: Path, names: list[str]) -> dict[str, Path]:
    """The lectures asked for, the core if none is. UsageError for other notebooks."""
    refusal = "slides are made of lectures only, not of"
    chosen = choose_some(root, names, lambda name: kind(name) == "chapter", refusal)
    if names:
        return chosen
    core = {
        name: path for name, path in chosen.items() if is_core(canonical.read(path))
    }
    if not core:
        raise UsageError(
            f"{root} has no core lectures: name the lectures that you want"
        )
    return core


def _page(name: str) -> str:
    return (PAGES / name).read_text("utf-8")


def _reveal(name: str) -> str:
    """A file of reveal.js, as text. Raises UsageError where it is not installed."""
    return file_of(REVEAL, f"{REVEAL_FILES}/{name}").read_text("utf-8")


def _exporter() -> SlidesExporter:
    return SlidesExporter(
        template_name=HOME.name,
        template_file="index.html.j2",
        extra_template_basedirs=[str(HOME.parent)],
        filters={"highlight_code": Highlight2HTML("python3")},
    )


def _deck(
    notebook: NotebookNode, recordings: dict, exporter: SlidesExporter, resources: dict
) -> str:
    """The page of one lecture."""
    used = {
        name: recordings[name].script for name in mark_recorded(notebook, recordings)
    }
    for cell in canonical.code_cells(notebook):
        for output in cell.outputs:
            png = output.get("data", {}).get("image/png")
            if png:
                fewer = pictures.in_fewer_bytes(base64.b64decode(png))
                output.data["image/png"] = base64.b64encode(fewer).decode()
    own = {"title": canonical.title(notebook), "recordings": list(used.items())}
    page, _ = exporter.from_notebook_node(slides_of(notebook), resources | own)
    return page
