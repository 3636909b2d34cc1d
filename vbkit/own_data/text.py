"""The reader of text: from a file to numbered rows of cells.

Tables, ratings and items are all read by it. It decides what a line and a cell are; what
the cells of a column mean is decided in `columns`.
"""

import csv
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import attrs

from vbkit.own_data.other_forms import EXCERPT, refuse_other_forms

LONGEST_LINE = 10_000_000  # characters
BLOCK = 1 << 20  # characters that are looked through at a time
SAMPLE = 100  # lines that tell the mark
HINT = re.compile(r'"?sep=(.)"?')  # a first line for spreadsheets, which names the mark
NUMBER_LIKE = re.compile(  # with money before it, or a short unit behind it
    r"[^\w\s]?\s*[-+]?(?:\d+(?:[.,]\d{3})*(?:[.,]\d*)?|[.,]\d+)"
    r"(?:[eE][-+]?\d+|[dD][-+]\d+)?\s*\D{0,3}"
)
BEGINNINGS = {  # marks of encodings; that of UTF-32 begins like that of UTF-16
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
FIRST_BYTES = 1_000  # that tell an encoding
END_OF_FILE = "\x1a"  # as DOS writes it, in a line of its own
FORMULA = re.compile(
    r'="(.*)"', re.DOTALL
)  # a text, as spreadsheets keep it from change
LINE_END = re.compile(r"\r\n?|\n")
PACKED = {  # first bytes of files that are no text
    b"PK\x03\x04": "a spreadsheet or an archive; save it as CSV",
    b"\xd0\xcf\x11\xe0": "a spreadsheet; save it as CSV",
    b"\x1f\x8b": "packed; unpack it first",
    b"BZh": "packed; unpack it first",
    b"\xfd7zXZ": "packed; unpack it first",
}
MISSING = {  # how programs write that there is no value
    *("", "NA", "N/A", "n/a", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "<NA>"),
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
    """A text that has been looked through.

    path: the file.
    encoding: that of its letters.
    mark: what stands between two cells of a row.
    width: how many cells most of the first rows have, without those at the end that are
        empty in all of them.
    filled: how many cells most of the first rows have up to the last one with a value.
    """

    path: Path
    encoding: str
    mark: str
    width: int
    filled: int

    @property
    def name(self) -> str:
        """The file's name, to be shown."""
        return shown_name(self.path)

    def rows(self, without_values: list[int] | None = None) -> Iterator[Row]:
        """Yield the rows that are not blank, one at a time.

        A cell in double quotes may hold the mark, line breaks and doubled quotes, unless
        the mark is "::". without_values: the numbers of lines that hold nothing but marks
        are added to it. Raises ValueError that names the line of an endless cell.
        """
        with self.path.open(encoding=self.encoding, newline="") as file:
            for number, cells in self._split(file):
                is_hint = number == 1 and HINT.fullmatch(self.mark.join(cells).strip())
                if is_hint or cells == [END_OF_FILE]:
                    continue
                if any(cells):
                    yield Row(number, cells)
                elif len(cells) > 1 and without_values is not None:
                    without_values.append(number)

    def _split(self, file) -> Iterator[tuple[int, list[str]]]:
        number = 0
        cells = [""]
        last = LastLine(file)
        try:
            for number, cells in split(last, self.mark):
                yield number, cells
        except csv.Error as error:  # a cell beyond csv's limit
            raise ValueError(f"{self.name}, line {number + 1}: {error}") from None
        is_long = bool(cells) and "\n" in cells[-1]
        if is_long and not last.line.rstrip().endswith('"'):
            raise ValueError(
                f"{self.name}, line {number}: a quote is opened there and never closed"
            )

    def quoted(self, row: Row) -> str:
        """The beginning of a row as it is quoted to the user."""
        return repr(self.mark.join(row.cells)[:EXCERPT])

    def fault(self, row: Row, words: str) -> ValueError:
        """An error that names the file and the line, quotes the row and says `words`."""
        return ValueError(
            f"{self.name}, line {row.number}: {self.quoted(row)}; {words}"
        )

    def cut(self, row: Row, width: int) -> Row:
        """A row with as many cells as the first line: without empty ones beyond, which a mark
        at the end of a line makes. Raises ValueError for any other row."""
        if len(row.cells) == width:
            return row
        if len(row.cells) < width or filled_width(row.cells) > width:
            raise self.misfit(row, width)
        return Row(row.number, row.cells[:width])

    def misfit(
        self, row: Row, width: int, others: str = "the first line has"
    ) -> ValueError:
        """An error that says how many cells a row has, how many `others` have, and what can
        be done."""
        words = f"it has {many(len(row.cells), 'field')}, {others} {width}"
        beyond = [cell for cell in row.cells[width:] if cell]
        if beyond:
            words += f": take out {some(beyond)}, name its column there"
            if self.mark != "::":
                words += f", or put a field that holds {self.mark!r} in double quotes"
        else:
            words += "; take it out, or write its mark for each field that is missing"
        return self.fault(row, words)

    def told_of_encoding(self, asked: str | None) -> list[str]:
        """A sentence on an encoding other than UTF-8, unless it was asked for."""
        if asked is not None or not self.encoding.startswith(("utf-16", "utf-32")):
            return []
        shown = self.encoding[:6].upper()
        if self.encoding == shown.lower():
            return [f"The file is read as {shown}."]
        return [
            f"The file is read as {shown}: it lacks the mark of it at its beginning, but "
            "every second byte is zero."
        ]

    def told_of_ends(self, count: int) -> list[str]:
        """A sentence on a number of lines that end in a mark with nothing behind it."""
        if not count:
            return []
        verb = "line ends" if count == 1 else "lines end"
        return [
            f"{count} {verb} in {self.mark!r} with nothing behind it; it is read as if it "
            "were not there."
        ]


class LastLine:
    """Yields lines, and keeps the last one."""

    def __init__(self, lines):
        self.lines = lines
        self.line = ""

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            self.line = line
            yield line


def look_through(path, marks: Sequence[str], encoding: str | None = None) -> Text:
    """Look through a text once, a block at a time, and find the mark between its cells.

    marks: those it may have; see `find_mark`.
    encoding: of its letters; None is UTF-8, or UTF-16 or UTF-32 if it begins as such a
        file does.

    Raises ValueError for a folder, a pipe, a text of another form (see `other_forms`), and
    a file that is empty, no text in its encoding, or has a zero byte or a line of more
    than `LONGEST_LINE` characters; OSError for one that cannot be read.
    """
    path = Path(path)
    name = shown_name(path)
    refuse_pipe(path)
    encoding = encoding or _encoding(path)
    try:
        head = _head(path, encoding)
    except UnicodeError:
        shown = "UTF-8" if encoding == "utf-8-sig" else encoding
        raise ValueError(
            f"{name} is not text in {shown}; save it in UTF-8, or name its encoding: "
            "--encoding cp1252, for instance"
        ) from None
    except LookupError:
        raise ValueError(f"there is no encoding {encoding!r} of text") from None
    if not head.strip():
        raise ValueError(f"{name} is empty")
    lines = head.lstrip("\r\n ").splitlines()[: SAMPLE + 1]
    refuse_other_forms(name, lines)
    mark = find_mark(lines, marks)
    rows = _sample(lines, mark)
    filled = [cells[: filled_width(cells)] for cells in rows]
    width = min(_typical_width(rows), max(map(len, filled), default=1))
    return Text(path, encoding, mark, width, _typical_width(filled))


def _head(path: Path, encoding: str) -> str:
    """The first block of a text, all of which is looked through. Raises ValueError for a
    zero byte and for a line that is too long, and as the encoding does."""
    head = ""
    length = 0  # of the line at which a block ends
    before = 0  # characters before a block
    with path.open(encoding=encoding, newline="") as file:
        for block in iter(lambda: file.read(BLOCK), ""):
            if "\0" in block:
                raise _zero_byte(path, encoding, before + block.index("\0"))
            before += len(block)
            head = head or block
            _, ended, rest = block.rpartition("\n")
            length = len(rest) if ended else length + len(rest)
            if length > LONGEST_LINE:
                raise ValueError(
                    f"{shown_name(path)} has a line of more than "
                    f"{LONGEST_LINE // 10**6} MB"
                )
    return head


def _encoding(path: Path) -> str:
    """The encoding that a file's first bytes tell. Raises ValueError for what is no
    text."""
    with path.open("rb") as file:
        start = file.read(FIRST_BYTES)
    for begin, words in PACKED.items():
        if start.startswith(begin):
            raise ValueError(f"{shown_name(path)} is {words}")
    for begin, encoding in BEGINNINGS.items():
        if start.startswith(begin):
            return encoding
    zeros = [start[place::2].count(0) for place in (0, 1)]
    if zeros[0] == 0 and zeros[1] > len(start) / 4:
        return "utf-16-le"
    if zeros[1] == 0 and zeros[0] > len(start) / 4:
        return "utf-16-be"
    return "utf-8-sig"


def _zero_byte(path: Path, encoding: str, place: int) -> ValueError:
    """The error of a text whose character number `place` is zero."""
    with path.open(encoding=encoding, newline="") as file:
        lines = LINE_END.split(file.read(place))
    return ValueError(
        f"{shown_name(path)}, line {len(lines)}: a zero byte stands behind "
        f"{lines[-1][:EXCERPT]!r}, and no text holds one: the file is damaged there (copy it "
        "again, or take this line out), or it is no text"
    )


def refuse_pipe(path: Path) -> None:
    """Raise ValueError for a folder, and for what can be read only once or never ends."""
    if path.is_dir():
        raise ValueError(f"cannot read {path}: it is a folder; name a file")
    if path.exists() and not path.is_file():
        raise ValueError(
            f"{path} is a pipe or device; save its content in a file first"
        )


# ---- cells ----


def split(lines, mark: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number, from 1, of the line in which each row begins, and its cells.

    Blanks around cells do not count. The mark " " stands for any blanks and tabs.
    """
    if mark == "::":
        for number, line in enumerate(lines, start=1):
            yield number, [cell.strip() for cell in line.split("::")]
        return
    if mark == " ":
        lines = (line.replace("\t", " ") for line in lines)
    reader = csv.reader(lines, delimiter=mark, skipinitialspace=True)
    number = 1
    for cells in reader:
        cells = [
            cell.strip() if cell[:2] != '="' else _without_formula(cell.strip())
            for cell in cells
        ]
        if mark == " " and cells and not cells[-1]:
            cells.pop()  # blanks at the end of a line
        yield number, cells
        number = reader.line_num + 1


def _without_formula(cell: str) -> str:
    """The text in a cell such as ="0012"."""
    match = FORMULA.fullmatch(cell)
    return cell if match is None else match[1].replace('""', '"').strip()


def find_mark(lines: Sequence[str], marks: Sequence[str]) -> str:
    """The mark between the cells of a text's first lines: the one that cuts most rows into
    the same number of cells, and leaves no other mark in most of them. The first of the
    best; the last one if none cuts a row.

    A hint to spreadsheets in the first line decides.
    """
    hint = HINT.fullmatch(lines[0].strip())
    if hint:
        return hint[1]
    best = marks[-1]
    highest = 0.0
    for mark in marks:
        score = _score(lines, mark, marks)
        if score > highest:
            best = mark
            highest = score
    return best


def _score(lines: Sequence[str], mark: str, marks: Sequence[str]) -> float:
    """How well a mark cuts lines: the share of rows with the usual number of cells, plus
    the share of cells in them that hold no other mark."""
    rows = _sample(lines, mark)
    width = _typical_width(rows)
    if width < 2:
        return 0.0
    usual = [cells for cells in rows if len(cells) == width]
    cells = [cell for row in usual for cell in row]
    whole = [cell for cell in cells if _is_whole(cell, marks)]
    score = len(usual) / len(rows) + len(whole) / len(cells)
    has_tabs = any("\t" in line for line in lines)
    if mark == " ":  # cuts names, too
        score -= 0.6 if has_tabs else 0.25
    if mark == "\t" and all(any(map(_is_run, row)) for row in usual):
        score -= 1.0  # blanks separate most cells
    return score


def _sample(lines: Sequence[str], mark: str) -> list[list[str]]:
    """The cells of the first rows that are not blank."""
    rows = []
    with suppress(csv.Error):  # a cell without end, which is told where rows are read
        for _, cells in split(lines, mark):
            if any(cells):
                rows.append(cells)
    return rows


def _typical_width(rows: list[list[str]]) -> int:
    """How many cells most rows have; the larger number if two are as frequent."""
    counts = Counter(map(len, rows))
    return max(counts, key=lambda width: (counts[width], width), default=1)


def filled_width(cells: Sequence[str]) -> int:
    """How many cells there are up to the last one with a value."""
    width = len(cells)
    while width and not cells[width - 1]:
        width -= 1
    return width


def _is_whole(cell: str, marks: Sequence[str]) -> bool:
    """Whether a cell is a number, or holds no other mark than a blank."""
    if is_number_like(cell):
        return True
    return not any(mark in cell for mark in marks if mark != " ")


def _is_run(cell: str) -> bool:
    """Whether a cell holds several words, most of them numbers."""
    parts = cell.split()
    numbers = [part for part in parts if is_number_like(part)]
    return len(parts) > 2 and len(numbers) > len(parts) / 2


def is_number_like(cell: str) -> bool:
    """Whether a cell is meant as a number, in any way of writing one."""
    return NUMBER_LIKE.fullmatch(cell) is not None


# ---- words for sentences ----


def many(count: int, noun: str) -> str:
    """A number of things in words: "1 row", "2 rows"."""
    return f"{count} {noun}{'s' * (count != 1)}"


def some(names: Sequence[str]) -> str:
    """The first eight of some names, in quotes, for a sentence."""
    quoted = ", ".join(map(repr, names[:8]))
    return quoted + (" ..." if len(names) > 8 else "")


def shown_name(path: Path) -> str:
    """The name of a file as it can be shown, whatever bytes it has."""
    return os.fsencode(path.name).decode("utf-8", "replace")


@contextmanager
def naming_the_file(name: str) -> Iterator[None]:
    """A block whose ValueErrors begin with the name of a file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def asking_for(option: str, names: Sequence[str]) -> str:
    """An option of the command line that names columns, as a shell takes it.

    Several names have commas between; one that holds a comma or a quote then stands in
    quotes, as in a CSV file.
    """
    parts = []
    for name in names:
        if len(names) > 1 and ("," in name or '"' in name):
            name = '"' + name.replace('"', '""') + '"'
        parts.append(name)
    text = ",".join(parts)
    quoted = f"'{text}'" if "'" not in text else shlex.quote(text)
    return f"{option}={quoted}" if text.startswith("-") else f"{option} {quoted}"
