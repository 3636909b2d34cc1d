"""Complete a table of ratings: as many factors as the ELBO asks for, plainer predictions
beside them, and how well ratings that were held out are predicted."""

from collections.abc import Iterator
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import as_instance, as_integer, as_number
from vbkit.factorization import Factorization, ObservedEntries, fit, init_random
from vbkit.own_data.ratings import Ratings
from vbkit.own_data.text import many

TOLERANCE = 1e-6  # nats per rating: a sweep that changes the ELBO by less is the last
GAIN = 1.0  # nats that another factor has to bring
PATIENCE = 2  # further factors, one after another, that may fail to bring it
BY = ("factors", "user mean", "item mean", "overall mean")


class Predictions(NamedTuple):
    """Predictions of n ratings.

    mean: their means (n,).
    sd: their standard deviations (n,), NaN where a plain mean predicts.
    by: what predicts each, one of BY (n,).
    """

    mean: np.ndarray
    sd: np.ndarray
    by: np.ndarray


class PlainPredictions(NamedTuple):
    """What means predict of n ratings, (n,) each: the mean of the user, that of the item,
    and their sum less the mean of all ratings, kept on the scale of the ratings."""

    users: np.ndarray
    items: np.ndarray
    both: np.ndarray


@attrs.frozen(eq=False)
class Completion:
    """A factorization of ratings, and their means.

    fit: the factorization.
    elbos: the best ELBO (nats) of each number of factors tried, from 0.
    user_means, item_means, mean: those of the ratings learned from; (users,), (items,)
        and a number.
    lowest, highest: of the ratings learned from; predictions stay between them.
    """

    fit: Factorization
    elbos: list[float]
    user_means: np.ndarray
    item_means: np.ndarray
    mean: float
    lowest: float
    highest: float

    def predict(self, rows, cols) -> Predictions:
        """Predict the ratings at rows (n,) and columns (n,), on their scale.

        A row or column of -1 is unknown: then the mean of the other one's ratings
        predicts, or that of all ratings, and the standard deviation is NaN.
        """
        rows = np.asarray(rows)
        cols = np.asarray(cols)
        knows_user = rows >= 0
        knows_item = cols >= 0
        knows_both = knows_user & knows_item
        plain = self.plain(rows, cols)
        mean = np.select(
            [knows_user, knows_item], [plain.users, plain.items], self.mean
        )
        sd = np.full(len(rows), np.nan)
        learned = self.fit.predict(rows[knows_both], cols[knows_both])
        mean[knows_both] = np.clip(learned.mean, self.lowest, self.highest)
        sd[knows_both] = learned.sd
        by = np.select([knows_both, knows_user, knows_item], BY[:3], BY[3])
        return Predictions(mean, sd, by)

    def plain(self, rows, cols) -> PlainPredictions:
        """What means predict at rows (n,) and columns (n,). An unknown user or item, -1,
        counts as one with the mean of all ratings."""
        users = np.where(rows < 0, self.mean, self.user_means[rows])
        items = np.where(cols < 0, self.mean, self.item_means[cols])
        both = np.clip(users + items - self.mean, self.lowest, self.highest)
        return PlainPredictions(users, items, both)


def complete(
    entries: ObservedEntries,
    *,
    most: int = 10,
    starts: int = 3,
    sweeps: int = 1000,
    seed: int = 1,
) -> Completion:
    """Fit offsets and 0, 1, 2, ... factors, each from several random starts, and keep the
    highest ELBO. Prints a line for each number of factors.

    A further factor has to raise it by GAIN nats; after PATIENCE that do not, and at
    `most`, the search ends.

    entries: at least one in each row and column.
    sweeps: at most, in each fit.

    Raises ValueError where ratings do not vary.
    """
    if not np.ptp(entries.values):
        raise ValueError("all ratings are the same; there is nothing to learn")
    entries = _sorted(entries)
    best = None
    failures = 0  # one after another
    elbos = []
    for H in range(min(most, *entries.shape) + 1):
        print(f"trying {many(H, 'factor')} ...")
        rng = np.random.default_rng(seed)
        candidate = best_fit(entries, H, rng, starts=starts if H else 1, sweeps=sweeps)
        if best is None or candidate.elbo > best.elbo + GAIN:
            best = candidate
            failures = 0
        else:
            failures += 1
        elbos.append(candidate.elbo)
        if failures == PATIENCE:
            break
    return Completion(
        best,
        elbos,
        user_means=_means(entries.rows, entries.values),
        item_means=_means(entries.cols, entries.values),
        mean=float(entries.values.mean()),
        lowest=float(entries.values.min()),
        highest=float(entries.values.max()),
    )


def best_fit(
    data: ObservedEntries,
    H: int,
    rng: np.random.Generator,
    *,
    starts: int = 1,
    sweeps: int,
    progress: bool = False,
) -> Factorization:
    """The best of the fits of offsets and H factors to entries, from random starts.

    sweeps: at most, in each fit. progress: show bars.
    """
    first = [init_random(data, H, rng, offsets=True) for _ in range(starts)]
    least = TOLERANCE * data.size
    fits = [
        fit(data, start, max_sweeps=sweeps, tolerance=least, progress=progress)
        for start in first
    ]
    return max(fits, key=lambda fit: fit.elbo)


def _sorted(entries: ObservedEntries) -> ObservedEntries:
    """The same entries in the order of rows and columns."""
    order = np.lexsort((entries.cols, entries.rows))
    return ObservedEntries(
        entries.rows[order], entries.cols[order], entries.values[order], entries.shape
    )


def _means(places: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The mean of the values at each place."""
    return np.bincount(places, values) / np.bincount(places)


def places(known: Ratings, asked: Ratings) -> tuple[np.ndarray, np.ndarray]:
    """Row and column (n,) in the known ratings of each rating that is asked for; -1 where
    the user or the item is unknown."""
    rows = _places_of(known.users, asked.users)[asked.rows]
    cols = _places_of(known.items, asked.items)[asked.cols]
    return rows, cols


def _places_of(known: list[str], asked: list[str]) -> np.ndarray:
    """The places of labels among the known ones, -1 for an unknown label."""
    place = {label: n for n, label in enumerate(known)}
    return np.array([place.get(label, -1) for label in asked])


def unrated(entries: ObservedEntries) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield rows and columns of the pairs without a rating, a row at a time."""
    columns = np.arange(entries.shape[1])
    by_row = entries.by_row
    for row in range(entries.shape[0]):
        rated = by_row.indices[by_row.indptr[row] : by_row.indptr[row + 1]]
        cols = np.setdiff1d(columns, rated, assume_unique=True)
        yield np.full(len(cols), row), cols


def errors(truth: np.ndarray, predictions: np.ndarray) -> tuple[float, float]:
    """Root mean squared error and mean absolute error, in units of the ratings."""
    error = truth - predictions
    return float(np.sqrt(np.mean(error**2))), float(np.mean(np.abs(error)))


# ---- held-out ratings ----


class Report(NamedTuple):
    """What was predicted of held-out ratings.

    mean_rmse, offsets_rmse, rmse: root mean squared errors of the training mean, of
        offsets alone and of the whole model.
    coverage: the share within the whole model's 95 % intervals.
    fit: the whole model.
    """

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
    progress: bool = False,
) -> Report:
    """Fit all but a share of the entries by offsets alone and with H columns of factors;
    report how well that share is predicted.

    progress: show bars.

    A fit stops when a sweep changes the ELBO by less than 1e-6 nats per entry, or after
    max_sweeps: `fit.converged` says which. Raises ValueError for too few entries to hold
    some out and keep some, and for unfit settings.
    """
    as_instance("entries", entries, ObservedEntries)
    as_integer("H", H, 0)
    as_number("share", share, 0, 1)
    if entries.size * min(share, 1 - share) < 1:
        raise ValueError(
            f"{entries.size} ratings are too few to hold out a share of {share:g}"
        )
    train, test = entries.split(share, rng)
    offsets = best_fit(train, 0, rng, sweeps=max_sweeps, progress=progress)
    whole = best_fit(train, H, rng, sweeps=max_sweeps, progress=progress)
    of_offsets = offsets.predict(test.rows, test.cols)
    of_whole = whole.predict(test.rows, test.cols)
    is_covered = np.abs(test.values - of_whole.mean) < 1.96 * of_whole.sd
    return Report(
        mean_rmse=errors(test.values, train.values.mean())[0],
        offsets_rmse=errors(test.values, of_offsets.mean)[0],
        rmse=errors(test.values, of_whole.mean)[0],
        coverage=float(np.mean(is_covered)),
        fit=whole,
    )
