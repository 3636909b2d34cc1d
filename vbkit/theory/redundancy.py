"""What exact Bayes does with a part that is not needed, by sums over assignments and by integrals:
to be seen beside VB's decisions."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, gammaln, logsumexp
from scipy.stats import norm

from vbkit.checks import (
    as_instance,
    as_integer,
    as_number,
    as_positive,
    as_positives,
    as_vector,
)
from vbkit.families.base import Family
from vbkit.families.dirichlet import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory.enumeration import states_of_assignments, total_log_base


class Occupation(NamedTuple):
    """A mixture of two components under the exact posterior.

    log_evidence: in nats. both: the probability that both components hold data. smaller: the
    expected share of the component that holds fewer.
    """

    log_evidence: float
    both: float
    smaller: float


def occupation(family: Family, concentration: float, X) -> Occupation:
    """Two components on data X (N, D), by the sum over all 2^N assignments.

    Raises ValueError for unfit data, and if there are more than 2^20 assignments.
    """
    X = as_instance("family", family, Family).check_data(X)
    states = states_of_assignments(family.statistics(X), 2)
    return _occupation(family, concentration, states, 0.0, total_log_base(family, X))


def occupation_of_identical(
    family: Family, concentration: float, row, size: int
) -> Occupation:
    """Two components on `size` copies of one row (D,), by a sum of size + 1 terms.

    The assignments that give a component the same count are alike, so these replace all 2^size.
    Raises ValueError for an unfit row, and unless size is at least 1.
    """
    X = as_instance("family", family, Family).check_data(np.asarray(row)[None])
    n = np.arange(as_integer("size", size, 1) + 1)
    choices = gammaln(size + 1) - gammaln(n + 1) - gammaln(size - n + 1)
    states = np.stack([n, size - n], axis=1)[..., None] * family.statistics(X)[0]
    base = size * total_log_base(family, X)
    return _occupation(family, concentration, [states], choices, base)


def _occupation(
    family, concentration, states: Iterable, choices, base: float
) -> Occupation:
    """From blocks of states (n, 2, P), and the log number of assignments that give each of them."""
    mixture = Mixture(family, Dirichlet(as_positive("concentration", concentration)))
    terms, smaller = [], []
    for S in states:
        terms.append(mixture.log_normalizer_ratio(S))
        smaller.append(S[..., 0].min(axis=1) / S[0, :, 0].sum())
    terms, smaller = choices + np.concatenate(terms), np.concatenate(smaller)
    evidence = logsumexp(terms)
    p = np.exp(terms - evidence)
    return Occupation(
        float(evidence + base), float(p @ (smaller > 0)), float(p @ smaller)
    )


def product_posterior(v, prior: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """The posterior mean (n,) of a b, and the log evidence (n,) in nats, of single numbers v (n,).

    Each is observed as v = a b + noise with a, b ~ N(0, prior); prior and noise are variances. By
    quadrature over b. Raises ValueError for numbers beyond 1e6 times the prior, and unless prior
    and noise are within 1e-100 to 1e100.
    """
    v, prior = as_vector("v", v)[:, None], as_number("prior", prior, 1e-100, 1e100)
    noise = as_number("noise", noise, 1e-100, 1e100)
    peak = np.sqrt(
        np.abs(v).max() / prior
    )  # where |b| is likely, in prior standard deviations
    if peak > 1e3:
        raise ValueError(
            f"v reaches {np.abs(v).max():g}; at most 1e6 times prior is allowed"
        )
    # b in prior standard deviations is a multiple of sinh(t): the nodes are as close as the noise
    # is small where a b is small, and .18 apart at the ends.
    t = np.linspace(-12, 12, 1 + 2 * round(600 + 600 * peak / 9))
    scale = (9 + peak) / np.sinh(12)
    b = scale * np.sinh(t)
    mass = norm.logpdf(b) + np.log(scale * np.cosh(t) * (t[1] - t[0]))
    signal = (prior * b) ** 2  # the variance of a b given b
    log_p = norm.logpdf(v, 0, np.sqrt(noise + signal)) + mass
    evidence = logsumexp(log_p, axis=1)
    posterior = np.exp(log_p - evidence[:, None])
    return (posterior * v * signal / (noise + signal)).sum(axis=1), evidence


def pair_log_evidence(
    sizes, concentrations, prior_variance: float, *, fineness: int = 1
) -> np.ndarray:
    """Exact log evidence (nats) of two Gaussians in one dimension with variance 1 and unknown
    centres, for N ideal data from N(0, 1), less N times the log-likelihood of N(0, 1).

    For sizes N (n,) and concentrations (m,): (n, m). The data are the 40 nodes of a Gauss-Hermite
    rule, each counting N times its weight. By quadrature over the log odds of the weights, the
    mixture's mean and the distance of its centres; fineness multiplies the nodes of each. Raises
    ValueError unless all numbers are greater than 0.
    """
    sizes = as_positives("sizes", as_vector("sizes", sizes))
    concentrations = as_positives(
        "concentrations", as_vector("concentrations", concentrations)
    )
    as_positive("prior_variance", prior_variance)
    u = np.linspace(
        -70, 0, 141 * as_integer("fineness", fineness, 1)
    )  # the other half: its mirror
    w, width = 1 / (1 + np.exp(-u)), np.where(u == 0, 0.5, 1.0) * (u[1] - u[0])
    log_prior = concentrations * (np.log(w) + np.log1p(-w))[:, None]
    log_prior -= betaln(concentrations, concentrations)
    found = []
    for N in sizes:
        rows = _log_evidence_of_shares(N, w, prior_variance, fineness)
        found.append(logsumexp(rows[:, None] + log_prior, b=2 * width[:, None], axis=0))
    return np.array(found)


def _log_evidence_of_shares(N, shares, prior_variance, fineness) -> np.ndarray:
    """The log evidence (n,) of `pair_log_evidence` given the first component's share (n,)."""
    x, weight = np.polynomial.hermite_e.hermegauss(40)
    s, sd = 0.2 / N**0.25, prior_variance**0.5
    t = np.linspace(-1, 1, 100 * fineness) * np.arcsinh(60 / s)
    mean = np.linspace(-7, 7, 24 * fineness)[:, None] / np.sqrt(N + 1 / prior_variance)
    distance = s * np.sinh(t)
    cell = s * np.cosh(t) * (t[1] - t[0]) * (mean[1, 0] - mean[0, 0])
    found = []
    for w in shares:
        first, second = mean + (1 - w) * distance, mean - w * distance
        fit = np.zeros(first.shape)
        for z, q in zip(x, weight / weight.sum(), strict=True):
            one, two = (
                np.exp(z * first - first**2 / 2),
                np.exp(z * second - second**2 / 2),
            )
            fit += q * np.log(w * one + (1 - w) * two)
        log_p = N * fit + norm.logpdf(first, 0, sd) + norm.logpdf(second, 0, sd)
        found.append(logsumexp(log_p, b=np.broadcast_to(cell, log_p.shape)))
    return np.array(found)
