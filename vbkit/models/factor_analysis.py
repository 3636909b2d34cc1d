"""Factor analysis and mixtures of it: rows that a few hidden factors move.

Of a component, x = mean + loadings z + noise with factors z ~ N(0, I) (Sato 2000, 2.1,
names the mixtures of factor analysers and of probabilistic principal components). Given z
this is the family `LinearRegression` of x on z, so a state holds its statistics with z
integrated out: in the E-step, q(z_n | label) is Gaussian with one covariance per component.

How much a factor matters is learned too (`Relevance`): a state holds, besides, half the
expected squares of the loadings on each factor in units of the noise, times the component's
count. So they are one more statistic of every row, in chunks and online too.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import gammaln

from vbkit.checks import (
    as_generator,
    as_instance,
    as_integer,
    as_positive,
    checked,
    require_numbers,
)
from vbkit.compiled.softmax import log_sums
from vbkit.families.regression import LinearRegression
from vbkit.labels import Dirichlet
from vbkit.mixture import EM, EStep, as_responsibilities, as_state, check_clones
from vbkit.observations import Moments, Observations, observe_rows


@attrs.frozen
class Relevance:
    """How much a hidden factor matters: the prior of the precision alpha of its loadings,
    alpha ~ Gamma(shape, rate).

    The loadings on a factor are N(0, 1 / (alpha rho_j)), one for each of J outputs of noise
    precision rho_j. The posterior of alpha is a factor of its own, a gamma density of mean

        (shape + J / 2) / (rate + v),   v = sum_j E[rho_j w_j^2] / 2.

    Raises ValueError unless shape and rate are > 0.
    """

    shape: float = checked(as_positive, default=1e-3)
    rate: float = checked(as_positive, default=1e-3)

    def mean(self, sums, counts, outputs: int) -> np.ndarray:
        """E[alpha] (..., Q) for sums (..., Q) of v times the counts (..., 1); where the count
        is 0 the prior's, shape / rate."""
        seen = counts > 0
        v = sums / np.where(seen, counts, 1.0)
        mean = (self.shape + outputs / 2) / (self.rate + v)
        return np.where(seen, mean, self.shape / self.rate)

    def cost(self, mean: np.ndarray, outputs: int) -> float:
        """What learning the precisions, with posterior means (...), adds to the divergence
        (nats).

        It is the divergence of q(alpha) from the prior, and log E[alpha] - E[log alpha] for
        each of J / 2 factors alpha^(1/2) in the prior of the loadings, which is evaluated at
        E[alpha]. With shape a' = shape + J / 2 after the data, the digammas of both cancel:

            shape log(a' / (mean rate)) + mean rate - a' + J / 2 log a'
            + log Gamma(shape) - log Gamma(a').
        """
        shape_after = self.shape + outputs / 2
        costs = (
            self.shape * np.log(shape_after / (mean * self.rate))
            + mean * self.rate
            - shape_after
            + outputs / 2 * np.log(shape_after)
        )
        return float((costs + gammaln(self.shape) - gammaln(shape_after)).sum())


class FactorParameters(NamedTuple):
    """Expected parameters of factor analysers.

    weights (K,), means (K, D), loadings (K, D, Q), noise: variances (K, D), the inverses of
    the expected precisions. relevance (K, Q): the expected precisions of the loadings, in
    units of the noise's.
    """

    weights: np.ndarray
    means: np.ndarray
    loadings: np.ndarray
    noise: np.ndarray
    relevance: np.ndarray

    @property
    def covariances(self) -> np.ndarray:
        """Of the rows of each component, (K, D, D)."""
        spread = self.loadings @ self.loadings.swapaxes(-1, -2)
        return spread + self.noise[..., None] * np.eye(self.noise.shape[-1])


class Factors(NamedTuple):
    """The posterior of the factors given the component: means (N, K, Q), and covariances
    (K, Q, Q), which are those of every row."""

    mean: np.ndarray
    covariance: np.ndarray


class Effective(NamedTuple):
    """What enters the posterior: statistics (K, P), those of the data and a correction of
    the prior; that correction (K, P), by which the relevances replace the family's own
    precision; and the relevances E[alpha] (K, Q), or None."""

    statistics: np.ndarray
    prior_correction: np.ndarray
    relevance: np.ndarray | None


class FactorBlock(NamedTuple):
    """The E-step of n rows: which they are, responsibilities R (K, n), statistics S
    (K, width), and sum_n w_n log sum_k of the integral of exp(E log p(x_n, z_n, k)) over
    z_n."""

    rows: slice
    R: np.ndarray
    S: np.ndarray
    log_likelihood: float


@attrs.frozen(eq=False, slots=False)
class FactorAnalysis:
    """A mixture of factor analysers; with one component, factor analysis.

    family: of x given the factors, `LinearRegression(np.zeros(Q), mean)`; Q = 0 is a
        mixture of Gaussians of diagonal covariance. Give the data's mean: far from it sums of
        squares lose digits. With `common_noise` it is probabilistic
        principal component analysis. Its precision is that of the loadings where there is
        no relevance.
    relevance: the prior of how much each factor of each component matters; None for
        loadings of the family's own precision.
    labels, clones: as of a `Mixture`; in the EM limit neither prior counts.

    A state is (K, P + Q), or (K, P) without relevance. All functions of `vbkit.learning`
    that take a model take this one; structure search does not. Raises ValueError as
    `Mixture` does, and for a family whose inputs are not measured from 0.

    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 6))
    >>> X = X + 0.3 * rng.normal(size=(200, 6))
    >>> model = FactorAnalysis(LinearRegression(np.zeros(5), X.mean(axis=0)))
    >>> S = model.m_step(X, np.ones((200, 1)))  # a start: five principal components
    >>> for _ in range(100):
    ...     S = model.e_step(X, S).S  # what `fit_batch(model, X, S)` does
    >>> model.n_relevant(S)
    array([2])
    """

    family: LinearRegression
    relevance: Relevance | None = Relevance()
    labels: Dirichlet = Dirichlet(1.0)
    clones: float = 1.0

    def __attrs_post_init__(self):
        as_instance("family", self.family, LinearRegression)
        if self.family.mean_x.any():
            raise ValueError(
                f"the family's mean_x is {self.family.mean_x}; it must be 0, the mean of "
                "the factors"
            )
        if self.relevance is not None:
            as_instance("relevance", self.relevance, Relevance)
        as_instance("labels", self.labels, Dirichlet)
        check_clones(self.clones, self.labels)

    @property
    def n_factors(self) -> int:
        """Q, of each component."""
        return len(self.family.mean_x)

    @property
    def n_outputs(self) -> int:
        """J, the entries of a row."""
        return len(self.family.mean_y)

    # ---- data and states ----

    @cached_property
    def n_statistics(self) -> int:
        """P, how many statistics the family has of a row and its factors."""
        return self.family.n_statistics

    @cached_property
    def _without_factors(self) -> LinearRegression:
        """The family of rows without factors: it knows which data are possible."""
        return LinearRegression([], self.family.mean_y)

    def observe(self, X, weights=None) -> Observations:
        """Check rows X (N, D) and weights (N,), as `Mixture.observe` does."""
        return observe_rows(self._without_factors, X, weights)

    def width(self, K: int) -> int:
        """The number of columns of a state of K components."""
        further = 0 if self.relevance is None else self.n_factors
        return self.n_statistics + further

    def check_state(self, S) -> np.ndarray:
        """Return S (K, width) as a float64 array; ValueError if it is not a state of this
        model."""
        S = as_state(S, self.width)
        self.labels.check_state(S, self.n_statistics)
        squares = S[:, self.n_statistics :]
        if squares.size and squares.min() < 0:
            raise ValueError(
                "the state has squared loadings below 0; they must be >= 0"
            )
        return S

    def alike(self, S: np.ndarray) -> bool:
        """Whether all components of the state S are identical and have one prior."""
        return self.labels.common_prior and len(S) > 1 and bool((S == S[0]).all())

    def effective(self, S: np.ndarray) -> Effective:
        """What enters the posterior at a checked state S (K, width)."""
        P = self.n_statistics
        statistics = self.clones * S[:, :P]
        prior_correction = np.zeros(statistics.shape)
        relevance = None
        if self.relevance is not None:
            relevance = self.relevance.mean(S[:, P:], S[:, :1], self.n_outputs)
            prior_correction[:, self._factor_squares] = relevance - self._precision
        return Effective(statistics + prior_correction, prior_correction, relevance)

    @cached_property
    def _precision(self) -> np.ndarray:
        """The family's precision of the loadings (Q,), in units of the noise's."""
        return self.family.precision[:-1]

    @cached_property
    def _factor_squares(self) -> np.ndarray:
        """In which columns (Q,) of the family's statistics the squares z_q^2 stand.

        Behind the count comes the upper triangle of the products, row by row. A row begins
        with a square, and each is shorter by one than the row before.
        """
        lengths = np.arange(self.n_factors + 1, 1, -1)
        return 1 + np.cumsum(lengths) - lengths

    # ---- the E-step and the M-step ----

    def e_step(self, X, S, weights=None) -> EStep:
        """Do one E-step at the posterior S (K, width) over data X (N, D) with weights (N,);
        returns and raises as `Mixture.e_step` does."""
        step = self.sweep(self.observe(X, weights), self.check_state(S))
        require_numbers("the ELBO", step.elbo)
        return step

    def sweep(self, data: Observations, S: np.ndarray) -> EStep:
        """The E-step over observed data at a checked state, as `Mixture.sweep`."""
        effective = self.effective(S)
        log_normalizers, W = self.family.value_and_gradient(effective.statistics)
        logs = self.labels.expected(effective.statistics[:, 0])
        divergence = self._divergence(effective, log_normalizers, W, logs)
        if len(S) == 1 and len(data.X) > self.n_outputs:
            S_next, log_likelihood = self._of_moments(data.moments, W, logs)
            return EStep(S_next, log_likelihood, divergence)
        S_next = np.zeros(S.shape)
        log_likelihood = 0.0
        for block in self._blocks(data, W, logs):
            S_next += block.S
            log_likelihood += block.log_likelihood
        return EStep(S_next, log_likelihood, divergence)

    def elbo(self, X, S, weights=None) -> float:
        """Return the ELBO (nats) of the posterior S (K, width), as `Mixture.elbo` does."""
        return self.e_step(X, S, weights).elbo

    def divergence(self, S) -> float:
        """Return the Kullback-Leibler divergence (nats per clone) of the posterior over
        parameters at S (K, width) from the prior; 0 in the EM limit."""
        effective = self.effective(self.check_state(S))
        log_normalizers, W = self.family.value_and_gradient(effective.statistics)
        logs = self.labels.expected(effective.statistics[:, 0])
        return self._divergence(effective, log_normalizers, W, logs)

    def _divergence(self, effective: Effective, log_normalizers, W, logs) -> float:
        """<S, E theta> - (log Z(S) - log Z(prior)), for each component from the prior that
        its relevances give it, for the labels from theirs, and the cost of the relevances.
        """
        if self.clones >= EM:
            return 0.0
        statistics = effective.statistics
        prior_correction = effective.prior_correction
        cost = 0.0
        if effective.relevance is not None:
            cost = self.relevance.cost(effective.relevance, self.n_outputs)
        of_components = (
            ((statistics - prior_correction) * W).sum()
            - log_normalizers.sum()
            + self.family.log_normalizer(prior_correction).sum()
        )
        counts = statistics[:, 0]
        of_labels = (
            self.labels.inner(counts, logs)
            - self.labels.log_normalizer(counts)
            + self.labels.log_normalizer(np.zeros(len(counts)))
        )
        return float(cost + of_components + of_labels) / self.clones

    def responsibilities(self, X, S) -> np.ndarray:
        """Return q(label = k), (N, K), of data X (N, D) at the state S (K, width). Raises
        ValueError as `e_step` does."""
        data = self.observe(X)
        statistics = self.effective(self.check_state(S)).statistics
        W = self.family.expected(statistics)
        logs = self.labels.expected(statistics[:, 0])
        R = np.empty((len(data.X), len(W)))
        for block in self._blocks(data, W, logs):
            R[block.rows] = block.R.T
        return require_numbers("a responsibility", R)

    def m_step(self, X, R, weights=None) -> np.ndarray:
        """Return a state (K, width) to start from, given responsibilities R (N, K) >= 0.

        The factors are taken to be each component's principal components, with half their
        variance left uncertain. X (N, D), with weights (N,). Raises ValueError for unfit
        data, weights or R.
        """
        data = self.observe(X, weights)
        R = as_responsibilities(R, data)
        weighted = R if data.weights is None else R * data.weights[:, None]
        x = data.X - self.family.mean_y
        S = np.array([self._principal(x, r) for r in weighted.T])
        # A start has no relevances yet, so what its statistics alone lead to is expected.
        expected = self.family.expected(S)
        return self._with_loading_squares(S, expected)

    def _blocks(self, data: Observations, W, logs) -> Iterator[FactorBlock]:
        """The E-step at expected natural parameters W (K, P) and log weights (K,), one block
        of rows after another."""
        joint = self.labels.join(W, logs)
        for rows, part in data.blocks(W.size):
            x = part.X - self.family.mean_y
            L, z, covariance = self._given_rows(x, joint)
            inference = self.labels.infer(L, logs, part)
            R = inference.R
            weighted = R if part.weights is None else R * part.weights
            S = self._moments(x, weighted, z, covariance)
            S = self._with_loading_squares(S, W)
            yield FactorBlock(rows, R, S, inference.log_likelihood)

    def _given_rows(self, x: np.ndarray, W: np.ndarray):
        """Log joint densities (K, n) of rows x (n, D) and labels at the natural parameters W
        (K, P), the factors integrated out, and the means (K, n, Q) and covariances
        (K, Q, Q) that x gives the factors."""
        Q = self.n_factors
        of_second_moments, slopes, of_squares = self.family.unpack(W)
        covariance, log_determinant = self._of_factors(of_second_moments)
        linear = x @ slopes  # (K, n, Q + 1)
        shift = linear[..., :Q] + of_second_moments[:, None, :Q, Q]
        z = shift @ covariance
        L = W[:, :1] - 0.5 * log_determinant[:, None] + of_squares @ (x**2).T
        L += linear[..., Q] + 0.5 * np.einsum("knq,knq->kn", shift, z)
        return L, z, covariance

    def _of_moments(self, moments: Moments, W, logs) -> tuple[np.ndarray, float]:
        """The statistics (1, width) and the log likelihood of all rows, of one component.

        Every row has the label 1, and the mean of its factors is linear in the row. So all
        sums over rows follow from the rows' second moments, as those in `_given_rows` and
        `_moments` would add up.
        """
        Q = self.n_factors
        joint = self.labels.join(W, logs)
        of_second_moments, slopes, of_squares = self.family.unpack(joint)
        covariance, log_determinant = self._of_factors(of_second_moments)
        products = moments.about(self.family.mean_y)
        # A row (x, 1) times `to_shift` (D + 1, Q) is the shift of `_given_rows`, and times
        # `to_design` (D + 1, Q + 1) it is (z, 1). So sums over rows of (z, 1)(x, 1)' and of
        # (z, 1)(z, 1)' are products of these with the sums of (x, 1)(x, 1)'.
        to_shift = np.vstack([slopes[0, :, :Q], of_second_moments[0, :Q, Q]])
        to_design = np.zeros((self.n_outputs + 1, Q + 1))
        to_design[:, :Q] = to_shift @ covariance[0]
        to_design[-1, Q] = 1.0
        with_rows = to_design.T @ products
        second = with_rows @ to_design
        second[:Q, :Q] += moments.total * covariance[0]
        squares = products.diagonal()[:-1]
        S = self.family.pack(second[None], with_rows[None, :, :-1].mT, squares[None])
        log_likelihood = moments.total * (joint[0, 0] - 0.5 * log_determinant[0])
        log_likelihood += of_squares[0] @ squares + products[-1, :-1] @ slopes[0, :, Q]
        log_likelihood += 0.5 * np.vdot(to_shift, products @ to_design[:, :Q])
        return self._with_loading_squares(S, W), float(log_likelihood)

    def _of_factors(self, of_second_moments) -> tuple[np.ndarray, np.ndarray]:
        """The covariances (K, Q, Q) of the factors given a row, and the log determinants (K,)
        of their inverses."""
        Q = self.n_factors
        # log p is -z'z / 2 + ... + sum_{q <= h} w_qh z_q z_h. On the diagonal w_qq stands
        # for z_q^2, off it for the two products z_q z_h and z_h z_q.
        twice_on_diagonal = 1 + np.eye(Q)
        factor_precision = np.eye(Q) - twice_on_diagonal * of_second_moments[:, :Q, :Q]
        log_determinant = np.linalg.slogdet(factor_precision)[1]
        return np.linalg.inv(factor_precision), log_determinant

    def _moments(self, x, weighted, z, covariance) -> np.ndarray:
        """Statistics (K, P) of rows x (n, D) with weights (K, n), whose factors have the
        means z (K, n, Q) and covariances (K, Q, Q)."""
        Q = self.n_factors
        design = np.concatenate([z, np.ones((*z.shape[:2], 1))], axis=-1)
        weighted_design = (weighted[..., None] * design).swapaxes(-1, -2)
        second = weighted_design @ design
        second[:, :Q, :Q] += weighted.sum(axis=1)[:, None, None] * covariance
        products = (weighted_design @ x).swapaxes(-1, -2)
        return self.family.pack(second, products, weighted @ x**2)

    def _principal(self, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Statistics (P,) of rows x (N, D) with weights (N,), whose factors are their
        principal components, with half the variance that they explain left uncertain."""
        Q = self.n_factors
        count = weights.sum()
        mean = weights @ x / count if count else 0.0
        centred = x - mean
        if not self.family.common_noise:
            spread = np.sqrt(weights @ centred**2)
            centred = centred / np.where(spread > 0, spread, 1.0)
        values, axes = np.linalg.eigh(centred.T @ (weights[:, None] * centred))
        values = values[::-1][:Q]
        axes = axes[:, ::-1][:, :Q]
        least = 1e-10 * max(values.max(initial=0.0), np.finfo(float).tiny)
        columns = np.flatnonzero(values > least)
        scale = np.sqrt(count / 2 / values[columns])
        z = np.zeros((len(x), Q))
        z[:, columns] = centred @ axes[:, columns] * scale
        explained = weights @ z**2 / (count or 1.0)
        covariance = np.eye(Q) - np.diag(explained)
        return self._moments(x, weights[None], z[None], covariance)[0]

    def _with_loading_squares(self, S, W) -> np.ndarray:
        """The state of the family's statistics S (K, P): with v = half the expected squares
        of the loadings times the counts. The natural parameters W (K, P) of the squares of
        the factors are -v."""
        if self.relevance is None:
            return S
        counts = S[:, :1]
        v = -W[:, self._factor_squares]
        return np.hstack([S, counts * v])

    # ---- what was learned ----

    def parameters(self, S) -> FactorParameters:
        """Return expected parameters at the state S (K, width). Raises ValueError for an
        unfit S."""
        effective = self.effective(self.check_state(S))
        coefficients, noise = self.family.parameters(effective.statistics)
        means = self.family.mean_y + coefficients[..., -1]
        loadings = coefficients[..., :-1]
        relevance = effective.relevance
        if relevance is None:
            relevance = np.tile(self._precision, (len(means), 1))
        weights = self.labels.mean(effective.statistics[:, 0])
        return FactorParameters(weights, means, loadings, noise, relevance)

    def n_relevant(self, S) -> np.ndarray:
        """Return how many factors (K,) of each component have loadings that are known: in
        units of the noise, the sum of their squared means exceeds that of their variances.

        A factor that the data do not call for has means that go to 0. Raises ValueError for
        an unfit S.
        """
        statistics = self.effective(self.check_state(S)).statistics
        A, coefficients, shape, rate = self.family.posterior(statistics)
        noise_precision = shape[:, None] / rate
        squared_means = np.einsum("kj,kjq->kq", noise_precision, coefficients**2)
        variances = np.linalg.inv(A).diagonal(axis1=-2, axis2=-1)
        known = squared_means > self.n_outputs * variances
        return known[:, :-1].sum(axis=1)

    def factors(self, X, S) -> Factors:
        """Return the posterior of the factors of data X (N, D) at the state S (K, width).
        Raises ValueError as `e_step` does."""
        data = self.observe(X)
        statistics = self.effective(self.check_state(S)).statistics
        W = self.family.expected(statistics)
        _, z, covariance = self._given_rows(data.X - self.family.mean_y, W)
        return Factors(z.swapaxes(0, 1), covariance)

    def log_predictive(self, X, S) -> np.ndarray:
        """Return the log density (N,) of new rows X (N, D) at the expected parameters of the
        state S (K, width): a mixture of Gaussians, the factors integrated out.

        It is exact given the parameters, and in the EM limit. The posterior mean of the
        density has no closed form; its tails are heavier, by what the parameters are
        uncertain. Raises as `e_step` does.
        """
        data = self.observe(X)
        expected = self.parameters(S)
        shifts = (expected.means - self.family.mean_y)[..., None]
        coefficients = np.concatenate([expected.loadings, shifts], axis=-1)
        noise = expected.noise
        W = self.family.natural(coefficients, 1 / noise, -np.log(noise), 0.0)
        with np.errstate(divide="ignore"):
            W[:, 0] += np.log(expected.weights)
        L, _, _ = self._given_rows(data.X - self.family.mean_y, W)
        return require_numbers("the predictive density", log_sums(L))

    def sample(self, S, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows (size, D) from the density of `log_predictive` at the state S
        (K, width).

        Raises ValueError for an unfit state, a size that is not a whole number >= 0, and an
        rng that is not a Generator.
        """
        expected = self.parameters(S)
        as_integer("size", size, 0)
        as_generator("rng", rng)
        k = rng.choice(len(expected.weights), size, p=expected.weights)
        z = rng.normal(size=(size, self.n_factors))
        noise = rng.normal(size=(size, self.n_outputs))
        along_factors = np.einsum("ndq,nq->nd", expected.loadings[k], z)
        return expected.means[k] + along_factors + np.sqrt(expected.noise[k]) * noise
