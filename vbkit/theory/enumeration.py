"""The exact log evidence of a mixture, by summing over every assignment of a tiny data set."""

from itertools import islice, product

import numpy as np
from scipy.special import logsumexp

from vbkit.checks import as_integer
from vbkit.mixture import Mixture, without_weights

LARGEST_SUM, CHUNK = 2**20, 2**10


def log_evidence(mixture: Mixture, X, n_components: int) -> float:
    """log p(X) of a mixture of `components` components, summed over its components**N assignments (Sato 2000, 2.5).

    Given an assignment, the marginal likelihood is a product of ratios of normalisers: one a component and one for the
    weights. Raises ValueError if there are more than 2**20 assignments, or if copies is not 1 (a point estimate has
    no evidence).
    """
    data, n_components = (
        without_weights(mixture.observe(X)),
        as_integer("n_components", n_components, 1),
    )
    if mixture.clones != 1 or mixture.pseudo_statistics is not None:
        raise ValueError(
            "the evidence is that of variational Bayes: clones must be 1 and pseudo_statistics None"
        )
    family, weights = mixture.family, mixture.weights
    T = family.statistics(data.X)
    empty = mixture.check_state(np.zeros((n_components, T.shape[1])))
    states = states_of_assignments(T, n_components)
    terms = [
        family.log_normalizer(S).sum(axis=1) + weights.log_normalizer(S[..., 0]) for S in states
    ]
    base = family.log_base(data.X)
    constant = family.log_normalizer(empty).sum() + weights.log_normalizer(empty[:, 0])
    return float(logsumexp(np.concatenate(terms)) - constant + (0 if base is None else base.sum()))


def states_of_assignments(T: np.ndarray, n_components: int):
    """The states (n, K, P) that the assignments of data with statistics T (N, P) to components give, in blocks of them.
    ValueError if there are more than 2**20."""
    N = len(T)
    if n_components**N > LARGEST_SUM:
        words = f"{n_components} components make {n_components}**{N} assignments of them, and at most {LARGEST_SUM} can be summed"
        raise ValueError(f"X has {N} rows; {words}")
    assignments = product(range(n_components), repeat=N)
    while some := list(islice(assignments, CHUNK)):
        yield np.eye(n_components)[np.array(some)].transpose(0, 2, 1) @ T
