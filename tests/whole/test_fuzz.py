"""A thousand random calls, good and bad: see `python -m tests.fuzz -h`. And what the fuzzer itself
must notice."""

import io

import numpy as np
import pytest

from tests.fuzz import __main__ as fuzz


@pytest.mark.fuzz
def test_a_thousand_calls():
    table = io.StringIO()
    assert fuzz.report(1000, seed=20, file=table) == 0, table.getvalue()


def changes(x):
    x[0] = 7


def not_a_number(x):
    return {"mean": [np.nan, *x]}


def divides(x):
    return 1 / 0


def says_nothing(x):
    raise ValueError


def refuses(x):
    raise ValueError("x is wrong")


def slow(x):
    fuzz.SECONDS = -1.0


@pytest.mark.parametrize(
    "function, outcome",
    [(changes, "failed"), (not_a_number, "failed"), (divides, "failed"), (says_nothing, "failed"),
     (slow, "failed"), (refuses, "refused"), (np.sum, "accepted")],
)  # fmt: skip
def test_the_fuzzer_notices(function, outcome, monkeypatch):
    monkeypatch.setattr(fuzz, "SECONDS", 10)
    given = {"a" if function is np.sum else "x": np.ones(2)}
    monkeypatch.setattr(fuzz, "make", lambda *_: ("some", function, given, []))
    assert fuzz.attempt(1, 1)[1] == outcome


def test_a_call_is_repeated_by_its_seed():
    for index in range(40):
        first, again = fuzz.make(3, index), fuzz.make(3, index)
        assert first[0] == again[0] and first[3] == again[3]
        assert fuzz.same(fuzz.numbers(first[2]), fuzz.numbers(again[2]))
