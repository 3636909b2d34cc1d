"""How an estimator learns, whatever its rows are and whatever ties them to components."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from vbkit.families import Family
from vbkit.labels import Dirichlet
from vbkit.learning import (
    Fit,
    Schedule,
    accumulation,
    fit_batch,
    fit_online,
    init_from_rows,
)
from vbkit.learning.batch import batch_epochs, has_converged
from vbkit.learning.fit import Model
from vbkit.mixture import Mixture
from vbkit.observations import Observations
from vbkit.own_data.priors import FAMILIES, ROUNDING, families_for, is_constant
from vbkit.structure import (
    first_splits,
    init_by_splits,
    responsibility_statistics,
    run_search,
    start_search,
)
from vbkit.structure.search import IMPROVEMENT

PLURALS = {
    "mean": "means",
    "covariance": "covariances",
    "rate": "rates",
    "probability": "probabilities",
}
FIXED = "n_components", "family", "prior_count", "concentration", "covariance"
DISCRETE = "bernoulli", "categorical", "poisson", "columns"
ENOUGH = 0.01  # nats: in a search, an epoch that changes the ELBO by less is the last
ENOUGH_OF_A_ROW = 2e-5  # nats a row, the same where rows are many
SOME_ROWS = 2000  # rows that tell which prior suits
VISITED = 10**6  # rows that the attempts of a search may have together
ATTEMPTS = 20  # attempts of a search that are made at least before it stops
AT_LEAST = 5  # epochs before a run may be left
PATIENCE = 30  # epochs that a run may lack, at its pace, to become the best
SPLITS = 20  # splits that a prior's fit may lack, at its pace, to become the best
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

    def _families(self, X, weights) -> list[Family]:
        """The priors of which the ELBO chooses; the first is the one to begin with."""
        return families_for(self.family, X, weights, self.prior_count, self._known())

    def _known(self):
        """What the family takes as known of the columns that are learned from."""
        if self.family == "columns":
            return [len(self.categories_[d] or ()) for d in self._telling]
        if self.covariance is None or not len(self.left_aside_):
            return self.covariance
        return np.asarray(self.covariance)[np.ix_(self._telling, self._telling)]

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
        X, weights = _rows_that_count(X, weights)
        if not X.shape[0]:
            raise ValueError("all weights are 0; there is nothing to learn from")
        start = None
        if self._is_warm() and len(self._usual) == X.shape[1]:
            start = self.state_
            models = [self.mixture_]
        else:
            self._leave_aside(X, online)
        X = self._told(X)
        if start is None:
            models = [self._model(each) for each in self._families(X, weights)]
            self.mixture_ = models[0]
            self._begun = self._fixed()
            self._planned = None
        self._check_fixed()
        self._take_up_schedule()
        data = self.mixture_.observe(X, weights, lengths=lengths)
        fit = self._batch(models, data, start, online)
        self.mixture_ = fit.mixture
        self._keep(fit)
        return self

    # ---- columns without information ----

    def _leave_aside(self, X, online: bool) -> None:
        """Note which columns hold one number only and so tell nothing of any group."""
        if online and self.family in DISCRETE:
            aside = np.full(X.shape[1], False)  # later rows may hold what these lack
        else:
            aside = self._tells_nothing(X)
        first = X[0].toarray()[0] if issparse(X) else np.fmax.reduce(X)
        self._usual = np.asarray(first, dtype=np.float64)
        self.left_aside_ = np.flatnonzero(aside)

    def _tells_nothing(self, X) -> np.ndarray:
        """Whether each column (D,) is to be left aside: if it is constant, unless all are,
        or the family is the user's own."""
        aside = is_constant(X)
        if isinstance(self.family, Family) or aside.all():
            aside[:] = False
        return aside

    @property
    def _telling(self) -> np.ndarray:
        """The indices of the columns that are learned from."""
        return np.delete(np.arange(len(self._usual)), self.left_aside_)

    def _told(self, X):
        """The columns of X (N, D) that are learned from."""
        if not len(self.left_aside_):
            return X
        return X[:, self._telling] if issparse(X) else X.take(self._telling, axis=1)

    def _with_aside(self, X) -> np.ndarray:
        """Rows (N, D) whose told columns are X; the others hold what they always held."""
        if not len(self.left_aside_):
            return X
        rows = np.tile(self._usual, (len(X), 1))
        rows[:, self._telling] = X
        return rows

    def _fixed(self) -> tuple:
        """The settings that learning which goes on cannot change."""
        return tuple(getattr(self, name, None) for name in FIXED)

    def _check_fixed(self) -> None:
        """Raise ValueError for a setting that was another when learning began."""
        for name, before, now in zip(FIXED, self._begun, self._fixed(), strict=True):
            if isinstance(before, Family) and isinstance(now, Family):
                continue  # one read from a file is an object of its own
            if now is not before and not np.array_equal(now, before):
                raise ValueError(
                    f"{name} was {before!r} when learning began and is {now!r} now; "
                    "to change it, set warm_start to False and call fit"
                )

    def _take_up_schedule(self) -> None:
        """Begin with the schedule that is set, unless learning is in the middle of it."""
        planned = accumulation() if self.schedule is None else self.schedule
        if planned != self._planned:
            self._planned = planned
            self.schedule_ = planned

    def _go_on(self, X, weights, lengths=None) -> Self:
        """Learn rows X (n, D), or sequences of them, one after another."""
        self._check_fixed()
        self._take_up_schedule()
        X, weights = _rows_that_count(X, weights)
        news = self._news(X)
        if len(news):
            warnings.warn(
                f"X column {news[0]} was constant when learning began and is left aside; "
                "it varies now: call fit with these rows, too",
                stacklevel=3,
            )
        data = self.mixture_.observe(self._told(X), weights, lengths=lengths)
        self._keep(
            fit_online(self.mixture_, data, self.state_, self.schedule_, monitor=False)
        )
        return self

    def _news(self, X) -> np.ndarray:
        """The columns that were left aside and hold another number in rows X (N, D)."""
        aside = X[:, self.left_aside_]
        if issparse(aside):
            aside = aside.toarray()
        usual = self._usual[self.left_aside_]
        is_new = np.abs(aside - usual) > ROUNDING * np.abs(usual)
        return self.left_aside_[is_new.any(axis=0)]

    # ---- starts and searches ----

    def _batch(self, models: list[Model], data, start, online: bool):
        """The best of the fits from all starts, or what a search finds, under the prior
        that the ELBO chooses."""
        rng = self._generator()
        self.search_finished_ = True
        if start is not None:
            return self._fit_from(self.mixture_, data, start)
        K = self.n_components
        if K == "auto" and not online:
            return self._search(models, data, rng)
        if K == "auto":
            K = min(ONLINE, len(np.unique(data.X, axis=0)))
        starts = [init_by_splits(models[0], data, K)]
        for _ in range(self.n_init - 1):
            starts.append(init_from_rows(models[0], data, K, rng))

        def learn(mixture, S):
            return self._fit_from(mixture, data, S)

        fits = [_settled(models, data, learn(models[0], S), learn) for S in starts]
        return max(fits, key=lambda fit: fit.elbo)

    def _fit_from(self, mixture, data, start):
        """The fit by batch VB from a state."""
        return fit_batch(
            mixture, data, start, max_epochs=self.max_iter, tolerance=self.tol
        )

    def _search(self, models: list[Model], data, rng):
        """The fit of as many components as raise the ELBO.

        Under each prior one component is divided as long as that pays, of some of the rows
        where these are many. Under the prior with the highest ELBO this is done with all
        rows, and then a search splits, merges and deletes. It ends by itself, or after so
        many attempts that their rows are `VISITED` together.
        """
        prior = self._best_prior(models, _some_rows(data, rng))
        one = init_by_splits(prior, data, 1)
        best = grow(prior, data, one, self._impatient(data), -np.inf)
        attempts = max(ATTEMPTS, VISITED // len(data.X))

        def thoroughly(mixture, S):
            learn = self._impatient(data)
            search = start_search(mixture, data, S, rng, learn=learn)
            search = run_search(search, attempts)
            self.search_finished_ = search.finished
            return search.best

        best = thoroughly(prior, best.S)
        best = _settled(models, data, best, thoroughly)
        return self._fit_from(best.mixture, data, best.S)

    def _best_prior(self, models: list[Model], data) -> Model:
        """The prior under which dividing components leads to the highest ELBO."""
        if len(models) == 1:
            return models[0]
        one = init_by_splits(models[0], data, 1)
        elbos = _elbos(models, data, one)
        best = None
        bar = -np.inf
        for place in np.argsort(elbos, kind="stable")[::-1].tolist():
            if best is not None and elbos[place] == -np.inf:
                break
            fit = grow(models[place], data, one, self._impatient(data), bar)
            if fit.elbo > bar:
                best = models[place]
                bar = fit.elbo
        return best

    def _impatient(self, data) -> "Impatience":
        return Impatience(self.max_iter, max(ENOUGH, ENOUGH_OF_A_ROW * len(data.X)))

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
            values = self._parameters_with_aside(name, values)
            setattr(self, PLURALS.get(name, name) + "_", values)

    def _parameters_with_aside(self, name: str, values: np.ndarray) -> np.ndarray:
        """A parameter of the components (K, ...), with what the columns left aside always
        held: their number as a mean, rate or probability, and no variance."""
        if not len(self.left_aside_):
            return values
        if self.family == "columns":
            told = dict(zip(self._telling.tolist(), values, strict=True))
            return tuple(told.get(d) for d in range(len(self._usual)))
        K = len(values)
        if name == "covariance":
            D = len(self._usual)
            whole = np.zeros((K, D, D))
            whole[:, self._telling[:, None], self._telling] = values
            return whole
        if self.family != "categorical":
            return self._with_aside(values)
        columns = np.split(values, self.mixture_.family.first[1:], axis=1)
        for column in self.left_aside_.tolist():
            level = int(self._usual[column])
            always = np.zeros((K, level + 1))
            always[:, level] = 1.0
            columns.insert(column, always)
        return np.concatenate(columns, axis=1)

    def _generator(self) -> np.random.Generator:
        """A generator that `random_state` alone decides."""
        return generator(self.random_state)


class Impatience:
    """Batch VB that gives up what will not become the best in a while.

    A function for searches. It remembers the highest ELBO that it reached, and leaves a
    run that at its present pace would need more than `PATIENCE` further epochs for that.

    max_epochs: of a run. tolerance: nats; an epoch that changes the ELBO by less is the last.
    """

    def __init__(self, max_epochs: int, tolerance: float):
        self.max_epochs = max_epochs
        self.tolerance = tolerance
        self.best = -np.inf

    def __call__(self, mixture, data, S, rng=None) -> Fit:
        trace = []
        for epoch, step in enumerate(batch_epochs(mixture, data, S)):
            state, elbo = step
            trace.append(elbo)
            if epoch == self.max_epochs or has_converged(trace, self.tolerance):
                break
            if epoch >= AT_LEAST:
                pace = trace[-1] - trace[-2]
                if self.best - elbo > PATIENCE * pace:
                    break
        self.best = max(self.best, elbo)
        converged = has_converged(trace, self.tolerance)
        return Fit(mixture, state.copy(), np.array(trace), epoch, converged)


def grow(mixture: Model, data, S, learn: Impatience, bar: float) -> Fit:
    """The fit that dividing components, one at a time by its first cut, leads to from the
    state S (K, P), as long as one of them raises the ELBO, and as it may still reach the
    bar (nats): by `SPLITS` further ones that raise it as much as the last one did."""
    fit = learn(mixture, data, S)
    while True:
        stats = responsibility_statistics(mixture, data, fit.S)
        for move in first_splits(stats):
            trial = learn(mixture, data, move.S)
            gain = trial.elbo - fit.elbo
            if gain > IMPROVEMENT:
                fit = trial
                break
        else:
            return fit
        if bar - fit.elbo > SPLITS * gain:
            return fit


def _rows_that_count(X, weights):
    """Rows of X (N, D) and their weights (N,) or None, without those of weight 0."""
    if weights is None:
        return X, None
    return X[weights > 0], weights[weights > 0]


def _some_rows(data: Observations, rng) -> Observations:
    """At most `SOME_ROWS` of the rows, drawn at random; all where rows form sequences."""
    if len(data.X) <= SOME_ROWS or data.starts is not None:
        return data
    rows = np.sort(rng.choice(len(data.X), SOME_ROWS, replace=False))
    weights = None if data.weights is None else data.weights[rows]
    log_base = None if data.log_base is None else data.log_base[rows]
    return Observations(data.X[rows], weights, data.family, log_base)


def _settled(models: list[Model], data, fit: Fit, learn) -> Fit:
    """The fit under the prior that suits it best, learned on by `learn(mixture, S)` as
    long as another prior raises the ELBO."""
    while True:
        elbos = _elbos(models, data, fit.S)
        place = int(np.argmax(elbos))
        if elbos[place] <= fit.elbo + IMPROVEMENT:
            return fit
        after = learn(models[place], fit.S)
        if after.elbo <= fit.elbo:
            return fit
        fit = after


def _elbos(models: list[Model], data, S) -> list[float]:
    """The ELBO of a state S (K, P) under each prior; -inf under one that is too narrow
    for the digits of the data."""
    elbos = []
    for model in models:
        try:
            elbos.append(model.elbo(data, S))
        except ValueError:
            elbos.append(-np.inf)
    return elbos


def generator(random_state) -> np.random.Generator:
    """NumPy's new generator for scikit-learn's `random_state`: a seed, a RandomState, or
    None for one that nobody knows."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31))
