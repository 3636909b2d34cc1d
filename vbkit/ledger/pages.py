"""The ledger as pages in Markdown: what became of each claim, the errata, and the glossary.

Rows are those of `ledger.table`. Links to notebooks are written as the notebooks have them
("05_x.ipynb")."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from vbkit.ledger import SOURCES, VERDICTS
from vbkit.ledger.text import measurements, summary

TITLES = {
    "sato1999": "M. Sato, *Fast learning of on-line EM algorithm*, ATR, 1999",
    "sato2000": "M. Sato, *On-line model selection based on the variational Bayes*, "
    "report TR-H-282, ATR, 2000",
    "nakajima": "S. Nakajima, *Variational Bayesian learning*, slides, TU Berlin",
    "ghahramani2000": "Z. Ghahramani, *Online variational Bayesian learning*, slides, 2000",
    "kaji2011": "D. Kaji, *Phase transition in variational Bayes learning and optimal design of "
    "prior distribution*, doctoral thesis, Tokyo Institute of Technology, 2011",
}
HOW = """with a test in words, the numbers that a notebook measured, and the rule that makes a
verdict of them. A share is printed as successes/runs = share [95 % interval], whose ends a rule
calls `.low` and `.high`; "0 ± 1e-12" is a number below that size. A claim is confirmed or
reproduced if its `holds if` rule is true, and qualified if only the rule of `conditionally if`
is, under the condition in words. An erratum needs both `refuted if` (the printed form fails)
and `corrected if`. "Profile full" marks numbers of a long study. What the verdicts mean:
[00](00_start_here.ipynb), section 10."""
SLIPS = "**Slips of writing and scanning, and what is left unsaid**, without a test:"
NOT_AS_STATED = ("not reproduced", "qualified", "untestable", "open")
PARTS = re.compile(r"Printed(?P<printed>\b.+?) Correct(?P<correct>\b.+)")
RULES = re.compile(r"; (?=(?:conditionally if|condition:|corrected if) )")
SYMBOLS = {
    "vbkit": "`vbkit`",
    "sato1999": "Sato 1999",
    "sato2000": "Sato 2000",
    "nakajima": "Nakajima",
}
SYMBOLS |= {"ghahramani2000": "Ghahramani", "kaji2011": "Kaji", "notebook": "first in"}


def readable(text: str) -> str:
    """A text of the ledger in Markdown: what stands between backticks is code, the rest safe."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\*_<~$|])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def split_erratum(statement: str) -> tuple[str, str]:
    """What follows "Printed" and what follows "Correct" (": ..."); ValueError if a part is
    missing."""
    if not (parts := PARTS.fullmatch(statement)):
        raise ValueError(f'an erratum reads "Printed: ... Correct: ...", not {statement!r}')
    return parts["printed"], parts["correct"]


def claims(rows: list[dict]) -> str:
    """All rows: how many of which verdict, what did not hold as stated, then the others source by
    source."""
    exceptions = [row for row in rows if _exception(row)]
    parts = [
        f"{len(rows)} entries, each {HOW}",
        _counts(rows),
        "## What did not hold as stated",
        *_listed(exceptions),
    ]
    for source in _sources(rows):
        own = [row for row in rows if row["source"] == source]
        words = f"{TITLES[source]}. {len(own)} entries"
        if above := [_named(row) for row in own if _exception(row)]:
            words += f", of which {len(above)} stand above, because they did not hold as stated: "
            words += ", ".join(above)
        parts += [
            f"## {source}",
            f"{words}.",
            *_entries([row for row in own if not _exception(row)]),
        ]
    return "\n\n".join(parts) + "\n"


def errata(rows: list[dict]) -> str:
    """Errors that a number decides, and slips of writing and scanning, source by source."""
    parts = [_contents(_sources(rows))]
    for source in _sources(rows):
        own = [row for row in rows if row["source"] == source]
        wrong = [_erratum(row) for row in own if row["kind"] == "erratum"]
        slips = [_slip(row) for row in own if row["kind"] == "transcription"]
        parts += [f"## {source}", f"{TITLES[source]}.", *wrong]
        parts += [SLIPS, "\n".join(slips)] if slips else []
    return "\n\n".join(parts) + "\n"


def glossary(subject: str = "all") -> str:
    """The terms of a subject, or of all: meaning, name in vbkit, symbol in each source, first
    notebook.

    ValueError for a subject that there is not.
    """
    if subject not in (names := ["all", *(entry["name"] for entry in subjects())]):
        raise ValueError(f"subject = {subject!r}: allowed are {', '.join(names)}")
    shown = [entry for entry in subjects() if subject in ("all", entry["name"])]
    parts = [_contents([entry["name"] for entry in shown])]
    for entry in shown:
        terms = [f"- **{term['term']}**: {term['means']}" for term in entry["term"]]
        lines = [
            _table_line(["term", *SYMBOLS.values()]),
            _table_line([":---"] * (len(SYMBOLS) + 1)),
        ]
        lines += [_table_line(_symbols(term)) for term in entry["term"]]
        parts += [f"## {entry['name']}", entry["about"], "\n".join(terms), "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def select(rows: list[dict], source: str = "all", verdict: str = "all") -> list[dict]:
    """The rows of a source and of a verdict; ValueError for one that there is not."""
    for key, wanted, known in (("source", source, SOURCES), ("verdict", verdict, VERDICTS)):
        if wanted not in ("all", *known):
            raise ValueError(f"{key} = {wanted!r}: allowed are all, {', '.join(known)}")
        rows = [row for row in rows if wanted in ("all", row[key])]
    return rows


def subjects() -> list[dict]:
    """The entries of glossary.toml, subject by subject."""
    return tomllib.loads(files("vbkit.ledger").joinpath("glossary.toml").read_text("utf-8"))[
        "subject"
    ]


def _contents(headings: list[str]) -> str:
    return " · ".join(f"[{heading}](#{heading.replace(' ', '-')})" for heading in headings)


def _symbols(term: dict) -> list[str]:
    code = term["vbkit"].split(":")[-1] if "vbkit" in term else ""
    shown = term | {"vbkit": f"`{code}`" if code else "–", "notebook": _notebook(term["notebook"])}
    return [term["term"], *(shown.get(key, "–") for key in SYMBOLS)]


def _exception(row: dict) -> bool:
    return row["verdict"] in NOT_AS_STATED or (
        row["verdict"] == "corrected" and row["kind"] != "erratum"
    )


def _named(row: dict) -> str:
    short = row["id"].removeprefix(row["source"] + "-")
    return f"{VERDICTS[row['verdict']]} [{short}](#{row['id']}) ({readable(row['where'])})"


def _anchored(row: dict) -> str:
    """The id of an entry, as a place that others can link to."""
    return f'<a id="{row["id"]}"></a>**{row["id"]}**'


def _sources(rows: list[dict]) -> list[str]:
    return [source for source in SOURCES if any(row["source"] == source for row in rows)]


def _counts(rows: list[dict]) -> str:
    """A table: sources down, verdicts across."""
    found = summary(rows)
    lines = [["source", *(f"{VERDICTS[verdict]} {verdict}" for verdict in found), "all"]]
    lines += [[":---", *["---:"] * (len(found) + 1)]]
    for source in [*_sources(rows), "all"]:
        own = [row for row in rows if source in (row["source"], "all")]
        counts = summary(own)
        name = source if source == "all" else f"[{source}](#{source})"
        lines.append([name, *(counts.get(verdict, 0) for verdict in found), len(own)])
    return "\n".join(map(_table_line, lines))


def _table_line(cells: list) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _listed(rows: list[dict]) -> list[str]:
    """Entries by verdict, a bold line before each kind."""
    order = [
        verdict
        for verdict in (*NOT_AS_STATED, "corrected")
        if any(row["verdict"] == verdict for row in rows)
    ]
    parts = []
    for verdict in order:
        own = [row for row in rows if row["verdict"] == verdict]
        parts += [f"### {VERDICTS[verdict]} {verdict}: {len(own)}", *_entries(own)]
    return parts or ["Nothing."]


def _entries(rows: list[dict]) -> list[str]:
    return ["\n".join(map(_entry, rows))] if rows else []


def _entry(row: dict) -> str:
    verdict = f"{VERDICTS[row['verdict']]} {row['verdict']}"
    head = f"- {_anchored(row)} ({readable(row['where'])}) {verdict}{_settled_in(row)}"
    lines = [f"{head}. {readable(row['statement'])}"]
    tested = [f"  - Test: {readable(row['check'])}", f"  - {_decided(row)}"]
    return "\n".join(lines + (tested if row["kind"] != "transcription" else []))


def _erratum(row: dict) -> str:
    printed, correct = map(readable, split_erratum(row["statement"]))
    verdict = f"{VERDICTS[row['verdict']]} {row['verdict']}"
    head = f"{_anchored(row)}, {readable(row['where'])}: {verdict}{_settled_in(row)}"
    tested = f"- Test: {readable(row['check'])}\n- Decided by: {_decided(row)}"
    return f"{head}\n\n- Printed{printed}\n- Correct{correct}\n{tested}"


def _slip(row: dict) -> str:
    return f"- {_anchored(row)}, {readable(row['where'])}: {readable(row['statement'])}"


def _settled_in(row: dict) -> str:
    return f" in {_notebook(row['notebook'])}" if row["notebook"] else ""


def _notebook(name: str) -> str:
    return f"[{name[:2]}]({name}.ipynb)"


def _decided(row: dict) -> str:
    """The measured numbers and the rule, in code."""
    runs = f"; {row['runs']} runs" if row["runs"] else ""
    profile = f"; profile {row['profile']}" if row["profile"] not in (None, "paper") else ""
    measured = f"`{measurements(row)}`{runs}{profile}; " if row["measured"] else ""
    rules = [
        readable(part) if part.startswith(("condition:", "untestable:")) else f"`{part}`"
        for part in RULES.split(row["criterion"])
    ]
    return measured + "; ".join(rules)
