"""Hierarchical VB (Sato 2000, appendix D): the prior that the components share is unknown.

A component is an isotropic Gaussian, and its prior is

    mu | rho ~ N(centre, I / (mean_count rho)),    rho ~ Gamma(shape, rate).

Here mean_count and shape are given, but centre and rate are unknown and have a distribution
of their own, a `Hyperprior`. The report writes

| here | in the report |
|---|---|
| mean_count, shape | gamma_0 |
| centre, rate | alpha_0 |
| `Hyperprior.strength` | b, of which the prior's is b_0 |
| (precision * centre, -precision) of the `Hyperprior` | a |
| (rho mu, -rho) of a component | theta |
| -shape log rate | Phi(alpha_0) |

The logarithm of a component's prior is linear in theta,

    mean_count centre . (rho mu) + (rate + mean_count |centre|^2 / 2) (-rho)
    + shape log rate + ...

and therefore the conjugate density (A.21) of centre and rate is known in closed form:

    centre ~ N(its centre, I / (strength mean_count precision)),
    rate ~ Gamma(strength shape + 1, strength precision).

With K exchangeable components in place of the appendix's one theta, (A.26) and (A.27) become
sums: a `Hyperprior` gains one unit of strength for each component, and strength times a
gains the component's expected theta. (The report prints a = <theta> + a_0.) The components'
M-step, (A.24), then takes the expected centre and rate in place of those of the family. To
the engine, the difference is pseudo-statistics of each component.
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
    """What a hyperprior expects: E[centre] (D,), the variance of the centre along each axis,
    E[rate] and E[log rate]."""

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
        """The distribution after components with the expected natural parameters theta
        (K, P), of statistics measured from `origin` (D,).

        The statistics of a component are 1, x and |x|^2, so theta holds -E[rho] / 2 in its
        last column and E[rho mu] between the first and the last.
        """
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
        """What the expected centre and rate add to those of the family's own prior, as
        pseudo-statistics (P,) of every component."""
        mean = self.expected(family)
        x = mean.centre - family.origin
        second = family.mean_count * (x @ x + len(x) * mean.variance)
        second += 2 * (mean.rate - family.rate)
        return np.concatenate([[0.0], family.mean_count * x, [second]])

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
    model = _with_hyperprior(mixture, hyper)
    step = model.sweep(data, S)
    trace = [step.elbo - _cost(mixture, hyper, prior, len(S))]
    check_rise(trace)
    epochs = 0
    converged = False
    while epochs < max_epochs and not converged:
        S = step.S
        hyper, model = _update(mixture, model, S, prior)
        step = model.sweep(data, S)
        trace.append(step.elbo - _cost(mixture, hyper, prior, len(S)))
        check_rise(trace)
        epochs += 1
        converged = has_converged(trace, tolerance)
    return HierarchicalFit(model, S, np.array(trace), epochs, converged, hyper=hyper)


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
    model = _with_hyperprior(mixture, hyper)
    trace = [model.elbo(data, S) - _cost(mixture, hyper, prior, len(S))]
    for _ in range(epochs):
        shown = data if rng is None else data.take(rng.permutation(data.units))
        retention, gain, schedule = schedule.rates(data.units)
        if shown.weights is not None:
            gain = gain * shown.weights
        for first in range(0, data.units, every):
            rows = slice(first, first + every)
            S = run_stream(model, S, shown.X[rows], retention[rows], gain[rows])
            hyper, model = _update(mixture, model, S, prior)
        trace.append(model.elbo(data, S) - _cost(mixture, hyper, prior, len(S)))
    return HierarchicalFit(
        model,
        S,
        np.array(trace),
        epochs,
        converged=False,
        schedule=schedule,
        hyper=hyper,
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


def _with_hyperprior(mixture: Mixture, hyper: Hyperprior) -> Mixture:
    """The mixture whose components have the expected centre and rate for their prior."""
    pseudo_statistics = hyper.pseudo_statistics(mixture.family)
    return attrs.evolve(mixture, pseudo_statistics=pseudo_statistics)


def _update(
    mixture: Mixture, model: Mixture, S, prior: Hyperprior
) -> tuple[Hyperprior, Mixture]:
    """The hyperprior's posterior after the components of S (K, P), and the mixture with it.

    model: the mixture with the posterior of the step before.
    """
    theta = model.family.expected(model.effective(S))
    hyper = prior.updated(theta, model.family.origin)
    return hyper, _with_hyperprior(mixture, hyper)


def _cost(mixture: Mixture, hyper: Hyperprior, prior: Hyperprior, K: int) -> float:
    """What is to be subtracted from the ELBO that the mixture with pseudo-statistics has.

    The ELBO needs E[log p(theta | centre, rate)] for each component. Its terms with theta are
    right already. But in place of E[shape log rate] the engine, which takes the
    pseudo-statistics for a fixed prior, subtracts that prior's log-normaliser. So for each of
    the K components this log-normaliser is given back and the expectation put in its place,
    both measured from the family's own prior; and the divergence of the hyperprior's
    posterior is subtracted once.
    """
    family = mixture.family
    pseudo_statistics = hyper.pseudo_statistics(family)
    nothing = np.zeros_like(pseudo_statistics)
    log_normalizer = family.log_normalizer(pseudo_statistics)
    log_normalizer -= family.log_normalizer(nothing)
    log_rate = hyper.expected(family).log_rate - np.log(family.rate)
    of_each = float(log_normalizer + family.shape * log_rate)
    return hyper.divergence(prior, family) - K * of_each
