"""Kaji 2011, chapter 6: what (a, b) do to F, to the generalization error and to minorities."""

import numpy as np

from vbkit.binary import Truth, pattern_counts
from vbkit.chapters.hyperparameter_design.answers import isolated
from vbkit.families import BetaBernoulli, Dirichlet
from vbkit.learning import init_from_rows
from vbkit.mixture import Mixture
from vbkit.theory import generalization_error, solve

MEANS = {  # ours, three components each: the thesis shows its own as pictures
    "clear": [[0.9, 0.8, 0.1, 0.2, 0.1], [0.1, 0.2, 0.9, 0.8, 0.2], [0.2, 0.9, 0.8, 0.1, 0.9]],
    "mixed": [[0.7, 0.6, 0.2, 0.3, 0.4], [0.3, 0.4, 0.8, 0.7, 0.2], [0.4, 0.8, 0.6, 0.3, 0.8]],
    "minority": [[0.9, 0.8, 0.7, 0.1, 0.2], [0.2, 0.1, 0.6, 0.8, 0.9], [0.02, 0.98] * 2 + [0.02]],
}
TRUTHS = {name: Truth([0.4, 0.35, 0.25], MEANS[name]) for name in ("clear", "mixed")}
MINORITIES = {  # by the number of coordinates
    5: Truth([0.55, 0.44, 0.01], MEANS["minority"]),
    10: Truth([0.55, 0.44, 0.01], np.tile(MEANS["minority"], 2)),
}
N_COMPONENTS, SIZE = 10, 1000  # K and N of section 6.2
USED = 0.5  # a component with this many data or more counts as used


def bernoulli_mixture(dimension: int, a: float, b: float, **settings) -> Mixture:
    """Return the thesis's mixture: prior Dirichlet(a) of weights, Beta(b, b) of probabilities."""
    return Mixture(BetaBernoulli(dimension, b, **settings), Dirichlet(a))


def log_evidence(counts, ones, a: float, b: float) -> float:
    """Return log p(X, Z) (nats) of data assigned to components.

    counts (K,): data per component; ones (K, M): how many ones each has per coordinate."""
    n, ones = np.asarray(counts, float)[:, None], np.asarray(ones, float)
    mixture = bernoulli_mixture(ones.shape[1], a, b)
    return float(mixture.log_normalizer_ratio(np.hstack([n, ones, n - ones])))


def random_starts(X, number: int, rng) -> np.ndarray:
    """Return states (number, K, 1 + 2M) with each component near a random data point.

    It stands 30 % of the way from there to the mean of all data.
    """
    mixture = bernoulli_mixture(X.shape[1], 1.0, 1.0)
    return np.stack([init_from_rows(mixture, X, N_COMPONENTS, rng) for _ in range(number)])


def learn(counts, starts, a, b):
    """Run VB from the starts (R, K, 1 + 2M) to its end, for counts (2^M,) of all patterns."""
    return solve(counts, starts, a, b, max_iterations=3000, tolerance=1e-7)


def surfaces(truth: Truth, a, b, starts: int, rng) -> dict[str, np.ndarray]:
    """Make one trial of section 6.2.1: data of the truth, VB at every pair of a (A,), b (B,).

    Returns tables (A, B), of the solution with the lowest F from the same random starts at each
    pair: "free_energy" (less N S) and generalization "error" in nats, the number of "used"
    components, the data in the "smallest" of these, and the "spread" of F over the starts.
    """
    X, _ = truth.sample(SIZE, rng)
    counts, states = pattern_counts(X), random_starts(X, starts, rng)
    pairs = np.array([(x, y) for x in a for y in b])
    ends = learn(counts, np.tile(states, (len(pairs), 1, 1)), *np.repeat(pairs, starts, axis=0).T)
    F = ends.free_energy.reshape(len(pairs), starts)
    S = ends.S[np.arange(len(pairs)) * starts + F.argmin(axis=1)]
    lowest, n, shares = F.min(axis=1), S[..., 0], counts[counts > 0] / SIZE
    mixtures = [bernoulli_mixture(X.shape[1], *pair) for pair in pairs]
    errors = [generalization_error(m, s, truth)[0] for m, s in zip(mixtures, S, strict=True)]
    tables = {
        "free_energy": lowest + SIZE * shares @ np.log(shares),
        "error": np.array(errors),
        "used": (n >= USED).sum(axis=1),
        "smallest": np.where(n >= USED, n, np.inf).min(axis=1),
        "spread": F.max(axis=1) - lowest,
    }
    return {name: values.reshape(len(a), len(b)) for name, values in tables.items()}


def minority_trial(dimension: int, settings, starts: int, rng) -> dict[str, np.ndarray]:
    """Make one trial of section 6.2.2 at every (a, b) of settings (n, 2).

    Returns whether the minority is "found" isolated and the number of "used" components, both
    (n, 3): from the first start, at the lowest F of all random starts, and from a start at the true
    assignment. "excess" (n,) is F of the last above the lowest.
    """
    X, labels = MINORITIES[dimension].sample(SIZE, rng)
    counts, minority = pattern_counts(X), labels == 2
    at_truth = np.zeros((1, N_COMPONENTS, 1 + 2 * dimension))
    at_truth[0, :3] = np.eye(3)[labels].T @ BetaBernoulli(dimension).statistics(X)
    states = np.concatenate([random_starts(X, starts, rng), at_truth])
    trial = {"found": [], "used": [], "excess": []}
    for a, b in settings:
        ends, mixture = learn(counts, states, a, b), bernoulli_mixture(dimension, a, b)
        best = ends.free_energy[:-1].argmin()
        S = ends.S[[0, best, -1]]
        trial["found"].append([isolated(mixture.responsibilities(X, s), minority) for s in S])
        trial["used"].append((S[..., 0] >= USED).sum(axis=1))
        trial["excess"].append(ends.free_energy[-1] - ends.free_energy[best])
    return {name: np.array(values, float) for name, values in trial.items()}
