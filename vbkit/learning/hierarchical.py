"""Hierarchical VB (Sato 2000, appendix D): the prior that the units share is unknown, too, and has a prior of its own.

Of an isotropic Gaussian unit's prior, mu | rho ~ N(c, I / (n_0 rho)) and rho ~ Gamma(shape, rate s), the centre c and
the rate s are unknown, while n_0 = mean_count and shape are given: they are the report's alpha_0 and gamma_0, as

    log p(mu, rho | c, s) = n_0 c . (rho mu) + (s + n_0 |c|^2 / 2) (-rho) + shape log s + ...

is  gamma_0 alpha_0 . theta - Phi(alpha_0)  with  theta = (rho mu, -rho)  and  Phi = -shape log s. Its conjugate (A.21),
exp b (a . gamma_0 alpha_0 - Phi(alpha_0)) with a = (precision * centre, -precision), has a closed normaliser:

    c ~ N(centre, I / (b n_0 precision))  and  s ~ Gamma(b shape + 1, rate b precision),  independent.

With K exchangeable units in place of the appendix's one theta, (A.26) and (A.27) become

    b a = b_0 a_0 + sum_k <theta_k>,    b = b_0 + K

(the report prints a = <theta> + a_0). The units' M-step, (A.24), adds gamma_0 <alpha_0> where gamma_0 alpha_0 stood:
to the engine these are pseudo-statistics of each unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_number, as_positive, as_vector, as_whole, frozen
from vbkit.families import IsotropicGaussian
from vbkit.learning.batch import Fit, finite
from vbkit.learning.online import check_stream
from vbkit.learning.schedule import Schedule
from vbkit.learning.starts import check_distinct
from vbkit.learning.stream import run_stream
from vbkit.mixture import Mixture, without_weights


class Expected(NamedTuple):
    """Of the prior's unknown centre c and rate s: E c (D,), its variance along each axis, E s, E log s."""

    centre: np.ndarray
    variance: float
    rate: float
    log_rate: float


@dataclass(frozen=True, eq=False)
class Hyperprior:
    """A distribution (A.21) of the prior's centre and rate. As a prior it is worth `strength` units (the report's b_0)
    whose expected precision is `precision` and whose centres average to `centre` (D,), weighted by their precisions."""

    strength: float
    centre: np.ndarray
    precision: float

    def __post_init__(self):
        positive = {name: as_positive(name, getattr(self, name)) for name in ("strength", "precision")}
        vars(self).update(positive, centre=frozen(as_vector("centre", self.centre)))

    def updated(self, theta: np.ndarray, origin: np.ndarray) -> Hyperprior:
        """After units with these expected natural parameters (K, P), of statistics measured from `origin` (D,)."""
        b, precisions = self.strength + len(theta), -2 * theta[:, -1]
        precision = (self.strength * self.precision + precisions.sum()) / b
        deviation = self.strength * self.precision * (self.centre - origin) + theta[:, 1:-1].sum(axis=0)
        return Hyperprior(b, origin + deviation / (b * precision), precision)

    def _gamma(self, unit: IsotropicGaussian) -> tuple[float, float]:
        return self.strength * unit.shape + 1, self.strength * self.precision

    def expected(self, unit: IsotropicGaussian) -> Expected:
        """(A.25)"""
        shape, rate = self._gamma(unit)
        variance = 1 / (self.strength * unit.mean_count * self.precision)
        return Expected(self.centre, variance, shape / rate, float(digamma(shape) - np.log(rate)))

    def pseudo(self, unit: IsotropicGaussian) -> np.ndarray:
        """gamma_0 (<alpha_0> - alpha_0 of `unit`) as pseudo-statistics (P,) of every unit."""
        mean = self.expected(unit)
        x = mean.centre - unit.origin
        second = unit.mean_count * (x @ x + len(x) * mean.variance) + 2 * (mean.rate - unit.rate)
        return np.array([0.0, *unit.mean_count * x, second])

    def divergence(self, prior: Hyperprior, unit: IsotropicGaussian) -> float:
        """Kullback-Leibler divergence (nats) of this distribution from `prior`: a Gaussian's and a gamma's."""
        x, D = self.centre - prior.centre, len(self.centre)
        ratio = prior.strength * prior.precision / (self.strength * self.precision)
        weight = prior.strength * prior.precision * unit.mean_count
        (k, r), (k0, r0) = self._gamma(unit), prior._gamma(unit)
        gamma = (k - k0) * digamma(k) - gammaln(k) + gammaln(k0) + k0 * np.log(r / r0) + k * (r0 / r - 1)
        return float(0.5 * (D * (ratio - 1 - np.log(ratio)) + weight * x @ x) + gamma)


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalFit(Fit):
    """A fit, and the posterior `hyper` of the prior's centre and rate. Its mixture has as `pseudo` what <alpha_0>
    adds to the alpha_0 of the component, times gamma_0."""

    hyper: Hyperprior = field(kw_only=True)


def fit_hierarchical(
    mixture: Mixture, X, start, prior: Hyperprior, *, max_epochs: int = 1000, tolerance: float = 1e-6
) -> HierarchicalFit:
    """Batch hierarchical VB (A.23-A.28): E-step, M-step of the units, update of the prior's posterior, and again.

    mixture: of IsotropicGaussian units; of their prior only mean_count and shape matter. start: a state (K, P). Stops
    as `fit_batch` does, and raises as it does. The bound of the trace includes the divergence of the third factor, and
    never falls.
    """
    data, S = mixture.observe(X), _check(mixture, start, prior)
    as_whole("max_epochs", max_epochs, 0)
    as_number("tolerance", tolerance, 0)
    trace, converged, hyper = [], False, prior
    for epoch in range(max_epochs + 1):
        model = _given(mixture, hyper)
        sweep = model.sweep_checked(data, S)
        trace.append(finite(sweep.elbo - _cost(mixture, hyper, prior, len(S)), epoch))
        converged = epoch > 0 and abs(trace[-1] - trace[-2]) < tolerance
        if converged or epoch == max_epochs:
            break
        S = sweep.S
        hyper = _update(model, S, prior)
    return HierarchicalFit(model, S, np.array(trace), epoch, converged, hyper=hyper)


def fit_hierarchical_online(
    mixture: Mixture, X, start, prior: Hyperprior, schedule: Schedule, *, epochs: int = 1, every: int = 1, rng=None
) -> HierarchicalFit:
    """On-line hierarchical VB: the on-line pass, with the third factor updated after every `every` data.

    Each epoch presents the rows of X in their order, or in a new random one if `rng` is given. trace: the bound over
    all data before the first epoch and after each. Raises as `fit_online` does, and for observation weights.
    """
    data, S = without_weights(mixture.observe(X)), _check(mixture, start, prior)
    check_distinct(mixture, S)
    check_stream(schedule, epochs, rng)
    as_whole("every", every, 1)
    model = _given(mixture, prior)
    hyper, trace = prior, [model.elbo(data, S)]
    for _ in range(epochs):
        rows = data.X if rng is None else data.X[rng.permutation(len(data.X))]
        keep, gain, schedule = schedule.rates(len(rows))
        for first in range(0, len(rows), every):
            part = slice(first, first + every)
            S = run_stream(model, S, rows[part], keep[part], gain[part])
            hyper = _update(model, S, prior)
            model = _given(mixture, hyper)
        trace.append(model.elbo(data, S) - _cost(mixture, hyper, prior, len(S)))
    return HierarchicalFit(model, S, np.array(trace), epochs, False, schedule, hyper=hyper)


def _check(mixture: Mixture, start, prior: Hyperprior) -> np.ndarray:
    unit = mixture.component
    if not isinstance(unit, IsotropicGaussian):
        raise ValueError(f"component is {type(unit).__name__}; hierarchical VB is written for IsotropicGaussian")
    if mixture.copies != 1 or mixture.pseudo is not None:
        raise ValueError("copies and pseudo must be 1 and None; hierarchical VB sets pseudo-statistics of its own")
    if not isinstance(prior, Hyperprior):
        raise ValueError(f"prior is {prior!r}; it must be a Hyperprior")
    if len(prior.centre) != unit.dimension:
        raise ValueError(f"centre has {len(prior.centre)} entries; the data have {unit.dimension} columns")
    return mixture.check_state(start)


def _given(mixture: Mixture, hyper: Hyperprior) -> Mixture:
    return replace(mixture, pseudo=hyper.pseudo(mixture.component))


def _update(model: Mixture, S, prior: Hyperprior) -> Hyperprior:
    return prior.updated(model.component.expected(model.effective(S)), model.component.origin)


def _cost(mixture: Mixture, hyper: Hyperprior, prior: Hyperprior, K: int) -> float:
    """What the bound with pseudo-statistics lacks: the expected log s of the K priors, and the divergence."""
    unit = mixture.component
    return hyper.divergence(prior, unit) - K * unit.shape * (hyper.expected(unit).log_rate - np.log(unit.rate))
