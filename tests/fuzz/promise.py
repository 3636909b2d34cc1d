"""What every public function promises of every call.

It gives a result without nan, or raises ValueError or TypeError with a message; it
leaves its arguments as they were, and ends within ten seconds.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

SECONDS = 10
UNKNOWN = "unexpected keyword argument"


class Call(NamedTuple):
    function: Callable
    arguments: dict

    def keeps_its_promise(self) -> None:
        """Make the call; AssertionError, or what was raised, where it breaks."""
        before = self._contents()
        began = time.process_time()
        try:
            result = self._result()
        except (ValueError, TypeError) as error:
            assert str(error), "refused without a message"
            assert UNKNOWN not in str(error), f"the test names it wrongly: {error}"
            result = None
        seconds = time.process_time() - began
        for number in numbers(result):
            assert not np.isnan(number).any(), f"nan in the result: {result}"
        assert same(before, self._contents()), "an argument was changed"
        if seconds > SECONDS:  # it may have compiled something
            began = time.process_time()
            self._answer()
            seconds = time.process_time() - began
        assert seconds <= SECONDS, f"took {seconds:.0f} s"

    def _answer(self) -> object:
        """The result, or the refusal."""
        try:
            return self._result()
        except (ValueError, TypeError) as error:
            return error

    def _result(self) -> object:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self.function(**self.arguments)

    def _contents(self) -> list[np.ndarray]:
        """Copies of all that the arguments hold, but for generators of numbers."""
        arguments = [
            value
            for value in self.arguments.values()
            if not isinstance(value, np.random.Generator)
        ]
        return [array.copy() for array in arrays(arguments)]


def named(name: str, options: list[Call]) -> Call:
    """The call of the function of that name."""
    return next(call for call in options if call.function.__name__ == name)


def numbers(value) -> list[np.ndarray]:
    return [array for array in arrays(value) if array.dtype.kind in "fc"]


def arrays(value, seen: set[int] | None = None) -> Iterator[np.ndarray]:
    """All arrays and numbers in a result or an argument, however deep."""
    seen = set() if seen is None else seen
    if isinstance(value, np.ndarray | float | np.floating):
        yield np.asarray(value)
    elif isinstance(value, dict):
        for part in value.values():
            yield from arrays(part, seen)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from arrays(part, seen)
    elif type(value).__module__.startswith("vbkit") and id(value) not in seen:
        seen.add(id(value))
        for name in attributes(value):
            yield from arrays(getattr(value, name, None), seen)


def attributes(value) -> list[str]:
    """Names of what an object of vbkit holds, with or without slots."""
    if getattr(value, "__match_args__", ()):
        return list(value.__match_args__)
    if hasattr(value, "__dict__"):
        return list(vars(value))
    return [field.name for field in getattr(value, "__attrs_attrs__", ())]


def same(before: list[np.ndarray], after: list[np.ndarray]) -> bool:
    """Whether arrays are what they were, nan included."""
    if len(before) != len(after):
        return False
    return all(unchanged(x, y) for x, y in zip(before, after, strict=True))


def unchanged(x: np.ndarray, y: np.ndarray) -> bool:
    if x.dtype != y.dtype:
        return False
    if x.dtype.kind == "O":
        return x.tolist() == y.tolist()  # a nan is equal to itself here
    return np.array_equal(x, y, equal_nan=x.dtype.kind in "fcmM")
