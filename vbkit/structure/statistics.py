"""One E-step, plus what split, merge and delete need.

Where the posterior over parameters is the M-step of responsibilities R, S = R' t(X), the ELBO is

    sum_n w_n (entropy of r_n + log_base(x_n)) + sum_k (A(S_k) - A(0)) + B(counts) - B(0),

A being the log-normaliser of a component's prior and B that of the Dirichlet.
"""

from functools import cached_property

import attrs
import numpy as np
from scipy.special import xlogy

from vbkit.checks import require_numbers
from vbkit.families.gaussian import Gaussian
from vbkit.labels import Dirichlet
from vbkit.learning.starts import as_mixture
from vbkit.mixture import EM, Mixture
from vbkit.observations import Observations


@attrs.frozen(eq=False, slots=False)
class ResponsibilityStatistics:
    """One E-step at the state `at` (K, P), plus what split, merge and delete need.

    S: (K, P), the M-step.
    entropy: (K,), -sum_n w r log r of each component.
    base: (K,), sum_n w r log_base.
    overlap: (K, K), sum_n w r_k r_l.
    pair_entropy: (K, K), -sum_n w (r_k + r_l) log(r_k + r_l), of two components made one.
    candidates: the splits that a search has worked out, by component.
    """

    mixture: Mixture
    data: Observations
    at: np.ndarray
    S: np.ndarray
    entropy: np.ndarray
    base: np.ndarray
    overlap: np.ndarray
    pair_entropy: np.ndarray
    # A cache: a search fills it (`vbkit.structure.search._candidates`), and nothing else does.
    candidates: dict[int, list] = attrs.field(factory=dict, repr=False)

    @cached_property
    def elbo(self) -> float:
        """The ELBO (nats) of these responsibilities and their M-step; in a chain of components,
        after one E-step more."""
        if not self.mixture.labels.independent:
            return self.mixture.elbo(self.data, self.S)
        label = self.entropy.sum() + self.base.sum()
        return float(label + self.mixture.log_normalizer_ratio(self.S))

    @cached_property
    def component_elbos(self) -> np.ndarray:
        """Each component's share (K,) of the ELBO in nats, Sato's F_i (2000, A.13).

        With `constant` they add up to `elbo` of a mixture. In a chain they are a guide only, for
        the entropies are those of single rows.
        """
        mixture = self.mixture
        E = mixture.effective(self.S)
        nothing = mixture.effective(np.zeros_like(self.S))
        P = mixture.n_statistics
        components = mixture.family.log_normalizer(E[:, :P])
        components = components - mixture.family.log_normalizer(nothing[:, :P])
        labels = mixture.labels.elbo_shares(mixture.labels.statistics(E, P))
        return self.entropy + self.base + (components + labels) / mixture.clones

    @property
    def constant(self) -> float:
        """What the ELBO holds besides the components' shares, and (A.13) leaves out.

        It is log Gamma(sum a) - sum log Gamma(a), a being the prior concentrations; it depends on
        K.
        """
        counts = self.mixture.effective(np.zeros_like(self.S))[:, 0]
        return -float(self.mixture.labels.log_normalizer(counts)) / self.mixture.clones

    @cached_property
    def correlation(self) -> np.ndarray:
        """The cosine (K, K) between the responsibilities of two components, over the data."""
        norm = np.sqrt(self.overlap.diagonal())
        product = np.outer(norm, norm)
        return np.divide(
            self.overlap, product, where=product > 0, out=np.zeros_like(product)
        )


def responsibility_statistics(
    mixture: Mixture, X, S, weights=None
) -> ResponsibilityStatistics:
    """Do the E-step over X (N, D) with observation weights (N,) at the state S (K, P).

    Raises ValueError for unfit data or state, and for clones = EM: structure is judged by the
    evidence, and maximum likelihood has none.
    """
    as_mixture(mixture)
    data = mixture.observe(X, weights)
    S = mixture.check_state(S).copy()
    if mixture.clones >= EM:
        raise ValueError(
            "clones is EM, which has no evidence; moves compare ELBOs: use fewer"
        )
    K = len(S)
    S_next = np.zeros_like(S)
    entropy = np.zeros(K)
    base = np.zeros(K)
    overlap = np.zeros((K, K))
    pair_entropy = np.zeros((K, K))
    for block in mixture.e_step_blocks(data, S):
        R = block.R
        weights = np.ones(R.shape[1]) if block.weights is None else block.weights
        S_next += block.m_step()
        overlap += block.weighted @ R.T
        entropy -= xlogy(R, R) @ weights
        if block.base is not None:
            base += block.weighted @ block.base
        for k in range(K - 1):
            with_k = R[k] + R[k + 1 :]
            pair_entropy[k, k + 1 :] -= xlogy(with_k, with_k) @ weights
    pair_entropy += pair_entropy.T
    return ResponsibilityStatistics(
        mixture, data, S, S_next, entropy, base, overlap, pair_entropy
    )


def log_likelihood(mixture: Mixture, data: Observations, S) -> float:
    """Log-likelihood (nats) at the expected parameters of the state S (K, P); nan for a family that
    is not Gaussian, and for a chain.

    These are the weights E[pi], the means, and the inverses of the expected precisions.
    """
    return float(log_likelihoods(mixture, data, [S])[0])


def log_likelihoods(mixture: Mixture, data: Observations, states) -> np.ndarray:
    """`log_likelihood` at each of several states (n, K, P): (n,)."""
    is_gaussian = isinstance(mixture.family, Gaussian)
    if not (mixture.labels.independent and is_gaussian and len(states)):
        return np.full(len(states), np.nan)
    point = Mixture(mixture.family, Dirichlet(0.0), clones=EM)
    at_points = []
    for S in states:
        weights, components = mixture.parameters(S)
        at_points.append(
            mixture.family.state(weights, components.mean, components.covariance)
        )
    step = point.sweep_each(point.observe(data), np.array(at_points))
    return require_numbers("the log-likelihood", step.log_likelihood)
