"""The roof of lecture 11b: heights measured beside its ridge, and experts that learn them.

A row is (x, height). Each component of the mixture is an expert: a gate, a Gaussian over x,
says where it is at home, and a line with noise says how high the roof is there.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from vbkit.families import LinearRegression, NormalGamma, Product
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.models import predict_outputs

REACH = 4.0  # metres from the ridge to either edge
TOP = 6.0  # metres, the height of the ridge
NOISE = 0.2  # metres, the standard deviation of a measurement
POINTS = 200
SEED = 11
EXPERTS = (1, 2, 4, 8)
GRID = np.linspace(-6, 6, 121)


def height(x):
    """Return the true height (m) of the roof at x metres from its ridge."""
    return TOP - np.abs(x)


def measure(rng: np.random.Generator, size: int = POINTS) -> np.ndarray:
    """Return rows (x, height) (size, 2), the heights with errors."""
    x = rng.uniform(-REACH, REACH, size)
    return np.column_stack([x, height(x) + NOISE * rng.standard_normal(size)])


def network(experts: int) -> Mixture:
    """Return a mixture of so many experts.

    A gate is expected to be about 2.4 / experts metres wide, a line to be level at four
    metres, and the noise to have a variance near 0.05.
    """
    width = 0.6 * REACH / experts
    gate = NormalGamma([0.0], 0.1, 2.0, 2 * width**2)
    middle = TOP - REACH / 2
    line = LinearRegression([0.0], [middle], precision=0.1, shape=3.0, rate=0.15)
    return Mixture(Product(gate, line), Dirichlet(1.0))


def spread_gates(mixture: Mixture, experts: int) -> np.ndarray:
    """Return a start S (K, P) that puts the gates side by side, and says nothing else."""
    gate = mixture.family.gate
    homes = -REACH + 2 * REACH * (np.arange(experts) + 0.5) / experts
    S = np.zeros((experts, mixture.family.n_statistics))
    of_homes = gate.statistics(homes[:, None])[:, 1:]
    S[:, 1 : gate.n_statistics] = gate.mean_count * of_homes
    return S


@cache
def learned(experts: int, seed: int = SEED) -> np.ndarray:
    """Return the states (201, K, P) before the first of the points and after each."""
    mixture = network(experts)
    S = spread_gates(mixture, experts)
    states = [S]
    for point in measure(np.random.default_rng(seed)):
        S = S + mixture.e_step(point[None], S).S
        states.append(S)
    return np.array(states)


class Parts(NamedTuple):
    """The predicted height at x (n,), and where its variance comes from."""

    mean: np.ndarray  # (n,), metres
    gate: np.ndarray  # (n, K), the experts' shares
    noise: np.ndarray  # (n, K), share times noise variance, square metres
    doubt: np.ndarray  # (n, K), share times an expert's uncertainty of its own line
    disagreement: np.ndarray  # (n, K), share times squared distance from the mean

    @property
    def variance(self) -> np.ndarray:
        """The variance (n,) of a measurement."""
        return (self.noise + self.doubt + self.disagreement).sum(axis=1)

    @property
    def band(self) -> np.ndarray:
        """1.96 standard deviations (n,)."""
        return 1.96 * np.sqrt(self.variance)


def predict(mixture: Mixture, S, x) -> Parts:
    """Predict the height at x (n,) from the state S (K, P), with the parts of its variance."""
    x = np.asarray(x, float)[:, None]
    found = predict_outputs(mixture, x, S)
    mean = found.mean[:, 0]
    _, means, variances = mixture.family.conditional(S, x)
    means = means[:, :, 0].T
    noise = found.gate * noise_variances(mixture, S)
    doubt = found.gate * variances[:, :, 0].T - noise
    disagreement = found.gate * (means - mean[:, None]) ** 2
    return Parts(mean, found.gate, noise, doubt, disagreement)


def noise_variances(mixture: Mixture, S) -> np.ndarray:
    """Return the expected variances (K,) of the noise, in square metres."""
    gate_columns = mixture.family.gate.n_statistics
    of_lines = np.concatenate([S[:, :1], S[:, gate_columns:]], axis=1)
    posterior = mixture.family.expert.posterior(of_lines)
    return posterior.rate[:, 0] / (posterior.shape - 1)
