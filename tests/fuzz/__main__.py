"""python -m tests.fuzz: `n` random calls of the public functions, in one table.

Arguments are good, or one or two of them are spoiled: shapes, numbers, types. A call must give a
result without nan, or raise ValueError or TypeError with a message; it must leave its arguments as
they were, and end within ten seconds. A failure names the call that repeats it:
`python -m tests.fuzz --seed S --only I`.
"""

import argparse
import copy
import faulthandler
import sys
import time
import traceback
import warnings
from collections import Counter

import numpy as np

from tests.fuzz.calls import MAKERS
from tests.fuzz.spoil import spoil

SECONDS = 10
REFUSALS = ValueError, TypeError


def arrays(value, seen=None):
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
        names = (
            getattr(value, "__match_args__", ()) or vars(value)
            if hasattr(value, "__dict__")
            else ()
        )
        for name in names or [a.name for a in getattr(value, "__attrs_attrs__", ())]:
            yield from arrays(getattr(value, name, None), seen)


def numbers(value) -> list[np.ndarray]:
    return [part for part in arrays(value) if part.dtype.kind in "fc"]


def same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    """Whether arrays are what they were, nan included."""
    return len(a) == len(b) and all(
        x.dtype == y.dtype and unchanged(x, y) for x, y in zip(a, b, strict=True)
    )


def unchanged(x: np.ndarray, y: np.ndarray) -> bool:
    if x.dtype.kind == "O":
        return x.tolist() == y.tolist()  # a nan is equal to itself here
    return np.array_equal(x, y, equal_nan=x.dtype.kind in "fc")


def make(seed: int, index: int, maker=None):
    """Call number `index` of a seed: its name, function, arguments, and which were spoiled."""
    rng = np.random.default_rng([seed, index])
    name = list(MAKERS)[rng.integers(len(MAKERS))]
    function, given = MAKERS[name](rng)
    given, spoiled = dict(given), []
    for key in rng.permutation(list(given))[
        : rng.choice(3, p=[0.25, 0.5, 0.25])
    ].tolist():
        given[key] = spoil(given[key], rng)
        spoiled.append(key)
    for value in given.values():  # what is only read may be read-only
        if isinstance(value, np.ndarray) and rng.random() < 0.3:
            value.setflags(write=False)
    return name, function, given, spoiled


def attempt(seed: int, index: int) -> tuple[str, str, str]:
    """Name, outcome ("accepted", "refused", "failed") and, if it failed, what was wrong."""
    name, function, given, spoiled = make(seed, index)
    label = f"{name}: {getattr(function, '__qualname__', function)}, spoiled {spoiled}"
    kept = {
        key: value
        for key, value in given.items()
        if not isinstance(value, np.random.Generator)
    }
    before = [part.copy() for part in arrays(kept)]
    began, outcome, wrong = time.process_time(), "accepted", ""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = function(**given)
        if any(np.isnan(part).any() for part in numbers(result)):
            wrong = "nan in the result"
    except REFUSALS as error:
        outcome, wrong = "refused", "" if str(error) else "no message"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        wrong = f"{type(error).__name__}: {error!s:.80} ({place.filename[-40:]}:{place.lineno})"
    if not same(before, [part.copy() for part in arrays(kept)]):
        wrong = "an argument was changed"
    if time.process_time() - began > SECONDS:
        wrong = wrong or "slow"
    return name, "failed" if wrong else outcome, f"{label}: {wrong}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument(
        "--only", type=int, help="repeat one call, and show its arguments"
    )
    arguments = parser.parse_args()
    faulthandler.enable()
    if arguments.only is not None:
        name, function, given, spoiled = make(arguments.seed, arguments.only)
        print(name, function, copy.copy(given), f"spoiled: {spoiled}", sep="\n")
        print(function(**given))
        return 0
    return report(arguments.n, arguments.seed)


def report(n: int, seed: int, file=sys.stdout) -> int:
    """Make the calls, print the table; how many failed."""
    counts, failures = Counter(), []
    for index in range(n):
        name, outcome, told = attempt(seed, index)
        if told.endswith(": slow"):  # it may have compiled something
            name, outcome, told = attempt(seed, index)
        counts[name, outcome] += 1
        if outcome == "failed":
            failures.append(f"--seed {seed} --only {index}: {told}")
    print(f"{'calls of':24}{'accepted':>10}{'refused':>10}{'failed':>10}", file=file)
    for name in [*MAKERS, "all"]:
        found = [
            sum(
                m for (k, o), m in counts.items() if o == outcome and name in (k, "all")
            )
            for outcome in ("accepted", "refused", "failed")
        ]
        print(f"{name:24}" + "".join(f"{m:>10}" for m in found), file=file)
    print(*failures, sep="\n", file=file)
    return len(failures)


if __name__ == "__main__":
    sys.exit(bool(main()))
