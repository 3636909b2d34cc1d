"""Dates and times of day that stand in a table as text: which columns hold them, and
whether the rows follow one another in them."""

import re
from datetime import UTC, datetime
from itertools import product

import numpy as np

from vbkit.own_data.columns import FEW_ROWS, FEW_VALUES, TextColumn, most_categories
from vbkit.own_data.text import asking_for, some

DAYS = (
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%Y/%m/%d",
    "%d-%m-%Y",
    "%d-%b-%Y",
    "%d %b %Y",
    "%d. %b %Y",
    "%d. %B %Y",
)
SHORT_DAYS = "%d.%m.%y", "%m/%d/%y", "%d/%m/%y"
CLOCKS = "%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p", "%H:%M Uhr"
FRENCH = "%Hh%M"  # beside a day, for alone it might be anything
LIKE = re.compile(r"\d{4}|\d:\d\d|\d/\d\d?/\d|\d\d\.\d\d\.\d\d")  # no version, no 2:1
FALLS = 0.1  # share of steps back in time, up to which rows follow one another


def _forms() -> list[str]:
    """The ways of writing a day, a time of day, or both, but those of ISO 8601."""
    days = [*DAYS, *SHORT_DAYS]
    both = []
    for day, clock in product(days, (*CLOCKS, FRENCH)):
        both += [f"{day} {clock}", f"{day}, {clock}"]
    return [*days, *CLOCKS, *both]


FORMS = _forms()


def readings(column: TextColumn) -> list[np.ndarray]:
    """The moments (N,) in a column of dates or times of day, NaT where a cell is empty:
    an array for each way of writing them that reads all cells, for 6/3/2024 is in June or
    in March. Empty for a column of anything else."""
    cells = [*column.counts]
    if not cells or not all(map(LIKE.search, cells)):
        return []
    found = []
    for form in [None, *FORMS]:
        moments = {}
        for cell in cells:
            moment = _moment(cell, form)
            if moment is None:
                break
            moments[cell] = moment
        else:
            values = [moments.get(cell) for cell in column.cells]
            found.append(np.array(values, dtype="datetime64[us]"))
    return found


def _moment(cell: str, form: str | None) -> datetime | None:
    """The moment in a cell that is written in a form, None for that of ISO 8601; without
    its zone, in UTC if it has one. None where the form does not read it."""
    try:
        if form is not None:
            return datetime.strptime(cell, form)
        moment = datetime.fromisoformat(cell)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return moment
    return moment.astimezone(UTC).replace(tzinfo=None)


def rising(columns: dict[str, TextColumn], moments: dict) -> list[str]:
    """The names of columns in which the rows follow one another: whose moments rise, or
    rise as long as the cell of another such column, the day, stays the same.

    moments: the `readings` of each column, by its name.
    """
    names = []
    for name, each in moments.items():
        others = [columns[other].cells for other in moments if other != name]
        days = [np.array(cells) for cells in others]
        if any(_rises(values, days) for values in each):
            names.append(name)
    return names


def _rises(moments: np.ndarray, days: list[np.ndarray]) -> bool:
    """Whether moments (N,) hardly ever fall, but where one of the `days` (N,) ends."""
    seen = ~np.isnat(moments)
    steps = np.diff(moments[seen]).astype(float)
    if len(steps) < FEW_ROWS or not (steps > 0).any():
        return False
    if (steps < 0).mean() <= FALLS:
        return True
    for day in days:
        ends = day[seen][1:] != day[seen][:-1]
        within = steps[~ends]
        is_told = len(within) >= len(steps) / 2 and (within > 0).any()
        if is_told and (within < 0).mean() <= FALLS:
            return True
    return False


def told_of_times(
    times: dict[str, TextColumn], follow: list[str], *, is_kept: bool, is_new: bool
) -> list[str]:
    """Sentences on columns of dates or times of day by their names, and on those in which
    the rows `follow` one another. is_kept: whether the first stand beside the results.
    is_new: whether something is to be learned, so that there is a choice of columns."""
    notes = []
    if times:
        verb, they = ("hold", "they are") if len(times) > 1 else ("holds", "it is")
        verdict = "left out"
        if is_kept:
            verdict = "kept beside the results and not learned from"
            few = [name for name, column in times.items() if _may_be_categories(column)]
            if few and is_new:
                option = asking_for("--words", few)
                verdict += f" ({option} takes each cell as a category)"
        notes.append(
            f"{some([*times])} {verb} dates or times of day; {they} {verdict}."
        )
    if follow:
        notes.append(
            f"The rows follow one another in {some(follow)}: add "
            f"{asking_for('--sequences', follow[:1])} to find hidden states in them, and when "
            "they change; without it, their order has no part in what is learned."
        )
    return notes


def _may_be_categories(column: TextColumn) -> bool:
    """Whether a column has so few different cells that they can be learned from as
    categories."""
    return len(column.counts) <= most_categories(len(column.cells), FEW_VALUES)
