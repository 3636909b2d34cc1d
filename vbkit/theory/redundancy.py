"""What exact Bayes does with a part that is not needed, by sums over assignments and by
integrals: to be seen beside VB's decisions."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, gammaln, logsumexp

from vbkit.checks import (
    as_instance,
    as_integer,
    as_number,
    as_positive,
    as_positives,
    as_vector,
)
from vbkit.families.base import Family
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory.enumeration import states_of_assignments, total_log_base


class Occupation(NamedTuple):
    """A mixture of two components under the exact posterior.

    log_evidence: in nats. both: the probability that both components hold data.
    smaller: the expected share of the component that holds fewer.
    """

    log_evidence: float
    both: float
    smaller: float


def occupation(family: Family, concentration: float, X) -> Occupation:
    """Two components on data X (N, D), by the sum over all 2^N assignments.

    Raises ValueError for unfit data, and if there are more than 2^20 assignments.
    """
    X = as_instance("family", family, Family).check_data(X)
    blocks = states_of_assignments(family.statistics(X), 2)
    log_base = total_log_base(family, X)
    return _occupation(family, concentration, blocks, 0.0, log_base)


def occupation_of_identical(
    family: Family, concentration: float, row, size: int
) -> Occupation:
    """Two components on `size` copies of one row (D,), by a sum of size + 1 terms.

    The assignments that give a component the same count are alike, so these replace all
    2^size. Raises ValueError for an unfit row, and unless size is at least 1.
    """
    X = as_instance("family", family, Family).check_data(np.asarray(row)[None])
    size = as_integer("size", size, 1)
    n = np.arange(size + 1)  # the first component's count
    log_assignments = gammaln(size + 1) - gammaln(n + 1) - gammaln(size - n + 1)
    counts = np.stack([n, size - n], axis=1)
    states = counts[..., None] * family.statistics(X)[0]
    log_base = size * total_log_base(family, X)
    return _occupation(family, concentration, [states], log_assignments, log_base)


def _occupation(
    family, concentration, blocks: Iterable, log_assignments, log_base: float
) -> Occupation:
    """From blocks of states (n, 2, P), and the log number of assignments that give each
    state."""
    mixture = Mixture(family, Dirichlet(as_positive("concentration", concentration)))
    log_terms = []
    shares = []
    for S in blocks:
        log_terms.append(mixture.log_normalizer_ratio(S))
        size = S[0, :, 0].sum()
        shares.append(S[..., 0].min(axis=1) / size)
    log_joint = log_assignments + np.concatenate(log_terms)
    smaller = np.concatenate(shares)
    log_sum = logsumexp(log_joint)
    p = np.exp(log_joint - log_sum)
    return Occupation(
        log_evidence=float(log_sum + log_base),
        both=float(p @ (smaller > 0)),
        smaller=float(p @ smaller),
    )


def product_posterior(v, prior: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """The posterior mean (n,) of a b, and the log evidence (n,) in nats, of numbers v.

    Each of v (n,) is observed as v = a b + noise with a, b ~ N(0, prior); prior and
    noise are variances. By quadrature over b: given b, a b is normal with variance
    prior b^2. Raises ValueError for numbers beyond 1e6 times the prior, and unless
    prior and noise are within 1e-100 to 1e100.
    """
    from scipy.stats import norm  # takes half a second, which only this needs

    v = as_vector("v", v)[:, None]
    prior = as_number("prior", prior, 1e-100, 1e100)
    noise = as_number("noise", noise, 1e-100, 1e100)
    largest = np.abs(v).max()
    peak = np.sqrt(largest / prior)  # where |b| is likely, in prior standard deviations
    if peak > 1e3:
        raise ValueError(f"v reaches {largest:g}; at most 1e6 times prior is allowed")
    # b in prior standard deviations is a multiple of sinh(t): the nodes are as close as
    # the noise is small where a b is small, and .18 apart at the ends.
    t = np.linspace(-12, 12, 1 + 2 * round(600 + 600 * peak / 9))
    scale = (9 + peak) / np.sinh(12)
    b = scale * np.sinh(t)
    step = scale * np.cosh(t) * (t[1] - t[0])
    signal = (prior * b) ** 2  # the variance of a b given b
    log_mass = norm.logpdf(b) + np.log(step)
    log_joint = norm.logpdf(v, 0, np.sqrt(noise + signal)) + log_mass
    log_evidence = logsumexp(log_joint, axis=1)
    posterior = np.exp(log_joint - log_evidence[:, None])
    mean = (posterior * v * signal / (noise + signal)).sum(axis=1)
    return mean, log_evidence


def pair_log_evidence(
    sizes, concentrations, prior_variance: float, *, fineness: int = 1
) -> np.ndarray:
    """Exact log evidence (nats) of two Gaussians in one dimension with variance 1 and
    unknown centres, for N ideal data from N(0, 1), less N times the log-likelihood of
    N(0, 1).

    For sizes N (n,) and concentrations (m,): (n, m). The data are the 40 nodes of a
    Gauss-Hermite rule, each counting N times its weight. By quadrature over the log
    odds of the weights, the mixture's mean and the distance of its centres; fineness
    multiplies the nodes of each. Raises ValueError unless all numbers are greater than
    0, and the concentrations at least 0.05: below, the weights are too close to 0 and 1.
    """
    sizes = as_positives("sizes", as_vector("sizes", sizes))
    concentrations = as_vector("concentrations", concentrations)
    concentrations = as_positives("concentrations", concentrations)
    as_positive("prior_variance", prior_variance)
    fineness = as_integer("fineness", fineness, 1)
    least = concentrations.min()
    if least < 0.05:
        raise ValueError(f"concentrations reach {least}; they must be at least 0.05")
    stretch = max(1, math.ceil(0.5 / least))
    # the other half is its mirror; beyond the end lies a share e^-35 of the prior at most
    log_odds = np.linspace(-70 * stretch, 0, 141 * fineness * stretch)
    shares = 1 / (1 + np.exp(-log_odds))
    step = np.where(log_odds == 0, 0.5, 1.0) * (log_odds[1] - log_odds[0])
    log_prior = concentrations * (np.log(shares) + np.log1p(-shares))[:, None]
    log_prior -= betaln(concentrations, concentrations)
    evidences = []
    for N in sizes:
        given_shares = _log_evidence_of_shares(N, shares, prior_variance, fineness)
        log_joint = given_shares[:, None] + log_prior
        evidences.append(logsumexp(log_joint, b=2 * step[:, None], axis=0))
    return np.array(evidences)


def _log_evidence_of_shares(N, shares, prior_variance, fineness) -> np.ndarray:
    """The log evidence (n,) of `pair_log_evidence` given the first component's
    shares."""
    from scipy.stats import norm  # takes half a second, which only this needs

    nodes, masses = np.polynomial.hermite_e.hermegauss(40)
    masses = masses / masses.sum()
    prior_sd = prior_variance**0.5
    # The mixture's mean varies on the scale of the data; the distance of the centres is
    # a multiple of sinh(t), so that small distances are as finely divided as many data
    # ask for.
    scale = 0.2 / N**0.25
    t = np.linspace(-1, 1, 100 * fineness) * np.arcsinh(60 / scale)
    distance = scale * np.sinh(t)
    distance_step = scale * np.cosh(t) * (t[1] - t[0])
    mean = np.linspace(-7, 7, 24 * fineness)[:, None] / np.sqrt(N + 1 / prior_variance)
    cell = distance_step * (mean[1, 0] - mean[0, 0])
    evidences = []
    for w in shares:
        first = mean + (1 - w) * distance
        second = mean - w * distance
        # of one ideal data point, less that of N(0, 1):
        log_likelihood = np.zeros(first.shape)
        for z, mass in zip(nodes, masses, strict=True):
            ratio_of_first = np.exp(z * first - first**2 / 2)
            ratio_of_second = np.exp(z * second - second**2 / 2)
            density = w * ratio_of_first + (1 - w) * ratio_of_second
            log_likelihood += mass * np.log(density)
        log_joint = (
            N * log_likelihood
            + norm.logpdf(first, 0, prior_sd)
            + norm.logpdf(second, 0, prior_sd)
        )
        cells = np.broadcast_to(cell, log_joint.shape)
        evidences.append(logsumexp(log_joint, b=cells))
    return np.array(evidences)
