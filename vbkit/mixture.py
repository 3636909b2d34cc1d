"""A mixture: components of one conjugate family, and labels that tie each row to one.

The posterior over all parameters is a state S (K, width): the expected sufficient
statistics that the data added to the prior, one row for each component. S = 0 is the prior.
The first P columns are the family's, of which the first is the component's count; labels
that are not independent have columns of their own behind them. One step of learning is

    E-step   W = E[natural parameters] at S;  R = softmax(W t(x) + E[log weights])
    M-step   S = R^T t(X)

and the bound that it raises is the ELBO,

    log-likelihood of the E-step  -  KL divergence of the posterior at S from the prior.

Everything here is a function of S; how S moves is the subject of `vbkit.learning`. With
`Dirichlet` labels this is a mixture in the usual sense, with a `MarkovChain` a hidden
Markov model. The two know nothing of each other, nor does a family of its labels.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import xlogy

from vbkit.checks import (
    as_array,
    as_generator,
    as_instance,
    as_integer,
    as_matrix,
    as_number,
    read_only,
    require_numbers,
)
from vbkit.families.base import Family
from vbkit.labels import Dirichlet, Inference, Labels, check_labels_interface
from vbkit.observations import Observations, block_length

# With so many clones of the data the posterior is a point, and learning is EM. It is a power
# of two, because multiplying by one changes no digit.
EM = 2.0**100
LARGEST_STATISTIC = 1e250  # EM clones of it are still finite
CACHED = 2**17  # responsibilities that states which are swept together may have


class EStep(NamedTuple):
    """One E-step over the data, at the posterior that it started from.

    S: the statistics (K, width) of its responsibilities, which are the next state.
    log_likelihood: sum_n w_n log sum_k exp(E log p(x_n, z_n = k)), in nats.
    divergence: of the posterior from the prior, in nats.
    """

    S: np.ndarray
    log_likelihood: float
    divergence: float

    @property
    def elbo(self) -> float:
        """The ELBO (nats) of the posterior that the step started from, with the
        responsibilities it found."""
        return self.log_likelihood - self.divergence


class Block(NamedTuple):
    """The E-step of n rows.

    rows: which they are. T: their statistics (n, P). R: responsibilities (K, n), which the
    next block overwrites. weights, base: observation weights and log base measure (n,), or
    None. columns: what they add to the labels' own columns (K, L), or None.
    log_likelihood: sum_n w_n log sum_k exp(E log p(x_n, z_n = k)).
    """

    rows: slice
    T: np.ndarray
    R: np.ndarray
    weights: np.ndarray | None
    base: np.ndarray | None
    columns: np.ndarray | None
    log_likelihood: float

    @property
    def weighted(self) -> np.ndarray:
        """Responsibilities times observation weights (K, n)."""
        return self.R if self.weights is None else self.R * self.weights

    def m_step(self) -> np.ndarray:
        """The statistics (K, width) of these responsibilities."""
        weighted = self.weighted
        S = weighted @ self.T
        if not isinstance(self.T, np.ndarray) or self.T.dtype != np.float64:
            # A sparse product, or one in single precision, loses digits of the counts.
            # (`Observations.statistics` lists the forms of T.)
            S[:, 0] = weighted.sum(axis=1)
        return S if self.columns is None else np.hstack([S, self.columns])


class Expected(NamedTuple):
    """What a state expects: the components' log-normalisers (K,), their natural parameters
    W (K, P), and log probabilities of the labels (Sato 2000, A.8-A.9)."""

    log_normalizers: np.ndarray
    W: np.ndarray
    logs: np.ndarray


@attrs.frozen(eq=False, slots=False)
class Mixture:
    """Components of one family with a common prior, and labels with a conjugate prior.

    family: the family of the components, with its prior hyperparameters.
    labels: the prior of the labels. `Dirichlet` (each row draws its component from the
        same weights) makes a mixture, `MarkovChain` a hidden Markov model.
    clones: the number of times the data are cloned. 1 is variational Bayes. `EM` (2**100)
        leaves no uncertainty, so expected parameters are maximum-likelihood estimates and
        learning is EM. Numbers between lead from one to the other.
    pseudo_statistics: (P,), added to every component before anything else. Below EM they
        are part of the prior, which must stay proper: entries may be negative, the count
        may not. In EM they penalise the likelihood: a floor on widths, or MAP.

    Raises ValueError for another type of family or labels, for pseudo-statistics that do
    not fit the family or leave no proper prior, and for an improper prior of the labels (a
    concentration of 0) unless clones is EM.
    """

    family: Family
    labels: Labels = Dirichlet(1.0)
    clones: float = 1.0
    pseudo_statistics: np.ndarray | None = None
    # Log-normalisers of the labels' prior by the number of components; `_label_prior` fills it.
    _label_priors: dict[int, float] = attrs.field(init=False, repr=False, factory=dict)

    def __attrs_post_init__(self):
        as_instance("family", self.family, Family)
        check_labels_interface(self.labels)
        check_clones(self.clones, self.labels)
        if self.pseudo_statistics is not None:
            pseudo_statistics = read_only(self._checked_pseudo_statistics())
            object.__setattr__(self, "pseudo_statistics", pseudo_statistics)

    def _checked_pseudo_statistics(self) -> np.ndarray:
        pseudo = as_array("pseudo_statistics", self.pseudo_statistics, ndim=1)
        if len(pseudo) != self.n_statistics:
            raise ValueError(
                f"pseudo_statistics has {len(pseudo)} entries; it must have {self.n_statistics}"
            )
        if pseudo[0] < 0:
            raise ValueError(
                f"pseudo_statistics has the count {pseudo[0]}; it must be >= 0"
            )
        if self.clones < EM and not self._leaves_a_prior(pseudo):
            raise ValueError(
                f"pseudo_statistics is {pseudo}; the prior it makes is not proper, as it "
                "must be unless clones is EM"
            )
        return pseudo

    def _leaves_a_prior(self, pseudo: np.ndarray) -> bool:
        try:
            value = self.family.log_normalizer(self.clones * pseudo[None])
        except ValueError:
            return False
        return bool(np.isfinite(value).all())

    # ---- data and states ----

    @cached_property
    def n_statistics(self) -> int:
        """How many statistics of a row the family has."""
        return self.family.n_statistics

    @property
    def has_plain_labels(self) -> bool:
        """Whether the labels are `Dirichlet` itself, whose E-step is the softmax that fast
        loops have built in. A class derived from it may infer labels in another way."""
        return type(self.labels) is Dirichlet

    def width(self, K: int) -> int:
        """The number of columns of a state of K components."""
        return self.n_statistics + self.labels.width(K)

    def observe(self, X, weights=None, *, lengths=None) -> Observations:
        """Check data X (N, D) and observation weights (N,), finite and >= 0 (None: all 1).

        lengths: of the sequences that the rows are, for the labels of a `MarkovChain`,
            which take sequences in other forms too. The result holds copies, so the arrays
            may be used again. Data that were observed before are returned unchanged, or
            checked again if it was for another family. Raises ValueError if they are
            unfit.
        """
        return self.labels.observe(self.family, X, weights, lengths)

    def check_state(self, S) -> np.ndarray:
        """Return S (K, width) as a float64 array; ValueError if it is not a state of this
        mixture."""
        S = as_state(S, self.width)
        self.labels.check_state(S, self.n_statistics)
        return S

    def alike(self, S: np.ndarray) -> bool:
        """Whether all components of the state S are identical and have one prior, so that
        no learning can separate them."""
        return self.labels.common_prior and len(S) > 1 and bool((S == S[0]).all())

    def effective(self, S) -> np.ndarray:
        """The statistics (..., K, width) that enter the posterior:
        clones (S + pseudo_statistics)."""
        S = np.asarray(S)
        if self.pseudo_statistics is not None:
            S = S.copy()
            S[..., : self.n_statistics] += self.pseudo_statistics
        return self.clones * S

    def _expected(self, effective: np.ndarray) -> Expected:
        """What the effective statistics (..., K, width) expect."""
        statistics = effective[..., : self.n_statistics]
        # A family takes components as rows, (K, P); several states are (n, K, P).
        rows = statistics.reshape(-1, self.n_statistics)
        log_normalizers, W = self.family.value_and_gradient(rows)
        label_statistics = self.labels.statistics(effective, self.n_statistics)
        return Expected(
            log_normalizers.reshape(statistics.shape[:-1]),
            W.reshape(statistics.shape),
            self.labels.expected(label_statistics),
        )

    # ---- the E-step and the M-step ----

    def e_step(self, X, S, weights=None) -> EStep:
        """Do one E-step at the posterior S (K, width) over data X (N, D) with observation
        weights (N,).

        Returns the statistics of its responsibilities, which are the next state, and the
        ELBO. Raises ValueError for unfit data, weights or state, and if a component has no
        posterior.
        """
        step = self.sweep(self.observe(X, weights), self.check_state(S))
        require_numbers("the ELBO", step.elbo)
        return step

    def sweep(self, data: Observations, S: np.ndarray) -> EStep:
        """The E-step of `e_step` for whoever repeats it: over data that were observed, at a
        state (K, width) that was checked or came from a step before. The ELBO may be nan."""
        effective = self.effective(S)
        expected = self._expected(effective)
        S_next = np.zeros(effective.shape)
        log_likelihood = 0.0
        for block in self._blocks(data, expected.W, expected.logs):
            S_next += block.m_step()
            log_likelihood += block.log_likelihood
        divergence = self._divergence(effective, expected)
        return EStep(S_next, log_likelihood, float(divergence))

    def sweep_each(self, data: Observations, states: np.ndarray) -> EStep:
        """The `sweep` at each of several states (n, K, width): an `EStep` of arrays
        (n, K, width), (n,) and (n,).

        Where a sweep's arrays are small, calling NumPy takes longer than its work. So as
        many states are worked on together as fit into the cache.
        """
        if not self._can_stack(data, states):
            steps = [self.sweep(data, S) for S in states]
            return _joined(steps, np.array)
        K = states.shape[1]
        together = max(1, CACHED // (K * len(data.X)))
        steps = []
        for first in range(0, len(states), together):
            steps.append(self._sweep_stack(data, states[first : first + together]))
        return _joined(steps, np.concatenate)

    def _can_stack(self, data: Observations, states: np.ndarray) -> bool:
        """Whether several states (n, K, width) can go side by side: labels are plain, and
        the statistics one block of plain numbers."""
        if not self.has_plain_labels:
            return False
        if len(data.X) > block_length(max(states.shape[1:])):
            return False
        T = data.statistics
        return isinstance(T, np.ndarray) and T.dtype == np.float64

    def _sweep_stack(self, data: Observations, states: np.ndarray) -> EStep:
        """`sweep_each` at states (n, K, width) that go side by side."""
        effective = self.effective(states)
        expected = self._expected(effective)
        joint = self.labels.join(expected.W, expected.logs)
        R = _log_densities(joint, data.statistics, buffer=None)
        log_likelihoods = self.labels.infer_each(R, data) + data.total_log_base
        weighted = R if data.weights is None else R * data.weights
        divergences = self._divergence(effective, expected)
        return EStep(weighted @ data.statistics, log_likelihoods, divergences)

    def _blocks(self, data: Observations, W, logs) -> Iterator[Block]:
        """The E-step at expected natural parameters W (K, P) and log probabilities of the
        labels, one block of rows after another."""
        K = len(W)
        joint = self.labels.join(W, logs)
        log_densities = None
        for rows, part in data.blocks(max(K, self.width(K))):
            T = part.statistics
            log_densities = _log_densities(joint, T, buffer=log_densities)
            inference = self.labels.infer(log_densities, logs, part)
            log_likelihood = inference.log_likelihood + part.total_log_base
            _check_inference(inference, len(part.X), K, self.width(K) - W.shape[1])
            yield Block(
                rows,
                T,
                inference.R,
                part.weights,
                part.log_base,
                inference.columns,
                log_likelihood,
            )

    def e_step_blocks(self, data: Observations, S, keep=slice(None)) -> Iterator[Block]:
        """The E-step at the checked state S (K, width), one `Block` of rows after another.

        keep: the components that take part, as if there were no others (a slice or an
        array of indices).
        """
        expected = self._expected(self.effective(S))
        logs = self.labels.restrict(expected.logs, keep)
        return self._blocks(data, expected.W[keep], logs)

    def responsibilities(self, X, S) -> np.ndarray:
        """Return q(z_n = k), shape (N, K), of data X (N, D) at the state S (K, width) (Sato
        2000, 2.14). Raises ValueError as `e_step` does."""
        data = self.observe(X)
        S = self.check_state(S)
        R = np.empty((len(data.X), len(S)))
        for block in self.e_step_blocks(data, S):
            R[block.rows] = block.R.T
        return require_numbers("a responsibility", R)

    def m_step(self, X, R, weights=None) -> np.ndarray:
        """The M-step: return the state (K, width) that responsibilities R (N, K) >= 0 give,
        taken to be independent of each other.

        X (N, D), with observation weights (N,). Raises ValueError for unfit data, weights
        or R.
        """
        data = self.observe(X, weights)
        R = as_responsibilities(R, data)
        weighted = R if data.weights is None else R * data.weights[:, None]
        return self.with_labels(weighted.T @ self.family.statistics(data.X), data, R)

    def with_labels(self, S, data: Observations, R) -> np.ndarray:
        """Return the state (K, width) of components with the family's statistics S (K, P),
        whose labels are those of responsibilities R (N, K) for the data."""
        columns = self.labels.columns_of(R, data)
        return S if columns is None else np.hstack([S, columns])

    # ---- the ELBO ----

    def elbo(self, X, S, weights=None) -> float:
        """Return the ELBO (nats) of the posterior S (K, width) over data X (N, D) with
        weights (N,).

        It is the lower bound on the log evidence, with every constant, maximised over q(z):
        Sato's free energy F (2.6, 2.26), and minus the F of Nakajima and Kaji. For
        clones > 1 it is the bound for that many clones of the data with common
        responsibilities, per clone; in the EM limit the log-likelihood, penalised by any
        pseudo-statistics. Raises as `e_step` does.
        """
        return self.e_step(X, S, weights).elbo

    def divergence(self, S) -> float:
        """Return the Kullback-Leibler divergence (nats per clone) of the posterior over
        parameters at S (K, width) from the prior.

        It is <S, E theta> - (log_normalizer(S) - log_normalizer(0)), for components and
        labels together. In the EM limit only the penalty is left: minus the log-likelihood
        of the pseudo-statistics.
        """
        effective = self.effective(self.check_state(S))
        return float(self._divergence(effective, self._expected(effective)))

    def _divergence(self, effective: np.ndarray, expected: Expected) -> np.ndarray:
        """The divergence (...) of the posterior with these effective statistics
        (..., K, width), less the expected log-likelihood of the pseudo-statistics, which are
        fitted as data are."""
        of_pseudo_statistics = self._pseudo_log_likelihood(expected)
        if self.clones >= EM:
            return -of_pseudo_statistics
        K = effective.shape[-2]
        statistics = effective[..., : self.n_statistics]
        label_statistics = self.labels.statistics(effective, self.n_statistics)
        of_components = (
            (statistics * expected.W).sum(axis=(-2, -1))
            - expected.log_normalizers.sum(axis=-1)
            + K * self._component_prior
        )
        of_labels = (
            self.labels.inner(label_statistics, expected.logs)
            - self.labels.log_normalizer(label_statistics)
            + self._label_prior(K)
        )
        return (of_components + of_labels) / self.clones - of_pseudo_statistics

    def _pseudo_log_likelihood(self, expected: Expected) -> np.ndarray:
        """The expected log-likelihood (...), in nats, of the pseudo-statistics of all
        components."""
        if self.pseudo_statistics is None:
            return np.zeros(expected.W.shape[:-2])
        of_components = (expected.W @ self.pseudo_statistics).sum(axis=-1)
        K = expected.W.shape[-2]
        label_statistics = self._prior_statistics(K) / self.clones
        return of_components + self.labels.inner(label_statistics, expected.logs)

    def log_normalizer_ratio(self, S) -> np.ndarray:
        """Return log E_prior[exp <S, theta>] (...), in nats per clone, of states S
        (..., K, width).

        It is what the log-normalisers of components and labels gain from the prior to S; in
        the EM limit the largest <S, theta>. Adding the entropy and base measure of
        responsibilities whose M-step is S gives their ELBO. Raises ValueError for a state
        of another shape.
        """
        S = as_array("the state", S)
        if S.ndim < 2 or S.shape[-2] < 1:
            raise ValueError(
                f"the state has shape {S.shape}; it must be (..., K >= 1, width)"
            )
        K = S.shape[-2]
        if S.shape[-1] != self.width(K):
            raise ValueError(
                f"the state has shape {S.shape}; it must be (..., {K}, {self.width(K)})"
            )
        effective = self.effective(S)
        label_statistics = self.labels.statistics(effective, self.n_statistics)
        if self.clones >= EM:
            logs = self.labels.expected(label_statistics)
            of_labels = self.labels.inner(label_statistics, logs)
        else:
            log_normalizer = self.labels.log_normalizer(label_statistics)
            of_labels = log_normalizer - self._label_prior(K)
        log_normalizers = self.family.log_normalizer(
            effective[..., : self.n_statistics]
        )
        of_components = (log_normalizers - self._component_prior).sum(axis=-1)
        ratio = (of_components + of_labels) / self.clones
        return require_numbers("the log-normaliser", ratio)

    def elbo_of_responsibilities(self, X, R, weights=None) -> float:
        """Return the ELBO (nats) of responsibilities R (N, K), taken to be independent of
        each other, and of the posterior that is their M-step.

        Minus it is the F of Kaji and Nakajima after an iteration; `elbo` would replace R by
        better ones. Raises ValueError for unfit data or weights, if a row of R does not
        add up to 1, and for labels that are not `unconstrained`: if rows must share a
        label, responsibilities that are independent are no distribution of them.
        """
        if not self.labels.unconstrained:
            raise ValueError(
                f"labels are {type(self.labels).__name__}, which rule out some labels of "
                "rows together; independent responsibilities have no ELBO then"
            )
        data = self.observe(X, weights)
        S = self.m_step(data, R)
        R = np.asarray(R, dtype=np.float64)
        if np.abs(R.sum(axis=1) - 1).max() > 1e-8:
            raise ValueError("R has a row that does not add up to 1; each must")
        entropy = _total(-xlogy(R, R).sum(axis=1), data.weights)
        if data.log_base is not None:
            entropy += _total(data.log_base, data.weights)
        return entropy + float(self.log_normalizer_ratio(S))

    @cached_property
    def _component_prior(self) -> float:
        """The log-normaliser of a component that has seen no data."""
        nothing = self.effective(np.zeros(self.n_statistics))
        return float(self.family.log_normalizer(nothing))

    def _prior_statistics(self, K: int) -> np.ndarray:
        """The effective statistics of the labels of K components that have seen no data."""
        nothing = self.effective(np.zeros((K, self.width(K))))
        return self.labels.statistics(nothing, self.n_statistics)

    def _label_prior(self, K: int) -> float:
        """The log-normaliser of the labels of K components that have seen no data. Every
        E-step asks for it, so it is worked out once for each K."""
        if K not in self._label_priors:
            nothing = self._prior_statistics(K)
            self._label_priors[K] = float(self.labels.log_normalizer(nothing))
        return self._label_priors[K]

    # ---- parameters, prediction and sampling ----

    def parameters(self, S) -> NamedTuple:
        """Return expected parameters at the state S (K, width): `MixtureParameters`, of a
        chain `HiddenMarkovParameters`.

        For Gaussians the components' parameters are means and covariances, for Bernoulli
        components probabilities; in the EM limit the estimates, pseudo-statistics included.
        Raises ValueError for an unfit S.
        """
        effective = self.effective(self.check_state(S))
        components = self.family.parameters(effective[:, : self.n_statistics])
        label_statistics = self.labels.statistics(effective, self.n_statistics)
        return self.labels.parameters(label_statistics, components)

    def log_predictive(self, X, S) -> np.ndarray:
        """Return the log predictive density (N,) of new rows X (N, D) at the state S
        (K, width): the posterior mean of p(x | parameters) (Sato 2000, 2.37).

        It is a mixture, with weights E[pi], of the family's predictive densities (Student
        for the Gaussians); in the EM limit the density at the estimates. Of a chain it has
        a number for each sequence, with expected start and transition probabilities, and
        for each row by itself the family's predictive density: a proper density, and the
        posterior mean for sequences of one row. Raises as `e_step` does.
        """
        data = self.observe(X)
        effective = self.effective(self.check_state(S))
        statistics = effective[:, : self.n_statistics]
        label_statistics = self.labels.statistics(effective, self.n_statistics)
        densities = []
        for _, part in data.blocks(max(effective.shape)):
            of_components = self.family.log_predictive(statistics, part.X)
            densities.append(
                self.labels.log_predictive(of_components, label_statistics, part)
            )
        return require_numbers("the predictive density", np.concatenate(densities))

    def most_probable_labels(self, X, S) -> np.ndarray:
        """Return the most probable labels (N,) of all rows of X together, the mode of q(z)
        at the state S (K, width): of a chain, the most probable path of each sequence
        (Viterbi). Raises ValueError as `e_step` does."""
        data = self.observe(X)
        expected = self._expected(self.effective(self.check_state(S)))
        joint = self.labels.join(expected.W, expected.logs)
        log_densities = joint @ self.family.statistics(data.X).T
        return self.labels.most_probable(log_densities, expected.logs, data)

    def sample(self, S, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows (size, D) from the density of `log_predictive` at the state S
        (K, width); of a chain, one sequence.

        Raises ValueError for an unfit state, a size that is not a whole number >= 0, and an
        rng that is not a Generator; NotImplementedError for a family without `sample`.
        """
        rows, _ = self.sample_with_labels(S, size, rng)
        return rows

    def sample_with_labels(self, S, size: int, rng) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows (size, D) as `sample` does; returns them and their components
        (size,)."""
        effective = self.effective(self.check_state(S))
        as_integer("size", size, 0)
        as_generator("rng", rng)
        label_statistics = self.labels.statistics(effective, self.n_statistics)
        z = self.labels.sample(label_statistics, size, rng)
        X = np.empty((size, self.family.dimension))
        for k, statistics in enumerate(effective[:, : self.n_statistics]):
            in_component = z == k
            count = int(in_component.sum())
            X[in_component] = self.family.sample(statistics, count, rng)
        if self.labels.independent:
            order = rng.permutation(size)
            return X[order], z[order]
        return X, z


def check_clones(clones: float, labels: Labels) -> None:
    """ValueError for a number of clones outside 1 to EM, or one that needs a proper prior of
    the labels where there is none."""
    as_number("clones", clones, 1, EM)
    if clones < EM and not labels.proper:
        raise ValueError(
            "a concentration of the labels is 0 (improper); "
            "it must be > 0 unless clones is EM"
        )


def as_state(S, width: Callable[[int], int]) -> np.ndarray:
    """A state as a float64 array (K, width(K)), its counts >= 0 and nothing so large that
    clones of it are not finite; or a ValueError."""
    S = as_array("the state", S)
    if S.ndim != 2 or len(S) < 1:
        raise ValueError(f"the state has shape {S.shape}; it must be (K >= 1, width)")
    K = len(S)
    if S.shape[1] != width(K):
        raise ValueError(f"the state has shape {S.shape}; it must be ({K}, {width(K)})")
    if S[:, 0].min() < 0:
        raise ValueError(
            f"the state has the counts {S[:, 0]} in column 0; they must be >= 0"
        )
    if max(-S.min(), S.max()) > LARGEST_STATISTIC:
        raise ValueError(
            f"the state reaches {np.abs(S).max():g}, above {LARGEST_STATISTIC:g}"
        )
    return S


def as_responsibilities(R, data: Observations) -> np.ndarray:
    """Responsibilities as a float64 array (N, K) of entries >= 0, a row for each of the data;
    or a ValueError."""
    R = as_matrix("R", R)
    if len(R) != len(data.X) or (R < 0).any():
        raise ValueError(
            f"R has shape {R.shape}; it must be ({len(data.X)}, K), entries >= 0"
        )
    return R


def as_independent(mixture) -> Mixture:
    """A mixture whose labels are independent; ValueError for a chain, or for no mixture."""
    as_instance("mixture", mixture, Mixture, "Mixture(family)")
    if not mixture.labels.independent:
        raise ValueError(
            f"mixture has the labels {type(mixture.labels).__name__}; they must be "
            "independent, such as Dirichlet(1.0)"
        )
    return mixture


def check_variational(mixture) -> None:
    """Raise ValueError unless it is a Mixture of independent labels, learned by plain
    variational Bayes."""
    as_independent(mixture)
    if mixture.clones != 1 or mixture.pseudo_statistics is not None:
        raise ValueError(
            "clones must be 1 and pseudo_statistics None, as in variational Bayes"
        )


def _joined(steps: list[EStep], join) -> EStep:
    """The steps as one: `join`, as np.array or np.concatenate, puts their parts together."""
    return EStep(
        join([step.S for step in steps]),
        join([step.log_likelihood for step in steps]),
        join([step.divergence for step in steps]),
    )


def _log_densities(W: np.ndarray, T, buffer: np.ndarray | None) -> np.ndarray:
    """W @ T.T, (..., K, n), of natural parameters W (..., K, P) and statistics T (n, P),
    in one of the forms of `Observations.statistics`; several states side by side, W
    (n, K, P), need plain arrays.

    The result is written into `buffer`, the array of the block before, if that has the right
    shape: new memory for a block takes longer than the block's work.
    """
    W = W.astype(T.dtype, copy=False)
    if not isinstance(T, np.ndarray):
        return np.ascontiguousarray((T @ W.T).T)
    shape = (*W.shape[:-1], len(T))
    if buffer is None or buffer.shape != shape or buffer.dtype != T.dtype:
        buffer = np.empty(shape, T.dtype)
    # An emptied component has W = -inf. Wide instructions multiply it by the zeros that fill
    # up a vector and complain, though no such product enters the result; a true nan is found
    # later.
    with np.errstate(invalid="ignore"):
        return np.matmul(W, T.T, out=buffer)


def _check_inference(inference: Inference, n: int, K: int, width: int) -> None:
    """ValueError if labels infer responsibilities or columns of a shape that does not fit."""
    if inference.R.shape != (K, n):
        raise ValueError(
            f"the labels infer responsibilities of shape {inference.R.shape}; they must be "
            f"({K}, {n}), a column for each row"
        )
    columns = 0 if inference.columns is None else inference.columns.shape[1]
    if columns != width:
        raise ValueError(
            f"the labels infer {columns} columns of their own; their `width` says {width}"
        )


def _total(values: np.ndarray, weights: np.ndarray | None) -> float:
    """The sum of the rows' values (n,), times observation weights if there are any."""
    return float(values.sum() if weights is None else values @ weights)
