"""The explorers and helpers of notebook 02 show what the engine computes."""

import numpy as np
import pytest

from vbkit.chapters import online_em as chapter
from vbkit.chapters.models import FLOOR
from vbkit.chapters.online_em import choose_schedule, one_start
from vbkit.data import SATO1999_LAYOUTS, SATO1999_WEIGHTS
from vbkit.data import sato1999 as data_set
from vbkit.learning import fit_batch, fit_online, init_uniform, sato1999


@pytest.fixture(scope="module")
def problem():
    X, _ = data_set(1000, np.random.default_rng(1999))
    mixture = chapter.em_mixture(1000)
    return X, mixture, init_uniform(mixture, 4, 1000, np.random.default_rng([1999, 3]))


def test_states_by_epoch_are_those_of_the_learning_rules(problem):
    X, mixture, start = problem
    batch = chapter.learn(mixture, X, start, None, 5)
    online = chapter.learn(mixture, X, start, sato1999(1000), 5, np.random.default_rng(2))
    rng = np.random.default_rng(2)
    assert np.array_equal(batch[-1], fit_batch(mixture, X, start, max_epochs=5, tolerance=0).S)
    assert np.array_equal(
        online[-1], fit_online(mixture, X, start, sato1999(1000), epochs=5, rng=rng).S
    )
    assert len(batch) == len(online) == 6 and np.array_equal(batch[0], start)


def test_the_truth_diverges_from_itself_by_nothing_and_others_by_more(problem):
    X, mixture, start = problem
    for layout, (centres, widths) in SATO1999_LAYOUTS.items():
        truth = tuple(a[None] for a in (SATO1999_WEIGHTS, centres, widths**2))
        assert chapter.divergence(truth, layout) == pytest.approx([0.0], abs=1e-12)
    fits = [chapter.learn(mixture, X, start, plan, 20)[-1] for plan in (None, sato1999(1000))]
    assert np.all(
        chapter.divergence(chapter.parameters(mixture, [start, *fits])) > [0.5, 0.003, 0.003]
    )


@pytest.mark.parametrize("length", [1, 10, 64])
def test_an_epoch_in_blocks_is_the_step_wise_rule_with_older_responsibilities(problem, length):
    X, mixture, start = problem
    X, S, plan = X[:130], start, sato1999(1000)
    for first in range(0, len(X), length):
        R = mixture.responsibilities(X[first : first + length], S)
        keep, gain, plan = plan.rates(len(R))
        for r, t, k, g in zip(
            R, mixture.family.statistics(X[first : first + length]), keep, gain, strict=True
        ):
            S = k * S + g * r[:, None] * t
    ours, after = chapter.block_epoch(mixture, X, start, sato1999(1000), length)
    assert np.allclose(ours, S, rtol=1e-10) and after == plan
    if length == 1:
        assert np.allclose(ours, fit_online(mixture, X, start, sato1999(1000)).S, rtol=1e-9)


def test_the_floor_holds_and_costs_little():
    X, _ = data_set(100, np.random.default_rng(0))
    bare, guarded = (chapter.em_mixture(100, floor) for floor in (None, FLOOR))
    start = init_uniform(guarded, 20, 100, np.random.default_rng(0))
    with pytest.raises(ValueError, match="collapsed"):
        fit_batch(bare, X, start, max_epochs=300, tolerance=0)
    assert chapter.parameters(guarded, [fit_batch(guarded, X, start).S])[2].min() >= FLOOR
    free, floored = (m.parameters(start).components.covariance for m in (bare, guarded))
    assert np.allclose(free, floored, atol=1e-4)


def test_explorers_follow_their_controls():
    explorer = choose_schedule.explorer()
    first = explorer.png
    explorer.set(eps0=0.2)
    assert explorer.png != first and explorer.error is None
    arrays = choose_schedule.compute(**explorer.values)
    X, mixture, S, batch, _ = choose_schedule.problem(1)
    assert len(arrays["batch"]) == len(batch) == choose_schedule.EPOCHS + 1
    assert arrays["rates"][0] == pytest.approx(0.5) and explorer.status.startswith(
        "Start 1: after 20 epochs"
    )
    plan, rng = sato1999(1000, eps0=0.2), np.random.default_rng(1)
    end = fit_online(mixture, X, S, plan, epochs=choose_schedule.EPOCHS, rng=rng).S
    assert arrays["online"][-1] == pytest.approx(
        chapter.divergence(chapter.parameters(mixture, [end]))[0]
    )


def test_one_start_in_pieces_is_the_whole_stream():
    start = one_start.explorer()
    first = start.png
    start.set(seen=20_000, start=7)
    assert start.png != first and start.error is None
    X, mixture, S, batch, _ = choose_schedule.problem(7)
    end = fit_online(mixture, X, S, sato1999(1000), epochs=20, rng=np.random.default_rng(7)).S
    histories = one_start.histories(7)
    for name, state in (("batch", batch[-1]), ("online", end)):
        for shown, wanted in zip(
            histories[name], chapter.parameters(mixture, [state]), strict=True
        ):
            assert np.allclose(shown[-1], wanted[0], rtol=1e-9)
    arrays = one_start.compute(**start.values)
    assert f"{arrays['divergences']['online'][-1]:.3f}" in start.status
