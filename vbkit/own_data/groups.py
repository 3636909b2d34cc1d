"""Learn groups from a table, and what a report tells about them."""

import time
from typing import NamedTuple

import attrs
import numpy as np
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from vbkit.learning.batch import looking_on
from vbkit.own_data import VariationalMixture
from vbkit.own_data.preparation import Data
from vbkit.own_data.text import many

STARTS = 3  # for each number of components
BEYOND = 3  # numbers of components shown beyond the one that was found
MOST = 12  # numbers of components shown
EMPTY = 1.0  # rows, in expectation, below which a component is called empty
DOUBTFUL = 12  # rows that are shown
PAUSE = 2.0  # seconds between two lines on how far learning has come


@attrs.frozen(eq=False)
class Groups:
    """What was learned of N rows.

    model: the fitted estimator.
    proba: the probabilities of its components for each row (N, K).
    offered, elbos, used: the numbers of components tried, the best ELBO of each in nats,
        and how many of them hold at least one row.
    """

    model: VariationalMixture
    proba: np.ndarray
    offered: list[int]
    elbos: list[float]
    used: list[int]

    @property
    def counts(self) -> np.ndarray:
        """Expected rows of each component (K,)."""
        return self.proba.sum(axis=0)

    @property
    def kept(self) -> np.ndarray:
        """The components that hold at least one row."""
        return np.flatnonzero(self.counts >= EMPTY)

    @property
    def labels(self) -> np.ndarray:
        """The likeliest component of each row (N,)."""
        return self.proba.argmax(axis=1)

    @property
    def doubtful(self) -> np.ndarray:
        """The rows whose largest probability is lowest, the lowest first."""
        return np.argsort(self.proba.max(axis=1), kind="stable")[:DOUBTFUL]


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
    """Fit mixtures and choose one. components: "auto" or a number. prior_count: the rows that
    the prior is worth.

    With "auto" a search splits, merges and deletes components; mixtures of 1, 2, ...
    components, each from several starts, stand beside it, and the highest ELBO wins.
    What takes long says how far it is. Raises ValueError as the estimator does.
    """
    with looking_on(Progress()):
        return _learn(data, components, seed, prior_count)


def _learn(data: Data, components: int | str, seed: int, prior_count: float) -> Groups:
    print("learning ...", flush=True)
    best = _fit(data, components, seed, prior_count)
    fits: dict[int, VariationalMixture] = {}
    for K in _numbers_to_try(data, best.n_components_):
        print(f"trying {many(K, 'component')} ...", flush=True)
        try:
            fits[K] = best if K == components else _fit(data, K, seed, prior_count)
        except ValueError as error:
            if "can be cut" not in str(error):
                raise
            break
    if components == "auto":
        K = best.n_components_
        if K not in fits or best.lower_bound_ > fits[K].lower_bound_:
            fits[K] = best
        best = max(fits.values(), key=lambda model: model.lower_bound_)
    elbos = []
    used = []
    for model in fits.values():
        counts = model.predict_proba(data.X).sum(axis=0)
        elbos.append(float(model.lower_bound_))
        used.append(int((counts >= EMPTY).sum()))
    return Groups(best, best.predict_proba(data.X), [*fits], elbos, used)


def _fit(
    data: Data, components: int | str, seed: int, prior_count: float
) -> VariationalMixture:
    """The mixture of so many components, the best of some starts."""
    model = VariationalMixture(
        components,
        family=data.family,
        prior_count=prior_count,
        n_init=STARTS,
        random_state=seed,
    )
    return model.fit(data.X)


def _numbers_to_try(data: Data, chosen: int) -> list[int]:
    """Numbers of components from 1 to a few beyond the chosen one, which is among them."""
    different_rows = len(np.unique(data.X, axis=0))
    last = max(min(chosen + BEYOND, different_rows), 1)
    numbers = np.linspace(1, last, min(last, MOST)).round().astype(int)
    return sorted({*numbers.tolist(), chosen})


class Profiles(NamedTuple):
    """What is typical of each of K kept components, for P features.

    typical: of each component (K, P).
    whole: of the whole table (P,).
    apart: how much they differ, in comparable units (K, P).
    names: of the features.
    """

    typical: np.ndarray
    whole: np.ndarray
    apart: np.ndarray
    names: list[str]


def profiles(data: Data, groups: Groups) -> Profiles:
    """What is typical of each kept component.

    Numbers and counts: means, and their distance from the table's in standard
    deviations. Items and categories: probabilities, and the difference from the table's
    shares.
    """
    weights = groups.proba[:, groups.kept] / groups.counts[groups.kept]
    X = data.X
    names = data.names
    if data.family == "categorical":
        X, names = _indicators(data)
    typical = weights.T @ X
    whole = X.mean(axis=0)
    scale = 1.0 if data.shares else StandardScaler().fit(X).scale_
    return Profiles(typical, whole, (typical - whole) / scale, names)


def _indicators(data: Data) -> tuple[np.ndarray, list[str]]:
    """A column of 0 and 1 (N, P) for each level of each category, and their names."""
    names = [f"{name} = {word}" for name in data.names for word in data.levels[name]]
    return OneHotEncoder(sparse_output=False).fit_transform(data.X), names
