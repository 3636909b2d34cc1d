"""What exact Bayes does with a part that is not needed: sums over assignments and integrals, beside VB's decisions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, gammaln, logsumexp
from scipy.stats import norm

from vbkit.checks import as_integer, as_positive, as_positives, as_vector
from vbkit.families.base import Family
from vbkit.families.dirichlet import Dirichlet
from vbkit.theory.enumeration import states_of_assignments


class Occupation(NamedTuple):
    """Of a mixture of two components under the exact posterior: log evidence (nats), the probability that both components hold
    data, and the expected share of the component that holds fewer."""

    log_evidence: float
    both: float
    smaller: float


def occupation(family: Family, concentration: float, X) -> Occupation:
    """Two components on data X (N, D): the sum over all 2^N labellings. ValueError if there are more than 2^20."""
    X = family.check_data(X)
    base, states = family.log_base(X), states_of_assignments(family.statistics(X), 2)
    return _occupation(family, concentration, states, 0.0, 0.0 if base is None else base.sum())


def occupation_of_identical(family: Family, concentration: float, row, size: int) -> Occupation:
    """Two components on `size` copies of one row (D,): the labellings that give a component the same count are alike, so that a
    sum of size + 1 terms replaces that over 2^size."""
    X = family.check_data(np.asarray(row)[None])
    n = np.arange(as_integer("size", size, 1) + 1)
    choices = gammaln(size + 1) - gammaln(n + 1) - gammaln(size - n + 1)
    t, base = family.statistics(X)[0], family.log_base(X)
    extra = 0.0 if base is None else size * float(base.sum())
    states = [np.stack([n, size - n], axis=1)[..., None] * t]
    return _occupation(family, concentration, states, choices, extra)


def _occupation(family, concentration, states, choices, base) -> Occupation:
    """From blocks of states (n, 2, P) and the log multiplicities of all of them."""
    weights, terms, fewer = Dirichlet(as_positive("concentration", concentration)), [], []
    for S in states:
        terms.append(family.log_normalizer(S).sum(axis=1) + weights.log_normalizer(S[..., 0]))
        fewer.append(S[..., 0].min(axis=1))
    terms, smaller, total = choices + np.concatenate(terms), np.concatenate(fewer), S[0].sum(axis=0)
    top = logsumexp(terms)
    p = np.exp(terms - top)
    constant = 2 * family.log_normalizer(0 * total) + weights.log_normalizer(np.zeros(2))
    return Occupation(
        float(top - constant + base), float(p @ (smaller > 0)), float(p @ smaller / total[0])
    )


# ---- integrals -------------------------------------------------------------------------------------------------------


def product_posterior(v, prior: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Of one observed number v (n,) = a b + noise with a, b ~ N(0, prior), by quadrature over b: the posterior mean of
    a b (n,), and the log evidence (n,). ValueError for numbers v beyond 1e6 times the prior variance."""
    v, prior, noise = (
        as_vector("v", v)[:, None],
        as_positive("prior", prior),
        as_positive("noise", noise),
    )
    peak = np.sqrt(np.abs(v).max() / prior)  # where |b| is likely, in prior standard deviations
    if peak > 1e3:
        raise ValueError(
            f"v reaches {np.abs(v).max():g}; it must lie within 1e6 times prior, {prior:g}"
        )
    t = np.linspace(
        -12, 12, 1 + 2 * round(600 + 600 * peak / 9)
    )  # b = sqrt(prior) component sinh(t): fine where a b is as
    component = (9 + peak) / np.sinh(12)  # small as the noise, and in steps of .18 at the ends
    scale = component * np.sinh(t)
    mass = norm.logpdf(scale) + np.log(component * np.cosh(t) * (t[1] - t[0]))
    signal = (prior * scale) ** 2  # variance of a b given b
    log_p = norm.logpdf(v, 0, np.sqrt(noise + signal)) + mass
    evidence = logsumexp(log_p, axis=1)
    return (np.exp(log_p - evidence[:, None]) * v * signal / (noise + signal)).sum(axis=1), evidence


def pair_log_evidence(
    sizes, concentrations, prior_variance: float, *, fineness: int = 1
) -> np.ndarray:
    """log of the evidence, less N times the log-likelihood of N(0, 1), for two Gaussian units of variance 1 in one
    dimension and N ideal data from N(0, 1): (sizes, concentrations), exact Bayes by quadrature.

    The data are the 40 nodes of a Gauss-Hermite rule, each counting as N times its weight. Integrated over the log odds
    of the weights, the mixture's mean m and the distance of its centres; fineness multiplies the nodes of each.
    Raises ValueError unless all numbers are > 0.
    """
    sizes, concentrations = as_vector("sizes", sizes), as_vector("concentrations", concentrations)
    for name, values in (
        ("sizes", sizes),
        ("concentrations", concentrations),
        ("prior_variance", prior_variance),
    ):
        as_positives(name, values)
    fine = as_integer("fineness", fineness, 1)
    x, weight = np.polynomial.hermite_e.hermegauss(40)
    weight, found = weight / weight.sum(), []
    u = np.linspace(-70, 0, 141 * fine)  # the other half is its mirror image
    w, half = 1 / (1 + np.exp(-u)), np.where(u == 0, 0.5, 1.0) * (u[1] - u[0])
    log_prior_w = concentrations * (np.log(w) + np.log1p(-w))[:, None] - betaln(
        concentrations, concentrations
    )
    for N in sizes:
        s = 0.2 / N**0.25
        t = np.linspace(-1, 1, 100 * fine) * np.arcsinh(60 / s)
        m = np.linspace(-7, 7, 24 * fine)[:, None] / np.sqrt(N + 1 / prior_variance)
        d, cell = s * np.sinh(t), s * np.cosh(t) * (t[1] - t[0]) * (m[1, 0] - m[0, 0])
        rows = []
        for wk in w:
            first, second = m + (1 - wk) * d, m - wk * d
            fit = sum(
                q
                * np.log(
                    wk * np.exp(z * first - first**2 / 2)
                    + (1 - wk) * np.exp(z * second - second**2 / 2)
                )
                for z, q in zip(x, weight, strict=True)
            )
            prior = norm.logpdf(first, 0, prior_variance**0.5) + norm.logpdf(
                second, 0, prior_variance**0.5
            )
            rows.append(logsumexp(N * fit + prior, b=np.broadcast_to(cell, fit.shape)))
        found.append(logsumexp(np.array(rows)[:, None] + log_prior_w, b=2 * half[:, None], axis=0))
    return np.array(found)
