"""Check a student's function: say what is wrong, recognise typical mistakes, hint when needed."""

import copy
import html
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from vbkit.press.compare import call_in_words, first_fault

PATIENCE = 2  # wrong tries before the hint is shown


@dataclass(frozen=True, repr=False)
class Feedback:
    """What a check found: whether the function passed, the words for it, and a hint if due."""

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
            raise ValueError(
                f"mistakes {unexplained} have no docstring to show to the student"
            )

    def __call__(self, student: Callable) -> Feedback:
        """Compare the student's function with the reference; their exception is feedback."""
        name = getattr(student, "__name__", "the function")
        calls = [
            call_in_words(name, self.reference, arguments) for arguments in self.inputs
        ]
        values = []
        for call, arguments in zip(calls, self.inputs, strict=True):
            try:
                values.append(student(*copy.deepcopy(arguments)))
            except NotImplementedError:
                values.append(None)
            except (
                Exception
            ) as error:  # whatever a student's code raises is what they are told
                return self._wrong(f"{call} raised {type(error).__name__}: {error}")
            if values[-1] is None or values[-1] is Ellipsis:
                words = (
                    f"Not yet: {name} returns nothing. Write it, then run this cell."
                )
                return Feedback(False, words)
        expected = self._values(self.reference)
        fault = first_fault(calls, values, expected, self.rtol)
        if fault is None:
            self.tries = 0
            return Feedback(True, " ".join(filter(None, self._praise())))
        recognised = next(
            filter(None, (self._recognise(m, values) for m in self.mistakes)), ""
        )
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
        fault = first_fault(
            [""] * len(values), values, self._values(mistake), self.rtol
        )
        return None if fault else " ".join(mistake.__doc__.split())
