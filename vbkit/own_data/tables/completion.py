"""Complete a table of ratings: factors as many as the ELBO asks for, and plainer predictions beside
them."""

from collections.abc import Iterator

import attrs
import numpy as np

from vbkit.factorization import Factorization, ObservedEntries, fit, init_random
from vbkit.factorization.ratings import Ratings

TOLERANCE = 1e-6  # nats per rating: a sweep that changes the ELBO by less is the last
GAIN = 1.0  # nats that another factor has to bring
PATIENCE = 2  # further factors, one after another, that may fail to bring it
BY = ("factors", "user mean", "item mean", "overall mean")


@attrs.frozen(eq=False)
class Completion:
    """fit: the factorization. elbos: the best ELBO (nats) of each number of factors tried, from 0.
    offsets (items,): what was subtracted from each item's ratings. user_means, item_means, mean:
    those of the ratings learned from."""

    fit: Factorization
    elbos: list[float]
    offsets: np.ndarray
    user_means: np.ndarray
    item_means: np.ndarray
    mean: float

    def predict(self, rows, cols) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean (n,), standard deviation (n,) and the place in BY (n,) of what predicts each pair.

        A row or column of -1 is unknown: then the mean of the other one's ratings predicts, or that
        of all ratings, and the standard deviation is nan.
        """
        rows, cols = np.asarray(rows), np.asarray(cols)
        by = 2 * (rows < 0) + (cols < 0)
        users, items, _, mean = self.plain(rows, cols)
        mean, sd = np.choose(by, [mean, users, items, mean]), np.full(len(rows), np.nan)
        seen = by == 0
        found = self.fit.predict(rows[seen], cols[seen])
        mean[seen], sd[seen] = found.mean + self.offsets[cols[seen]], found.sd
        return mean, sd, by

    def plain(self, rows, cols) -> list[np.ndarray]:
        """What means predict, (n,) each: of the user, of the item, their sum less the mean of all,
        and the mean of all. An unknown user or item counts as one with that mean."""
        users = np.where(rows < 0, self.mean, self.user_means[rows])
        items = np.where(cols < 0, self.mean, self.item_means[cols])
        return [users, items, users + items - self.mean, np.full(len(users), self.mean)]


def complete(
    entries: ObservedEntries,
    *,
    most=10,
    starts=3,
    sweeps=1000,
    seed=1,
    learned=True,
    say=print,
) -> Completion:
    """Fit 0, 1, 2, ... factors, each from several random starts, and keep the highest ELBO.

    A further factor has to raise it by GAIN nats; after PATIENCE that do not, and at `most`, the
    search ends. entries: at least one in each row and column. learned: offsets of users and items
    are learned as random variables; else each item's mean is subtracted, as
    `VariationalMatrixFactorization` does. say: gets a line for each number. Raises ValueError
    where ratings do not vary.
    """
    entries = _sorted(entries)
    means = [_means(side, entries.values) for side in (entries.rows, entries.cols)]
    offsets = np.zeros(entries.shape[1]) if learned else means[1]
    values = entries.values - offsets[entries.cols]
    if not np.ptp(values):
        which = (
            "all ratings are"
            if learned or np.ptp(entries.values) == 0
            else "of each item are"
        )
        raise ValueError(f"{which} the same; there is nothing to learn")
    data = ObservedEntries(entries.rows, entries.cols, values, entries.shape)
    best, elbos = None, []
    for H in range(min(most, *entries.shape) + 1):
        say(f"trying {H} factor{'s' * (H != 1)} ...")
        rng = np.random.default_rng(seed)
        first = [
            init_random(data, H, rng, offsets=learned)
            for _ in range(starts if H else 1)
        ]
        learn = {"max_sweeps": sweeps, "tolerance": TOLERANCE * data.size}
        found = max(
            (fit(data, start, **learn) for start in first), key=lambda f: f.elbo
        )
        if best is None or found.elbo > best.elbo + GAIN:
            best, since = found, 0
        else:
            since += 1
        elbos.append(found.elbo)
        if since == PATIENCE:
            break
    return Completion(best, elbos, offsets, *means, float(entries.values.mean()))


def _sorted(entries: ObservedEntries) -> ObservedEntries:
    order = np.lexsort((entries.cols, entries.rows))
    parts = (x[order] for x in (entries.rows, entries.cols, entries.values))
    return ObservedEntries(*parts, entries.shape)


def _means(places: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.bincount(places, values) / np.bincount(places)


def places(known: Ratings, asked: Ratings) -> tuple[np.ndarray, np.ndarray]:
    """Row and column (n,) in the known ratings of each one asked for; -1 where it is unknown."""

    def find(labels, wanted, index):
        place = {label: n for n, label in enumerate(labels)}
        return np.array([place.get(label, -1) for label in wanted])[index]

    rows = find(known.users, asked.users, asked.entries.rows)
    return rows, find(known.items, asked.items, asked.entries.cols)


def unrated(entries: ObservedEntries) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows and columns of the pairs without a rating, a row at a time."""
    columns = np.arange(entries.shape[1])
    for row in range(entries.shape[0]):
        seen = entries.by_row.indices[
            entries.by_row.indptr[row] : entries.by_row.indptr[row + 1]
        ]
        cols = np.setdiff1d(columns, seen, assume_unique=True)
        yield np.full(len(cols), row), cols


def errors(truth: np.ndarray, predictions: np.ndarray) -> tuple[float, float]:
    """Root mean squared error and mean absolute error."""
    off = truth - predictions
    return float(np.sqrt(np.mean(off**2))), float(np.mean(np.abs(off)))
