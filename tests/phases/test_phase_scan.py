"""The solver over all patterns against the plain engine; measured growth against the phases."""

import numpy as np
import oracles
import pytest
from oracles import close

from vbkit.data import KAJI2011_TRUTHS, Truth
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors, pattern_counts
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch
from vbkit.mixture import Mixture
from vbkit.phases import (
    diagram,
    first_of_the_lowest,
    growth,
    scan,
    solve,
    structured_starts,
)
from vbkit.theory import entropy, predict

pytestmark = pytest.mark.filterwarnings("error")
A, B, EXAMPLE = KAJI2011_TRUTHS.values()
PURE = Truth([0.6, 0.4], [[0.0, 0, 1, 1], [1, 1, 0, 0]])
WIDE = Truth([0.5, 0.5], [[0.2, 0.3, 0.8, 0.7, 0.4], [0.8, 0.7, 0.3, 0.2, 0.6]])
FLAT = Truth([1.0], [[0.3, 0.6]])


def engine(M, a, b):
    return Mixture(BetaBernoulli(M, b), Dirichlet(a))


@pytest.mark.parametrize(
    "a, b", [(1, 1), (3.5, 0.2), (0.01, 0.01), (1e-6, 1e-6), (40, 7)]
)
@pytest.mark.parametrize("total", [10, 1e4, 1e12])
def test_same_as_the_engine(a, b, total):
    """One iteration at a time (at saddles rounding grows), from starts of all kinds."""
    rng, mixtures = np.random.default_rng(0), {M: engine(M, a, b) for M in (3, 4, 6)}
    for truth, n_components in (
        (A, 3),
        (B, 4),
        (EXAMPLE, 3),
        (Truth([1.0], rng.uniform(0, 1, (1, 6))), 2),
    ):
        M = len(truth.means[0])
        ideal = total * truth.probabilities()
        sampled = (
            [pattern_counts(truth.sample(int(total), rng)[0])] if total <= 1e4 else []
        )
        for counts in (ideal, *sampled):
            _, S = structured_starts(truth, n_components, total, counts)
            S = np.concatenate(
                [
                    S,
                    [
                        rng.dirichlet(np.ones(n_components), 2**M).T
                        @ (T(M) * counts[:, None])
                    ],
                ]
            )
            for _ in range(8):
                found = solve(counts, S, a, b, max_iterations=1, tolerance=0)
                expected = np.stack(
                    [mixtures[M].e_step(binary_vectors(M), s, counts).S for s in S]
                )
                close(found.S / total, expected / total, rtol=1e-9, atol=1e-13)
                S = found.S
            bounds = [mixtures[M].elbo(binary_vectors(M), s, counts) for s in S]
            close(found.free_energy, -np.array(bounds), rtol=1e-12, atol=1e-9)
            assert (found.iterations == 1).all() and not found.converged.any()


def T(M):
    return BetaBernoulli(M).statistics(binary_vectors(M))


def test_logs_take_over_where_products_underflow():
    """Pinned components that explain no pattern at all: densities of exp(-1e4) and less."""
    counts = np.full(16, 5.0)
    starts = np.stack(
        [
            np.r_[40, 40 * binary_vectors(4)[i], 40 * (1 - binary_vectors(4)[i])]
            for i in (3, 12)
        ]
    )
    found = solve(counts, starts, 1e-4, 1e-4, max_iterations=3, tolerance=0)
    mixture = engine(4, 1e-4, 1e-4)
    fit = fit_batch(
        mixture, binary_vectors(4), starts, weights=counts, max_epochs=3, tolerance=0
    )
    assert mixture.e_step(binary_vectors(4), starts).log_likelihood < -1e5
    close(found.S[0], fit.S, atol=1e-9)
    close(found.free_energy[0], -fit.elbo)


def test_each_problem_is_solved_as_if_alone():
    """However many there are, with priors of their own; bit by bit, sweeps included."""
    _, starts = structured_starts(B, 4, 500)
    a, b = np.random.default_rng(1).uniform(0.05, 3, (2, 77))
    starts, counts = np.resize(starts, (77, 4, 9)), 500 * B.probabilities()
    together = solve(counts, starts, a, b, max_iterations=400)
    assert (
        len(set(together.iterations)) > 20
        and together.converged.any()
        and not together.converged.all()
    )
    for k in (0, 1, 40, 76):
        alone = solve(counts, starts[k], a[k], b[k], max_iterations=400)
        for one, other in zip(alone, together, strict=True):
            assert (one[0] == other[k]).all()


def test_converged_means_a_fixed_point():
    _, starts = structured_starts(A, 3, 300)
    counts = 300 * A.probabilities()
    found = solve(counts, starts, 1.2, 0.4, tolerance=1e-20, max_iterations=100_000)
    assert found.converged.all()
    for S, F in zip(found.S, found.free_energy, strict=True):
        sweep = engine(4, 1.2, 0.4).e_step(binary_vectors(4), S, counts)
        close(sweep.S, S, rtol=1e-6, atol=1e-7)
        close(sweep.elbo, -F)


@pytest.mark.parametrize(
    "truth, n_components", [(A, 3), (B, 5), (EXAMPLE, 3), (PURE, 2), (FLAT, 6)]
)
def test_starts(truth, n_components):
    """They hold the data, no more and no less; most of them, the data's own distribution."""
    names, starts = structured_starts(truth, n_components, 1e6)
    p, M = truth.probabilities(), len(truth.means[0])
    assert len(set(names)) == len(names) == len(starts)
    close(starts.sum(1), np.tile(1e6 * p @ T(M), (len(starts), 1)))
    close(
        starts[:, :, 1 : 1 + M] + starts[:, :, 1 + M :],
        np.repeat(starts[:, :, :1], M, axis=2),
        atol=1e-6,
    )
    assert (
        starts.min() > -1e-9
        and ("empty" if n_components > len(truth.weights) else "truth") == names[0]
    )
    for name, S in zip(names, starts, strict=True):
        mean = S[:, 1 : 1 + M] / np.maximum(S[:, :1], 1e-300)
        q = Truth(S[:, 0] / S[:, 0].sum(), mean.clip(0, 1)).probabilities()
        if "vertex" not in name:
            assert abs(q - p).max() < (3e-3 if "impure" in name else 1e-9)


TOTALS = np.logspace(5, 8, 4)
PHASES = [  # truth, components, (a, b): every phase, away from the lines
    (A, 3, (1, 1)), (A, 3, (2, 0.7)), (A, 3, (1.5, 0.1)), (A, 3, (2, 0.1)), (A, 3, (3.5, 0.2)),
    (A, 3, (5, 0.3)),
    (A, 3, (3, 1)), (A, 3, (4, 0.8)), (B, 3, (0.5, 0.2)), (B, 3, (1, 0.2)), (B, 3, (2, 0.1)),
    (B, 3, (3.5, 0.2)),
    (B, 3, (5, 0.3)), (B, 3, (1, 1)), (B, 3, (2, 0.8)), (B, 3, (3, 1)), (B, 3, (4, 2)),
    (B, 2, (1, 0.2)),
    (B, 2, (1, 1)), (B, 2, (1, 2)), (PURE, 3, (1, 1)), (PURE, 3, (4, 1)), (PURE, 3, (2, 0.1)),
    (PURE, 3, (6, 1)),
    (WIDE, 4, (4, 0.2)), (WIDE, 4, (2, 0.1)), (WIDE, 4, (5, 1)), (FLAT, 4, (3, 0.1)),
]  # fmt: skip


def kinds(truth):
    """How many components of a truth are interior and deterministic."""
    pinned = np.isin(truth.means, (0, 1)).all(axis=1)
    return int((~pinned).sum()), int(pinned.sum())


@pytest.mark.parametrize("case", range(len(PHASES)))
def test_measured_coefficient(case):
    """Of log N in F - N S, from N = 1e5 to 1e8, within .02;
    and how the smallest component grows."""
    truth, n_components, (a, b) = PHASES[case]
    phase = predict(len(truth.means[0]), n_components, *kinds(truth), a, b)
    found = growth(truth, n_components, TOTALS, a, b, max_iterations=4000)
    slope = np.polyfit(np.log(TOTALS), found.normalized, 1)[0]
    assert abs(slope - phase.coefficient) < 0.02
    smallest = np.polyfit(
        np.log(TOTALS[1:]), np.log(np.maximum(found.S[1:, :, 0].min(axis=1), 1e-3)), 1
    )[0]
    expected = min([1.0, *(oracles.EXPONENTS[name] for name in phase.redundant)])
    assert abs(smallest - expected) < 0.1


def test_example_of_section_3_3():
    """Three clusters win for a > 4 b, two below, with a shift of order 1 / log N."""
    for b in (0.1, 0.2):
        for a in (4 * b - 0.2, 4 * b + 0.25):
            found = growth(EXAMPLE, 3, [1e8], a, b)
            three = (found.S[0, :, 0] > 1e6).sum() == 3
            assert three == (a > 4 * b)


def test_diagram():
    """The lowest of the starts, in whatever order threads take the pairs; F is the engine's."""
    names, starts = structured_starts(B, 3, 1e3)
    counts, a, b = (
        1e3 * B.probabilities(),
        np.array([0.4, 1.5, 3.5]),
        np.array([0.05, 0.3, 1.0, 2.0]),
    )
    found = diagram(counts, starts, a, b, max_iterations=300)
    assert found.free_energy.shape == found.start.shape == (3, 4) and found.S.shape == (
        3,
        4,
        3,
        9,
    )
    for i, j in np.ndindex(3, 4):
        every = solve(counts, starts, a[i], b[j], max_iterations=300)
        lowest = every.free_energy.min()
        assert found.free_energy[i, j] == pytest.approx(lowest, abs=2e-9)
        assert lowest > 1e3 * entropy(B.probabilities())
        assert (every.S[found.start[i, j]] == found.S[i, j]).all()
        close(
            -engine(4, a[i], b[j]).elbo(binary_vectors(4), found.S[i, j], counts),
            found.free_energy[i, j],
        )


def test_rounding_does_not_choose_among_starts_that_end_alike():
    F = np.array([700.0, 693.0 + 1e-10, 693.0, 693.0 + 1e-8])
    assert first_of_the_lowest(F) == 1
    assert first_of_the_lowest(np.stack([F, F[::-1]])).tolist() == [1, 1]
    assert first_of_the_lowest(np.array([1e9 * (1 + 1e-11), 1e9, 1e9])) == 1
    assert first_of_the_lowest(np.array([1e9 * (1 + 1e-14), 1e9, 1e9])) == 0
    assert first_of_the_lowest(np.array([-693.0, -693.0 * (1 + 1e-14)])) == 0
    assert first_of_the_lowest(np.array([2.0, 1.0, 0.0])) == 2


def test_a_diagram_breaks_ties_as_growth_does(monkeypatch):
    """Of starts whose F differ by rounding, the first stands for the minimum."""

    def with_rounding(*arguments, **options):
        ends = solve(*arguments, **options)
        problems = np.arange(len(ends.free_energy))
        return ends._replace(free_energy=693.0 * (1 - 1e-16 * problems % 3e-16))

    monkeypatch.setattr(scan, "solve", with_rounding)
    names, starts = structured_starts(B, 3, 1e3)
    counts = 1e3 * B.probabilities()
    found = diagram(counts, starts, [0.4, 1.5], [1.0], max_iterations=1)
    assert found.start.tolist() == [[0], [0]]
    assert growth(B, 3, [1e3], 1.0, 1.0, max_iterations=1).start == [names[0]]


START = np.ones((2, 9))
BAD = [
    ("counts", lambda: solve(np.zeros(16), START, 1, 1)),
    ("counts", lambda: solve(-np.ones(16), START, 1, 1)),
    ("counts has shape", lambda: solve(np.ones(15), START, 1, 1)),
    ("starts has shape", lambda: solve(np.ones(16), np.ones((2, 8)), 1, 1)),
    ("concentration is 0", lambda: solve(np.ones(16), START, 0, 1)),
    ("pseudo_count is -1", lambda: solve(np.ones(16), START, 1, -1)),
    ("max_iterations", lambda: solve(np.ones(16), START, 1, 1, max_iterations=0)),
    ("tolerance", lambda: solve(np.ones(16), START, 1, 1, tolerance=-1.0)),
    ("n_components", lambda: structured_starts(A, 1, 100)),
    ("at most 16", lambda: growth(Truth([1.0], np.full((1, 17), 0.5)), 2, [1e3], 1, 1)),
    ("concentration must", lambda: diagram(np.ones(16), START[None], ["x"], [1.0])),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_input(case):
    name, call = BAD[case]
    with pytest.raises(ValueError, match=name):
        call()


def test_vertices_take_half_of_a_pattern_or_the_root_of_all_data():
    truth = Truth([1.0], [[0.9, 0.8]])  # the most probable pattern has a share of 0.72
    for total, half, few in ((100.0, 36.0, 10.0), (4.0, 1.44, 1.44), (1.0, 0.36, 0.36)):
        names, S = structured_starts(truth, 2, total)
        counts = dict(zip(names, S[:, 1, 0], strict=True))
        close([counts["vertex at 0"], counts["small vertex at 0"]], [half, few])


def test_as_many_components_as_the_truth_has_are_enough_to_start_from():
    truth = Truth([0.5, 0.5], [[0.2, 0.5], [0.9, 0.1]])
    structured_starts(truth, 2, 9.0)
    with pytest.raises(ValueError, match="n_components"):
        structured_starts(truth, 1, 9.0)


def test_starts_hold_all_data_even_those_that_the_truth_rules_out():
    truth = Truth([1.0], [[1.0, 0.5]])  # nobody says no to the first question
    counts = np.array([7.0, 20.0, 3.0, 30.0])
    _, starts = structured_starts(truth, 2, counts.sum(), counts=counts)
    close(starts[:, :, 0].sum(axis=1), counts.sum())
