"""What entries and measurements read like, without Markdown."""

import difflib
import textwrap
from collections import Counter
from collections.abc import Iterable

from vbkit.press.ledger.rules import Rate

VERDICTS = {  # verdict: its symbol
    "confirmed": "✓",
    "reproduced": "✓",
    "corrected": "✎",
    "qualified": "◐",
    "not reproduced": "✗",
    "untestable": "?",
    "transcription": "¶",
    "open": "○",
}
ASIDES = {  # why an entry is no finding about a source
    "ours": "no source says this",
    "setting": "a setting that the notebook repeats",
    "remark": "a remark, not a slip",
}
SIZES = ("1e-12", "1e-9", "1e-6")  # in which rounding errors are shown
MANY = 6  # a list with more numbers is shown by its ends
WIDTH = 110  # of a table, in letters
ROOM = 30  # letters that a column of text has at least


def plain(text: str) -> str:
    """A text of the ledger without the marks of its formulas."""
    return text.replace("`", "")


def summary(rows: list[dict]) -> dict[str, int]:
    """Number of rows by verdict, in the order of VERDICTS, without zeros."""
    counts = Counter(row["verdict"] for row in rows)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def counted(row: dict) -> bool:
    """Whether a row is a finding about a source.

    It is not where it is ours, a mere setting or remark, or the repetition of another
    entry.
    """
    return not (row["same_as"] or row["aside"])


def uncounted(row: dict) -> str:
    """Why a row is not counted, in words."""
    if row["same_as"]:
        return (
            f"repeats {', '.join(short_id(id, row['source']) for id in row['same_as'])}"
        )
    return ASIDES[row["aside"]]


def short_id(id: str, source: str) -> str:
    """An id without the name of its source."""
    return id.removeprefix(f"{source}-")


def similar(name: str, known: Iterable[str]) -> str:
    """The known names that read most alike, in words; "none" if there are none."""
    found = difflib.get_close_matches(str(name), sorted(known), cutoff=0.5)
    return ", ".join(found) or "none"


def headline(rows: list[dict]) -> str:
    """How many findings there are of which verdict, each once, as a sentence."""
    findings = [row for row in rows if counted(row)]
    names = {"transcription": "slips of writing or scanning"}
    parts = [
        f"{count} {names.get(verdict, verdict)}"
        for verdict, count in summary(findings).items()
    ]
    repeats = sum(bool(row["same_as"]) for row in rows)
    asides = len(rows) - len(findings) - repeats
    return (
        f"{len(findings)} findings, each counted once: {', '.join(parts)}. "
        f"Of the {len(rows)} entries {repeats} repeat another one "
        f"and {asides} are not about a source's claim."
    )


def format_table(rows: list[dict], width: int = WIDTH) -> str:
    """The rows for a terminal, `width` letters wide.

    Counts come first. Then, source by source, the findings, each once: a line per claim
    and below it what was measured; and, apart, the entries that are not counted, and
    why.
    """
    if not rows:
        return ""
    lines = [headline(rows)]
    for source in dict.fromkeys(row["source"] for row in rows):
        own = [row for row in rows if row["source"] == source]
        findings = [row for row in own if counted(row)]
        others = [row for row in own if not counted(row)]
        counts = [f"{count} {verdict}" for verdict, count in summary(findings).items()]
        lines += ["", f"{source}: {len(findings)} findings, {', '.join(counts)}"]
        for row in findings:
            lines += _lines(row, row["where"], width)
        if others:
            lines.append("  not counted:")
        for row in others:
            lines += _lines(row, f"({uncounted(row)}) {row['where']}", width)
    return "\n".join(lines)


def in_full(row: dict, width: int = WIDTH) -> str:
    """All that the ledger says of an entry, for a terminal, `width` letters wide."""
    told = {
        "claim": plain(row["statement"]),
        "test": plain(row["check"]),
        "measured": measurements(row),
        "rule": plain(row["criterion"]),
    }
    if row["measured"]:
        notebook = f"notebooks/{row['notebook']}.ipynb"
        told["notebook"] = f"{notebook}, profile {row['profile']}"
    if not counted(row):
        told["not counted"] = uncounted(row)
    where = f"{row['id']}, {plain(row['where'])}"
    lines = [f"{VERDICTS[row['verdict']]} {row['verdict']}: {where}"]
    for name, words in told.items():
        if words:
            text = textwrap.fill(
                words,
                width,
                initial_indent=f"  {name:12}",
                subsequent_indent=" " * 14,
                break_on_hyphens=False,
            )
            lines.append(text)
    return "\n".join(lines)


def _lines(row: dict, where: str, width: int) -> list[str]:
    """An entry in one line, and its measurements in as many as they need."""
    verdict = row["verdict"]
    head = (
        f"  {VERDICTS[verdict]} {verdict:14} {short_id(row['id'], row['source']):11} "
    )
    room = max(width - len(head), ROOM)
    statement = textwrap.shorten(
        plain(f"{where}: {row['statement']}"),
        room,
        placeholder=" ...",
        break_on_hyphens=False,
    )
    lines = [head + statement]
    if row["measured"]:
        origin = f"({row['notebook']}, profile {row['profile']})"
        text = textwrap.fill(f"{measurements(row)} {origin}", room)
        lines.append(textwrap.indent(text, " " * len(head)))
    return lines


def measurements(row: dict) -> str:
    """The measured numbers of a row in few digits, rates with their intervals."""
    return shown(with_rates(row["measured"]))


def with_rates(recorded: dict) -> dict:
    """Measurements as a ledger's file holds them, rates made anew."""
    measured = {}
    for name, value in recorded.items():
        if isinstance(value, dict):
            value = Rate(value["successes"], value["runs"])
        measured[name] = value
    return measured


def shown(measured: dict) -> str:
    """Measurements in few digits, "name = number, ..."."""
    return ", ".join(f"{name} = {_digits(value)}" for name, value in measured.items())


def _digits(value) -> str:
    """A measurement in three significant digits.

    Of rounding errors only the size is shown, because processors differ there.
    """
    if isinstance(value, list) and len(value) > MANY:
        return (
            f"{len(value)} values from {_digits(min(value))} to {_digits(max(value))}"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(_digits, value))}]"
    if isinstance(value, int | Rate):
        return str(value)
    for size in SIZES:
        if abs(value) < float(size):
            return f"0 ± {size}"
    return f"{value:.3g}"
