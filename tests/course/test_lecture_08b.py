"""Lecture 08b: its map is made of exact prices, VB keeps to it away from borders, and what
the third component holds jumps where the lowest free energy has a kink."""

import numpy as np
import pytest

from vbkit.course import lecture_08b as lecture
from vbkit.course.answers_08b import deterministic_below, mixed_border
from vbkit.course.people import KINDS, exact_prices, lowest_end
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors
from vbkit.theory import phase_lines, switch_concentration


@pytest.mark.parametrize("N", [1e3, 1e6])
@pytest.mark.parametrize(("alpha", "beta"), [(2.0, 0.1), (4.0, 0.8), (0.7, 0.5)])
def test_prices_on_a_grid_are_the_exact_prices(N, alpha, beta):
    ways = lecture.divisions(N)
    expected = exact_prices(N, alpha, beta)
    for name in ("mixed", "deterministic"):
        found = ways[name].price(np.array([[alpha], [1.0]]), [beta, 0.3])[0, 0]
        assert found == pytest.approx(getattr(expected, name))


@pytest.mark.parametrize(("kind", "k"), [("mixed", 0), ("deterministic", 1)])
def test_the_border_among_N_people_is_where_two_copies_cost_nothing(kind, k):
    N = 1e5
    n = N * KINDS.weights[k]
    yes = n * KINDS.means[k]
    S = np.concatenate([[n], yes, n - yes])
    alpha = switch_concentration(BetaBernoulli(4, 0.3), S)
    assert getattr(exact_prices(N, alpha, 0.3), kind) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(("alpha", "beta"), [(2.0, 0.1), (3.0, 0.8)])
def test_the_price_of_a_part_grows_like_its_slope(alpha, beta):
    prices = []
    for N in (1e6, 1e9):
        prices.append(lecture.divisions(N)["part"].price(alpha, beta))
    slope = (prices[1] - prices[0]) / np.log(1e3)
    # one more weight; two of eight mixed answers have become deterministic
    assert slope == pytest.approx(1.5 - alpha + 2 * beta, abs=1e-3)


@pytest.mark.parametrize("place", [(1.0, 0.8), (4.0, 0.8), (4.0, 0.1), (2.0, 0.1)])
def test_vb_keeps_to_the_map_away_from_borders(place):
    N = 1e3
    alpha, beta = place
    i = abs(lecture.ALPHAS - alpha).argmin()
    j = abs(lecture.BETAS - beta).argmin()
    wanted = lecture.PHASES[lecture.cheapest(N)[i, j]]
    assert lowest_end(N, alpha, beta).outcome == wanted


def test_the_map_approaches_the_lines():
    slopes = [
        0 * np.add.outer(lecture.ALPHAS, lecture.BETAS),
        np.add.outer(2.5 - lecture.ALPHAS, 0 * lecture.BETAS),
        np.add.outer(0.5 - lecture.ALPHAS, 4 * lecture.BETAS),
    ]
    by_lines = np.argmin(slopes, axis=0)
    agree = [np.mean(lecture.cheapest(10.0**power) == by_lines) for power in (3, 6, 9)]
    assert agree == sorted(agree)
    assert agree[0] < 0.93 and agree[2] > 0.95


def test_two_minima_change_places_at_the_border_of_the_mixed_copy():
    walked = lecture.walk()
    jumps = np.flatnonzero(np.diff(walked.lowest) > 50)
    assert lecture.WALK[jumps].tolist() == [2.54]
    (at,) = jumps
    assert walked.lowest[at] == pytest.approx(5.68, abs=0.01)
    assert walked.lowest[at + 1] == pytest.approx(118.6, abs=0.1)
    both = np.flatnonzero(walked.apart)
    assert lecture.WALK[both].tolist() == pytest.approx(np.arange(2.47, 2.585, 0.01))
    change = (walked.F_used - walked.F_nearly_empty)[both]
    assert np.all(np.diff(change) < -0.02)  # it falls through zero, and does not turn


def test_the_two_minima_are_those_of_the_mixture():
    """Neither moves any more, although VB is slow there."""
    walked = lecture.walk()
    at = np.flatnonzero(lecture.WALK == 2.55)[0]
    ends = lowest_end(1e3, 2.55, lecture.WALK_BETA)
    assert walked.F_used[at] <= ends.free_energy + 1e-6
    assert walked.F_used[at] < walked.F_nearly_empty[at] - 0.02


def test_the_status_of_the_walk():
    explorer = lecture.CrossTheBorder()
    assert explorer.status.endswith(
        "holds 2.6 of a thousand people; there is one minimum."
    )
    explorer.set(concentration=2.55)
    assert explorer.status.endswith(
        "119 of a thousand people; there are two local minima."
    )


def test_a_part_is_cheapest_between_the_two_copies_and_less_so_as_N_grows():
    """With the question along which VB divides the mixed kind."""
    i = abs(lecture.ALPHAS - 4).argmin()
    green = []
    for power in (3, 4, 6):
        at = lecture.cheapest(10.0**power)[i] == lecture.PHASES.index("part")
        green.append(at.sum())
    assert green[0] > green[1] > green[2] > 0
    j = abs(lecture.BETAS - 0.42).argmin()
    assert lecture.PHASES[lecture.cheapest(1e3)[i, j]] == "part"
    assert lowest_end(1e3, 4.0, 0.42).outcome == "part"


def test_borders():
    for alpha in (0.3, 1.3, 2.0, 4.0):
        beta = deterministic_below(alpha, 4)
        lines = phase_lines(4, 1, 1, lecture.ALPHA_MAX, lecture.BETA_MAX)
        heights = []
        for ends in lines.values():
            ends = ends[np.argsort(ends[:, 0])]
            if ends[0, 0] < alpha < ends[1, 0]:
                heights.append(np.interp(alpha, *ends.T))
        assert beta == pytest.approx(min(heights) if heights else 0.0)
    assert exact_prices(1e5, mixed_border(1e5, 0.7), 0.7).mixed == pytest.approx(
        0, abs=1e-6
    )


def test_the_students_are_those_of_the_table():
    assert lecture.STUDENTS.sum() == 319
    sheets = binary_vectors(4)[:, ::-1]
    assert (lecture.STUDENTS @ sheets).tolist() == [34, 38, 21, 68]
    kinds = lecture.kinds_of_students(1.0, 1.0)
    assert kinds.counts.sum() == pytest.approx(319, abs=1)
    raw = kinds.answers * (kinds.counts[:, None] + 2) - 1  # the numbers of yes
    assert raw.sum(axis=0) == pytest.approx([34, 38, 21, 68], abs=1)


def test_more_of_the_prior_makes_more_kinds():
    for beta in lecture.STUDENT_BETAS:
        numbers = []
        for alpha in lecture.STUDENT_ALPHAS:
            numbers.append(len(lecture.kinds_of_students(alpha, beta).counts))
        assert numbers[:2] == [2, 2]
        assert numbers[2] >= 3 and numbers[3] >= 3
