"""A stream whose components appear and vanish: what the tracker does with each window, and that it
can be resumed."""

import pickle
import re

import numpy as np
import pytest
from oracles import close

from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.structure import Tracker, track

pytestmark = pytest.mark.filterwarnings("error")
WINDOWS = [
    np.random.default_rng(n).normal(size=(60, 2)) + [6 * (n % 2), 0] for n in range(4)
]
FIXED = Mixture(IsotropicGaussian([2.0, 2.0], 0.1, 1.0, 1.0), Dirichlet(1.0))
NOTHING = np.zeros((1, 4))


def test_a_window_without_attempts_is_discounted_learning():
    start = FIXED.m_step(WINDOWS[0], np.eye(2)[np.arange(60) % 2])
    tracker = Tracker(FIXED, start, np.random.default_rng(0), memory=50, attempts=0)
    S, seen = tracker.S, np.concatenate(WINDOWS)
    for window in WINDOWS:
        tracker = track(tracker, window)
    for x in seen:
        S = 0.98 * S + FIXED.responsibilities(x[None], S).T @ FIXED.family.statistics(
            x[None]
        )
    close(tracker.S, S)
    assert tracker.records == () and tracker.n_components == 2
    close(tracker.window, seen[-240:])
    close(tracker.weights, 0.98 ** np.arange(239, -1, -1.0))
    close(tracker.elbo, FIXED.elbo(seen, S, 0.98 ** np.arange(239, -1, -1.0)))


def test_the_window_forgets():
    tracker = Tracker(FIXED, NOTHING, np.random.default_rng(0), memory=20)
    for window in WINDOWS:
        tracker = track(tracker, window)
    close(tracker.window, np.concatenate(WINDOWS)[-160:])
    assert abs(tracker.weights.sum() / 20 - 1) < 0.01


def stream(seed):
    """Two clusters, then three, then one of them."""
    rng, centres = np.random.default_rng(seed), np.array([[0.0, 0], [5, 0], [0, 5]])
    for present in [[0, 1]] * 12 + [[0, 1, 2]] * 12 + [[2]] * 20:
        yield centres[rng.choice(present, 50)] + 0.7 * rng.normal(size=(50, 2))


@pytest.mark.parametrize("temperature", [None, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_components_appear_and_vanish(seed, temperature):
    tracker, n_components, halfway = (
        Tracker(
            FIXED,
            NOTHING,
            np.random.default_rng(seed),
            memory=150,
            temperature=temperature,
        ),
        [],
        None,
    )
    for n, window in enumerate(stream(seed)):
        tracker = track(tracker, window)
        n_components.append(tracker.n_components)
        halfway = tracker if n == 20 else halfway
    if temperature is None:
        assert (n_components[11], n_components[23], n_components[-1]) == (2, 3, 1)
    else:  # chance goes on from window to window
        assert (
            tracker.rng.bit_generator.state
            != np.random.default_rng(seed).bit_generator.state
        )
    assert abs(tracker.S[:, 0].sum() / 150 - 1) < 0.01
    again = pickle.loads(pickle.dumps(halfway))
    for window in [*stream(seed)][21:]:
        again = track(again, window)
    assert (again.S == tracker.S).all() and repr(again) == repr(tracker)


def test_a_stream_of_one_point():
    tracker = Tracker(FIXED, NOTHING, np.random.default_rng(0), memory=30)
    for _ in range(5):
        tracker = track(tracker, np.ones((20, 2)))
    assert tracker.n_components == 1 and tracker.records == ()


RNG, X = np.random.default_rng(0), np.ones((5, 2))
BAD = {
    "attempts is 1.5": lambda: Tracker(FIXED, NOTHING, RNG, attempts=1.5),
    "memory is 1;": lambda: Tracker(FIXED, NOTHING, RNG, memory=1),
    "rng is None": lambda: Tracker(FIXED, NOTHING, None),
    "temperature is -2": lambda: track(Tracker(FIXED, NOTHING, RNG, temperature=-2), X),
    "X has 3 columns": lambda: track(Tracker(FIXED, NOTHING, RNG), np.ones((5, 3))),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        BAD[message]()


def test_the_records_are_those_of_the_last_window_s_attempts():
    tracker = Tracker(FIXED, NOTHING, np.random.default_rng(0), memory=150, attempts=3)
    for window in stream(0):
        tracker = track(tracker, window)
        assert len(tracker.records) <= 3
        assert all(record.attempt == n for n, record in enumerate(tracker.records, 1))


def test_weights_follow_the_data_into_the_window():
    w = np.random.default_rng(1).uniform(0.5, 2, 60)
    first = track(
        Tracker(FIXED, NOTHING, np.random.default_rng(0), attempts=0), WINDOWS[0], w
    )
    close(first.observed, w)
    close(first.S[0, 0], w @ 0.998 ** np.arange(60)[::-1])
    close(track(first, WINDOWS[1]).observed, [*w, *np.ones(60)])
