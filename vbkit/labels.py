"""What ties each row to a component: labels that are independent, or a Markov chain.

Labels have a conjugate prior, as components have: so what the data add to it is a part of
the state S (K, width) of a `Mixture`, and starting, forgetting, adding and cloning are the
same linear algebra for all of it. The first P columns of a state are the family's, of
which the first is the count. Independent labels need nothing but the counts; a chain has
columns of its own behind them.

A kind of labels is one class with the methods of `Labels`, and no other edit. `Mixture`
asks for the first two groups, structure search for the third, prediction for the last. Three
things are easily done wrong:

- Expected log probabilities enter once: `Dirichlet` adds them in `join`, before the rows'
  log densities are computed, and `MarkovChain` in `infer`, afterwards.
- Observation weights multiply what is summed, so they enter the columns and the
  log-likelihood of an `Inference`. Its responsibilities are without them.
- The first column of a state is the expected count of rows, whatever the labels count.

What a kind of labels knows of each row beforehand, such as the number of a block, it gives
to the observations as `known`; `infer` then finds the part that belongs to its rows.
"""

from typing import NamedTuple, Protocol

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_array, checked, require_numbers
from vbkit.compiled.chains import most_probable_path, path_expectations
from vbkit.compiled.softmax import log_sums, softmax_columns, softmax_each
from vbkit.families.base import Family
from vbkit.observations import Observations, observe_rows, observe_sequences

# Beyond it, log Gamma leaves fewer than six decimals of an ELBO.
LARGEST_CONCENTRATION = 1e8
# A count beside which every prior is small, given to all components alike.
LARGE_EQUAL_COUNT = 2.0**100


class Inference(NamedTuple):
    """What labels infer for a block of n rows.

    R: responsibilities (K, n). columns: what they add to the labels' own columns of the
    state (K, L), weights included, or None where there are no such columns.
    log_likelihood: sum over rows or sequences of weight times log of the sum over labels.
    """

    R: np.ndarray
    columns: np.ndarray | None
    log_likelihood: float


class Labels(Protocol):
    """What a `Mixture` asks of its labels.

    N stands for the statistics of the labels in a state of K components, cloned and
    with pseudo-statistics: the counts (..., K) of independent labels, starts and
    transitions (..., K, 1 + K) of a chain. `logs` are their expected log probabilities, of
    the same shape.
    """

    # Whether the rows' labels are independent of each other given the parameters, so that the
    # ELBO follows from the responsibilities and their M-step.
    independent: bool
    # Whether the rows may have any labels together, so that responsibilities independent of
    # each other are a distribution of them.
    unconstrained: bool
    proper: bool  # whether the prior integrates to one
    common_prior: bool  # of all components, however many they are

    # ---- data and states ----

    def observe(self, family: Family, X, weights, lengths) -> Observations:
        """Check data and weights; ValueError if they are unfit."""

    def width(self, K: int) -> int:
        """How many columns of its own a state of K components has for the labels."""

    def check_state(self, S: np.ndarray, P: int) -> None:
        """ValueError if the state S (K, width) cannot be one of these labels."""

    def statistics(self, S: np.ndarray, P: int) -> np.ndarray:
        """The statistics N of the labels in a state S (..., K, width)."""

    def columns_of(self, R: np.ndarray, data: Observations) -> np.ndarray | None:
        """What responsibilities R (N, K), without observation weights and taken to be
        independent of each other, add to the labels' own columns (K, L), with the weights of
        the data; None where there are none."""

    # ---- the prior and the E-step ----

    def log_normalizer(self, N: np.ndarray) -> np.ndarray:
        """The log-normaliser of the labels' posterior: (...)."""

    def expected(self, N: np.ndarray) -> np.ndarray:
        """Its gradient, the expected log probabilities."""

    def inner(self, N: np.ndarray, logs: np.ndarray) -> np.ndarray:
        """<N, logs> (...), in which what never occurred counts 0."""

    def join(self, W: np.ndarray, logs: np.ndarray) -> np.ndarray:
        """The components' expected natural parameters W (K, P), with what the labels of
        a row by itself add to them."""

    def infer(self, L: np.ndarray, logs: np.ndarray, data: Observations) -> Inference:
        """The labels of a block of rows, given the rows' log densities L (K, n) at the
        natural parameters that `join` returned; L may be overwritten."""

    # ---- structure ----

    def restrict(self, logs: np.ndarray, keep) -> np.ndarray:
        """Expected log probabilities if only the components `keep` take part."""

    def merged(self, columns: np.ndarray, first: int, second: int) -> np.ndarray:
        """The labels' own columns after component `second` has become part of `first`."""

    def divided(self, columns: np.ndarray, component: int, share: float) -> np.ndarray:
        """The labels' own columns after a component keeps the `share` of its count and a
        new one at the end has the rest."""

    def elbo_shares(self, N: np.ndarray) -> np.ndarray:
        """How the log-normaliser is shared out to the components (K,) in a search."""

    # ---- prediction ----

    def parameters(self, N: np.ndarray, components: NamedTuple) -> NamedTuple:
        """Expected probabilities of labels, together with the components' parameters."""

    def log_predictive(self, L, N, data: Observations) -> np.ndarray:
        """The log predictive density of rows, or of sequences, given those of each row in
        each component, L (K, n)."""

    def most_probable(self, L, logs, data: Observations) -> np.ndarray:
        """The most probable labels (n,) of all rows together, given the rows' log
        densities L (K, n), joined with what the labels add."""

    def sample(self, N, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw the labels (size,) of rows that follow each other."""


def check_labels_interface(labels) -> None:
    """ValueError unless it is an object with all attributes and methods of `Labels`."""
    advice = "it must be labels such as Dirichlet(1.0) or MarkovChain()"
    if isinstance(labels, type):
        raise ValueError(f"labels is the class {labels.__name__}; {advice}")
    methods = [name for name in vars(Labels) if not name.startswith("_")]
    required = [*methods, *Labels.__annotations__]
    missing = [name for name in required if not hasattr(labels, name)]
    if len(missing) == len(required):
        raise ValueError(f"labels is {labels!r:.80}; {advice}")
    if missing:
        raise ValueError(
            f"labels is a {type(labels).__name__} without {', '.join(missing)}; "
            "see `vbkit.labels.Labels` for what each of them must do"
        )


# ---- independent labels --------------------------------------------------------------


class MixtureParameters(NamedTuple):
    """Expected mixing weights (K,), and the components' parameters (`Family.parameters`)."""

    weights: np.ndarray
    components: NamedTuple


def _as_concentration(name: str, value):
    concentration = as_array(name, value)
    is_flag = np.asarray(value).dtype == bool
    is_vector = concentration.ndim <= 1 and concentration.size > 0
    if is_flag or not is_vector or (concentration < 0).any():
        raise ValueError(
            f"{name} is {value!r}; it must be one number or (K,), finite, >= 0"
        )
    if (concentration > LARGEST_CONCENTRATION).any():
        raise ValueError(
            f"{name} reaches {concentration.max():g}; at most {LARGEST_CONCENTRATION:g} is allowed"
        )
    return float(concentration) if concentration.ndim == 0 else concentration


@attrs.frozen(eq=False, slots=False)
class Dirichlet:
    """Independent labels: each row draws its component from the same mixing weights
    pi ~ Dirichlet(concentration).

    concentration: one number for every component, or (K,). 0 is the improper prior under
        which EM gives the maximum-likelihood weights; a `Mixture` refuses it for any other
        use.

    Sato's gamma_0 with equal shares is concentration = gamma_0 / K + 1 (his A.6 has
    exponents gamma nu_i on the weights). Raises ValueError for a concentration below 0 or
    above 1e8.
    """

    concentration: float | np.ndarray = checked(_as_concentration, default=1.0)

    independent = True
    unconstrained = True

    @property
    def proper(self) -> bool:
        """Whether the prior integrates to one."""
        return bool(np.all(np.asarray(self.concentration) > 0))

    @property
    def common_prior(self) -> bool:
        """Whether one number is the concentration of all components."""
        return np.ndim(self.concentration) == 0

    # ---- data and states ----

    def observe(self, family, X, weights, lengths) -> Observations:
        if lengths is not None:
            raise ValueError(
                "lengths were given, but labels that are independent form no sequences"
            )
        return observe_rows(family, X, weights)

    def width(self, K) -> int:
        return 0

    def check_state(self, S, P) -> None:
        if not self.common_prior and len(self.concentration) != len(S):
            raise ValueError(
                f"concentration has {len(self.concentration)} entries; "
                f"the state {len(S)} components"
            )

    def statistics(self, S, P) -> np.ndarray:
        return S[..., 0]

    def columns_of(self, R, data) -> None:
        return None

    # ---- the prior and the E-step ----

    def posterior(self, counts: np.ndarray) -> np.ndarray:
        """Concentration (..., K) after the counts (..., K)."""
        return self.concentration + counts

    def log_normalizer(self, counts: np.ndarray) -> np.ndarray:
        """Log of the integral of prod pi^(concentration + counts - 1): (..., K) -> (...)."""
        alpha = self.posterior(counts)
        return gammaln(alpha).sum(axis=-1) - gammaln(alpha.sum(axis=-1))

    def expected(self, counts: np.ndarray) -> np.ndarray:
        """E[log pi] (..., K): psi(alpha_k) - psi(sum alpha)."""
        alpha = self.posterior(counts)
        return digamma(alpha) - digamma(alpha.sum(axis=-1, keepdims=True))

    def mean(self, counts: np.ndarray) -> np.ndarray:
        """E[pi] (..., K)."""
        alpha = self.posterior(counts)
        return alpha / alpha.sum(axis=-1, keepdims=True)

    def inner(self, counts, logs) -> np.ndarray:
        return _products(counts, logs).sum(axis=-1)

    def join(self, W, logs) -> np.ndarray:
        joint = W.copy()
        joint[..., 0] += logs  # the first statistic of a row is 1
        return joint

    def infer(self, L, logs, data) -> Inference:
        weights = np.empty(0) if data.weights is None else data.weights
        log_likelihood = softmax_columns(L, weights)  # L has become responsibilities
        return Inference(L, None, log_likelihood)

    def infer_each(self, L: np.ndarray, data) -> np.ndarray:
        """`infer` for each of several states' log densities L (n, K, N), which become
        responsibilities in place: the log-likelihoods (n,)."""
        weights = np.empty(0) if data.weights is None else data.weights
        return softmax_each(L, weights)

    # ---- structure ----

    def restrict(self, logs, keep) -> np.ndarray:
        return logs[keep]

    def merged(self, columns, first, second) -> np.ndarray:
        return np.delete(columns, second, axis=0)

    def divided(self, columns, component, share) -> np.ndarray:
        return np.zeros((len(columns) + 1, 0))

    def elbo_shares(self, counts) -> np.ndarray:
        """log Gamma of all counts is shared out by the expected weights (Sato 2000,
        A.13)."""
        alpha = self.posterior(counts)
        return gammaln(alpha) - alpha / alpha.sum() * gammaln(alpha.sum())

    # ---- prediction ----

    def parameters(self, counts, components) -> MixtureParameters:
        mean = require_numbers("an expected weight", self.mean(counts))
        return MixtureParameters(mean, components)

    def log_predictive(self, L, counts, data) -> np.ndarray:
        mean = require_numbers("an expected weight", self.mean(counts))
        return log_sums(np.add(L, _log(mean)[:, None], order="C"))

    def most_probable(self, L, logs, data) -> np.ndarray:
        return L.argmax(axis=0)

    def sample(self, counts, size, rng) -> np.ndarray:
        mean = require_numbers("an expected weight", self.mean(counts))
        return np.repeat(np.arange(len(mean)), rng.multinomial(size, mean))


# ---- a Markov chain ------------------------------------------------------------------


class HiddenMarkovParameters(NamedTuple):
    """Expected start probabilities (K,), transition probabilities (K, K) from row to
    column, and the components' parameters (`Family.parameters`)."""

    starts: np.ndarray
    transitions: np.ndarray
    components: NamedTuple


@attrs.frozen(eq=False, slots=False)
class MarkovChain:
    """Labels that form a chain: a row's component depends on that of the row before, and
    the mixture is a hidden Markov model (named in Sato 2000, 2.1).

    starts, transitions: the Dirichlet priors of the component of a sequence's first row,
        and of the component that follows each one.

    In a state the labels have the columns P to P + 1 + K: the expected number of
    sequences that start in a component, and of transitions from it to each one. Data are
    one array (N, D), which is one sequence; a list of arrays; or an array with `lengths`.
    Weights (n,) are of sequences, and online learning takes a step for each.
    """

    starts: Dirichlet = Dirichlet(1.0)
    transitions: Dirichlet = Dirichlet(1.0)

    independent = False
    unconstrained = True

    def __attrs_post_init__(self):
        for name in ("starts", "transitions"):
            prior = getattr(self, name)
            if not isinstance(prior, Dirichlet):
                raise ValueError(
                    f"{name} is {prior!r:.80}; it must be a Dirichlet, such as "
                    "Dirichlet(1.0)"
                )

    @property
    def proper(self) -> bool:
        """Whether both priors integrate to one."""
        return self.starts.proper and self.transitions.proper

    @property
    def common_prior(self) -> bool:
        """Whether one number is the concentration of all components, in both priors."""
        return self.starts.common_prior and self.transitions.common_prior

    # ---- data and states ----

    def observe(self, family, X, weights, lengths) -> Observations:
        return observe_sequences(family, X, weights, lengths)

    def width(self, K) -> int:
        return 1 + K

    def check_state(self, S, P) -> None:
        for name, prior in (("starts", self.starts), ("transitions", self.transitions)):
            entries = np.size(prior.concentration)
            if entries not in (1, len(S)):
                raise ValueError(
                    f"{name} has {entries} entries; the state {len(S)} components"
                )
        if S[:, P:].min() < 0:
            raise ValueError(
                "the state has starts or transitions below 0; they must be >= 0"
            )

    def statistics(self, S, P) -> np.ndarray:
        return S[..., P:]

    def columns_of(self, R, data) -> np.ndarray:
        weights = np.ones(len(R)) if data.weights is None else data.weights
        weighted = R * weights[:, None]
        first_rows = data.starts[:-1]  # of the sequences; at the end of starts is N
        later_rows = np.setdiff1d(np.arange(1, len(R)), first_rows)
        starts = weighted[first_rows].sum(axis=0)
        # A row and the one before count once, so that only one of them has its weight.
        transitions = R[later_rows - 1].T @ weighted[later_rows]
        return np.column_stack([starts, transitions])

    # ---- the prior and the E-step ----

    def log_normalizer(self, N) -> np.ndarray:
        of_transitions = self.transitions.log_normalizer(N[..., 1:])
        return self.starts.log_normalizer(N[..., 0]) + of_transitions.sum(axis=-1)

    def expected(self, N) -> np.ndarray:
        starts = self.starts.expected(_equal_where_none(self.starts, N[..., 0]))
        transitions = self.transitions.expected(
            _equal_where_none(self.transitions, N[..., 1:])
        )
        return np.concatenate([starts[..., None], transitions], axis=-1)

    def inner(self, N, logs) -> np.ndarray:
        return _products(N, logs).sum(axis=(-2, -1))

    def join(self, W, logs) -> np.ndarray:
        return W

    def infer(self, L, logs, data) -> Inference:
        counts = data.weights_of_units
        rows = np.ascontiguousarray(L.T, dtype=np.float64)
        totals, R, columns = path_expectations(
            rows, data.starts, logs[:, 0], logs[:, 1:], counts
        )
        return Inference(R.T, columns, float(totals @ counts))

    # ---- structure ----

    def restrict(self, logs, keep) -> np.ndarray:
        kept = np.arange(len(logs))[keep]
        # The starts, and the transitions to what is kept.
        columns = np.append(0, 1 + kept)
        return logs[kept][:, columns]

    def merged(self, columns, first, second) -> np.ndarray:
        merged = columns.copy()
        merged[first] += merged[second]
        merged[:, 1 + first] += merged[:, 1 + second]
        return np.delete(np.delete(merged, second, axis=0), 1 + second, axis=1)

    def divided(self, columns, component, share) -> np.ndarray:
        """Starts and transitions are shared out by the counts of the two, so that the
        chain of both together stays what it was."""
        into = columns[:, 1 + component]
        divided = np.column_stack([columns, (1 - share) * into])
        divided[:, 1 + component] = share * into
        row = divided[component].copy()
        divided[component] = share * row
        return np.vstack([divided, (1 - share) * row])

    def elbo_shares(self, N) -> np.ndarray:
        """The share of each component in the log-normaliser of its transitions."""
        return self.transitions.log_normalizer(N[:, 1:])

    # ---- prediction ----

    def parameters(self, N, components) -> HiddenMarkovParameters:
        starts, transitions = self._mean(N)
        return HiddenMarkovParameters(starts, transitions, components)

    def _mean(self, N) -> tuple[np.ndarray, np.ndarray]:
        """Expected start (K,) and transition probabilities (K, K)."""
        starts = self.starts.mean(_equal_where_none(self.starts, N[:, 0]))
        transitions = self.transitions.mean(
            _equal_where_none(self.transitions, N[:, 1:])
        )
        return starts, transitions

    def log_predictive(self, L, N, data) -> np.ndarray:
        """One number for each sequence, at the expected probabilities of the chain."""
        starts, transitions = self._mean(N)
        rows = np.ascontiguousarray(L.T)
        once = np.ones(data.units)
        totals, _, _ = path_expectations(
            rows, data.starts, _log(starts), _log(transitions), once
        )
        return totals

    def most_probable(self, L, logs, data) -> np.ndarray:
        """The most probable path of each sequence (Viterbi)."""
        paths = []
        for rows in np.split(L.T, data.starts[1:-1]):
            paths.append(most_probable_path(rows, logs[:, 0], logs[:, 1:]))
        return np.concatenate(paths)

    def sample(self, N, size, rng) -> np.ndarray:
        starts, transitions = self._mean(N)
        uniform = rng.random(size)
        cumulative_starts = starts.cumsum()
        cumulative_transitions = transitions.cumsum(axis=1)
        labels = np.empty(size, dtype=np.int64)
        cumulative = cumulative_starts
        for t in range(size):
            # Without the last number, which rounding may leave below 1.
            labels[t] = np.searchsorted(cumulative[:-1], uniform[t], side="right")
            cumulative = cumulative_transitions[labels[t]]
        return labels


# ---- parts ---------------------------------------------------------------------------


def _equal_where_none(prior: Dirichlet, counts: np.ndarray) -> np.ndarray:
    """Counts (..., K) whose posterior has a mean.

    In the EM limit a prior may have the concentration 0. For a component that no row
    belongs to, nothing is known then of where it leads: all counts are 0, and so is their
    sum, by which a mean divides. Such counts are replaced by equal ones.
    """
    total = prior.posterior(counts).sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts, LARGE_EQUAL_COUNT)


def _products(N: np.ndarray, logs: np.ndarray) -> np.ndarray:
    """N logs. What never occurred (N = 0) may have the probability 0, whose log is -inf; its
    product is 0, not nan."""
    if N.all():
        return N * logs
    return np.multiply(N, logs, where=N > 0, out=np.zeros(logs.shape))


def _log(probabilities: np.ndarray) -> np.ndarray:
    """The log of probabilities; -inf of 0, without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
