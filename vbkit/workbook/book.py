"""The workbook as a book: every notebook a page of HTML that needs no network."""

import posixpath
import re
import shutil
from importlib import metadata
from pathlib import Path
from struct import unpack
from urllib.parse import unquote, urlsplit

from vbkit.workbook import ROOT, UsageError, canonical
from vbkit.workbook.folder import new_folder
from vbkit.workbook.select import appendix, notebooks

PAGES = Path(__file__).with_name("pages")  # templates, style sheet, script
MATHJAX = "sphinx-mathjax-offline"  # holds the files of MathJax 3; one of them draws all formulas, without fonts
ENGINE = f"{MATHJAX}/static/mathjax/tex-svg-full.js"
TITLE = "Variational Bayes: a workbook"
LARGE = 640  # pixels; wider figures do not shrink to a narrow screen but scroll
TIME = re.compile(r"[^.\n]*\bminutes? to read[^.]*\.", re.S)
LEARN = re.compile(r"\*\*You will learn\*\*\s+(.+?\.)(?=\s|$)", re.S)


class Page:
    """What one notebook becomes. title, learn, sections and body are HTML; links lead within the book."""

    def __init__(self, name: str, there: dict[str, Path]):
        self.name, self.there = name, there
        self.file, self.folder, self.up = (
            f"{name}.html",
            posixpath.dirname(name),
            "../" * name.count("/"),
        )
        self.number = posixpath.basename(name).split("_")[0]
        self.part = "Solutions" if self.folder else "Appendices" if appendix(name) else "Chapters"
        self.title, self.learn, self.time, self.body = name, "", "", ""
        self.sections: list[dict] = []
        self.ids = {"content"}

    @property
    def plain_title(self) -> str:
        """The title without markup, for the browser's window."""
        return re.sub(r"<[^>]+>|\$", "", self.title)

    def read(self, path: Path, exporter) -> dict[str, bytes]:
        """Render a notebook; returns its pictures by file."""
        notebook = canonical.read(path)
        exporter.register_filter("text", self.text)
        resources = {
            "unique_key": self.name.replace("/", "-"),
            "output_files_dir": "pictures",
            "up": self.up,
        }
        self.body, resources = exporter.from_notebook_node(notebook, resources)
        opening = notebook.cells[0].source
        if learn := LEARN.search(opening):
            self.learn = re.sub(r"</?(a|p)\b[^>]*>", "", self.text(f"Learn {learn[1]}")).strip()
        if time := TIME.search(opening):
            self.time = re.sub(r"^\W*Time\W*", "", " ".join(time[0].split())).capitalize()
        return resources["outputs"]

    def text(self, source: str) -> str:
        """HTML of Markdown: every heading has an id of its own, every table a box to scroll in, links lead on."""
        from bs4 import BeautifulSoup
        from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

        renderer = IPythonRenderer(escape=False, exclude_anchor_links=True)
        tree = BeautifulSoup(MarkdownWithMath(renderer=renderer).render(source), "html.parser")
        for table in tree.select("table"):
            table.wrap(tree.new_tag("div", attrs={"class": "wide"}))
        for link in tree.select("a[href]"):
            self._lead(link)
        for heading in tree.select("h1, h2, h3, h4"):
            self._enter(heading)
        return str(tree)

    def _enter(self, heading) -> None:
        base = "-".join(heading.get_text().split())  # as JupyterLab names it
        names = (base if copy == 1 else f"{base}-{copy}" for copy in range(1, len(self.ids) + 2))
        heading["id"] = next(name for name in names if name not in self.ids)
        self.ids.add(heading["id"])
        words = re.sub(r"</?a\b[^>]*>", "", heading.decode_contents())
        if heading.name == "h1":
            self.title = words
        else:
            self.sections.append({"id": heading["id"], "level": heading.name, "html": words})

    def _lead(self, link) -> None:
        """Let a link lead to a page; one to a file that is not in the book becomes its words."""
        parts = urlsplit(link["href"])
        if parts.scheme or not parts.path:
            return
        target = posixpath.normpath(posixpath.join(self.folder, unquote(parts.path)))
        if target.endswith(".ipynb") and (page := target.removesuffix(".ipynb")) in self.there:
            path = posixpath.relpath(f"{page}.html", self.folder or ".")
            link["href"] = f"{path}#{parts.fragment}" if parts.fragment else path
        else:
            place = posixpath.normpath(f"notebooks/{target}")
            link.name, link.attrs = "span", {"title": f"in the workbook's folder: {place}"}


def book(folder: Path, *, root: Path = ROOT) -> int:
    """Render all notebooks into a new folder; returns how many.

    UsageError, before anything is written, if the folder is not new or MathJax is not installed.
    """
    there = notebooks(root)
    try:
        engine = Path(metadata.distribution(MATHJAX).locate_file(ENGINE))
    except metadata.PackageNotFoundError as error:
        raise UsageError(
            f"{MATHJAX} is not installed; run: pip install -r requirements.txt"
        ) from error
    with new_folder(folder, root) as build:
        for part in ("assets", "pictures", "solutions"):
            (build / part).mkdir()
        for path in (engine, PAGES / "book.css", PAGES / "book.js"):
            shutil.copyfile(path, build / "assets" / path.name)
        exporter = _exporter()
        pages = [Page(name, there) for name in there]
        for page in pages:
            for file, content in page.read(there[page.name], exporter).items():
                (build / file).write_bytes(content)
        _write(exporter, pages, build)
    return len(pages)


def _exporter():
    from nbconvert.exporters import TemplateExporter
    from nbconvert.filters import Highlight2HTML
    from nbconvert.preprocessors import ExtractOutputPreprocessor

    folders = {"extra_template_basedirs": [str(PAGES.parent)]}
    exporter = TemplateExporter(template_name=PAGES.name, template_file="cells.html.j2", **folders)
    exporter.register_preprocessor(ExtractOutputPreprocessor(), enabled=True)
    exporter.register_filter("highlight_code", Highlight2HTML("python3"))
    exporter.register_filter(
        "size", lambda png: unpack(">II", png[16:24])
    )  # width and height, from its head
    exporter.environment.globals["large"] = LARGE
    return exporter


def _write(exporter, pages: list[Page], build: Path) -> None:
    """Write the page of contents, and all others, each with links to its neighbours."""
    template = {
        name: exporter.environment.get_template(f"{name}.html.j2") for name in ("index", "page")
    }
    contents = Page("index", {})
    contents.title, parts = TITLE, dict.fromkeys(page.part for page in pages)
    contents.body = template["index"].render(title=TITLE, parts=parts, pages=pages)
    order = [contents, None, *pages, None]
    for place, page in enumerate(order):
        if page:
            before, after = (
                (order[place - 1], order[place + 1]) if page in pages else (None, pages[0])
            )
            text = template["page"].render(page=page, up=page.up, before=before, after=after)
            (build / page.file).write_text(text, encoding="utf-8")
