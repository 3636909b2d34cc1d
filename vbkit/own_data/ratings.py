"""Files about users and items: what users think of items, and which items they have."""

import math
from collections.abc import Iterator
from itertools import chain

import attrs
import numpy as np

from vbkit.data import Items
from vbkit.factorization import ObservedEntries
from vbkit.own_data.text import Row, Text, look_through, parse_number, some

MARKS = "\t", "::", ";", ",", " "
FORM = "a line must be: user item rating [timestamp]"


@attrs.frozen(eq=False)
class Ratings:
    """Ratings of items by users.

    entries: the ratings, with users as rows and items as columns.
    users, items: their labels by index, in the order in which they appeared.
    header: the line that was taken for a header, or None.
    """

    entries: ObservedEntries
    users: list[str] = attrs.field(repr=False)
    items: list[str] = attrs.field(repr=False)
    header: str | None = attrs.field(default=None, repr=False)


def read_ratings(path, fields=None, *, repeats: bool = True) -> Ratings:
    """Read a text in UTF-8 with one line `user item rating [timestamp]` per rating.

    The first line decides what separates the fields of all lines: tabs if it holds any,
    else `::`, else semicolons, else commas, else blanks. A field in double quotes may
    hold any of these, and a doubled quote. Users and items may be any words; timestamps
    are not used. Blank lines are skipped. The first line is a header if its rating is not
    a number.

    fields: the columns of user, item and rating, by name: then the first line is a
        header, and there may be further columns.
    repeats: whether a user may rate an item again; then the later line counts.

    Raises ValueError with the number of the first line that does not fit, and OSError for
    a file that cannot be read.
    """
    text = look_through(path, MARKS)
    rows = text.rows()
    header = None
    if fields is None:
        form = FORM
        header, rows = _without_header(text, rows)
    else:
        form = f"{fields[2]!r} must be a number, and no field empty"
        rows = _chosen_fields(text, rows, fields)
    users: dict[str, int] = {}
    items: dict[str, int] = {}
    values: dict[tuple[int, int], float] = {}
    for row, chosen in rows:
        value = _rating(chosen)
        if value is None:
            raise text.fault(row, form)
        user, item = chosen[:2]
        place = (users.setdefault(user, len(users)), items.setdefault(item, len(items)))
        if place in values and not repeats:
            raise ValueError(
                f"{text.path.name}, line {row.number}: user {user[:40]!r} rates item "
                f"{item[:40]!r} a second time; keep one of them"
            )
        values[place] = value
    if not values:
        raise ValueError(f"{text.path.name} holds no rating; {FORM}")
    places = np.array(list(values))
    shape = len(users), len(items)
    entries = ObservedEntries(places[:, 0], places[:, 1], list(values.values()), shape)
    return Ratings(entries, list(users), list(items), header)


Chosen = Iterator[tuple[Row, list[str]]]  # rows, and what counts of their cells


def _without_header(text: Text, rows: Iterator[Row]) -> tuple[str | None, Chosen]:
    """The first line if it is a header, else None; and the rows below it."""
    first = next(rows, None)
    if first is None:
        return None, iter(())
    is_header = len(first.cells) in (3, 4) and parse_number(first.cells[2]) is None
    if not is_header:
        rows = chain([first], rows)
    header = text.line(first) if is_header else None
    return header, ((row, row.cells) for row in rows)


def _chosen_fields(text: Text, rows: Iterator[Row], names) -> Chosen:
    """Each row below a header, with its user, item and rating."""
    header = next(rows, None)
    columns = [] if header is None else header.cells
    for name in names:
        count = columns.count(name)
        if count != 1:
            has = f"{count} columns {name!r}" if count else f"no column {name!r}"
            raise ValueError(
                f"{text.path.name} has {has}; its first line names {some(columns)}"
            )
    places = [columns.index(name) for name in names]
    for row in rows:
        text.check_width(row, len(columns))
        yield row, [row.cells[place] for place in places]


def _rating(fields: list[str]) -> float | None:
    """The rating in the fields of a line, or None if they are not of the form."""
    if len(fields) not in (3, 4) or "" in fields[:3]:
        return None
    value = parse_number(fields[2])
    return value if value is not None and math.isfinite(value) else None


def read_items(path) -> Items:
    """Read a binary table: tab-separated text in UTF-8, an item a line.

    The first line is a header: a corner cell and the names of the users. Each line after
    it has the name of an item, and a 0 or 1 for each user. Returns X (users, items) and
    the names of both. Raises ValueError that names the line and column of what is wrong,
    and OSError for a file that cannot be read.
    """
    text = look_through(path, ["\t"])
    rows = text.rows()
    header = next(rows, None)
    users = [] if header is None else header.cells[1:]
    items: list[str] = []
    table: list[list[str]] = []
    for row in rows:
        text.check_width(row, len(users) + 1)
        item = row.cells[0]
        for user, cell in zip(users, row.cells[1:], strict=True):
            if cell not in ("0", "1"):
                raise ValueError(
                    f"{text.path.name}, line {row.number} ({item}), "
                    f"column {user!r} is {cell!r}, not 0 or 1"
                )
        items.append(item)
        table.append(row.cells[1:])
    if not users or not items:
        raise ValueError(
            f"{text.path.name} must have a tab-separated header of users, "
            "and an item on line 2"
        )
    return Items(np.array(table, dtype=np.uint8).T, items, users)
