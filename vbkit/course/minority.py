"""Ten people in a thousand: the setting of lectures 09a and 09b and of their evidence (Kaji 2011,
section 6.2.3), and the prices of a group of people who answer alike."""

import numpy as np
from scipy.special import betaln, gammaln

from vbkit.data import Truth
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors
from vbkit.labels import Dirichlet
from vbkit.learning import init_from_rows
from vbkit.mixture import Mixture
from vbkit.phases import solve

MEANS = [  # ours: the thesis shows its own as pictures
    [0.9, 0.8, 0.7, 0.1, 0.2],
    [0.2, 0.1, 0.6, 0.8, 0.9],
    [0.02, 0.98, 0.02, 0.98, 0.02],
]
MINORITIES = {  # by the number of questions
    5: Truth([0.55, 0.44, 0.01], MEANS),
    10: Truth([0.55, 0.44, 0.01], np.tile(MEANS, 2)),
}
# K and N of section 6.2
N_COMPONENTS = 10
SIZE = 1000
USED = 0.5  # a component with this many people or more counts as used
PAIRS = [  # the priors (alpha, beta) of the search for minorities
    [a, b] for a in (0.01, 10) for b in (0.01, 0.1, 0.3, 1, 5)
]
TRIALS = 100  # data sets of each study
PEOPLE = np.arange(1.0, 100.0)


def bernoulli_mixture(
    dimension: int, alpha: float, beta: float, *, precision: type | None = None
) -> Mixture:
    """Return the thesis's mixture: Dirichlet(alpha) weights, Beta(beta, beta) answers.

    precision: as of `BetaBernoulli`.
    """
    family = BetaBernoulli(dimension, beta, precision=precision)
    return Mixture(family, Dirichlet(alpha))


def random_starts(X, number: int, rng) -> np.ndarray:
    """Return states (number, K, 1 + 2D) with each component near a random data point.

    It stands 30 % of the way from there to the mean of all data.
    """
    mixture = bernoulli_mixture(X.shape[1], 1.0, 1.0)
    states = [init_from_rows(mixture, X, N_COMPONENTS, rng) for _ in range(number)]
    return np.stack(states)


def isolated(R, minority) -> bool:
    """Tell whether one component of R (N, K) holds half of the minority and consists half of it.

    minority (N,): a truth value for each data point.
    """
    R = np.asarray(R, float)
    minority = np.asarray(minority, bool)
    held = R[minority].sum(axis=0)
    size = R.sum(axis=0)
    return bool(((held >= 0.5 * minority.sum()) & (held >= 0.5 * size)).any())


def own_component(R, minority) -> int | None:
    """Return which component of R (N, K) belongs to the minority, None if it is not
    `isolated`."""
    if not isolated(R, minority):
        return None
    return int(R[minority].sum(axis=0).argmax())


def learn(counts, starts, alpha, beta):
    """Run VB from the starts (R, K, 1 + 2D) to its end, for counts (2^D,) of all sheets."""
    return solve(counts, starts, alpha, beta, max_iterations=3000, tolerance=1e-7)


def prices(
    n, alpha: float, beta: float, questions: int, *, deviating: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return what n (n,) identical people add to -log p(X, z) in nats: apart, and inside.

    Apart: in a component of their own. Inside: in that large component of the truth that
    suits them better. The large components hold the expected counts of 1000 - n people.
    deviating: the question, from 0, to which one of the n people gives the other answer.
    """

    def log_evidence(counts, yes):
        no = counts[..., None] - yes
        pairs = betaln(beta + yes, beta + no) - betaln(beta, beta)
        return gammaln(alpha + counts) - gammaln(alpha) + pairs.sum(axis=-1)

    truth = MINORITIES[questions]
    prior = N_COMPONENTS * alpha
    weights = truth.weights[:2]
    means = truth.means[:2]
    alike = np.round(truth.means[2])
    large = (SIZE - n)[:, None] * weights / weights.sum()
    yes = large[..., None] * means
    theirs = n[:, None] * alike
    if deviating is not None:
        theirs[:, deviating] += 1 - 2 * alike[deviating]
    merged = log_evidence(large + n[:, None], yes + theirs[:, None])
    merged = merged - log_evidence(large, yes)
    total = gammaln(prior + SIZE) - gammaln(prior + SIZE - n)
    return total - log_evidence(n, theirs), total - merged.max(axis=1)


def apart_less_inside(n: int, alpha: float, beta: float) -> float:
    """Return VB's free energy in nats with n identical people apart, less that with them
    inside the large groups, for the expected answers of 1000 people to five questions."""
    truth = MINORITIES[5]
    sheets = binary_vectors(5)
    large = truth.joint(sheets)[:, :2]
    large = large * (SIZE - n) / large.sum()
    counts = large.sum(axis=1)
    apart = np.zeros((len(sheets), N_COMPONENTS))
    apart[:, :2] = large / counts[:, None]
    inside = apart.copy()
    alike = np.flatnonzero((sheets == np.round(truth.means[2])).all(axis=1))
    counts[alike] += n
    apart[alike] = np.eye(N_COMPONENTS)[2]
    statistics = BetaBernoulli(5).statistics(sheets)
    states = [(R * counts[:, None]).T @ statistics for R in (apart, inside)]
    found = learn(counts, np.stack(states), alpha, beta).free_energy
    return float(found[0] - found[1])


def smallest_group(alpha: float, beta: float, questions: int) -> int:
    """Return the least number of identical people who are worth a component; 100 if it is
    not below."""
    apart, inside = prices(PEOPLE, alpha, beta, questions)
    return int(np.append(inside > apart, True).argmax()) + 1
