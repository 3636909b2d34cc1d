"""Ghahramani's example, 3,000 data and twenty units on a line: a pass must be quick enough to replay at each slide."""

from functools import partial

import numpy as np
from scipy.special import digamma

from vbkit.bench.measure import FEW, Row, agree, each, least, measure, ratio
from vbkit.data import ghahramani2000
from vbkit.explore.online_mixture import SIZE, draw_means, make_mixture
from vbkit.learning import accumulation, fit_online, unit_priors


def numpy_pass(X, means):
    """The slide's VE and VM steps by hand, one datum at a time, vectorised over the units."""
    K = len(means)
    alpha, a, b, m, g = np.ones(K), np.ones(K), np.ones(K), means[:, 0].copy(), np.full(K, 0.1)
    for y in X[:, 0]:
        log_s = digamma(alpha) + 0.5 * (digamma(a) - np.log(b) - a / b * (y - m) ** 2 - 1 / g)
        s = np.exp(log_s - log_s.max())
        s /= s.sum()
        b += 0.5 * s * g * (y - m) ** 2 / (g + s)
        m = (g * m + y * s) / (g + s)
        alpha, a, g = alpha + s, a + s / 2, g + s
    return alpha


def pass_rows() -> list[Row]:
    """A pass against the loop by hand, and in milliseconds."""
    rng = np.random.default_rng(1)
    mixture, (X, _) = make_mixture(1, 1.0), ghahramani2000(SIZE, rng)
    means = draw_means(rng, 1)
    data, start = mixture.observe(X), unit_priors(mixture, means)
    ours = partial(fit_online, mixture, data, start, accumulation(), monitor=False)
    agree(1 + ours().S[:, 0], numpy_pass(X, means), rtol=1e-8)
    t = measure(loop=partial(numpy_pass, X[:FEW], means), ours=ours)
    name = f"accumulation, N = {SIZE:,}, K = {len(means)}, D = 1"
    note = f"{np.median(t['ours']) / SIZE * 1e9:.0f} ns a datum"
    return [
        ratio(f"{name}, NumPy loop / ours", t["loop"] / FEW, t["ours"] / SIZE, at_least=55, note=note),
        least(f"{name}, ms a pass", t["ours"], 10),
    ]


SECTIONS = {"accumulation": each(pass_rows, [()])}
