"""The explorers show what the engine learns; the theory of lag and noise is right for certain
labels."""

import numpy as np
import pytest
from scipy import stats

from vbkit.chapters import coin, line
from vbkit.chapters import online_theory as chapter
from vbkit.chapters.online_theory import answers, schedules, single, tracking, trust
from vbkit.learning import fit_online, sato2000
from vbkit.theory import running_elbo


def test_a_track_in_pieces_is_the_whole_stream():
    found = chapter.track(100.0, 0.01, 1.0, 4.0)
    path = 1e-3 * (np.arange(tracking.LENGTH) - tracking.LENGTH / 2)
    assert np.allclose(found["truth"][-1], path[-1] + np.array([-2, 2]))
    start = tracking.TARGET.family.state(
        np.full(2, 500.0), (path[0] + np.array([[-2.0], [2.0]])), np.ones((2, 1, 1))
    )
    fit = fit_online(tracking.TARGET, found["X"][:, None], start, sato2000(1000), monitor=False)
    assert np.allclose(found["centres"][-1, 0], fit.S[:, 1] / fit.S[:, 0], rtol=1e-9)
    assert found["effective_sample_size"][-1] == pytest.approx(fit.schedule.effective_sample_size)


@pytest.mark.parametrize("effective_sample_size, speed", [(100.0, 1.0), (100.0, 3.0), (320.0, 0.1)])
def test_lag_and_noise_are_those_of_theory_for_components_far_apart(effective_sample_size, speed):
    found = chapter.track(effective_sample_size, 0.0, speed, 9.0)
    lag, noise = chapter.errors(found["centres"], found["truth"])
    expected = chapter.theory(effective_sample_size, speed / 1000)
    spread = expected[1] / np.sqrt(
        tracking.STREAMS * 2 * tracking.LENGTH / 4 / (2 * effective_sample_size)
    )  # of the mean over streams and time
    assert abs(lag - expected[0]) < 4 * spread
    assert noise == pytest.approx(expected[1], rel=0.2)


def test_the_best_sample_size_is_where_theory_is_least():
    memories = np.linspace(20, 200, 18_001)
    total = np.hypot(*chapter.theory(memories, 1e-3))
    assert memories[total.argmin()] == pytest.approx(tracking.best_sample_size(1e-3), rel=0.01)


def test_labels_that_are_uncertain_lengthen_the_lag():
    near, far = (
        chapter.errors(f["centres"], f["truth"])[0]
        for f in (chapter.track(100.0, 0.0, 1.0, s) for s in (2.5, 6.0))
    )
    assert near > 3 * far


EXPLORERS = [chapter.one_by_one, chapter.monitor, chapter.clock, chapter.moving_target]


@pytest.mark.parametrize("make", EXPLORERS)
def test_explorers_answer_at_the_extremes(make):
    explorer = make()
    pictures = {explorer.png}
    for end in (0, -1):
        explorer.set(**{name: c.options[end][1] for name, c in explorer.controls.items()})
        pictures.add(explorer.png)
    assert explorer.error is None and len(pictures) == 3


def test_the_status_of_a_moving_target_names_its_memory():
    explorer = chapter.moving_target()
    explorer.set(kappa=0.3, separation=2.5)
    memory = explorer.compute(**explorer.values)["effective_sample_size"][-1]
    assert f"Memory {memory:.0f} data" in explorer.status


@pytest.mark.parametrize("components, memory", [(2, 25), (4, 400)])
def test_the_monitor_shows_the_running_and_the_exact_elbo(components, memory):
    n = 15 * trust.EVERY
    stream = line.machines(trust.LENGTH, np.random.default_rng(2000))
    start = line.first_state(line.MODEL, stream[:50], components, line.TOTAL)
    schedule = sato2000(line.TOTAL, tau0=float(memory), kappa=0.0)
    elbos, S, *_ = running_elbo(line.MODEL, stream[:n], start, schedule)
    running, exact = trust.recorded()[components, memory]
    assert np.allclose(running[:15], elbos[trust.EVERY - 1 :: trust.EVERY], rtol=1e-9)
    grid = np.linspace(-12, 12, 2001)[:, None]
    weights = stats.norm.pdf(grid, line.CENTRES, line.SIGMA) @ line.SHARES
    weights *= line.TOTAL / weights.sum()
    assert exact[14] == pytest.approx(line.MODEL.elbo(grid, S, weights=weights), abs=0.1)


def test_the_clock_is_the_sum_of_the_rates_and_old_data_fade_by_the_product_of_lambda():
    found = schedules.compute(100.0, 0.01, 1000)
    eta = sato2000(1.0, tau0=100.0, kappa=0.01).learning_rates(1000)[0]
    assert found["now"] == pytest.approx(eta.sum()) and found["memory"] == pytest.approx(
        1 / eta[-1]
    )
    tau = np.arange(992, 1002)  # the discounts of the newest ten: the first data point is tau = 2
    faded = np.prod(1 - 1 / ((tau - 2) * 0.01 + 100))
    assert np.interp(11, found["ages"], found["weight"]) == pytest.approx(faded, rel=1e-3)
    never = schedules.compute(100.0, schedules.NEVER, 100_000)
    assert never["now"] == pytest.approx(np.log(1001), abs=0.01) and (never["weight"] == 1).all()


def test_one_by_one_is_the_average_of_the_judgements():
    shares, judged = single.walk(10)
    a, b = 1 + 40 * shares[7], 1 + 40 * (1 - shares[7])
    assert judged[7] == pytest.approx(coin.judge(a, b, coin.readings(coin.SEED, single.LENGTH)[7]))
    assert shares[8] == pytest.approx(0.9 * shares[7] + 0.1 * judged[7])


def test_answers():
    rates = sato2000(1.0, tau0=20.0, kappa=0.5).learning_rates(10**5)[0]
    left = np.log(1 - 0.3 * rates).cumsum()
    power, limit = answers.late_law(0.3, 0.5)
    assert power == pytest.approx((left[10**4 - 1] - left[-1]) / np.log(10), rel=1e-2)
    assert answers.late_law(limit, 0.5)[0] == pytest.approx(0.5)
