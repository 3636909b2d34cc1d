"""Feedback on a student's function: which input, what came out, what was expected, and a hint."""

from __future__ import annotations

import copy
import html
import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, repr=False)
class Feedback:
    """What a check found: whether the function passed, the words for it, and a hint if not."""

    passed: bool
    message: str
    hint: str = ""

    def __repr__(self):
        return self.message + (f"\nHint: {self.hint}" if self.hint else "")

    def _repr_html_(self):
        colour, mark = ("#1b6e3c", "✓") if self.passed else ("#9a5b00", "✗")
        words = html.escape(repr(self)).replace("\n", "<br>")
        return f'<div style="border-left: 4px solid {colour}; padding-left: .7em">{mark} {words}</div>'


def check_exercise(
    student_function: Callable,
    reference_function: Callable,
    inputs: Callable | list,
    hint: str = "",
    rtol: float = 1e-6,
    trials: int = 8,
) -> Feedback:
    """Compare a student's function with the reference at several inputs; an exception of theirs is feedback.

    inputs: a list of tuples of arguments, or a function rng -> tuple of arguments, called `trials` times with
    a fixed seed. rtol: agreement, relative to the largest magnitude expected. ValueError without any inputs.
    """
    if callable(inputs):
        rng = np.random.default_rng(0)
        inputs = [inputs(rng) for _ in range(trials)]
    if not inputs:
        raise ValueError("inputs was empty: there is nothing to compare")
    if not callable(student_function):
        return Feedback(False, f"This must be a function; it is a {type(student_function).__name__}.", hint)
    name = getattr(student_function, "__name__", "the function")
    for number, arguments in enumerate(inputs):
        call = f"{name}({_show_arguments(reference_function, arguments)})"
        expected = reference_function(*copy.deepcopy(arguments))
        try:
            value = student_function(*copy.deepcopy(arguments))
        except NotImplementedError:
            value = None
        except Exception as error:  # whatever a student's code raises is what the student is told
            return Feedback(False, f"{call} raised {type(error).__name__}: {error}", hint)
        if value is None or value is Ellipsis:
            return Feedback(False, f"Not yet: {name} returns nothing. Write it, then run this cell.", hint)
        if problem := _compare(value, expected, rtol):
            right = f"Right for the first {number} of {len(inputs)} inputs. " if number else ""
            gives = f"{call} gives {_show(value)}; expected {_show(expected)}."
            return Feedback(False, f"{right}{gives} {problem}", hint)
    return Feedback(True, f"Correct: {name} agrees with the reference at {len(inputs)} inputs.")


def _compare(value, expected, rtol: float) -> str | None:
    """What is wrong with a value, None if nothing."""
    if isinstance(expected, tuple):
        if not isinstance(value, (tuple, list)) or len(value) != len(expected):
            return f"These should be {len(expected)} values."
        pairs = zip(value, expected, strict=True)
        return next((found for pair in pairs if (found := _compare(*pair, rtol))), None)
    try:
        a, b = np.asarray(value), np.asarray(expected)
    except ValueError:
        return "The rows differ in length."
    if a.shape != b.shape:
        return f"The shape is {a.shape}, expected {b.shape}."
    if not {a.dtype.kind, b.dtype.kind} <= set("biufc"):
        return None if np.array_equal(a, b) else "They differ."
    a, b = a + 0.0, b + 0.0  # booleans and unsigned numbers as floats
    atol = rtol * np.max(np.abs(b[np.isfinite(b)]), initial=0.0)
    if np.allclose(a, b, rtol=0.0, atol=atol, equal_nan=True):
        return None
    return "The sign is wrong." if np.allclose(a, -b, rtol=0.0, atol=atol) else "The numbers differ."


def _show(value) -> str:
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_show, value))})"
    if isinstance(value, (float, np.generic, np.ndarray)):
        return np.array2string(np.asarray(value), precision=6, threshold=12, edgeitems=2, separator=", ")
    return repr(value)[:200]


def _show_arguments(function: Callable, arguments: tuple) -> str:
    names = inspect.signature(function).parameters
    return ", ".join(f"{name}={_show(value)}" for name, value in zip(names, arguments, strict=False))
