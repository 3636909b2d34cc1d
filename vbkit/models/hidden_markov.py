"""A hidden Markov model with any conjugate family as emission.

Which component a row belongs to depends on the component of the row before: starts ~ Dirichlet, and
each component's transitions ~ Dirichlet. The posterior over all parameters is a state S (K, P + 1 +
K): a component's emission statistics, the expected number of sequences that start in it, and of
transitions from it to each component. Batch and online learning, EM and structure moves are those
of a mixture (Sato 2000, 2.1, names the model); the E-step sums over paths.
"""

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import attrs
import numpy as np

from vbkit import observations
from vbkit.checks import as_array, as_generator, as_integer, require_numbers
from vbkit.compiled.chains import most_probable_path, path_expectations
from vbkit.families.base import Family
from vbkit.families.dirichlet import Dirichlet
from vbkit.models.model import EM, Model
from vbkit.models.sequences import Sequences, as_lengths, joined
from vbkit.observations import Block, Observations


class HiddenMarkovParameters(NamedTuple):
    """Expected start probabilities (K,), transition probabilities (K, K) from row to column, and
    the components' parameters (`Family.parameters`)."""

    starts: np.ndarray
    transitions: np.ndarray
    components: NamedTuple


@attrs.frozen(eq=False, slots=False)
class HiddenMarkov(Model):
    """A hidden Markov model whose emissions are of one family, with a common prior.

    family, clones, pseudo_statistics: as of a `Mixture`.
    starts, transitions: the Dirichlet priors of the first row's component, and of the next one
        after each component.

    Data X are one array (N, D), which is one sequence; a list of arrays; or what `observe` returns
    for an array with lengths. Weights (n,) are of sequences. Raises ValueError as `Mixture` does.
    """

    family: Family
    starts: Dirichlet = Dirichlet(1.0)
    transitions: Dirichlet = Dirichlet(1.0)
    clones: float = 1.0
    pseudo_statistics: np.ndarray | None = None

    independent: ClassVar = False

    def __attrs_post_init__(self):
        self._check_prior(starts=self.starts, transitions=self.transitions)

    # ---- data and states ----

    def observe(self, X, weights=None, *, lengths=None) -> Sequences:
        """Check sequences X and their weights (n,), finite and >= 0 (None: all 1).

        lengths: of the sequences that the rows of an array X (N, D) are, in turn: (n,) whole
            numbers that add up to N. A single number cuts X into blocks of that many rows, the last
            of which may be shorter. A block is then a sequence of its own, so the transitions
            across the cuts do not count; online learning takes one step for each.

        A step of online learning is one sequence. Raises ValueError for unfit data, and names the
        sequence where there is a list.
        """
        if isinstance(X, Observations):
            if weights is not None or lengths is not None:
                raise ValueError(
                    "X was observed already; give weights and lengths to `observe`"
                )
            if not isinstance(X, Sequences):
                raise ValueError(
                    "X was observed by a model without sequences; give the array"
                )
            return observations.observe(self.family, X)
        if isinstance(X, list | tuple):
            if lengths is not None:
                raise ValueError(
                    "lengths came with a list of sequences, which has its own"
                )
            X, lengths = joined(self.family, X)
        data = observations.observe(self.family, X)
        N = len(data.X)
        lengths = as_lengths(N if lengths is None else lengths, N)
        if weights is not None:
            weights = as_array("weights", weights)
            if weights.shape != lengths.shape:
                wanted = f"one for each of {len(lengths)} sequences"
                raise ValueError(
                    f"weights has shape {weights.shape}; it must be {wanted}"
                )
            weights = observations.observe(
                self.family, X, np.repeat(weights, lengths)
            ).weights
        return Sequences(
            data.X, weights, self.family, np.concatenate([[0], np.cumsum(lengths)])
        )

    @property
    def labels(self) -> slice:
        return slice(self.n_statistics, None)

    def width(self, K: int) -> int:
        return self.n_statistics + 1 + K

    def check_state(self, S) -> np.ndarray:
        S = super().check_state(S)
        for name in ("starts", "transitions"):
            entries = np.size(getattr(self, name).concentration)
            if entries not in (1, len(S)):
                raise ValueError(
                    f"{name} has {entries} entries; the state {len(S)} components"
                )
        if S[:, self.labels].min() < 0:
            raise ValueError(
                "the state has starts or transitions below 0; they must be >= 0"
            )
        return S

    def label_statistics(self, data: Sequences, R: np.ndarray) -> np.ndarray:
        """Starts and transitions (K, 1 + K) of responsibilities R (N, K), independent of each
        other."""
        w = np.ones(len(R)) if data.weights is None else data.weights
        weighted, head = R * w[:, None], data.first[:-1]
        inner = np.setdiff1d(np.arange(1, len(R)), head)  # rows with one before
        transitions = R[inner - 1].T @ weighted[inner]
        return np.column_stack([weighted[head].sum(axis=0), transitions])

    def label_prior(self, N: np.ndarray) -> np.ndarray:
        rows = self.transitions.log_normalizer(N[..., 1:])
        return self.starts.log_normalizer(N[..., 0]) + rows.sum(axis=-1)

    def label_expected(self, N: np.ndarray) -> np.ndarray:
        starts = self.starts.expected(_known(self.starts, N[..., 0]))[..., None]
        rows = self.transitions.expected(_known(self.transitions, N[..., 1:]))
        return np.concatenate([starts, rows], axis=-1)

    @property
    def common_prior(self) -> bool:
        return not (
            np.ndim(self.starts.concentration)
            or np.ndim(self.transitions.concentration)
        )

    def label_elbos(self, E: np.ndarray) -> np.ndarray:
        """The share (K,) of each component in the log-normaliser of its transitions."""
        return self.transitions.log_normalizer(E[:, self.n_statistics + 1 :])

    def merged(self, S, first: int, second: int) -> np.ndarray:
        S, into = super().merged(S, first, second), self.n_statistics + 1
        S[:, into + first] += S[:, into + second]
        return np.delete(S, into + second, axis=1)

    def divided(self, S, component: int, first, second) -> np.ndarray:
        """Starts and transitions are shared out by the counts of the two, so that the chain of
        both together stays what it was."""
        P, share = self.n_statistics, first[0] / (first[0] + second[0])
        into = S[:, P + 1 + component].copy()
        S = np.column_stack([S, (1 - share) * into])
        S[:, P + 1 + component] = share * into
        ours, rest = share * S[component, P:], (1 - share) * S[component, P:]
        return super().divided(
            S, component, np.append(first, ours), np.append(second, rest)
        )

    def kept(self, W: np.ndarray, keep) -> np.ndarray:
        P = self.n_statistics
        return W[keep][:, np.r_[: P + 1, P + 1 + np.arange(len(W))[keep]]]

    def parameters(self, S) -> HiddenMarkovParameters:
        """Return expected start and transition probabilities and component parameters at the state
        S. Raises ValueError for an unfit S."""
        E = self.effective(self.check_state(S))
        P = self.n_statistics
        starts = self.starts.mean(_known(self.starts, E[:, P]))
        transitions = self.transitions.mean(_known(self.transitions, E[:, P + 1 :]))
        return HiddenMarkovParameters(
            starts, transitions, self.family.parameters(E[:, :P])
        )

    # ---- the E-step ----

    def e_step_blocks(self, data: Sequences, W: np.ndarray) -> Iterator[Block]:
        """The E-step at the expected natural parameters W (K, P + 1 + K), some sequences after
        others; a `Block` holds the smoothed probabilities of the components."""
        P = self.n_statistics
        step = observations.blocks(len(data.X), max(W.shape))[0].stop
        cuts = np.unique(np.searchsorted(data.first, np.arange(0, len(data.X), step)))
        for begin, end in zip(cuts, [*cuts[1:], data.units], strict=True):
            rows = slice(data.first[begin], data.first[end])
            first = data.first[begin : end + 1] - data.first[begin]
            X, weights = (
                data.X[rows],
                None if data.weights is None else data.weights[rows],
            )
            of_sequences = (
                np.ones(end - begin) if weights is None else weights[first[:-1]]
            )
            T, base = self.family.block_statistics(X), self.family.log_base(X)
            L = np.ascontiguousarray(T @ W[:, :P].T, dtype=np.float64)
            logs, R, labels = path_expectations(
                L, first, W[:, P], W[:, P + 1 :], of_sequences
            )
            total = float(logs @ of_sequences)
            if base is not None:
                total += float(base.sum() if weights is None else base @ weights)
            yield Block(rows, T, R.T, weights, base, total, labels)

    def path(self, X, S) -> np.ndarray:
        """Return the most probable components (N,) of the rows of X as a whole, sequence by
        sequence: the mode of q(z) at the state S (Viterbi). Raises ValueError as `e_step` does."""
        data, E = self.observe(X), self.effective(self.check_state(S))
        _, W, logs = self._expected(E)
        L = self.family.statistics(data.X) @ W.T
        sequences, chain = np.split(L, data.first[1:-1]), (logs[:, 0], logs[:, 1:])
        return np.concatenate([most_probable_path(rows, *chain) for rows in sequences])

    # ---- prediction and sampling ----

    def log_predictive(self, X, S) -> np.ndarray:
        """Return the log predictive density (n,) of new sequences X at the state S.

        It is that of the hidden Markov model with the expected start and transition probabilities
        and, for each row by itself, the family's predictive density. That is a proper density, and
        the posterior mean of p(x | parameters) for sequences of one row; for longer ones that mean
        is a sum over all paths. In the EM limit it is the density at the estimates. Raises as
        `e_step` does.
        """
        data, S = self.observe(X), self.check_state(S)
        starts, transitions, _ = self.parameters(S)
        E = self.effective(S)[:, : self.n_statistics]
        L = np.ascontiguousarray(self.family.log_predictive(E, data.X).T)
        with np.errstate(divide="ignore"):
            chain = np.log(starts), np.log(transitions)
        logs = path_expectations(L, data.first, *chain, np.ones(data.units))[0]
        require_numbers("the predictive density", logs)
        return logs

    def sample(
        self, S, size: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw one sequence of `size` rows from the density of `log_predictive` at the state S: its
        rows (size, D), and their components (size,).

        Raises ValueError for an unfit state, a size that is not a whole number >= 1, and an rng
        that is not a Generator; NotImplementedError for a family without `sample`.
        """
        S, size, rng = (
            self.check_state(S),
            as_integer("size", size, 1),
            as_generator("rng", rng),
        )
        starts, transitions, _ = self.parameters(S)
        z, u, rows = (
            np.empty(size, dtype=np.int64),
            rng.random(size),
            transitions.cumsum(axis=1),
        )
        for t in range(size):
            row = rows[z[t - 1]] if t else starts.cumsum()
            z[t] = np.searchsorted(row[:-1], u[t], side="right")
        E = self.effective(S)[:, : self.n_statistics]
        X = np.empty((size, self.family.dimension))
        for k, e in enumerate(E):
            X[z == k] = self.family.sample(e, int((z == k).sum()), rng)
        return X, z


def _known(prior: Dirichlet, counts: np.ndarray) -> np.ndarray:
    """Counts (..., K); equal ones where neither prior nor data say anything (in the EM limit)."""
    return np.where(prior.posterior(counts).sum(axis=-1, keepdims=True) > 0, counts, EM)
