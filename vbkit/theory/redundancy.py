"""What exact Bayes does with a part that is not needed: sums over assignments and integrals, beside VB's decisions."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, gammaln, logsumexp
from scipy.stats import norm

from vbkit.checks import as_array, as_positive, as_whole
from vbkit.families.base import Family
from vbkit.families.dirichlet import Dirichlet
from vbkit.theory.enumeration import LARGEST_SUM


class Occupation(NamedTuple):
    """Of a mixture of two units under the exact posterior: log evidence (nats), the probability that both units hold
    data, and the expected share of the unit that holds fewer."""

    log_evidence: float
    both: float
    smaller: float


def occupation(family: Family, concentration: float, X) -> Occupation:
    """Two units on data X (N, D): the sum over all 2^N labellings. ValueError if there are more than 2^20."""
    X = family.check_data(X)
    if 2 ** len(X) > LARGEST_SUM:
        raise ValueError(f"X has {len(X)} rows; at most {LARGEST_SUM.bit_length() - 1} can be summed over")
    one = np.array(list(product((0.0, 1.0), repeat=len(X)))) @ (T := family.statistics(X))
    base = family.log_base(X)
    return _occupation(family, concentration, one, T.sum(axis=0), 0.0, 0.0 if base is None else base.sum())


def occupation_of_identical(family: Family, concentration: float, row, size: int) -> Occupation:
    """Two units on `size` copies of one row (D,): the labellings that give a unit the same count are alike, so that a
    sum of size + 1 terms replaces that over 2^size."""
    X = family.check_data(np.asarray(row)[None])
    n = np.arange(as_whole("size", size, 1) + 1)
    choices = gammaln(size + 1) - gammaln(n + 1) - gammaln(size - n + 1)
    t, base = family.statistics(X)[0], family.log_base(X)
    extra = 0.0 if base is None else size * float(base.sum())
    return _occupation(family, concentration, n[:, None] * t, size * t, choices, extra)


def _occupation(family, concentration, one, total, choices, base) -> Occupation:
    """From the statistics of the first unit (terms, P), those of all data (P,), and log multiplicities."""
    weights, S = Dirichlet(as_positive("concentration", concentration)), np.stack([one, total - one], axis=1)
    n = S[..., 0]
    terms = choices + family.log_normalizer(S).sum(axis=1) + weights.log_normalizer(n)
    top = logsumexp(terms)
    p, smaller = np.exp(terms - top), n.min(axis=1)
    constant = 2 * family.log_normalizer(0 * total) + weights.log_normalizer(np.zeros(2))
    return Occupation(float(top - constant + base), float(p @ (smaller > 0)), float(p @ smaller / total[0]))


# ---- integrals -------------------------------------------------------------------------------------------------------


def product_posterior(v, prior: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Of one observed number v (n,) = a b + noise with a, b ~ N(0, prior), by quadrature over b: the posterior mean of
    a b (n,), and the log evidence (n,)."""
    v = np.atleast_1d(as_array("v", v))[:, None]
    prior, noise = as_positive("prior", prior), as_positive("noise", noise)
    t = np.linspace(-12, 12, 1201)  # b = sqrt(prior) scale sinh(t): fine where a b is as small as the noise
    scale = np.sinh(t) * (9 / np.sinh(12))
    mass = norm.logpdf(scale) + np.log(np.cosh(t) * (9 / np.sinh(12)) * (t[1] - t[0]))
    signal = (prior * scale) ** 2  # variance of a b given b
    log_p = norm.logpdf(v, 0, np.sqrt(noise + signal)) + mass
    evidence = logsumexp(log_p, axis=1)
    return (np.exp(log_p - evidence[:, None]) * v * signal / (noise + signal)).sum(axis=1), evidence


def pair_log_evidence(sizes, concentrations, prior_variance: float, *, fineness: int = 1) -> np.ndarray:
    """log of the evidence, less N times the log-likelihood of N(0, 1), for two Gaussian units of variance 1 in one
    dimension and N ideal data from N(0, 1): (sizes, concentrations), exact Bayes by quadrature.

    The data are the 40 nodes of a Gauss-Hermite rule, each counting as N times its weight. Integrated over the log odds
    of the weights, the mixture's mean m and the distance of its centres; fineness multiplies the nodes of each.
    """
    concentrations, fine = as_array("concentrations", concentrations, ndim=1), as_whole("fineness", fineness, 1)
    x, weight = np.polynomial.hermite_e.hermegauss(40)
    weight, found = weight / weight.sum(), []
    u = np.linspace(-70, 0, 141 * fine)  # the other half is its mirror image
    w, half = 1 / (1 + np.exp(-u)), np.where(u == 0, 0.5, 1.0) * (u[1] - u[0])
    log_prior_w = concentrations * (np.log(w) + np.log1p(-w))[:, None] - betaln(concentrations, concentrations)
    for N in as_array("sizes", sizes, ndim=1):
        s = 0.2 / N**0.25
        t = np.linspace(-1, 1, 100 * fine) * np.arcsinh(60 / s)
        m = np.linspace(-7, 7, 24 * fine)[:, None] / np.sqrt(N + 1 / prior_variance)
        d, cell = s * np.sinh(t), s * np.cosh(t) * (t[1] - t[0]) * (m[1, 0] - m[0, 0])
        rows = []
        for wk in w:
            first, second = m + (1 - wk) * d, m - wk * d
            fit = sum(
                q * np.log(wk * np.exp(z * first - first**2 / 2) + (1 - wk) * np.exp(z * second - second**2 / 2))
                for z, q in zip(x, weight, strict=True)
            )
            prior = norm.logpdf(first, 0, prior_variance**0.5) + norm.logpdf(second, 0, prior_variance**0.5)
            rows.append(logsumexp(N * fit + prior, b=np.broadcast_to(cell, fit.shape)))
        found.append(logsumexp(np.array(rows)[:, None] + log_prior_w, b=2 * half[:, None], axis=0))
    return np.array(found)
