"""The workbook as a book: every notebook a page of HTML that needs no network."""

import json
import posixpath
import re
import shutil
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

import attrs
from bs4 import BeautifulSoup
from nbconvert.exporters import TemplateExporter
from nbconvert.filters import Highlight2HTML, markdown2html
from nbconvert.preprocessors import (
    ExtractAttachmentsPreprocessor,
    ExtractOutputPreprocessor,
)
from nbformat import NotebookNode

from vbkit.press import ROOT, UsageError, canonical, pictures
from vbkit.press.folder import RECORDINGS, new_folder
from vbkit.press.selection import kind, notebooks

PAGES = Path(__file__).with_name("pages")  # templates, style sheet, scripts
ASSETS = ("book.css", "book.js", "explorers.js")
FOLDERS = (
    "assets/explorers",
    "explorers",
    "pictures",
    "problems",
    "evidence",
    "solutions",
)
# holds MathJax 3; one file of it draws all, without fonts
MATHJAX = "sphinx-mathjax-offline"
ENGINE = f"{MATHJAX}/static/mathjax/tex-svg-full.js"
LICENCES = "jupyterlab/static/third-party-licenses.json"
TITLE = "Variational Bayes: a workbook"
PARTS = {
    "chapter": "Chapters",
    "appendix": "Appendices",
    "problems": "Problem sheets",
    "evidence": "Evidence",
    "solutions": "Solutions",
}
# a line that gives a companion or a lecture a short name
NAMED = re.compile(r"^from vbkit\.course import (\w+) as (\w+)$", re.M)
# the last line of an explorer's cell, such as `chapter.puzzle()` or `lecture.Puzzle()`
MAKER = re.compile(r"^(\w+)\.(\w+)\(\)\s*\Z", re.M)
TIME = re.compile(r"[^.\n]*\bminutes? to read[^.]*\.", re.S)
LEARN = re.compile(r"\*\*You will learn\*\*\s+(.+?\.)(?=\s|$)", re.S)
# how sliders come to life in a notebook; on a page there is nothing to run
RUN_ALL = re.compile(r"\s*\**Run > Run All Cells\** brings the sliders? to life\.")
SHORTER_LINKS = re.compile(r"</?(a|p)\b[^>]*>")
LINKS = re.compile(r"</?a\b[^>]*>")


@attrs.define
class Page:
    """What one notebook becomes. title, learn, sections and body are HTML.

    - name: of the notebook; title, body, learn, time: its title, its cells, what one
      learns and how long it takes to read
    - sections: its headings, dicts of id, level and html
    """

    name: str
    title: str = ""
    body: str = ""
    learn: str = ""
    time: str = ""
    sections: list[dict] = attrs.field(factory=list)

    @property
    def folder(self) -> str:
        """The folder in which the page lies; empty for the book's own."""
        return posixpath.dirname(self.name)

    @property
    def up(self) -> str:
        """The way from the page to the book's own folder."""
        return "../" * self.name.count("/")

    @property
    def number(self) -> str:
        """The beginning of the notebook's name ("07a")."""
        return posixpath.basename(self.name).split("_")[0]

    @property
    def part(self) -> str:
        """The part of the book that the page belongs to."""
        return PARTS[kind(self.name)]


def book(folder: Path, *, root: Path = ROOT, record: Callable | None = None) -> int:
    """Render all notebooks into a new folder; return how many.

    record: function (names, cache) -> recordings by name, of those among the names
    "module.maker" that make an explorer, where the folder `cache` keeps them;
    without it the explorers stand still. Raises UsageError, before anything is written,
    if the folder is not new or MathJax is missing.
    """
    mathjax()  # raises its error before anything is recorded
    licence_of_mathjax()
    stored = read_all(root)
    with new_folder(folder, root) as build:
        write_pages(build, stored, record_explorers(stored.values(), record, root))
    return len(stored)


def read_all(root: Path) -> dict[str, NotebookNode]:
    """All notebooks by name, in the order of the book."""
    return {name: canonical.read(path) for name, path in notebooks(root).items()}


def record_explorers(
    stored: Iterable[NotebookNode], record: Callable | None, root: Path
) -> dict:
    """The recordings of the explorers that notebooks show, by name.

    record: as of `book`; without it there are none.
    """
    if record is None:
        return {}
    names = {name for notebook in stored for _, name in explorer_cells(notebook)}
    return record(sorted(names), root / RECORDINGS)


def write_pages(build: Path, stored: dict[str, NotebookNode], recordings: dict) -> None:
    """Write the pages of notebooks, and what these need, into a folder.

    stored: the notebooks by name, which are changed; recordings: of their explorers.
    """
    for name in FOLDERS:
        (build / name).mkdir(parents=True)
    for path in (mathjax(), *(PAGES / name for name in ASSETS)):
        shutil.copyfile(path, build / "assets" / path.name)
    licence = build / "assets" / "mathjax-licence.txt"
    licence.write_text(licence_of_mathjax(), encoding="utf-8")
    exporter = page_exporter()
    for page, notebook in stored.items():
        for name in mark_recorded(notebook, recordings):
            _write_explorer(name, page, recordings[name], exporter, build)
    pages = [
        _read(name, notebook, stored, exporter, build)
        for name, notebook in stored.items()
    ]
    _write(exporter, pages, build, bool(recordings))


def file_of(package: str, name: str) -> Path:
    """A file of an installed package. Raises UsageError where that is missing."""
    try:
        return Path(metadata.distribution(package).locate_file(name))
    except metadata.PackageNotFoundError as error:
        raise UsageError(
            f"{error.name} is not installed; run: pip install -r requirements.txt"
        ) from error


def mathjax() -> Path:
    """The file of MathJax. Raises UsageError where it is not installed."""
    return file_of(MATHJAX, ENGINE)


def licence_of_mathjax() -> str:
    """The licence of MathJax, which pages pass on, from JupyterLab's list."""
    path = file_of("jupyterlab", LICENCES)
    packages = json.loads(path.read_text("utf-8"))["packages"]
    for package in packages:
        if package["name"] == "mathjax-full":
            return package["extractedText"]
    raise UsageError(f"{path} does not hold the licence of MathJax")


def explorer_cells(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, str]]:
    """The cells that may end with an explorer, each with "companion.function" or
    "lecture.Class"."""
    modules = {}  # by the names that they have in the notebook
    for cell in canonical.code_cells(notebook):
        for module, short in NAMED.findall(cell.source):
            modules[short] = module
        made = MAKER.search(cell.source)
        if made and made[1] in modules and pictures.pngs(cell.outputs):
            yield cell, f"{modules[made[1]]}.{made[2]}"


def mark_recorded(notebook: NotebookNode, recordings: dict) -> list[str]:
    """Say in the metadata of explorers' cells, as "recording", which one is theirs.

    This holds its "name", and whether it "fits": where it opens with another picture than
    the cell has stored, the picture has to stand still. Returns the names of those that
    fit.
    """
    used = []
    for cell, name in explorer_cells(notebook):
        if name not in recordings:  # it draws a picture that does not slide
            continue
        stored = pictures.pngs(cell.outputs)[-1]
        fits = not pictures.difference(stored, recordings[name].still)
        cell.metadata["recording"] = {"name": name, "fits": fits}
        if fits:
            used.append(name)
    return used


def _write_explorer(
    name: str, page: str, recording, exporter: TemplateExporter, build: Path
) -> None:
    """Write the recording of an explorer, and a page that shows it alone."""
    script = build / "assets" / "explorers" / f"{name}.js"
    script.write_text(recording.script, encoding="utf-8")
    template = exporter.environment.get_template("alone.html.j2")
    png = b64encode(pictures.in_fewer_bytes(recording.still)).decode()
    text = template.render(name=name, page=page, png=png, recording=recording)
    (build / "explorers" / f"{name}.html").write_text(text, encoding="utf-8")


def page_exporter() -> TemplateExporter:
    """What renders notebooks' cells, and has the templates of all pages."""
    return TemplateExporter(
        template_name=PAGES.name,
        template_file="cells.html.j2",
        extra_template_basedirs=[str(PAGES.parent)],
        preprocessors=[
            ExtractOutputPreprocessor(enabled=True),
            ExtractAttachmentsPreprocessor(enabled=True),
        ],
        filters={"highlight_code": Highlight2HTML("python3"), "size": pictures.size},
    )


def _read(
    name: str,
    notebook: NotebookNode,
    names: Collection[str],
    exporter: TemplateExporter,
    build: Path,
) -> Page:
    """Render a notebook, and write its pictures; names: of all notebooks of the book."""
    page = Page(name)
    opening = RUN_ALL.sub("", notebook.cells[0].source)
    notebook.cells[0].source = opening
    page.learn = _what_one_learns(opening)
    page.time = _how_long_it_takes(opening)
    body, stills = _render(notebook, page, exporter)
    for file, content in stills.items():
        path = build / page.folder / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(pictures.in_fewer_bytes(content))
    tree = BeautifulSoup(body, "html.parser")
    _fit_to_the_page(tree, stills)
    for link in tree.select(".text a[href]"):
        _lead(link, page.folder, names)
    _number_headings(tree, page)
    page.body = str(tree)
    return page


def _what_one_learns(opening: str) -> str:
    """What the first cell of a notebook says that one learns, as HTML."""
    learn = LEARN.search(opening)
    if learn is None:
        return ""
    return SHORTER_LINKS.sub("", markdown2html(f"Learn {learn[1]}")).strip()


def _how_long_it_takes(opening: str) -> str:
    """How long the first cell of a notebook says that it takes to read."""
    time = TIME.search(opening)
    if time is None:
        return ""
    text = " ".join(time[0].split())
    return re.sub(r"^\W*Time\W*", "", text).capitalize()


def _render(
    notebook: NotebookNode, page: Page, exporter: TemplateExporter
) -> tuple[str, dict[str, bytes]]:
    """A notebook's cells as HTML, and their pictures by their ways from the page."""
    resources = {
        "unique_key": page.number,
        "output_files_dir": f"{page.up}pictures/{page.name.replace('/', '-')}",
        "up": page.up,
    }
    body, resources = exporter.from_notebook_node(notebook, resources)
    return body, resources["outputs"]


def _fit_to_the_page(tree: BeautifulSoup, stills: dict[str, bytes]) -> None:
    """Say how large the pictures in answers are, let wide tables scroll, and leave out the
    signs beside headings."""
    for image in tree.select(".text img"):
        width, height = pictures.size(stills[image["src"]])
        image.attrs |= {"width": width, "height": height}
    for table in tree.select(".text table"):
        table.wrap(tree.new_tag("div", attrs={"class": "wide"}))
    for anchor in tree.select("a.anchor-link"):
        anchor.decompose()


def _lead(link, folder: str, names: Collection[str]) -> None:
    """Let a link lead to a page; one that leaves the book becomes its words."""
    parts = urlsplit(link["href"])
    if parts.scheme or not parts.path:
        return
    target = posixpath.normpath(posixpath.join(folder, unquote(parts.path)))
    name = target.removesuffix(".ipynb")
    if target.endswith(".ipynb") and name in names:
        path = posixpath.relpath(f"{name}.html", folder or ".")
        link["href"] = f"{path}#{parts.fragment}" if parts.fragment else path
    else:
        place = posixpath.normpath(f"notebooks/{target}")
        link.name = "span"
        link.attrs = {"title": f"in the workbook's folder: {place}"}


def _number_headings(tree: BeautifulSoup, page: Page) -> None:
    """Give every heading an id of its own, as JupyterLab names it, and list it."""
    times = {"content": 1}  # how often a text has been a heading
    for heading in tree.select(".text :is(h1, h2, h3, h4)"):
        text = "-".join(heading.get_text().split())
        times[text] = times.get(text, 0) + 1
        heading["id"] = text if times[text] == 1 else f"{text}-{times[text]}"
        html = LINKS.sub("", heading.decode_contents())
        if heading.name == "h1":
            page.title = html
        else:
            page.sections.append(
                {"id": heading["id"], "level": heading.name, "html": html}
            )


def _write(
    exporter: TemplateExporter, pages: list[Page], build: Path, slides: bool
) -> None:
    """Write the page of contents, and all others, each with links to its neighbours."""
    index = exporter.environment.get_template("index.html.j2")
    template = exporter.environment.get_template("page.html.j2")
    parts = dict.fromkeys(page.part for page in pages)
    body = index.render(title=TITLE, parts=parts, pages=pages, slides=slides)
    contents = Page("index", TITLE, body)
    ordered = [contents, *pages]
    for page, before, after in zip(
        ordered, [None, *ordered[:-1]], [*ordered[1:], None], strict=True
    ):
        text = template.render(page=page, up=page.up, before=before, after=after)
        (build / f"{page.name}.html").write_text(text, encoding="utf-8")
