"""What entries and measurements read like, without Markdown."""

import textwrap
from collections import Counter

from vbkit.ledger.rules import Rate

VERDICTS = {"confirmed": "✓", "reproduced": "✓", "corrected": "✎", "qualified": "◐"}
VERDICTS |= {"not reproduced": "✗", "untestable": "?", "transcription": "¶", "open": "○"}


def plain(text):
    """A text of the ledger without the marks of its formulas."""
    return text.replace("`", "")


def summary(rows):
    """Number of rows by verdict, in the order of VERDICTS, without zeros."""
    counts = Counter(row["verdict"] for row in rows)
    return {verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}


def format_table(rows, width=110):
    """The rows for a terminal: by source, counts first, a line per claim and below it what was
    measured."""
    lines = []
    for source in dict.fromkeys(row["source"] for row in rows):
        group = [row for row in rows if row["source"] == source]
        counts = ", ".join(f"{count} {verdict}" for verdict, count in summary(group).items())
        lines += ["", f"{source}: {len(group)} entries, {counts}"]
        for row in group:
            verdict, id = row["verdict"], row["id"].removeprefix(source + "-")
            head = f"  {VERDICTS[verdict]} {verdict:14} {id:11} "
            room = max(width - len(head), 30)
            text = plain(f"{row['where']}: {row['statement']}")
            short = textwrap.shorten(text, room, placeholder=" ...", break_on_hyphens=False)
            lines.append(head + short)
            if row["measured"]:
                text = f"{measurements(row)} ({row['notebook']}, profile {row['profile']})"
                lines.append(textwrap.indent(textwrap.fill(text, room), " " * len(head)))
    return "\n".join(lines[1:])


def measurements(row):
    """The measured numbers of a row in few digits, rates with their runs and intervals."""
    return shown(numbers(row["measured"]))


def numbers(recorded):
    """Measurements as a ledger's file holds them, rates made anew."""
    pairs = recorded.items()
    return {
        name: Rate(x["successes"], x["runs"]) if isinstance(x, dict) else x for name, x in pairs
    }


def shown(measured):
    """Measurements in few digits."""
    return ", ".join(f"{name} = {_digits(value)}" for name, value in measured.items())


def _digits(value):
    """Three significant digits; of rounding errors only the size, because processors differ
    there."""
    if isinstance(value, list) and len(value) > 6:
        return f"{len(value)} values from {_digits(min(value))} to {_digits(max(value))}"
    if isinstance(value, list):
        return f"[{', '.join(map(_digits, value))}]"
    if isinstance(value, int | Rate):
        return str(value)
    size = next((size for size in ("1e-12", "1e-9", "1e-6") if abs(value) < float(size)), None)
    return f"0 ± {size}" if size else f"{value:.3g}"
