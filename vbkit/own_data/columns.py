"""What the cells of a column mean: numbers, in any of the ways in which people write
them, or words. Nothing else decides that.

A column of numbers has a style, the decimal point or the decimal comma, and may have an
affix, the same in all of its cells, such as "$" or "%". Where a column alone does not tell
its style ("1,234"), the other columns of the table do.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.own_data.text import MISSING, asking_for, some

STYLES = ("point", "comma")
MINUS = str.maketrans(dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d", "-"))
MONEY = r"[A-Z]{0,3}[$€£¥₹₩₽₺₫₱฿₪₴₦¢]|[A-Z]{3}|Rs\.?|kr\.?|zł"
UNIT = r"(?:[^\W\d_]|[°%‰$€£¥₹₩₽₺₫₱฿₪₴₦¢])[^\s\d()]{0,11}[23]?"
WITH_UNIT = re.compile(  # a number with money before, or a multiple or a unit behind it
    rf"-?(?:(?:{MONEY})\s*-?[\d.,]*\d\s*[kKmMbB]?[nN]?|-?[\d.,]*\d(?:[kKmMbB]|\s[^\W\d_]+))"
)
NAME_WITH_NUMBER = re.compile(r"([A-Z]+)\d+")  # NSW1, and money such as USD10
FORTRAN = re.compile(r"(?<=[\d.])[dD](?=[-+]\d+$)")  # what stands before an exponent
LARGEST_WHOLE = 2**53  # whole numbers up to this are kept to the last digit
FEW_ROWS = 9  # so few rows may be numbered, or rise, by chance
FEW_VALUES = 10  # different numbers in a column of flags, stars or grades, at most
# Different words in a column of categories, at most: countries, for instance.
LEVELS = 256
BLANKS = " \u00a0\u2009\u202f'\u2019"  # what stands between thousands beside , and .
NUMERAL = re.compile(
    rf"(?P<sign>[-+]?)\s*(?P<before>{MONEY})?\s*(?P<inner_sign>[-+]?)"
    rf"(?P<digits>[\d.,](?:[\d.,{BLANKS}]*[\d.,])?(?:[eE][-+]?\d+)?)"
    rf"\s*(?P<after>{UNIT})?"
)
NO_NUMBER = {  # what stands for a missing number, beside MISSING; small letters
    *("?", ".", "..", "...", "-", "--", "---", "—", "*", "**", "none", "nil"),
    *("n.a.", "n. a.", "n.d.", "nd", "k.a.", "k. a.", "missing", "unknown", "<na>"),
    *("inf", "-inf", "+inf", "infinity", "-infinity", "∞", "-∞", "nan", "na", "null"),
    *("#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!", "not available"),
}


def _style(decimal: str, thousands: str) -> re.Pattern:
    """Numbers with a decimal mark; thousands may be grouped by one mark or a blank."""
    grouped = (
        rf"[1-9]\d{{0,2}}(?P<mark>[{thousands}{BLANKS}])\d{{3}}(?:(?P=mark)\d{{3}})*"
    )
    indian = rf"[1-9]\d?(?:{thousands}\d{{2}})+{thousands}\d{{3}}"
    whole = rf"(?:{grouped}|{indian}|\d+)"
    fraction = rf"{decimal}\d*"
    return re.compile(rf"(?:{whole}(?:{fraction})?|{decimal}\d+)(?:[eE][-+]?\d+)?")


PATTERNS = {"point": _style(r"\.", ","), "comma": _style(",", r"\.")}
NO_MARKS = str.maketrans("", "", f",.{BLANKS}")
MARKS_TO_FLOAT = {
    "point": str.maketrans("", "", f",{BLANKS}"),
    "comma": str.maketrans(",", ".", f".{BLANKS}"),
}
DECIMAL_MARK = {"point": ".", "comma": ","}


class Numeral(NamedTuple):
    """A number as it is written: its digits with their marks, whether it is negative,
    and what stands before or behind it."""

    digits: str
    is_negative: bool
    affix: str

    def value(self, style: str) -> float | None:
        """The number, or None where the style does not read it."""
        if PATTERNS[style].fullmatch(self.digits) is None:
            return None
        size = float(self.digits.translate(MARKS_TO_FLOAT[style]))
        return -size if self.is_negative else size

    def is_grouped(self, style: str) -> bool:
        """Whether there are marks or blanks between its thousands."""
        others = self.digits.replace(DECIMAL_MARK[style], "")
        return others != others.translate(NO_MARKS)


def numeral(cell: str) -> Numeral | None:
    """The number in a cell as it is written; None for a word."""
    plain = FORTRAN.sub("e", cell.translate(MINUS))
    is_negative = False
    if plain.endswith(")") and plain.count("(") == 1:  # a loss, as bookkeepers write it
        plain = plain[:-1].replace("(", "")
        is_negative = True
    elif plain.endswith("-"):
        plain = plain[:-1]
        is_negative = True
    match = NUMERAL.fullmatch(plain)
    if match is None:
        return None
    signs = match["sign"] + match["inner_sign"] + "-" * is_negative
    affixes = [text for text in (match["before"], match["after"]) if text]
    if len(signs) > 1 or len(affixes) > 1:
        return None
    return Numeral(match["digits"], signs == "-", "".join(affixes))


@attrs.frozen(eq=False)
class TextColumn:
    """The cells of a column (N,) as they are written."""

    cells: list[str]

    @cached_property
    def plain(self) -> np.ndarray | None:
        """The numbers (N,) where all cells are written as programs write them, else
        None."""
        try:
            numbers = [float(cell) for cell in self.cells]
        except ValueError:
            return None
        if any("_" in cell for cell in self.cells):  # Python alone reads 1_0 as 10
            return None
        return np.array(numbers)

    @cached_property
    def counts(self) -> Counter:
        """How often there is each cell that has a value."""
        counts = Counter(self.cells)
        for cell in [*counts]:
            if is_no_number(cell):
                del counts[cell]
        return counts

    @cached_property
    def numerals(self) -> dict[str, Numeral]:
        """The different cells that are numbers by themselves."""
        found = {}
        for cell in self.counts:
            number = numeral(cell)
            if number is not None:
                found[cell] = number
        return found

    @cached_property
    def affix(self) -> str:
        """What most numbers have before or behind them."""
        if self.plain is not None:
            return ""
        affixes = Counter()
        for cell, number in self.numerals.items():
            affixes[number.affix] += self.counts[cell]
        return affixes.most_common(1)[0][0] if affixes else ""

    def values(self, style: str) -> dict[str, float]:
        """The number in each different cell that a style reads, with the affix of the
        others."""
        found = {}
        for cell, number in self.numerals.items():
            value = number.value(style)
            if value is not None and number.affix == self.affix:
                found[cell] = value
        return found

    @cached_property
    def by_style(self) -> dict[str, dict[str, float]]:
        """`values` of both styles."""
        return {style: self.values(style) for style in STYLES}

    @cached_property
    def styles(self) -> list[str]:
        """The styles that read all cells which have a value."""
        if not self.counts:
            return []
        return [
            style for style in STYLES if len(self.by_style[style]) == len(self.counts)
        ]

    @property
    def holds_numbers(self) -> bool:
        """Whether all cells that have a value are numbers."""
        return self.plain is not None or bool(self.styles)

    @cached_property
    def told_apart(self) -> list[str]:
        """The cells that both styles read, each as another number."""
        point, comma = self.by_style.values()
        return [cell for cell in point if comma.get(cell, point[cell]) != point[cell]]

    @cached_property
    def holds_names(self) -> bool:
        """Whether the cells are a few names with a digit, such as NSW1 and QLD1: several, each
        with one number only, and mostly repeated. Money would have several."""
        names = [NAME_WITH_NUMBER.fullmatch(cell) for cell in self.counts]
        if not all(names) or self.counts.total() < 2 * len(names):
            return False
        return 1 < len({match[1] for match in names}) == len(names)

    @cached_property
    def usual(self) -> dict[str, float]:
        """The numbers in the style that reads most cells, and these."""
        return max(self.by_style.values(), key=self._count)

    @cached_property
    def odd_row(self) -> int | None:
        """The first row without a number where most have one; None where all or few
        have."""
        return self._first_odd_row(self.usual)

    @cached_property
    def row_of_another_unit(self) -> int | None:
        """The first row with another unit than most numbers have, where most cells are
        numbers with units; None where they are not."""
        with_unit = [cell for cell in self.counts if WITH_UNIT.fullmatch(cell)]
        return self._first_odd_row(with_unit)

    def _first_odd_row(self, alike: Iterable[str]) -> int | None:
        """The first row that has none of the usual numbers, where most cells are like the
        given ones; None for a column that holds numbers, or names."""
        if self.holds_numbers or self.holds_names:
            return None
        if self._count(alike) <= self.counts.total() / 2:
            return None
        odd = {cell for cell in self.counts if cell not in self.usual}
        return next(row for row, cell in enumerate(self.cells) if cell in odd)

    def _count(self, different: Iterable[str]) -> int:
        """How many rows hold one of these different cells."""
        return sum(self.counts[cell] for cell in different)

    def might_hold(self, cell: str) -> bool:
        """Whether a cell is a number with the affix of this column's numbers."""
        number = numeral(cell)
        return number is not None and number.affix == self.affix

    def is_empty(self) -> bool:
        """Whether no cell has a value."""
        return all(is_no_value(cell) for cell in self.cells)

    def as_numbers(self, style: str) -> np.ndarray:
        """The numbers (N,), NaN where one is missing."""
        if self.plain is not None and style == "point":
            return self.plain
        values = self.by_style[style]
        return np.array([values.get(cell, np.nan) for cell in self.cells])

    def readings_as_numbers(self) -> list[np.ndarray]:
        """The numbers (N,), in each style that reads them all."""
        return [self.as_numbers(style) for style in self.styles]

    def as_words(self) -> np.ndarray:
        """The cells as they are written (N,), None where one is missing."""
        words = [None if is_no_value(cell) else cell for cell in self.cells]
        return np.array(words, dtype=object)

    def as_written(self) -> np.ndarray:
        """The cells as they are written (N,), "" where nothing is."""
        return np.array(self.cells)


def is_no_value(cell: str) -> bool:
    """Whether a cell says that there is no value, be it a word or a number."""
    return cell in MISSING or cell == "?"


def is_no_number(cell: str) -> bool:
    """Whether a cell, in a column of numbers, says that there is none."""
    plain = cell.translate(MINUS)
    return cell in MISSING or plain.lower() in NO_NUMBER


def is_limit(cell: str) -> bool:
    """Whether a cell says only that a number is below or above another: <0.02."""
    return (
        cell[:1] in ("<", ">", "≤", "≥") and numeral(cell.lstrip("<>≤≥= ")) is not None
    )


def most_categories(rows: int, few: int) -> int:
    """How many different words a column may have among so many rows. few: so many are never
    too many."""
    return max(few, min(LEVELS, rows // 2))


def is_code(cell: str) -> bool:
    """Whether a cell has a zero before a whole number, as codes have: 01234."""
    return cell.isdecimal() and len(cell) > 1 and cell[0] == "0"


def read_columns(
    columns: dict[str, TextColumn],
    mark: str,
    notes: list[str],
    *,
    decimal: str | None = None,
) -> dict[str, np.ndarray]:
    """Read columns by their names as numbers (float64, NaN where one is missing) or words
    (object, None where one is missing), (N,) each, and add to `notes` how.

    mark: what stands between the cells. decimal: the style of all numbers; None finds it.

    Raises ValueError where two readings are as good as each other, and where the style that
    was asked for does not read a column of numbers.
    """
    found = {}
    styles = {}
    if decimal is None:
        styles = _styles(columns, mark)
    else:
        for name, column in columns.items():
            if decimal in column.styles:
                styles[name] = decimal
            elif column.styles:
                raise _no_number_of(name, column, decimal)
    for name, column in columns.items():
        if name in styles:
            found[name] = column.as_numbers(styles[name])
        else:
            found[name] = column.as_words()
    notes += _told(columns, styles, is_asked=decimal is not None)
    notes += _without_gap_marks(columns, styles, found)
    return found


def _no_number_of(name: str, column: TextColumn, style: str) -> ValueError:
    """The error of a column of numbers, some of which are none in the style."""
    values = column.by_style[style]
    cell = next(cell for cell in column.counts if cell not in values)
    row = column.cells.index(cell) + 1
    return ValueError(
        f"column {name!r} has {cell!r} in row {row} of the data, which is no number with a "
        f"decimal {style}: leave out --decimal {style}, or add --words {name!r}"
    )


def _without_gap_marks(
    columns: dict[str, TextColumn], styles: dict[str, str], found: dict[str, np.ndarray]
) -> list[str]:
    """Take the marks of a missing number, such as "-", for missing in columns of words
    too, where a column of numbers of the same table has them; and say so.

    styles: of the columns of numbers. found: the values of all columns; it is changed.
    """
    first_with = {}  # the first column of numbers that has a mark
    for name in styles:
        for cell in set(columns[name].cells):
            if is_no_number(cell) and not is_no_value(cell):
                first_with.setdefault(cell, name)
    notes = []
    for name, column in columns.items():
        if name in styles:
            continue
        marks = sorted({cell for cell in column.cells if is_no_number(cell)})
        for mark in marks:
            if mark in first_with:
                is_gap = np.array([cell == mark for cell in column.cells])
                found[name][is_gap] = None
                notes.append(
                    f"{mark!r} in column {name!r} counts as missing, as it does in "
                    f"{first_with[mark]!r}; {asking_for('--words', [name])} keeps it as a "
                    "word."
                )
            elif not is_no_value(mark):
                notes.append(
                    f"{mark!r} in column {name!r} is taken as a word; if it means that "
                    "nothing is known, leave the cell empty."
                )
    return notes


def with_gaps(written: np.ndarray) -> np.ndarray:
    """Words (N,) as they are written, None where nothing is."""
    return np.array([cell or None for cell in written.tolist()], dtype=object)


def _styles(columns: dict[str, TextColumn], mark: str) -> dict[str, str]:
    """The style of each column of numbers."""
    others = {}
    styles = {}
    for name, column in columns.items():
        if column.plain is not None:
            styles[name] = "point"
        elif column.styles:
            others[name] = column
    if not others:
        return styles
    numbers = {name: columns[name] for name in [*styles, *others]}
    sure = {column.styles[0] for column in numbers.values() if len(column.styles) == 1}
    for name, column in numbers.items():
        styles[name] = column.styles[0]
        if len(column.styles) == 2 and column.told_apart:
            styles[name] = _likelier(name, column, mark, sure)
    return styles


def _likelier(name: str, column: TextColumn, mark: str, sure: set[str]) -> str:
    """The style of a column that both styles read.

    sure: the styles of the table's columns that only one style reads.
    """
    if len(sure) == 1:
        return next(iter(sure))
    cell = column.told_apart[0]
    if "," not in cell:
        return "point"  # 1.234
    if mark == ";":
        return "comma"
    if mark == "," or _has_small_wholes(column):
        return "point"
    row = column.cells.index(cell) + 1
    point, comma = (column.by_style[style][cell] for style in STYLES)
    raise ValueError(
        f"{cell!r} in row {row} of column {name!r} is {point:.15g} or {comma:.15g}: "
        "add --decimal point, or --decimal comma"
    )


def _has_small_wholes(column: TextColumn) -> bool:
    """Whether numbers without a mark are below 1,000, so that the marks of others are
    those of thousands."""
    unmarked = [number.digits for number in column.numerals.values()]
    unmarked = [digits for digits in unmarked if digits.isdecimal()]
    return bool(unmarked) and all(len(digits) <= 3 for digits in unmarked)


# ---- what is said of it ----


def _told(
    columns: dict[str, TextColumn], styles: dict[str, str], is_asked: bool
) -> list[str]:
    """A sentence for each way of writing numbers that programs do not have."""
    examples = {}  # the first example of each way
    names = {}  # the columns that are written so
    notes = []
    for name, style in styles.items():
        column = columns[name]
        if column.plain is not None and style == "point":
            if any(map(is_code, column.cells)):
                notes.append(
                    f"Cells of column {name!r} begin with 0, as codes do; they are "
                    "taken as numbers. --leave-out it if it is a code, or make it "
                    "--labels or --words."
                )
            continue
        ways = _ways(column, style)
        if ways:
            way = " and ".join(ways)
            examples.setdefault(way, _example(column, style, is_asked))
            names.setdefault(way, []).append(name)
    for way, example in examples.items():
        several = len(names[way]) > 1
        subject = f"Column{'s' * several} {some(names[way])}"
        notes.append(f"{subject} {'are' if several else 'is'} read {way}: {example}.")
    return notes


def _ways(column: TextColumn, style: str) -> list[str]:
    """How numbers of a column are written, besides as programs write them."""
    numbers = column.numerals.values()
    ways = []
    if style == "comma" and any("," in number.digits for number in numbers):
        ways.append("with a decimal comma")
    if any(number.is_grouped(style) for number in numbers):
        ways.append("with marks between thousands")
    if column.affix:
        ways.append(f"without {column.affix!r}")
    if any(FORTRAN.search(cell) for cell in column.numerals):
        ways.append("with Fortran's D before the exponent")
    negative = [cell for cell, number in column.numerals.items() if number.is_negative]
    if any("-" not in cell.rstrip("-") for cell in negative):
        ways.append("with another sign for minus")
    return ways


def _example(column: TextColumn, style: str, is_asked: bool) -> str:
    """A cell, the number that it is read as, and the one it might be."""
    values = column.by_style[style]
    if column.told_apart and len(column.styles) == 2 and not is_asked:
        cell = column.told_apart[0]
        other = STYLES[1 - STYLES.index(style)]
        value = column.by_style[other][cell]
        instead = f" (--decimal {other} reads it as {value:.15g})"
    else:
        cell = max(values, key=_strangeness)
        instead = ""
    return f"{cell!r} is {values[cell]:.15g}{instead}"


def _strangeness(cell: str) -> int:
    """How many characters of a cell are no digits."""
    return sum(not letter.isdecimal() for letter in cell)
