"""A table of rows to learn from: text with a mark between cells, or Parquet."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import require
from vbkit.own_data.text import (
    MISSING,
    is_number_like,
    look_through,
    many,
    parse_number,
    refuse_pipe,
    some,
)

MARKS = "\t", ",", ";"
MOST_COLUMNS = 5_000
PARQUET = ".parquet", ".pq"
DECIMAL_COMMA = re.compile(r"(^|;)\s*-?\d+,\d+\s*(;|$)", re.M)


@attrs.frozen(eq=False)
class Table:
    """A table of N rows that has been read.

    cells: the values of each column (N,) by its name: numbers (float64) or words (str).
    rows: the names of the rows (N,).
    labels: the column that names or classifies the rows (N,), or None.
    notes: sentences on what was decided while reading.
    transposed: whether the rows were columns.
    """

    cells: dict[str, np.ndarray]
    rows: list[str]
    labels: np.ndarray | None
    notes: list[str]
    transposed: bool = False


class TextColumn(NamedTuple):
    """A column of a text: its name, its cells as they are written, and whether numbers
    have a decimal comma."""

    name: str
    cells: list[str]
    decimal_comma: bool

    def is_empty(self) -> bool:
        """Whether all cells are missing."""
        return all(cell in MISSING for cell in self.cells)

    def as_numbers(self) -> np.ndarray | None:
        """The numbers (N,), NaN where one is missing; None if there is a word."""
        numbers = [parse_number(cell, self.decimal_comma) for cell in self.cells]
        return None if None in numbers else np.array(numbers)

    def as_words(self) -> np.ndarray:
        """The cells as they are written (N,), None where one is missing."""
        words = [None if cell in MISSING else cell for cell in self.cells]
        return np.array(words, dtype=object)


class ParquetColumn(NamedTuple):
    """A column of a Parquet file: its name, and its cells as a `pyarrow.ChunkedArray`."""

    name: str
    cells: object

    def is_empty(self) -> bool:
        """Whether all cells are missing."""
        return self.cells.null_count == len(self.cells)

    def as_numbers(self) -> np.ndarray | None:
        """The numbers (N,), NaN where one is missing; None for another type."""
        from pyarrow import types

        kind = self.cells.type
        is_numeric = (
            types.is_integer(kind)
            or types.is_floating(kind)
            or types.is_boolean(kind)
            or types.is_decimal(kind)
        )
        if not is_numeric:
            return None
        return self._cast("double", safe=False).to_numpy()

    def as_words(self) -> np.ndarray:
        """The cells as text (N,), None where one is missing."""
        return np.array(self._cast("string").to_pylist(), dtype=object)

    def _cast(self, kind: str, safe: bool = True):
        from pyarrow import ArrowException

        try:
            return self.cells.cast(kind, safe=safe)
        except ArrowException as error:  # a nested type, for instance
            raise ValueError(_first_line(error)) from None


Column = TextColumn | ParquetColumn


# ---- a table from a file ----


def read_table(path, *, labels=None, leave_out=(), transpose=False) -> Table:
    """Read a table from a Parquet file (.parquet) or from text in UTF-8 with a tab, a
    comma or a semicolon between cells. In text, the first line names the columns unless
    it holds numbers only.

    labels: a column that names or classifies the rows and takes no part in learning.
    leave_out: columns to ignore.
    transpose: make rows of columns, after the first column gave the names.

    A first column without a name, or of words that are all different, names the rows.
    Raises ValueError with one sentence for a file that is no such table, and OSError for
    one that cannot be read.
    """
    path = Path(path)
    notes: list[str] = []
    refuse_pipe(path)
    if labels in leave_out:
        raise ValueError(f"--labels and --leave-out both name {labels!r}; choose one")
    is_parquet = path.suffix.lower() in PARQUET
    columns = _parquet_columns(path) if is_parquet else _text_columns(path, notes)
    columns = [column for column in columns if column.name or not column.is_empty()]
    names = [column.name for column in columns]
    _check_names(path, names, leave_out if labels is None else [*leave_out, labels])
    if len(names) > MOST_COLUMNS and not transpose:
        raise ValueError(
            f"{path.name} has {len(names)} columns; at most {MOST_COLUMNS} are taken"
        )
    cells = {}
    for column in columns:
        if column.name not in leave_out:
            # What names or classifies the rows is no number, whatever it looks like.
            names_rows = column is columns[0] and not column.name
            is_words = names_rows or column.name == labels
            cells[column.name] = _values(path, column, is_words)
    label_values = cells.pop(labels, None)
    count = len(columns[0].cells) if columns else 0
    rows = _row_names(cells, count, notes)
    if transpose:
        columns_as_rows = [*cells]
        cells = _transposed(cells, rows, labels)
        rows = columns_as_rows
    _check_size(path, cells, rows, is_parquet)
    return Table(cells, rows, label_values, notes, transpose)


def _text_columns(path: Path, notes: list[str]) -> list[TextColumn]:
    """The columns of a text. Raises ValueError that names a line with too few cells."""
    text = look_through(path, MARKS)
    rows = text.rows()
    first = next(rows, None)
    if first is None:
        raise ValueError(f"{path.name} is empty")
    if first.cells[0].startswith("sep="):
        raise ValueError(
            f"{path.name} begins with {text.line(first)!r}, a hint to spreadsheets; "
            "remove it"
        )
    cells: list[str] = []  # of all columns, row by row
    names = first.cells
    width = len(names)
    if all(map(is_number_like, names)):
        cells += names
        names = [f"column {i + 1}" for i in range(width)]
        notes.append(
            "The first line holds numbers only, so the columns are called by number."
        )
    # A comma between semicolons is a decimal one.
    decimal_comma = text.mark == ";" and DECIMAL_COMMA.search(text.head) is not None
    if decimal_comma:
        notes.append("Numbers are read with a decimal comma: 1,500 is one and a half.")
    for row in rows:
        text.check_width(row, width)
        cells += row.cells
    if not cells:
        raise _no_rows(path)
    return [
        TextColumn(name, cells[place::width], decimal_comma)
        for place, name in enumerate(names)
    ]


def _no_rows(path: Path) -> ValueError:
    return ValueError(
        f"{path.name} holds no row below its first line; it must hold at least 2"
    )


def _parquet_columns(path: Path) -> list[ParquetColumn]:
    """The columns of a Parquet file. Raises ValueError where it is none."""
    require("tables", "pyarrow")
    from pyarrow import ArrowException, parquet

    try:
        table = parquet.read_table(path)
    except ArrowException as error:
        raise ValueError(
            f"{path.name} is not a Parquet file: {_first_line(error)}"
        ) from None
    if not table.num_rows:
        raise _no_rows(path)
    return [
        ParquetColumn(name, table.column(place))
        for place, name in enumerate(table.column_names)
    ]


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:120]


def _values(path: Path, column: Column, is_words: bool) -> np.ndarray:
    """A column as numbers (float64) or words (str), (N,).

    is_words: it is taken as it is written, whatever it holds. Raises ValueError with
    the place of a cell that is missing or not finite.
    """
    try:
        numbers = None if is_words else column.as_numbers()
        values = column.as_words() if numbers is None else numbers
    except ValueError as error:
        raise ValueError(
            f"{path.name}: column {column.name!r} cannot be read: {error}"
        ) from None
    is_missing = np.equal(values, None) if numbers is None else ~np.isfinite(values)
    if is_missing.any():
        row = int(np.argmax(is_missing))
        raise ValueError(
            f"{path.name}: column {column.name!r} has no number in row {row + 1} of the "
            "data (NaN, infinite or empty); leave out the row, or --leave-out it"
        )
    return values.astype(str) if numbers is None else values


# ---- what is asked of it ----


def _check_names(path: Path, names: list[str], asked: list[str]) -> None:
    """Raise ValueError for a name that two columns have, or that is asked for in vain."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(
            f"{path.name} has two columns called {min(twice)!r}; rename one"
        )
    for name in asked:
        if name not in names:
            raise ValueError(
                f"{path.name} has no column {name!r}; it has {some(names)}"
            )


def _check_size(path: Path, cells: dict, rows: list[str], is_parquet: bool) -> None:
    """Raise ValueError unless there are two rows and two columns to learn from."""
    if len(rows) >= 2 and len(cells) >= 2:
        return
    size = f"{many(len(rows), 'row')} and {many(len(cells), 'column')} to learn from"
    least = "2 rows and 2 columns"
    if not is_parquet:
        least += ", with tabs, commas or semicolons between"
    raise ValueError(f"{path.name} has {size}; it must have at least {least}")


def _row_names(cells: dict, count: int, notes: list[str]) -> list[str]:
    """The names of the rows (N,), taken from the first column or counted from 1.

    The first column is taken away from `cells` if it names the rows: if it has no name,
    or holds words that are all different.
    """
    names = [*cells]
    if not names or not (names[0] == "" or _holds_names(cells[names[0]], len(names))):
        return [str(i + 1) for i in range(count)]
    called = repr(names[0]) if names[0] else "without a name"
    notes.append(f"The first column, {called}, is taken as the names of the rows.")
    return cells.pop(names[0]).tolist()


def _holds_names(column: np.ndarray, columns: int) -> bool:
    """Whether a column, one of several, holds words that are all different."""
    words = column.tolist()
    if columns < 2 or column.dtype.kind != "U" or len({*words}) < len(words):
        return False
    is_number = [is_number_like(word) for word in words]
    return np.mean(is_number) <= 0.5  # else these are numbers with a word among them


def _transposed(cells: dict, rows: list[str], labels) -> dict[str, np.ndarray]:
    """The columns of the transposed table, by the names of the rows."""
    if labels is not None:
        raise ValueError(
            f"--labels is {labels!r}; with --transpose there is no such column"
        )
    kinds = {values.dtype.kind for values in cells.values()}
    if len(kinds) != 1:
        held = "columns of words and of numbers"
        if not kinds:
            held = "no column besides their names"
        raise ValueError(f"--transpose needs columns of one kind; the table has {held}")
    if len(set(rows)) < len(rows):
        raise ValueError(
            "--transpose needs a first column whose names are all different"
        )
    values = np.column_stack([*cells.values()])
    return dict(zip(rows, values, strict=True))
