"""Factor analysis and mixtures of it: rows that a few hidden factors move.

Of a component, x = mean + loadings z + noise with factors z ~ N(0, I) (Sato 2000, 2.1, names the
mixtures of factor analysers and of probabilistic principal components). Given z this is the family
`LinearRegression` of x on z, so a state holds its statistics with z integrated out: in the E-step,
q(z_n | label) is Gaussian with one covariance per component.

How much a factor matters is learned too (`Relevance`): a state holds, besides, half the expected
squares of the loadings on each factor in units of the noise, times the component's count. So they
are one more statistic of every row, in chunks and online too.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import logsumexp

from vbkit import observations
from vbkit.checks import as_generator, as_instance, as_integer, require_numbers
from vbkit.compiled import softmax_columns
from vbkit.families.base import State
from vbkit.families.dirichlet import Dirichlet
from vbkit.families.regression import LinearRegression
from vbkit.models.labels import IndependentLabels
from vbkit.models.model import EM
from vbkit.models.relevance import Relevance
from vbkit.observations import Observations


class FactorParameters(NamedTuple):
    """Expected weights (K,), means (K, D), loadings (K, D, Q), noise variances (K, D), the inverses
    of expected precisions, and relevances (K, Q): the expected precisions of the loadings, in units
    of the noise's."""

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
    """The posterior of the factors given the component: means (N, K, Q), and covariances (K, Q, Q),
    which are those of every row."""

    mean: np.ndarray
    covariance: np.ndarray


class Block(NamedTuple):
    """The E-step of n rows: responsibilities R (K, n), statistics S (K, width), and sum_n w_n log
    sum_k of the integral of exp(E log p(x_n, z_n, k)) over z_n."""

    rows: slice
    R: np.ndarray
    S: np.ndarray
    log_likelihood: float

    def m_step(self) -> np.ndarray:
        return self.S


@attrs.frozen(eq=False, slots=False)
class FactorAnalysis(IndependentLabels):
    """A mixture of factor analysers; with one component, factor analysis.

    family: of x given the factors, `LinearRegression(np.zeros(Q), mean)`; Q = 0 is a mixture of
        Gaussians of diagonal covariance. With `common_noise` it is probabilistic principal
        component analysis. Its precision is that of the loadings where there is no relevance.
    relevance: the prior of how much each factor of each component matters; None for loadings of
        the family's own precision.
    weights, clones: as of a `Mixture`; in the EM limit neither prior counts.

    A state is (K, P + Q), or (K, P) without relevance. Raises ValueError as `Mixture` does, and for
    a family whose inputs are not measured from 0.

    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 6)) + 0.3 * rng.normal(size=(200, 6))
    >>> model = FactorAnalysis(LinearRegression(np.zeros(5), X.mean(axis=0)))
    >>> S = model.m_step(X, np.ones((200, 1)))  # a start: five principal components
    >>> for _ in range(100):
    ...     S = model.e_step(X, S).S  # what `fit_batch(model, X, S)` does
    >>> model.n_relevant(S)
    array([2])
    """

    family: LinearRegression
    relevance: Relevance | None = Relevance()
    weights: Dirichlet = Dirichlet(1.0)
    clones: float = 1.0
    pseudo_statistics = None

    def __attrs_post_init__(self):
        as_instance("family", self.family, LinearRegression)
        if self.family.mean_x.any():
            found = f"the family's mean_x is {self.family.mean_x}"
            raise ValueError(f"{found}; it must be 0, the mean of the factors")
        if self.relevance is not None:
            as_instance("relevance", self.relevance, Relevance)
        self._check_prior(weights=self.weights)

    @property
    def n_factors(self) -> int:
        """Q, of each component."""
        return len(self.family.mean_x)

    # ---- data and states ----

    @cached_property
    def _rows(self) -> LinearRegression:
        return LinearRegression(
            [], self.family.mean_y
        )  # the family of rows without factors

    def observe(self, X, weights=None) -> Observations:
        return observations.observe(self._rows, X, weights)

    def width(self, K: int) -> int:
        return self.n_statistics + (0 if self.relevance is None else self.n_factors)

    def check_state(self, S) -> np.ndarray:
        S = super().check_state(S)
        if S[:, self.n_statistics :].size and S[:, self.n_statistics :].min() < 0:
            raise ValueError(
                "the state has squared loadings below 0; they must be >= 0"
            )
        return S

    def weighted_statistics(
        self, data: Observations, weighted: np.ndarray
    ) -> np.ndarray:
        """The statistics (K, P) of rows weighted by (N, K), for a start: the factors are taken to
        be each component's principal components, with half their variance left uncertain."""
        return np.array(
            [self._principal(data.X - self.family.mean_y, r) for r in weighted.T]
        )

    def _principal(self, x: np.ndarray, r: np.ndarray) -> np.ndarray:
        n, Q = r.sum(), self.n_factors
        centred = x - (r @ x / n if n else 0.0)
        if not self.family.common_noise:
            spread = np.sqrt(r @ centred**2)
            centred = centred / np.where(spread > 0, spread, 1.0)
        values, axes = np.linalg.eigh(centred.T @ (r[:, None] * centred))
        values, axes = values[::-1][:Q], axes[:, ::-1][:, :Q]
        found = values > 1e-10 * max(values.max(initial=0.0), np.finfo(float).tiny)
        z = np.zeros((len(x), Q))
        z[:, : len(found)][:, found] = (
            centred @ axes[:, found] * np.sqrt(n / 2 / values[found])
        )
        return self._moments(
            x, r[None], z[None], np.eye(Q) - np.diag(r @ z**2 / (n or 1.0))
        )[0]

    def _moments(self, x, r, z, covariance) -> np.ndarray:
        """Statistics (K, P) of rows x (n, D) with weights r (K, n), whose factors have the means z
        (K, n, Q) and covariances (K, Q, Q)."""
        design, Q = (
            np.concatenate([z, np.ones((*z.shape[:2], 1))], axis=-1),
            self.n_factors,
        )
        weighted = (r[..., None] * design).swapaxes(-1, -2)
        second = weighted @ design
        second[:, :Q, :Q] += r.sum(axis=1)[:, None, None] * covariance
        return self.family.pack(second, (weighted @ x).swapaxes(-1, -2), r @ x**2)

    def _join(self, S, data: Observations, R) -> State:
        return State(self._with_squares(S, self.family.expected(S)), self.family.origin)

    @cached_property
    def _squares(self) -> np.ndarray:
        """The columns (Q,) of the statistics z_q^2; those of their natural parameters hold -v."""
        second, _, _ = self.family.unpack(np.arange(self.n_statistics))
        return second.diagonal()[:-1].astype(int)

    def _with_squares(self, S, W) -> np.ndarray:
        return (
            S
            if self.relevance is None
            else np.hstack([S, -S[:, :1] * W[:, self._squares]])
        )

    def effective(self, S: np.ndarray) -> np.ndarray:
        """The statistics (..., K, width) that enter the posterior: E[alpha] in place of the last Q
        columns, and its surplus over the family's precision among the squares of the factors."""
        S, P = np.asarray(S), self.n_statistics
        E = super().effective(S)
        if S.shape[-1] > P:  # not where the family's prior is asked for, alone
            E[..., P:] = self.relevance.mean(
                S[..., P:], S[..., :1], len(self.family.mean_y)
            )
            E[..., self._squares] += E[..., P:] - self._precision
        return E

    @cached_property
    def _precision(self) -> np.ndarray:
        """The family's precision of the loadings (Q,)."""
        return self.family.precision[:-1]

    # ---- the E-step ----

    def e_step_blocks(self, data: Observations, W: np.ndarray) -> Iterator[Block]:
        """The E-step at the expected natural parameters W (K, width), one block of rows after
        another."""
        W = W[:, : self.n_statistics]
        for rows in observations.blocks(len(data.X), W.size):
            x = data.X[rows] - self.family.mean_y
            w = np.empty(0) if data.weights is None else data.weights[rows]
            L, z, covariance = self._given_rows(x, W)
            total = softmax_columns(L, w)  # from here on L are responsibilities
            S = self._moments(x, L * w if len(w) else L, z, covariance)
            yield Block(rows, L, self._with_squares(S, W), total)

    def _given_rows(self, x: np.ndarray, W: np.ndarray):
        """Log joint densities (K, n) of rows x (n, D) and labels at the natural parameters W (K,
        P), the factors integrated out, and the means (K, n, Q) and covariances (K, Q, Q) that x
        gives the factors."""
        Q, (second, slopes, squares) = self.n_factors, self.family.unpack(W)
        twice = 1 + np.eye(Q)  # a product of two factors stands for both
        precision = np.eye(Q) - twice * second[:, :Q, :Q]
        covariance = np.linalg.inv(precision)
        linear = x @ slopes  # (K, n, Q + 1)
        shift = linear[..., :Q] + second[:, None, :Q, Q]
        z = shift @ covariance
        L = (
            W[:, :1]
            - 0.5 * np.linalg.slogdet(precision)[1][:, None]
            + squares @ (x**2).T
        )
        L += linear[..., Q] + 0.5 * np.einsum("knq,knq->kn", shift, z)
        return L, z, covariance

    def _divergence(self, E, values, W, logs) -> float:
        divergence = super()._divergence(E, values, W, logs)
        if self.relevance is None or self.clones >= EM:
            return divergence
        alpha, prior = E[:, self.n_statistics :], np.zeros(W.shape)
        prior[:, self._squares] = alpha - self._precision
        change = self.family.log_normalizer(prior).sum() - (prior * W).sum()
        change += self.relevance.cost(alpha, len(self.family.mean_y))
        return divergence + float(change - len(E) * self._component_prior) / self.clones

    def log_normalizer_ratio(self, S) -> np.ndarray:
        raise NotImplementedError(
            "the ELBO of a FactorAnalysis is no function of responsibilities"
        )

    # ---- what was learned ----

    def parameters(self, S) -> FactorParameters:
        """Return expected parameters at the state S (K, width). Raises ValueError for an unfit
        S."""
        E, P = self.effective(self.check_state(S)), self.n_statistics
        weights, noise = self.family.parameters(E[:, :P])
        fixed = np.tile(self._precision, (len(E), 1))
        alpha = fixed if self.relevance is None else E[:, P:]
        pi, means = self.weights.mean(E[:, 0]), self.family.mean_y + weights[..., -1]
        return FactorParameters(pi, means, weights[..., :-1], noise, alpha)

    def n_relevant(self, S) -> np.ndarray:
        """Return how many factors (K,) of each component have loadings that are known: in units of
        the noise, the sum of their squared means exceeds that of their variances.

        A factor that the data do not call for has means that go to 0. Raises ValueError for an
        unfit S.
        """
        E = self.effective(self.check_state(S))[:, : self.n_statistics]
        A, weights, shape, rate = self.family.posterior(E)
        squares = np.einsum("kj,kjq->kq", shape[:, None] / rate, weights**2)
        doubt = weights.shape[1] * np.linalg.inv(A).diagonal(axis1=-2, axis2=-1)
        return (squares > doubt)[:, :-1].sum(axis=1)

    def factors(self, X, S) -> Factors:
        """Return the posterior of the factors of data X (N, D) at the state S (K, width). Raises
        ValueError as `e_step` does."""
        data, E = self.observe(X), self.effective(self.check_state(S))
        _, W, _ = self._expected(E)
        _, z, covariance = self._given_rows(data.X - self.family.mean_y, W)
        return Factors(z.swapaxes(0, 1), covariance)

    def log_predictive(self, X, S) -> np.ndarray:
        """Return the log density (N,) of new rows X (N, D) at the expected parameters of the state
        S (K, width): a mixture of Gaussians, the factors integrated out.

        It is exact given the parameters, and in the EM limit. The posterior mean of the density has
        no closed form; its tails are heavier, by what the parameters are uncertain. Raises as
        `e_step` does.
        """
        data, S = self.observe(X), self.check_state(S)
        pi, means, loadings, noise, _ = self.parameters(S)
        weights = np.concatenate(
            [loadings, (means - self.family.mean_y)[..., None]], axis=-1
        )
        W = self.family.natural(weights, 1 / noise, -np.log(noise), 0.0)
        with np.errstate(divide="ignore"):
            W[:, 0] += np.log(pi)
        out = logsumexp(self._given_rows(data.X - self.family.mean_y, W)[0], axis=0)
        require_numbers("the predictive density", out)
        return out

    def sample(self, S, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows (size, D) from the density of `log_predictive` at the state S (K, width).

        Raises ValueError for an unfit state, a size that is not a whole number >= 0, and an rng
        that is not a Generator.
        """
        pi, means, loadings, noise, _ = self.parameters(S)
        size, rng = as_integer("size", size, 0), as_generator("rng", rng)
        k = rng.choice(len(pi), size, p=pi)
        z, e = (
            rng.normal(size=(size, self.n_factors)),
            rng.normal(size=(size, means.shape[1])),
        )
        return (
            means[k] + np.einsum("ndq,nq->nd", loadings[k], z) + np.sqrt(noise[k]) * e
        )
