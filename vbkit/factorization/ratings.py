"""Ratings: reading a user's file, generating one like the best-known of them, and a report on held-out ratings."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vbkit.checks import as_generator, as_integer, as_number
from vbkit.factorization.iteration import fit
from vbkit.factorization.matrices import ObservedEntries
from vbkit.factorization.model import Factorization, init_random

MARK, BLANKS = re.compile(r"\s*(?:\t|::|,|;)\s*"), re.compile(r"\s+")


@dataclass(frozen=True, eq=False)
class Ratings:
    """Entries with users as rows and items as columns; their labels by index, in the order in which they appeared."""

    entries: ObservedEntries
    users: list[str] = field(repr=False)
    items: list[str] = field(repr=False)


def read_ratings(path) -> Ratings:
    """Read a text file with a line `user item rating [timestamp]` a rating.

    Fields are separated by a tab, a comma, a semicolon or `::`, in a line without any of these by blanks; users and
    items may be any words; timestamps are not used. Blank lines are skipped; the first other line is a header if its
    rating is not a number. Where a user rates an item again, the later line counts. Raises ValueError with the number
    of the line for one that does not fit.
    """
    users, items, found, last, header = {}, {}, {}, Path(path), True
    with open(last, encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            text = line.strip()
            fields = (MARK if MARK.search(text) else BLANKS).split(text)
            if fields == [""]:
                continue
            first, header = header, False
            try:
                user, item, rating = fields[:3]
                value = float(rating)
            except ValueError:
                if first and len(fields) in (3, 4):
                    continue
                value = np.nan
            if not np.isfinite(value) or len(fields) > 4 or "" in fields[:3]:
                raise ValueError(
                    f"{last.name}, line {number}: {text[:60]!r}; a line must be: user item rating [timestamp]"
                )
            place = users.setdefault(user, len(users)), items.setdefault(item, len(items))
            found[place] = value
    if not found:
        raise ValueError(
            f"{last.name} holds no rating; a line must be: user item rating [timestamp]"
        )
    rows, cols = np.array(list(found)).T
    return Ratings(
        ObservedEntries(rows, cols, list(found.values()), (len(users), len(items))),
        list(users),
        list(items),
    )


def synthetic_ratings(
    rng: np.random.Generator,
    users: int = 943,
    items: int = 1682,
    ratings: int = 100_000,
    H: int = 5,
) -> tuple[Ratings, np.ndarray]:
    """Ratings 1 to 5 by a known model, in the shape of the 943 x 1,682 file on which the field measures itself, and
    the means (users, items) before noise, rounding and clipping.

    mean = 3.5 + offsets of user and item (sd .45 each) + H factors (together sd .5); noise sd .9. Activity of users and
    popularity of items are log-normal (sd of the log 1 and 1.6); which pairs are rated does not depend on the rating.
    """
    as_generator("rng", rng)
    for name, value in (("users", users), ("items", items), ("ratings", ratings)):
        as_integer(name, value, 1)
    as_integer("H", H, 0)
    as_number("ratings", ratings, 1, users * items)
    b, a = rng.standard_normal((users, H)), rng.standard_normal((items, H))
    mean = 3.5 + 0.45 * (rng.standard_normal((users, 1)) + rng.standard_normal(items))
    mean += 0.5 / np.sqrt(max(H, 1)) * b @ a.T
    chance = (
        rng.standard_normal((users, 1))
        + 1.6 * rng.standard_normal(items)
        + rng.gumbel(size=(users, items))
    )
    picked = np.sort(
        np.argpartition(-chance.ravel(), ratings - 1)[:ratings]
    )  # largest: drawn without replacement
    values = np.clip(np.rint(mean.ravel()[picked] + 0.9 * rng.standard_normal(ratings)), 1, 5)
    rows, cols = np.divmod(picked, items)
    entries = ObservedEntries(rows, cols, values, (users, items))
    return Ratings(
        entries, [str(u + 1) for u in range(users)], [str(i + 1) for i in range(items)]
    ), mean


class Report(NamedTuple):
    """On held-out ratings: root mean squared errors of the training mean, of offsets alone and of the whole model, and
    the share within the model's 95 % intervals. fit: the whole model."""

    mean_rmse: float
    offsets_rmse: float
    rmse: float
    coverage: float
    fit: Factorization


def held_out_report(
    entries: ObservedEntries,
    H: int,
    rng: np.random.Generator,
    *,
    share: float = 0.1,
    max_sweeps: int = 200,
    progress=False,
) -> Report:
    """Fit offsets alone, then with H columns of factors, to all but a share of the entries; predict that share.

    ValueError for so few entries that nothing would be held out, or left.
    """
    as_number("share", share, 0, 1)
    if entries.size * min(share, 1 - share) < 1:
        raise ValueError(
            f"{entries.size} ratings are too few to hold out a share of {share:g} of them"
        )
    train, test = entries.split(share, rng)
    settings = {"max_sweeps": max_sweeps, "tolerance": 1e-6 * train.size, "progress": progress}
    fits = [fit(train, init_random(train, h, rng, offsets=True), **settings) for h in (0, H)]
    predictions = [f.predict(test.rows, test.cols) for f in fits]
    means = np.full(test.size, train.mean), *(p.mean for p in predictions)
    inside = np.abs(test.values - means[-1]) < 1.96 * predictions[-1].sd
    return Report(
        *(float(np.sqrt(np.mean((test.values - m) ** 2))) for m in means),
        float(inside.mean()),
        fits[-1],
    )
