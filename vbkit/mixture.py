"""A mixture of any conjugate family: responsibilities, the ELBO, the predictive density, sampling.

The posterior over all parameters is a state S (K, P): the expected sufficient statistics that the
data added to the prior, one row a component, its first column the component's count. Everything
here is a function of S.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import logsumexp, xlogy

from vbkit import observations
from vbkit.checks import (
    as_array,
    as_generator,
    as_instance,
    as_integer,
    as_matrix,
    as_number,
    read_only,
)
from vbkit.families.base import Family, State
from vbkit.families.dirichlet import Dirichlet
from vbkit.observations import Block, EStep, Observations

EM = 2.0**100  # so many clones that the posterior is a point; scaling by a power of two is exact


class MixtureParameters(NamedTuple):
    """Expected mixing weights (K,), and the components' parameters (`Family.parameters`)."""

    weights: np.ndarray
    components: NamedTuple


@attrs.frozen(eq=False, slots=False)
class Mixture:
    """A mixture of components of one family, with a common prior and Dirichlet weights.

    family: the family of the components, with its prior hyperparameters.
    weights: the Dirichlet prior of the mixing weights.
    clones: the number of times the data are cloned. 1 is variational Bayes. `EM` (2**100) leaves no
        uncertainty, so expected parameters are maximum-likelihood estimates and learning is EM.
        Numbers between lead from one to the other.
    pseudo_statistics: (P,), added to every component before anything else. Below EM they are part
        of the prior, which must stay proper: entries may be negative, the count may not. In EM they
        penalise the likelihood: a floor on widths, or MAP.

    Raises ValueError for another type of family or weights, for pseudo-statistics that do not fit
    the family or leave no proper prior, and for an improper Dirichlet (a concentration of 0) unless
    clones is EM.
    """

    family: Family
    weights: Dirichlet = Dirichlet(1.0)
    clones: float = 1.0
    pseudo_statistics: np.ndarray | None = None

    def __attrs_post_init__(self):
        as_instance("family", self.family, Family)
        as_instance("weights", self.weights, Dirichlet)
        as_number("clones", self.clones, 1, EM)
        if self.clones < EM and not self.weights.proper:
            raise ValueError("concentration is 0 (improper); it must be > 0 unless clones is EM")
        if self.pseudo_statistics is not None:
            clones = None if self.clones >= EM else self.clones
            pseudo = observations.as_pseudo_statistics(self.family, self.pseudo_statistics, clones)
            object.__setattr__(self, "pseudo_statistics", read_only(pseudo))

    @cached_property
    def _width(self) -> int:
        return self.family.n_statistics

    # ---- data and states ----

    def observe(self, X, weights=None) -> Observations:
        """Check data X (N, D) and observation weights (N,), finite and >= 0 (None: all 1).

        The result holds a copy, so the arrays may be used again. Data that were observed before
        are returned unchanged, or checked again if it was for another family object. Raises
        ValueError if they are unfit.
        """
        return observations.observe(self.family, X, weights)

    def _check_origin(self, S) -> None:
        origin, ours = getattr(S, "origin", None), self.family.origin
        if origin is not None and origin is not ours and not np.array_equal(origin, ours):
            measured = f"the state was measured from the prior mean {origin}"
            raise ValueError(f"{measured}; this mixture's is {ours}")

    def check_state(self, S) -> np.ndarray:
        """Return S (K, P) as a plain float64 array.

        Raises ValueError if it is not a state of this mixture, or a `State` whose statistics were
        measured from another point than this family's prior mean.
        """
        self._check_origin(S)
        S = as_array("the state", S)
        if S.ndim != 2 or len(S) < 1 or S.shape[1] != self._width:
            raise ValueError(f"the state has shape {S.shape}; it must be (K >= 1, {self._width})")
        a = self.weights.concentration
        if not isinstance(a, float) and len(a) != len(S):
            raise ValueError(f"concentration has {len(a)} entries; the state {len(S)} components")
        if S[:, 0].min() < 0:
            raise ValueError(f"the state has the counts {S[:, 0]} in column 0; they must be >= 0")
        return S

    def m_step(self, X, R, weights=None) -> State:
        """The M-step: return the state (K, P) that responsibilities R (N, K) >= 0 give.

        X (N, D), with observation weights (N,). Raises ValueError for unfit data, weights or R.
        """
        data, R = self.observe(X, weights), as_matrix("R", R)
        if len(R) != len(data.X) or (R < 0).any():
            raise ValueError(f"R has shape {R.shape}; it must be ({len(data.X)}, K), entries >= 0")
        if data.weights is not None:
            R = R * data.weights[:, None]
        return State(R.T @ self.family.statistics(data.X), self.family.origin)

    def effective(self, S: np.ndarray) -> np.ndarray:
        """The statistics (..., K, P) that enter the posterior: clones (S + pseudo_statistics)."""
        S = np.asarray(S)
        return self.clones * (S if self.pseudo_statistics is None else S + self.pseudo_statistics)

    def parameters(self, S) -> MixtureParameters:
        """Return expected weights and component parameters at the state S (K, P).

        For Gaussians these are means and covariances, for Bernoulli components probabilities; in
        the EM limit the estimates, pseudo-statistics included. Raises ValueError for an unfit S.
        """
        E = self.effective(self.check_state(S))
        return MixtureParameters(self.weights.mean(E[:, 0]), self.family.parameters(E))

    # ---- the E-step ----

    def _expected(self, E: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """After the effective statistics E: the log-normalisers (K,), the expected natural
        parameters (K, P) and E[log pi] (K,) (Sato 2000, A.8-A.9)."""
        return *self.family.value_and_gradient(E), self.weights.expected(E[:, 0])

    def block_responsibilities(self, data: Observations, S, keep=slice(None)) -> Iterator[Block]:
        """The E-step at the checked state S (K, P), one `Block` of rows after another.

        keep: the components that take part, as if there were no others (an index, a slice or an
        array of indices).
        """
        E = self.effective(S)
        W = self.family.expected(E)
        W[:, 0] += self.weights.expected(E[:, 0])
        return observations.e_step_blocks(self.family, data, W[keep])

    def e_step(self, X, S, weights=None) -> EStep:
        """Do one E-step at the posterior S (K, P) over data X (N, D) with observation weights (N,).

        Returns the statistics of its responsibilities, which are the next state, and the ELBO.
        Raises ValueError for unfit data, weights or state, and if a component has no posterior.
        """
        data, E = self.observe(X, weights), self.effective(self.check_state(S))
        values, W, log_pi = self._expected(E)
        joint = W.copy()
        joint[:, 0] += log_pi
        total, S_new = 0.0, np.zeros(joint.shape)
        for block in observations.e_step_blocks(self.family, data, joint):
            total += block.log_likelihood
            S_new += block.m_step()
        divergence = self._divergence(E, values, W, log_pi)
        _require_numbers("the ELBO", total - divergence)
        return EStep(State(S_new, self.family.origin), total, divergence)

    def responsibilities(self, X, S) -> np.ndarray:
        """Return q(z_n = k), shape (N, K), of data X (N, D) at the state S (K, P) (Sato 2000,
        2.14). Raises ValueError as `e_step` does."""
        data, S = self.observe(X), self.check_state(S)
        R = np.empty((len(data.X), len(S)))
        for block in self.block_responsibilities(data, S):
            R[block.rows] = block.R.T
        return R

    # ---- the ELBO ----

    @cached_property
    def _prior(self) -> tuple[np.ndarray, float]:
        """The effective statistics (P,) of no data, and the log-normaliser there."""
        nothing = self.effective(np.zeros(self._width))
        return nothing, float(self.family.log_normalizer(nothing))

    def _divergence(self, E, values, W, log_pi) -> float:
        penalty = 0.0
        if self.pseudo_statistics is not None:  # pseudo-observations are fitted as data are
            penalty = float((W @ self.pseudo_statistics).sum())
            if self.pseudo_statistics[0]:
                penalty += float(self.pseudo_statistics[0] * log_pi.sum())
        if self.clones >= EM:
            return -penalty
        n, (nothing, value) = E[:, 0], self._prior
        none = np.full(len(n), nothing[0])
        components = (E * W).sum() - values.sum() + len(E) * value
        weights = n @ log_pi - self.weights.log_normalizer(n) + self.weights.log_normalizer(none)
        return float(components + weights) / self.clones - penalty

    def divergence(self, S) -> float:
        """Return the Kullback-Leibler divergence (nats per clone) of the posterior over parameters
        at S (K, P) from the prior.

        It is <S, E theta> - (log_normalizer(S) - log_normalizer(0)), for components and weights
        together. In the EM limit only the penalty is left: minus the log-likelihood of the
        pseudo-statistics.
        """
        E = self.effective(self.check_state(S))
        return self._divergence(E, *self._expected(E))

    def log_normalizer_ratio(self, S) -> np.ndarray:
        """Return log E_prior[exp <S, theta>] (...), in nats per clone, of states S (..., K, P).

        It is what the log-normalisers of components and weights gain from the prior to S; in the EM
        limit the largest <S, theta>. Adding the entropy and base measure of responsibilities whose
        M-step is S gives their ELBO.
        """
        self._check_origin(S)
        E = self.effective(S)
        if E.shape[-1] != self._width:
            raise ValueError(f"the state has shape {E.shape}; it must be (..., K, {self._width})")
        n, (nothing, value) = E[..., 0], self._prior
        if self.clones >= EM:
            weights = xlogy(n, self.weights.mean(n)).sum(axis=-1)
        else:
            before = self.weights.log_normalizer(np.full(E.shape[-2], nothing[0]))
            weights = self.weights.log_normalizer(n) - before
        components = (self.family.log_normalizer(E) - value).sum(axis=-1)
        return (components + weights) / self.clones

    def elbo(self, X, S, weights=None) -> float:
        """Return the ELBO (nats) of the posterior S (K, P) over data X (N, D) with weights (N,).

        It is the lower bound on the log evidence, with every constant, maximised over q(z): Sato's
        free energy F (2.6, 2.26), and minus the F of Nakajima and Kaji. For clones > 1 it is the
        bound for that many clones of the data with common responsibilities, per clone; in the EM
        limit the log-likelihood, penalised by any pseudo-statistics. Raises as `e_step` does.
        """
        return self.e_step(X, S, weights).elbo

    def elbo_of_responsibilities(self, X, R, weights=None) -> float:
        """Return the ELBO (nats) of responsibilities R (N, K) and the posterior of their M-step.

        Minus it is the F of Kaji and Nakajima after an iteration; `elbo` would replace R by better
        ones. Raises ValueError for unfit data or weights, and if a row of R does not add up to 1.
        """
        data = self.observe(X, weights)
        S, R = self.m_step(data, R), np.asarray(R, dtype=np.float64)
        if np.abs(R.sum(axis=1) - 1).max() > 1e-8:
            raise ValueError("R has a row that does not add up to 1; each must")
        w = np.ones(len(R)) if data.weights is None else data.weights
        base = self.family.log_base(data.X)
        entropy = -float(w @ xlogy(R, R).sum(axis=1)) + (0.0 if base is None else float(w @ base))
        return entropy + float(self.log_normalizer_ratio(S))

    # ---- prediction and sampling ----

    def log_predictive(self, X, S) -> np.ndarray:
        """Return the log predictive density (N,) of new rows X (N, D) at the state S (K, P): the
        posterior mean of p(x | parameters) (Sato 2000, 2.37).

        It is a mixture, with weights E[pi], of the family's predictive densities (Student for the
        Gaussians); in the EM limit the density at the estimates. Raises as `e_step` does.
        """
        data, E = self.observe(X), self.effective(self.check_state(S))
        mean = self.weights.mean(E[:, 0])
        log_pi = np.log(mean, where=mean > 0, out=np.full(len(mean), -np.inf))
        out = np.empty(len(data.X))
        for rows in observations.blocks(len(data.X), E.size):
            L = self.family.log_predictive(E, data.X[rows])
            out[rows] = logsumexp(L + log_pi[:, None], axis=0)
        _require_numbers("the predictive density", out)
        return out

    def sample(self, S, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows (size, D) from the predictive density at the state S (K, P).

        Raises ValueError for an unfit state, a size that is not a whole number >= 0, and an rng
        that is not a Generator; NotImplementedError for a family without `sample`.
        """
        E = self.effective(self.check_state(S))
        size, rng = as_integer("size", size, 0), as_generator("rng", rng)
        counts = rng.multinomial(size, self.weights.mean(E[:, 0]))
        draws = [self.family.sample(e, n, rng) for e, n in zip(E, counts, strict=True)]
        return rng.permutation(np.concatenate(draws))


def without_weights(data: Observations) -> Observations:
    """Data for what is written for rows that count once each, or a ValueError."""
    if data.weights is not None:
        raise ValueError("X was observed with weights, which have no part in this; give rows alone")
    return data


def _require_numbers(name: str, values) -> None:
    if np.isnan(values).any():
        raise ValueError(
            f"{name} is nan: the family's prior or posterior is undefined at this state"
        )
