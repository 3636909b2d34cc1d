"""Lecture 08c: what VB pays for a component too many is what the three structures cost."""

import numpy as np
import pytest

from vbkit.course import lecture_08c as lecture
from vbkit.course import partial_structures as partial
from vbkit.course.answers_08c import best_size, slope_of_division, two_readings
from vbkit.course.few_questions import with_a_vertex
from vbkit.course.partial_structures import ONE_OF_EACH, TWO_MIXED
from vbkit.course.people import SHEETS
from vbkit.data import Truth
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.phases import solve, structured_starts
from vbkit.theory import coefficient, free_energy_terms, predict


def slope_of_vb(kinds, alpha, beta, components=3):
    few = partial.price_of_vb(kinds, 1e6, alpha, beta, components)
    many = partial.price_of_vb(kinds, 1e9, alpha, beta, components)
    return (many - few) / np.log(1000)


@pytest.mark.parametrize(
    ("kinds", "alpha", "beta", "slope"),
    [
        (TWO_MIXED, 3.5, 0.2, -1.6),  # a part
        (TWO_MIXED, 4.0, 0.8, -1.5),  # a mixed copy
        (TWO_MIXED, 2.0, 0.1, -0.55),  # a small component
        (TWO_MIXED, 0.4, 0.3, 0.0),  # empty
        (ONE_OF_EACH, 2.0, 0.8, -0.6),  # contamination beside an empty component
        (ONE_OF_EACH, 5.0, 0.3, -3.3),  # a deterministic copy
    ],
)
def test_vb_pays_the_lowest_slope(kinds, alpha, beta, slope):
    assert slope_of_vb(kinds, alpha, beta) == pytest.approx(slope, abs=0.02)
    numbers = (2, 0) if kinds is TWO_MIXED else (1, 1)
    answers = [[1] * 4, [1] * 4 if kinds is TWO_MIXED else [0] * 4, [0] * 4]
    apart = coefficient([1, 1, 0], answers, alpha, beta)
    lowest = predict(4, 3, *numbers, alpha, beta).coefficient - apart
    assert lowest == pytest.approx(slope, abs=1e-12)


@pytest.mark.parametrize(
    ("alpha", "beta", "by_list"),
    [(2.0, 0.8, 0.0), (4.0, 0.9, -1.5), (4.0, 0.7, -1.5), (4.0, 0.3, -2.3)],
)
def test_contamination_needs_no_third_component(alpha, beta, by_list):
    """So beyond two contaminated components the third costs what the price list says."""
    two = slope_of_vb(ONE_OF_EACH, alpha, beta, components=2)
    assert two == pytest.approx(-4 * max(0, beta - 0.5) / 2, abs=0.005)
    third = slope_of_vb(ONE_OF_EACH, alpha, beta) - two
    assert third == pytest.approx(by_list, abs=0.005)


@pytest.mark.parametrize("kinds", [TWO_MIXED, ONE_OF_EACH])
def test_changes_of_F_are_those_of_the_mixture(kinds):
    N = 1e4
    counts = N * kinds.probabilities()
    labels_of = partial.small_component if kinds is TWO_MIXED else partial.contaminated
    R = labels_of(N, np.array([0.0, 3.0, 80.0]))
    assert np.allclose(R.sum(axis=2), 1)
    mixture = Mixture(BetaBernoulli(4, 0.3), Dirichlet(1.7))
    exact = [free_energy_terms(mixture, SHEETS, each, counts).sum() for each in R]
    found = partial.free_energies(R, counts, 1.7, 0.3)
    assert np.allclose(found - found[0], np.subtract(exact, exact[0]), atol=1e-6)


def test_the_labels_move_as_many_people_as_they_say():
    counts = 1e4 * TWO_MIXED.probabilities()
    (R,) = partial.small_component(1e4, [139.0])
    held = partial.held_by(R[None], counts)
    assert held.people[0, 2] == pytest.approx(139)
    assert held.yes[0, 2].tolist() in ([0, 0, 139, 139], [139, 139, 0, 0])
    counts = 1e4 * ONE_OF_EACH.probabilities()
    (R,) = partial.contaminated(1e4, [5.0])
    held = partial.held_by(R[None], counts)
    assert held.people[0, 1] == pytest.approx(4000 + 4 * 5, abs=1)
    rarer = np.minimum(held.yes[0, 1], held.no[0, 1])
    assert np.allclose(rarer, 5)


def test_the_misfit_is_the_square_over_N():
    """By the formula of section 2 if nobody else adapts, which is the most that it costs."""
    p = TWO_MIXED.probabilities().max()
    for N in (1e4, 1e8):
        n = 0.1 * N**0.5
        q = TWO_MIXED.probabilities() * (1 - n / N)
        q[TWO_MIXED.probabilities().argmax()] += n / N
        lost = N * np.sum(
            TWO_MIXED.probabilities() * np.log(TWO_MIXED.probabilities() / q)
        )
        assert lost == pytest.approx((1 - p) / (2 * p) * n**2 / N, rel=0.01)
        R = partial.small_component(N, [0.0, n])
        misfits = partial.misfits(R, N * TWO_MIXED.probabilities())
        assert 0 < misfits[1] - misfits[0] < lost
    scaled = []
    for N in (1e4, 1e8):
        R = partial.contaminated(N, [0.0, N**0.5])
        misfits = partial.misfits(R, N * ONE_OF_EACH.probabilities())
        scaled.append(misfits[1] - misfits[0])
    assert 0.5 < scaled[1] / scaled[0] < 2


def test_without_the_misfit_the_prior_charges_its_slope():
    """A straight line in log n."""
    found = partial.balance(partial.small_component, TWO_MIXED, 1e9, 2.0, 0.1)
    line = np.polyfit(np.log(found.people)[15:30], found.prior[15:30], 1)
    assert line[0] == pytest.approx(0.5 - 2 + 4 * 0.1, abs=0.02)
    found = partial.balance(partial.contaminated, ONE_OF_EACH, 1e9, 2.0, 0.9)
    line = np.polyfit(np.log(found.people)[15:30], found.prior[15:30], 1)
    assert line[0] == pytest.approx(4 * (0.5 - 0.9), abs=0.02)


def test_the_best_number_follows_the_root_of_N():
    best = []
    for N in (1e4, 1e7):
        found = partial.balance(partial.small_component, TWO_MIXED, N, 2.0, 0.1)
        assert found.F_of_best <= found.F.min()
        best.append(found.best)
    assert best[0] == pytest.approx(77.6, abs=0.2)
    assert best[1] == pytest.approx(2545, abs=5)
    best = []
    for N in (1e4, 1e8):
        found = partial.balance(partial.contaminated, ONE_OF_EACH, N, 2.0, 1.0)
        best.append(found.best)
    assert best[1] / best[0] == pytest.approx(106, abs=1)
    found = partial.balance(partial.contaminated, ONE_OF_EACH, 1e8, 2.0, 0.3)
    assert found.best == 0 and found.F.min() > 0


def test_nobody_moves_any_more_where_vb_has_ended():
    """An earlier end, after 400 sweeps, had 229 people in place of 223."""
    found = partial.lowest_found(ONE_OF_EACH, 1e6, 2.0, 0.8, sweeps=30_000)
    assert found.counts[1] == pytest.approx(400_223.3, abs=0.1)
    found = partial.lowest_found(TWO_MIXED, 1e4, 2.0, 0.1, sweeps=30_000)
    assert found.counts[2] == pytest.approx(139.4, abs=0.1)


def test_an_explorer_shows_where_vb_ends():
    """After 1,000 sweeps there were 1,908 people in place of 2,115."""
    shown = lecture.PlaneWithout().compute(3.0, 0.1, 6.0)[1]
    end = partial.lowest_found(TWO_MIXED, 1e6, 3.0, 0.1, sweeps=100_000)
    assert shown.counts[2] == pytest.approx(end.counts[2], abs=0.5)
    assert end.counts[2] == pytest.approx(2115, abs=0.5)


def test_outcomes_along_a_line_of_the_map():
    outcomes = []
    for alpha in (1.0, 2.0, 3.1, 3.2, 5.0):
        outcomes.append(partial.lowest_found(TWO_MIXED, 1e6, alpha, 0.1).outcome)
    assert outcomes == ["empty", "small", "small", "part", "part"]
    assert partial.lowest_found(TWO_MIXED, 1e6, 4.0, 0.9).outcome == "mixed"


def test_the_map_approaches_its_lines():
    alphas = lecture.ALPHAS[:, None]
    betas = lecture.BETAS[None]
    slopes = [
        0 * alphas * betas,
        2.5 - alphas + 0 * betas,
        1.5 - alphas + 2 * betas,
        (0.5 - alphas + 4 * betas) / 2,
    ]
    by_lines = np.argmin(slopes, axis=0)
    agree = [np.mean(lecture.cheapest(10.0**power) == by_lines) for power in (3, 6, 9)]
    assert agree == sorted(agree)
    assert agree[2] > 0.94


@pytest.mark.parametrize("alpha", [0.7, 3.0])
def test_prices_of_the_map_are_differences_of_F(alpha):
    N = 1e4
    counts = N * TWO_MIXED.probabilities()
    apart = partial.labels_apart(TWO_MIXED)
    (R,) = partial.small_component(N, [50.0])
    F = partial.free_energies(np.array([apart, R]), counts, alpha, 0.2)
    way = lecture.division(apart, R, counts)
    assert way.price([alpha], [0.2])[0, 0] == pytest.approx(F[1] - F[0], abs=1e-6)


def test_exact_prices_grow_like_their_slopes():
    alpha = 1.7
    beta = 0.2
    slopes = {"mixed": 2.5 - alpha, "part": 1.5 - alpha + 2 * beta}
    slopes["small"] = (0.5 - alpha + 4 * beta) / 2
    for name, slope in slopes.items():
        prices = []
        for N in (1e9, 1e12):
            each = [way.price([alpha], [beta]) for way in lecture.divisions(N)[name]]
            prices.append(np.min(each))
        measured = (prices[1] - prices[0]) / np.log(1000)
        assert measured == pytest.approx(slope, abs=0.01)


@pytest.mark.parametrize(
    ("alpha", "beta"), [(0.4, 0.3), (3.6, 0.2), (2.0, 0.1), (4.0, 0.9), (1.0, 0.8)]
)
def test_what_vb_finds_is_what_the_theory_predicts_and_the_map_shows(alpha, beta):
    N = 1e8
    outcome = partial.lowest_found(TWO_MIXED, N, alpha, beta).outcome
    names = {"empty": "empty", "interior": "mixed", "cut": "part"}
    names["small vertex"] = "small"
    assert names[predict(4, 3, 2, 0, alpha, beta).redundant[0]] == outcome
    i = abs(lecture.ALPHAS - alpha).argmin()
    j = abs(lecture.BETAS - beta).argmin()
    assert lecture.PHASES[lecture.cheapest(N)[i, j]] == outcome


def test_a_part_needs_no_misfit():
    """It describes its kind by the sum of two components."""
    counts = 1e4 * TWO_MIXED.probabilities()
    apart = partial.labels_apart(TWO_MIXED)
    for question in range(4):
        part = apart.copy()
        part[:, 2] = apart[:, 0] * SHEETS[:, question]
        part[:, 0] -= part[:, 2]
        misfits = partial.misfits(np.array([apart, part]), counts)
        assert misfits[1] == pytest.approx(misfits[0], abs=1e-6)


def test_small_components_in_samples_have_sizes_by_chance():
    samples = lecture.samples_of(10_000, 12, 1)
    assert samples.outcomes.count("small") > 6
    assert samples.held.max() > 1.5 * samples.held.min()


@pytest.mark.parametrize(("alpha", "beta"), [(2.0, 0.1), (3.0, 0.3), (0.6, 0.1)])
def test_three_questions_are_too_few(alpha, beta):
    """A component of fixed share without a misfit costs 4 beta - alpha."""
    truth = Truth(np.array([0.5, 0.5]), np.array([[0.2, 0.3, 0.8], [0.8, 0.6, 0.35]]))
    sheets = binary_vectors(3)
    rows = BetaBernoulli(3).statistics(sheets)
    vertices = [with_a_vertex(truth, sheet)[1] for sheet in range(8)]
    prices = []
    for N in (1e6, 1e9):
        counts = N * truth.probabilities()
        states = [(R * counts[:, None]).T @ rows for R in vertices]
        starts = np.concatenate([states, structured_starts(truth, 3, N)[1]])
        ends = solve(counts, starts, alpha, beta, max_iterations=30_000)
        joint = truth.joint(sheets)
        apart = np.column_stack([joint / joint.sum(axis=1, keepdims=True), np.zeros(8)])
        mixture = Mixture(BetaBernoulli(3, beta), Dirichlet(alpha))
        F_apart = free_energy_terms(mixture, sheets, apart, counts).sum()
        prices.append(ends.free_energy.min() - F_apart)
    slope = (prices[1] - prices[0]) / np.log(1000)
    assert slope == pytest.approx(4 * beta - alpha, abs=0.02)
    by_list = min(0, 2 - alpha, 1 + 2 * beta - alpha, (0.5 - alpha + 3 * beta) / 2)
    assert slope < by_list - 0.1


def test_with_three_questions_four_answers_become_deterministic():
    """Those of a deterministic component and one more, or cheaper, spread over three."""
    truth = Truth(np.array([0.5, 0.5]), np.array([[0.2, 0.3, 0.8], [0.8, 0.6, 0.35]]))
    N = 1e4
    counts = N * truth.probabilities()
    rows = BetaBernoulli(3).statistics(binary_vectors(3))
    vertices = [with_a_vertex(truth, sheet)[1] for sheet in range(8)]
    states = np.array([(R * counts[:, None]).T @ rows for R in vertices])
    prices = []
    most = []
    for starts in (states, structured_starts(truth, 3, N)[1]):
        ends = solve(counts, starts, 2.0, 0.1, max_iterations=30_000)
        lowest = ends.free_energy.argmin()
        S = ends.S[lowest]
        certain = np.minimum(S[:, 1:4], S[:, 4:]) < 1
        assert certain.sum() == 4
        most.append(certain.sum(axis=1).max())
        prices.append(ends.free_energy[lowest])
    assert most == [3, 2]
    assert prices[1] < prices[0] - 1


def test_status_and_pictures():
    explorer = lecture.TwoMixedKinds()
    explorer.set(concentration=3.5, pseudo_count=0.2)
    assert "a part of a mixed kind; it holds 150,007 people" in explorer.status
    explorer = lecture.Contamination()
    explorer.set(pseudo_count=0.3)
    assert explorer.status.endswith("it is lowest with nobody.")
    alt = lecture.picture_of_found(TWO_MIXED, 1e4, 2.0, 0.1).alt
    assert "139 people with 0.00, 0.00, 1.00, 1.00" in alt
    alt = lecture.picture_of_found(ONE_OF_EACH, 1e6, 2.0, 0.8).alt
    assert "400,223 people" in alt and "empty" in alt


def test_both_readings_have_the_frequencies_of_the_sheets():
    sheets = binary_vectors(3)
    frequencies = []
    for weights, yes in (lecture.THREE_KINDS, lecture.TWO_KINDS):
        used = weights > 0
        truth = Truth(weights[used], yes[used].astype(float))
        frequencies.append(truth.joint(sheets).sum(axis=1))
    assert np.allclose(*frequencies)


def test_answers():
    three, two = two_readings(1.0, 0.1)
    assert three - two == pytest.approx(4 * 0.1 - 1.0)
    p = 0.16
    n = best_size(1e6, p, -1.1)
    assert (1 - p) / p * n**2 / 1e6 == pytest.approx(1.1)  # the sum does not change
    before = coefficient([1.0], [[0.0] + [1.0] * 3], 3.5, 0.2)
    after = coefficient([1.0, 1.0], [[0.0] * 2 + [1.0] * 2] * 2, 3.5, 0.2)
    change = after - before - 3.5  # the engine adds the concentration once a component
    assert slope_of_division(4, 2, 3.5, 0.2) == pytest.approx(change)
    assert slope_of_division(4, 1, 3.5, 0.2) == pytest.approx(-1.6)
