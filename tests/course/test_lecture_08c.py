"""Lecture 08c: what VB pays for a component too many is what the structures cost."""

import numpy as np
import pytest

from vbkit.course import lecture_08c as lecture
from vbkit.course import partial_structures as partial
from vbkit.course.answers_08c import best_size, slope_of_division
from vbkit.course.few_questions import with_a_vertex
from vbkit.course.partial_structures import TWO_MIXED
from vbkit.course.people import SHEETS
from vbkit.data import Truth
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.phases import solve, structured_starts
from vbkit.theory import coefficient, free_energy_terms, predict


def slope_of_vb(alpha, beta):
    few = partial.price_of_vb(1e6, alpha, beta)
    many = partial.price_of_vb(1e9, alpha, beta)
    return (many - few) / np.log(1000)


@pytest.mark.parametrize(
    ("alpha", "beta", "slope"),
    [
        (3.5, 0.2, -1.6),  # a part
        (4.0, 0.8, -1.5),  # a mixed copy
        (2.0, 0.1, -0.55),  # a small component
        (0.4, 0.3, 0.0),  # empty
    ],
)
def test_vb_pays_the_lowest_slope(alpha, beta, slope):
    assert slope_of_vb(alpha, beta) == pytest.approx(slope, abs=0.02)
    apart = coefficient([1, 1, 0], [[1] * 4, [1] * 4, [0] * 4], alpha, beta)
    lowest = predict(4, 3, 2, 0, alpha, beta).coefficient - apart
    assert lowest == pytest.approx(slope, abs=1e-12)


def test_changes_of_F_are_those_of_the_mixture():
    N = 1e4
    counts = N * TWO_MIXED.probabilities()
    R = partial.small_component(N, np.array([0.0, 3.0, 80.0]))
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


def test_without_the_misfit_the_prior_charges_its_slope():
    """A straight line in log n."""
    found = partial.balance(1e9, 2.0, 0.1)
    line = np.polyfit(np.log(found.people)[15:30], found.prior[15:30], 1)
    assert line[0] == pytest.approx(0.5 - 2 + 4 * 0.1, abs=0.02)


def test_the_best_number_follows_the_root_of_N():
    best = []
    for N in (1e4, 1e7):
        found = partial.balance(N, 2.0, 0.1)
        assert found.F_of_best <= found.F.min()
        best.append(found.best)
    assert best[0] == pytest.approx(77.6, abs=0.2)
    assert best[1] == pytest.approx(2545, abs=5)


def test_nobody_moves_any_more_where_vb_has_ended():
    found = partial.lowest_found(1e4, 2.0, 0.1, sweeps=30_000)
    assert found.counts[2] == pytest.approx(139.4, abs=0.1)


@pytest.mark.parametrize(
    ("alpha", "beta", "outcome"),
    [
        (0.5, 0.05, "empty"),
        (1.0, 0.8, "empty"),
        (1.8, 0.1, "small"),
        (2.0, 0.1, "small"),
        (3.0, 0.1, "small"),
        (3.5, 0.2, "part"),
        (5.0, 0.05, "part"),
        (3.0, 0.35, "part"),
        (4.0, 0.9, "mixed"),
        (5.0, 0.6, "mixed"),
    ],
)
def test_an_explorer_shows_where_vb_ends(alpha, beta, outcome):
    """From its few starts and sweeps, as from all starts and ten times the sweeps."""
    shown = lecture.TwoMixedKinds().compute(alpha, beta)
    counts = lecture.PEOPLE * TWO_MIXED.probabilities()
    _, starts = structured_starts(TWO_MIXED, 3, lecture.PEOPLE)
    ends = solve(counts, starts, alpha, beta, max_iterations=30_000)
    best = ends.free_energy.argmin()
    end = partial.largest_first(ends.S[best], ends.free_energy[best])
    assert shown.outcome == end.outcome == outcome
    if outcome == "mixed":  # two copies share their people in ways of nearly the same F
        assert shown.free_energy == pytest.approx(end.free_energy, abs=0.5)
    else:
        assert shown.counts == pytest.approx(end.counts, abs=0.5)


@pytest.mark.parametrize("alpha", [1.0, 2.0, 3.5])
@pytest.mark.parametrize("beta", [0.1, 0.6])
def test_the_second_mixed_kind_is_a_mirror_image_of_the_first(alpha, beta):
    _, starts = structured_starts(TWO_MIXED, 3, 1e4)
    few = partial.starts_of(1e4)
    assert 2 * len(few) == len(starts) + 1  # the empty start has no mirror image
    counts = 1e4 * TWO_MIXED.probabilities()
    lowest = []
    for some in (few, starts):
        ends = solve(counts, some, alpha, beta, max_iterations=3_000)
        lowest.append(ends.free_energy.min())
    assert lowest[0] == pytest.approx(lowest[1], abs=1e-6)


@pytest.mark.parametrize(
    ("alpha", "beta"), [(0.4, 0.3), (3.6, 0.2), (2.0, 0.1), (4.0, 0.9), (1.0, 0.8)]
)
def test_what_vb_finds_is_what_the_theory_predicts(alpha, beta):
    found = partial.lowest_found(1e8, alpha, beta, sweeps=10_000)
    names = {"empty": "empty", "interior": "mixed", "cut": "part"}
    names["small vertex"] = "small"
    assert names[predict(4, 3, 2, 0, alpha, beta).redundant[0]] == found.outcome


def test_a_part_needs_no_misfit():
    """It describes its kind by the sum of two components."""
    counts = 1e4 * TWO_MIXED.probabilities()
    apart = partial.labels_apart()
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
    assert "a part of a mixed kind; it holds 1,507 people" in explorer.status
    explorer = lecture.SmallComponent()
    explorer.set(concentration=0.5)
    assert explorer.status.endswith("it is lowest with nobody.")
    alt = lecture.picture_of_found(1e4, 2.0, 0.1).alt
    assert "139 people with 0.00, 0.00, 1.00, 1.00" in alt


def test_answers():
    p = 0.16
    n = best_size(1e6, p, -1.1)
    assert (1 - p) / p * n**2 / 1e6 == pytest.approx(1.1)  # the sum does not change
    before = coefficient([1.0], [[0.0] + [1.0] * 3], 3.5, 0.2)
    after = coefficient([1.0, 1.0], [[0.0] * 2 + [1.0] * 2] * 2, 3.5, 0.2)
    change = after - before - 3.5  # the engine adds the concentration once a component
    assert slope_of_division(4, 2, 3.5, 0.2) == pytest.approx(change)
    assert slope_of_division(4, 1, 3.5, 0.2) == pytest.approx(-1.6)


def test_misfit_that_is_left():
    """A third of the formula is left if the kinds learn once, and a twelfth if they adapt."""
    N = 1e8
    p = TWO_MIXED.probabilities()
    largest = p.argmax()
    formula = (1 - p[largest]) / (2 * p[largest])
    counts = N * p
    held = np.array([0.0, 2e4])
    lost = partial.misfits(partial.small_component(N, held), counts)
    assert formula / ((lost[1] - lost[0]) / (2e4**2 / N)) == pytest.approx(
        3.13, abs=0.01
    )
    # what other weights and answers of the two kinds cannot make up for
    columns = []
    joint = TWO_MIXED.joint(SHEETS)
    for kind, means in enumerate(TWO_MIXED.means):
        columns.append(joint[:, kind])
        for question, mean in enumerate(means):
            slope = (SHEETS[:, question] - mean) / (mean * (1 - mean))
            columns.append(joint[:, kind] * slope)
    toward = (np.eye(len(p))[largest] - p) / np.sqrt(p)
    ways = np.array(columns).T / np.sqrt(p)[:, None]
    rest = toward - ways @ np.linalg.lstsq(ways, toward)[0]
    assert toward @ toward / 2 == pytest.approx(formula)
    left = rest @ rest / 2
    assert formula / left == pytest.approx(11.7, abs=0.05)
    found = partial.lowest_found(N, 2.0, 0.1, sweeps=partial.ENOUGH_SWEEPS)
    assert found.counts[2] / np.sqrt(1.1 * N / (2 * left)) == pytest.approx(1, abs=0.01)
