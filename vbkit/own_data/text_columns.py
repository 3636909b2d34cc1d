"""The columns of a table in a text: which of its lines are rows, and which names them."""

import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np

from vbkit.own_data.columns import TextColumn, is_no_number, numeral
from vbkit.own_data.text import Row, Text, filled_width, look_through, many

MARKS = "\t", ",", ";", "|", " "
COMMENT = "#", "%"
RULE = re.compile(r":?[-=]{2,}[-=+:]*")  # a cell of a line of dashes
MOST_UNITS = 3  # rows of units and the like below the names


def text_columns(
    path: Path, header: str | None, encoding: str | None, notes: list[str]
) -> tuple[list[str], list[TextColumn], str]:
    """The names of the columns of a text, the columns, and the mark between its cells;
    sentences on lines that are no rows are added to `notes`.

    header, encoding: as those of `reading.Reading`. Raises ValueError that names a line which
    does not fit.
    """
    text = look_through(path, MARKS, encoding)
    notes += text.told_of_encoding(encoding)
    without_values: list[int] = []
    rows = text.rows(without_values)
    first = _first_row(text, rows, notes)
    body = _body(text, first, rows, notes)
    within = [number for number in without_values if number < body.last]
    notes += _told_without_values(within)
    columns = body.columns()
    if body.width > len(first.cells):
        first = _as_wide_as_the_rows(text, first, columns)
    is_data = header == "no"
    if body.again and not is_data and _are_names(first.cells, columns):
        raise text.fault(
            body.again, f"it repeats the names of line {first.number}; take it out"
        )
    if header is None:
        is_data = _is_like_the_rows(first.cells, columns)
    if not is_data:
        names = [" ".join(name.split()) for name in first.cells]
        _check_is_no_title(text, first, names, columns)
        return names, _without_units(text, body, columns, notes), text.mark
    if header is None:
        notes.append(
            f"The first line is a row, not names: {text.quoted(first)}. So the "
            "columns are called by number. (--header yes takes it for names.)"
        )
    names = [f"column {number}" for number in range(1, body.width + 1)]
    whole = []
    for cell, column in zip(first.cells, columns, strict=True):
        whole.append(TextColumn([cell, *column.cells]))
    return names, whole, text.mark


# ---- lines that are rows ----


def _first_row(text: Text, rows: Iterator[Row], notes: list[str]) -> Row:
    """The first row of the table, after titles and comments."""
    for row in rows:
        if row.cells[0].startswith(COMMENT):
            names = _names_in_comment(row.cells, text.width)
            if names:
                return Row(row.number, names)
        elif not _is_title(row.cells, text.width):
            return row
        notes.append(f"Line {row.number}, {text.quoted(row)}, is no row of the table.")
    raise ValueError(f"{text.name} is empty")


def _names_in_comment(cells: list[str], width: int) -> list[str]:
    """The names of `width` columns in the cells of a comment, as numpy.savetxt writes them;
    [] where there are none."""
    if len(cells) == width:
        return [cells[0].lstrip("".join(COMMENT)).strip(), *cells[1:]]
    if len(cells) == width + 1 and cells[0] in COMMENT:
        return cells[1:]
    return []


def _is_title(cells: list[str], width: int) -> bool:
    """Whether a line is a title above rows of `width` cells, and no row: whether it has far
    fewer cells, or only the first of them has a value."""
    if len(cells) < width - 1 or (len(cells) == 1 < width):
        return True
    return len(cells) > 2 and cells[0] != "" and not any(cells[1:])


@attrs.define
class _Body:
    """The rows below the first one.

    width: how many cells each of them has.
    last: the line of the last row.
    cells: of all rows, one row after another.
    second: the first of them, which is the table's second row.
    again: the first that repeats the table's first row.
    """

    width: int
    last: int
    cells: list[str] = attrs.Factory(list)
    second: Row | None = None
    again: Row | None = None

    def columns(self) -> list[TextColumn]:
        """The cells by columns."""
        return [
            TextColumn(self.cells[place :: self.width]) for place in range(self.width)
        ]


def _body(text: Text, first: Row, rows: Iterator[Row], notes: list[str]) -> _Body:
    """The rows below the first one, all of one width; a sentence is added to `notes` on a
    rule and on marks at the ends of lines. Raises ValueError that names a line with too few
    or too many cells."""
    body = _Body(len(first.cells), first.number)
    ends = 0  # how many lines end in a mark with nothing behind it
    short = None  # the first row without the empty cells at the end of the first line
    for row in rows:
        if body.second is None:
            if _is_rule(row, first):
                notes.append(
                    f"Line {row.number}, {text.quoted(row)}, is a rule below the "
                    "names; it is no row."
                )
                continue
            if len(row.cells) == body.width + 1 == text.filled:
                body.width += 1  # for the names of rows, above which there is nothing
        if len(row.cells) > body.width:
            ends += 1
        elif len(row.cells) < body.width:
            short = short or row
        row = _fitted(text, first, row, body.width)
        body.second = body.second or row
        if row.cells == first.cells:
            body.again = body.again or row
        body.last = row.number
        body.cells += row.cells
    if short is not None:
        for column in body.columns()[len(short.cells) :]:
            if any(column.cells):
                raise text.misfit(short, body.width)
        ends += 1  # the first line
    notes += text.told_of_ends(ends)
    return body


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
    if len(row.cells) >= filled_width(first.cells):
        return Row(row.number, row.cells + [""] * missing)
    if len(row.cells) == text.width:
        raise text.fault(
            first,
            f"it has {many(width, 'field')}, most lines have {text.width}; take it out, "
            "or name each column once if it is their names",
        )
    raise text.misfit(row, width)


def _told_without_values(numbers: list[int]) -> list[str]:
    """A sentence on the lines with these numbers, which hold nothing but marks."""
    if not numbers:
        return []
    if len(numbers) == 1:
        return [f"Line {numbers[0]} holds no value; it is no row of the table."]
    shown = ", ".join(map(str, numbers[:8]))
    if len(numbers) > 8:
        shown += " ..."
    return [f"Lines {shown} hold no value; they are no rows of the table."]


# ---- lines that name columns ----


def _as_wide_as_the_rows(text: Text, first: Row, columns: list[TextColumn]) -> Row:
    """The first line with a name more at the beginning, where each row has a cell more
    there that names it, as R writes them. Raises ValueError where they are no names."""
    if len(set(columns[0].cells)) == len(columns[0].cells):
        return Row(first.number, ["", *first.cells])
    width = len(first.cells)
    for row in text.rows():
        if row.number > first.number:
            text.cut(row, width)
    return first


def _is_like_the_rows(first: list[str], columns: list[TextColumn]) -> bool:
    """Whether the cells of the first line are a row like those in the columns below."""
    if not columns[0].cells:
        return all(numeral(cell) is not None for cell in first)
    numbers = []  # the cells above columns of numbers
    are_numbers = []  # whether each is one, too
    words = []  # whether a cell above a column of words is one of its words
    for cell, column in zip(first, columns, strict=True):
        if column.is_empty():
            continue
        if column.holds_numbers:
            numbers.append(cell)
            are_numbers.append(column.might_hold(cell))
        else:
            words.append(cell in column.counts)
    if not numbers:
        return bool(words) and np.mean(words) > 0.5
    are_gaps = [cell != "" and is_no_number(cell) for cell in numbers]
    if np.mean(are_numbers) < 0.5 or not np.logical_or(are_numbers, are_gaps).all():
        return False
    return any(words) or not words or not _are_years(numbers)


def _are_years(cells: list[str]) -> bool:
    """Whether cells are rising whole numbers, such as names of columns are: 1990, 1991."""
    if not all(cell.isdecimal() for cell in cells):
        return False
    steps = np.diff([int(cell) for cell in cells])
    return len(steps) > 0 and bool((steps > 0).all())


def _are_names(first: list[str], columns: list[TextColumn]) -> bool:
    """Whether the cells of the first line, which comes again below, are names: whether one
    is a word in a column that otherwise holds numbers."""
    for cell, column in zip(first, columns, strict=True):
        if is_no_number(cell) or numeral(cell) is not None:
            continue
        others = TextColumn([other for other in column.cells if other != cell])
        if not others.is_empty() and others.holds_numbers:
            return True
    return False


def _check_is_no_title(
    text: Text, first: Row, names: list[str], columns: list[TextColumn]
) -> None:
    """Raise ValueError where more than one column has cells and no name."""
    nameless = 0
    for name, column in zip(names, columns, strict=True):
        if not name and not column.is_empty():
            nameless += 1
    if nameless > 1:
        raise text.fault(
            first,
            f"it looks like a title, not like names of columns, for {nameless} of its "
            f"{len(names)} cells are empty; take this line out, or write a name into each "
            "cell",
        )


def _without_units(
    text: Text, body: _Body, columns: list[TextColumn], notes: list[str]
) -> list[TextColumn]:
    """The columns without the rows that hold units, of which `notes` then tells."""
    count = _rows_of_units(columns)
    if not count:
        return columns
    number = body.second.number
    units = text.quoted(body.second)
    if count == 1:
        notes.append(f"Line {number}, {units}, holds units; it is no row.")
    else:
        lines = f"Lines {number} and {number + count - 1}"
        notes.append(f"{lines}, {units}, hold units; they are no rows.")
    return [TextColumn(column.cells[count:]) for column in columns]


def _rows_of_units(columns: list[TextColumn]) -> int:
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
