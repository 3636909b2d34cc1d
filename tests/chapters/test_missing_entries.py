"""The explorers of notebook 07d show what the engine computes."""

import numpy as np
import pytest

from vbkit.chapters import missing_entries as chapter
from vbkit.chapters.missing_entries import answers, pictures
from vbkit.chapters.missing_entries.completion import (
    COLUMNS,
    METHODS,
    NOISE,
    SHARES,
    STOP,
    completions,
    make_table,
)
from vbkit.chapters.missing_entries.error_bars import LEVELS, coverage, predictions
from vbkit.chapters.missing_entries.one_film import film, ratings
from vbkit.factorization import (
    Factorization,
    fit,
    fit_map,
    init_random,
    solve_empirical,
)


@pytest.mark.parametrize(("share", "columns"), [(0.3, 3), (0.8, 6)])
def test_completions_are_those_of_the_engine(share, columns):
    truth, V, order = make_table(0)
    hidden = order >= share
    holes = np.where(hidden, np.nan, V)
    rng = np.random.default_rng(0)
    start = init_random(holes, columns, rng, prior_a=1.0, prior_b=1.0, noise=NOISE)
    expected = {
        "zeros put in": solve_empirical(np.where(hidden, 0.0, V), H=columns),
        "MAP": fit_map(holes, start, **STOP),
        "VB": fit(holes, start, learn_prior=False, learn_noise=False, **STOP),
        "empirical VB": fit(holes, start, **STOP),
    }
    explorer = chapter.completion()
    for k, method in enumerate(METHODS):
        table = expected[method].mean()
        arrays = explorer.compute(share, columns, method)
        assert np.allclose(arrays["table"], table)
        error = np.sqrt(np.mean((table - truth)[hidden] ** 2))
        assert arrays["now"][k] == pytest.approx(error)
        assert arrays["errors"][COLUMNS.index(columns), k] == pytest.approx(error)
        assert f"{method} {error:.2f}" in explorer._say(arrays, explorer.values)


def test_what_the_text_says_of_the_four_methods():
    _, errors, zero = completions()
    assert errors.max() < 3.6  # of the axis
    third = errors[SHARES.index(0.3), COLUMNS.index(3)]
    assert third[1] > 1.4 * zero[SHARES.index(0.3)] and np.all(third[2:] < 0.66)
    three, eight = errors[SHARES.index(0.6), [COLUMNS.index(3), COLUMNS.index(8)]]
    assert eight[1] > 2 * three[1] and three[2] < eight[2] < 0.5
    assert eight[3] == pytest.approx(three[3], abs=0.02)
    three, eight = errors[SHARES.index(0.4), [COLUMNS.index(3), COLUMNS.index(8)]]
    assert three == pytest.approx([1.20, 0.56, 0.56, 0.57], abs=0.01)
    assert eight[1:] == pytest.approx([0.84, 0.57, 0.57], abs=0.01)
    assert errors[0].min() > 0.98 * zero[0]  # with 10 % seen
    most = errors[SHARES.index(0.8), COLUMNS.index(3)]
    assert most[0] > 2 * most[2]


def test_a_film_is_updated_as_by_the_engine():
    B, truth, noise = ratings()
    v = B @ truth + 0.5 * noise
    mean, cov = film(v[:6], B[:6], 0.25, 0.25)
    column = np.append(v[:6], np.full(18, np.nan))[:, None]
    spread = np.broadcast_to(0.25**2 * np.eye(2), (24, 2, 2))
    start = Factorization(np.zeros((1, 2)), B, np.eye(2), spread, 1.0, 1.0, 0.25)
    after = fit(column, start, max_sweeps=1, learn_prior=False, learn_noise=False)
    assert np.allclose(after.A[0], mean) and np.allclose(after.cov_A[0], cov)
    same = answers.film_posterior(v[:6], B[:6], spread[:6], np.ones(2), 0.25)
    assert np.allclose(same[0], mean) and np.allclose(same[1], cov)
    explorer = chapter.one_film()
    sds = explorer.compute(24, 0.5, 0.0)["sds"]
    assert (
        sds.shape == (25, 2)
        and np.allclose(sds[0], 1)
        and np.all(np.diff(sds, axis=0) < 1e-9)
    )
    assert sds[1, 0] == pytest.approx(1) and sds[1, 1] < 0.6  # one direction only
    assert np.all(explorer.compute(24, 0.5, 1.0)["sds"][1:] < sds[1:] + 1e-12)


def test_intervals_hold_what_is_counted():
    mean, sd, truth = predictions()[SHARES.index(0.2)]
    for level, z in ((0.5, 0.67448975), (0.95, 1.95996398)):
        held = np.mean((mean - z * sd < truth) & (truth < mean + z * sd))
        assert coverage(0.2)[LEVELS.index(level)] == pytest.approx(held, abs=1e-3)
    assert coverage(0.2)[LEVELS.index(0.95)] == pytest.approx(0.71, abs=0.01)
    assert coverage(0.8)[LEVELS.index(0.95)] == pytest.approx(0.94, abs=0.01)
    explorer = chapter.error_bars()
    for share in SHARES:  # all on the picture
        low, high, shown = explorer.compute(share, 0.99)["rows"]
        assert min(low.min(), shown.min()) > -7 and max(high.max(), shown.max()) < 7
        for level in LEVELS:  # the entries shown stand for all
            low, high, shown = explorer.compute(share, level)["rows"]
            held = np.mean((low < shown) & (shown < high))
            assert held == pytest.approx(coverage(share)[LEVELS.index(level)], abs=0.03)


def test_nobody_predicts_better_than_the_ideal():
    rng = np.random.default_rng(3)
    mean = rng.normal(3.5, 0.8, 200_000)
    values = np.clip(np.rint(mean + 0.9 * rng.standard_normal(mean.size)), 1, 5)
    best = chapter.best_possible(mean)
    assert best == pytest.approx(0.86, abs=0.01)
    assert np.sqrt(np.mean((values - np.clip(mean, 1, 5)) ** 2)) > best


def test_words_and_pictures_follow_the_controls():
    for make in (chapter.one_film, chapter.completion, chapter.error_bars):
        explorer, seen = make(), set()
        for name, control in explorer.controls.items():
            for _, value in (control.options[0], control.options[-1]):
                explorer.set(**explorer.first | {name: value})
                seen.add(explorer.png)
                assert explorer.error is None
        assert len(seen) >= 2
    bars = chapter.error_bars()
    bars.set(share=0.2, level=0.95)
    assert "claim 95 % hold 71 %" in bars.status


def test_pictures_have_words():
    table = np.array([[1.0, np.nan], [-1.0, 2.0]])
    tables = {"zeros put in": table, "holes left out": table}
    picture = pictures.ratings(table, table, tables, dict.fromkeys(tables, 1.0))
    assert "pale" in picture.alt
    assert [*picture.arrays] == ["holes", "truth", "zeros", "left_out"]


def test_a_zero_is_a_confident_lie():
    """The film of Ann alone: the numbers of the chapter; and any hole makes the sd larger."""
    mean, sd, mean_zero, sd_zero = answers.hole_or_zero(*answers.exercise_1.inputs[0])
    assert mean == pytest.approx(1.2) and sd == pytest.approx(5**-0.5)
    assert mean_zero == pytest.approx(6 / 21) and sd_zero == pytest.approx(21**-0.5)
    v, B, cov_B = np.array([1.5]), np.ones((1, 1)), np.zeros((1, 1, 1))
    same = answers.film_posterior(v, B, cov_B, np.ones(1), 0.25)
    assert mean == pytest.approx(same[0][0]) and sd**2 == pytest.approx(same[1][0, 0])


def test_answers():
    rng = np.random.default_rng(0)
    a, cov_a, b, cov_b = answers._pair(rng)
    x = rng.multivariate_normal(a, cov_a, 200_000)
    y = rng.multivariate_normal(b, cov_b, 200_000)
    assert (x * y).sum(axis=1).var() == pytest.approx(
        answers.product_variance(a, cov_a, b, cov_b), rel=0.03
    )
    v, B, cov_B, prior, noise = answers._people(rng, 5, 2)
    equal = answers.weighted_posterior(v, B, cov_B, prior, np.full(len(v), noise))
    for one, other in zip(
        equal, answers.film_posterior(v, B, cov_B, prior, noise), strict=True
    ):
        assert np.allclose(one, other)
