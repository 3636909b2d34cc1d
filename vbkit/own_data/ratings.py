"""Files about users and items: what users think of items, and which items they have."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain

import attrs
import numpy as np

from vbkit.data import Items
from vbkit.factorization import ObservedEntries
from vbkit.own_data.columns import TextColumn, is_no_number, numeral, read_columns
from vbkit.own_data.rating_names import ROLES, roles_of
from vbkit.own_data.text import (
    Row,
    Text,
    filled_width,
    look_through,
    many,
    naming_the_file,
    some,
)

MARKS = "\t", "::", ";", ",", "|", " "
FORM = (
    "a line must be: user item rating [timestamp]; --fields names the columns of a file "
    "with others"
)
WIDE = 5  # columns from which a table can be nothing but a row for each user


@attrs.frozen(eq=False)
class Ratings:
    """Ratings of items by users, or pairs of them without a rating.

    users, items: their labels by index, in the order in which they appeared.
    rows, cols, values: the user, the item and the rating of each pair (n,); the rating is
        NaN where there is none.
    notes: sentences on how the file was read.
    """

    users: list[str] = attrs.field(repr=False)
    items: list[str] = attrs.field(repr=False)
    rows: np.ndarray = attrs.field(repr=False)
    cols: np.ndarray = attrs.field(repr=False)
    values: np.ndarray = attrs.field(repr=False)
    notes: list[str] = attrs.field(repr=False)

    @cached_property
    def entries(self) -> ObservedEntries:
        """The ratings, with users as rows and items as columns. Raises ValueError where a
        pair has none."""
        shape = len(self.users), len(self.items)
        return ObservedEntries(self.rows, self.cols, self.values, shape)


@attrs.frozen(eq=False)
class Lines:
    """The cells of a file that count.

    users, items, ratings: as they are written, (n,) each.
    numbers: of the lines they stand in (n,).
    """

    users: list[str] = attrs.Factory(list)
    items: list[str] = attrs.Factory(list)
    ratings: list[str] = attrs.Factory(list)
    numbers: list[int] = attrs.Factory(list)

    def add(self, number: int, user: str, item: str, rating: str) -> None:
        """Add the cells of a line."""
        self.users.append(user)
        self.items.append(item)
        self.ratings.append(rating)
        self.numbers.append(number)


def read_ratings(
    path,
    fields=None,
    *,
    repeated: str | None = "last",
    only_pairs: bool = False,
    decimal: str | None = None,
    encoding: str | None = None,
) -> Ratings:
    """Read a text with one line `user item rating [timestamp]` per rating, or with a row
    for each user and a column for each item.

    A tab, `::`, a semicolon, a comma, a vertical bar or blanks separate the fields. A field
    in double quotes may hold any of these, and a doubled quote. Users and items may be any
    words; timestamps are not used. Blank lines are skipped. The first line may name the
    columns; where it has the usual names, they say what the columns are.

    fields: the columns of user, item and rating, by name: then the first line names them,
        and there may be further columns.
    repeated: which rating counts where a user rates an item again: that of the "last"
        line, or the "mean"; None refuses it.
    only_pairs: whether there may be pairs without a rating.
    decimal, encoding: as those of `vbkit.own_data.reading.Reading`.

    Raises ValueError with the number of the first line that does not fit, and OSError for
    a file that cannot be read.
    """
    text = look_through(path, MARKS, encoding)
    notes = text.told_of_encoding(encoding)
    lines = _lines(text, fields, only_pairs, notes)
    values = _values(text, lines, fields, only_pairs, decimal, notes)
    return _gathered(text, lines, values, repeated, only_pairs, notes)


# ---- which cells count ----


def _lines(text: Text, fields, only_pairs: bool, notes: list[str]) -> Lines:
    """The users, items and ratings of a file as they are written."""
    rows = text.rows()
    first = next(rows, None)
    if first is None:
        raise _no_rating(text)
    if fields is not None:
        places = _places_of(text, first.cells, fields, only_pairs)
        return _chosen(text, first, rows, places, notes)
    if _names_item(first):
        return _below_items(text, first, rows, notes)
    roles = roles_of(first.cells)
    if len(roles) >= 2 or (len(roles) == 1 and len(first.cells) == 2):
        _check_roles(text, roles)
        places = _complete_roles(text, first, roles, only_pairs, notes)
        return _chosen(text, first, rows, places, notes)
    if _may_be_wide(first):
        rows = [*rows]
        width = len(first.cells)
        whole = [text.cut(row, width) if _has_end(row, width) else row for row in rows]
        if _is_wide(first, whole):
            notes += text.told_of_ends(sum(_has_end(row, width) for row in rows))
            return _wide(text, first, whole, notes)
        rows = whole
    return _in_order(text, first, rows, only_pairs, notes)


def _in_order(
    text: Text, first: Row, rows: Iterable[Row], only_pairs: bool, notes: list[str]
) -> Lines:
    """The cells of lines that hold user, item, rating and perhaps a timestamp, in this
    order."""
    if len(first.cells) in (3, 4) and not _is_rating(first.cells[2]):
        user, item, rating = map(repr, first.cells[:3])
        notes.append(
            f"Its first line, {text.quoted(first)}, is taken for names of columns: "
            f"user {user}, item {item} and rating {rating}, in this order."
        )
    else:
        rows = chain([first], rows)
    lines = Lines()
    has_pairs = only_pairs and len(first.cells) == 2
    for row in rows:
        cells = row.cells
        if has_pairs and len(cells) == 2:
            cells = [*cells, ""]
        if len(cells) not in (3, 4) or "" in cells[:2]:
            form = FORM
            if len(cells) >= WIDE:
                form += (
                    ", and a table with a row for each user needs a first line that names "
                    "the items"
                )
            raise text.fault(row, form)
        lines.add(row.number, *cells[:3])
    return lines


def _names_item(row: Row) -> bool:
    """Whether a line is an item with a colon behind it, such as 17: in the Netflix Prize."""
    return len(row.cells) == 1 and len(row.cells[0]) > 1 and row.cells[0][-1] == ":"


def _below_items(
    text: Text, first: Row, rows: Iterator[Row], notes: list[str]
) -> Lines:
    """The cells of a file in which a line names the item of the ratings below it."""
    lines = Lines()
    item = first.cells[0][:-1]
    for row in rows:
        if _names_item(row):
            item = row.cells[0][:-1]
            continue
        if len(row.cells) not in (2, 3):
            raise text.fault(
                row, "a line must be an item with ':' behind it, or: user rating [date]"
            )
        lines.add(row.number, row.cells[0], item, row.cells[1])
    notes.append(
        f"A line such as {first.cells[0]!r} names the item of the lines below it, which "
        "begin with a user and a rating."
    )
    return lines


def _is_rating(cell: str) -> bool:
    """Whether a cell is a number, or says that there is none."""
    return numeral(cell) is not None or is_no_number(cell)


def _chosen(
    text: Text,
    first: Row,
    rows: Iterator[Row],
    places: list[int | None],
    notes: list[str],
) -> Lines:
    """The cells at the places of user, item and rating, None for no rating, below a first
    line of names."""
    user, item, rating = places
    width = len(first.cells)
    lines = Lines()
    ends = 0
    for row in rows:
        ends += _has_end(row, width)
        cells = text.cut(row, width).cells
        written = "" if rating is None else cells[rating]
        lines.add(row.number, cells[user], cells[item], written)
    notes += text.told_of_ends(ends)
    return lines


def _places_of(text: Text, names: list[str], fields, only_pairs: bool) -> list:
    """The places of the columns that `fields` names; pairs may lack that of the rating."""
    places = []
    for name in fields:
        count = names.count(name)
        if count == 0 and only_pairs and name == fields[2]:
            places.append(None)
            continue
        if count != 1:
            has = f"{count} columns {name!r}" if count else f"no column {name!r}"
            raise ValueError(
                f"{text.name} has {has}; its first line names {some(names)}"
            )
        places.append(names.index(name))
    return places


def _check_roles(text: Text, roles: dict[str, list[str]]) -> None:
    """Raise ValueError where two columns have a name for the same."""
    for role, names in roles.items():
        if len(names) > 1:
            raise ValueError(
                f"{text.name} has more than one column for the {role}: {some(names)}; "
                "--fields names the one that counts"
            )


def _complete_roles(
    text: Text, first: Row, roles: dict, only_pairs: bool, notes: list[str]
) -> list[int | None]:
    """The places of user, item and rating among the names of a first line. One that is not
    known by its name is the only column left."""
    names = first.cells
    chosen = {role: known[0] for role, known in roles.items()}
    left = [role for role in ROLES if role not in chosen]
    if only_pairs and "rating" in left and len(names) == 2:
        left.remove("rating")
    others = [name for name in names if name not in chosen.values()]
    if len(left) == 1 and len(others) == 1:
        chosen[left[0]] = others[0]
        left = []
    if only_pairs and left == ["rating"]:
        left = []
    if left:
        raise text.fault(
            first,
            f"no name is that of the {left[0]}; --fields USER,ITEM,RATING says it",
        )
    known = [f"{role} {chosen[role]!r}" for role in ROLES if role in chosen]
    notes.append(f"Its first line names {', '.join(known[:-1])} and {known[-1]}.")
    return [names.index(chosen[role]) if role in chosen else None for role in ROLES]


# ---- a row for each user, a column for each item ----


def _may_be_wide(first: Row) -> bool:
    """Whether a first line may name the items (or the users) of a wide table."""
    names = first.cells[1:]
    has_names = not _is_rating(first.cells[0]) or not first.cells[0]
    return len(names) >= 2 and has_names and len(set(names)) == len(names)


def _has_end(row: Row, width: int) -> bool:
    """Whether nothing but empty cells stands beyond `width` ones of a row."""
    return filled_width(row.cells) <= width < len(row.cells)


def _is_wide(first: Row, rows: list[Row]) -> bool:
    """Whether below the first line there is a row for each user, with ratings and gaps."""
    width = len(first.cells)
    if not rows or any(len(row.cells) != width for row in rows):
        return False
    firsts = {row.cells[0] for row in rows}
    if len(firsts) < len(rows):
        return False
    if width < WIDE and not roles_of(first.cells[:1]):
        return False
    return all(_is_rating(cell) for row in rows for cell in row.cells[1:])


def _wide(text: Text, first: Row, rows: list[Row], notes: list[str]) -> Lines:
    """The ratings of a wide table, row by row."""
    names = first.cells[1:]
    of_items = "item" in roles_of(first.cells[:1])
    across, down = ("item", "user") if of_items else ("user", "item")
    lines = Lines()
    zeros = 0
    for row in rows:
        label = row.cells[0]
        for name, cell in zip(names, row.cells[1:], strict=True):
            if is_no_number(cell):
                continue
            zeros += cell in ("0", "0.0", "0,0")
            user, item = (name, label) if of_items else (label, name)
            lines.add(row.number, user, item, cell)
    if zeros > len(lines.ratings) / 2:
        raise ValueError(
            f"{text.name} has a row for each {across}, and {zeros} of its "
            f"{len(lines.ratings)} ratings are 0; if 0 says that there is none, "
            "leave those cells empty"
        )
    gaps = len(rows) * len(names) - len(lines.ratings)
    notes.append(
        f"The file has a row for each {across}, a column for each {down}; "
        f"{many(gaps, 'cell')} of it {'is' if gaps == 1 else 'are'} empty."
    )
    return lines


# ---- what they say ----


def _values(
    text: Text, lines: Lines, fields, only_pairs: bool, decimal, notes: list[str]
) -> np.ndarray:
    """The ratings as numbers (n,), NaN where there is none. Raises ValueError that quotes
    the first line without a user, an item or a rating."""
    if fields is None:
        form = FORM
        name = "rating"
    else:
        form = f"{fields[2]!r} must be a number, and no field empty"
        name = fields[2]
    for number, user, item in zip(lines.numbers, lines.users, lines.items, strict=True):
        if not user or not item:
            raise _fault(text, number, form)
    column = TextColumn(lines.ratings)
    if only_pairs and not column.counts:
        return np.full(len(lines.ratings), np.nan)
    with naming_the_file(text.name):
        read = read_columns({name: column}, text.mark, notes, decimal=decimal)
    values = read[name]
    if values.dtype != np.float64:
        bad = column.odd_row
        if bad is None:
            odd = [n for n, cell in enumerate(lines.ratings) if not _is_rating(cell)]
            bad = odd[0] if odd else 0  # or no line holds a rating
        raise _fault(text, lines.numbers[bad], form)
    has_none = ~np.isfinite(values)
    if has_none.any() and not only_pairs:
        raise _fault(text, lines.numbers[int(np.argmax(has_none))], form)
    values[has_none] = np.nan
    return values


def _fault(text: Text, number: int, words: str) -> ValueError:
    """An error that quotes the line of a number."""
    row = next(row for row in text.rows() if row.number == number)
    return text.fault(row, words)


def _no_rating(text: Text) -> ValueError:
    return ValueError(f"{text.name} holds no rating; {FORM}")


def _gathered(
    text: Text,
    lines: Lines,
    values: np.ndarray,
    repeated: str | None,
    only_pairs: bool,
    notes: list[str],
) -> Ratings:
    """The ratings by the numbers of users and items, each pair once."""
    users: dict[str, int] = {}
    items: dict[str, int] = {}
    ratings: dict[tuple[int, int], list[float]] = {}  # of each pair
    for number, user, item, value in zip(
        lines.numbers, lines.users, lines.items, values.tolist(), strict=True
    ):
        row = users.setdefault(user, len(users))
        col = items.setdefault(item, len(items))
        before = ratings.setdefault((row, col), [])
        if before and repeated is None and not np.isnan(value):
            raise ValueError(
                f"{text.name}, line {number}: user {user[:40]!r} rates item "
                f"{item[:40]!r} a second time; keep one of them, or add --repeated last "
                "for the last line, or --repeated mean"
            )
        before.append(value)
    if not ratings:
        raise _no_rating(text)
    more = len(values) - len(ratings)
    if more and repeated is not None:
        notes.append(
            f"{many(more, 'rating')} {'is' if more == 1 else 'are'} of a pair that has one "
            f"already; the {repeated} counts."
        )
    kept = [
        each[-1] if repeated != "mean" else sum(each) / len(each)
        for each in ratings.values()
    ]
    places = np.array([*ratings])
    values = np.array(kept)
    notes += _told_of_zeros(values)
    return Ratings([*users], [*items], places[:, 0], places[:, 1], values, notes)


def _told_of_zeros(values: np.ndarray) -> list[str]:
    """A sentence on ratings of 0 that may say "not rated": where 0 is the most frequent
    rating (n,), and stands below a scale that begins at 1 or above."""
    scale, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    is_apart = len(scale) > 2 and scale[0] == 0 and scale[1] >= 1
    if not is_apart or counts[0] <= counts[1:].max():
        return []
    return [
        f"0 is the most frequent rating, {counts[0]} of {counts.sum()}, and the others "
        f"begin at {scale[1]:g}; it is learned from as a rating. If it says that there is "
        "none, take out these lines (or empty these cells)."
    ]


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
        row = text.cut(row, len(users) + 1)
        item = row.cells[0]
        for user, cell in zip(users, row.cells[1:], strict=True):
            if cell not in ("0", "1"):
                raise ValueError(
                    f"{text.name}, line {row.number} ({item}), "
                    f"column {user!r} is {cell!r}, not 0 or 1"
                )
        items.append(item)
        table.append(row.cells[1:])
    if not users or not items:
        raise ValueError(
            f"{text.name} must have a tab-separated header of users, "
            "and an item on line 2"
        )
    return Items(np.array(table, dtype=np.uint8).T, items, users)
