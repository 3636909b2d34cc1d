"""Texts that are no tables of cells with marks between: told by their first lines, each with
a way to make a table of it."""

import re
from collections.abc import Sequence
from pathlib import PurePath

FIRST_LINES = 10
EXCERPT = 60  # characters of a line that are quoted
PAGE = re.compile(r"<(?:!doctype|\?xml|html|head|body|meta|style|div|table)\b", re.I)
ARFF = re.compile(r"@relation\b", re.I)
JSON = re.compile(r'\[?\s*\{\s*"')
NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
PAIR = re.compile(rf"\s(\d+:{NUMBER})(?!\S)")  # a column and its value, in libsvm
LIBSVM = re.compile(
    rf"{NUMBER}(?:,{NUMBER})*(?:\s+qid:\d+)?(?:\s+\d+:{NUMBER})*\s*(?:#.*)?"
)
CLOCK = re.compile(r"\d{1,2}:\d\d")


def refuse_other_forms(name: str, lines: Sequence[str]) -> None:
    """Raise ValueError where the first lines of a text are those of another form: a page of
    HTML or XML, ARFF, JSON or libsvm.

    name: of the file, to be shown.
    """
    rows = [line.strip() for line in lines[:FIRST_LINES] if line.strip()]
    rows = [row for row in rows if row[0] not in "#%"]  # without comments
    if not rows:
        return
    begins = f"{name} begins with {rows[0][:EXCERPT]!r}, as"
    table = f"{PurePath(name).stem}-table.csv"
    if PAGE.match(rows[0]):
        raise ValueError(
            f"{begins} a page of HTML or XML does: open it in a spreadsheet and save it as CSV"
        )
    if ARFF.match(rows[0]):
        raise ValueError(
            f"{begins} ARFF does, the form of Weka: put one line with the names of its "
            "attributes in place of all lines down to @data, with the mark between them "
            "that the lines below have"
        )
    if JSON.match(rows[0]):
        of_lines = rows[0][0] == "{"
        raise ValueError(
            f"{begins} JSON does: in Python, `pandas.read_json({name!r}, lines={of_lines})"
            f".to_csv({table!r}, index=False)` makes a table of it"
        )
    if _are_of_libsvm(rows):
        raise ValueError(
            f"{begins} libsvm (svmlight) writes a label and then column:value: in Python, "
            f"`X, y = sklearn.datasets.load_svmlight_file({name!r})` and then "
            f"`numpy.savetxt({table!r}, X.toarray(), delimiter=',')` make a table of it (y "
            "holds the labels, and an estimator takes X.toarray() itself)"
        )


def _are_of_libsvm(rows: Sequence[str]) -> bool:
    """Whether rows are a label and pairs of a column and its value, such as 1 1:0.5 3:2.1,
    not all of which may be times of day."""
    pairs = [pair for row in rows for pair in PAIR.findall(row)]
    may_be_times = all(map(CLOCK.fullmatch, pairs))
    return not may_be_times and all(map(LIBSVM.fullmatch, rows))
