"""What learning and structure search ask of a model, and what all models share.

A model has three parts that know nothing of each other: the *family* of one observation
(`vbkit.families`), the *labels* that tie each observation to a component (this room, and
`vbkit.mixture`), and how the posterior *moves* (`vbkit.learning`). The posterior over all
parameters is a state S (K, width): the expected sufficient statistics that the data added to the
prior, one row a component. The first P columns are the family's, of which the first is the count.
Those of the labels stand in the columns `labels`: the counts again where labels are independent,
columns of their own where they are a chain. The prior of the labels is conjugate too, so starting,
forgetting, adding and cloning are the same linear algebra for all of a state.

A subclass has the attributes `family`, `clones` and `pseudo_statistics` and defines

    labels                     the columns of a state that are statistics of the labels
    label_prior(N)             the log-normaliser (...) of their prior at statistics N (..., K, L)
    label_expected(N)          its gradient (K, L): the expected log probabilities
    label_elbos(E)             for a search: how it is shared out to the components (K,)
    e_step_blocks(data, W)     the E-step at the expected natural parameters W (K, width)

and, where the labels are not independent, says so (`independent`) and defines `label_statistics`,
`check_state`, `kept`, `merged` and `divided`. Learning
itself calls `observe`, `check_state`, `alike`, `e_step` and `elbo`, and of what `observe` returns
`units` and `take`. A model without a family of components can define just these.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from vbkit import observations
from vbkit.checks import (
    as_array,
    as_instance,
    as_matrix,
    as_number,
    read_only,
    require_numbers,
)
from vbkit.families.base import Family, State
from vbkit.families.dirichlet import Dirichlet
from vbkit.families.special import inner
from vbkit.observations import Block, EStep, Observations

LARGEST_STATISTIC = 1e250  # so that many clones of it are finite
EM = (
    2.0**100
)  # so many clones that the posterior is a point; scaling by a power of two is exact


class Model:
    """Base class of the models whose observations belong to components of one family."""

    family: Family
    clones: float
    pseudo_statistics: np.ndarray | None
    labels: ClassVar[slice]
    independent: ClassVar[bool] = True  # labels, given the parameters
    common_prior: ClassVar[bool] = True  # of all components, however many they are

    def e_step_blocks(self, data: Observations, W: np.ndarray) -> Iterator[Block]:
        """The E-step at the expected natural parameters W (K, width), one block of rows after
        another."""
        raise NotImplementedError

    def _check_prior(self, **labels: Dirichlet) -> None:
        """ValueError for settings that leave no proper prior; called once, by a new model."""
        as_instance("family", self.family, Family)
        as_number("clones", self.clones, 1, EM)
        for name, prior in labels.items():
            as_instance(name, prior, Dirichlet)
            if self.clones < EM and not prior.proper:
                allowed = "it must be > 0 unless clones is EM"
                raise ValueError(f"concentration of {name} is 0 (improper); {allowed}")
        if self.pseudo_statistics is not None:
            clones = None if self.clones >= EM else self.clones
            pseudo = observations.as_pseudo_statistics(
                self.family, self.pseudo_statistics, clones
            )
            object.__setattr__(self, "pseudo_statistics", read_only(pseudo))

    # ---- data and states ----

    def observe(self, X, weights=None) -> Observations:
        """Check data X (N, D) and observation weights (N,), finite and >= 0 (None: all 1).

        The result holds a copy, so the arrays may be used again. Data that were observed before
        are returned unchanged, or checked again if it was for another family object. Raises
        ValueError if they are unfit.
        """
        return observations.observe(self.family, X, weights)

    @cached_property
    def n_statistics(self) -> int:
        """P, how many statistics of a row the family has."""
        return self.family.n_statistics

    def width(self, K: int) -> int:
        """The number of columns of a state of K components."""
        return self.n_statistics

    def check_state(self, S) -> np.ndarray:
        """Return S (K, width) as a plain float64 array.

        Raises ValueError if it is not a state of this model, or a `State` whose statistics were
        measured from another point than this family's prior mean.
        """
        self._check_origin(S)
        S = as_array("the state", S)
        if S.ndim != 2 or len(S) < 1 or S.shape[1] != self.width(len(S)):
            wanted = self.width(max(1, len(S)) if S.ndim else 1)
            raise ValueError(
                f"the state has shape {S.shape}; it must be (K >= 1, {wanted})"
            )
        if S[:, 0].min() < 0:
            raise ValueError(
                f"the state has the counts {S[:, 0]} in column 0; they must be >= 0"
            )
        if max(-S.min(), S.max()) > LARGEST_STATISTIC:
            raise ValueError(
                f"the state reaches {np.abs(S).max():g}, above {LARGEST_STATISTIC:g}"
            )
        return S

    def _check_origin(self, S) -> None:
        origin, ours = getattr(S, "origin", None), self.family.origin
        if (
            origin is not None
            and origin is not ours
            and not np.array_equal(origin, ours)
        ):
            measured = f"the state was measured from the prior mean {origin}"
            raise ValueError(f"{measured}; this model's is {ours}")

    def alike(self, S) -> bool:
        """Whether all components of the state S are identical and have one prior, so that no
        learning can separate them."""
        return self.common_prior and len(S) > 1 and bool((S == S[0]).all())

    def m_step(self, X, R, weights=None) -> State:
        """The M-step: return the state (K, width) that responsibilities R (N, K) >= 0 give, taken
        to be independent of each other.

        X (N, D), with observation weights (N,). Raises ValueError for unfit data, weights or R.
        """
        data, R = self.observe(X, weights), as_matrix("R", R)
        if len(R) != len(data.X) or (R < 0).any():
            raise ValueError(
                f"R has shape {R.shape}; it must be ({len(data.X)}, K), entries >= 0"
            )
        weighted = R if data.weights is None else R * data.weights[:, None]
        return self._join(self.weighted_statistics(data, weighted), data, R)

    def weighted_statistics(
        self, data: Observations, weighted: np.ndarray
    ) -> np.ndarray:
        """The family's statistics (K, P) of the rows, weighted by (N, K)."""
        return weighted.T @ self.family.statistics(data.X)

    def complete(self, S, data: Observations) -> State:
        """Return the state (K, width) of components with the statistics S (K, P) of the family,
        whose labels are as if every row of the data belonged to all of them alike."""
        return self._join(S, data, np.full((len(data.X), len(S)), 1 / len(S)))

    def _join(self, S, data: Observations, R) -> State:
        further = self.label_statistics(data, R)
        return State(
            S if further is None else np.hstack([S, further]), self.family.origin
        )

    def label_statistics(self, data: Observations, R: np.ndarray) -> np.ndarray | None:
        """What independent responsibilities R (N, K) add to a state besides the family's columns:
        (K, L), or None where there are no others."""
        return None

    def effective(self, S: np.ndarray) -> np.ndarray:
        """The statistics (..., K, width) that enter the posterior: clones (S +
        pseudo_statistics)."""
        S = np.asarray(S)
        if self.pseudo_statistics is not None:
            S = S.copy()
            S[..., : len(self.pseudo_statistics)] += self.pseudo_statistics
        return self.clones * S

    # ---- the E-step ----

    def _expected(self, E: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """After the effective statistics E: the components' log-normalisers (K,), their expected
        natural parameters (K, P) and those of the labels (K, L) (Sato 2000, A.8-A.9)."""
        components = E[:, : self.n_statistics]
        return *self.family.value_and_gradient(components), self.label_expected(
            E[:, self.labels]
        )

    def _joint(self, E, W, logs) -> np.ndarray:
        """The expected natural parameters (K, width) of components and labels together."""
        joint = np.zeros(E.shape)
        joint[:, : W.shape[1]] = W
        joint[:, self.labels] += logs
        return joint

    def kept(self, W: np.ndarray, keep) -> np.ndarray:
        """Those of the expected natural parameters W (K, width) that are left if only the
        components `keep` take part."""
        return W[keep]

    def block_responsibilities(
        self, data: Observations, S, keep=slice(None)
    ) -> Iterator[Block]:
        """The E-step at the checked state S (K, width), one `Block` of rows after another.

        keep: the components that take part, as if there were no others (a slice or an array of
        indices).
        """
        _, W, logs = self._expected(E := self.effective(S))
        return self.e_step_blocks(data, self.kept(self._joint(E, W, logs), keep))

    def e_step(self, X, S, weights=None) -> EStep:
        """Do one E-step at the posterior S (K, width) over data X (N, D) with observation weights
        (N,).

        Returns the statistics of its responsibilities, which are the next state, and the ELBO.
        Raises ValueError for unfit data, weights or state, and if a component has no posterior.
        """
        data, E = self.observe(X, weights), self.effective(self.check_state(S))
        values, W, logs = self._expected(E)
        total, S_new = 0.0, np.zeros(E.shape)
        for block in self.e_step_blocks(data, self._joint(E, W, logs)):
            total += block.log_likelihood
            S_new += block.m_step()
        divergence = self._divergence(E, values, W, logs)
        require_numbers("the ELBO", total - divergence)
        return EStep(State(S_new, self.family.origin), total, divergence)

    def responsibilities(self, X, S) -> np.ndarray:
        """Return q(z_n = k), shape (N, K), of data X (N, D) at the state S (K, width) (Sato 2000,
        2.14). Raises ValueError as `e_step` does."""
        data, S = self.observe(X), self.check_state(S)
        R = np.empty((len(data.X), len(S)))
        for block in self.block_responsibilities(data, S):
            R[block.rows] = block.R.T
        require_numbers("a responsibility", R)
        return R

    # ---- structure ----

    def merged(self, S, first: int, second: int) -> np.ndarray:
        """The state in which the component `second` is part of `first`."""
        S = S.copy()
        S[first] += S[second]
        return np.delete(S, second, axis=0)

    def divided(self, S, component: int, first, second) -> np.ndarray:
        """The state in which a component has the statistics `first` (P,) of the family only, and
        another one at the end has the rest, `second`."""
        parts = S[:component], first[None], S[component + 1 :], second[None]
        return np.concatenate(parts)

    # ---- the ELBO ----

    @cached_property
    def _component_prior(self) -> float:
        """The log-normaliser of a component that has seen no data."""
        return float(
            self.family.log_normalizer(self.effective(np.zeros(self.n_statistics)))
        )

    @cached_property
    def _label_priors(self) -> dict[int, tuple[np.ndarray, float]]:
        return {}

    def _labels_of_nothing(self, E) -> tuple[np.ndarray, float]:
        """The effective statistics (K, L) of the labels without data, for states like E, and the
        log-normaliser of their prior there."""
        K = E.shape[-2]
        if K not in self._label_priors:
            nothing = self.effective(np.zeros(E.shape[-2:]))[:, self.labels]
            value = float(self.label_prior(nothing)) if self.clones < EM else 0.0
            self._label_priors[K] = nothing, value
        return self._label_priors[K]

    def _divergence(self, E, values, W, logs) -> float:
        penalty = 0.0
        if (
            self.pseudo_statistics is not None
        ):  # pseudo-observations are fitted as data are
            penalty = float((W @ self.pseudo_statistics).sum())
            penalty += float(inner(self._labels_of_nothing(E)[0] / self.clones, logs))
        if self.clones >= EM:
            return -penalty
        N = E[:, self.labels]
        components = (
            (E[:, : W.shape[1]] * W).sum()
            - values.sum()
            + len(E) * self._component_prior
        )
        labels = inner(N, logs) - self.label_prior(N) + self._labels_of_nothing(E)[1]
        return float(components + labels) / self.clones - penalty

    def divergence(self, S) -> float:
        """Return the Kullback-Leibler divergence (nats per clone) of the posterior over parameters
        at S (K, width) from the prior.

        It is <S, E theta> - (log_normalizer(S) - log_normalizer(0)), for components and labels
        together. In the EM limit only the penalty is left: minus the log-likelihood of the
        pseudo-statistics.
        """
        E = self.effective(self.check_state(S))
        return self._divergence(E, *self._expected(E))

    def log_normalizer_ratio(self, S) -> np.ndarray:
        """Return log E_prior[exp <S, theta>] (...), in nats per clone, of states S (..., K, width).

        It is what the log-normalisers of components and labels gain from the prior to S; in the EM
        limit the largest <S, theta>. Adding the entropy and base measure of responsibilities whose
        M-step is S gives their ELBO.
        """
        self._check_origin(S)
        E = self.effective(as_array("the state", S))
        if E.ndim < 2 or not E.shape[-2] or E.shape[-1] != self.width(E.shape[-2]):
            wanted = self.width(E.shape[-2] if E.ndim > 1 else 1)
            raise ValueError(
                f"the state has shape {E.shape}; it must be (..., K >= 1, {wanted})"
            )
        N = E[..., self.labels]
        if self.clones >= EM:
            labels = inner(N, self.label_expected(N))
        else:
            labels = self.label_prior(N) - self._labels_of_nothing(E)[1]
        values = self.family.log_normalizer(E[..., : self.n_statistics])
        components = (values - self._component_prior).sum(axis=-1)
        return require_numbers(
            "the log-normaliser", (components + labels) / self.clones
        )

    def elbo(self, X, S, weights=None) -> float:
        """Return the ELBO (nats) of the posterior S (K, width) over data X (N, D) with weights
        (N,).

        It is the lower bound on the log evidence, with every constant, maximised over q(z): Sato's
        free energy F (2.6, 2.26), and minus the F of Nakajima and Kaji. For clones > 1 it is the
        bound for that many clones of the data with common responsibilities, per clone; in the EM
        limit the log-likelihood, penalised by any pseudo-statistics. Raises as `e_step` does.
        """
        return self.e_step(X, S, weights).elbo

    def elbo_of_responsibilities(self, X, R, weights=None) -> float:
        """Return the ELBO (nats) of responsibilities R (N, K), taken to be independent of each
        other, and the posterior of their M-step.

        Minus it is the F of Kaji and Nakajima after an iteration; `elbo` would replace R by better
        ones. Raises ValueError for unfit data or weights, and if a row of R does not add up to 1.
        """
        data = self.observe(X, weights)
        S, R = self.m_step(data, R), np.asarray(R, dtype=np.float64)
        if np.abs(R.sum(axis=1) - 1).max() > 1e-8:
            raise ValueError("R has a row that does not add up to 1; each must")
        w = np.ones(len(R)) if data.weights is None else data.weights
        base = self.family.log_base(data.X)
        entropy = -float(w @ xlogy(R, R).sum(axis=1)) + (
            0.0 if base is None else float(w @ base)
        )
        return entropy + float(self.log_normalizer_ratio(S))
