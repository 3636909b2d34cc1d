"""A table of rows to learn from: text with a mark between cells, or Parquet."""

import re
from pathlib import Path
from typing import Self

import attrs
import numpy as np

from vbkit.own_data.columns import (
    FEW_ROWS,
    FEW_VALUES,
    LARGEST_WHOLE,
    TextColumn,
    is_limit,
    most_categories,
    read_columns,
    with_gaps,
)
from vbkit.own_data.parquet_columns import ParquetColumn, parquet_columns
from vbkit.own_data.reading import Reading
from vbkit.own_data.sequences import Sequences, in_order, sequences_by, told_of_runs
from vbkit.own_data.text import asking_for, many, naming_the_file, shown_name, some
from vbkit.own_data.text_columns import text_columns
from vbkit.own_data.times import readings, rising, told_of_times

MOST_COLUMNS = 5_000
PARQUET = ".parquet", ".pq"
FEW_NUMBERS = 5  # so few different numbers may lie anywhere
SEVERAL = 3  # rows with the same number, from which it may be a mark
FAR = 2  # ranges of the other numbers that a mark is away from them
MANY_GAPS = 0.1  # share of rows left out, from which the column with most gaps is named
CODES = re.compile(
    r"(?:.*[\s_.-])?(?:id|ids|nr|no|uuid|key|code|zip|zip ?code|postcode|postal ?code|plz)"
    r"|.*[a-z](?:ID|Id)"
)
Columns = dict[str, TextColumn | ParquetColumn]


@attrs.frozen(eq=False)
class Table:
    """A table of N rows that has been read.

    cells: the values of each column (N,) by its name: numbers (float64), NaN where one is
        missing, or words (object), None where one is missing.
    rows: the names of the rows (N,).
    labels: the column that names or classifies the rows (N,), or None.
    notes: sentences on what was decided while reading.
    transposed: whether the rows were columns.
    incomplete: where cells are missing, a sentence on what can be done; "" otherwise.
    times: columns of dates and times of day, and counters in rows that follow one another, as
        they are written (N,), None where nothing is, by their names; they take no part in
        learning. A first column of these that names the rows is among them.
    sequences: which rows follow one another; None where their order does not count.
    left_out: how many incomplete rows were left out, and are not among the N.
    """

    cells: dict[str, np.ndarray]
    rows: list[str]
    labels: np.ndarray | None
    notes: list[str]
    transposed: bool = False
    incomplete: str = ""
    times: dict[str, np.ndarray] = attrs.Factory(dict)
    sequences: Sequences | None = None
    left_out: int = 0

    @property
    def words(self) -> list[str]:
        """The names of the columns that hold words."""
        return [
            name for name, values in self.cells.items() if values.dtype != np.float64
        ]

    @property
    def gaps(self) -> np.ndarray:
        """Which cells have no value (N, columns)."""
        gaps = np.zeros((len(self.rows), len(self.cells)), dtype=bool)
        for place, values in enumerate(self.cells.values()):
            gaps[:, place] = ~has_value(values)
        return gaps

    def without_rows(self, is_left_out: np.ndarray) -> Self:
        """The table without the rows that are left out (N,)."""
        is_kept = ~is_left_out
        rows = zip(self.rows, is_kept, strict=True)
        return attrs.evolve(
            self,
            cells={name: values[is_kept] for name, values in self.cells.items()},
            rows=[name for name, kept in rows if kept],
            labels=None if self.labels is None else self.labels[is_kept],
            times={name: values[is_kept] for name, values in self.times.items()},
            sequences=None if self.sequences is None else self.sequences.take(is_kept),
            left_out=int(is_left_out.sum()),
        )


def has_value(values: np.ndarray) -> np.ndarray:
    """Which cells of a column have a value (N,)."""
    if values.dtype == np.float64:
        return np.isfinite(values)
    return np.not_equal(values, None).astype(bool)


# ---- a table from a file ----


def read_table(path, **said) -> Table:
    """Read a table from a Parquet file (.parquet) or from text with a mark between cells: a
    tab, a comma, a semicolon, a vertical bar or blanks. In text, the first line names the
    columns unless it is like the rows below it.

    said: as the fields of `vbkit.own_data.reading.Reading`.

    A first column without a name, or of words that are all different, names the rows.
    Missing cells are kept, and `Table.incomplete` tells of them; but where rows follow one
    another, incomplete rows are left out. Raises ValueError with one
    sentence for a file that is no such table, and OSError for one that cannot be read.
    """
    said = Reading(**said)
    said.check()
    path = Path(path)
    title = shown_name(path)
    notes: list[str] = []
    if path.suffix.lower() in PARQUET:
        mark = ""  # a Parquet file has none, so it tells nothing of the decimal mark
        names, all_columns = parquet_columns(path, notes)
    else:
        names, all_columns, mark = text_columns(path, said.header, said.encoding, notes)
    columns = _by_name(title, names, all_columns)
    count = len(all_columns[0].cells)
    said = said.of_columns(title, [*columns])
    if len(columns) > MOST_COLUMNS and not said.transpose:
        raise ValueError(
            f"{title} has {len(columns)} columns; at most {MOST_COLUMNS} are taken"
        )
    columns = _without(columns, said.leave_out)
    table, columns = _what_stands_beside(title, columns, count, said, notes)
    columns = _learned_from(title, columns, said, notes)
    with naming_the_file(title):
        table = attrs.evolve(table, cells=_values(columns, mark, said, notes))
    if said.drop_incomplete or said.is_ordered:
        table = _without_incomplete_rows(title, table, said)
    else:
        table = attrs.evolve(table, incomplete=_told_of_gaps(title, table, columns))
    if said.transpose:
        table = _transposed(table)
    _check_size(title, table, said, mark)
    if not table.transposed:
        notes += _remarks(table.cells)
        notes += _marks_of_nothing(table.cells)
    if table.sequences is not None:
        notes.append(table.sequences.told())
    elif said.is_new and not table.transposed:
        notes += told_of_runs(table.cells)
    return table


def _by_name(title: str, names: list[str], columns: list) -> Columns:
    """Columns by their names; one without name and cells is left out. Raises ValueError
    where there is no row, and for a name that two of them have."""
    if not columns or not len(columns[0].cells):
        raise ValueError(
            f"{title} holds no row below its first line; it must hold at least 2"
        )
    found = {}
    for name, column in zip(names, columns, strict=True):
        if not name and column.is_empty():
            continue
        if name in found:
            raise ValueError(f"{title} has two columns called {name!r}; rename one")
        found[name] = column
    return found


def _without(columns: Columns, names) -> Columns:
    """The columns that have none of these names."""
    return {name: column for name, column in columns.items() if name not in names}


# ---- columns that take no part in learning ----


def _what_stands_beside(
    title: str, columns: Columns, count: int, said: Reading, notes: list[str]
) -> tuple[Table, Columns]:
    """A table of `count` rows that has no cells yet, but all that stands beside them: the
    names of the rows, their labels, sequences and times; and the other columns."""
    labels = None
    if said.labels is not None:
        labels = columns[said.labels].as_written()
    naming = _column_of_row_names(columns, said)
    rows = _row_names(columns, naming, count, notes)
    moments = _moments(columns, said)
    with naming_the_file(title):
        sequences = _sequences(columns, count, moments, said)
    others = _without(columns, [said.labels, said.sequences, naming])
    notes += _told_of_moments(columns, others, moments, said)
    others = _without(others, moments)
    counters = []
    if sequences is not None:
        counters = _counters(others, sequences, said)
        notes += _told_of_counters(counters, said)
    times = {}
    if not said.transpose:  # a turned table has no place for them
        for name in [*moments, *counters]:
            if name != said.labels:
                times[name] = columns[name].as_words()
    table = Table(
        {}, rows, labels, notes, said.transpose, times=times, sequences=sequences
    )
    return table, _without(others, counters)


def _column_of_row_names(columns: Columns, said: Reading) -> str | None:
    """The name of the column that names the rows, None if there is none: of the first one,
    if it has no name, or holds words that are all different and is not the only one."""
    names = [name for name in columns if name != said.labels]
    if not names or said.needs(names[0]):
        return None
    name = names[0]
    column = columns[name]
    if not name:
        return name
    if len(names) == 1 or column.holds_numbers or column.odd_row is not None:
        return None
    is_different = len(set(column.cells)) == len(column.cells)
    return name if is_different and column.counts else None


def _row_names(
    columns: Columns, naming: str | None, count: int, notes: list[str]
) -> list[str]:
    """The names of the rows (N,), from the column that names them or counted from 1."""
    numbers = [str(row + 1) for row in range(count)]
    if naming is None:
        return numbers
    called = repr(naming) if naming else "without a name"
    notes.append(f"The first column, {called}, is taken as the names of the rows.")
    written = columns[naming].as_written().tolist()
    return [cell or number for cell, number in zip(written, numbers, strict=True)]


def _sequences(
    columns: Columns, count: int, moments: dict, said: Reading
) -> Sequences | None:
    """Which of the rows follow one another, None where their order does not count."""
    if said.in_order:
        return in_order(count)
    if said.sequences is None:
        return None
    name = said.sequences
    is_word = name in said.words
    return sequences_by(name, columns[name], moments.get(name, []), is_word)


def _moments(columns: Columns, said: Reading) -> dict[str, list[np.ndarray]]:
    """The readings of the columns of dates and times of day by their names, without those
    that are asked for as words or needed."""
    moments = {}
    for name, column in columns.items():
        if name in said.words or said.needs(name) or column.holds_numbers:
            continue
        found = readings(column)
        if found:
            moments[name] = found
    return moments


def _told_of_moments(
    columns: Columns, others: Columns, moments: dict, said: Reading
) -> list[str]:
    """Sentences on the columns of `moments` among the others, and on those of all columns
    in which the rows follow one another."""
    times = {name: others[name] for name in moments if name in others}
    follow = []
    if said.is_new and not said.transpose and not said.is_ordered:
        follow = rising(columns, moments)
    return told_of_times(times, follow, is_kept=not said.transpose, is_new=said.is_new)


def _counters(columns: Columns, sequences: Sequences, said: Reading) -> list[str]:
    """The names of the columns that count up within sequences and are not asked for; none
    where no other column would be left that tells rows apart."""
    counters = []
    others = 0
    for name, column in columns.items():
        is_asked = name in said.words or name in said.learn_from or said.needs(name)
        if not is_asked and sequences.is_counter(column):
            counters.append(name)
        elif len(set(column.as_written().tolist())) > 1:
            others += 1
    return counters if others else []


def _told_of_counters(names: list[str], said: Reading) -> list[str]:
    """A sentence on columns that count up within sequences."""
    if not names:
        return []
    verb, they = ("rise", "they are") if len(names) > 1 else ("rises", "it is")
    told = (
        f"{some(names)} {verb} within each sequence, as clocks and counters do in any state; "
        f"{they} kept beside the results and not learned from"
    )
    if said.is_new:
        told += f" ({asking_for('--learn-from', names)} does so all the same)"
    return [f"{told}."]


# ---- columns that are learned from ----


def _learned_from(
    title: str, columns: Columns, said: Reading, notes: list[str]
) -> Columns:
    """The columns that are needed; if something is to be learned, those that are not empty,
    unless all are. Raises ValueError for one that is needed and not there."""
    if said.needed is None:
        empty = [name for name, column in columns.items() if column.is_empty()]
        if not empty or len(empty) == len(columns):
            return columns
        subject = "Columns" if len(empty) > 1 else "Column"
        verb = "are" if len(empty) > 1 else "is"
        notes.append(f"{subject} {some(empty)} {verb} empty and left out.")
        return _without(columns, empty)
    lacking = [name for name in said.needed if name not in columns]
    if lacking:
        raise ValueError(
            f"{title} has no column {lacking[0]!r}; it has {some([*columns])}, and the "
            f"model learned from {some(said.needed)}"
        )
    others = [*_without(columns, said.needed)]
    if others:
        notes.append(f"The model does not know {some(others)}; not used.")
    return {name: columns[name] for name in said.needed}


def _values(
    columns: Columns, mark: str, said: Reading, notes: list[str]
) -> dict[str, np.ndarray]:
    """Each column as numbers (float64), NaN where one is missing, or as words (object),
    None where one is missing; (N,)."""
    texts = {}
    for name, column in columns.items():
        if isinstance(column, TextColumn) and name not in said.words:
            texts[name] = column
    read = read_columns(texts, mark, notes, decimal=said.decimal)
    for name, column in texts.items():
        if read[name].dtype != np.float64:
            _check_not_mixed(name, column)
    values = {}
    for name, column in columns.items():
        if name in texts:
            values[name] = read[name]
        elif name in said.words:
            values[name] = with_gaps(column.as_written())
        else:
            values[name] = column.as_numbers()
    return values


def _check_not_mixed(name: str, column: TextColumn) -> None:
    """Raise ValueError for a column of words most of which are numbers."""
    advice = "no number like most of its cells; mend it"
    row = column.odd_row
    if row is None:
        advice = "a number in another unit than others; bring them to one"
        row = column.row_of_another_unit
    if row is None:
        return
    cell = column.cells[row]
    if is_limit(cell):
        advice = (
            "a limit and no number; write a number in its place (half of it, for "
            "instance), empty these cells"
        )
    advice += f", or add {asking_for('--leave-out', [name])}"
    if len(column.counts) <= most_categories(len(column.cells), FEW_VALUES):
        advice += f", or {asking_for('--words', [name])} to take all its cells as words"
    raise ValueError(
        f"column {name!r} has {cell[:40]!r} in row {row + 1} of the data, {advice}"
    )


# ---- cells without a value ----


def _without_incomplete_rows(title: str, table: Table, said: Reading) -> Table:
    """The table without the rows in which a cell has no value. Raises ValueError where the
    others are too few to follow one another."""
    is_incomplete = table.gaps.any(axis=1)
    if not is_incomplete.any():
        return table
    told = _told_of_incomplete_rows(table, said)
    if said.is_ordered and said.is_new and (~is_incomplete).sum() < 2:
        raise ValueError(f"{title}: {told}")
    table.notes.append(told)
    return table.without_rows(is_incomplete)


def _told_of_incomplete_rows(table: Table, said: Reading) -> str:
    """What is said of incomplete rows that are left out."""
    gaps = table.gaps
    count = int(gaps.any(axis=1).sum())
    verb = "is" if count == 1 else "are"
    told = f"{count} of {many(len(gaps), 'row')} {verb} incomplete and left out"
    if said.is_ordered:
        them = "it" if count == 1 else "them"
        told += f"; the rows before and after {them} follow one another"
    has_choice = said.is_new and len(table.cells) > 1
    of_column = gaps.sum(axis=0)
    most = int(of_column.argmax())
    if has_choice and count > MANY_GAPS * len(gaps) and of_column[most] > count / 2:
        name = [*table.cells][most]
        told += (
            f". {of_column[most]} of them lack {name!r}: "
            f"{asking_for('--leave-out', [name])} keeps the others"
        )
    return f"{told}."


def _told_of_gaps(title: str, table: Table, columns: Columns) -> str:
    """A sentence on how many cells have no value, and what can be done; "" if all have.

    columns: of the cells, as they are written.
    """
    gaps = table.gaps
    if not gaps.any():
        return ""
    names = [*table.cells]
    is_incomplete = gaps.any(axis=1)
    lacking = [
        name for name, lacks in zip(names, gaps.any(axis=0), strict=True) if lacks
    ]
    row, place = np.argwhere(gaps)[0]  # the first of them
    first = names[place]
    written = str(columns[first].as_written()[row])
    ways = []
    if (~is_incomplete).sum() >= max(2, len(gaps) / 2):
        ways.append("--drop-incomplete to leave out these rows")
    if len(names) - len(lacking) >= 2:
        them = "this column" if len(lacking) == 1 else "these columns"
        ways.append(f"{asking_for('--leave-out', lacking)} to leave out {them}")
    if written and first in table.words:
        ways.append(f"{asking_for('--words', [first])} if {written!r} is a word")
    advice = f"add {', or '.join(ways)}" if ways else "fill in some of them"
    count = int(gaps.sum())
    return (
        f"{title}: {many(count, 'cell')} in {is_incomplete.sum()} of "
        f"{many(len(gaps), 'row')} and {len(lacking)} of {many(len(names), 'column')} "
        f"{'holds' if count == 1 else 'hold'} no value, the first of them in row {row + 1}, "
        f"column {first!r} ({written!r}); {advice}"
    )


# ---- the whole table ----


def _transposed(table: Table) -> Table:
    """The table with a column for each row, by its name."""
    kinds = {values.dtype for values in table.cells.values()}
    if len(kinds) != 1:
        held = "columns of words and of numbers"
        if not kinds:
            held = "no column besides their names"
        raise ValueError(f"--transpose needs columns of one kind; the table has {held}")
    if len(set(table.rows)) < len(table.rows):
        raise ValueError(
            "--transpose needs a first column whose names are all different"
        )
    values = np.column_stack([*table.cells.values()])
    cells = dict(zip(table.rows, values, strict=True))
    return attrs.evolve(table, cells=cells, rows=[*table.cells])


def _check_size(title: str, table: Table, said: Reading, mark: str) -> None:
    """Raise ValueError unless there are two rows and two columns to learn from, one where
    rows follow one another; or a row, where a model has learned.

    mark: what stands between cells, "" where nothing does.
    """
    columns = 1 if said.is_ordered else 2
    if said.is_new and len(table.rows) >= 2 and len(table.cells) >= columns:
        return
    if not said.is_new and table.rows:
        return
    least = f"2 rows and {many(columns, 'column')}"
    if not said.is_new:
        least = "a row"
    elif mark:
        least += ", with tabs, commas, semicolons, vertical bars or blanks between"
    raise ValueError(
        f"{title} has {many(len(table.rows), 'row')} and "
        f"{many(len(table.cells), 'column')} to learn from; it must have at least {least}"
    )


def _remarks(cells: dict[str, np.ndarray]) -> list[str]:
    """Sentences on columns that look like numbers of rows or codes, in any order."""
    remarks = []
    for name, values in cells.items():
        if values.dtype != np.float64 or len(values) <= FEW_ROWS:
            continue
        if np.isnan(values).any():
            continue
        if (values % 1).any() or np.abs(values).max() > LARGEST_WHOLE:
            continue
        if len(np.unique(values)) < len(values):
            continue
        low = int(values.min())
        high = int(values.max())
        if (np.diff(values) == 1).all():
            continue  # it numbers the rows, which is told where they are prepared
        if high - low + 1 == len(values):
            remarks.append(
                f"Column {name!r} holds each whole number from {low} to {high} once; if "
                "it only numbers the rows, --leave-out it or make it --labels."
            )
        elif CODES.fullmatch(name) or CODES.fullmatch(name.lower()):
            remarks.append(
                f"Column {name!r} is another number in each row; if it is a code, "
                "--leave-out it or make it --labels."
            )
    return remarks


def _marks_of_nothing(cells: dict[str, np.ndarray]) -> list[str]:
    """Sentences on numbers that seem to say that nothing is known, such as -9999: the same
    number in several rows, far below or far above all others of its column."""
    remarks = []
    for name, values in cells.items():
        if values.dtype != np.float64:
            continue
        numbers, counts = np.unique(values[has_value(values)], return_counts=True)
        if len(numbers) <= FEW_NUMBERS:
            continue
        for mark, count, others in (
            (numbers[0], counts[0], numbers[1:]),
            (numbers[-1], counts[-1], numbers[:-1]),
        ):
            gap = np.abs(others - mark).min()
            if count >= SEVERAL and gap > FAR * (others[-1] - others[0]):
                remarks.append(
                    f"Column {name!r} has {mark:.15g} in {count} rows, far outside the "
                    f"others, which lie between {others[0]:.6g} and {others[-1]:.6g}; it "
                    "is learned from as this number. If it says that nothing is known, "
                    "empty these cells."
                )
    return remarks
