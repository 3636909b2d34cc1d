"""A mixture of any conjugate family: responsibilities, the ELBO, the predictive density, sampling.

The posterior over all parameters is a state S (K, P): the expected sufficient statistics that the
data added to the prior, one row a component, its first column the component's count. Everything
here is a function of S.
"""

from collections.abc import Iterator
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import logsumexp

from vbkit import observations
from vbkit.checks import as_generator, as_instance, as_integer, require_numbers
from vbkit.families.base import Family
from vbkit.families.dirichlet import Dirichlet
from vbkit.models.labels import IndependentLabels
from vbkit.models.model import EM as EM
from vbkit.observations import Block, Observations


class MixtureParameters(NamedTuple):
    """Expected mixing weights (K,), and the components' parameters (`Family.parameters`)."""

    weights: np.ndarray
    components: NamedTuple


@attrs.frozen(eq=False, slots=False)
class Mixture(IndependentLabels):
    """A mixture of components of one family, with a common prior and Dirichlet weights.

    family: the family of the components, with its prior hyperparameters.
    weights: the Dirichlet prior of the mixing weights.
    clones: the number of times the data are cloned. 1 is variational Bayes. `EM` (2**100) leaves no
        uncertainty, so expected parameters are maximum-likelihood estimates and learning is EM.
        Numbers between lead from one to the other.
    pseudo_statistics: (P,), added to every component before anything else. Below EM they are part
        of the prior, which must stay proper: entries may be negative, the count may not. In EM they
        penalise the likelihood: a floor on widths, or MAP.

    Raises ValueError for another type of family or weights, for pseudo-statistics that do not fit
    the family or leave no proper prior, and for an improper Dirichlet (a concentration of 0) unless
    clones is EM.
    """

    family: Family
    weights: Dirichlet = Dirichlet(1.0)
    clones: float = 1.0
    pseudo_statistics: np.ndarray | None = None

    def __attrs_post_init__(self):
        self._check_prior(weights=self.weights)

    def e_step_blocks(self, data: Observations, W: np.ndarray) -> Iterator[Block]:
        """The E-step at the expected natural parameters W (K, P), those of the weights in column 0,
        one block of rows after another."""
        return observations.e_step_blocks(self.family, data, W)

    def parameters(self, S) -> MixtureParameters:
        """Return expected weights and component parameters at the state S (K, P).

        For Gaussians these are means and covariances, for Bernoulli components probabilities; in
        the EM limit the estimates, pseudo-statistics included. Raises ValueError for an unfit S.
        """
        E = self.effective(self.check_state(S))
        return MixtureParameters(self._mean_weights(E), self.family.parameters(E))

    def _mean_weights(self, E) -> np.ndarray:
        mean = self.weights.mean(E[:, 0])
        require_numbers("an expected weight", mean)
        return mean

    # ---- prediction and sampling ----

    def log_predictive(self, X, S) -> np.ndarray:
        """Return the log predictive density (N,) of new rows X (N, D) at the state S (K, P): the
        posterior mean of p(x | parameters) (Sato 2000, 2.37).

        It is a mixture, with weights E[pi], of the family's predictive densities (Student for the
        Gaussians); in the EM limit the density at the estimates. Raises as `e_step` does.
        """
        data, E = self.observe(X), self.effective(self.check_state(S))
        mean = self._mean_weights(E)
        log_pi = np.log(mean, where=mean > 0, out=np.full(len(mean), -np.inf))
        out = np.empty(len(data.X))
        for rows in observations.blocks(len(data.X), E.size):
            L = self.family.log_predictive(E, data.X[rows])
            out[rows] = logsumexp(L + log_pi[:, None], axis=0)
        require_numbers("the predictive density", out)
        return out

    def sample(self, S, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows (size, D) from the predictive density at the state S (K, P).

        Raises ValueError for an unfit state, a size that is not a whole number >= 0, and an rng
        that is not a Generator; NotImplementedError for a family without `sample`.
        """
        E = self.effective(self.check_state(S))
        size, rng = as_integer("size", size, 0), as_generator("rng", rng)
        counts = rng.multinomial(size, self._mean_weights(E))
        draws = [self.family.sample(e, n, rng) for e, n in zip(E, counts, strict=True)]
        return rng.permutation(np.concatenate(draws))


def without_weights(data: Observations) -> Observations:
    """Data for what is written for rows that count once each, or a ValueError."""
    if data.weights is not None:
        raise ValueError(
            "X was observed with weights, which have no part in this; give rows alone"
        )
    return data


def check_variational(mixture: Mixture) -> None:
    """Raise ValueError unless it is a Mixture, of plain variational Bayes."""
    as_instance("mixture", mixture, Mixture)
    if mixture.clones != 1 or mixture.pseudo_statistics is not None:
        raise ValueError(
            "clones must be 1 and pseudo_statistics None, as in variational Bayes"
        )
