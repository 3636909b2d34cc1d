"""Hierarchical VB (Sato 2000, appendix D): the prior that the components share is unknown, too, and has a prior of its own.

Of an isotropic Gaussian component's prior, mu | rho ~ N(c, I / (n_0 rho)) and rho ~ Gamma(shape, rate s), the centre c and
the rate s are unknown, while n_0 = mean_count and shape are given: they are the report's alpha_0 and gamma_0, as

    log p(mu, rho | c, s) = n_0 c . (rho mu) + (s + n_0 |c|^2 / 2) (-rho) + shape log s + ...

is  gamma_0 alpha_0 . theta - Phi(alpha_0)  with  theta = (rho mu, -rho)  and  Phi = -shape log s. Its conjugate (A.21),
exp b (a . gamma_0 alpha_0 - Phi(alpha_0)) with a = (precision * centre, -precision), has a closed normaliser:

    c ~ N(centre, I / (b n_0 precision))  and  s ~ Gamma(b shape + 1, rate b precision),  independent.

With K exchangeable components in place of the appendix's one theta, (A.26) and (A.27) become

    b a = b_0 a_0 + sum_k <theta_k>,    b = b_0 + K

(the report prints a = <theta> + a_0). The components' M-step, (A.24), adds gamma_0 <alpha_0> where gamma_0 alpha_0 stood:
to the engine these are pseudo-statistics of each component.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_integer, as_number, as_positive, as_vector, read_only
from vbkit.families import IsotropicGaussian
from vbkit.learning.batch import Fit, finite
from vbkit.learning.initialization import check_distinct
from vbkit.learning.online import check_stream
from vbkit.learning.schedule import Schedule
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
    """A distribution (A.21) of the prior's centre and rate. As a prior it is worth `strength` components (the report's b_0)
    whose expected precision is `precision` and whose centres average to `centre` (D,), weighted by their precisions."""

    strength: float
    centre: np.ndarray
    precision: float

    def __post_init__(self):
        positive = {
            name: as_positive(name, getattr(self, name)) for name in ("strength", "precision")
        }
        vars(self).update(positive, centre=read_only(as_vector("centre", self.centre)))

    def updated(self, theta: np.ndarray, origin: np.ndarray) -> Hyperprior:
        """After components with these expected natural parameters (K, P), of statistics measured from `origin` (D,)."""
        b, precisions = self.strength + len(theta), -2 * theta[:, -1]
        precision = (self.strength * self.precision + precisions.sum()) / b
        deviation = self.strength * self.precision * (self.centre - origin) + theta[:, 1:-1].sum(
            axis=0
        )
        return Hyperprior(b, origin + deviation / (b * precision), precision)

    def _gamma(self, component: IsotropicGaussian) -> tuple[float, float]:
        return self.strength * component.shape + 1, self.strength * self.precision

    def expected(self, component: IsotropicGaussian) -> Expected:
        """(A.25)"""
        shape, rate = self._gamma(component)
        variance = 1 / (self.strength * component.mean_count * self.precision)
        return Expected(self.centre, variance, shape / rate, float(digamma(shape) - np.log(rate)))

    def pseudo_statistics(self, component: IsotropicGaussian) -> np.ndarray:
        """gamma_0 (<alpha_0> - alpha_0 of `component`) as pseudo-statistics (P,) of every component."""
        mean = self.expected(component)
        x = mean.centre - component.origin
        second = component.mean_count * (x @ x + len(x) * mean.variance) + 2 * (
            mean.rate - component.rate
        )
        return np.array([0.0, *component.mean_count * x, second])

    def divergence(self, prior: Hyperprior, component: IsotropicGaussian) -> float:
        """Kullback-Leibler divergence (nats) of this distribution from `prior`: a Gaussian's and a gamma's."""
        x, D = self.centre - prior.centre, len(self.centre)
        ratio = prior.strength * prior.precision / (self.strength * self.precision)
        weight = prior.strength * prior.precision * component.mean_count
        (k, r), (k0, r0) = self._gamma(component), prior._gamma(component)
        gamma = (
            (k - k0) * digamma(k)
            - gammaln(k)
            + gammaln(k0)
            + k0 * np.log(r / r0)
            + k * (r0 / r - 1)
        )
        return float(0.5 * (D * (ratio - 1 - np.log(ratio)) + weight * x @ x) + gamma)


@dataclass(frozen=True, eq=False, repr=False)
class HierarchicalFit(Fit):
    """A fit, and the posterior `hyper` of the prior's centre and rate. Its mixture has as `pseudo` what <alpha_0>
    adds to the alpha_0 of the component, times gamma_0."""

    hyper: Hyperprior = field(kw_only=True)


def fit_hierarchical(
    mixture: Mixture,
    X,
    start,
    prior: Hyperprior,
    *,
    max_epochs: int = 1000,
    tolerance: float = 1e-6,
) -> HierarchicalFit:
    """Batch hierarchical VB (A.23-A.28): E-step, M-step of the components, update of the prior's posterior, and again.

    mixture: of IsotropicGaussian components; of their prior only mean_count and shape matter. start: a state (K, P). Stops
    as `fit_batch` does, and raises as it does. The ELBO of the trace includes the divergence of the third factor, and
    never falls.
    """
    data, S = mixture.observe(X), _check(mixture, start, prior)
    as_integer("max_epochs", max_epochs, 0)
    as_number("tolerance", tolerance, 0)
    trace, converged, hyper = [], False, prior
    for epoch in range(max_epochs + 1):
        model = _given(mixture, hyper)
        sweep = model.e_step(data, S)
        trace.append(finite(sweep.elbo - _cost(mixture, hyper, prior, len(S)), epoch))
        converged = epoch > 0 and abs(trace[-1] - trace[-2]) < tolerance
        if converged or epoch == max_epochs:
            break
        S = sweep.S
        hyper = _update(model, S, prior)
    return HierarchicalFit(model, S, np.array(trace), epoch, converged, hyper=hyper)


def fit_hierarchical_online(
    mixture: Mixture,
    X,
    start,
    prior: Hyperprior,
    schedule: Schedule,
    *,
    epochs: int = 1,
    every: int = 1,
    rng=None,
) -> HierarchicalFit:
    """Online hierarchical VB: the online pass, with the third factor updated after every `every` data.

    Each epoch presents the rows of X in their order, or in a new random one if `rng` is given. trace: the ELBO over
    all data before the first epoch and after each. Raises as `fit_online` does, and for observation weights.
    """
    data, S = without_weights(mixture.observe(X)), _check(mixture, start, prior)
    check_distinct(mixture, S)
    check_stream(schedule, epochs, rng)
    as_integer("every", every, 1)
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
    component = mixture.family
    if not isinstance(component, IsotropicGaussian):
        raise ValueError(
            f"component is {type(component).__name__}; hierarchical VB is written for IsotropicGaussian"
        )
    if mixture.clones != 1 or mixture.pseudo_statistics is not None:
        raise ValueError(
            "copies and pseudo must be 1 and None; hierarchical VB sets pseudo-statistics of its own"
        )
    if not isinstance(prior, Hyperprior):
        raise ValueError(f"prior is {prior!r}; it must be a Hyperprior")
    if len(prior.centre) != component.dimension:
        raise ValueError(
            f"centre has {len(prior.centre)} entries; the data have {component.dimension} columns"
        )
    return mixture.check_state(start)


def _given(mixture: Mixture, hyper: Hyperprior) -> Mixture:
    return attrs.evolve(mixture, pseudo_statistics=hyper.pseudo_statistics(mixture.family))


def _update(model: Mixture, S, prior: Hyperprior) -> Hyperprior:
    return prior.updated(model.family.expected(model.effective(S)), model.family.origin)


def _cost(mixture: Mixture, hyper: Hyperprior, prior: Hyperprior, K: int) -> float:
    """What is to be subtracted from the ELBO with pseudo-statistics: the divergence, and for each of the K priors the
    normaliser that the engine gives it, in place of the expected one, of log s."""
    component = mixture.family
    pseudo_statistics = hyper.pseudo_statistics(component)
    normalizer = component.log_normalizer(pseudo_statistics)
    normalizer -= component.log_normalizer(0 * pseudo_statistics)
    log_rate = hyper.expected(component).log_rate - np.log(component.rate)
    return hyper.divergence(prior, component) - K * (normalizer + component.shape * log_rate)
