"""The ledger as pages in Markdown: claims, errata and the glossary.

Rows are those of `ledger.table`; the words of a page are in templates/. Links to
notebooks are written as the notebooks have them ("05_x.ipynb").
"""

import re
from collections.abc import Iterable

import jinja2

from vbkit.press import UsageError
from vbkit.press.ledger import SOURCES, VERDICTS, content
from vbkit.press.ledger.text import (
    counted,
    headline,
    measurements,
    short_id,
    similar,
    summary,
    uncounted,
)

ERRATUM = re.compile(r"Printed(?P<printed>\b.+?) Correct(?P<correct>\b.+)")
RULES = re.compile(r"; (?=(?:conditionally if|condition:|corrected if) )")
IN_WORDS = ("condition:", "untestable:")  # beginnings of rules that are text
SPECIAL = re.compile(r"([\\*_<~$|])")  # what Markdown reads otherwise
ELSEWHERE = ("bishop", "svi", *SOURCES)  # whose words and symbols the glossary gives
HELD = ("confirmed", "reproduced", "transcription")


def claims(rows: list[dict]) -> str:
    """The page of claims.

    How many there are of which verdict, what did not hold as stated, then the others,
    source by source.
    """
    return _page("claims", rows)


def errata(rows: list[dict]) -> str:
    """The page of errors that a number decides, and of slips of the pen."""
    return _page("errata", rows)


def glossary(subject: str = "all") -> str:
    """The page of a subject's terms, or of all.

    Each with its symbol in the course, name in vbkit, meaning and first notebook; then the
    symbols of Bishop 2006, of stochastic variational inference and of each source.
    Raises ValueError for a subject that there is not.
    """
    _check_choice("subject", subject, [entry["name"] for entry in subjects()])
    chosen = [entry for entry in subjects() if subject in ("all", entry["name"])]
    return TEMPLATES.get_template("glossary.md.j2").render(subjects=chosen)


def subjects() -> list[dict]:
    """The entries of glossary.toml, subject by subject."""
    return content("glossary")["subject"]


def select(rows: list[dict], source: str = "all", verdict: str = "all") -> list[dict]:
    """The rows of a source and of a verdict; ValueError for one that there is not."""
    _check_choice("source", source, SOURCES)
    _check_choice("verdict", verdict, VERDICTS)
    return [
        row
        for row in rows
        if source in ("all", row["source"]) and verdict in ("all", row["verdict"])
    ]


def named(rows: list[dict], names: Iterable[str]) -> list[dict]:
    """The rows of these names: an id, such as "sato2000-S5.2", or one without its source,
    "S5.2", which is found in every source that has it.

    Raises UsageError, which tells similar ids, for a name that no row has.
    """
    found = []
    for name in names:
        own = [
            row
            for row in rows
            if name in (row["id"], short_id(row["id"], row["source"]))
        ]
        if not own:
            ids = [row["id"] for row in rows]
            short = [short_id(row["id"], row["source"]) for row in rows]
            near = similar(name, {*ids, *short})
            raise UsageError(f"there is no claim {name!r}; near: {near}")
        found += own
    return found


def _check_choice(name: str, value: str, choices: Iterable[str]) -> None:
    """ValueError for a value that is neither "all" nor one of the choices."""
    if value not in ("all", *choices):
        raise ValueError(f"{name} = {value!r}: allowed are all, {', '.join(choices)}")


def split_erratum(statement: str) -> tuple[str, str]:
    """What follows "Printed" and what follows "Correct" (": ...") in an erratum.

    Raises ValueError if a part is missing.
    """
    parts = ERRATUM.fullmatch(statement)
    if not parts:
        raise ValueError(
            f'an erratum reads "Printed: ... Correct: ...", not {statement!r}'
        )
    return parts["printed"], parts["correct"]


def readable(text: str) -> str:
    """A text of the ledger in Markdown: what stands between backticks is code."""
    parts = text.split("`")
    parts[::2] = [SPECIAL.sub(r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _criterion(row: dict) -> str:
    """The rules of an entry as code, except those in words."""
    rules = RULES.split(row["criterion"])
    shown = [
        readable(rule) if rule.startswith(IN_WORDS) else f"`{rule}`" for rule in rules
    ]
    return "; ".join(shown)


def _exception(row: dict) -> bool:
    """Whether a claim did not hold as stated; an erratum is corrected as it says."""
    if row["kind"] == "erratum" and row["verdict"] == "corrected":
        return False
    return row["verdict"] not in HELD


def _page(name: str, rows: list[dict]) -> str:
    by_source = {source: select(rows, source) for source in SOURCES}
    sources = {source: own for source, own in by_source.items() if own}
    return TEMPLATES.get_template(f"{name}.md.j2").render(rows=rows, sources=sources)


def _environment() -> jinja2.Environment:
    """What the templates in templates/ can use."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("vbkit.press.ledger"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.filters |= {
        "readable": readable,
        "criterion": _criterion,
        "split_erratum": split_erratum,
        "measurements": measurements,
        "summary": summary,
        "headline": headline,
        "uncounted": uncounted,
    }
    environment.tests |= {
        "exception": _exception,
        "counted": counted,
        "known_elsewhere": lambda term: any(place in term for place in ELSEWHERE),
    }
    environment.globals |= {
        "VERDICTS": VERDICTS,
        "SOURCES": SOURCES,
        "ELSEWHERE": ELSEWHERE,
        "content": content,
    }
    return environment


TEMPLATES = _environment()
