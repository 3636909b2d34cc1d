"""Feedback on a student's function: which input, what came out, what was expected, and a hint."""

from __future__ import annotations

import copy
import html
import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

DIFFER = "The numbers differ."


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
        return (
            f'<div style="border-left: 4px solid {colour}; padding-left: .7em">{mark} {words}</div>'
        )


def check_exercise(
    student: Callable,
    reference: Callable,
    inputs: Callable | list,
    hint: str = "",
    rtol: float = 1e-6,
) -> Feedback:
    """Compare a student's function with the reference at several inputs; an exception of theirs is feedback.

    inputs: a list of tuples of arguments, or a function rng -> tuple of arguments, called eight times with
    a fixed seed. rtol: agreement, relative to the largest magnitude expected. ValueError without any inputs.
    """
    if callable(inputs):
        inputs = list(map(inputs, [np.random.default_rng(0)] * 8))
    if not inputs:
        raise ValueError("inputs was empty: there is nothing to compare")
    name = getattr(student, "__name__", "the function")
    names, calls, values = inspect.signature(reference).parameters, [], []
    for arguments in inputs:
        shown = ", ".join(
            f"{word}={_show(value)}" for word, value in zip(names, arguments, strict=False)
        )
        calls.append(f"{name}({shown})")
        try:
            values.append(student(*copy.deepcopy(arguments)))
        except NotImplementedError:
            values.append(None)
        except Exception as error:  # whatever a student's code raises is what the student is told
            return Feedback(False, f"{calls[-1]} raised {type(error).__name__}: {error}", hint)
        if values[-1] is None or values[-1] is Ellipsis:
            return Feedback(
                False, f"Not yet: {name} returns nothing. Write it, then run this cell.", hint
            )
    expected = [reference(*copy.deepcopy(arguments)) for arguments in inputs]
    single = not isinstance(expected[0], tuple)
    pairs = zip(values, expected, strict=True)
    faults = [_compare((v,), (e,), rtol) if single else _compare(v, e, rtol) for v, e in pairs]
    wrong = [n for n, fault in enumerate(faults) if fault]
    if not wrong:
        return Feedback(True, f"Correct: {name} agrees with the reference at {len(inputs)} inputs.")
    part, problem = faults[wrong[0]]
    if problem == DIFFER:
        alike = [n for n in wrong if faults[n] == (part, DIFFER)]
        problem = _pattern(
            [[x[n] if single else x[n][part] for x in (values, expected)] for n in alike], rtol
        )
    right = f"Right at {faults.count(None)} of {len(inputs)} inputs. " if None in faults else ""
    gives = (
        f"{calls[wrong[0]]} gives {_show(values[wrong[0]])}; expected {_show(expected[wrong[0]])}."
    )
    which = "" if single or part < 0 else f"Value {part + 1} of {len(expected[0])}: "
    return Feedback(False, f"{right}{gives} {which}{problem}", hint)


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
    """Whether numbers agree, relative to the largest expected; what should be zero may be off by rounding."""
    a, b = np.asarray(a) + 0.0, np.asarray(b) + 0.0  # booleans and unsigned numbers as floats
    atol = max(rtol * np.max(np.abs(b[np.isfinite(b)]), initial=0.0), 1e-13)
    return np.allclose(a, b, rtol=0.0, atol=atol, equal_nan=True)


def _pattern(pairs: list, rtol: float) -> str:
    """What is wrong in the same way with each pair (value, expected): the sign, the order, a factor, a constant."""
    pairs = [(np.ravel(v) + 0.0, np.ravel(e) + 0.0) for v, e in pairs]
    a, b = map(np.concatenate, zip(*pairs, strict=True))
    if not np.isfinite(a[np.isfinite(b)]).all():
        return "Not all of it is finite: a division by 0, or the logarithm of 0?"
    if all(_close(v, -e, rtol) for v, e in pairs):
        return "The sign is wrong."
    if all(_close(np.sort(v), np.sort(e), rtol) for v, e in pairs):
        return "These are the right numbers in another order."
    each = "Each is" if len(a) > 1 else "It is"
    if (
        np.isfinite(b).all() and np.ptp(b) > rtol * np.abs(b).max()
    ):  # one number alone fits any factor or constant
        factor, shift = a @ b / (b @ b), np.mean(a - b)
        if abs(factor) > rtol and all(_close(v, factor * e, rtol) for v, e in pairs):
            return f"{each} {_show(factor)} times what is expected."
        if all(_close(v, e + shift, rtol) for v, e in pairs):
            return f"{each} too {'large' if shift > 0 else 'small'} by {_show(abs(shift))}."
    if all(len(e) > 1 and _close(v - v.mean(), e - e.mean(), rtol) for v, e in pairs):
        return "At each input, all are off by the same amount."
    if all(len(e) > 1 and v.any() and _close(v * (e @ e), e * (v @ e), rtol) for v, e in pairs):
        return "At each input, all are off by the same factor."
    return (
        f"{each} too large." if (a > b).all() else f"{each} too small." if (a < b).all() else DIFFER
    )


def _show(value) -> str:
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_show, value))})"
    if isinstance(value, (float, np.floating)):
        return f"{value:.7g}"
    if isinstance(value, (np.generic, np.ndarray)):
        return np.array2string(value, precision=6, threshold=12, edgeitems=2, separator=", ")
    return text if len(text := repr(value)) < 60 else f"{type(value).__name__}(...)"
