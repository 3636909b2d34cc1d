"""Check a student's function: say what is wrong, recognise typical mistakes, hint when needed."""

import copy
import html
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

DIFFER = "The numbers differ."
PATIENCE = 2  # wrong tries before the hint is shown
LONG = 6  # an array with more entries is described by its shape


@dataclass(frozen=True, repr=False)
class Feedback:
    """What a check found: whether the function passed, the words for it, and a hint if it is due."""

    passed: bool
    message: str
    hint: str = ""

    def __repr__(self):
        return self.message + (f"\nHint: {self.hint}" if self.hint else "")

    def _repr_html_(self):
        colour, mark = ("#1b6e3c", "✓") if self.passed else ("#9a5b00", "✗")
        words = html.escape(repr(self)).replace("\n", "<br>")
        style = f"border-left: 4px solid {colour}; padding-left: .7em"
        return f'<div style="{style}">{mark} {words}</div>'


@dataclass
class Exercise:
    """One exercise; call it with the student's function to get Feedback.

    - reference: the correct function
    - inputs: a list of tuples of arguments, or a function rng -> tuple of arguments, which is
      called eight times with a fixed seed
    - mistakes: functions that make a typical mistake; the docstring of each is what a student who
      made the same one is told
    - hint: shown after the second wrong try
    - meaning: what a correct answer means; further: what to try next
    - rtol: agreement asked for, relative to the largest magnitude expected

    Raises ValueError without inputs, or for a mistake without a docstring.
    """

    reference: Callable
    inputs: Callable | list
    mistakes: tuple = ()
    hint: str = ""
    meaning: str = ""
    further: str = ""
    rtol: float = 1e-6
    tries: int = field(default=0, init=False)

    def __post_init__(self):
        if callable(self.inputs):
            self.inputs = list(map(self.inputs, [np.random.default_rng(0)] * 8))
        if not self.inputs:
            raise ValueError("inputs was empty: there is nothing to compare")
        if unexplained := [f.__name__ for f in self.mistakes if not f.__doc__]:
            raise ValueError(f"mistakes {unexplained} have no docstring to show to the student")

    def __call__(self, student: Callable) -> Feedback:
        """Compare the student's function with the reference; their exception is feedback."""
        name = getattr(student, "__name__", "the function")
        calls = [_call(name, self.reference, arguments) for arguments in self.inputs]
        values = []
        for call, arguments in zip(calls, self.inputs, strict=True):
            try:
                values.append(student(*copy.deepcopy(arguments)))
            except NotImplementedError:
                values.append(None)
            except Exception as error:  # whatever a student's code raises is what they are told
                return self._wrong(f"{call} raised {type(error).__name__}: {error}")
            if values[-1] is None or values[-1] is Ellipsis:
                words = f"Not yet: {name} returns nothing. Write it, then run this cell."
                return Feedback(False, words)
        expected = self._values(self.reference)
        fault = _first_fault(calls, values, expected, self.rtol)
        if fault is None:
            self.tries = 0
            return Feedback(True, " ".join(filter(None, self._praise())))
        recognised = next(filter(None, (self._recognise(m, values) for m in self.mistakes)), "")
        return self._wrong(f"{recognised}\n{fault}".strip())

    def _praise(self) -> tuple[str, ...]:
        agrees = f"Correct at all {len(self.inputs)} inputs."
        return agrees, self.meaning, self.further and f"Try next: {self.further}"

    def _values(self, function: Callable) -> list:
        return [function(*copy.deepcopy(arguments)) for arguments in self.inputs]

    def _wrong(self, message: str) -> Feedback:
        self.tries += 1
        return Feedback(False, message, self.hint if self.tries >= PATIENCE else "")

    def _recognise(self, mistake: Callable, values: list) -> str | None:
        """The words for a mistake if it gives the student's values at every input."""
        fault = _first_fault([""] * len(values), values, self._values(mistake), self.rtol)
        return None if fault else " ".join(mistake.__doc__.split())


def _call(name: str, reference: Callable, arguments: tuple) -> str:
    pairs = zip(inspect.signature(reference).parameters, arguments, strict=False)
    return f"{name}({', '.join(f'{word}={_show(value)}' for word, value in pairs)})"


def _first_fault(calls: list, values: list, expected: list, rtol: float) -> str | None:
    """What is wrong at the first input where something is, None if nothing is."""
    single = not isinstance(expected[0], tuple)
    if single:
        values, expected = [(value,) for value in values], [(value,) for value in expected]
    faults = [_compare(*pair, rtol) for pair in zip(values, expected, strict=True)]
    wrong = [place for place, fault in enumerate(faults) if fault]
    if not wrong:
        return None
    first, (part, problem) = wrong[0], faults[wrong[0]]
    if problem == DIFFER:
        alike = [place for place in wrong if faults[place] == (part, DIFFER)]
        problem = _pattern([(values[n][part], expected[n][part]) for n in alike], rtol)
    right = f"Right at {faults.count(None)} of {len(calls)} inputs. " if None in faults else ""
    which = "" if single or part < 0 else f"Value {part + 1} of {len(expected[first])}: "
    if faults[first] == (part, DIFFER) and np.size(expected[first][part]) > LONG:
        difference = _one_entry(values[first][part], expected[first][part], rtol)
    else:
        given, due = (x[first][0] if single else x[first] for x in (values, expected))
        difference = f"{_show(given)}; expected {_show(due)}"
    return f"{right}{calls[first]} gives {difference}. {which}{problem}"


def _one_entry(value, due, rtol: float) -> str:
    """The first entry of an array that differs, given and expected."""
    value, due = np.asarray(value), np.asarray(due)
    atol = max(rtol * np.max(np.abs(due[np.isfinite(due)]), initial=0.0), 1e-13)
    same = np.isclose(value, due, rtol=0.0, atol=atol, equal_nan=True)
    place = tuple(map(int, np.argwhere(~same)[0]))
    return f"{_show(value[place])} at {[*place]}; expected {_show(due[place])}"


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
        if not (_close(a, b, rtol) if numbers else np.array_equal(a, b)):
            return part, DIFFER if numbers and b.dtype != bool else "They differ."
    return None


def _close(a, b, rtol: float) -> bool:
    """Whether numbers agree, relative to the largest expected; what should be zero may be off by
    rounding."""
    a, b = np.asarray(a) + 0.0, np.asarray(b) + 0.0  # booleans and unsigned numbers as floats
    atol = max(rtol * np.max(np.abs(b[np.isfinite(b)]), initial=0.0), 1e-13)
    return np.allclose(a, b, rtol=0.0, atol=atol, equal_nan=True)


def _pattern(pairs: list, rtol: float) -> str:
    """What is wrong in the same way with each pair (value, expected)."""
    pairs = [(np.ravel(value) + 0.0, np.ravel(due) + 0.0) for value, due in pairs]
    a, b = map(np.concatenate, zip(*pairs, strict=True))

    def all_close(left: Callable, right: Callable = lambda v, e: e) -> bool:
        return all(_close(left(v, e), right(v, e), rtol) for v, e in pairs)

    if not np.isfinite(a[np.isfinite(b)]).all():
        return "Not all of it is finite: a division by 0, or the logarithm of 0?"
    if all_close(lambda v, e: -v):
        return "The sign is wrong."
    if all_close(lambda v, e: np.sort(v), lambda v, e: np.sort(e)):
        return "These are the right numbers in another order."
    each = "Each is" if len(a) > 1 else "It is"
    if np.isfinite(b).all() and np.ptp(b) > rtol * np.abs(b).max():  # one number fits any factor
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
        return np.array2string(value, precision=6, threshold=12, edgeitems=2, separator=", ")
    return text if len(text := repr(value)) < 60 else f"{type(value).__name__}(...)"
