"""The explorers show what the engine learns; the theory of lag and noise is right for certain
labels."""

from functools import lru_cache

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp, softmax, xlogy

from vbkit.chapters import coin, line
from vbkit.chapters import online_theory as chapter
from vbkit.chapters.online_theory import answers, single, tracking, trust
from vbkit.learning import fit_online, running_elbo, sato2000


def test_a_track_in_pieces_is_the_whole_stream():
    found = chapter.track(100.0, 1.0, 4.0)
    path = 1e-3 * (np.arange(tracking.LENGTH) - tracking.LENGTH / 2)
    assert np.allclose(found["truth"][-1], path[-1] + np.array([-2, 2]))
    start = tracking.TARGET.family.state(
        np.full(2, 500.0), (path[0] + np.array([[-2.0], [2.0]])), np.ones((2, 1, 1))
    )
    schedule = sato2000(1000, tau0=100.0, kappa=0.0)
    fit = fit_online(
        tracking.TARGET, found["X"][:, None], start, schedule, monitor=False
    )
    assert np.allclose(found["centres"][-1, 0], fit.S[:, 1] / fit.S[:, 0], rtol=1e-9)
    assert fit.schedule.memory == pytest.approx(100)  # the memory stays


@pytest.mark.parametrize("memory, speed", [(100.0, 1.0), (100.0, 3.0), (320.0, 0.1)])
def test_lag_and_noise_are_those_of_theory_for_components_far_apart(memory, speed):
    found = chapter.track(memory, speed, 9.0)
    lag, noise = chapter.errors(found["centres"], found["truth"])
    expected = chapter.theory(memory, speed / 1000)
    spread = expected[1] / np.sqrt(
        tracking.STREAMS * 2 * tracking.LENGTH / 4 / (2 * memory)
    )  # of the mean over streams and time
    assert abs(lag - expected[0]) < 4 * spread
    assert noise == pytest.approx(expected[1], rel=0.2)


def test_the_best_memory_is_where_theory_is_least():
    memories = np.linspace(20, 200, 18_001)
    total = np.hypot(*chapter.theory(memories, 1e-3))
    assert memories[total.argmin()] == pytest.approx(
        tracking.best_memory(1e-3), rel=0.01
    )


def test_labels_that_are_uncertain_lengthen_the_lag():
    near, far = (
        chapter.errors(f["centres"], f["truth"])[0]
        for f in (chapter.track(100.0, 1.0, s) for s in (2.5, 6.0))
    )
    assert near > 3 * far


EXPLORERS = [chapter.one_by_one, chapter.monitor, chapter.moving_target]


@pytest.mark.parametrize("make", EXPLORERS)
def test_explorers_answer_at_the_extremes(make):
    explorer = make()
    pictures = {explorer.png}
    for end in (0, -1):
        explorer.set(
            **{name: c.options[end][1] for name, c in explorer.controls.items()}
        )
        pictures.add(explorer.png)
    assert explorer.error is None and len(pictures) == 3


def test_the_status_of_a_moving_target_names_its_memory():
    explorer = chapter.moving_target()
    explorer.set(memory=1000, separation=2.5)
    assert (
        "Memory 1000 data" in explorer.status and "known labels: 79" in explorer.status
    )
    arrays = explorer.compute(**explorer.values)
    assert f"Lag {arrays['lag']:.2f}, noise {arrays['noise']:.2f}" in explorer.status


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
    assert exact[14] == pytest.approx(
        line.MODEL.elbo(grid, S, weights=weights), abs=0.1
    )


@lru_cache
def parts(memory: int, components: int, seed: int = 2000) -> np.ndarray:
    """Split running minus exact ELBO into three parts (3,), in nats: flattery, labels, start.

    Their sum is the whole gap. Each is a mean over the second half of the stream. Flattery: how
    much better the remembered data fit than fresh ones. Labels: minus the loss by responsibilities
    that were never renewed. Start: how much better the invented start fits than fresh data.
    """
    stream = line.machines(trust.LENGTH, np.random.default_rng(seed))
    begin = S = np.array(
        line.first_state(line.MODEL, stream[:50], components, line.TOTAL)
    )
    statistics, (grid, weights) = line.MODEL.family.statistics(stream), line.source()
    fresh = line.MODEL.family.statistics(grid)
    eta, given, found = 1 / memory, np.empty((trust.LENGTH, components)), []
    for seen, t in enumerate(statistics, 1):
        r = given[seen - 1] = softmax(_log_joint(t, S))
        S = (1 - eta) * S + eta * line.TOTAL * np.outer(r, t)
        if seen % trust.EVERY or 2 * seen <= trust.LENGTH:
            continue
        share = line.TOTAL * eta * (1 - eta) ** np.arange(seen)[::-1]
        left, mean = (
            (1 - eta) ** seen,
            weights @ logsumexp(_log_joint(fresh, S), axis=1),
        )
        log_joint, r = _log_joint(statistics[:seen], S), given[:seen]
        fit = logsumexp(log_joint, axis=1)
        stale = share @ ((r * log_joint - xlogy(r, r)).sum(axis=1) - fit)
        found.append(
            (share @ fit - (1 - left) * mean, stale, left * (_fit_of(begin, S) - mean))
        )
    return np.mean(found, axis=0)


def _log_joint(t, S):
    """Expected log density and log weight of each component, at statistics t (..., P)."""
    return t @ line.MODEL.family.expected(S).T + line.MODEL.labels.expected(S[:, 0])


def _fit_of(counted, S) -> float:
    """Return the fit of counts (K, P) with certain labels under the posterior S (K, P)."""
    family, weights = line.MODEL.family, line.MODEL.labels
    return (counted * family.expected(S)).sum() + counted[:, 0] @ weights.expected(
        S[:, 0]
    )


@pytest.mark.parametrize("components, memory", [(2, 25), (4, 400)])
def test_the_parts_of_the_gap_add_up_to_it(components, memory):
    found = parts(memory, components)
    assert found.sum() == pytest.approx(
        trust.compute(memory, components)["mean"], abs=1e-6
    )
    assert found[1] < 0  # responsibilities of old fit less than the best


@pytest.mark.parametrize(
    "memory, law, same, gap, stale, spread",
    [(25, 80, 78, 74, 4, 13), (250, 8, 6, 3, 2, 6)],
)
def test_gap_flattery_and_luck_are_on_average_what_the_chapter_says(
    memory, law, same, gap, stale, spread
):
    streams = range(2000, 2016)
    split = np.array([parts(memory, 3, seed) for seed in streams])
    flattery, whole = split[:, 0], split.sum(axis=1)
    assert abs(flattery.mean() - law) < 2 * spread / np.sqrt(len(streams))
    means = [round(m) for m in (flattery.mean(), whole.mean(), -split[:, 1].mean())]
    assert means == [same, gap, stale]
    assert round(whole.std(ddof=1)) == spread
    further = np.array([parts(memory, 4, seed)[0] for seed in streams]) - flattery
    assert further.mean() < 1  # a surplus component: the law would say 30 and 3 nats


def test_the_trail_of_the_monitor_ends_at_its_dot():
    found = trust.compute(100, 3)
    assert found["trail"][0] == [25, 50, 100]
    assert found["trail"][1][-1] == pytest.approx(found["mean"])


def test_one_by_one_is_the_average_of_the_judgements():
    shares, judged = single.walk(10)
    a, b = 1 + 40 * shares[7], 1 + 40 * (1 - shares[7])
    assert judged[7] == pytest.approx(
        coin.judge(a, b, coin.readings(coin.SEED, single.LENGTH)[7])
    )
    assert shares[8] == pytest.approx(0.9 * shares[7] + 0.1 * judged[7])


def test_the_fair_memory_of_exercise_2_is_that_of_the_law():
    assert answers.fair_memory(3, 1, 500, 80) == pytest.approx(
        (25, 0)
    )  # k = 8, as in section 4
    assert answers.fair_memory(4, 2, 1000, 10) == pytest.approx((1000 * 23 / 20, 200))


@pytest.mark.parametrize("speed, machines", [(1e-3, 2), (3e-4, 5)])
def test_the_best_memory_of_exercise_4(speed, machines):
    memories = np.geomspace(10, 2000, 40_001)
    squares = (speed * memories) ** 2 + machines / (2 * memories)
    best, error = answers.best_memory(speed, machines)
    assert best == pytest.approx(memories[squares.argmin()], rel=1e-3)
    assert error == pytest.approx(np.sqrt(squares.min()))
    assert machines / (2 * best) == pytest.approx(2 / 3 * error**2)
    if machines == 2:
        assert best == pytest.approx(tracking.best_memory(speed))
