"""Lecture 07b: its sweeps are the engine's, weak columns shrink by the exact law, and more
noise leaves fewer columns."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from vbkit.course import lecture_07b as lecture
from vbkit.course import tables
from vbkit.course.answers_07b import learn_together
from vbkit.factorization import elbo, fit


@pytest.fixture(scope="module")
def V():
    drawn = tables.ratings(lecture.SEED)
    return drawn.product + drawn.noise


def test_sweeps_are_the_engines(V):
    begin = tables.start(V, 6, 1)
    states = tables.sweeps(V, begin, 1.0, 15)
    start = tables.as_factorization(begin, 1.0)
    engine = fit(V, start, learn_noise=False, max_sweeps=15, tolerance=0)
    end = tables.as_factorization(states[-1], 1.0)
    for name in ("A", "B", "cov_A", "cov_B", "prior_a", "prior_b"):
        assert np.allclose(getattr(end, name), getattr(engine, name)), name
    bounds = [elbo(V, tables.as_factorization(state, 1.0)) for state in states]
    assert (np.diff(bounds) > -1e-9).all()


def test_the_update_is_the_best_posterior_of_the_films(V):
    """By a numerical search over the scale of the means and of the covariance."""
    now = tables.start(V, 2, 3)
    A, cov_A = tables.update(V, now.B, now.cov_B, now.prior_a, 1.5)

    def free_energy(shift, scale):
        moved = now._replace(A=A + shift, cov_A=scale * cov_A)
        return -elbo(V, tables.as_factorization(moved, 1.5))

    best = free_energy(0.0, 1.0)
    assert best < min(free_energy(0.01, 1.0), free_energy(-0.01, 1.0))
    assert best < min(free_energy(0.0, 1.01), free_energy(0.0, 0.99))


def test_the_mean_square_is_the_best_prior_variance(V):
    state = tables.sweeps(V, tables.start(V, 3, 1), 1.0, 2)[-1]

    def free_energy(log_factor):
        factor = np.array([np.exp(log_factor), 1, 1])
        moved = state._replace(prior_b=state.prior_b * factor)
        return -elbo(V, tables.as_factorization(moved, 1.0))

    assert minimize_scalar(free_energy, bracket=(-1, 1)).x == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("noise", [1.0, 0.3])
def test_without_means_the_inverse_strength_grows_by_the_same_in_each_sweep(V, noise):
    begin = tables.start(V, 4, 1)
    begin = begin._replace(B=np.zeros_like(begin.B))
    states = tables.sweeps(V, begin, noise, 6)
    inverse = np.array([1 / state.strengths for state in states])
    assert np.allclose(np.diff(inverse, axis=0), (20 + 30) / noise)
    assert not states[-1].A.any() and not states[-1].B.any()


def test_three_columns_stay_and_three_follow_the_law():
    path = lecture.SixColumns().compute(1.0)
    assert [lecture.in_use(path.strengths[stop]) for stop in (0, 10, 1000)] == [6, 3, 3]
    assert np.allclose(path.strengths[-1][3:], lecture.law(1.0)[-1], rtol=0.01)
    assert path.strengths[-1][:3].min() > 0.3


def test_at_rest_the_strengths_stay(V):
    rest = tables.sweeps(V, tables.start(V, 6, 1), 1.0, 5000)
    strong = np.sort(rest[-1].strengths)[::-1][:3]
    assert np.allclose(strong, np.sort(rest[-500].strengths)[::-1][:3], rtol=1e-4)
    assert strong == pytest.approx([1.0105, 0.6991, 0.4267], abs=1e-4)


def test_columns_in_use_become_fewer_between_noise_2_and_3_5_only():
    explorer = lecture.SixColumns()
    kept = {}
    for noise in lecture.NOISES:
        kept[noise] = lecture.in_use(explorer.compute(noise).strengths[-1])
    assert [kept[noise] for noise in (0.5, 1.0, 1.5, 2.0)] == [3, 3, 3, 3]
    assert [kept[noise] for noise in (2.5, 3.0, 3.5, 4.0)] == [2, 1, 0, 0]


def test_each_column_leaves_less_and_three_leave_less_than_the_noise():
    left = lecture.leftover(lecture.SEED)
    assert (np.diff(left.misfits) < 0).all()
    assert left.misfits[2] > left.noise > left.misfits[3]


def test_a_common_prior_empties_no_column(V):
    begin = tables.start(V, 6, 1)
    B, cov_B, prior_a, prior_b = begin.B, begin.cov_B, begin.prior_a, begin.prior_b
    for _ in range(300):
        A, cov_A = tables.update(V, B, cov_B, prior_a, 1.0)
        B, cov_B = tables.update(V.T, A, cov_A, prior_b, 1.0)
        prior_a = learn_together(A, cov_A)
        prior_b = learn_together(B, cov_B)
    held = np.linalg.svd(B @ A.T, compute_uv=False)
    assert held[3] > 1 and prior_a[0] * prior_b[0] > 0.1


def test_statuses_and_alternative_texts():
    one = lecture.OneColumnMore()
    one.set(columns=3)
    assert "left: 0.68; of the noise: 0.92" in one.status
    six = lecture.SixColumns()
    assert six.status.startswith("Sweep 1. Columns in use: 6 of 6")
    six.set(stop=1000)
    assert "in use: 3 of 6" in six.status and "0.000020" in six.status
