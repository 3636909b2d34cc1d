"""How an estimator learns, whatever its rows are and whatever ties them to components."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from vbkit.families import Family
from vbkit.labels import Dirichlet
from vbkit.learning import Schedule, accumulation, fit_batch, fit_online, init_from_rows
from vbkit.learning.fit import Model
from vbkit.mixture import Mixture
from vbkit.own_data.priors import FAMILIES, family_for
from vbkit.structure import init_by_splits, learn_batch, run_search, start_search

PLURALS = {
    "mean": "means",
    "covariance": "covariances",
    "rate": "rates",
    "probability": "probabilities",
}
FIXED = "n_components", "family", "prior_count", "concentration", "covariance"
ONLINE = 10  # components that online learning begins with where their number is "auto"
POSITIVE = [Interval(Real, 0, None, closed="neither")]
WHOLE = [Interval(Integral, 1, None, closed="left")]
ITERATION = {  # settings of everything that iterates
    "n_init": WHOLE,
    "max_iter": WHOLE,
    "tol": [Interval(Real, 0, None, closed="left")],
    "random_state": ["random_state"],
}


def refuse_masks(**arguments) -> None:
    """Raise ValueError for an array, or a list of rows, with masked entries: scikit-learn's
    checks drop a mask silently."""
    for name, value in arguments.items():
        if _is_masked(value):
            raise ValueError(
                f"{name} is a masked array, whose mask would be lost; "
                "fill it or leave out rows"
            )


def _is_masked(value) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_is_masked, value))
    return isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value)


def refuse_sequences(X) -> None:
    """Raise ValueError for a list of sequences in place of their rows."""
    if not isinstance(X, list | tuple):
        return
    sizes = [len(part) for part in X if hasattr(part, "__len__")]
    is_deep = any(np.ndim(part) == 2 or _is_ragged(part) for part in X)
    if len(sizes) == len(X) and (is_deep or len(set(sizes)) > 1):
        raise ValueError(
            f"X is a list of {len(X)} sequences; give all their rows as one array, "
            f"np.concatenate(X), and lengths={sizes[:8]}{'...' * (len(sizes) > 8)}"
        )


def _is_ragged(part) -> bool:
    """Whether a list holds rows, be they of different lengths."""
    return isinstance(part, list | tuple) and any(
        hasattr(row, "__len__") for row in part
    )


@contextmanager
def undone_if_it_fails(estimator: BaseEstimator) -> Iterator[None]:
    """A block in which an estimator learns; if it fails, the estimator stays as it was.

    Raises ValueError for a setting that the estimator's `_parameter_constraints` refuse.
    """
    estimator._validate_params()
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


@dataclass(eq=False, repr=False)
class MixtureLearner(BaseEstimator):
    """Settings that estimators share, as `VariationalMixture` explains them; starts,
    search, batch and online learning, and what is kept of them.

    A dataclass, for its constructor does what scikit-learn asks of one: it stores its
    arguments and nothing else.
    """

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

    _parameter_constraints = ITERATION | {
        "n_components": [*WHOLE, StrOptions({"auto"})],
        "family": [Family, StrOptions({*FAMILIES})],
        "prior_count": POSITIVE,
        "concentration": POSITIVE,
        "schedule": [Schedule, None],
        "warm_start": ["boolean"],
    }

    def _family(self, X, weights) -> Family:
        return family_for(self.family, X, weights, self.prior_count, self.covariance)

    def _model(self, family: Family) -> Model:
        return Mixture(family, Dirichlet(self.concentration))

    def _is_warm(self) -> bool:
        """Whether learning goes on from a state that there is."""
        return self.warm_start and hasattr(self, "state_")

    def _is_plain(self, X) -> bool:
        """Whether X is what scikit-learn's checks, which take a while, would give back as
        it is."""
        return (
            type(X) is np.ndarray
            and X.dtype == np.float64
            and len(X) > 0
            and X.shape[1:] == (self.n_features_in_,)
            and not hasattr(self, "feature_names_in_")
            and bool(np.isfinite(X.sum()))
        )

    def _learn(self, X, weights, online=False, lengths=None) -> Self:
        """Learn all rows X (N, D), with weights (N,) or None, by batch VB: with a warm
        start from the state there is, if it fits.

        online: whether rows follow that are learned one after another.
        lengths: of the sequences that the rows form, if they form some.
        """
        start = None
        if self._is_warm() and self.mixture_.family.dimension == X.shape[1]:
            start = self.state_
        if start is None:
            self.mixture_ = self._model(self._family(X, weights))
            self._begun = self._fixed()
            self._planned = None
        self._check_begun()
        data = self.mixture_.observe(X, weights, lengths=lengths)
        self._keep(self._batch(data, start, online))
        return self

    def _fixed(self) -> tuple:
        """The settings that learning which goes on cannot change."""
        return tuple(getattr(self, name, None) for name in FIXED)

    def _check_begun(self) -> None:
        """Take up a new schedule. Raises ValueError for a setting that was another when
        learning began."""
        for name, before, now in zip(FIXED, self._begun, self._fixed(), strict=True):
            if isinstance(before, Family) and isinstance(now, Family):
                continue  # one read from a file is an object of its own
            if now is not before and not np.array_equal(now, before):
                raise ValueError(
                    f"{name} was {before!r} when learning began and is {now!r} now; "
                    "to change it, set warm_start to False and call fit"
                )
        planned = accumulation() if self.schedule is None else self.schedule
        if planned != self._planned:
            self._planned = planned
            self.schedule_ = planned

    def _go_on(self, X, weights, lengths=None) -> Self:
        """Learn rows X (n, D), or sequences of them, one after another."""
        self._check_begun()
        data = self.mixture_.observe(X, weights, lengths=lengths)
        self._keep(
            fit_online(self.mixture_, data, self.state_, self.schedule_, monitor=False)
        )
        return self

    def _batch(self, data, start, online: bool):
        """The best of the fits from all starts, or what a search finds."""
        rng = self._generator()
        if start is not None:
            return self._fit_from(data, start)
        K = self.n_components
        if K == "auto" and not online:
            return self._search(data, rng)
        if K == "auto":
            K = min(ONLINE, len(np.unique(data.X, axis=0)))
        starts = [init_by_splits(self.mixture_, data, K)]
        for _ in range(self.n_init - 1):
            starts.append(init_from_rows(self.mixture_, data, K, rng))
        fits = [self._fit_from(data, S) for S in starts]
        return max(fits, key=lambda fit: fit.elbo)

    def _fit_from(self, data, start):
        """The fit by batch VB from a state."""
        return fit_batch(
            self.mixture_, data, start, max_epochs=self.max_iter, tolerance=self.tol
        )

    def _search(self, data, rng):
        """The fit of as many components as raise the ELBO."""

        def quickly(mixture, data, S, rng):
            return learn_batch(mixture, data, S, rng, max_epochs=self.max_iter)

        one = init_by_splits(self.mixture_, data, 1)
        search = start_search(self.mixture_, data, one, rng, learn=quickly)
        attempts = 10 * len(data.X)  # a greedy search ends by itself, long before
        best = run_search(search, attempts).best
        return self._fit_from(data, best.S)

    def _keep(self, fit) -> None:
        """The fitted attributes, under scikit-learn's usual names."""
        self.state_ = fit.S
        self.n_components_ = fit.n_components
        self.lower_bound_ = fit.elbo
        self.lower_bounds_ = fit.trace
        self.n_iter_ = fit.epochs
        self.converged_ = fit.converged
        self.schedule_ = fit.schedule or self.schedule_

    def _show(self, components) -> None:
        """The components' parameters, each under its own name."""
        for name, values in components._asdict().items():
            setattr(self, PLURALS.get(name, name) + "_", values)

    def _generator(self) -> np.random.Generator:
        """A generator that `random_state` alone decides."""
        return generator(self.random_state)


def generator(random_state) -> np.random.Generator:
    """NumPy's new generator for scikit-learn's `random_state`: a seed, a RandomState, or
    None for one that nobody knows."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31))
