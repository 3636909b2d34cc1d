"""Ratings: read a user's file, generate one like the best-known of them, and predict what was held
out."""

import csv
import re
from pathlib import Path
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import as_generator, as_instance, as_integer, as_number
from vbkit.factorization.initialization import init_random
from vbkit.factorization.iteration import fit
from vbkit.factorization.matrices import ObservedEntries
from vbkit.factorization.model import Factorization

MARKS = "\t", "::", ";", ","  # a line is split at the first of these that it holds
QUOTED = re.compile(r'"(?:[^"]|"")*"')
FORM = "a line must be: user item rating [timestamp]"


@attrs.frozen(eq=False)
class Ratings:
    """Entries with users as rows and items as columns, and their labels by index, in the order in
    which they appeared. header: the line that was taken for one, or None."""

    entries: ObservedEntries
    users: list[str] = attrs.field(repr=False)
    items: list[str] = attrs.field(repr=False)
    header: str | None = attrs.field(default=None, repr=False)


def read_ratings(path, fields=None, *, repeats: bool = True) -> Ratings:
    """Read a text file with one line `user item rating [timestamp]` per rating.

    Fields are separated by tabs; in a line without any, by `::`, else by semicolons, else by
    commas, else by blanks. A field in double quotes may hold any of these, and a doubled quote.
    Users and items may be any words; timestamps are not used. Blank lines are skipped. The first
    other line is a header if its rating is not a number. Where a user rates an item again, the
    later line counts; without `repeats` it is refused.

    fields: the columns of user, item and rating, by name: then the first line is a header, and
    tabs, semicolons or commas, whichever of these it holds, separate all lines. There may be
    further columns.

    Raises ValueError with the number of the first line that does not fit.
    """
    users, items, found, header = {}, {}, {}, None
    with open(
        path, encoding="utf-8-sig", errors="replace", newline="" if fields else None
    ) as file:
        lines = (
            _plain_lines(file) if fields is None else _chosen_fields(path, file, fields)
        )
        for number, (text, line) in lines:
            value = _as_rating(line)
            if (
                value is None
                and not (fields or header or found)
                and len(line) in (3, 4)
            ):
                header = text
                continue
            if (
                value is None
                or not np.isfinite(value)
                or len(line) > 4
                or "" in line[:3]
            ):
                form = (
                    f"{fields[2]!r} must be a number, and no field empty"
                    if fields
                    else FORM
                )
                raise ValueError(
                    f"{Path(path).name}, line {number}: {text[:60]!r}; {form}"
                )
            user, item = line[:2]
            place = (
                users.setdefault(user, len(users)),
                items.setdefault(item, len(items)),
            )
            if place in found and not repeats:
                again = f"user {user[:40]!r} rates item {item[:40]!r} a second time"
                raise ValueError(
                    f"{Path(path).name}, line {number}: {again}; keep one of them"
                )
            found[place] = value
    if not found:
        raise ValueError(f"{Path(path).name} holds no rating; {FORM}")
    rows, cols = np.array(list(found)).T
    entries = ObservedEntries(
        rows, cols, list(found.values()), (len(users), len(items))
    )
    return Ratings(entries, list(users), list(items), header)


def _as_rating(fields: list[str]) -> float | None:
    """The third of some fields, or None where it is no number. Python alone reads 1_0 as 10."""
    try:
        return None if "_" in fields[2] else float(fields[2])
    except (ValueError, IndexError):
        return None


def _plain_lines(file):
    """Number, text and fields of each line that is not blank."""
    for number, line in enumerate(file, 1):
        if fields := _fields(text := line.strip()):
            yield number, (text, fields)


def _chosen_fields(path, file, names):
    """Number, text, and user, item and rating of each line below a header."""
    first, head = next(
        ((n, line) for n, line in enumerate(file, 1) if line.strip()), (1, "")
    )
    plain = QUOTED.sub("", head)
    mark = next((mark for mark in "\t;," if mark in plain), ",")
    columns = [name.strip() for name in next(csv.reader([head], delimiter=mark), [])]
    for name in names:
        if (count := columns.count(name)) != 1:
            has = f"{count} columns {name!r}" if count else f"no column {name!r}"
            told = ", ".join(map(repr, columns[:8]))
            raise ValueError(
                f"{Path(path).name} has {has}; its first line names {told}"
            )
    places, table = (
        [columns.index(name) for name in names],
        csv.reader(file, delimiter=mark),
    )
    try:
        for row in table:
            if row:
                text, number = mark.join(row), table.line_num + first
                if len(row) != len(columns):
                    form = (
                        f"it has {len(row)} fields, the first line has {len(columns)}"
                    )
                    raise ValueError(
                        f"{Path(path).name}, line {number}: {text[:60]!r}; {form}"
                    )
                yield number, (text, [row[place].strip() for place in places])
    except csv.Error as error:  # a field beyond csv's limit
        raise ValueError(
            f"{Path(path).name}, line {table.line_num + first}: {error}"
        ) from None


def _fields(text: str) -> list[str]:
    """The fields of a line; a mark within double quotes does not separate."""
    plain = QUOTED.sub("", text)
    separator = next((mark for mark in MARKS if mark in plain), " ")
    if '"' in text and separator != "::":
        try:
            found = next(csv.reader([text], delimiter=separator, skipinitialspace=True))
        except csv.Error:  # a field beyond csv's limit: the line is refused as a whole
            return [text]
        return [field.strip() for field in found]
    if separator == " ":
        return text.split()
    return [field.strip() for field in text.split(separator)]


def synthetic_ratings(
    rng, users: int = 943, items: int = 1682, ratings: int = 100_000, H: int = 5
) -> tuple[Ratings, np.ndarray]:
    """Generate ratings 1 to 5 by a known model, by default in the shape of the 943 x 1,682 file on
    which the field measures itself. Also return the means (users, items) before noise, rounding and
    clipping.

    mean = 3.5 + offsets of user and item (sd 0.45 each) + H factors (together sd 0.5); noise sd
    0.9. Activity of users and popularity of items are log-normal (sd of the log 1 and 1.6). Which
    pairs are rated does not depend on the rating. Raises ValueError for numbers below 1, H below 0,
    and more ratings than pairs.
    """
    as_generator("rng", rng)
    for name, value in (("users", users), ("items", items), ("ratings", ratings)):
        as_integer(name, value, 1)
    as_integer("H", H, 0)
    as_number("ratings", ratings, 1, users * items)
    b, a = rng.standard_normal((users, H)), rng.standard_normal((items, H))
    mean = 3.5 + 0.45 * (rng.standard_normal((users, 1)) + rng.standard_normal(items))
    mean += 0.5 / np.sqrt(max(H, 1)) * b @ a.T
    chance = rng.standard_normal((users, 1)) + 1.6 * rng.standard_normal(items)
    chance += rng.gumbel(size=chance.shape)  # the largest: drawn without replacement
    picked = np.sort(np.argsort(-chance, axis=None)[:ratings])
    values = np.clip(
        np.rint(mean.ravel()[picked] + 0.9 * rng.standard_normal(ratings)), 1, 5
    )
    entries = ObservedEntries(*np.divmod(picked, items), values, (users, items))
    labels = ([str(i + 1) for i in range(n)] for n in (users, items))
    return Ratings(entries, *labels), mean


class Report(NamedTuple):
    """What was predicted of held-out ratings: root mean squared errors of the training mean, of
    offsets alone and of the whole model; and the share within the model's 95 % intervals. fit: the
    whole model."""

    mean_rmse: float
    offsets_rmse: float
    rmse: float
    coverage: float
    fit: Factorization


def held_out_report(
    entries, H, rng, *, share=0.1, max_sweeps=200, progress=False
) -> Report:
    """Fit all but a share of the entries by offsets alone and with H columns of factors; report how
    well that share is predicted.

    entries: ObservedEntries. rng: a NumPy Generator. progress: show bars.

    A fit stops when a sweep
    changes the ELBO by less than 1e-6 nats per entry, or after max_sweeps: `fit.converged` says
    which. Raises ValueError for too few entries to hold some out and keep some, and for
    unfit settings.
    """
    as_instance("entries", entries, ObservedEntries)
    as_integer("H", H, 0)
    as_number("share", share, 0, 1)
    if entries.size * min(share, 1 - share) < 1:
        raise ValueError(
            f"{entries.size} ratings are too few to hold out a share of {share:g}"
        )
    train, test = entries.split(share, rng)
    settings = {
        "max_sweeps": max_sweeps,
        "tolerance": 1e-6 * train.size,
        "progress": progress,
    }
    offsets = fit(train, init_random(train, 0, rng, offsets=True), **settings)
    whole = fit(train, init_random(train, H, rng, offsets=True), **settings)
    mean, sd = whole.predict(test.rows, test.cols)
    predictions = train.values.mean(), offsets.predict(test.rows, test.cols).mean, mean
    errors = (float(np.sqrt(np.mean((test.values - p) ** 2))) for p in predictions)
    return Report(
        *errors, float(np.mean(np.abs(test.values - mean) < 1.96 * sd)), whole
    )
