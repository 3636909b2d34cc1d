"""Hierarchical VB (Sato 2000, appendix D): the prior that the components share is unknown too.

Of an isotropic Gaussian component's prior, mu | rho ~ N(c, I / (n_0 rho)) and rho ~ Gamma(shape,
rate s), the centre c and the rate s are unknown, while n_0 = mean_count and shape are given: they
are the report's alpha_0 and gamma_0, as

    log p(mu, rho | c, s) = n_0 c . (rho mu) + (s + n_0 |c|^2 / 2) (-rho) + shape log s + ...

is  gamma_0 alpha_0 . theta - Phi(alpha_0)  with  theta = (rho mu, -rho)  and  Phi = -shape log s.
Its conjugate (A.21), exp b (a . gamma_0 alpha_0 - Phi(alpha_0)) with a = (precision * centre,
-precision), has a closed normaliser:

    c ~ N(centre, I / (b n_0 precision)),   s ~ Gamma(b shape + 1, rate b precision).

With K exchangeable components in place of the appendix's one theta, (A.26) and (A.27) become

    b a = b_0 a_0 + sum_k <theta_k>,    b = b_0 + K

(the report prints a = <theta> + a_0). The components' M-step, (A.24), then adds gamma_0 <alpha_0>
in place of gamma_0 alpha_0: to the engine these are pseudo-statistics of each component.
"""

from __future__ import annotations

from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import (
    as_instance,
    as_integer,
    as_number,
    as_positive,
    as_vector,
    checked,
)
from vbkit.families import IsotropicGaussian
from vbkit.learning.batch import has_converged
from vbkit.learning.fit import Fit, begin, check_rise
from vbkit.learning.online import check_stream, run_stream
from vbkit.mixture import Mixture, as_independent


class Expected(NamedTuple):
    """Of the prior's unknown centre c and rate s: E c (D,), its variance along each axis, E s, E
    log s."""

    centre: np.ndarray
    variance: float
    rate: float
    log_rate: float


@attrs.frozen(eq=False)
class Hyperprior:
    """A distribution (A.21) of the prior's centre and rate.

    As a prior it is worth `strength` > 0 components (the report's b_0) whose expected precision is
    `precision` > 0 and whose centres average to `centre` (D,), weighted by their precisions. Raises
    ValueError for other numbers.
    """

    strength: float = checked(as_positive)
    centre: np.ndarray = checked(as_vector)
    precision: float = checked(as_positive)

    def updated(self, theta: np.ndarray, origin: np.ndarray) -> Hyperprior:
        """After components with expected natural parameters theta (K, P) of statistics measured
        from `origin` (D,)."""
        strength = self.strength + len(theta)
        before = self.strength * self.precision
        precisions = before + (-2 * theta[:, -1]).sum()
        shift = before * (self.centre - origin) + theta[:, 1:-1].sum(axis=0)
        centre = origin + shift / precisions
        return Hyperprior(strength, centre, precisions / strength)

    def _gamma(self, family: IsotropicGaussian) -> tuple[float, float]:
        """Shape and rate of the gamma posterior of the prior's rate s."""
        shape = self.strength * family.shape + 1
        rate = self.strength * self.precision
        return shape, rate

    def expected(self, family: IsotropicGaussian) -> Expected:
        """What it says of centre and rate, for components of this family (A.25)."""
        shape, rate = self._gamma(family)
        variance = 1 / (self.strength * family.mean_count * self.precision)
        log_rate = float(digamma(shape) - np.log(rate))
        return Expected(self.centre, variance, shape / rate, log_rate)

    def pseudo_statistics(self, family: IsotropicGaussian) -> np.ndarray:
        """gamma_0 (<alpha_0> - alpha_0 of `family`), pseudo-statistics (P,) of every component."""
        mean = self.expected(family)
        x = mean.centre - family.origin
        second = family.mean_count * (x @ x + len(x) * mean.variance)
        second += 2 * (mean.rate - family.rate)
        return np.array([0.0, *family.mean_count * x, second])

    def divergence(self, prior: Hyperprior, family: IsotropicGaussian) -> float:
        """Kullback-Leibler divergence (nats) of this distribution from `prior`: a Gaussian's and a
        gamma's."""
        shift = self.centre - prior.centre
        D = len(self.centre)
        ratio = prior.strength * prior.precision / (self.strength * self.precision)
        weight = prior.strength * prior.precision * family.mean_count
        gaussian = 0.5 * (D * (ratio - 1 - np.log(ratio)) + weight * shift @ shift)
        shape, rate = self._gamma(family)
        prior_shape, prior_rate = prior._gamma(family)
        gamma = (shape - prior_shape) * digamma(shape)
        gamma += gammaln(prior_shape) - gammaln(shape)
        gamma += prior_shape * np.log(rate / prior_rate)
        gamma += shape * (prior_rate / rate - 1)
        return float(gaussian + gamma)


@attrs.frozen(eq=False, repr=False, slots=False)
class HierarchicalFit(Fit):
    """A fit, and the posterior `hyper` of the prior's centre and rate.

    Its mixture has as pseudo-statistics what <alpha_0> adds to the alpha_0 of the family, times
    gamma_0. So `fit.mixture.elbo(X, fit.S)` takes the prior's expected centre and rate as given;
    `fit.elbo` is another number, which includes what is uncertain about them.
    """

    hyper: Hyperprior = attrs.field(kw_only=True)


def fit_hierarchical(
    mixture: Mixture,
    X,
    start,
    prior: Hyperprior,
    *,
    max_epochs=1000,
    tolerance=1e-6,
    weights=None,
) -> HierarchicalFit:
    """Fit by batch hierarchical VB (A.23-A.28): E-step, M-step of the components, update of the
    prior's posterior, and again.

    mixture: of IsotropicGaussian components; of their prior only mean_count and shape matter.
    X, start: data (N, D) and a state (K, P). weights: of the observations, (N,).

    The trace's ELBO includes the divergence of the third factor, and never falls. Stops, warns and
    raises as `fit_batch` does.
    """
    as_integer("max_epochs", max_epochs, 0)
    as_number("tolerance", tolerance, 0)
    data, S = _check(mixture, X, start, prior, weights)
    hyper = prior
    model = _given(mixture, hyper)
    trace = []
    for epoch in range(max_epochs + 1):
        step = model.e_step(data, S)
        trace.append(step.elbo - _cost(mixture, hyper, prior, len(S)))
        check_rise(trace)
        converged = has_converged(trace, tolerance)
        if converged or epoch == max_epochs:
            break
        S = step.S
        hyper, model = _update(mixture, model, S, prior)
    return HierarchicalFit(model, S, np.array(trace), epoch, converged, hyper=hyper)


def fit_hierarchical_online(
    mixture,
    X,
    start,
    prior: Hyperprior,
    schedule,
    *,
    epochs=1,
    every=1,
    rng=None,
    weights=None,
) -> HierarchicalFit:
    """Online hierarchical VB: the online pass, with the third factor updated after every `every`
    data points.

    Each epoch presents the rows of X (N, D), with observation weights (N,), in their order, or in a
    new random one if `rng` is given. trace: the ELBO over all data before the first epoch and after
    each. Warns and raises as `fit_online` does.
    """
    as_integer("epochs", epochs, 0)
    as_integer("every", every, 1)
    check_stream(schedule, rng)
    data, S = _check(mixture, X, start, prior, weights)
    hyper = prior
    model = _given(mixture, hyper)
    trace = []
    for epoch in range(epochs + 1):
        elbo = model.elbo(data, S) - _cost(mixture, hyper, prior, len(S))
        trace.append(elbo)
        if epoch == epochs:
            break
        shown = data if rng is None else data.take(rng.permutation(data.units))
        retention, gain, schedule = schedule.rates(data.units)
        if shown.weights is not None:
            gain = gain * shown.weights
        for first in range(0, data.units, every):
            rows = slice(first, first + every)
            S = run_stream(model, S, shown.X[rows], retention[rows], gain[rows])
            hyper, model = _update(mixture, model, S, prior)
    return HierarchicalFit(
        model, S, np.array(trace), epochs, False, schedule, hyper=hyper
    )


def _check(mixture: Mixture, X, start, prior: Hyperprior, weights):
    """The data and the state that learning begins with, checked."""
    family = as_independent(mixture).family
    as_instance("family", family, IsotropicGaussian)
    if mixture.clones != 1 or mixture.pseudo_statistics is not None:
        raise ValueError(
            "clones and pseudo_statistics must be 1 and None; they are set here"
        )
    as_instance("prior", prior, Hyperprior)
    if len(prior.centre) != family.dimension:
        columns = f"the data have {family.dimension} columns"
        raise ValueError(f"centre has {len(prior.centre)} entries; {columns}")
    return begin(mixture, X, start, weights)


def _given(mixture: Mixture, hyper: Hyperprior) -> Mixture:
    return attrs.evolve(
        mixture, pseudo_statistics=hyper.pseudo_statistics(mixture.family)
    )


def _update(
    mixture: Mixture, model: Mixture, S, prior: Hyperprior
) -> tuple[Hyperprior, Mixture]:
    """The posterior `hyper` after the components of S (K, P), and the model given it."""
    hyper = prior.updated(
        model.family.expected(model.effective(S)), model.family.origin
    )
    return hyper, _given(mixture, hyper)


def _cost(mixture: Mixture, hyper: Hyperprior, prior: Hyperprior, K: int) -> float:
    """What is to be subtracted from the ELBO with pseudo-statistics.

    It is the divergence, and for each of the K priors the normaliser that the engine gives it, in
    place of the expected one, of log s.
    """
    family = mixture.family
    pseudo_statistics = hyper.pseudo_statistics(family)
    normalizer = family.log_normalizer(pseudo_statistics)
    normalizer -= family.log_normalizer(0 * pseudo_statistics)
    log_rate = hyper.expected(family).log_rate - np.log(family.rate)
    return hyper.divergence(prior, family) - K * float(
        normalizer + family.shape * log_rate
    )
