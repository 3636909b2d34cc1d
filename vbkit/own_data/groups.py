"""Learn groups from a table, and what a report tells about them."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import attrs
import numpy as np
from sklearn.metrics import homogeneity_score
from sklearn.preprocessing import StandardScaler

from vbkit.learning.batch import looking_on
from vbkit.own_data import VariationalHMM, VariationalMixture
from vbkit.own_data.columns import FEW_VALUES
from vbkit.own_data.preparation import Data
from vbkit.own_data.sequences import Stay, as_arguments, stays
from vbkit.own_data.table import Table
from vbkit.own_data.text import asking_for, many, some

STARTS = 3  # for each number of components
BEYOND = 3  # numbers of components shown beyond the one that was found
MOST = 12  # numbers of components shown
EMPTY = 1.0  # rows, in expectation, below which a component is called empty
NEAR = 1.0  # nats within which two numbers of groups are as likely as each other
DOUBTFUL = 12  # rows that are shown
FEW_NAMES = 8  # names of columns that a command is written out with
ALIKE = 0.95  # share of a column's entropy that the groups take away, if it makes them
PAUSE = 2.0  # seconds between two lines on how far learning has come


@attrs.frozen(eq=False)
class Groups:
    """What was learned of N rows.

    model: the fitted estimator.
    proba: the probabilities of its components for each row (N, K).
    offered, elbos, used: the numbers of components tried, the best ELBO of each in nats,
        and how many of them hold at least one row.
    search_finished: whether the search for their number left no move to try.
    is_asked: whether their number was asked for.
    path: where components are hidden states, that of each row on the likeliest path (N,).
    stays: in hidden states, one after another.
    """

    model: VariationalMixture | VariationalHMM
    proba: np.ndarray
    offered: list[int]
    elbos: list[float]
    used: list[int]
    search_finished: bool
    is_asked: bool = False
    path: np.ndarray | None = None
    stays: list[Stay] = attrs.Factory(list)

    @property
    def are_states(self) -> bool:
        """Whether the components are hidden states."""
        return self.path is not None

    @property
    def counts(self) -> np.ndarray:
        """Expected rows of each component (K,)."""
        return self.proba.sum(axis=0)

    @property
    def kept(self) -> np.ndarray:
        """The components that hold at least one row."""
        return np.flatnonzero(self.counts >= EMPTY)

    @property
    def rival(self) -> tuple[float, int] | None:
        """The best ELBO of a model in which another number of components holds rows than in
        the chosen one, and that number; None where there is no such model."""
        rivals = []
        for elbo, number in zip(self.elbos, self.used, strict=True):
            if number != len(self.kept):
                rivals.append((elbo, number))
        return max(rivals, default=None)

    @property
    def as_likely(self) -> int | None:
        """Another number of groups whose ELBO is within `NEAR` of that of the chosen one,
        the best of these; None where there is none or one was asked for."""
        chosen = self.offered.index(self.model.n_components_)
        if self.is_asked or self.rival is None:
            return None
        elbo, number = self.rival
        return number if elbo > self.elbos[chosen] - NEAR else None

    @property
    def labels(self) -> np.ndarray:
        """The likeliest component of each row (N,), or its state on the likeliest path."""
        return self.proba.argmax(axis=1) if self.path is None else self.path

    @property
    def sure(self) -> np.ndarray:
        """The probability of its component for each row (N,)."""
        return np.take_along_axis(self.proba, self.labels[:, None], axis=1)[:, 0]

    @property
    def beside_the_path(self) -> int:
        """How many rows have another component on the likeliest path than is likeliest for
        them by themselves."""
        return int((self.labels != self.proba.argmax(axis=1)).sum())

    @property
    def doubtful(self) -> np.ndarray:
        """The rows whose component is least sure, the least sure first."""
        return np.argsort(self.sure, kind="stable")[:DOUBTFUL]


class Progress:
    """Prints how far learning has come, a line every few seconds."""

    def __init__(self):
        self.began = time.monotonic()
        self.told = self.began

    def __call__(self, K: int, elbo: float) -> None:
        """Take note of a sweep with K components and its ELBO (nats)."""
        now = time.monotonic()
        if now - self.told < PAUSE:
            return
        self.told = now
        print(
            f"  {now - self.began:.0f} s: {many(K, 'component')}, ELBO {elbo:.1f} nats",
            flush=True,
        )


def learn(
    data: Data, components: int | str, seed: int, prior_count: float = 1.0
) -> Groups:
    """Fit mixtures, or hidden Markov models where rows form sequences, and choose one.
    components: "auto" or a number. prior_count: the rows that the prior is worth.

    With "auto" a search splits, merges and deletes components; mixtures of 1, 2, ...
    components, each from several starts, stand beside it, and the highest ELBO wins.
    What takes long says how far it is. Raises ValueError as the estimator does.
    """
    with looking_on(Progress()):
        return _learn(data, components, seed, prior_count)


def _learn(data: Data, components: int | str, seed: int, prior_count: float) -> Groups:
    is_asked = components != "auto"
    what = "learning"
    if not is_asked:
        what += (
            ": a search divides, merges and takes away components, so that their number "
            "goes up and down"
        )
    print(f"{what} ...", flush=True)
    best = _fit(data, components, seed, prior_count)
    search_finished = best.search_finished_
    fits: dict[int, VariationalMixture | VariationalHMM] = {}
    models = "mixtures" if data.sequences is None else "hidden Markov models"
    print(f"for comparison, {models} of 1 component and more:", flush=True)
    for K in _numbers_to_try(data, best.n_components_):
        print(f"trying {many(K, 'component')} ...", flush=True)
        try:
            fits[K] = best if K == components else _fit(data, K, seed, prior_count)
        except ValueError as error:
            if "can be cut" not in str(error):
                raise
            break
    if not is_asked:
        K = best.n_components_
        if K not in fits or best.lower_bound_ > fits[K].lower_bound_:
            fits[K] = best
        best = max(fits.values(), key=lambda model: model.lower_bound_)
    elbos = []
    used = []
    for model in fits.values():
        counts = model.predict_proba(data.X, **as_arguments(data.sequences)).sum(axis=0)
        elbos.append(float(model.lower_bound_))
        used.append(int((counts >= EMPTY).sum()))
    proba = best.predict_proba(data.X, **as_arguments(data.sequences))
    groups = Groups(best, proba, [*fits], elbos, used, search_finished, is_asked)
    if data.sequences is None:
        return groups
    path = best.predict(data.X, **as_arguments(data.sequences))
    return attrs.evolve(groups, path=path, stays=stays(path, data.sequences.lengths))


def _fit(
    data: Data, components: int | str, seed: int, prior_count: float
) -> VariationalMixture | VariationalHMM:
    """The model of so many components, the best of some starts."""
    if data.sequences is None:
        model = VariationalMixture(components, categorical_features=data.categories)
    else:
        model = VariationalHMM(components)
    model.set_params(
        family=data.family, prior_count=prior_count, n_init=STARTS, random_state=seed
    )
    return model.fit(data.X, **as_arguments(data.sequences))


def _numbers_to_try(data: Data, chosen: int) -> list[int]:
    """Numbers of components from 1 to a few beyond the chosen one, which is among them."""
    different_rows = len(np.unique(data.X, axis=0))
    last = max(min(chosen + BEYOND, different_rows), 1)
    numbers = np.linspace(1, last, min(last, MOST)).round().astype(int)
    return sorted({*numbers.tolist(), chosen})


class Profiles(NamedTuple):
    """What is typical of each of K kept components, for P features.

    typical: of each component (K, P).
    spreads: the standard deviations in each component (K, P).
    whole: what is typical of the whole table (P,).
    whole_spread: its standard deviations (P,).
    rows: how many rows of each component have a value (K, P), in expectation.
    apart: how much they differ, in comparable units (K, P).
    names: of the features.
    values: of all rows (N, P), NaN where one is missing.
    is_share: whether a feature is a probability (P,), and not a mean.
    """

    typical: np.ndarray
    spreads: np.ndarray
    whole: np.ndarray
    whole_spread: np.ndarray
    rows: np.ndarray
    apart: np.ndarray
    names: list[str]
    values: np.ndarray
    is_share: np.ndarray

    def most_apart(self, count: int) -> np.ndarray:
        """The features, at most `count`, in which components differ most, in the order of
        the table."""
        farthest = np.argsort(-np.ptp(self.apart, axis=0), kind="stable")[:count]
        return np.sort(farthest)


def most_different(differences: np.ndarray, count: int) -> list[int]:
    """The features, at most `count`, in which differences (P,) are largest, the largest
    first."""
    return np.argsort(-np.abs(differences), kind="stable")[:count].tolist()


def profiles(data: Data, groups: Groups) -> Profiles:
    """What is typical of each kept component.

    Numbers and counts: means, and their distance from the table's in standard
    deviations. Items and categories: probabilities, and the difference from the table's
    shares, which is in standard deviations, too, where a table has numbers besides.
    """
    values, names, is_share = _features(data)
    weights = groups.proba[:, groups.kept]
    seen = ~np.isnan(values)
    known = np.where(seen, values, 0.0)
    whole = known.sum(axis=0) / seen.sum(axis=0)
    typical = np.tile(whole, (weights.shape[1], 1))  # also where nothing is seen
    rows = weights.T @ seen
    np.divide(weights.T @ known, rows, out=typical, where=rows > 0)
    spreads = np.zeros(typical.shape)
    for k, weight in enumerate(weights.T):
        squares = seen * (known - typical[k]) ** 2
        np.divide(weight @ squares, rows[k], out=spreads[k], where=rows[k] > 0)
    scale = 1.0 if data.shares else StandardScaler().fit(values).scale_
    return Profiles(
        typical=typical,
        spreads=np.sqrt(spreads),
        whole=whole,
        whole_spread=np.nanstd(values, axis=0),
        rows=rows,
        apart=(typical - whole) / scale,
        names=names,
        values=values,
        is_share=is_share,
    )


def _features(data: Data) -> tuple[np.ndarray, list[str], np.ndarray]:
    """The columns (N, P) that a report tells of, with one of 0 and 1 for each level of a
    category; their names; and whether each is a share (P,)."""
    columns = []
    names = []
    is_share = []
    for name, values in zip(data.names, data.X.T, strict=True):
        if name not in data.levels:
            columns.append(values)
            names.append(name)
            is_share.append(data.is_answer(name))
            continue
        for place, word in enumerate(data.levels[name]):
            columns.append(np.where(np.isnan(values), np.nan, values == place))
            names.append(f"{name} = {word}")
            is_share.append(True)
    return np.column_stack(columns), names, np.array(is_share)


def left_undone(groups: Groups) -> list[str]:
    """Sentences on limits at which learning ended, where a higher ELBO may lie beyond."""
    sentences = []
    if not groups.search_finished:
        sentences.append(
            "The search for more or fewer components ended at its limit, with some splits "
            "and merges not tried; another --seed may find a higher ELBO."
        )
    if not groups.model.converged_:
        sentences.append(
            f"Learning ended at its limit of {groups.model.max_iter:,} passes over the "
            "rows, while the ELBO still rose."
        )
    return sentences


def told_by_one_column(data: Data, groups: Groups) -> str:
    """A sentence on columns of few values that make the groups by themselves; "" where
    none does."""
    if len(groups.kept) < 2 or len(data.names) < 2:
        return ""
    alike = []
    for name, values in zip(data.names, data.X.T, strict=True):
        seen = ~np.isnan(values)
        distinct, which = np.unique(values[seen], return_inverse=True)
        # a column whose numbers hardly ever repeat is not one of few values
        if len(distinct) > min(FEW_VALUES, seen.sum() / 2):
            continue
        if homogeneity_score(which, groups.labels[seen]) > ALIKE:
            alike.append(name)
    if not alike:
        return ""
    option = "--leave-out"
    if len(alike) <= FEW_NAMES:
        option = asking_for("--leave-out", alike)
    return (
        f"Nearly every group holds a single value of {some(alike)}; "
        f"{option} looks for groups that do not rest on it."
    )


# ---- hidden states ----


def table_of_stays(
    found: list[Stay], table: Table, sure: np.ndarray
) -> dict[str, list]:
    """What is told of the stays that were found in the rows of a table: columns by their
    names, with the first and the last row and moment of each.

    sure: the probability of its state for each row (N,).
    """
    firsts = [stay.first for stay in found]
    lasts = [stay.last for stay in found]
    columns: dict[str, list] = {"sequence": [stay.sequence + 1 for stay in found]}
    sequences = table.sequences
    if sequences.have_names:
        name = as_given(sequences.name, ("sequence", "group", "rows"))
        columns[name] = sequences.cells[firsts].tolist()
    columns["group"] = [stay.state for stay in found]
    columns["first row"] = [table.rows[first] for first in firsts]
    columns["last row"] = [table.rows[last] for last in lasts]
    for name, values in clocks(table).items():
        shown = as_given(name, ("row",))
        columns[f"first {shown}"] = values[firsts].tolist()
        columns[f"last {shown}"] = values[lasts].tolist()
    columns["rows"] = [stay.rows for stay in found]
    least = [sure[stay.first : stay.last + 1].min() for stay in found]
    columns["least probability"] = six_digits(least)
    return columns


def clocks(table: Table) -> dict[str, np.ndarray]:
    """The columns of sequences that tell when a row was (N,), by their names: the one that
    tells where sequences begin, if it is a clock, and others of dates and times."""
    sequences = table.sequences
    found = dict(table.times)
    if sequences.is_clock:
        return {sequences.name: sequences.cells} | found
    found.pop(sequences.name, None)
    return found


def as_given(name: str, taken: Sequence[str]) -> str:
    """The name of a column of the table beside columns whose names are taken."""
    return f"{name} (given)" if name in taken else name


def six_digits(values) -> list[str]:
    """Numbers with six digits."""
    return [f"{value:.6g}" for value in values]
