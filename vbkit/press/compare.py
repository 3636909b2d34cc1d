"""Compare what a student's function gives with what is expected, and say what is wrong."""

import inspect
from collections.abc import Callable

import numpy as np

DIFFER = "The numbers differ."
LONG = 6  # an array with more entries is described by its shape


def call_in_words(name: str, reference: Callable, arguments: tuple) -> str:
    pairs = zip(inspect.signature(reference).parameters, arguments, strict=False)
    return f"{name}({', '.join(f'{word}={_show(value)}' for word, value in pairs)})"


def first_fault(calls: list, values: list, expected: list, rtol: float) -> str | None:
    """What is wrong at the first input where something is, None if nothing is."""
    single = not isinstance(expected[0], tuple)
    if single:
        values, expected = (
            [(value,) for value in values],
            [(value,) for value in expected],
        )
    faults = [_compare(*pair, rtol) for pair in zip(values, expected, strict=True)]
    wrong = [place for place, fault in enumerate(faults) if fault]
    if not wrong:
        return None
    first, (part, problem) = wrong[0], faults[wrong[0]]
    if problem == DIFFER:
        alike = [place for place in wrong if faults[place] == (part, DIFFER)]
        problem = _pattern([(values[n][part], expected[n][part]) for n in alike], rtol)
    right = (
        f"Right at {faults.count(None)} of {len(calls)} inputs. "
        if None in faults
        else ""
    )
    which = (
        "" if single or part < 0 else f"Value {part + 1} of {len(expected[first])}: "
    )
    if faults[first] == (part, DIFFER) and np.size(expected[first][part]) > LONG:
        difference = _one_entry(values[first][part], expected[first][part], rtol)
    else:
        given, due = (x[first][0] if single else x[first] for x in (values, expected))
        difference = f"{_show(given)}; expected {_show(due)}"
    return f"{right}{calls[first]} gives {difference}. {which}{problem}"


def _one_entry(value, due, rtol: float) -> str:
    """The first entry of an array that differs, given and expected."""
    place = tuple(map(int, np.argwhere(_apart(value, due, rtol))[0]))
    return (
        f"{_show(np.asarray(value)[place])} at {[*place]}; expected {_show(due[place])}"
    )


def _compare(value, expected: tuple, rtol: float) -> tuple[int, str] | None:
    """Which part of a value is wrong, and what is wrong with it; None if nothing."""
    if not isinstance(value, (tuple, list)) or len(value) != len(expected):
        return -1, f"These should be {len(expected)} values."
    for part, pair in enumerate(zip(value, expected, strict=True)):
        try:
            a, b = map(np.asarray, pair)
        except ValueError:
            return part, "The rows differ in length."
        if a.shape != b.shape:
            return part, f"The shape is {a.shape}, expected {b.shape}."
        numbers = {a.dtype.kind, b.dtype.kind} <= set("biufc")
        if _apart(a, b, rtol).any() if numbers else not np.array_equal(a, b):
            return part, DIFFER if numbers and b.dtype != bool else "They differ."
    return None


def _apart(value, due, rtol: float) -> np.ndarray:
    """Which numbers differ, relative to the largest expected; what should be zero may be off by
    rounding."""
    a, b = (
        np.asarray(value) + 0.0,
        np.asarray(due) + 0.0,
    )  # booleans and unsigned ones as floats
    atol = max(rtol * np.max(np.abs(b[np.isfinite(b)]), initial=0.0), 1e-13)
    return ~np.isclose(a, b, rtol=0.0, atol=atol, equal_nan=True)


def _pattern(pairs: list, rtol: float) -> str:
    """What is wrong in the same way with each pair (value, expected)."""
    pairs = [(np.ravel(value) + 0.0, np.ravel(due) + 0.0) for value, due in pairs]
    a, b = map(np.concatenate, zip(*pairs, strict=True))

    def all_close(left: Callable, right: Callable = lambda v, e: e) -> bool:
        return not any(_apart(left(v, e), right(v, e), rtol).any() for v, e in pairs)

    if not np.isfinite(a[np.isfinite(b)]).all():
        return "Not all of it is finite: a division by 0, or the logarithm of 0?"
    if all_close(lambda v, e: -v):
        return "The sign is wrong."
    if all_close(lambda v, e: np.sort(v), lambda v, e: np.sort(e)):
        return "These are the right numbers in another order."
    each = "Each is" if len(a) > 1 else "It is"
    if (
        np.isfinite(b).all() and np.ptp(b) > rtol * np.abs(b).max()
    ):  # one number fits any factor
        factor, shift = a @ b / (b @ b), np.mean(a - b)
        if abs(factor) > rtol and all_close(lambda v, e: v, lambda v, e: factor * e):
            return f"{each} {_show(factor)} times what is expected."
        if all_close(lambda v, e: v, lambda v, e: e + shift):
            return f"{each} too {'large' if shift > 0 else 'small'} by {_show(abs(shift))}."
    several = all(len(e) > 1 for _, e in pairs)
    if several and all_close(lambda v, e: v - v.mean(), lambda v, e: e - e.mean()):
        return "At each input, all are off by the same amount."
    some = several and all(v.any() for v, _ in pairs)
    if some and all_close(lambda v, e: v * (e @ e), lambda v, e: e * (v @ e)):
        return "At each input, all are off by the same factor."
    if (a > b).all():
        return f"{each} too large."
    return f"{each} too small." if (a < b).all() else DIFFER


def _show(value) -> str:
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_show, value))})"
    if isinstance(value, (float, np.floating)):
        return f"{value:.7g}"
    if isinstance(value, np.ndarray) and value.size > LONG:
        return f"an array of shape {value.shape}"
    if isinstance(value, (np.generic, np.ndarray)):
        return np.array2string(
            value, precision=6, threshold=12, edgeitems=2, separator=", "
        )
    return text if len(text := repr(value)) < 60 else f"{type(value).__name__}(...)"
