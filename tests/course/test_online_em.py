"""Online EM in blocks, information that is seen, and the picture of rates."""

import numpy as np
import pytest

from vbkit.course import online_em
from vbkit.course.four_gaussians import FLOOR, divergence, em_mixture, learn, parameters
from vbkit.data import SATO1999_LAYOUTS, SATO1999_WEIGHTS
from vbkit.data import sato1999 as data_set
from vbkit.learning import fit_batch, fit_online, init_uniform, sato1999


@pytest.fixture(scope="module")
def problem():
    X, _ = data_set(1000, np.random.default_rng(1999))
    mixture = em_mixture(1000)
    return X, mixture, init_uniform(mixture, 4, 1000, np.random.default_rng([1999, 3]))


def test_the_truth_diverges_from_itself_by_nothing_and_others_by_more(problem):
    X, mixture, start = problem
    for layout, (means, widths) in SATO1999_LAYOUTS.items():
        truth = (SATO1999_WEIGHTS[None], means[None], widths[None] ** 2)
        assert divergence(truth, layout) == pytest.approx([0.0], abs=1e-12)
    states = [start]
    for plan in (None, sato1999(1000)):
        states.append(learn(mixture, X, start, plan, 20)[-1])
    nats = divergence(parameters(mixture, states))
    assert np.all(nats > [0.5, 0.003, 0.003])


@pytest.mark.parametrize("length", [1, 10, 64])
def test_an_epoch_in_blocks_is_the_step_wise_rule_with_older_responsibilities(
    problem, length
):
    X, mixture, start = problem
    X = X[:130]
    S = start
    plan = sato1999(1000)
    for first in range(0, len(X), length):
        block = X[first : first + length]
        R = mixture.responsibilities(block, S)
        keep, gain, plan = plan.rates(len(R))
        statistics = mixture.family.statistics(block)
        for r, t, k, g in zip(R, statistics, keep, gain, strict=True):
            S = k * S + g * r[:, None] * t
    ours, after = online_em.block_epoch(mixture, X, start, sato1999(1000), length)
    assert np.allclose(ours, S, rtol=1e-10) and after == plan
    if length == 1:
        due = fit_online(mixture, X, start, sato1999(1000)).S
        assert np.allclose(ours, due, rtol=1e-9)


def test_the_floor_holds_and_costs_little():
    X, _ = data_set(100, np.random.default_rng(0))
    bare = em_mixture(100, None)
    guarded = em_mixture(100, FLOOR)
    start = init_uniform(guarded, 20, 100, np.random.default_rng(0))
    with pytest.raises(ValueError, match="collapsed"):
        fit_batch(bare, X, start, max_epochs=300, tolerance=0)
    end = fit_batch(guarded, X, start).S
    assert parameters(guarded, [end])[2].min() >= FLOOR
    free = bare.parameters(start).components.covariance
    floored = guarded.parameters(start).components.covariance
    assert np.allclose(free, floored, atol=1e-4)


def test_information_seen():
    """The variance of the score x tanh(theta x) - theta, by sampling."""
    x = 1.2 + np.random.default_rng(0).standard_normal(400_000)
    sampled = np.var(x * np.tanh(1.2 * x))
    assert online_em.share_seen(1.2) == pytest.approx(sampled, rel=0.01)
    assert np.allclose(online_em.share_seen([0.0, 4.0]), [0, 1], atol=1e-3)


def test_the_picture_of_rates_holds_the_rates_that_it_is_given():
    rates = {}
    for place in range(5):
        rates[str(place)] = 1 / (np.arange(1000) + place + 1)
    picture = online_em.picture_of_rates(rates)
    at = picture.arrays["t"]
    assert at[0] == 1 and at[-1] == 1000
    for place in range(5):
        assert np.array_equal(picture.arrays[f"eta_{place}"], rates[str(place)][at - 1])
