"""Rows that follow one another: where a new sequence begins, and the stays in one state."""

from typing import NamedTuple, Self

import attrs
import numpy as np

from vbkit.own_data.columns import is_no_value
from vbkit.own_data.text import asking_for, many, some

LEAP = 10  # usual steps of a clock, beyond which a new sequence begins
BACK = 0.4  # share of steps back, beyond which there is no clock
RISING = 0.9  # share of steps up, beyond which a column counts
FEW_STEPS = 9  # so few steps may go up by chance
ROUNDING = 1e-6  # of a leap that is exactly so long, in numbers
SHORT_RUN = 10  # rows of the same word, beyond which they may be a sequence
MOST_RUNS = 3  # of each word, where it may name sequences


@attrs.frozen(eq=False)
class Sequences:
    """Which of N rows follow one another.

    places: which sequence each row is in, from 0 on (N,).
    name: of the column that tells where a new one begins; "" if all rows are one.
    cells: what this column holds in each row, as it is written (N,); None if there is none.
    is_clock: whether it holds moments, or numbers, that differ from row to row.
    back: the share of steps in which these fall.
    """

    places: np.ndarray
    name: str = ""
    cells: np.ndarray | None = None
    is_clock: bool = False
    back: float = 0.0

    @property
    def lengths(self) -> np.ndarray:
        """How many rows each sequence has (n,)."""
        return np.bincount(self.places)

    @property
    def ends(self) -> np.ndarray:
        """The number of the row behind the last one of each sequence (n,)."""
        return np.cumsum(self.lengths)

    @property
    def begins(self) -> np.ndarray:
        """The number of the first row of each sequence (n,)."""
        return self.ends - self.lengths

    @property
    def have_names(self) -> bool:
        """Whether a column names them."""
        return self.cells is not None and not self.is_clock

    @property
    def option(self) -> str:
        """What asks the command for them."""
        if self.cells is None:
            return "--in-order"
        return asking_for("--sequences", [self.name])

    def take(self, is_kept: np.ndarray) -> Self:
        """Those of the rows that are kept (N,), whose neighbours then follow one another."""
        _, places = np.unique(self.places[is_kept], return_inverse=True)
        cells = None if self.cells is None else self.cells[is_kept]
        return attrs.evolve(self, places=places, cells=cells)

    def is_counter(self, column) -> bool:
        """Whether a column of N cells holds numbers that rise in nearly every step within
        sequences and fall in none, as clocks and counters do."""
        for numbers in column.readings_as_numbers():
            seen = ~np.isnan(numbers)
            is_within = np.diff(self.places[seen]) == 0
            steps = np.diff(numbers[seen])[is_within]
            rises = len(steps) > FEW_STEPS and (steps > 0).mean() > RISING
            if rises and (steps >= 0).all():
                return True
        return False

    def told(self) -> str:
        """Sentences on how many there are, where they begin, and how long they are."""
        lengths = self.lengths
        if self.cells is None:
            return (
                f"All {many(len(self.places), 'row')} are one sequence, in their order."
            )
        rule = f"where {self.name!r} changes"
        if self.is_clock:
            rule = f"where {self.name!r} goes back, or leaps by more than {LEAP} usual steps"
        return (
            f"The rows form {many(len(lengths), 'sequence')}, the shortest of "
            f"{many(int(lengths.min()), 'row')}, the longest of {lengths.max()}: a new one "
            f"begins {rule}. They begin at {some(self.cells[self.begins].tolist())}."
        )

    def check(self) -> None:
        """Raise ValueError where a clock is none, or runs backwards, and where most sequences
        have one row, so that nothing follows."""
        if self.back > BACK:
            raise ValueError(
                f"{self.name!r} goes back in {self.back:.0%} of its steps, as no clock does; "
                "if the newest rows come first, sort them so that the oldest do, or else name "
                "another column"
            )
        told = told_of_single_rows(self.lengths)
        if told:
            raise ValueError(
                f"{told}, for {self.name!r} is another in nearly every row; so nothing "
                "follows. Name a column that stays the same within a sequence, or one of "
                "dates, times or numbers that rise; --in-order takes all rows as one "
                "sequence"
            )


def as_arguments(sequences: Sequences | None) -> dict[str, np.ndarray]:
    """What an estimator is told of sequences, if there are any."""
    return {} if sequences is None else {"lengths": sequences.lengths}


def told_of_single_rows(lengths: np.ndarray) -> str:
    """How many sequences have one row, in words, where most of several do; "" where not."""
    single = int((lengths == 1).sum())
    if len(lengths) < 2 or single <= len(lengths) / 2:
        return ""
    return f"{single} of {len(lengths)} sequences have one row"


# ---- where sequences begin ----


def in_order(count: int) -> Sequences:
    """One sequence of all rows."""
    return Sequences(np.zeros(count, dtype=int))


def sequences_by(
    name: str, column, moments: list[np.ndarray], is_word: bool
) -> Sequences:
    """The sequences that a column tells: a new one begins where its cell changes, or, if it
    holds a clock, where that goes back or leaps.

    moments: the `times.readings` of the column. is_word: whether its cells count as they
    are written. Raises ValueError for a cell without value where cells are names.
    """
    cells = column.as_written()
    clocks = []
    if not is_word:
        clocks = [*map(_as_numbers, moments), *column.readings_as_numbers()]
    tried = []
    for clock in clocks:
        if _is_clock(clock):
            falls, leaps = _falls_and_leaps(clock)
            back = falls.sum() / (len(cells) - 1)
            places = np.cumsum(falls | leaps)
            tried.append(Sequences(places, name, cells, True, float(back)))
    if tried:
        return min(tried, key=lambda each: len(each.lengths))
    lacks = np.array([is_no_value(cell) for cell in cells.tolist()])
    if lacks.any():
        raise ValueError(
            f"column {name!r} has no value in row {np.argmax(lacks) + 1} of the data, where "
            "--sequences needs the name of a sequence; write it into each of its rows"
        )
    changes = cells[1:] != cells[:-1]
    return Sequences(np.append(0, np.cumsum(changes)), name, cells)


def _as_numbers(moments: np.ndarray) -> np.ndarray:
    """Moments (N,) as numbers that rise with time, NaN where there is none."""
    return np.where(np.isnat(moments), np.nan, moments.astype(float))


def _is_clock(clock: np.ndarray) -> bool:
    """Whether numbers (N,) differ from row to row, and not only now and then."""
    steps = np.diff(clock[~np.isnan(clock)])
    return len(steps) > 0 and bool((steps != 0).mean() > 0.5)


def _falls_and_leaps(clock: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Before which rows (N,) a clock goes back, and before which it leaps. A row without
    a number stays with those before it."""
    seen = np.flatnonzero(~np.isnan(clock))
    steps = np.diff(clock[seen])
    falls = np.zeros(len(clock), dtype=bool)
    falls[seen[1:]] = steps < 0
    usual = np.median(np.abs(steps[steps != 0]))
    leaps = np.zeros(len(clock), dtype=bool)
    leaps[seen[1:]] = steps > LEAP * usual * (1 + ROUNDING)
    return falls, leaps


def told_of_runs(cells: dict[str, np.ndarray]) -> list[str]:
    """A sentence on a column of words that may name sequences, for they come in few long
    runs each, where all other columns (N,) are numbers."""
    words = [name for name, values in cells.items() if values.dtype.kind in "UO"]
    if len(words) != 1 or len(cells) < 2:
        return []
    (name,) = words
    values = cells[name]
    runs = 1 + int((values[1:] != values[:-1]).sum())
    different = len(set(values.tolist()))
    if different < 2 or runs > MOST_RUNS * different or runs * SHORT_RUN > len(values):
        return []
    return [
        f"The words of {name!r} come in {runs} runs of many rows. If the rows of a run "
        f"follow one another in time, add {asking_for('--sequences', [name])} to find "
        "hidden states in them, and when they change."
    ]


# ---- stays ----


class Stay(NamedTuple):
    """Rows of a sequence that follow one another in the same state.

    sequence, state: their numbers, from 0 on. first, last: the numbers of its rows.
    """

    sequence: int
    state: int
    first: int
    last: int

    @property
    def rows(self) -> int:
        """How many rows it lasts."""
        return self.last - self.first + 1


def stays(path: np.ndarray, lengths: np.ndarray) -> list[Stay]:
    """The stays of a path of states (N,) through sequences of these lengths (n,)."""
    places = np.repeat(np.arange(len(lengths)), lengths)
    is_new = (np.diff(path) != 0) | (np.diff(places) != 0)
    firsts = np.append(0, np.flatnonzero(is_new) + 1)
    lasts = np.append(firsts[1:], len(path)) - 1
    found = []
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        found.append(Stay(int(places[first]), int(path[first]), first, last))
    return found
