"""Outputs from inputs by a mixture: as many linear pieces as the data support."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from vbkit.families import Family, LinearRegression, NormalWishart, Product
from vbkit.models import predict_outputs
from vbkit.own_data.learner import MixtureLearner, refuse_masks, undone_if_it_fails
from vbkit.own_data.priors import families_for


@dataclass(eq=False, repr=False)
class VariationalRegressionMixture(RegressorMixin, MultiOutputMixin, MixtureLearner):
    """A mixture of rows (x, y), learned by variational Bayes; it predicts y from x.

    family: "joint" (rows are Gaussian within a component), "experts" (x is Gaussian, y linear in x
        with noise: Sato's normalized Gaussian network, 1999, 2.2), or a `vbkit.Family` of rows (x,
        y), a `NormalWishart` or a `Product`, with the prior of your choice.
    prior_count: as that of `VariationalMixture`; the prior of the experts' weights has the mean 0.
    n_components, concentration, n_init, max_iter, tol, schedule, warm_start, random_state: as those
        of `VariationalMixture`.

    After fitting: `mixture_` and `state_` (the `vbkit.Mixture` of the rows (x, y), and its state);
    `center_` and `scale_` (D,), for it learns from (row - center_) / scale_: the mean and the
    standard deviation of the columns, or 0 and 1 for a family of your own; `weights_` (K,),
    `n_components_`, `lower_bound_` (the ELBO of the scaled rows in nats), `lower_bounds_`,
    `n_iter_`, `converged_`, `search_finished_` (as of `VariationalMixture`), `n_features_in_`, and
    `feature_names_in_` for a data frame.

    Every method raises ValueError for unfit data and settings.
    """

    family: str | Family = field(default="joint", kw_only=True)

    _parameter_constraints = MixtureLearner._parameter_constraints | {
        "family": [NormalWishart, Product, StrOptions({"joint", "experts"})]
    }

    def fit(self, X, y, sample_weight=None):
        """Learn from all rows of X (N, Dx) and y (N,) or (N, J), with weights (N,). Returns self.

        y is learned together with X, by batch VB.
        """
        with undone_if_it_fails(self):
            rows, weights = self._data(X, y, sample_weight, reset=True)
            keeps_scale = self._is_warm() and len(self.center_) == rows.shape[1]
            rows = self._scaled(rows, weights, reset=not keeps_scale)
            return self._learn(rows, weights)

    def partial_fit(self, X, y, sample_weight=None):
        """Learn from the rows of X (n, Dx) and y (n,) or (n, J), one after another. Returns self.

        The first call sets the scale and the prior and learns its rows by batch VB; so give it some
        hundred. A call after `fit` goes on from there. `lower_bound_` is then not known.
        """
        with undone_if_it_fails(self):
            first = not hasattr(self, "state_")
            rows, weights = self._data(X, y, sample_weight, reset=first)
            rows = self._scaled(rows, weights, reset=first)
            if first:
                return self._learn(rows, weights, online=True)
            return self._go_on(rows, weights)

    def _data(self, X, y, weights, reset: bool):
        """Rows (x, y), (N, D), and their weights."""
        refuse_masks(X=X, y=y, sample_weight=weights)
        X, y = validate_data(
            self, X, y, reset=reset, dtype=np.float64, multi_output=True, y_numeric=True
        )
        if weights is not None:
            weights = _check_sample_weight(weights, X, ensure_non_negative=True)
        outputs = None if y.ndim == 1 else y.shape[1]
        if not reset and outputs != self.n_outputs_:
            now = "are numbers" if outputs is None else f"have {outputs} columns"
            before = "numbers"
            if self.n_outputs_ is not None:
                before = f"{self.n_outputs_} columns"
            raise ValueError(
                f"the outputs y {now}; they must be {before}, as at the first call"
            )
        self.n_outputs_ = outputs
        return np.column_stack([X, np.asarray(y, dtype=np.float64)]), weights

    def _scaled(self, rows, weights, reset: bool) -> np.ndarray:
        """Rows (N, D) in units of the columns' spread, around their means.

        reset: take both from these rows; a family of the user's own needs none.
        """
        if reset and isinstance(self.family, Family):
            self.center_ = np.zeros(rows.shape[1])
            self.scale_ = np.ones(rows.shape[1])
        elif reset:
            self._find_scale(rows, weights)
        return (rows - self.center_) / self.scale_

    def _find_scale(self, rows, weights) -> None:
        """The mean and the standard deviation (D,) of the columns, 1 for a constant one.
        Raises ValueError where squares overflow."""
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            self.center_ = np.average(rows, axis=0, weights=weights)
            deviation = rows - self.center_
            spread = np.sqrt(np.average(deviation**2, axis=0, weights=weights))
        if not np.isfinite(spread).all():
            raise ValueError(
                "X or y is too large: its squares overflow; give other units"
            )
        rounding = 1e-12 * np.abs(self.center_)
        self.scale_ = np.where(spread > rounding, spread, 1.0)

    def _families(self, X, weights) -> list[Family]:
        """The families of rows (x, y), X (N, D), by the setting."""
        if isinstance(self.family, Family):
            return [self.family]
        count = self.prior_count
        if self.family == "joint":
            return families_for("gaussian", X, weights, count)
        inputs = self._inputs
        mean_y = np.zeros(X.shape[1] - inputs)
        families = []
        for gate in families_for("gaussian", X[:, :inputs], weights, count):
            share = gate.mean_count / count
            outputs = LinearRegression(
                gate.mean,
                mean_y,
                precision=share * count,
                shape=count / 2,
                rate=share * count / 2,
            )
            families.append(Product(gate, outputs))
        return families

    def _tells_nothing(self, X) -> np.ndarray:
        """As of every mixture; but one input and one output must be left."""
        aside = super()._tells_nothing(X)
        for part in (aside[: self.n_features_in_], aside[self.n_features_in_ :]):
            if part.all():
                part[:] = False
        return aside

    @property
    def _inputs(self) -> int:
        """How many inputs are learned from."""
        return int((self._telling < self.n_features_in_).sum())

    def _keep(self, fit) -> None:
        super()._keep(fit)
        self.weights_ = self.mixture_.parameters(fit.S)[0]

    def predict(self, X, return_std=False):
        """Return the mean (N,) or (N, J) of y at the rows of X (N, Dx), given all data.

        return_std: whether to return the standard deviations, too, as a second array. They are of y
        itself, noise included, and infinite where no density of so few data has any.
        """
        check_is_fitted(self)
        refuse_masks(X=X)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        Dx = self.n_features_in_
        inputs = self._telling[: self._inputs]
        outputs = self._telling[self._inputs :]
        x = (X[:, inputs] - self.center_[inputs]) / self.scale_[inputs]
        prediction = predict_outputs(self.mixture_, x, self.state_)
        # An output that was left aside is what it always was.
        mean = np.tile(self.center_[Dx:], (len(X), 1))
        sd = np.zeros(mean.shape)
        scale = self.scale_[outputs]
        mean[:, outputs - Dx] += scale * prediction.mean
        sd[:, outputs - Dx] = scale * np.sqrt(prediction.variance)
        if self.n_outputs_ is None:
            mean = mean[:, 0]
            sd = sd[:, 0]
        return (mean, sd) if return_std else mean
