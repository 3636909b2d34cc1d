"""Exercises: what is wrong with a student's function, typical mistakes, hints.

An Exercise calls the student's function at several inputs and compares what it gives
with what is expected. Its feedback says what is wrong in the same way at all of them,
if anything is: a sign, a factor, an order.
"""

import copy
import html
import inspect
from collections.abc import Callable

import attrs
import numpy as np

PATIENCE = 2  # wrong tries before the hint is shown
INPUTS = 8  # drawn where an exercise draws its inputs
LONG = 6  # an array with more entries is described by its shape
LONG_TEXT = 60  # letters; a longer argument is named by its type
ROUNDING = 1e-13  # what should be zero may be off by this much
DIFFER = "The numbers differ."


@attrs.frozen(repr=False)
class Feedback:
    """Whether a student's function passed, words for it, and a hint if it is due."""

    passed: bool
    message: str
    hint: str = ""

    def __repr__(self):
        return f"{self.message}\nHint: {self.hint}" if self.hint else self.message

    def _repr_html_(self):
        colour = "#1b6e3c" if self.passed else "#9a5b00"
        mark = "✓" if self.passed else "✗"
        text = html.escape(repr(self)).replace("\n", "<br>")
        style = f"border-left: 4px solid {colour}; padding-left: .7em"
        return f'<div style="{style}">{mark} {text}</div>'


@attrs.define
class Exercise:
    """One exercise; call it with the student's function to get Feedback.

    - reference: the correct function
    - inputs: a list of tuples of arguments, or a function rng -> tuple of arguments,
      which is called eight times with a fixed seed
    - mistakes: functions that make a typical mistake; the docstring of each is what a
      student who made the same one is told
    - hint: shown after the second wrong try
    - meaning: what a correct answer means; further: what to try next
    - rtol: agreement asked for, relative to the largest magnitude expected
    - tries: wrong ones since the last right one

    Raises ValueError without inputs, or for a mistake without a docstring.
    """

    reference: Callable
    inputs: Callable | list
    mistakes: tuple = ()
    hint: str = ""
    meaning: str = ""
    further: str = ""
    rtol: float = 1e-6
    tries: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self):
        if callable(self.inputs):
            rng = np.random.default_rng(0)
            self.inputs = [self.inputs(rng) for _ in range(INPUTS)]
        if not self.inputs:
            raise ValueError("inputs was empty: there is nothing to compare")
        unexplained = [
            mistake.__name__ for mistake in self.mistakes if not mistake.__doc__
        ]
        if unexplained:
            raise ValueError(
                f"mistakes {unexplained} have no docstring to show to the student"
            )

    def __call__(self, student: Callable) -> Feedback:
        """Compare a student's function with the reference; report exceptions too."""
        name = getattr(student, "__name__", "the function")
        calls = [_call_as_text(name, self.reference, each) for each in self.inputs]
        values = []
        for call, arguments in zip(calls, self.inputs, strict=True):
            try:
                value = student(*copy.deepcopy(arguments))
            except NotImplementedError:
                value = None
            # Whatever a student's code raises, they are told.
            except Exception as error:
                return self._wrong(f"{call} raised {type(error).__name__}: {error}")
            if value is None or value is Ellipsis:
                return Feedback(
                    False,
                    f"Not yet: {name} returns nothing. Write it, then run this cell.",
                )
            values.append(value)
        expected = self._values(self.reference)
        faults = _faults(values, expected, self.rtol)
        if not any(faults):
            self.tries = 0
            return Feedback(True, self._praise())
        fault = _first_fault(calls, values, expected, faults, self.rtol)
        recognised = self._recognised(values)
        return self._wrong(f"{recognised}\n{fault}" if recognised else fault)

    def _praise(self) -> str:
        sentences = [f"Correct at all {len(self.inputs)} inputs."]
        if self.meaning:
            sentences.append(self.meaning)
        if self.further:
            sentences.append(f"Try next: {self.further}")
        return " ".join(sentences)

    def _wrong(self, message: str) -> Feedback:
        self.tries += 1
        return Feedback(False, message, self.hint if self.tries >= PATIENCE else "")

    def _values(self, function: Callable) -> list:
        """What a function gives at each input."""
        return [function(*copy.deepcopy(arguments)) for arguments in self.inputs]

    def _recognised(self, values: list) -> str:
        """The words for the mistake, if any, that gives these values throughout."""
        for mistake in self.mistakes:
            if not any(_faults(values, self._values(mistake), self.rtol)):
                return " ".join(mistake.__doc__.split())
        return ""


@attrs.frozen
class Fault:
    """What is wrong with a value, and with which part where a tuple is expected."""

    problem: str
    part: int | None = None

    def of(self, value):
        """What of a value is wrong: a part of it, or the whole."""
        return value if self.part is None else value[self.part]


def _faults(values: list, expected: list, rtol: float) -> list[Fault | None]:
    """What is wrong at each input, None where nothing is.

    values: what a function gives at each input; expected: what it should give, a number,
    an array or a tuple of them. rtol: agreement asked for, relative to the largest
    magnitude expected.
    """
    pairs = zip(values, expected, strict=True)
    return [_fault(value, due, rtol) for value, due in pairs]


def _first_fault(
    calls: list[str],
    values: list,
    expected: list,
    faults: list[Fault | None],
    rtol: float,
) -> str:
    """What is wrong at the first input where something is, in words.

    calls: the call at each input, as text; the others as in `_faults`.
    """
    wrong = [place for place, fault in enumerate(faults) if fault]
    first = wrong[0]
    fault = faults[first]
    problem = fault.problem
    difference = f"{_as_text(values[first])}; expected {_as_text(expected[first])}"
    if problem == DIFFER:
        pairs = [
            (fault.of(values[place]), fault.of(expected[place]))
            for place in wrong
            if faults[place] == fault
        ]
        problem = _pattern(pairs, rtol)
        value, due = pairs[0]
        if np.size(due) > LONG:
            difference = _first_entry(value, due, rtol)
    right = faults.count(None)
    praise = f"Right at {right} of {len(calls)} inputs. " if right else ""
    which = ""
    if fault.part is not None:
        which = f"Value {fault.part + 1} of {len(expected[first])}: "
    return f"{praise}{calls[first]} gives {difference}. {which}{problem}"


def _fault(value, expected, rtol: float) -> Fault | None:
    """What is wrong at one input; None if nothing is."""
    if not isinstance(expected, tuple):
        problem = _problem(value, expected, rtol)
        return Fault(problem) if problem else None
    if not isinstance(value, tuple | list) or len(value) != len(expected):
        return Fault(f"These should be {len(expected)} values.")
    for part in range(len(expected)):
        problem = _problem(value[part], expected[part], rtol)
        if problem:
            return Fault(problem, part)
    return None


def _problem(value, expected, rtol: float) -> str | None:
    """What is wrong with one number or array; None if nothing is."""
    try:
        given = np.asarray(value)
        due = np.asarray(expected)
    except ValueError:
        return "The rows differ in length."
    if given.shape != due.shape:
        return f"The shape is {given.shape}, expected {due.shape}."
    if not {given.dtype.kind, due.dtype.kind} <= set("biufc"):
        return None if np.array_equal(given, due) else "They differ."
    if not _apart(given, due, rtol).any():
        return None
    return "They differ." if due.dtype == bool else DIFFER


def _apart(value, due, rtol: float) -> np.ndarray:
    """Which numbers differ by more than rtol times the largest expected one.

    What should be zero may be off by rounding.
    """
    given = np.asarray(value) + 0.0  # truth values and unsigned integers, too
    expected = np.asarray(due) + 0.0
    largest = np.max(np.abs(expected[np.isfinite(expected)]), initial=0.0)
    atol = max(rtol * largest, ROUNDING)
    return ~np.isclose(given, expected, rtol=0.0, atol=atol, equal_nan=True)


def _pattern(pairs: list[tuple], rtol: float) -> str:
    """What is wrong in the same way with each pair (value, expected)."""
    flat = [(np.ravel(value) + 0.0, np.ravel(due) + 0.0) for value, due in pairs]
    values = np.concatenate([value for value, _ in flat])
    expected = np.concatenate([due for _, due in flat])

    def agree(change: Callable) -> bool:
        """Whether all pairs agree after a change (value, due) -> the two, changed."""
        changed = [change(value, due) for value, due in flat]
        return not any(_apart(value, due, rtol).any() for value, due in changed)

    if not np.isfinite(values[np.isfinite(expected)]).all():
        return "Not all of it is finite: a division by 0, or the logarithm of 0?"
    if agree(lambda value, due: (-value, due)):
        return "The sign is wrong."
    if agree(lambda value, due: (np.sort(value), np.sort(due))):
        return "These are the right numbers in another order."
    each = "Each is" if len(values) > 1 else "It is"
    # One number fits any factor and any shift, so the expected ones must vary.
    if np.isfinite(expected).all() and np.ptp(expected) > rtol * np.abs(expected).max():
        factor = values @ expected / (expected @ expected)
        shift = np.mean(values - expected)
        if abs(factor) > rtol and agree(lambda value, due: (value, factor * due)):
            return f"{each} {_as_text(factor)} times what is expected."
        if agree(lambda value, due: (value, due + shift)):
            direction = "large" if shift > 0 else "small"
            return f"{each} too {direction} by {_as_text(abs(shift))}."
    if all(len(due) > 1 for _, due in flat):
        if agree(lambda value, due: (value - value.mean(), due - due.mean())):
            return "At each input, all are off by the same amount."
        # a factor of each input's own, value @ due / (due @ due), without dividing by zero
        if all(value.any() for value, _ in flat) and agree(
            lambda value, due: (value * (due @ due), due * (value @ due))
        ):
            return "At each input, all are off by the same factor."
    if (values > expected).all():
        return f"{each} too large."
    if (values < expected).all():
        return f"{each} too small."
    return DIFFER


def _first_entry(value, due: np.ndarray, rtol: float) -> str:
    """The first entry of an array that differs, given and expected."""
    place = tuple(np.argwhere(_apart(value, due, rtol))[0].tolist())
    given = _as_text(np.asarray(value)[place])
    return f"{given} at {[*place]}; expected {_as_text(due[place])}"


def _call_as_text(name: str, reference: Callable, arguments: tuple) -> str:
    """A call with its arguments by name, as the reference calls them."""
    names = inspect.signature(reference).parameters
    pairs = [
        f"{parameter}={_as_text(value)}"
        for parameter, value in zip(names, arguments, strict=False)
    ]
    return f"{name}({', '.join(pairs)})"


def _as_text(value) -> str:
    """A value in few letters."""
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_as_text, value))})"
    if isinstance(value, float | np.floating):
        return f"{value:.7g}"
    if isinstance(value, np.ndarray) and value.size > LONG:
        return f"an array of shape {value.shape}"
    if isinstance(value, np.generic | np.ndarray):
        return np.array2string(
            value, precision=6, threshold=12, edgeitems=2, separator=", "
        )
    text = repr(value)
    return text if len(text) < LONG_TEXT else f"{type(value).__name__}(...)"
