"""A table of rows to learn from: text with a mark between cells, or Parquet."""

import csv
import re
from pathlib import Path
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import require
from vbkit.own_data.columns import (
    FEW_VALUES,
    TextColumn,
    is_limit,
    is_no_number,
    most_categories,
    numeral,
    read_columns,
    with_gaps,
)
from vbkit.own_data.sequences import Sequences, in_order, sequences_by, told_of_runs
from vbkit.own_data.text import (
    EXCERPT,
    Row,
    Text,
    asking_for,
    filled_width,
    look_through,
    many,
    refuse_pipe,
    shown_name,
    some,
)
from vbkit.own_data.times import readings, rising, told_of_times

MARKS = "\t", ",", ";", "|", " "
MOST_COLUMNS = 5_000
FEW_ROWS = 9  # so few rows may be numbered by chance
LARGEST_WHOLE = 2**53  # whole numbers up to this are kept to the last digit
PARQUET = ".parquet", ".pq"
COMMENT = "#", "%"
RULE = re.compile(r":?[-=]{2,}[-=+:]*")  # a cell of a line of dashes
FEW_NUMBERS = 5  # so few different numbers may lie anywhere
SEVERAL = 3  # rows with the same number, from which it may be a mark
FAR = 2  # ranges of the other numbers that a mark is away from them
MANY_GAPS = 0.1  # share of rows left out, from which the column with most gaps is named
MOST_UNITS = 3  # rows of units and the like below the names
CODES = re.compile(
    r"(?:.*[\s_.-])?(?:id|ids|nr|no|uuid|key|code|zip|zip ?code|postcode|postal ?code|plz)"
    r"|.*[a-z](?:ID|Id)"
)


@attrs.frozen(eq=False)
class Table:
    """A table of N rows that has been read.

    cells: the values of each column (N,) by its name: numbers (float64), NaN where one is
        missing, or words (str; object, with None where one is missing).
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
            name for name, values in self.cells.items() if values.dtype.kind in "UO"
        ]


@attrs.frozen(kw_only=True)
class Reading:
    """What people may say of a table before it is read.

    labels: a column that names or classifies the rows and takes no part in learning.
    leave_out: columns to ignore: names, or several with commas between.
    words: columns to take as they are written, likewise.
    transpose: make rows of columns, after the first column gave the names.
    header: whether the first line names the columns, "yes" or "no"; None decides it.
    decimal: the decimal mark of all numbers, "point" or "comma"; None decides it.
    encoding: of a text; None is UTF-8, or UTF-16 or UTF-32 if it begins as such a file
        does.
    drop_incomplete: leave out rows in which a cell has no value.
    sequences: a column that tells where a new sequence of rows begins, and takes no part in
        learning; incomplete rows are then left out.
    in_order: likewise, with all rows as one sequence.
    learn_from: columns to learn from although they rise within each sequence, as counters
        do: names, or several with commas between.
    """

    labels: str | None = None
    leave_out: list[str] = attrs.Factory(list)
    words: list[str] = attrs.Factory(list)
    transpose: bool = False
    header: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    drop_incomplete: bool = False
    sequences: str | None = None
    in_order: bool = False
    learn_from: list[str] = attrs.Factory(list)

    @property
    def is_ordered(self) -> bool:
        """Whether the order of the rows counts."""
        return self.in_order or self.sequences is not None

    def check(self) -> None:
        """Raise ValueError where one thing that was said speaks against another."""
        option = "--in-order" if self.in_order else "--sequences"
        if self.in_order and self.sequences is not None:
            raise ValueError(
                "--sequences and --in-order both say which rows follow one another; choose "
                "one"
            )
        if self.transpose and self.is_ordered:
            raise ValueError(
                "--transpose makes rows of columns, and these do not follow one another; "
                f"leave out {option}"
            )
        if self.learn_from and not self.is_ordered:
            raise ValueError(
                "--learn-from is for columns that count up in rows which follow one another; "
                "leave it out, or add --sequences or --in-order"
            )


# ---- a table from a file ----


def read_table(path, *, needed=None, **said) -> Table:
    """Read a table from a Parquet file (.parquet) or from text with a mark between cells: a
    tab, a comma, a semicolon, a vertical bar or blanks. In text, the first line names the
    columns unless it is like the rows below it.

    needed: the columns to keep, in this order, as few as one row of them; None keeps all.
    said: as the fields of `Reading`.

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
    refuse_pipe(path)
    is_parquet = path.suffix.lower() in PARQUET
    if is_parquet:
        mark = ""  # a Parquet file has none, so it tells nothing of the decimal mark
        columns = _parquet_columns(path, notes)
    else:
        columns, mark = _text_columns(path, said, notes)
    names = [*columns]
    labels, sequences, leave_out, words, learn_from = _choices(
        title, said, names, needed
    )
    if len(names) > MOST_COLUMNS and not said.transpose:
        raise ValueError(
            f"{title} has {len(names)} columns; at most {MOST_COLUMNS} are taken"
        )
    columns = {name: each for name, each in columns.items() if name not in leave_out}
    count = len(next(iter(columns.values())).cells) if columns else 0
    all_columns = dict(columns)
    label_values = columns.pop(labels).as_written() if labels else None
    rows = _row_names(columns, count, needed, notes)
    moments = _moments(all_columns, words, needed)
    followed = None
    if said.is_ordered:
        columns.pop(sequences, None)
        followed = _sequences(title, sequences, all_columns, count, moments, words)
    times = _times(all_columns, columns, moments, labels, said, needed, notes)
    if followed:
        kept = [*words, *learn_from, *(needed or ())]
        times |= _counters(columns, followed, kept, notes, is_new=needed is None)
    if needed is not None:
        columns = _needed(title, columns, needed, notes)
    _leave_out_empty(columns, needed, notes)
    cells = _values(title, columns, mark, words, said.decimal, notes)
    left_out = 0
    if cells and (said.drop_incomplete or followed):
        is_kept = _complete(cells)
        left_out = int((~is_kept).sum())
        if left_out:
            told = _left_out(
                cells, is_kept, is_ordered=said.is_ordered, is_new=needed is None
            )
            if followed and is_kept.sum() < 2 and needed is None:
                raise ValueError(f"{title}: {told}")
            notes.append(told)
        followed = followed and followed.take(is_kept)
        cells = {name: values[is_kept] for name, values in cells.items()}
        rows = [name for name, kept in zip(rows, is_kept, strict=True) if kept]
        label_values = None if label_values is None else label_values[is_kept]
        times = {name: values[is_kept] for name, values in times.items()}
    incomplete = _incomplete(title, cells, columns)
    if said.transpose:
        columns_as_rows = [*cells]
        cells = _transposed(cells, rows, labels)
        rows = columns_as_rows
    for name, values in cells.items():
        if values.dtype != np.float64 and has_value(values).all():
            cells[name] = values.astype(str)
    least = 1 if said.is_ordered else 2
    _check_size(title, cells, rows, is_parquet, needed, least)
    if not said.transpose:
        notes += _remarks(cells)
        notes += _marks_of_nothing(cells)
    if followed:
        notes.append(followed.told())
    elif needed is None and not said.transpose:
        notes += told_of_runs(cells)
    return Table(
        cells,
        rows,
        label_values,
        notes,
        said.transpose,
        incomplete,
        times,
        followed,
        left_out,
    )


class Choices(NamedTuple):
    """The columns that options name: see the fields of `Reading`."""

    labels: str | None
    sequences: str | None
    leave_out: list[str]
    words: list[str]
    learn_from: list[str]


def _choices(title: str, said: Reading, names: list[str], needed) -> Choices:
    """The columns of a table that options name. Raises ValueError where the table lacks one,
    and where two options contradict each other."""
    labels = _one_name(title, "--labels", said.labels, names)
    sequences = _one_name(title, "--sequences", said.sequences, names)
    leave_out = _chosen(title, said.leave_out, names)
    words = _chosen(title, said.words, names)
    learn_from = _chosen(title, said.learn_from, names)
    for name in learn_from:
        taken = {"--labels": [labels], "--sequences": [sequences]}
        for option, others in (taken | {"--leave-out": leave_out}).items():
            if name in others:
                raise ValueError(
                    f"--learn-from and {option} both name {name!r}; choose one"
                )
    for option, name in (("--labels", labels), ("--sequences", sequences)):
        if name in leave_out:
            raise ValueError(f"{option} and --leave-out both name {name!r}; choose one")
    if sequences is not None and sequences == labels:
        raise ValueError(
            f"--sequences and --labels both name {labels!r}; --sequences alone keeps it "
            "beside the results"
        )
    if sequences is not None and sequences in (needed or ()):
        raise ValueError(
            f"the model learned from {sequences!r}; --sequences must name another column"
        )
    return Choices(labels, sequences, leave_out, words, learn_from)


def _text_columns(
    path: Path, said: Reading, notes: list[str]
) -> tuple[dict[str, TextColumn], str]:
    """The columns of a text by their names, and the mark between its cells. Raises
    ValueError that names a line which does not fit."""
    text = look_through(path, MARKS, said.encoding)
    notes += text.told_of_encoding(said.encoding)
    without_values: list[int] = []
    rows = text.rows(without_values)
    first = _first_row(text, rows, notes)
    body = _body(text, first, rows, notes)
    width = body.width
    notes += _told_without_values(
        [number for number in without_values if number < body.last]
    )
    below = [TextColumn(body.cells[place::width]) for place in range(width)]
    if width > len(first.cells):
        first = _as_wide_as_the_rows(text, first, below)
    is_data = said.header == "no"
    if body.again and not is_data and _are_names(first.cells, below):
        raise text.fault(
            Row(body.again, first.cells),
            f"it repeats the names of line {first.number}; take it out",
        )
    if said.header is None:
        is_data = _is_like_the_rows(first.cells, below)
    names = [" ".join(name.split()) for name in first.cells]
    if is_data:
        names = [f"column {place + 1}" for place in range(width)]
        below = [
            TextColumn([cell, *column.cells])
            for cell, column in zip(first.cells, below, strict=True)
        ]
        if said.header is None:
            notes.append(
                f"The first line is a row, not names: {text.line(first)[:EXCERPT]!r}. So "
                "the columns are called by number. (--header yes takes it for names.)"
            )
    elif not body.cells:
        raise _no_rows(text.name)
    elif _nameless(names, below) > 1:
        raise text.fault(
            first,
            "it looks like a title, not like names of columns, for "
            f"{_nameless(names, below)} of its {width} cells are empty; take this line "
            "out, or write a name into each cell",
        )
    else:
        count = _units(below)
        if count:
            first_units = text.mark.join(body.cells[:width])[:EXCERPT]
            lines = f"Line {body.second}"
            if count > 1:
                lines = f"Lines {body.second} and {body.second + count - 1}"
            verb = (
                "holds units; it is no row"
                if count == 1
                else "hold units; they are no rows"
            )
            notes.append(f"{lines}, {first_units!r}, {verb}.")
            below = [TextColumn(column.cells[count:]) for column in below]
    return _by_name(text.name, names, below), text.mark


@attrs.define
class _Body:
    """The rows below the first one.

    width: how many cells each of them has.
    cells: of all rows, one row after another.
    last: the line of the last row.
    second: the line of the first of them, which is the table's second row; 0 if there is
        none.
    again: the line of the first that repeats the table's first row; 0 if none does.
    """

    width: int
    last: int
    cells: list[str] = attrs.Factory(list)
    second: int = 0
    again: int = 0


def _body(text: Text, first: Row, rows, notes: list[str]) -> _Body:
    """The rows below the first one, all of one width; a sentence is added to `notes` on a
    rule and on marks at the ends of lines. Raises ValueError that names a line with too few
    or too many cells."""
    body = _Body(len(first.cells), first.number)
    ends = 0  # how many lines end in a mark with nothing behind it
    short = None  # the first row without the empty cells at the end of the first line
    for row in rows:
        if not body.cells and _is_rule(row, first):
            notes.append(
                f"Line {row.number}, {text.line(row)[:EXCERPT]!r}, is a rule below the "
                "names; it is no row."
            )
            continue
        if not body.cells and len(row.cells) == body.width + 1 == text.filled:
            body.width += 1
        if len(row.cells) != body.width:
            if len(row.cells) > body.width:
                ends += 1
            else:
                short = short or row
            row = _fitted(text, first, row, body.width)
        if row.cells == first.cells:
            body.again = body.again or row.number
        body.second = body.second or row.number
        body.last = row.number
        body.cells += row.cells
    if short is not None:
        for place in range(len(short.cells), body.width):
            if any(body.cells[place :: body.width]):
                raise text.misfit(short, body.width)
        ends += 1  # the first line
    notes += text.told_of_ends(ends)
    return body


def _told_without_values(numbers: list[int]) -> list[str]:
    """A sentence on the lines with these numbers, which hold nothing but marks."""
    if not numbers:
        return []
    if len(numbers) == 1:
        return [f"Line {numbers[0]} holds no value; it is no row of the table."]
    shown = ", ".join(map(str, numbers[:8])) + (" ..." if len(numbers) > 8 else "")
    return [f"Lines {shown} hold no value; they are no rows of the table."]


def _first_row(text: Text, rows, notes: list[str]) -> Row:
    """The first row of the table, after titles and comments."""
    for row in rows:
        cells = row.cells
        is_comment = cells[0].startswith(COMMENT)
        if is_comment and len(cells) == text.width:  # names, as numpy.savetxt has them
            bare = cells[0].lstrip("".join(COMMENT)).strip()
            return Row(row.number, [bare, *cells[1:]])
        if is_comment and len(cells) == text.width + 1 and cells[0] in COMMENT:
            return Row(row.number, cells[1:])
        is_title = len(cells) < text.width - 1 or (len(cells) == 1 < text.width)
        is_title = is_title or (len(cells) > 2 and cells[0] and not any(cells[1:]))
        if not (is_comment or is_title):
            return row
        notes.append(
            f"Line {row.number}, {text.line(row)[:EXCERPT]!r}, is no row of the table."
        )
    raise ValueError(f"{text.name} is empty")


def _is_rule(row: Row, first: Row) -> bool:
    """Whether a row is a line of dashes, as markdown and databases put it below names, empty
    only where the first line is."""
    for cell, name in zip(row.cells, first.cells, strict=False):
        if not RULE.fullmatch(cell) and (cell or name):
            return False
    return True


def _fitted(text: Text, first: Row, row: Row, width: int) -> Row:
    """A row with `width` cells: without empty ones beyond, or with those that are empty at
    the end of the first line. Raises ValueError for any other row."""
    missing = width - len(row.cells)
    if missing <= 0:
        return text.cut(row, width)
    if width > len(first.cells):
        raise text.misfit(row, width, "most lines have")
    if len(row.cells) < filled_width(first.cells):
        if len(row.cells) == text.width:
            raise text.fault(
                first,
                f"it has {many(width, 'field')}, most lines have {text.width}; take it out, "
                "or name each column once if it is their names",
            )
        raise text.misfit(row, width)
    return Row(row.number, row.cells + [""] * missing)


def _as_wide_as_the_rows(text: Text, first: Row, below: list[TextColumn]) -> Row:
    """The first line with a name more at the beginning, where each row has a cell more
    there that names it, as R writes them. Raises ValueError where they are no names."""
    if len(set(below[0].cells)) == len(below[0].cells):
        return Row(first.number, ["", *first.cells])
    width = len(first.cells)
    for row in text.rows():
        if row.number > first.number:
            text.cut(row, width)
    return first


def _is_like_the_rows(first: list[str], below: list[TextColumn]) -> bool:
    """Whether the cells of the first line are a row like those in the columns below."""
    if not below[0].cells:
        return all(numeral(cell) is not None for cell in first)
    numbers = []  # the cells above columns of numbers
    are_numbers = []  # whether each is one, too
    words = []  # whether a cell above a column of words is one of its words
    for cell, column in zip(first, below, strict=True):
        if column.is_empty():
            continue
        if column.holds_numbers:
            numbers.append(cell)
            are_numbers.append(column.might_hold(cell))
        else:
            words.append(cell in column.counts)
    if not numbers:
        return bool(words) and np.mean(words) > 0.5
    is_marked = [bool(cell) and is_no_number(cell) for cell in numbers]
    if np.mean(are_numbers) < 0.5 or not np.logical_or(are_numbers, is_marked).all():
        return False
    return any(words) or not words or not _are_years(numbers)


def _are_names(first: list[str], below: list[TextColumn]) -> bool:
    """Whether the cells of the first line, which comes again below, are names: whether one
    is a word in a column that otherwise holds numbers."""
    for cell, column in zip(first, below, strict=True):
        if is_no_number(cell) or numeral(cell) is not None:
            continue
        others = TextColumn([other for other in column.cells if other != cell])
        if not others.is_empty() and others.holds_numbers:
            return True
    return False


def _nameless(names: list[str], columns: list[TextColumn]) -> int:
    """How many columns have cells and no name."""
    pairs = zip(names, columns, strict=True)
    return sum(not name and not column.is_empty() for name, column in pairs)


def _are_years(cells: list[str]) -> bool:
    """Whether cells are rising whole numbers, such as names of columns are: 1990, 1991."""
    if not all(cell.isdecimal() for cell in cells):
        return False
    steps = np.diff([int(cell) for cell in cells])
    return len(steps) > 0 and bool((steps > 0).all())


def _units(columns: list[TextColumn]) -> int:
    """How many of the first rows hold words, such as units, where all below hold numbers:
    as few as make the most columns ones of numbers."""
    best = 0
    most = 0
    for count in range(1, MOST_UNITS + 1):
        numbers = _columns_of_numbers_below(columns, count)
        if numbers > most:
            best = count
            most = numbers
    return best


def _columns_of_numbers_below(columns: list[TextColumn], count: int) -> int:
    """How many columns hold numbers below the first `count` rows; 0 if there is a number
    in these rows, too, or no word."""
    numbers = 0
    words = 0
    for column in columns:
        below = TextColumn(column.cells[count:])
        if below.is_empty() or not below.holds_numbers:
            continue
        numbers += 1
        for cell in column.cells[:count]:
            if numeral(cell) is not None:
                return 0
            words += not is_no_number(cell)
    return numbers if words else 0


def _no_rows(title: str) -> ValueError:
    return ValueError(
        f"{title} holds no row below its first line; it must hold at least 2"
    )


# ---- Parquet ----


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

    def as_written(self) -> np.ndarray:
        """The numbers as text (N,), "" where one is missing."""
        texts = self.cells.cast("string").to_pylist()
        return np.array([text or "" for text in texts])

    def as_words(self) -> np.ndarray:
        """The numbers as text (N,), None where one is missing."""
        return np.array(self.cells.cast("string").to_pylist(), dtype=object)


def _parquet_columns(
    path: Path, notes: list[str]
) -> dict[str, TextColumn | ParquetColumn]:
    """The columns of a Parquet file by their names. Raises ValueError where it is none."""
    require("tables", "pyarrow")
    from pyarrow import ArrowException, parquet

    title = shown_name(path)
    try:
        with path.open("rb") as file:
            table = parquet.read_table(file)
    except ArrowException as error:
        raise ValueError(
            f"{title} is not a Parquet file: {_first_line(error)}"
        ) from None
    if not table.num_rows:
        raise _no_rows(title)
    names = table.column_names
    columns = []
    for name, cells in zip(names, table.columns, strict=True):
        columns.append(_parquet_column(title, name, cells, notes))
    return _by_name(title, names, columns)


def _parquet_column(
    title: str, name: str, cells, notes: list[str]
) -> TextColumn | ParquetColumn:
    """A column of numbers, or of text whatever that says."""
    from pyarrow import ArrowException, types

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
        return ParquetColumn(_seconds(cells))
    try:
        texts = cells.cast("string").to_pylist()
    except ArrowException as error:  # a nested type, for instance
        raise ValueError(
            f"{title}: column {name!r} cannot be read: {_first_line(error)}; "
            "--leave-out it"
        ) from None
    return TextColumn(["" if text is None else text.strip() for text in texts])


def _seconds(cells):
    """Durations as numbers of seconds."""
    from pyarrow import compute

    parts = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[cells.type.unit]
    return compute.divide(cells.cast("int64").cast("double", safe=False), parts)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0][:120]


# ---- what columns hold ----


def _by_name(title: str, names: list[str], columns: list) -> dict:
    """Columns by their names; one without name and cells is left out. Raises ValueError
    for a name that two of them have."""
    found = {}
    for name, column in zip(names, columns, strict=True):
        if not name and column.is_empty():
            continue
        if name in found:
            raise ValueError(f"{title} has two columns called {name!r}; rename one")
        found[name] = column
    return found


def _moments(all_columns: dict, words, needed) -> dict[str, list[np.ndarray]]:
    """The readings of the columns of dates and times of day by their names, without those
    that are asked for as words or `needed`."""
    moments = {}
    for name, column in all_columns.items():
        is_asked = name in words or name in (needed or ())
        if is_asked or isinstance(column, ParquetColumn) or column.holds_numbers:
            continue
        found = readings(column)
        if found:
            moments[name] = found
    return moments


def _sequences(
    title: str, name: str | None, all_columns: dict, count: int, moments: dict, words
) -> Sequences:
    """The sequences that the column of this name tells, or that of all rows. Raises
    ValueError where one has no name."""
    if name is None:
        return in_order(count)
    try:
        column = all_columns[name]
        return sequences_by(name, column, moments.get(name, []), name in words)
    except ValueError as error:
        raise ValueError(f"{title}: {error}") from None


def _times(
    all_columns: dict,
    columns: dict,
    moments: dict,
    labels: str | None,
    said: Reading,
    needed,
    notes: list[str],
) -> dict[str, np.ndarray]:
    """Take the columns of dates and times of day away from `columns`, and return them as they
    are written; add to `notes` what is done. A turned table has no place for them.

    all_columns: with those that name the rows or tell sequences. moments: see `_moments`.
    labels: the name of the column of labels, which stand elsewhere.
    """
    taken = {name: columns.pop(name) for name in moments if name in columns}
    is_new = needed is None
    follow = []
    if is_new and not said.transpose and not said.is_ordered:
        follow = rising(all_columns, moments)
    notes += told_of_times(taken, follow, is_kept=not said.transpose, is_new=is_new)
    if said.transpose:
        return {}
    kept = [name for name in moments if name != labels]
    return {name: all_columns[name].as_words() for name in kept}


def _counters(
    columns: dict,
    sequences: Sequences,
    kept: list[str],
    notes: list[str],
    *,
    is_new: bool,
) -> dict[str, np.ndarray]:
    """Take the columns that count up within sequences away from `columns`, and return them
    as they are written; add to `notes` what is done. None are taken where no other column
    would be left that tells rows apart.

    kept: names of columns that are asked for. is_new: whether something is to be learned.
    """
    names = []
    others = 0
    for name, column in columns.items():
        if name not in kept and sequences.is_counter(column):
            names.append(name)
        elif len(set(column.as_written().tolist())) > 1:
            others += 1
    if not names or not others:
        return {}
    verb, they = ("rise", "they are") if len(names) > 1 else ("rises", "it is")
    told = (
        f"{some(names)} {verb} within each sequence, as clocks and counters do in any state; "
        f"{they} kept beside the results and not learned from"
    )
    if is_new:
        told += f" ({asking_for('--learn-from', names)} does so all the same)"
    notes.append(f"{told}.")
    return {name: columns.pop(name).as_words() for name in names}


def _leave_out_empty(columns: dict, needed, notes: list[str]) -> None:
    """Take away columns without any value, unless they are needed."""
    empty = [name for name, column in columns.items() if column.is_empty()]
    if not empty or needed is not None or len(empty) == len(columns):
        return
    for name in empty:
        del columns[name]
    several = len(empty) > 1
    notes.append(
        f"Column{'s' * several} {some(empty)} {'are' if several else 'is'} empty and "
        "left out."
    )


def _values(
    title: str, columns: dict, mark: str, words, decimal: str | None, notes: list[str]
) -> dict[str, np.ndarray]:
    """Each column as numbers (float64), NaN where one is missing, or as words (object),
    None where one is missing; (N,)."""
    texts = {
        name: each for name, each in columns.items() if isinstance(each, TextColumn)
    }
    try:
        read = read_columns(texts, mark, notes, decimal=decimal, words=words)
    except ValueError as error:
        raise ValueError(f"{title}: {error}") from None
    values = {}
    for name, column in columns.items():
        if name in texts:
            values[name] = read[name]
            if name not in words:
                _check_not_mixed(title, name, column, read[name])
        elif name in words:
            values[name] = with_gaps(column.as_written())
        else:
            values[name] = column.as_numbers()
    return values


def _check_not_mixed(title: str, name: str, column: TextColumn, values) -> None:
    """Raise ValueError for a column of words most of which are numbers."""
    if values.dtype == np.float64:
        return
    words = "no number like most of its cells; mend it"
    row = column.odd_row
    if row is None:
        words = "a number in another unit than others; bring them to one"
        row = column.row_of_another_unit
    if row is None:
        return
    cell = column.cells[row]
    if is_limit(cell):
        words = (
            "a limit and no number; write a number in its place (half of it, for "
            "instance), empty these cells"
        )
    words += f", or add {asking_for('--leave-out', [name])}"
    if len(column.counts) <= most_categories(len(column.cells), FEW_VALUES):
        words += f", or {asking_for('--words', [name])} to take all its cells as words"
    raise ValueError(
        f"{title}: column {name!r} has {cell[:40]!r} in row {row + 1} of the data, {words}"
    )


def has_value(values: np.ndarray) -> np.ndarray:
    """Which cells of a column have a value (N,)."""
    if values.dtype == np.float64:
        return np.isfinite(values)
    return np.not_equal(values, None).astype(bool)


def _complete(cells: dict[str, np.ndarray]) -> np.ndarray:
    """Which rows have a value in every column (N,)."""
    return np.all([has_value(values) for values in cells.values()], axis=0)


def _left_out(
    cells: dict, is_kept: np.ndarray, *, is_ordered: bool, is_new: bool
) -> str:
    """What is said of rows that are left out. is_ordered: whether their order counts.
    is_new: whether something is to be learned, so that there is a choice of columns."""
    count = int((~is_kept).sum())
    verb = "is" if count == 1 else "are"
    told = f"{count} of {many(len(is_kept), 'row')} {verb} incomplete and left out"
    if is_ordered:
        them = "it" if count == 1 else "them"
        told += f"; the rows before and after {them} follow one another"
    if not is_new or len(cells) == 1 or count <= MANY_GAPS * len(is_kept):
        return f"{told}."
    gaps = {name: int((~has_value(values)).sum()) for name, values in cells.items()}
    name = max(gaps, key=gaps.get)
    if gaps[name] > count / 2:
        told += (
            f". {gaps[name]} of them lack {name!r}: {asking_for('--leave-out', [name])} keeps "
            "the others"
        )
    return f"{told}."


def _incomplete(title: str, cells: dict[str, np.ndarray], columns: dict) -> str:
    """A sentence on how many cells have no value, and what can be done; "" if all have."""
    if not cells:
        return ""
    lacks = np.array([~has_value(values) for values in cells.values()])  # (columns, N)
    if not lacks.any():
        return ""
    names = [*cells]
    row = int(np.argmax(lacks.any(axis=0)))
    place = int(np.argmax(lacks[:, row]))
    bad = [
        name
        for name, some_lack in zip(names, lacks.any(axis=1), strict=True)
        if some_lack
    ]
    first = columns[names[place]]
    written = str(first.as_written()[row])
    verb = "holds" if lacks.sum() == 1 else "hold"
    ways = []
    if (~lacks.any(axis=0)).sum() >= max(2, lacks.shape[1] / 2):
        ways.append("--drop-incomplete to leave out these rows")
    if len(names) - len(bad) >= 2:
        columns_in_words = "this column" if len(bad) == 1 else "these columns"
        ways.append(f"{asking_for('--leave-out', bad)} to leave out {columns_in_words}")
    if written and cells[names[place]].dtype == object:
        option = asking_for("--words", [names[place]])
        ways.append(f"{option} if {written!r} is a word")
    advice = f"add {', or '.join(ways)}" if ways else "fill in some of them"
    return (
        f"{title}: {many(int(lacks.sum()), 'cell')} in {lacks.any(axis=0).sum()} of "
        f"{many(lacks.shape[1], 'row')} and {len(bad)} of {many(len(names), 'column')} "
        f"{verb} no value, the first of them in row {row + 1}, column {names[place]!r} "
        f"({written!r}); {advice}"
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
        low, high = int(values.min()), int(values.max())
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


# ---- what is asked of it ----


def _one_name(
    title: str, option: str, asked: str | None, names: list[str]
) -> str | None:
    """The name of the column that an option asks for, None if it does not. Raises ValueError
    if there is none."""
    if asked is None or asked in names:
        return asked
    chosen = _chosen(title, [asked], names)
    if len(chosen) != 1:
        raise ValueError(f"{option} is {asked!r}; it must name one column")
    return chosen[0]


def _chosen(title: str, asked: list[str], names: list[str]) -> list[str]:
    """The names of columns that options ask for: each is a name, or some with commas
    between, those with a comma in quotes. Raises ValueError for one that is not there."""
    chosen = []
    for text in asked:
        if text in names:
            chosen.append(text)
            continue
        parts = next(csv.reader([text], skipinitialspace=True), [])
        for part in parts:
            name = " ".join(part.split())
            if name and name not in names:
                raise ValueError(
                    f"{title} has no column {name!r}; it has {some(names)}"
                )
            chosen += [name] if name else []
    return chosen


def _needed(title: str, columns: dict, needed, notes: list[str]) -> dict:
    """The columns that are needed. Raises ValueError for one that is not there."""
    lacking = [name for name in needed if name not in columns]
    if lacking:
        raise ValueError(
            f"{title} has no column {lacking[0]!r}; it has {some([*columns])}, and the "
            f"model learned from {some(list(needed))}"
        )
    others = [name for name in columns if name not in needed]
    if others:
        notes.append(f"The model does not know {some(others)}; not used.")
    return {name: columns[name] for name in needed}


def _check_size(
    title: str, cells: dict, rows: list[str], is_parquet: bool, needed, columns: int
) -> None:
    """Raise ValueError unless there are two rows and so many columns to learn from, or a row
    where columns are `needed`."""
    enough = len(rows) >= 2 and len(cells) >= columns
    if enough or (needed is not None and rows):
        return
    size = f"{many(len(rows), 'row')} and {many(len(cells), 'column')} to learn from"
    least = f"2 rows and {many(columns, 'column')}"
    if needed is not None:
        least = "a row"
    elif not is_parquet:
        least += ", with tabs, commas, semicolons, vertical bars or blanks between"
    raise ValueError(f"{title} has {size}; it must have at least {least}")


def _row_names(columns: dict, count: int, needed, notes: list[str]) -> list[str]:
    """The names of the rows (N,), taken from the first column or counted from 1.

    The first column is taken away from `columns` if it names the rows: if it has no name,
    or holds words that are all different; never if it is `needed`.
    """
    numbers = [str(row + 1) for row in range(count)]
    name = next(iter(columns), None)
    if name is None or (needed is not None and name in needed):
        return numbers
    column = columns[name]
    if name and not (len(columns) > 1 and _holds_names(column)):
        return numbers
    called = repr(name) if name else "without a name"
    notes.append(f"The first column, {called}, is taken as the names of the rows.")
    written = columns.pop(name).as_written().tolist()
    return [cell or number for cell, number in zip(written, numbers, strict=True)]


def _holds_names(column: TextColumn | ParquetColumn) -> bool:
    """Whether a column holds words that are all different."""
    if (
        isinstance(column, ParquetColumn)
        or column.holds_numbers
        or column.odd_row is not None
    ):
        return False
    return len(set(column.cells)) == len(column.cells) and len(column.counts) > 0


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
