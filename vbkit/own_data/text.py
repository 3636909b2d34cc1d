"""The reader of text: from a file to numbered rows of cells, and from a cell to a number.

Tables, ratings and items are all read by it. It decides what a line, a cell and a number
are; what the cells mean is decided where they are used.
"""

import csv
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import attrs

LONGEST_LINE = 10_000_000  # characters
BLOCK = 1 << 20  # characters that are looked through at a time
EXCERPT = 60  # characters of a row that an error quotes
QUOTED = re.compile(r'"(?:[^"]|"")*"')
NUMBER_LIKE = re.compile(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*")
MISSING = {  # how programs write that there is no value
    *("", "NA", "N/A", "n/a", "#NA", "#N/A", "#N/A N/A", "NULL", "null"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
}


class Row(NamedTuple):
    """A row of a text.

    number: of the line in which it begins, from 1.
    cells: its cells, without the blanks around them and the quotes.
    """

    number: int
    cells: list[str]


@attrs.frozen
class Text:
    """A text in UTF-8 that has been looked through.

    path: the file.
    mark: what stands between two cells of a row.
    head: its first characters, `BLOCK` of them at most.
    """

    path: Path
    mark: str
    head: str = attrs.field(repr=False)

    def rows(self) -> Iterator[Row]:
        """Yield the rows that are not blank, one at a time.

        A cell in double quotes may hold the mark, line breaks and doubled quotes, unless
        the mark is "::". Raises ValueError that names the line of an endless cell.
        """
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            split = self._split_at_colons if self.mark == "::" else self._split_at_mark
            for number, cells in split(file):
                cells = [cell.strip() for cell in cells]
                if self.mark == " " and cells and not cells[-1]:
                    cells.pop()  # blanks at the end of a line
                if any(cells) or len(cells) > 1:
                    yield Row(number, cells)

    def _split_at_colons(self, file) -> Iterator[tuple[int, list[str]]]:
        for number, line in enumerate(file, start=1):
            yield number, line.split("::")

    def _split_at_mark(self, file) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(file, delimiter=self.mark, skipinitialspace=True)
        number = 1
        try:
            for cells in reader:
                yield number, cells
                number = reader.line_num + 1
        except csv.Error as error:  # a cell beyond csv's limit
            raise ValueError(f"{self.path.name}, line {number}: {error}") from None

    def line(self, row: Row) -> str:
        """A row as it is quoted to the user."""
        return self.mark.join(row.cells)

    def fault(self, row: Row, words: str) -> ValueError:
        """An error that names the file and the line, quotes the row and says `words`."""
        excerpt = self.line(row)[:EXCERPT]
        return ValueError(f"{self.path.name}, line {row.number}: {excerpt!r}; {words}")

    def check_width(self, row: Row, width: int) -> None:
        """Raise ValueError unless a row has as many cells as the first line."""
        if len(row.cells) != width:
            count = many(len(row.cells), "field")
            raise self.fault(row, f"it has {count}, the first line has {width}")


def look_through(path, marks: Sequence[str]) -> Text:
    """Look through a text once, a block at a time, and find the mark between its cells.

    marks: those it may have; the first of them that its first line holds outside of
        quotes is taken, or the last one if it holds none.

    Raises ValueError for a folder, a pipe, and a file that is empty, no text in UTF-8, or
    has a line of more than `LONGEST_LINE` characters; OSError for one that cannot be read.
    """
    path = Path(path)
    refuse_pipe(path)
    head = ""
    length = 0  # of the line at which a block ends
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for block in iter(lambda: file.read(BLOCK), ""):
                if "\0" in block:
                    raise ValueError(f"{path.name} is not text (it holds zero bytes)")
                head = head or block
                _, ended, rest = block.rpartition("\n")
                length = len(rest) if ended else length + len(rest)
                if length > LONGEST_LINE:
                    raise ValueError(
                        f"{path.name} has a line of more than {LONGEST_LINE // 10**6} MB"
                    )
    except UnicodeDecodeError:
        raise ValueError(
            f"{path.name} is not text in UTF-8; save it in UTF-8"
        ) from None
    if not head.strip():
        raise ValueError(f"{path.name} is empty")
    return Text(path, find_mark(head.lstrip("\r\n ").splitlines()[0], marks), head)


def refuse_pipe(path: Path) -> None:
    """Raise ValueError for a folder, and for what can be read only once or never ends."""
    if path.is_dir():
        raise ValueError(f"cannot read {path}: it is a folder; name a file")
    if path.exists() and not path.is_file():
        raise ValueError(
            f"{path} is a pipe or device; save its content in a file first"
        )


def find_mark(line: str, marks: Sequence[str]) -> str:
    """The first of some marks that a line holds outside of quotes; the last if none."""
    plain = QUOTED.sub("", line)
    for mark in marks:
        if mark in plain:
            return mark
    return marks[-1]


def parse_number(cell: str, decimal_comma: bool = False) -> float | None:
    """The number in a cell: NaN for a missing one, None for a word."""
    if cell in MISSING:
        return math.nan
    if decimal_comma:
        if "." in cell:
            return None
        cell = cell.replace(",", ".")
    if "_" in cell:  # Python alone reads 1_0 as 10
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def is_number_like(cell: str) -> bool:
    """Whether a cell is meant as a number, with a decimal point or a decimal comma."""
    return NUMBER_LIKE.fullmatch(cell) is not None


def many(count: int, noun: str) -> str:
    """A number of things in words: "1 row", "2 rows"."""
    return f"{count} {noun}{'s' * (count != 1)}"


def some(names: Sequence[str]) -> str:
    """The first eight of some names, in quotes, for a sentence."""
    quoted = ", ".join(map(repr, names[:8]))
    return quoted + (" ..." if len(names) > 8 else "")
