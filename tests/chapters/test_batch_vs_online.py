"""The explorers of notebook 05a show what the engine computes; its exercises know mistakes."""

import numpy as np
import pytest

from vbkit.chapters import batch_vs_online as chapter
from vbkit.chapters.batch_vs_online import finish, memory, race
from vbkit.course import sato
from vbkit.data import sato2000 as data_set
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.learning import fit_batch, fit_online, init_gaussian, sato2000


def test_the_race_is_run_by_the_learning_rules():
    arrays = race.compute(10, "online", "A", 2)
    rng = np.random.default_rng(2001)
    X, _ = data_set("A", np.random.default_rng(2000))
    mixture = sato.sato_mixture(X, 4, "full covariance", 0.01)
    start = init_gaussian(mixture, X, 4, rng)
    batch = fit_batch(mixture, X, start, max_epochs=race.PASSES, tolerance=0)
    online = fit_online(mixture, X, start, sato2000(200), epochs=race.PASSES, rng=rng)
    assert np.allclose(arrays["elbos"]["batch"], batch.trace, rtol=1e-12)
    assert np.allclose(arrays["elbos"]["online"], online.trace, rtol=1e-12)
    assert np.allclose(
        arrays["parameters"]["online"][-1].weights, mixture.parameters(online.S)[0]
    )


def test_what_the_race_says():
    values = {"passes": 1, "method": "online", "data": "B", "start": 1}
    assert "(online): 2 of 2" in race.status(race.compute(**values), values)
    values["method"] = "batch"
    arrays = race.compute(**values)
    words = race.status(arrays, values)
    assert (
        "(batch): 0 of 2" in words
        and f"online {arrays['elbos']['online'][1]:.0f}" in words
    )
    values["data"] = "A"
    assert "cores" not in race.status(race.compute(**values), values)


def test_no_method_has_the_colour_of_the_components():
    assert sato.COMPONENT not in [look["color"] for look in sato.METHODS.values()]
    explorer = chapter.race_explorer()
    explorer.set(method="online")
    assert "narrow component (online)" in explorer.status


def test_a_comparison_takes_the_points_that_it_is_given():
    X = sato.draw(2000)["A"]
    job = {"data": "A", "model": "full covariance", "prior_strength": 0.01, "seed": 3}
    job |= {"starts": 1, "epochs": 2, "n_components": [1]}
    given, own = (sato.compare(job, points=points)["bound"][0] for points in (X, None))
    mixture = sato.sato_mixture(X, 1, "full covariance", 0.01)
    start = init_gaussian(mixture, X, 1, np.random.default_rng([3, 0]))
    expected = fit_batch(mixture, X, start, tolerance=1e-3).elbo
    assert given == pytest.approx(expected, abs=1e-3) and abs(own - given) > 1


def test_the_memory_is_the_sum_of_the_weights():
    for seen, tau0, kappa in (
        (1000.0, 100.0, 0.01),
        (10.0, 10.0, 1.0),
        (1e5, 1000.0, 0.001),
    ):
        arrays, n = memory.compute(seen, tau0, kappa), round(seen)
        lambdas = 1 - 1 / (np.arange(n) * kappa + tau0)
        weights = np.append(1.0, np.cumprod(lambdas[:0:-1]))  # the newest first
        assert weights.sum() + tau0 * np.prod(lambdas) == pytest.approx(
            arrays["memory"]
        )
        curve = arrays["curves"]["memory"]
        shorter = np.append(1.0, np.cumprod(lambdas[9:0:-1])).sum() + tau0 * np.prod(
            lambdas[:10]
        )
        assert curve[memory.LOOKS == 10] == pytest.approx(shorter)
        schedule = sato2000(1.0, tau0=tau0, kappa=kappa)
        rate = schedule.rates(n)[2].learning_rate
        assert arrays["memory"] == pytest.approx(1 / rate)
    values = {"seen": 1e5, "tau0": 100.0, "kappa": 0.01}
    words = memory.status(memory.compute(**values), values)
    assert "holds 1,089" in words and "worth 242.2 batch passes" in words


def test_the_clock_is_the_sum_of_the_rates():
    eta = sato2000(1.0, tau0=100.0, kappa=0.01).learning_rates(1000)[0]
    arrays = memory.compute(1000.0, 100.0, 0.01)
    assert arrays["passes"] == pytest.approx(eta.sum())
    assert arrays["curves"]["passes"][memory.LOOKS == 10] == pytest.approx(
        eta[:10].sum()
    )
    never = memory.compute(1e5, 100.0, memory.NEVER)
    assert never["passes"] == pytest.approx(np.log(1001), abs=0.01)
    assert never["memory"] == pytest.approx(100_100)  # all of them, and the first guess


def test_arrivals_are_medians_of_the_runs():
    values = {"tolerance": 20, "data": "A"}
    found = finish.compute(**values)
    traces = finish.traces("A")
    end = np.median([t[-1] for t in traces["batch"]])  # the same line for both methods
    for name, rows in traces.items():
        passes = [np.flatnonzero(t < end - 20)[-1] + 1 for t in rows]  # all arrive
        assert found["arrived"][name] == np.median(passes) and found["runs"][
            name
        ] == len(rows)
        short = found["short"][name][3]  # until it has arrived for good
        assert np.allclose(short, (end - rows[3])[: passes[3] + 1])
        assert short[-1] <= 20 < short[-2]
        assert f"{name} VB after {np.median(passes):g} passes" in finish.status(
            found, values
        )


def test_a_run_that_never_arrives_counts_as_late():
    found = finish.compute(2, "A")
    assert found["runs"]["batch"] < finish.RUNS and np.isfinite(
        found["arrived"]["batch"]
    )
    late = [t[-1] for t in finish.traces("A")["batch"]]
    assert found["runs"]["batch"] == sum(end >= np.median(late) - 2 for end in late)
    assert sato.median_passes(np.array([3.0, np.nan, np.nan])) == np.inf
    assert sato.median_passes(np.array([3.0, 5.0, np.nan])) == 5


def test_the_explorer_shows_the_runs_of_the_figure():
    job = sato.JOB | {"data": "A", "seed": 2000, "n_components": [4]}
    runs = sato.compare(job, points=sato.draw(2000)["A"])["batch_5"][:2, 0]
    arrived = finish.compute(5, "A")["arrived"]
    assert [*arrived.values()] == [*sato.median_passes(runs)]


def test_the_finishing_line_opens_on_b_and_shows_no_later_part_of_the_race():
    explorer = chapter.finish_line_explorer()
    assert explorer.first == {"tolerance": 100, "data": "B"}
    rows = finish.compute(**explorer.first)["short"]
    assert all(short[-2] > 100 for runs in rows.values() for short in runs)


def test_first_within_counts_from_the_last_time_below():
    trace = np.array([-9.0, -2.0, -0.5, -3.0, -0.4, 0.0])
    assert sato.first_within(trace, -1) == 4 and np.isnan(sato.first_within(trace, 1))
    assert sato.first_within(trace, -10) == 0


def test_cores_are_counted_once():
    centres = np.array([[2.1, 3.5], [2.0, 3.4], [0.0, 0.0], [-2.0, -3.4]])
    assert sato.cores_covered((centres, np.array([1.0, 1.2, 9.0, 30.0]))) == 1
    covariances = np.array([1.0, 1.2, 9.0, 2.0])[:, None, None] * np.eye(2)
    assert sato.cores_covered((centres, covariances)) == 2


@pytest.mark.parametrize(
    "make",
    [chapter.race_explorer, chapter.memory_explorer, chapter.finish_line_explorer],
)
def test_extremes_can_be_drawn(make):
    explorer = make()
    assert len(explorer.controls) <= 4
    pictures = {explorer.png}
    for name, control in explorer.controls.items():
        for _, value in (control.options[0], control.options[-1]):
            explorer.set(**{name: value})
            pictures.add(explorer.png)
    assert len(pictures) > len(explorer.controls) and explorer.error is None


def test_the_report_s_prior():
    X, _ = data_set("B", np.random.default_rng(3))
    full, isotropic = (
        sato.sato_mixture(X, 5, model, 0.01, scale=2.0) for model in sato.FAMILIES
    )
    variance = X.var(axis=0).mean()
    assert isinstance(full.family, NormalWishart)
    assert isinstance(isotropic.family, IsotropicGaussian)
    for mixture in (full, isotropic):
        assert mixture.family.mean_count == pytest.approx(0.002)
        assert mixture.labels.concentration == pytest.approx(1.002)
        assert np.allclose(mixture.family.mean, X.mean(axis=0))
    assert np.allclose(full.family.scatter, 0.002 * 2 * variance * np.eye(2))
    assert isotropic.family.rate == pytest.approx(0.002 * 2 * variance)
    with pytest.raises(ValueError, match="model is 'round'"):
        sato.sato_mixture(X, 5, "round", 0.01)
