"""The ledger as pages in Markdown: what became of each claim, the errata, and the glossary.

Rows are those of `ledger.table`; the words of a page are in templates/. Links to notebooks are
written as the notebooks have them ("05_x.ipynb")."""

import re

import jinja2

from vbkit.press.ledger import SOURCES, VERDICTS, content
from vbkit.press.ledger.text import counted, headline, measurements, summary, uncounted

ERRATUM = re.compile(r"Printed(?P<printed>\b.+?) Correct(?P<correct>\b.+)")
RULES = re.compile(r"; (?=(?:conditionally if|condition:|corrected if) )")


def readable(text: str) -> str:
    """A text of the ledger in Markdown: what stands between backticks is code, the rest safe."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*_<~$|])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def split_erratum(statement: str) -> tuple[str, str]:
    """What follows "Printed" and what follows "Correct" (": ..."); ValueError if a part is
    missing."""
    if not (parts := ERRATUM.fullmatch(statement)):
        raise ValueError(
            f'an erratum reads "Printed: ... Correct: ...", not {statement!r}'
        )
    return parts["printed"], parts["correct"]


def claims(rows: list[dict]) -> str:
    """All rows: how many of which verdict, what did not hold as stated, then the others source by
    source."""
    return _page("claims", rows)


def errata(rows: list[dict]) -> str:
    """Errors that a number decides, and slips of writing and scanning, source by source."""
    return _page("errata", rows)


def glossary(subject: str = "all") -> str:
    """The terms of a subject, or of all: meaning, name in vbkit, symbol in each source, first
    notebook.

    ValueError for a subject that there is not.
    """
    _check("subject", subject, [entry["name"] for entry in subjects()])
    chosen = [entry for entry in subjects() if subject in ("all", entry["name"])]
    return TEMPLATES.get_template("glossary.md.j2").render(subjects=chosen)


def select(rows: list[dict], source: str = "all", verdict: str = "all") -> list[dict]:
    """The rows of a source and of a verdict; ValueError for one that there is not."""
    for key, wanted, known in (
        ("source", source, SOURCES),
        ("verdict", verdict, VERDICTS),
    ):
        _check(key, wanted, known)
        rows = [row for row in rows if wanted in ("all", row[key])]
    return rows


def subjects() -> list[dict]:
    """The entries of glossary.toml, subject by subject."""
    return content("glossary")["subject"]


def _check(name: str, wanted: str, known) -> None:
    if wanted not in ("all", *known):
        raise ValueError(f"{name} = {wanted!r}: allowed are all, {', '.join(known)}")


def _page(name: str, rows: list[dict]) -> str:
    sources = {source: own for source in SOURCES if (own := select(rows, source))}
    return TEMPLATES.get_template(f"{name}.md.j2").render(rows=rows, sources=sources)


def _criterion(row: dict) -> str:
    """The rules of an entry as code, except those in words."""
    parts = RULES.split(row["criterion"])
    words = ("condition:", "untestable:")
    return "; ".join(
        readable(part) if part.startswith(words) else f"`{part}`" for part in parts
    )


def _exception(row: dict) -> bool:
    """Whether a claim did not hold as stated; an erratum is corrected as it says."""
    held = ("confirmed", "reproduced", "transcription")
    return row["verdict"] not in held and (row["verdict"], row["kind"]) != (
        "corrected",
        "erratum",
    )


TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("vbkit.press.ledger"),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
)
TEMPLATES.filters |= {
    "readable": readable,
    "criterion": _criterion,
    "split_erratum": split_erratum,
}
TEMPLATES.filters |= {"measurements": measurements, "summary": summary}
TEMPLATES.filters |= {"headline": headline, "uncounted": uncounted}
TEMPLATES.tests |= {"exception": _exception, "counted": counted}
TEMPLATES.globals |= {"VERDICTS": VERDICTS, "SOURCES": SOURCES, "content": content}
