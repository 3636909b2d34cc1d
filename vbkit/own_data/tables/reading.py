"""Read a table of any of the usual forms: text with a mark between cells, or Parquet."""

import re
from collections import Counter
from pathlib import Path

import attrs
import numpy as np

from vbkit.checks import require

require("tables", "pyarrow")

import pyarrow as pa
from pyarrow import csv, parquet

from vbkit.own_data.tables.scan import LONGEST, refuse_pipe, scan

MOST_COLUMNS = 5_000
NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*")
NUMERIC = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
    pa.types.is_decimal,
)
DECIMAL_COMMA = re.compile(r"(^|;)\s*-?\d+,\d+\s*(;|$)", re.M)


@attrs.frozen(eq=False)
class Table:
    """cells: the values of each column (N,) by its name, numbers (float64) or words (str).
    rows: the names of the rows (N,). labels: what --labels named (N,), or None. notes: sentences on
    what was decided while reading. transposed: whether the rows were columns."""

    cells: dict[str, np.ndarray]
    rows: list[str]
    labels: np.ndarray | None
    notes: list[str]
    transposed: bool = False


def read_table(path, *, labels=None, leave_out=(), transpose=False) -> Table:
    """Read a table from a Parquet file (.parquet) or from text in UTF-8 with a tab, a comma or a
    semicolon between cells. In text, the first line names the columns unless it holds numbers only.

    labels: a column that names or classifies the rows and takes no part in learning. leave_out:
    columns to ignore. transpose: make rows of columns, after the first column gave the names.

    A first column without a name, or of words that are all different, names the rows. Raises
    ValueError with one sentence for a file that is no such table, and OSError for one that cannot
    be read.
    """
    path, notes = Path(path), []
    refuse_pipe(path)
    if labels in leave_out:
        raise ValueError(f"--labels and --leave-out both name {labels!r}; choose one")
    binary = path.suffix.lower() in (".parquet", ".pq")
    try:
        found = parquet.read_table(path) if binary else _text(path, notes, labels)
    except pa.ArrowException as error:
        kind = "Parquet file" if binary else "table"
        raise ValueError(f"{path.name} is not a {kind}: {_short(error)}") from None
    for place, name in reversed([*enumerate(found.column_names)]):
        if (
            not name and found.column(place).null_count == found.num_rows
        ):  # of a spreadsheet
            found = found.remove_column(place)
    names = found.column_names
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(
            f"{path.name} has two columns called {min(twice)!r}; rename one"
        )
    for name in [*leave_out, *([] if labels is None else [labels])]:
        if name not in names:
            raise ValueError(
                f"{path.name} has no column {name!r}; it has {some(names)}"
            )
    if not found.num_rows:
        raise ValueError(
            f"{path.name} holds no row below its first line; it must hold at least 2"
        )
    if len(names) > MOST_COLUMNS and not transpose:
        raise ValueError(
            f"{path.name} has {len(names)} columns; at most {MOST_COLUMNS} are taken"
        )
    as_words = {labels, *(name for name in names[:1] if not name)}
    chosen = [name for name in names if name not in leave_out]
    cells = {name: _values(path, found, name, name in as_words) for name in chosen}
    told = cells.pop(labels, None)
    rows = _row_names(cells, found.num_rows, notes)
    if transpose:
        cells, rows = _transposed(cells, rows, labels), [*cells]
    if len(rows) < 2 or len(cells) < 2:
        size = (
            f"{_many(len(rows), 'row')} and {_many(len(cells), 'column')} to learn from"
        )
        least = "2 rows and 2 columns"
        least += "" if binary else ", with tabs, commas or semicolons between"
        raise ValueError(f"{path.name} has {size}; it must have at least {least}")
    return Table(cells, rows, told, notes, transpose)


def some(names) -> str:
    return ", ".join(map(repr, names[:8])) + (" ..." if len(names) > 8 else "")


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'s' * (count != 1)}"


def _short(error) -> str:
    return str(error).splitlines()[0][:120]


def _text(path: Path, notes: list[str], labels: str | None) -> pa.Table:
    """Labels, and a first column without a name, stay as they are written, such as 007."""
    head = scan(path)
    first = head.split("\n", 1)[0].strip("\r")
    mark = next((mark for mark in "\t,;" if mark in first), ",")
    if "\r" in first:
        raise ValueError(
            f"{path.name} ends its lines with \\r alone; save it with usual line ends"
        )
    if first.strip('"').startswith("sep="):
        raise ValueError(
            f"{path.name} begins with {first!r}, a hint to spreadsheets; remove it"
        )
    fields = [field.strip('"') for field in first.split(mark)]
    bare = all(map(NUMBER.fullmatch, fields))
    words = {labels, *(field for field in fields[:1] if not field)} - {None}
    if bare:  # pyarrow calls the columns f0, f1, ...
        notes.append(
            "The first line holds numbers only, so the columns are called by number."
        )
        words = {f"f{i}" for i in range(len(fields)) if labels == f"column {i + 1}"}
    comma = mark == ";" and DECIMAL_COMMA.search(head)
    if comma:
        notes.append("Numbers are read with a decimal comma: 1,500 is one and a half.")
    converting = csv.ConvertOptions(
        decimal_point="," if comma else ".",
        strings_can_be_null=True,
        true_values=[],
        false_values=[],
        column_types=dict.fromkeys(words, pa.string()),
    )
    reading = csv.ReadOptions(autogenerate_column_names=bare, block_size=LONGEST)
    parsing = csv.ParseOptions(delimiter=mark, newlines_in_values='"' in head)
    found = csv.read_csv(path, reading, parsing, converting)
    if bare:
        found = found.rename_columns(
            [f"column {i + 1}" for i in range(found.num_columns)]
        )
    return found


def _values(path: Path, table: pa.Table, name: str, as_words: bool) -> np.ndarray:
    """A column as numbers or words; a cell that is missing is refused with its place."""
    column = table.column(name)
    numeric = any(is_kind(column.type) for is_kind in NUMERIC) and not as_words
    try:
        column = column.cast(pa.float64() if numeric else pa.string(), safe=not numeric)
    except pa.ArrowException as error:
        raise ValueError(
            f"{path.name}: column {name!r} cannot be read: {_short(error)}"
        ) from None
    values = (
        column.to_numpy() if numeric else np.array(column.to_pylist(), dtype=object)
    )
    missing = ~np.isfinite(values) if numeric else np.equal(values, None)
    if missing.any():
        row = int(np.argmax(missing))
        words = (
            f"{path.name}: column {name!r} has no number in row {row + 1} of the data"
        )
        raise ValueError(
            f"{words} (NaN, infinite or empty); leave out the row, or --leave-out it"
        )
    return values if numeric else values.astype(str)


def _row_names(cells: dict, count: int, notes: list[str]) -> list[str]:
    """Those of a first column without a name, or of words that are all different, which is taken
    from the cells; else numbers."""
    first = next(iter(cells), None)
    values = cells[first].tolist() if cells else []
    words = len(cells) > 1 and cells[first].dtype.kind == "U"
    different = words and len(set(values)) == count
    if different and np.mean([bool(NUMBER.fullmatch(value)) for value in values]) > 0.5:
        different = False  # numbers, with a word among them
    if first != "" and not different:
        return [str(i + 1) for i in range(count)]
    del cells[first]
    called = (
        f"The first column, {first!r},"
        if first
        else "The first column, without a name,"
    )
    notes.append(f"{called} is taken as the names of the rows.")
    return values


def _transposed(cells: dict, rows: list[str], labels) -> dict[str, np.ndarray]:
    if labels is not None:
        raise ValueError(
            f"--labels is {labels!r}; with --transpose there is no such column"
        )
    kinds = {values.dtype.kind for values in cells.values()}
    if len(kinds) != 1:
        found = (
            "no column besides their names"
            if not kinds
            else "columns of words and of numbers"
        )
        raise ValueError(
            f"--transpose needs columns of one kind; the table has {found}"
        )
    values = np.array([*cells.values()])
    if len(set(rows)) < len(rows):
        raise ValueError(
            "--transpose needs a first column whose names are all different"
        )
    return {name: values[:, i] for i, name in enumerate(rows)}
