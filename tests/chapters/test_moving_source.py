"""What follows a moving source lags and scatters as theory says for certain labels."""

import numpy as np
import pytest

from vbkit.chapters import moving_source as chapter
from vbkit.chapters.moving_source import answers, tracking
from vbkit.learning import fit_online, sato2000


def test_a_track_in_pieces_is_the_whole_stream():
    found = chapter.track(100.0, 1.0, 4.0)
    path = 1e-3 * (np.arange(tracking.LENGTH) - tracking.LENGTH / 2)
    assert np.allclose(found["truth"][-1], path[-1] + np.array([-2, 2]))
    start = tracking.TARGET.family.state(
        np.full(2, 500.0), (path[0] + np.array([[-2.0], [2.0]])), np.ones((2, 1, 1))
    )
    schedule = sato2000(1000, tau0=100.0, kappa=0.0)
    fit = fit_online(
        tracking.TARGET, found["X"][:, None], start, schedule, monitor=False
    )
    assert np.allclose(found["centres"][-1, 0], fit.S[:, 1] / fit.S[:, 0], rtol=1e-9)
    assert fit.schedule.memory == pytest.approx(100)  # the memory stays


@pytest.mark.parametrize("memory, speed", [(100.0, 1.0), (100.0, 3.0), (320.0, 0.1)])
def test_lag_and_noise_are_those_of_theory_for_components_far_apart(memory, speed):
    found = chapter.track(memory, speed, 9.0)
    lag, noise = chapter.errors(found["centres"], found["truth"])
    expected = chapter.theory(memory, speed / 1000)
    spread = expected[1] / np.sqrt(
        tracking.STREAMS * 2 * tracking.LENGTH / 4 / (2 * memory)
    )  # of the mean over streams and time
    assert abs(lag - expected[0]) < 4 * spread
    assert noise == pytest.approx(expected[1], rel=0.2)


def test_the_best_memory_is_where_theory_is_least():
    memories = np.linspace(20, 200, 18_001)
    total = np.hypot(*chapter.theory(memories, 1e-3))
    assert memories[total.argmin()] == pytest.approx(
        tracking.best_memory(1e-3), rel=0.01
    )


def test_labels_that_are_uncertain_lengthen_the_lag():
    near, far = (
        chapter.errors(f["centres"], f["truth"])[0]
        for f in (chapter.track(100.0, 1.0, s) for s in (2.5, 6.0))
    )
    assert near > 3 * far


@pytest.mark.parametrize("speed, machines", [(1e-3, 2), (3e-4, 5)])
def test_the_best_memory_of_exercise_2(speed, machines):
    memories = np.geomspace(10, 2000, 40_001)
    squares = (speed * memories) ** 2 + machines / (2 * memories)
    best, error = answers.best_memory(speed, machines)
    assert best == pytest.approx(memories[squares.argmin()], rel=1e-3)
    assert error == pytest.approx(np.sqrt(squares.min()))
    assert machines / (2 * best) == pytest.approx(2 / 3 * error**2)
    if machines == 2:
        assert best == pytest.approx(tracking.best_memory(speed))


@pytest.mark.parametrize("exercise", [answers.exercise_1, answers.exercise_2])
def test_the_exercises_accept_their_references_and_recognise_mistakes(exercise):
    assert exercise(exercise.reference).passed
    for mistake in exercise.mistakes:
        said = " ".join(repr(exercise(mistake)).split())
        assert " ".join(mistake.__doc__.split()) in said
