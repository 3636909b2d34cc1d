"""Learn groups from a table, and what a report tells about them."""

from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import require

require("sklearn", "sklearn")

from vbkit.own_data.estimators import VariationalMixture
from vbkit.own_data.tables.kinds import Data

STARTS = 3  # for each number of components
BEYOND = 3  # numbers of components shown beyond the one that was found
MOST = 12  # numbers of components shown
EMPTY = 1.0  # rows, in expectation, below which a component is called empty
DOUBTFUL = 12  # rows that are shown


@attrs.frozen(eq=False)
class Groups:
    """model: the fitted estimator. proba (N, K). offered, elbos, used: the numbers of components
    tried, the best ELBO of each in nats, and how many of them hold at least one row. kept: the
    components that do. doubtful: the rows whose largest probability is lowest."""

    model: VariationalMixture
    proba: np.ndarray
    offered: list[int]
    elbos: list[float]
    used: list[int]

    @property
    def counts(self) -> np.ndarray:
        return self.proba.sum(axis=0)

    @property
    def kept(self) -> np.ndarray:
        return np.flatnonzero(self.counts >= EMPTY)

    @property
    def doubtful(self) -> np.ndarray:
        return np.argsort(self.proba.max(axis=1), kind="stable")[:DOUBTFUL]


def learn(data: Data, components: int | str, seed: int) -> Groups:
    """Fit mixtures and choose one. components: "auto" or a number.

    With "auto" a search splits, merges and deletes components; mixtures of 1, 2, ... components,
    each from several starts, stand beside it, and the highest ELBO wins. Raises ValueError as the
    estimator does.
    """

    def fit(K):
        settings = {"n_init": STARTS, "random_state": seed}
        return VariationalMixture(K, family=data.family, **settings).fit(data.X)

    print("learning ...")
    best = fit(components)
    rows = len(np.unique(data.X, axis=0))
    last = max(min(best.n_components_ + BEYOND, rows), 1)
    offered = np.unique(
        np.linspace(1, last, min(last, MOST)).round().astype(int)
    ).tolist()
    offered = sorted({*offered, best.n_components_})
    fits = {}
    for K in offered:
        print(f"trying {K} component{'s' * (K > 1)} ...")
        try:
            fits[K] = best if K == components else fit(K)
        except ValueError as error:
            if "can be cut" not in str(error):
                raise
            break
    if components == "auto":
        K = best.n_components_
        if K not in fits or best.lower_bound_ > fits[K].lower_bound_:
            fits[K] = best
        best = max(fits.values(), key=lambda model: model.lower_bound_)
    proba = {K: model.predict_proba(data.X) for K, model in fits.items()}
    used = [int((p.sum(axis=0) >= EMPTY).sum()) for p in proba.values()]
    elbos = [float(model.lower_bound_) for model in fits.values()]
    return Groups(best, best.predict_proba(data.X), [*fits], elbos, used)


class Profiles(NamedTuple):
    """What is typical of each kept component, (K, P), and of the whole table, (P,); how much they
    differ in comparable units, (K, P); and the names of the P features."""

    typical: np.ndarray
    whole: np.ndarray
    apart: np.ndarray
    names: list[str]


def profiles(data: Data, groups: Groups) -> Profiles:
    """Numbers and counts: means, and their distance from the table's in standard deviations. Items
    and categories: probabilities, and the difference from the table's shares."""
    weights = groups.proba[:, groups.kept] / groups.counts[groups.kept]
    X, names = data.X, data.names
    if data.family == "categorical":
        X = np.hstack(
            [X[:, [d]] == np.arange(len(data.levels[n])) for d, n in enumerate(names)]
        )
        names = [f"{name} = {level}" for name in names for level in data.levels[name]]
    typical, whole = weights.T @ X, X.mean(axis=0)
    scale = 1.0 if data.shares else np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 1.0)
    return Profiles(typical, whole, (typical - whole) / scale, names)
