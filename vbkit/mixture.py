"""A mixture of any conjugate family: responsibilities, the ELBO, the predictive density, sampling.

The posterior over all parameters is a state S (K, P): the expected sufficient statistics that the data added to the
prior, one row a component, its first column the component's count. Everything here is a function of S.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from vbkit.checks import as_array, as_generator, as_integer, as_matrix, as_number
from vbkit.compiled import softmax_columns
from vbkit.families.base import Family, as_gaussian
from vbkit.families.dirichlet import Dirichlet

EM = (
    2.0**100
)  # so many copies of the data that the posterior is a point; a power of two, so scaling by it is exact
BLOCK = (
    2**15
)  # rows of a block of one number a row; the best length falls as the root of the width (measured)


class EStep(NamedTuple):
    """One E-step over the data: the statistics it collects (K, P) and the two terms of the ELBO where it started.

    log_likelihood: sum_n w_n log sum_k exp(E log p(x_n, z_n = k)). divergence: of the posterior from the prior.
    """

    S: np.ndarray
    log_likelihood: float
    divergence: float

    @property
    def elbo(self) -> float:
        """The ELBO (nats) of the posterior that the sweep started from, with the responsibilities it found."""
        return self.log_likelihood - self.divergence


@dataclass(frozen=True, eq=False)
class Observations:
    """Checked data of one family, of this type and dimension: X (N, D) and weights (N,) or None."""

    X: np.ndarray
    weights: np.ndarray | None
    kind: tuple[type, int]

    @property
    def total(self) -> float:
        """The number of observations, weights included."""
        return float(len(self.X) if self.weights is None else self.weights.sum())


@dataclass(frozen=True, eq=False)
class Mixture:
    """Components of one family with a common prior, and Dirichlet weights.

    component: the family with its prior hyperparameters.
    weights: the Dirichlet prior of the mixing weights.
    copies: as how many copies of the data each statistic counts in the posterior. 1 is variational Bayes; `EM` (2**100)
        leaves no uncertainty, so expected parameters are maximum-likelihood parameters and learning is EM; numbers
        between lead from one to the other.
    pseudo: pseudo-statistics (P,) added to every component before anything else: a penalty or a floor on widths for EM
    (MAP).

    Raises ValueError for what is no family or no Dirichlet, for pseudo-statistics that are not the family's, and for an
    improper Dirichlet prior (a concentration of 0) unless copies is EM.
    """

    family: Family
    weights: Dirichlet = Dirichlet(1.0)
    clones: float = 1.0
    pseudo_statistics: np.ndarray | None = None

    def __post_init__(self):
        for name, kind in (("family", Family), ("weights", Dirichlet)):
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be a {kind.__name__}")
        as_number("clones", self.clones, 1, EM)
        if self.pseudo_statistics is not None:
            pseudo_statistics = as_array("pseudo_statistics", self.pseudo_statistics, ndim=1).copy()
            if len(pseudo_statistics) != self._nothing.size:
                raise ValueError(
                    f"pseudo has {len(pseudo_statistics)} entries; it must have one a statistic of the family"
                )
            vars(self).update(pseudo_statistics=pseudo_statistics)
        if self.clones < EM and not self.weights.proper:
            raise ValueError(
                "concentration is 0, an improper prior; it must be > 0 unless copies is EM"
            )

    @cached_property
    def _nothing(self) -> np.ndarray:
        """The statistics (P,) of no data."""
        return 0.0 * self.family.statistics(np.ones((1, self.family.dimension)))[0]

    # ---- data and states -----------------------------------------------------------------------------------------

    def observe(self, X, weights=None) -> Observations:
        """Check data (N, D) and observation weights (N,), finite and >= 0 (None: all 1); ValueError if unfit. Data that
        were observed before come back as they are, if by a mixture of the same type of family and dimension."""
        kind = type(self.family), self.family.dimension
        if isinstance(X, Observations):
            if weights is not None:
                raise ValueError(
                    "weights were given with data already observed; give them to `observe`"
                )
            if X.kind != kind:
                theirs, ours = (
                    f"{family.__name__} in {D} dimensions" for family, D in (X.kind, kind)
                )
                raise ValueError(f"X was observed for {theirs}; it must be for {ours}")
            return X
        X = self.family.check_data(X)
        if weights is not None:
            weights = as_array("weights", weights)
            if weights.shape != (len(X),) or (weights < 0).any():
                raise ValueError(
                    f"weights must be {len(X)} numbers >= 0, one a row of X; got shape {weights.shape}"
                )
            if not weights.any():
                raise ValueError("weights are all 0; at least one observation must count")
        return Observations(X, weights, kind)

    def check_state(self, S) -> np.ndarray:
        """S as a (K, P) float64 array, or a ValueError."""
        S = as_array("the state", S)
        P = self._nothing.size
        if S.ndim != 2 or S.shape[0] < 1 or S.shape[1] != P:
            raise ValueError(
                f"the state has shape {S.shape}; it must be (K, {P}) with K >= 1 components"
            )
        if np.ndim(self.weights.concentration) and len(self.weights.concentration) != len(S):
            entries = len(self.weights.concentration)
            raise ValueError(
                f"concentration has {entries} entries; the state has {len(S)} components"
            )
        if (S[:, 0] < 0).any():
            raise ValueError(
                f"the state has the counts {S[:, 0]} in its first column; they must be >= 0"
            )
        return S

    def m_step(self, X, R, weights=None) -> np.ndarray:
        """The M-step: the state (K, P) that responsibilities R (N, K) give."""
        data = self.observe(X, weights)
        R = as_matrix("R", R)
        if len(R) != len(data.X) or (R < 0).any():
            raise ValueError(
                f"R has shape {R.shape}; it must be ({len(data.X)}, K) with entries >= 0"
            )
        if data.weights is not None:
            R = R * data.weights[:, None]
        return R.T @ self.family.statistics(data.X)

    def effective(self, S: np.ndarray) -> np.ndarray:
        """The statistics that enter the posterior: copies (S + pseudo)."""
        return self.clones * (S if self.pseudo_statistics is None else S + self.pseudo_statistics)

    def parameters(self, S) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What S stands for, for a Gaussian family: weights E[pi] (K,), centres (K, D), covariances (K, D, D), the
        inverses of the expected precisions; in the EM limit the maximum-likelihood estimates, pseudo-statistics
        included. ValueError for another family, or where S is no state of the mixture."""
        family, E = as_gaussian(self.family), self.effective(self.check_state(S))
        return self.weights.mean(E[:, 0]), *family.gaussians(E)

    # ---- the E-step ----------------------------------------------------------------------------------------------

    def _expected(self, E: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """After the effective statistics E: the log-normalisers (K,), the expected natural parameters (K, P) and
        E[log pi] (K,) (Sato 2000, A.8-A.9)."""
        return *self.family.value_and_gradient(E), self.weights.expected(E[:, 0])

    def e_step(self, X, S: np.ndarray, weights=None) -> EStep:
        """One E-step at the posterior S (K, P) and the statistics of its responsibilities, in one pass over blocks.
        Raises ValueError on unfit data, weights or state, and where a component's posterior does not exist."""
        return self.e_step_checked(self.observe(X, weights), self.check_state(S))

    def e_step_checked(self, data: Observations, S: np.ndarray) -> EStep:
        """`sweep` for a loop: of data that `observe` gave, at a state that `check_state` or a sweep gave."""
        E = self.effective(S)
        values, W, log_pi = self._expected(E)
        joint = W.copy()
        joint[:, 0] += log_pi
        joint = self.family.fold(joint)
        total, S_new, nothing, L = 0.0, np.zeros(joint.shape), np.empty(0), None
        for rows in blocks(len(data.X), max(S.shape)):
            densities, gather = self.family.products(data.X[rows])
            n = rows.stop - rows.start
            if (
                L is None or L.shape[1] != n
            ):  # kept: new memory for each block costs more than what is done in it
                L = np.empty((len(S), n), self.family.dtype)
            densities(joint, L)
            w = nothing if data.weights is None else data.weights[rows]
            base = self.family.log_base(data.X[rows])
            if base is not None:
                total += float(base.sum() if w is nothing else base @ w)
            total += softmax_columns(L, w)
            S_new += gather(L)
        return EStep(self.family.unfold(S_new), total, self._divergence(E, values, W, log_pi))

    def responsibilities(self, X, S) -> np.ndarray:
        """q(z_n = k), shape (N, K) (Sato 2000, 2.14). Raises as `sweep` does."""
        data, E = self.observe(X), self.effective(self.check_state(S))
        _, W, log_pi = self._expected(E)
        R = np.empty((len(data.X), len(E)))
        for rows in blocks(len(data.X), max(E.shape)):
            L = W @ self.family.statistics(data.X[rows]).T + log_pi[:, None]
            softmax_columns(L, np.empty(0))
            R[rows] = L.T
        return R

    # ---- the ELBO -----------------------------------------------------------------------------------------------

    @cached_property
    def _log_normalizer_of_prior(self) -> float:
        return float(self.family.log_normalizer(self._nothing))

    def _divergence(self, E, values, W, log_pi) -> float:
        penalty = 0.0
        if self.pseudo_statistics is not None:  # pseudo-observations are fitted as data are
            penalty = float(
                (W @ self.pseudo_statistics).sum()
                + (self.pseudo_statistics[0] * log_pi.sum() if self.pseudo_statistics[0] else 0.0)
            )
        if self.clones >= EM:
            return -penalty
        n = E[:, 0]
        n_components = (E * W).sum() - values.sum() + len(E) * self._log_normalizer_of_prior
        weights = n @ log_pi - self.weights.log_normalizer(n) + self.weights.log_normalizer(0 * n)
        return float(n_components + weights) / self.clones - penalty

    def divergence(self, S) -> float:
        """Kullback-Leibler divergence (nats) of the posterior over parameters from the prior, per copy of the data.

        Bregman's form: <S, E theta> - (log_normalizer(S) - log_normalizer(0)), for components and weights together; per copy
        it vanishes in the EM limit. The expected log-likelihood of pseudo-observations, if any, is subtracted.
        """
        E = self.effective(self.check_state(S))
        return self._divergence(E, *self._expected(E))

    def elbo(self, X, S, weights=None) -> float:
        """Lower bound on the log evidence (nats), every constant included, maximised over q(z) at the posterior S.

        Sato's free energy F (2.6, 2.26); Nakajima's and Kaji's F is minus it. For copies > 1 it is the bound for that
        many copies of the data with common responsibilities, per copy; in the EM limit the log-likelihood.
        """
        return self.e_step(X, S, weights).elbo

    # ---- prediction and sampling ---------------------------------------------------------------------------------

    def log_predictive(self, X, S) -> np.ndarray:
        """Log predictive density (N,) of new rows: the posterior mean of p(x | parameters) (Sato 2000, 2.37).

        A mixture, with weights E[pi], of the families' predictive densities (Student for the Gaussians); in the EM
        limit the density with the estimated parameters. Raises as `sweep` does.
        """
        data, S = self.observe(X), self.check_state(S)
        E = self.effective(S)
        mean = self.weights.mean(E[:, 0])
        log_pi = np.log(mean, where=mean > 0, out=np.full(len(mean), -np.inf))
        out = np.empty(len(data.X))
        for rows in blocks(len(data.X), S.size):
            T = self.family.statistics(data.X[rows])
            L = np.stack([self.family.log_predictive(e, T) for e in E])
            base = self.family.log_base(data.X[rows])
            out[rows] = logsumexp(L + log_pi[:, None], axis=0) + (0 if base is None else base)
        return out

    def sample(self, S, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draws (size, D) from the predictive density; the family must offer `sample`. ValueError where S is no state
        of the mixture, size no whole number >= 0, or rng no generator."""
        E = self.effective(self.check_state(S))
        counts = as_generator("rng", rng).multinomial(
            as_integer("size", size, 0), self.weights.mean(E[:, 0])
        )
        draws = np.concatenate(
            [self.family.sample(e, n, rng) for e, n in zip(E, counts, strict=True)]
        )
        return rng.permutation(draws)


def without_weights(data: Observations) -> Observations:
    """Data for what is written for rows that count once each, or a ValueError."""
    if data.weights is not None:
        raise ValueError(
            "X was observed with weights, which have no part in this; give the rows alone"
        )
    return data


def blocks(N: int, width: int):
    """Slices that cut N rows into blocks, `width` numbers a row: long for the matrix products, short for the cache."""
    step = max(256, int(BLOCK / width**0.5))
    return [slice(first, min(first + step, N)) for first in range(0, N, step)]
