"""Timing in interleaved rounds, and the rows of the table."""

import math
import time
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

ROUNDS, WARM = 11, 1
FEW, MANY = 50, 5000  # data of a loop by hand, and of ours


@dataclass(frozen=True)
class Row:
    """One line of the table: a measured ratio, the paired median beside it, and its bar (at least
    or at most)."""

    name: str
    value: float
    paired: float = math.nan
    at_least: float | None = None
    at_most: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the bar is met; None without one."""
        if self.at_least is None and self.at_most is None:
            return None
        return (self.at_least or -math.inf) <= self.value <= (self.at_most or math.inf)

    def __str__(self) -> str:
        bar = (
            f">= {self.at_least:g}"
            if self.at_least
            else f"<= {self.at_most:g}"
            if self.at_most
            else ""
        )
        mark = {True: "met", False: "MISSED", None: ""}[self.met]
        numbers = f"{self.value:9.2f} {self.paired:9.2f}"
        return f"{self.name:54s} {numbers}   {bar:8s} {mark:7s} {self.note}"


def measure(**work: Callable[[], object]) -> dict[str, np.ndarray]:
    """Seconds (ROUNDS,) of each piece of work, all of them in every round, the order reversed
    from round to round."""
    seconds = {name: [] for name in work}
    for turn in range(WARM + ROUNDS):
        for name in list(work)[:: 1 if turn % 2 else -1]:
            start = time.perf_counter()
            work[name]()
            if turn >= WARM:
                seconds[name].append(time.perf_counter() - start)
    return {name: np.array(times) for name, times in seconds.items()}


def peak_memory(work: Callable[[], object]) -> float:
    """MiB that `work` holds at most, beyond what there was."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return peak


def ratio(name, above: np.ndarray, below: np.ndarray, **bar) -> Row:
    """The ratio of two lists of seconds (ROUNDS,): of their 20th percentiles, and the median of the
    paired ratios."""
    low_above, low_below = np.percentile(above, 20), np.percentile(below, 20)
    return Row(name, low_above / low_below, float(np.median(above / below)), **bar)


def agree(ours, theirs, **tolerance) -> None:
    """AssertionError unless both arrays are the same to the tolerances of `numpy.allclose`."""
    if not np.allclose(ours, theirs, **tolerance):
        raise AssertionError(
            "vbkit and what it is compared with disagree; nothing was timed"
        )


def least(name: str, seconds: np.ndarray, at_most: float | None) -> Row:
    """Milliseconds of one piece of work: the 20th percentile, and the median beside it."""
    return Row(
        name,
        1e3 * float(np.percentile(seconds, 20)),
        1e3 * float(np.median(seconds)),
        at_most=at_most,
    )


def settled(rows: Callable[[], list[Row]]) -> list[Row]:
    """A measurement, repeated (three times at most) while a ratio and its paired median differ by
    over 15 %."""
    for _ in range(3):
        measured = rows()
        if all(
            abs(math.log(row.value / row.paired)) < math.log(1.15) for row in measured
        ):
            break
    return measured


def each(rows: Callable[..., list[Row]], sizes) -> Callable[[], Iterable[Row]]:
    """A section: the settled rows of each size."""
    return lambda: (row for size in sizes for row in settled(partial(rows, *size)))


def data_point_rows(name: str, bars, **work: Callable[[], object]) -> list[Row]:
    """Ours against a loop by hand over FEW data and, where there is one, a limit, for MANY as
    ours."""
    t = measure(**work)
    loop, ours = t["loop"] / FEW, t["ours"] / MANY
    note = f"{np.median(ours) * 1e9:.0f} ns per data point"
    rows = [
        ratio(name.format("NumPy loop / ours"), loop, ours, at_least=bars[0], note=note)
    ]
    if "limit" in t:
        rows.append(
            ratio(
                name.format("ours / scalar limit"),
                ours,
                t["limit"] / MANY,
                at_most=bars[1],
            )
        )
    return rows
