"""Lecture 06a: its search ends where that of the engine does, and its sums by hand are those
of the engine."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from vbkit.course import lecture_06a as lecture
from vbkit.course.answers_06a import split_gain, wall
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch
from vbkit.mixture import Mixture
from vbkit.structure import learn_batch, run_search, start_search

X = lecture.points()
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("begin", lecture.BEGINNINGS)
def test_the_search_ends_where_the_engine_s_search_does(begin):
    start = lecture.random_start(X, begin)
    learn = partial(learn_batch, max_epochs=20_000, tolerance=lecture.STILL)
    rng = np.random.default_rng(0)
    first = start_search(
        partial(lecture.circles, X), X, start, rng, learn=learn, candidates=1
    )
    expected = run_search(first, 40)
    assert expected.finished
    found = lecture.course_from(begin).kept[-1]
    elbos = [record.elbo for record in expected.records if record.accepted]
    assert found.elbo == pytest.approx(max(elbos), abs=1e-4)


def test_a_search_tries_all_changes_of_each_model_and_keeps_the_best():
    course = lecture.course_from(5)
    kinds = [one.kind for one in course.attempts]
    first = ["split"] * 5 + ["merge"] * 10
    assert kinds == first + ["split"] * 4 + ["merge"] * 6
    elbos = [fit.elbo for fit in course.tried[1:16]]
    assert [len(fit.S) for fit in course.kept] == [5] * 15 + [4] * 11
    assert course.kept[-1].elbo == max(elbos)
    for one in course.attempts:
        assert one.before <= one.gain + 1e-6  # learning never lowers a gain


def test_learning_stops_well_within_what_is_accepted():
    for begin in lecture.BEGINNINGS:
        for fit in lecture.course_from(begin).tried:
            closer = fit_batch(fit.mixture, X, fit.S, max_epochs=20_000, tolerance=1e-9)
            assert closer.elbo - fit.elbo < lecture.ENOUGH / 100


@pytest.mark.parametrize(
    ("size", "distance"), [(1, 0.5), (4, 2.0), (30, 1.3), (200, 0.5)]
)
def test_a_split_of_two_heaps_gains_what_the_engine_says(size, distance):
    mixture = Mixture(KnownCovariance(np.zeros(1), 4.0), Dirichlet(1.0))
    right = distance + lecture.heap(size)
    bolts = np.concatenate([-right, right])[:, None]
    apart = np.repeat(np.eye(2), size, axis=0)
    together = mixture.elbo_of_responsibilities(bolts, np.ones((2 * size, 1)))
    gain = mixture.elbo_of_responsibilities(bolts, apart) - together
    assert lecture.parts_of_split(size, distance).gain == pytest.approx(gain)
    fit = fit_batch(
        mixture, bolts, mixture.m_step(bolts, apart), max_epochs=5000, tolerance=1e-9
    )
    after, mean = lecture.gain_after_learning(size, distance, sweeps=5000)
    assert after == pytest.approx(fit.elbo - together, abs=1e-4)
    _, components = mixture.parameters(fit.S)
    assert abs(mean) == pytest.approx(np.abs(components.mean).max(), abs=1e-3)


def test_learning_turns_a_loss_into_a_gain_between_two_distances():
    before, after = lecture.curves_of_split()
    assert (after >= before - 1e-9).all()  # learning never lowers a gain
    between = (before < 0) & (after > 0)
    assert lecture.DISTANCES[between].min() == pytest.approx(0.65)
    assert lecture.DISTANCES[between].max() == pytest.approx(1.2)
    assert after[0] < 0  # heaps that lie on each other


def test_before_learning_a_split_pays_from_a_distance_of_1_18_on():
    for n, d in ((1, 0.5), (4, 2.0), (100, 1.0)):
        assert split_gain(n, d) == pytest.approx(lecture.parts_of_split(n, d).gain)
    border = np.sqrt(2 * np.log(2))
    assert round(border, 2) == 1.18
    for n in (10**4, 10**6):
        per_bolt = split_gain(n, 0.5) / (2 * n)
        assert per_bolt == pytest.approx(0.125 - np.log(2), abs=20 / n)
    assert split_gain(10**6, border - 0.01) < 0 < split_gain(10**6, border + 0.01)


def test_the_evidence_says_what_the_page_says_of_a_hundred_data_sets():
    stored = json.loads((ROOT / "figures/data/sato2000-selection.json").read_text())
    wanted = {"data": "A", "model": "isotropic", "beta": 0.3}
    rows = [row for task, row in stored["results"] if wanted.items() <= task.items()]
    assert len(rows) == 100
    direct = np.array([row["direct"] for row in rows])
    ends = np.array([row["n_components"] for row in rows])[:, 0]  # batch: begin, chance
    best = 1 + direct.argmax(axis=1)
    wall = (best > 2) & (direct[:, 1] + lecture.ENOUGH > direct[:, 2])
    assert wall.sum() == 28 and (ends[wall, 0, 0] == 2).all()
    assert (ends[wall, 1, 0] == best[wall]).all()
    found = (ends[:, 0] == best[:, None]).sum(axis=0)
    assert found.tolist() == [71, 99]  # gains only, and with a temperature of 3.3 nats
    assert (ends[:, 1, 0] == best).sum() == 91  # gains only, from ten circles
    stopped = direct[ends[:, 0, 0] != best]
    assert round((stopped[:, 1] - stopped[:, 2]).max(), 1) == 4.6  # the highest wall
    visits = np.median([row["visits"] for row in rows], axis=0)[0, 0]
    assert round(visits[1] / visits[0]) == 4  # how much more chance costs
    assert all(row["attempts"][0][0][1] == 40 for row in rows)


def test_a_wall_is_negative_where_three_heaps_are_plain():
    rng = np.random.default_rng(0)
    heaps = []
    for centre in ([0, 0], [9, 0], [0, 9]):
        heaps.append(centre + 0.3 * rng.standard_normal((40, 2)))
    assert wall(np.concatenate(heaps), starts=4) < -50
    assert wall(0.3 * rng.standard_normal((60, 2)), starts=4) > 0


def test_statuses_and_alternative_texts():
    heaps = lecture.SplitTwoHeaps()
    heaps.set(distance=1.0)
    assert "Gain before learning -44.0, after learning +26.9" in heaps.status
    follow = lecture.FollowTheSearch()
    assert "5 components" in follow.status
    follow.set(attempt=14)
    assert "Kept: 5 components" in follow.status
    follow.set(attempt=15)
    assert "Change 15: merge" in follow.status
    assert "Kept: 4 components" in follow.status
    follow.set(attempt=25)
    assert "Kept: 4 components" in follow.status and "is over" in follow.status
    follow.set(begin=2)
    assert "Kept: 2 components" in follow.status and "Change 3" in follow.status
    assert (
        "Two circles"
        in lecture.picture_of_models(X, [lecture.best_fit(X, 2)], ["Two circles"]).alt
    )
