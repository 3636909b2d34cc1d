"""A mixture of any family as a scikit-learn estimator."""

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    DensityMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from vbkit.checks import as_integer, as_number
from vbkit.estimators.priors import family_for
from vbkit.families import Dirichlet
from vbkit.learning import accumulation, fit_batch, fit_online, init_from_rows
from vbkit.mixture import Mixture
from vbkit.structure import init_by_splits, learn_batch, run_search, start_search

PLURALS = {name: name + "s" for name in ("mean", "covariance", "rate")}
PLURALS["probability"] = "probabilities"
ONLINE = 10  # components that online learning begins with where their number is "auto"


class VariationalMixture(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, DensityMixin, BaseEstimator
):
    """A mixture of components of any built-in family, learned by variational Bayes.

    n_components: how many, or "auto": as many as raise the ELBO, found by splitting, merging and
        deleting components (`vbkit.structure.run_search`).
    family: "gaussian" (full covariance), "diagonal", "spherical", "known" (a known covariance),
        "bernoulli" (columns of 0 and 1), "categorical" (whole numbers from 0), "poisson" (counts),
        or a `vbkit.Family` with the prior of your choice.
    prior_count: how many data points the prior is worth. Its mean and scale are those of the data's
        columns.
    concentration: of the Dirichlet prior of the weights. Below 1 it favours empty components.
    covariance: the known covariance (D, D) of family "known"; None is the identity.
    n_init: how many starts. The first one is without chance (`init_by_splits`), the others begin
        with random rows; the highest ELBO wins. "auto" begins with one component and needs none.
    max_iter, tol: learning stops after max_iter passes over the data, or when one changes the ELBO
        by less than tol nats.
    schedule: how `partial_fit` forgets, a `vbkit.learning.Schedule`; None forgets nothing.
    warm_start: whether `fit` begins with the components of the last one.
    random_state: a seed or a NumPy RandomState, for random starts and for `sample`.

    After fitting: `mixture_` and `state_` (the `vbkit.Mixture` and its state), `weights_` (K,), the
    component's parameters under their names (`means_`, `covariances_`; `probabilities_`; `rates_`),
    `n_components_`, `lower_bound_` (the ELBO in nats), `lower_bounds_`, `n_iter_`, `converged_`,
    `n_features_in_`, and `feature_names_in_` for a data frame.

    Every method raises ValueError for unfit data and settings.
    """

    def __init__(
        self,
        n_components="auto",
        *,
        family="gaussian",
        prior_count=1.0,
        concentration=1.0,
        covariance=None,
        n_init=1,
        max_iter=1000,
        tol=1e-3,
        schedule=None,
        warm_start=False,
        random_state=None,
    ):
        self.n_components = n_components
        self.family = family
        self.prior_count = prior_count
        self.concentration = concentration
        self.covariance = covariance
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.schedule = schedule
        self.warm_start = warm_start
        self.random_state = random_state

    # ---- learning ----

    def fit(self, X, y=None, sample_weight=None):
        """Learn from all rows of X (N, D), with weights (N,), by batch VB. Returns self."""
        again = self.warm_start and hasattr(self, "state_")
        X, weights = self._data(X, sample_weight, reset=True)
        start = self.state_ if again and self.state_.origin.shape == (X.shape[1],) else None
        if start is None:
            self._begin(X, weights)
        self._keep(self._batch(self.mixture_.observe(X, weights), start))
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from the rows of X (n, D), with weights (n,), one after another. Returns self.

        The first call sets the prior and learns its rows by batch VB; so give it some hundred. A
        call after `fit` goes on from there. `lower_bound_` is then not known.
        """
        first = not hasattr(self, "state_")
        X, weights = self._data(X, sample_weight, reset=first)
        if first:
            self._begin(X, weights)
            self._keep(self._batch(self.mixture_.observe(X, weights), None, online=True))
            return self
        fit = fit_online(
            self.mixture_, X, self.state_, self.schedule_, monitor=False, weights=weights
        )
        self._keep(fit)
        return self

    def fit_predict(self, X, y=None, sample_weight=None):
        """`fit`, then `predict` of the same rows."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def _data(self, X, weights, reset: bool):
        binary = self.family == "bernoulli"
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr" if binary else False, dtype=np.float64
        )
        if weights is not None:
            weights = _check_sample_weight(weights, X, ensure_non_negative=True)
        return X, weights

    def _begin(self, X, weights) -> None:
        family = family_for(self.family, X, weights, self.prior_count, self.covariance)
        self.mixture_ = Mixture(family, Dirichlet(self.concentration))
        self.schedule_ = accumulation() if self.schedule is None else self.schedule

    def _batch(self, data, start, online=False):
        """The best of the fits from all starts, or what a search finds."""
        as_number("tol", self.tol, 0)
        as_integer("max_iter", self.max_iter, 1)
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
        for _ in range(as_integer("n_init", self.n_init, 1) - 1):
            starts.append(init_from_rows(mixture, data.X, K, rng, weights=data.weights))
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
        self._n_features_out = fit.n_components
        self.weights_, components = self.mixture_.parameters(fit.S)
        for name, values in components._asdict().items():
            setattr(self, PLURALS.get(name, name) + "_", values)
        self.lower_bound_, self.lower_bounds_ = fit.elbo, fit.trace
        self.n_iter_, self.converged_ = fit.epochs, fit.converged
        self.schedule_ = fit.schedule or self.schedule_

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(check_random_state(self.random_state).randint(2**31))

    # ---- what was learned ----

    def _rows(self, X):
        check_is_fitted(self)
        return self._data(X, None, reset=False)[0]

    def predict_proba(self, X) -> np.ndarray:
        """Return the responsibilities (N, K) of the components for the rows of X (N, D)."""
        X = self._rows(X)
        return self.mixture_.responsibilities(X, self.state_)

    def transform(self, X) -> np.ndarray:
        """`predict_proba`, as features (N, K) for what comes next in a pipeline."""
        return self.predict_proba(X)

    def predict(self, X) -> np.ndarray:
        """Return the most responsible component (N,) of each row of X (N, D)."""
        return self.predict_proba(X).argmax(axis=1)

    def score_samples(self, X) -> np.ndarray:
        """Return the log predictive density (N,) of the rows of X (N, D), in nats."""
        X = self._rows(X)
        return self.mixture_.log_predictive(X, self.state_)

    def score(self, X, y=None) -> float:
        """Return the mean log predictive density of the rows of X (N, D), in nats per row."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples=1) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows (n_samples, D) from the predictive density, and their components (n_samples,).

        Rows are sorted by component, as those of scikit-learn's mixtures are.
        """
        check_is_fitted(self)
        as_integer("n_samples", n_samples, 1)
        rng = self._generator()
        counts = rng.multinomial(n_samples, self.weights_)
        effective, family = self.mixture_.effective(self.state_), self.mixture_.family
        rows = [family.sample(s, n, rng) for s, n in zip(effective, counts, strict=True)]
        return np.concatenate(rows), np.repeat(np.arange(len(counts)), counts)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.family == "bernoulli"
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
