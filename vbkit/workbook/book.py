"""The workbook as a book: every notebook a page of HTML that needs no network."""

import posixpath
import re
import shutil
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from struct import unpack
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup
from nbconvert.exporters import TemplateExporter
from nbconvert.filters import Highlight2HTML, markdown2html
from nbconvert.preprocessors import ExtractOutputPreprocessor

from vbkit.workbook import ROOT, UsageError, canonical
from vbkit.workbook.folder import new_folder
from vbkit.workbook.select import kind, notebooks

PAGES = Path(__file__).with_name("pages")  # templates, style sheet, script
MATHJAX = "sphinx-mathjax-offline"  # holds MathJax 3; one file of it draws all, without fonts
ENGINE = f"{MATHJAX}/static/mathjax/tex-svg-full.js"
TITLE = "Variational Bayes: a workbook"
PARTS = {"chapter": "Chapters", "appendix": "Appendices"}
PARTS |= {"evidence": "Evidence", "solutions": "Solutions"}
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


def book(folder: Path, *, root: Path = ROOT) -> int:
    """Render all notebooks into a new folder; return how many.

    Raises UsageError, before anything is written, if the folder is not new or MathJax is missing.
    """
    there = notebooks(root)
    try:
        engine = Path(metadata.distribution(MATHJAX).locate_file(ENGINE))
    except metadata.PackageNotFoundError as error:
        words = f"{MATHJAX} is not installed; run: pip install -r requirements.txt"
        raise UsageError(words) from error
    with new_folder(folder, root) as build:
        for part in ("assets", "pictures", "evidence", "solutions"):
            (build / part).mkdir()
        for path in (engine, PAGES / "book.css", PAGES / "book.js"):
            shutil.copyfile(path, build / "assets" / path.name)
        exporter = _exporter()
        _write(exporter, [_read(name, there, exporter, build) for name in there], build)
    return len(there)


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


def _read(name: str, there: dict[str, Path], exporter: TemplateExporter, build: Path) -> Page:
    """Render a notebook, and write its pictures."""
    page, notebook = Page(name), canonical.read(there[name])
    resources = {"unique_key": name.replace("/", "-"), "output_files_dir": "pictures"}
    body, resources = exporter.from_notebook_node(notebook, resources | {"up": page.up})
    for file, content in resources["outputs"].items():
        (build / file).write_bytes(content)
    opening = notebook.cells[0].source
    if learn := LEARN.search(opening):
        page.learn = re.sub(r"</?(a|p)\b[^>]*>", "", markdown2html(f"Learn {learn[1]}")).strip()
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
            page.sections.append({"id": heading["id"], "level": heading.name, "html": words})


def _write(exporter: TemplateExporter, pages: list[Page], build: Path) -> None:
    """Write the page of contents, and all others, each with links to its neighbours."""
    index, template = map(exporter.environment.get_template, ("index.html.j2", "page.html.j2"))
    parts = dict.fromkeys(page.part for page in pages)
    contents = Page("index", TITLE, index.render(title=TITLE, parts=parts, pages=pages))
    before = [None, contents, *pages]
    for page, last, after in zip([contents, *pages], before, [*pages, None], strict=False):
        text = template.render(page=page, up=page.up, before=last, after=after)
        (build / page.file).write_text(text, encoding="utf-8")
