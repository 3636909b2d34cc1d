"""Lecture 02b: its explorers and pictures show what the engine computes."""

from itertools import product

import numpy as np
import pytest

from vbkit.course import four_gaussians as four
from vbkit.course import lecture_02b as lecture
from vbkit.course.answers_02b import luck_alone, probability_of_rescues, rescues_needed
from vbkit.data import sato1999 as draw_data
from vbkit.learning import fit_batch, fit_online, init_uniform, sato1999
from vbkit.press import publish


def divergence_of(S) -> float:
    (nats,) = four.divergence(four.parameters(four.em_mixture(four.SIZE), [S]))
    return nats


# ---- one start, many orders ----------------------------------------------------------


def test_an_order_is_a_run_of_online_em():
    orders = lecture.orders_from(7)
    mixture = four.em_mixture(four.SIZE)
    X = four.points()
    S = four.start_state(7)
    rng = np.random.default_rng(3)
    end = fit_online(mixture, X, S, sato1999(1000), epochs=20, rng=rng).S
    assert orders.divergence[2] == pytest.approx(divergence_of(end))
    at_rest = fit_batch(mixture, X, S, max_epochs=300, tolerance=1e-6).S
    assert orders.batch == pytest.approx(divergence_of(at_rest))
    assert lecture.escapes()[6] == np.sum(orders.divergence < 0.06)
    assert divergence_of(end) == pytest.approx(
        four.divergence([of[None, 2] for of in orders.found])[0]
    )


def test_the_explorer_counts_the_orders_so_far():
    explorer = lecture.ManyOrders()
    escaped = lecture.orders_from(1).divergence < 0.06
    for tried in (1, 9, 20):
        explorer.set(order=tried)
        words = "1 order" if tried == 1 else f"{tried} orders"
        assert f"escaped in {escaped[:tried].sum()} of {words}." in explorer.status


# ---- a fair coin ---------------------------------------------------------------------


@pytest.mark.parametrize(("rescues", "losses"), [(3, 0), (3, 2), (4, 6), (1, 0)])
def test_a_p_value_counts_sequences(rescues, losses):
    tosses = np.array(list(product([0, 1], repeat=rescues + losses)))
    part = np.mean(tosses.sum(axis=1) >= rescues)
    assert lecture.luck_alone(rescues, losses) == pytest.approx(part)
    assert luck_alone(rescues, losses) == pytest.approx(part)
    coin = lecture.FairCoin().compute(rescues, losses)
    assert coin.probability[rescues:].sum() == pytest.approx(part)
    explorer = lecture.FairCoin()
    explorer.set(rescues=rescues, losses=losses)
    assert f"the probability {part:.3f}" in explorer.status


@pytest.mark.parametrize("pairs", [4, 5, 22, 100])
def test_the_rescues_that_are_needed(pairs):
    needed = lecture.rescues_needed(pairs)
    assert needed == rescues_needed(pairs, 0.05)
    assert lecture.luck_alone(needed - 1, pairs - needed + 1) > 0.05
    if needed <= pairs:
        assert lecture.luck_alone(needed, pairs - needed) <= 0.05


def test_power_by_sampling():
    wins = np.random.default_rng(0).binomial(22, 0.75, 100_000)
    sampled = np.mean(wins >= lecture.rescues_needed(22))
    assert lecture.chance_to_find(22, 0.75) == pytest.approx(sampled, abs=0.01)


def test_pairs_that_are_alike_drop_out():
    rng = np.random.default_rng(1)
    kinds = rng.choice(3, size=(200_000, 9), p=[0.3, 0.1, 0.6])
    four_differ = kinds[np.sum(kinds < 2, axis=1) == 4]
    sampled = np.mean(np.sum(four_differ == 0, axis=1) == 3)
    assert probability_of_rescues(0.3, 0.1, 3, 1) == pytest.approx(sampled, abs=0.01)
    assert probability_of_rescues(0.2, 0.2, 3, 2) == pytest.approx(10 / 32)


# ---- the race ------------------------------------------------------------------------


def test_a_race_is_three_runs_on_a_new_data_set():
    rng = np.random.default_rng([four.SEED, 2, 5])
    X, _ = draw_data(1000, rng)
    mixture = four.em_mixture(1000)
    S = init_uniform(mixture, 4, 1000, rng)
    ends = [fit_batch(mixture, X, S, max_epochs=300, tolerance=1e-6).S]
    for _ in range(2):
        fit = fit_online(mixture, X, S, sato1999(1000), epochs=40, rng=rng)
        ends.append(fit.S)
    due = [divergence_of(S) for S in ends]
    assert np.allclose(lecture.race(5), due, rtol=1e-6)


@pytest.mark.parametrize("rival", lecture.RIVALS)
def test_the_race_counts_each_data_set_once(rival):
    explorer = lecture.Race()
    explorer.set(seen=100, rival=rival)
    pairs = explorer.compute(rival)
    together = np.sum(list(pairs.outcome.values()), axis=0)
    assert np.array_equal(together, np.ones(100))
    rescues = pairs.outcome["rescue"].sum()
    losses = pairs.outcome["loss"].sum()
    lead = pairs.lead(100)
    assert len(lead) == rescues + losses + 1 and lead[-1] == rescues - losses
    assert f"{rescues} rescues, {losses} losses" in explorer.status
    assert len(pairs.lead(0)) == 1


# ---- in a browser --------------------------------------------------------------------


@pytest.fixture
def browser(monkeypatch):
    """Nothing is in memory yet, and Python seems to run in a browser."""
    monkeypatch.setattr(publish, "IN_BROWSER", True)
    for kept in (lecture.all_orders, lecture.races):
        kept.cache_clear()
    yield
    for kept in (lecture.all_orders, lecture.races):
        kept.cache_clear()


def test_long_runs_are_read_in_a_browser_and_are_those_that_would_be_computed(
    browser, monkeypatch, capsys
):
    fresh_curve = lecture.learning_curve((4, 100, 3), "online", four.SEED, 5)
    fresh_race = lecture.race(4)
    monkeypatch.setattr(lecture, "run_many", None)  # nothing else may run
    orders = lecture.orders_from(3)
    curves = {
        name: lecture.learning_curves(name, four.SEED, 20, 100)
        for name in lecture.FIGURES
    }
    ends = lecture.races()
    assert capsys.readouterr().out.count("Not computed here") == 4
    assert ends.shape == (100, 3) and np.allclose(ends[4], fresh_race, rtol=1e-3)
    assert np.allclose(curves["online"][0][2, :6], fresh_curve, rtol=1e-3)
    first = [
        curves[name][1][:, 0] for name in lecture.FIGURES
    ]  # both begin at the same starts
    assert np.allclose(*first, rtol=1e-6)
    assert orders.found.means.shape == (20, 4, 2)
    found = four.divergence(orders.found)
    assert np.allclose(orders.divergence, found, rtol=1e-6)
    part = lecture.learning_curves("online", four.SEED, 4, 40)
    assert np.array_equal(part[3], curves["online"][3][:4, :41])
    assert np.array_equal(lecture.races(20), ends[:20])


def test_what_was_not_published_is_computed_in_a_browser_too(browser, capsys):
    (curves, *_) = lecture.learning_curves("batch", four.SEED + 1, 1, 2)
    assert curves.shape == (1, 3)
    assert np.allclose(lecture.races(1, four.SEED + 1)[0], lecture.race(0, 2000))
    assert not capsys.readouterr().out


# ---- the paper's experiment, and pictures --------------------------------------------


def test_learning_curves_are_the_runs_of_the_paper():
    S = four.start_state(2)
    rng = np.random.default_rng(2)
    states = four.learn(four.em_mixture(1000), four.points(), S, sato1999(1000), 3, rng)
    due = four.divergence(four.parameters(four.em_mixture(1000), states))
    curve = lecture.learning_curve((4, 1000, 2), "online", four.SEED, 3)
    assert np.allclose(curve, due)
    curves = lecture.learning_curves("batch", four.SEED, 2, 2)
    assert [values.shape for values in curves] == [(2, 3)] * 4
    due = four.divergence_after_passes(2, None, 2)
    assert np.allclose(curves[1][1], due)


def test_the_pictures_show_what_they_are_given():
    curves = [np.full((3, 11), value) for value in (0.1, 0.12, 0.01, 0.02)]
    ends = np.array([[0.01, 0.2, 0.01], [0.1, 0.02, 0.2], [0.1, 0.01, 0.01]])
    orders = {"divergence": np.ones((20, 20))}
    pictures = [
        lecture.picture_of_starts(np.arange(20), orders),
        lecture.picture_of_races(ends),
        lecture.picture_of_online_curves(curves),
        lecture.picture_of_batch_curves(curves),
        lecture.picture_of_power(22),
    ]
    assert len({picture.alt for picture in pictures}) == 5
    assert all(picture.png.startswith(b"\x89PNG") for picture in pictures)
    assert np.array_equal(pictures[2].arrays["B"], curves[1])
    counts = "Both escaped: 0; rescues: 2; losses: 1; both trapped: 0."
    assert counts in pictures[1].alt and pictures[1].arrays["ends"] is ends
