"""Lecture 07d: its factors are the engine's, and its intervals hold what is counted."""

import numpy as np
import pytest

from vbkit.course import answers_07d as answers
from vbkit.course import lecture_07d as lecture
from vbkit.factorization import Factorization, elbo, fit, fit_map, gibbs, init_random

SETTINGS = {"max_sweeps": 100, "tolerance": 3e-3}


@pytest.mark.parametrize(("share", "columns"), [(0.3, 3), (0.8, 6)])
def test_errors_are_those_of_the_engine(share, columns):
    table = lecture.make_table(0)
    holes = lecture.with_holes(table, share)
    hidden = np.isnan(holes)
    assert hidden.mean() == pytest.approx(1 - share, abs=0.03)
    rng = np.random.default_rng(0)
    start = init_random(
        holes, columns, rng, prior_a=1.0, prior_b=1.0, noise=lecture.NOISE
    )
    vb = fit(holes, start, learn_prior=False, learn_noise=False, **SETTINGS).mean()
    most_probable = fit_map(holes, start, **SETTINGS).mean()
    errors = lecture.errors_at(share)
    at = lecture.OFFERED.index(columns)
    for found, prediction in ((errors.by_vb, vb), (errors.by_map, most_probable)):
        wanted = np.sqrt(np.mean((prediction - table.truth)[hidden] ** 2))
        assert found[at] == pytest.approx(wanted)


def test_surplus_columns_hurt_map_and_not_vb():
    for share in (0.4, 0.6, 0.8):
        errors = lecture.errors_at(share)
        three = lecture.OFFERED.index(3)
        assert errors.by_map[-1] > 1.4 * errors.by_map[three]
        assert errors.by_vb[-1] < 1.25 * errors.by_vb[three]


@pytest.mark.parametrize("variance", [0.1, 0.5, 1.0])
def test_a_film_is_updated_as_by_the_engine(variance):
    ann = np.array([[1.0]]), np.array([[[variance]]])
    unknown = np.zeros((1, 1)), np.eye(1)
    start = Factorization(unknown[0], ann[0], unknown[1], ann[1], 1.0, 1.0, 0.25)
    rating = np.array([[1.5]])
    after = fit(rating, start, max_sweeps=1, learn_prior=False, learn_noise=False)
    mean, sd = lecture.film_given_ann(variance)
    assert after.A[0, 0] == pytest.approx(mean)
    assert after.cov_A.ravel()[0] == pytest.approx(sd**2)


def test_intervals_hold_what_is_counted():
    found = lecture.predictions(0.2)
    for level, z in ((0.5, 0.67448975), (0.95, 1.95996398)):
        low = found.mean - z * found.sd
        high = found.mean + z * found.sd
        inside = np.mean((low < found.truth) & (found.truth < high))
        assert found.held(level) == pytest.approx(inside, abs=1e-3)
    assert found.held(0.95) == pytest.approx(0.80, abs=0.01)
    assert lecture.predictions(0.8).held(0.95) == pytest.approx(0.94, abs=0.01)


def test_hidden_ratings_are_held_only_if_the_noise_is_added():
    for share in (0.8, 0.4):
        found = lecture.predictions(share)
        noise = found.ratings - found.truth
        assert noise.var() == pytest.approx(lecture.NOISE, rel=0.1)
        z = lecture.half_width(0.95)
        misses = np.abs(found.ratings - found.mean)
        of_ratings = np.mean(misses < z * np.sqrt(found.sd**2 + lecture.NOISE))
        assert of_ratings == pytest.approx(found.held(0.95), abs=0.04)
        assert np.mean(misses < z * found.sd) < found.held(0.95) - 0.15


def test_all_misses_fit_into_the_picture():
    for share in lecture.SHARES:
        misses = np.sort(np.abs(lecture.predictions(share).misses))
        places = (np.arange(lecture.SHOWN) + 0.5) / lecture.SHOWN * len(misses)
        assert misses[places.astype(int)].max() < 5


def test_a_bad_optimum_is_a_part_of_the_shortfall_and_independence_the_rest():
    random_start = lecture.predictions(0.2, at_truth=False)
    good_start = lecture.predictions(0.2)
    assert random_start.held(0.95) == pytest.approx(0.71, abs=0.01)
    assert good_start.error < 0.75 * random_start.error
    inside = []
    for seed in range(4):  # the exact posterior, by Gibbs sampling
        table = lecture.make_table(seed)
        holes = lecture.with_holes(table, 0.2)
        hidden = np.isnan(holes)
        begin = lecture.start_at_truth(table, holes)
        draws = gibbs(holes, begin, 400, np.random.default_rng(seed), thin=2)
        products = np.einsum("slh,smh->slm", draws.B, draws.A)[:, hidden]
        low, high = np.quantile(products, [0.025, 0.975], axis=0)
        truth = table.truth[hidden]
        inside.append(np.mean((low < truth) & (truth < high)))
    assert np.mean(inside) > 0.9


def test_a_start_at_the_truth_is_the_truth():
    table = lecture.make_table(2)
    begin = lecture.start_at_truth(table, table.ratings)
    assert np.allclose(begin.B @ begin.A.T, table.truth)


def test_the_best_of_many_starts_is_as_good_as_a_start_at_the_truth():
    ends = lecture.predictions(0.2).elbos
    for seed in range(lecture.TABLES):
        holes = lecture.with_holes(lecture.make_table(seed), 0.2)
        starts = [lecture.learn(holes, 3, seed=k, sweeps=300) for k in range(20)]
        best = max(elbo(holes, end) for end in starts)
        assert best > ends[seed] - 1


def test_the_exact_deviation_is_that_of_draws():
    rng = np.random.default_rng(0)
    a = rng.standard_normal(1_000_000)
    b = rng.normal(1.0, 0.5**0.5, len(a))
    weights = np.exp(-((1.5 - a * b) ** 2) / (2 * lecture.NOISE))
    mean = np.average(a, weights=weights)
    sd = np.average((a - mean) ** 2, weights=weights) ** 0.5
    assert lecture.exact_film(1.5, 1.0, 0.5) == pytest.approx((mean, sd), rel=0.01)
    _, known = lecture.exact_film(1.5, 1.0, 1e-9)
    assert known == pytest.approx(5**-0.5, rel=1e-4)


def test_a_zero_is_a_confident_lie():
    mean, sd, mean_zero, sd_zero = answers.hole_or_zero(*answers.exercise_1.inputs[0])
    assert (mean, sd) == pytest.approx((1.2, 5**-0.5))
    assert (mean_zero, sd_zero) == pytest.approx((6 / 21, 21**-0.5))


def test_the_variance_of_a_product_is_that_of_draws():
    rng = np.random.default_rng(0)
    a, cov_a, b, cov_b = answers.two_vectors(rng)
    x = rng.multivariate_normal(a, cov_a, 200_000)
    y = rng.multivariate_normal(b, cov_b, 200_000)
    products = (x * y).sum(axis=1)
    expected = answers.product_variance(a, cov_a, b, cov_b)
    assert products.var() == pytest.approx(expected, rel=0.03)


def test_vb_keeps_surplus_columns_smaller_than_map():
    sizes = [np.linalg.svd(table)[1][3:] for table in lecture.completed_with(8, 0.4)]
    by_map, by_vb = sizes
    assert (by_vb[:5] < 0.5 * by_map[:5]).all()
