"""Lecture 11c: columns of known and of hidden causes, and the exercises."""

import numpy as np
import pytest

from vbkit.course import answers_11c as answers
from vbkit.course import gauges as factory
from vbkit.course import lecture_11c as lecture
from vbkit.factorization import thresholds

# ---- the explorer --------------------------------------------------------------------


def test_columns_are_emptied_as_the_text_says():
    end = {}
    for third in lecture.THIRDS:
        end[third] = lecture.lives(third).left[-1]
    assert end == {0.0: 2, 0.5: 3, 1.0: 3, 2.0: 3}
    lengths = np.sort(lecture.lives(2.0).lengths[-1])[-3:]
    assert np.allclose(lengths, [2.05, 2.87, 4.17], atol=0.01)


def test_the_explorer_shows_the_columns_so_far():
    explorer = lecture.EightColumns()
    assert explorer.status == "8 of 8 columns are not empty."
    begin = explorer.compute(**explorer.values)
    assert len(begin.lengths) == 1  # the prediction is not given away
    explorer.set(sweep=30)
    shown = explorer.compute(**explorer.values)
    whole = lecture.lives(2.0)
    now = lecture.SWEEPS.index(30)
    assert np.allclose(shown.lengths, whole.lengths[: now + 1])
    assert explorer.status == f"{whole.left[now]} of 8 columns are not empty."
    assert whole.left[now] == 3


# ---- the sweep -----------------------------------------------------------------------


def elbo(X, A, cov_A):
    """The ELBO from its definition, with amounts and prior variances at their best, up to
    a constant."""
    N, D = X.shape
    AA = A.T @ A + D * cov_A
    cov_B = np.linalg.inv(np.eye(len(AA)) + AA)
    fit = X @ A
    amounts = 0.5 * np.sum((fit @ cov_B) * fit)
    amounts += N / 2 * np.linalg.slogdet(cov_B)[1]
    prior = D / 2 * (np.linalg.slogdet(cov_A)[1] - np.log(np.diag(AA)).sum())
    return amounts + prior - (X**2).sum() / 2


def test_a_sweep_never_lowers_the_elbo():
    X = factory.gauges(np.random.default_rng(2), 50, 2.0)
    A = np.random.default_rng(3).normal(size=(10, 8))
    cov_A = np.eye(8)
    values = []
    for _ in range(40):
        A, cov_A = factory.sweep(X, A, cov_A)
        values.append(elbo(X, A, cov_A))
    assert np.diff(values).min() > -1e-8 and values[-1] > values[0] + 1


def at_rest(X, sweeps=3000):
    """The loadings of one column that is offered to X (N, D), (D,), and their variance."""
    A, cov_A = factory.first_columns(X, 1)
    for _ in range(sweeps):
        A, cov_A = factory.sweep(X, A, cov_A)
    return A[:, 0], cov_A[0, 0]


def test_a_hidden_column_is_at_rest_from_the_local_threshold_on():
    rng = np.random.default_rng(0)
    left = np.linalg.qr(rng.standard_normal((40, 1)))[0]
    right = np.linalg.qr(rng.standard_normal((10, 1)))[0]
    local = thresholds((10, 40)).local
    assert local == pytest.approx(np.sqrt(40) + np.sqrt(10))
    for gamma in (local - 0.1, local + 0.1, local + 3):
        column, variance = at_rest(gamma * left @ right.T)
        if gamma < local:
            assert np.linalg.norm(column) < 1e-6
            continue
        # lecture 07c: gamma^2 = N + D + 1/xi + N D xi for the strength xi; the amounts have
        # the prior variance 1, so that it is the learned prior variance of the column
        rest = gamma**2 - 50
        xi = (rest + np.sqrt(rest**2 - 4 * 400)) / 800
        prior = column @ column / 10 + variance
        assert prior == pytest.approx(xi, rel=1e-4)


def test_a_hidden_column_near_zero_shrinks_and_a_known_one_grows():
    X = factory.gauges(np.random.default_rng(11), 400, 2.0, causes=())
    direction = np.linalg.svd(X)[2][0]
    A = 1e-3 * direction[:, None]
    cov_A = np.full((1, 1), 1e-6)
    after, _ = factory.sweep(X, A, cov_A)
    assert np.linalg.norm(after) < np.linalg.norm(A)
    c2 = 1e-6
    kept, larger = lecture.one_sweep(c2, 2.0, 400, 10)
    assert larger > c2
    assert lecture.one_sweep(larger, 2.0, 400, 10)[0] > kept


def test_vb_keeps_a_third_column_where_noise_exceeds_the_edge():
    rng = np.random.default_rng(11)
    edge = thresholds((10, 400)).local
    kept = []
    exceeds = []
    for _ in range(100):
        X = factory.gauges(rng, 400, 0.0)
        exceeds.append(np.linalg.svd(X, compute_uv=False)[2] > edge)
        A, cov_A = factory.first_columns(X, 8)
        for _ in range(200):
            A, cov_A = factory.sweep(X, A, cov_A)
        kept.append(factory.left(A) > 2)
    assert kept == exceeds and 0 < sum(kept) < 10


# ---- known causes --------------------------------------------------------------------


def test_a_column_is_emptied_where_exercise_1_says():
    N, D = 20, 10
    for length in (0.3, 0.6, 0.8, 2.0):
        prior = 1.0
        for _ in range(20000):
            prior = lecture.one_sweep(prior, length, N, D)[1]
        share = N * prior / (N * prior + 1)
        assert share == pytest.approx(answers.kept(length, N, D), abs=2e-3)


def test_one_sweep_is_that_of_loadings_given_the_amounts():
    rng = np.random.default_rng(4)
    b = rng.standard_normal(20)
    b = b / np.sqrt((b**2).mean())
    X = rng.standard_normal((20, 10))
    prior = 0.3
    best = b @ X / 20
    precision = b @ b + 1 / prior
    means = b @ X / precision
    told = lecture.one_sweep(prior, np.linalg.norm(best), 20, 10)
    after = (means @ means + 10 / precision) / 10
    assert told == pytest.approx((np.linalg.norm(means), after))


def test_useless_known_causes_are_not_emptied_in_44_per_cent():
    rng = np.random.default_rng(0)
    squares = np.zeros(4000)
    for table in range(len(squares)):
        b = rng.standard_normal(20)
        X = rng.standard_normal((20, 10))
        squares[table] = ((b @ X) ** 2).sum() / (b @ b)
    assert squares.mean() == pytest.approx(10, rel=0.03)
    chance = answers.chance_to_escape(10)
    assert chance == pytest.approx(0.44, abs=0.005)
    assert np.mean(squares > 10) == pytest.approx(chance, abs=0.025)
    alt = lecture.picture_of_useless_causes(squares).alt
    assert f"{100 * np.mean(squares > 10):.0f} per cent of the tables" in alt


@pytest.mark.parametrize("D", [2, 10])
def test_exercise_2_is_what_columns_of_noise_do(D):
    rng = np.random.default_rng(5)
    N = 100
    best = rng.normal(0, N**-0.5, (20000, D))
    left = 1 - D / (N * (best**2).sum(axis=1))
    assert answers.chance_to_escape(D) == pytest.approx(np.mean(left > 0), abs=0.01)


def test_mistakes_are_told():
    for exercise in (answers.exercise_1, answers.exercise_2):
        assert exercise(exercise.reference).passed
        for mistake in exercise.mistakes:
            said = exercise(mistake)
            assert not said.passed
            assert " ".join(mistake.__doc__.split())[:30] in " ".join(
                said.message.split()
            )
        exercise.tries = 0
