"""The explorers and helpers of notebook 02 show what the engine computes."""

import numpy as np
import pytest

from vbkit.chapters import online_em as chapter
from vbkit.chapters.online_em import explorers, pictures
from vbkit.course.four_gaussians import FLOOR
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
    online = chapter.learn(
        mixture, X, start, sato1999(1000), 5, np.random.default_rng(2)
    )
    rng = np.random.default_rng(2)
    assert np.array_equal(
        batch[-1], fit_batch(mixture, X, start, max_epochs=5, tolerance=0).S
    )
    assert np.array_equal(
        online[-1], fit_online(mixture, X, start, sato1999(1000), epochs=5, rng=rng).S
    )
    assert len(batch) == len(online) == 6 and np.array_equal(batch[0], start)


def test_the_truth_diverges_from_itself_by_nothing_and_others_by_more(problem):
    X, mixture, start = problem
    for layout, (centres, widths) in SATO1999_LAYOUTS.items():
        truth = tuple(a[None] for a in (SATO1999_WEIGHTS, centres, widths**2))
        assert chapter.divergence(truth, layout) == pytest.approx([0.0], abs=1e-12)
    fits = [
        chapter.learn(mixture, X, start, plan, 20)[-1]
        for plan in (None, sato1999(1000))
    ]
    assert np.all(
        chapter.divergence(chapter.parameters(mixture, [start, *fits]))
        > [0.5, 0.003, 0.003]
    )


@pytest.mark.parametrize("length", [1, 10, 64])
def test_an_epoch_in_blocks_is_the_step_wise_rule_with_older_responsibilities(
    problem, length
):
    X, mixture, start = problem
    X, S, plan = X[:130], start, sato1999(1000)
    for first in range(0, len(X), length):
        R = mixture.responsibilities(X[first : first + length], S)
        keep, gain, plan = plan.rates(len(R))
        for r, t, k, g in zip(
            R,
            mixture.family.statistics(X[first : first + length]),
            keep,
            gain,
            strict=True,
        ):
            S = k * S + g * r[:, None] * t
    ours, after = chapter.block_epoch(mixture, X, start, sato1999(1000), length)
    assert np.allclose(ours, S, rtol=1e-10) and after == plan
    if length == 1:
        assert np.allclose(
            ours, fit_online(mixture, X, start, sato1999(1000)).S, rtol=1e-9
        )


def test_the_floor_holds_and_costs_little():
    X, _ = data_set(100, np.random.default_rng(0))
    bare, guarded = (chapter.em_mixture(100, floor) for floor in (None, FLOOR))
    start = init_uniform(guarded, 20, 100, np.random.default_rng(0))
    with pytest.raises(ValueError, match="collapsed"):
        fit_batch(bare, X, start, max_epochs=300, tolerance=0)
    assert (
        chapter.parameters(guarded, [fit_batch(guarded, X, start).S])[2].min() >= FLOOR
    )
    free, floored = (m.parameters(start).components.covariance for m in (bare, guarded))
    assert np.allclose(free, floored, atol=1e-4)


def test_a_schedule_at_work_follows_its_controls():
    explorer = chapter.choose_schedule()
    first = explorer.png
    explorer.set(eps0=0.2, start=1)
    assert explorer.png != first and explorer.error is None
    arrays = explorer.compute(**explorer.values)
    X, mixture, S, batch, _ = explorers.problem(1)
    assert len(arrays["batch"]) == len(batch) == explorers.EPOCHS + 1
    assert arrays["rates"][0] == pytest.approx(0.5)
    plan, rng = sato1999(1000, forgetting_rate=0.2), np.random.default_rng(1)
    end = fit_online(mixture, X, S, plan, epochs=explorers.EPOCHS, rng=rng).S
    wanted = chapter.divergence(chapter.parameters(mixture, [end]))[0]
    assert arrays["online"][-1] == pytest.approx(wanted)
    assert f"online EM is {wanted:.4f} nats" in explorer.status


def test_one_start_in_pieces_is_the_whole_stream():
    start = chapter.one_start()
    first = start.png
    start.set(seen=20_000, start=7)
    assert start.png != first and start.error is None
    X, mixture, S, batch, _ = explorers.problem(7)
    end = fit_online(
        mixture, X, S, sato1999(1000), epochs=20, rng=np.random.default_rng(7)
    ).S
    histories = explorers.histories(7)
    for name, state in (("batch", batch[-1]), ("online", end)):
        for shown, wanted in zip(
            histories[name], chapter.parameters(mixture, [state]), strict=True
        ):
            assert np.allclose(shown[-1], wanted[0], rtol=1e-9)
    assert f"online EM {histories['online divergence'][-1]:.3f}" in start.status


def test_two_bumps():
    explorer = chapter.two_bumps()
    explorer.set(start=0.1, rule="0.03", truth=2.0)
    arrays = explorer.compute(**explorer.values)
    data = 2.0 * (rng := np.random.default_rng(2)).choice(
        [-1, 1], 300
    ) + rng.standard_normal(300)
    phi = 0.1
    for x in data:
        phi += 0.03 * (x * np.tanh(x * phi) - phi)
    assert arrays["online"][300] == pytest.approx(phi)
    assert arrays["batch"][1] == pytest.approx(np.mean(data * np.tanh(0.1 * data)))
    best = arrays["best"]
    assert np.mean(data * np.tanh(best * data)) == pytest.approx(best, abs=1e-9)
    assert f"online {phi:.3f}" in explorer.status
    for values in ({"start": 3.0}, {"truth": 3.0, "rule": "0.3"}, {"truth": 0.25}):
        explorer.set(**values)
        arrays = explorer.compute(**explorer.values)
        assert 0 <= arrays["online"].min() <= arrays["online"].max() < 5


def test_information_seen():
    """The variance of the score x tanh(m x) - m, by sampling."""
    x = 1.2 + np.random.default_rng(0).standard_normal(400_000)
    assert pictures.share_seen(1.2) == pytest.approx(
        np.var(x * np.tanh(1.2 * x)), rel=0.01
    )
    assert np.allclose(pictures.share_seen([0.0, 4.0]), [0, 1], atol=1e-3)
