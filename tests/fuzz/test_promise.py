"""What breaks the promise is noticed."""

import numpy as np
import pytest

from tests.fuzz import promise
from tests.fuzz.promise import Call


def changes(x):
    x[0] = 7


def has_no_number(x):
    return {"mean": [np.nan, *x]}


def divides(x):
    return 1 / 0


def says_nothing(x):
    raise ValueError


def refuses(x):
    raise ValueError("x is wrong")


@pytest.mark.parametrize("function", [changes, has_no_number, divides, says_nothing])
def test_what_breaks_the_promise(function):
    with pytest.raises((AssertionError, ZeroDivisionError)):
        Call(function, {"x": np.ones(2)}).keeps_its_promise()


def test_an_answer_or_a_refusal_keeps_it():
    Call(refuses, {"x": np.ones(2)}).keeps_its_promise()
    Call(np.sum, {"a": np.ones(2)}).keeps_its_promise()


def test_what_is_slow_twice_breaks_it(monkeypatch):
    monkeypatch.setattr(promise, "SECONDS", -1.0)
    with pytest.raises(AssertionError, match="took"):
        Call(np.sum, {"a": np.ones(2)}).keeps_its_promise()


def test_an_argument_that_does_not_exist_is_no_refusal():
    with pytest.raises(AssertionError, match="names it wrongly"):
        Call(refuses, {"y": 1}).keeps_its_promise()
