"""A hidden Markov model of any family as a scikit-learn estimator."""

import warnings
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from vbkit.checks import as_integer
from vbkit.families import Family
from vbkit.labels import Dirichlet, MarkovChain
from vbkit.mixture import Mixture
from vbkit.observations import Observations
from vbkit.own_data.learner import (
    MixtureLearner,
    refuse_masks,
    refuse_sequences,
    undone_if_it_fails,
)
from vbkit.own_data.sequences import told_of_single_rows
from vbkit.own_data.text import many


@dataclass(eq=False, repr=False)
class VariationalHMM(DensityMixin, MixtureLearner):
    """A hidden Markov model whose states emit rows of any built-in family, learned by variational
    Bayes.

    Data are the rows X (N, D) of one sequence after another, and the `lengths` (n,) of the
    sequences, whole numbers that add up to N; None takes X for one sequence. A single number cuts X
    into sequences of that many rows. The order of the rows counts.

    n_components: how many states, or "auto": as many as raise the ELBO, found by splitting, merging
        and deleting states (`vbkit.structure.run_search`).
    concentration: of the Dirichlet priors of the first state and of the one after each state. Below
        1 it favours states that are rarely left, and left for few others.
    schedule: how `partial_fit` forgets, a `vbkit.learning.Schedule`; None forgets nothing. It
        counts sequences.
    family, prior_count, covariance, n_init, max_iter, tol, warm_start, random_state: as those of
        `VariationalMixture`.

    After fitting: `model_` and `state_` (a `Mixture` with a `MarkovChain`, and its state),
    `start_probabilities_` (K,), `transition_probabilities_` (K, K) from row to column, the states'
    parameters under their names (`means_`, `covariances_`; `probabilities_`; `rates_`),
    `n_components_`, `lower_bound_` (the ELBO in nats), `lower_bounds_`, `n_iter_`, `converged_`,
    `search_finished_` (as of `VariationalMixture`), `n_features_in_`,
    and `feature_names_in_` for a data frame.

    Every method raises ValueError for unfit data, lengths and settings. Learning warns where most
    sequences have one row, for then nothing follows.
    """

    covariance: np.ndarray | None = field(default=None, kw_only=True)

    _parameter_constraints = MixtureLearner._parameter_constraints | {
        "covariance": ["array-like", None]
    }

    # ---- learning ----

    def fit(self, X, y=None, lengths=None):
        """Learn from all sequences of X (N, D) by batch VB. Returns self."""
        with undone_if_it_fails(self):
            rows = self._data(X, reset=True)
            return self._learn(rows, None, lengths=lengths)

    def partial_fit(self, X, y=None, lengths=None):
        """Learn from the sequences of X (N, D) one after another. Returns self.

        The first call is `fit`, with its search if n_components is "auto"; so give it some
        sequences. A call after `fit` goes on from there, with as many states. `lower_bound_` is
        then not known.
        """
        with undone_if_it_fails(self):
            first = not hasattr(self, "state_")
            rows = self._data(X, reset=first)
            if first:
                return self._learn(rows, None, lengths=lengths)
            return self._go_on(rows, None, lengths)

    def fit_predict(self, X, y=None, lengths=None):
        """`fit`, then `predict` of the same sequences."""
        return self.fit(X, lengths=lengths).predict(X, lengths)

    def _data(self, X, reset: bool = False):
        """Rows (N, D), checked."""
        refuse_masks(X=X)
        refuse_sequences(X)
        if not reset and self._is_plain(X):
            return X
        rows = validate_data(
            self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        has_gap = np.isnan(rows).any(axis=1)
        if has_gap.any():
            raise ValueError(
                f"X has NaN in {has_gap.sum()} of {many(len(rows), 'row')}, the first of "
                f"them row {np.argmax(has_gap)}; VariationalHMM takes no empty cells: "
                "leave out these rows, and count the lengths without them, or fill these "
                "cells with the value before"
            )
        return rows

    def _model(self, family: Family) -> Mixture:
        prior = Dirichlet(self.concentration)
        return Mixture(family, MarkovChain(prior, prior))

    def _batch(self, models: list[Mixture], data: Observations, start, online: bool):
        told = told_of_single_rows(np.diff(data.starts))
        if told:
            warnings.warn(
                f"{told}, after which nothing follows; lengths says how many rows each "
                "sequence has",
                stacklevel=4,
            )
        return super()._batch(models, data, start, online)

    def _keep(self, fit) -> None:
        super()._keep(fit)
        parameters = self.model_.parameters(fit.S)
        self.start_probabilities_ = parameters.starts
        self.transition_probabilities_ = parameters.transitions
        self._show(parameters.components)

    # ---- what was learned ----

    @property
    def model_(self) -> Mixture:
        """The hidden Markov model that was learned."""
        return self.mixture_

    def _sequences(self, X, lengths) -> Observations:
        """Rows (N, D) and their lengths, checked."""
        check_is_fitted(self)
        return self.model_.observe(self._told(self._data(X)), lengths=lengths)

    def predict(self, X, lengths=None) -> np.ndarray:
        """Return the most probable states (N,) of each sequence as a whole (Viterbi's path).

        They follow each other as the transitions allow. The most probable state of each row by
        itself is `predict_proba(X, lengths).argmax(axis=1)`.
        """
        data = self._sequences(X, lengths)
        return self.model_.most_probable_labels(data, self.state_)

    def predict_proba(self, X, lengths=None) -> np.ndarray:
        """Return the probabilities (N, K) of the states of each row, given its whole sequence."""
        data = self._sequences(X, lengths)
        return self.model_.responsibilities(data, self.state_)

    def score_samples(self, X, lengths=None) -> np.ndarray:
        """Return the log predictive density (n,) of each sequence, in nats."""
        data = self._sequences(X, lengths)
        return self.model_.log_predictive(data, self.state_)

    def score(self, X, y=None, lengths=None) -> float:
        """Return the log predictive density of all sequences, in nats per row."""
        data = self._sequences(X, lengths)
        return float(self.model_.log_predictive(data, self.state_).sum() / len(data.X))

    def sample(self, n_samples=1) -> tuple[np.ndarray, np.ndarray]:
        """Draw one sequence of rows (n_samples, D) from the predictive density, and its states
        (n_samples,)."""
        check_is_fitted(self)
        as_integer("n_samples", n_samples, 1)
        rows, states = self.model_.sample_with_labels(
            self.state_, n_samples, self._generator()
        )
        return self._with_aside(rows), states
