"""How an estimator learns, whatever its rows are and whatever ties them to components."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import wraps
from inspect import signature
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from vbkit.checks import as_instance, as_integer, as_number
from vbkit.families import Family
from vbkit.labels import Dirichlet
from vbkit.learning import Schedule, accumulation, fit_batch, fit_online, init_from_rows
from vbkit.learning.fit import Model
from vbkit.mixture import Mixture
from vbkit.own_data.estimators.priors import family_for
from vbkit.structure import init_by_splits, learn_batch, run_search, start_search

PLURALS = {name: name + "s" for name in ("mean", "covariance", "rate")}
PLURALS["probability"] = "probabilities"
FIXED = "n_components", "family", "prior_count", "concentration", "covariance"
ONLINE = 10  # components that online learning begins with where their number is "auto"


def refuse_mask(name: str, value) -> None:
    """ValueError for an array, or a list of rows, with masked entries: scikit-learn's checks drop
    a mask silently."""
    if _masked(value):
        words = "is a masked array, whose mask would be lost; fill it or leave out rows"
        raise ValueError(f"{name} {words}")


def _masked(value) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_masked, value))
    return isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value)


def whole_or_not(method: Callable) -> Callable:
    """A method that learns: if it fails, the estimator stays as it was."""

    @wraps(method)
    def learn(self, *args, **named):
        for name, value in (
            signature(method).bind(self, *args, **named).arguments.items()
        ):
            refuse_mask(name, value)
        before = vars(self).copy()
        try:
            return method(self, *args, **named)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return learn


@dataclass(eq=False, repr=False)
class MixtureLearner(BaseEstimator):
    """Settings that estimators share, as `VariationalMixture` explains them; starts, search, batch
    and online learning, and what is kept of them."""

    n_components: int | str = "auto"
    _: KW_ONLY
    family: str | Family = "gaussian"
    prior_count: float = 1.0
    concentration: float = 1.0
    n_init: int = 1
    max_iter: int = 1000
    tol: float = 1e-3
    schedule: Schedule | None = None
    warm_start: bool = False
    random_state: int | np.random.RandomState | None = None

    def _family(self, X, weights) -> Family:
        return family_for(self.family, X, weights, self.prior_count, self.covariance)

    def _model(self, family: Family) -> Model:
        return Mixture(family, Dirichlet(self.concentration))

    def _plain(self, X) -> bool:
        """Whether X is what scikit-learn's checks, which take a while, would give back as it is."""
        return (
            type(X) is np.ndarray
            and X.dtype == np.float64
            and X.ndim == 2
            and len(X) > 0
            and X.shape[1] == self.n_features_in_
            and not hasattr(self, "feature_names_in_")
            and bool(np.isfinite(X.sum()))
        )

    def _learn(self, X, weights, again=False, online=False, **further) -> Self:
        """Learn all rows X (N, D) by batch VB: from the state there is, if `again` and it fits.

        further: what the model's `observe` takes besides.
        """
        as_number("tol", self.tol, 0)
        as_integer("max_iter", self.max_iter, 1)
        as_integer("n_init", self.n_init, 1)
        start = (
            self.state_
            if again and self.mixture_.family.dimension == X.shape[1]
            else None
        )
        if start is None:
            self.mixture_ = self._model(self._family(X, weights))
            self._begun, self._planned = self._fixed(), None
        self._check_begun()
        data = self.mixture_.observe(X, weights, **further)
        self._keep(self._batch(data, start, online))
        return self

    def _fixed(self) -> tuple:
        """The settings that learning which goes on cannot change."""
        return tuple(getattr(self, name, None) for name in FIXED)

    def _check_begun(self) -> None:
        """Take up a new schedule; ValueError for a setting that was another when learning began."""
        for name, before, now in zip(FIXED, self._begun, self._fixed(), strict=True):
            if isinstance(before, Family) and isinstance(now, Family):
                continue  # one read from a file is an object of its own
            if now is not before and not np.array_equal(now, before):
                found = f"{name} was {before!r} when learning began and is {now!r} now"
                raise ValueError(
                    f"{found}; to change it, set warm_start to False and call fit"
                )
        planned = accumulation() if self.schedule is None else self.schedule
        if as_instance("schedule", planned, Schedule, "sato2000(N)") != self._planned:
            self.schedule_ = self._planned = planned

    def _go_on(self, X, weights, **further) -> Self:
        """Learn rows X (n, D), or sequences of them, one after another."""
        self._check_begun()
        data = self.mixture_.observe(X, weights, **further)
        self._keep(
            fit_online(self.mixture_, data, self.state_, self.schedule_, monitor=False)
        )
        return self

    def _batch(self, data, start, online):
        """The best of the fits from all starts, or what a search finds."""
        learn = {"max_epochs": self.max_iter, "tolerance": self.tol}
        mixture, rng = self.mixture_, self._generator()
        if start is not None:
            return fit_batch(mixture, data, start, **learn)
        K = self.n_components
        if isinstance(K, str) and K == "auto":
            if not online:
                return self._search(data, rng, learn)
            K = min(ONLINE, len(np.unique(data.X, axis=0)))
        as_integer("n_components", K, 1)
        starts = [init_by_splits(mixture, data, K)]
        for _ in range(self.n_init - 1):
            starts.append(init_from_rows(mixture, data, K, rng))
        fits = [fit_batch(mixture, data, S, **learn) for S in starts]
        return max(fits, key=lambda fit: fit.elbo)

    def _search(self, data, rng, learn):
        def quickly(mixture, data, S, rng):
            return learn_batch(mixture, data, S, rng, max_epochs=self.max_iter)

        one = init_by_splits(self.mixture_, data, 1)
        search = start_search(self.mixture_, data, one, rng, learn=quickly)
        attempts = 10 * len(data.X)  # a greedy search ends by itself, long before
        found = run_search(search, attempts).best
        return fit_batch(self.mixture_, data, found.S, **learn)

    def _keep(self, fit) -> None:
        """The fitted attributes, under scikit-learn's usual names."""
        self.state_, self.n_components_ = fit.S, fit.n_components
        self.lower_bound_, self.lower_bounds_ = fit.elbo, fit.trace
        self.n_iter_, self.converged_ = fit.epochs, fit.converged
        self.schedule_ = fit.schedule or self.schedule_

    def _show(self, components) -> None:
        """The components' parameters, each under its own name."""
        for name, values in components._asdict().items():
            setattr(self, PLURALS.get(name, name) + "_", values)

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(
            check_random_state(self.random_state).randint(2**31)
        )
