"""The columns of a table in a Parquet file."""

from pathlib import Path

import attrs
import numpy as np

from vbkit.checks import require
from vbkit.own_data.columns import TextColumn, with_gaps
from vbkit.own_data.text import refuse_pipe, shown_name

UNITS_IN_A_SECOND = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}


@attrs.frozen(eq=False)
class ParquetColumn:
    """A column of a Parquet file that holds numbers.

    cells: as a `pyarrow.ChunkedArray`.
    """

    cells: object

    holds_numbers = True

    def is_empty(self) -> bool:
        """Whether no cell has a value."""
        return self.cells.null_count == len(self.cells)

    def as_numbers(self) -> np.ndarray:
        """The numbers (N,), NaN where one is missing."""
        return self.cells.cast("double", safe=False).to_numpy()

    def readings_as_numbers(self) -> list[np.ndarray]:
        """The numbers (N,), in the only way to read them."""
        return [self.as_numbers()]

    def as_written(self) -> np.ndarray:
        """The numbers as text (N,), "" where one is missing."""
        return np.array(self.cells.cast("string").fill_null("").to_pylist())

    def as_words(self) -> np.ndarray:
        """The numbers as text (N,), None where one is missing."""
        return with_gaps(self.as_written())


def parquet_columns(
    path: Path, notes: list[str]
) -> tuple[list[str], list[TextColumn | ParquetColumn]]:
    """The names of the columns of a Parquet file, and the columns; a sentence is added to
    `notes` on durations. Raises ValueError where it is no such file."""
    require("tables", "pyarrow")
    from pyarrow import ArrowException, parquet

    refuse_pipe(path)
    title = shown_name(path)
    try:
        with path.open("rb") as file:
            table = parquet.read_table(file)
    except ArrowException as error:
        raise ValueError(
            f"{title} is not a Parquet file: {_first_line(error)}"
        ) from None
    names = table.column_names
    columns = []
    for name, cells in zip(names, table.columns, strict=True):
        columns.append(_column(title, name, cells, notes))
    return names, columns


def _column(
    title: str, name: str, cells, notes: list[str]
) -> TextColumn | ParquetColumn:
    """A column of numbers, or of text whatever that says."""
    from pyarrow import ArrowException, compute, types

    kind = cells.type
    is_numeric = (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
    )
    if is_numeric:
        return ParquetColumn(cells)
    if types.is_duration(kind):
        notes.append(f"Column {name!r} is in seconds.")
        numbers = cells.cast("int64").cast("double", safe=False)
        return ParquetColumn(compute.divide(numbers, UNITS_IN_A_SECOND[kind.unit]))
    try:
        texts = cells.cast("string").fill_null("").to_pylist()
    except ArrowException as error:  # a nested type, for instance
        raise ValueError(
            f"{title}: column {name!r} cannot be read: {_first_line(error)}; "
            "--leave-out it"
        ) from None
    return TextColumn([text.strip() for text in texts])


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:120]
