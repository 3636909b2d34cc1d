"""The workbook as a book: every notebook a page of HTML that needs no network."""

import json
import posixpath
import re
import shutil
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from struct import unpack
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup
from nbconvert.exporters import TemplateExporter
from nbconvert.filters import Highlight2HTML, markdown2html
from nbconvert.preprocessors import ExtractOutputPreprocessor
from nbformat import NotebookNode

from vbkit.press import ROOT, UsageError, canonical, pictures
from vbkit.press.folder import RECORDINGS, new_folder
from vbkit.press.selection import kind, notebooks

PAGES = Path(__file__).with_name("pages")  # templates, style sheet, script
MATHJAX = (
    "sphinx-mathjax-offline"  # holds MathJax 3; one file of it draws all, without fonts
)
ENGINE = f"{MATHJAX}/static/mathjax/tex-svg-full.js"
LICENCES = "jupyterlab/static/third-party-licenses.json"
TITLE = "Variational Bayes: a workbook"
PARTS = {"chapter": "Chapters", "appendix": "Appendices"}
PARTS |= {"evidence": "Evidence", "solutions": "Solutions"}
COMPANION = re.compile(r"from vbkit\.chapters import (\w+) as chapter")
MAKER = re.compile(
    r"^chapter\.(\w+)\(\)\s*\Z", re.M
)  # the last line of an explorer's cell
TIME = re.compile(r"[^.\n]*\bminutes? to read[^.]*\.", re.S)
LEARN = re.compile(r"\*\*You will learn\*\*\s+(.+?\.)(?=\s|$)", re.S)


@dataclass
class Page:
    """What one notebook becomes. title, learn, sections and body are HTML."""

    name: str
    title: str = ""
    body: str = ""
    learn: str = ""
    time: str = ""
    sections: list[dict] = field(default_factory=list)

    def __post_init__(self):
        self.file = f"{self.name}.html"
        self.folder = posixpath.dirname(self.name)
        self.up = "../" * self.name.count("/")
        self.number = posixpath.basename(self.name).split("_")[0]
        self.part = PARTS[kind(self.name)]


def book(folder: Path, *, root: Path = ROOT, record: Callable | None = None) -> int:
    """Render all notebooks into a new folder; return how many.

    record: gives the recordings of those that are explorers, by name, for a list of names and a
    folder that keeps them; without it the explorers stand still. Raises UsageError, before anything
    is written, if the folder is not new or MathJax is missing.
    """
    there = notebooks(root)
    try:
        engine = Path(metadata.distribution(MATHJAX).locate_file(ENGINE))
        licence = _licence_of_mathjax()
    except metadata.PackageNotFoundError as error:
        words = f"{error.name} is not installed; run: pip install -r requirements.txt"
        raise UsageError(words) from error
    with new_folder(folder, root) as build:
        for part in (
            "assets/explorers",
            "explorers",
            "pictures",
            "evidence",
            "solutions",
        ):
            (build / part).mkdir(parents=True)
        for path in (
            engine,
            *(PAGES / file for file in ("book.css", "book.js", "explorers.js")),
        ):
            shutil.copyfile(path, build / "assets" / path.name)
        (build / "assets" / "mathjax-licence.txt").write_text(licence, encoding="utf-8")
        stored = {name: canonical.read(path) for name, path in there.items()}
        exporter = _exporter()
        if record:
            names = {
                name for notebook in stored.values() for _, name in _explorers(notebook)
            }
            _attach(record(sorted(names), root / RECORDINGS), stored, exporter, build)
        pages = [
            _read(name, notebook, there, exporter, build)
            for name, notebook in stored.items()
        ]
        _write(exporter, pages, build, bool(record))
    return len(there)


def _licence_of_mathjax() -> str:
    """The licence of MathJax, which the book passes on; JupyterLab has it too, and lists it."""
    listed = metadata.distribution("jupyterlab").locate_file(LICENCES)
    packages = json.loads(Path(listed).read_text("utf-8"))["packages"]
    return next(p["extractedText"] for p in packages if p["name"] == "mathjax-full")


def _explorers(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, str]]:
    """The cells that may end with an explorer, and the names "companion.function" of these."""
    companion = None
    for cell in canonical.code_cells(notebook):
        if named := COMPANION.search(cell.source):
            companion = named[1]
        made = MAKER.search(cell.source)
        if made and companion and any("image/png" in data for data in _data(cell)):
            yield cell, f"{companion}.{made[1]}"


def _data(cell: NotebookNode) -> list[dict]:
    return [output.get("data", {}) for output in cell.outputs]


def _attach(
    recordings: dict, stored: dict[str, NotebookNode], exporter, build: Path
) -> None:
    """Give each explorer's cell its recording, where it opens with the picture that is stored, and
    write a page of its own for it."""
    alone = exporter.environment.get_template("alone.html.j2")
    for page, notebook in stored.items():
        for cell, name in _explorers(notebook):
            if name not in recordings:  # it draws a picture that does not slide
                continue
            png, recording = _data(cell)[-1]["image/png"], recordings[name]
            if pictures.difference(b64decode(png), recording.still):
                cell.metadata["recording"] = ""  # the page says why it stands still
                continue
            cell.metadata["recording"] = name
            script = build / "assets" / "explorers" / f"{name}.js"
            script.write_text(recording.script, encoding="utf-8")
            width, height = exporter.environment.filters["size"](recording.still)
            png = b64encode(pictures.quantised(recording.still)).decode()
            shown = {
                "name": name,
                "page": page,
                "png": png,
                "width": width,
                "height": height,
            }
            text = alone.render(shown, title=recording.title, alt=recording.alt)
            (build / "explorers" / f"{name}.html").write_text(text, encoding="utf-8")


def _exporter() -> TemplateExporter:
    filters = {"highlight_code": Highlight2HTML("python3")}
    filters["size"] = lambda png: unpack(">II", png[16:24])  # from its head
    return TemplateExporter(
        template_name=PAGES.name,
        template_file="cells.html.j2",
        extra_template_basedirs=[str(PAGES.parent)],
        preprocessors=[ExtractOutputPreprocessor(enabled=True)],
        filters=filters,
    )


def _read(
    name: str, notebook: NotebookNode, there: dict, exporter, build: Path
) -> Page:
    """Render a notebook, and write its pictures."""
    page = Page(name)
    resources = {"unique_key": name.replace("/", "-"), "output_files_dir": "pictures"}
    body, resources = exporter.from_notebook_node(notebook, resources | {"up": page.up})
    for file, content in resources["outputs"].items():
        (build / file).write_bytes(pictures.quantised(content))
    opening = notebook.cells[0].source
    if learn := LEARN.search(opening):
        page.learn = re.sub(
            r"</?(a|p)\b[^>]*>", "", markdown2html(f"Learn {learn[1]}")
        ).strip()
    if time := TIME.search(opening):
        page.time = re.sub(r"^\W*Time\W*", "", " ".join(time[0].split())).capitalize()
    tree = BeautifulSoup(body, "html.parser")
    for table in tree.select(".text table"):
        table.wrap(tree.new_tag("div", attrs={"class": "wide"}))
    for anchor in tree.select("a.anchor-link"):
        anchor.decompose()
    for link in tree.select(".text a[href]"):
        _lead(link, page.folder, there)
    _number_headings(tree, page)
    page.body = str(tree)
    return page


def _lead(link, folder: str, there: dict[str, Path]) -> None:
    """Let a link lead to a page; one to a file that is not in the book becomes its words."""
    parts = urlsplit(link["href"])
    if parts.scheme or not parts.path:
        return
    target = posixpath.normpath(posixpath.join(folder, unquote(parts.path)))
    if target.endswith(".ipynb") and (page := target.removesuffix(".ipynb")) in there:
        path = posixpath.relpath(f"{page}.html", folder or ".")
        link["href"] = f"{path}#{parts.fragment}" if parts.fragment else path
    else:
        place = posixpath.normpath(f"notebooks/{target}")
        link.name, link.attrs = "span", {"title": f"in the workbook's folder: {place}"}


def _number_headings(tree: BeautifulSoup, page: Page) -> None:
    """Give every heading an id of its own, as JupyterLab names it, and list it."""
    seen = {"content": 1}
    for heading in tree.select(".text :is(h1, h2, h3, h4)"):
        base = "-".join(heading.get_text().split())
        seen[base] = seen.get(base, 0) + 1
        heading["id"] = base if seen[base] == 1 else f"{base}-{seen[base]}"
        words = re.sub(r"</?a\b[^>]*>", "", heading.decode_contents())
        if heading.name == "h1":
            page.title = words
        else:
            page.sections.append(
                {"id": heading["id"], "level": heading.name, "html": words}
            )


def _write(
    exporter: TemplateExporter, pages: list[Page], build: Path, slides: bool
) -> None:
    """Write the page of contents, and all others, each with links to its neighbours."""
    index, template = map(
        exporter.environment.get_template, ("index.html.j2", "page.html.j2")
    )
    parts = dict.fromkeys(page.part for page in pages)
    shown = {"title": TITLE, "parts": parts, "pages": pages, "slides": slides}
    contents = Page("index", TITLE, index.render(shown))
    before = [None, contents, *pages]
    for page, last, after in zip(
        [contents, *pages], before, [*pages, None], strict=False
    ):
        text = template.render(page=page, up=page.up, before=last, after=after)
        (build / page.file).write_text(text, encoding="utf-8")
