"""What entries and measurements read like, without Markdown."""

import textwrap
from collections import Counter

from vbkit.press.ledger.rules import Rate

VERDICTS = {"confirmed": "✓", "reproduced": "✓", "corrected": "✎", "qualified": "◐"}
VERDICTS |= {
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


def plain(text):
    """A text of the ledger without the marks of its formulas."""
    return text.replace("`", "")


def summary(rows):
    """Number of rows by verdict, in the order of VERDICTS, without zeros."""
    counts = Counter(row["verdict"] for row in rows)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def counted(row):
    """Whether a row is a finding about a source: not ours, no mere setting or remark, and not the
    repetition of another entry."""
    return not (row["same_as"] or row["aside"])


def uncounted(row):
    """Why a row is not counted, in words."""
    repeated = ", ".join(id.removeprefix(row["source"] + "-") for id in row["same_as"])
    return f"repeats {repeated}" if repeated else ASIDES[row["aside"]]


def headline(rows):
    """How many findings of which verdict there are, each counted once, as a sentence."""
    findings = [row for row in rows if counted(row)]
    found = summary(findings)
    words = {"transcription": "slips of writing or scanning"}
    parts = [f"{n} {words.get(verdict, verdict)}" for verdict, n in found.items()]
    repeats = sum(bool(row["same_as"]) for row in rows)
    aside = len(rows) - len(findings) - repeats
    return (
        f"{len(findings)} findings, each counted once: {', '.join(parts)}. Of the {len(rows)} "
        f"entries {repeats} repeat another one and {aside} are not about a source's claim."
    )


def format_table(rows, width=110):
    """The rows for a terminal: counts first; by source the findings, each once, a line per claim
    and below it what was measured; then, apart, the entries that are not counted, and why."""
    lines = [headline(rows)] if rows else []
    for source in dict.fromkeys(row["source"] for row in rows):
        group = [row for row in rows if row["source"] == source]
        findings = [row for row in group if counted(row)]
        counts = ", ".join(
            f"{count} {verdict}" for verdict, count in summary(findings).items()
        )
        lines += ["", f"{source}: {len(findings)} findings, {counts}"]
        for row in findings:
            lines += _lines(row, row["where"], width)
        rest = [row for row in group if not counted(row)]
        lines += ["  not counted:"] if rest else []
        for row in rest:
            lines += _lines(row, f"({uncounted(row)}) {row['where']}", width)
    return "\n".join(lines)


def _lines(row, where, width):
    """An entry in one line, and its measurements in as many as they need."""
    verdict, id = row["verdict"], row["id"].removeprefix(row["source"] + "-")
    head = f"  {VERDICTS[verdict]} {verdict:14} {id:11} "
    room = max(width - len(head), 30)
    text = plain(f"{where}: {row['statement']}")
    lines = [
        head + textwrap.shorten(text, room, placeholder=" ...", break_on_hyphens=False)
    ]
    if row["measured"]:
        text = f"{measurements(row)} ({row['notebook']}, profile {row['profile']})"
        lines.append(textwrap.indent(textwrap.fill(text, room), " " * len(head)))
    return lines


def measurements(row):
    """The measured numbers of a row in few digits, rates with their runs and intervals."""
    return shown(numbers(row["measured"]))


def numbers(recorded):
    """Measurements as a ledger's file holds them, rates made anew."""
    rates = {name: x for name, x in recorded.items() if isinstance(x, dict)}
    return recorded | {
        name: Rate(x["successes"], x["runs"]) for name, x in rates.items()
    }


def shown(measured):
    """Measurements in few digits."""
    return ", ".join(f"{name} = {_digits(value)}" for name, value in measured.items())


def _digits(value):
    """Three significant digits; of rounding errors only the size, because processors differ
    there."""
    if isinstance(value, list) and len(value) > 6:
        return (
            f"{len(value)} values from {_digits(min(value))} to {_digits(max(value))}"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(_digits, value))}]"
    if isinstance(value, int | Rate):
        return str(value)
    size = next(
        (size for size in ("1e-12", "1e-9", "1e-6") if abs(value) < float(size)), None
    )
    return f"0 ± {size}" if size else f"{value:.3g}"
