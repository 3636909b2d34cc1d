"""Lecture 05a: its explorers and pictures show what the engine computes."""

import numpy as np
import pytest

from vbkit.course import lecture_05a as lecture
from vbkit.course import sato
from vbkit.course.answers_05a import clock_readings, small_sweeps
from vbkit.learning import fit_batch, fit_online, sato2000
from vbkit.press.json_files import read_entries
from vbkit.press.publish import on_file

# ---- the race ------------------------------------------------------------------------


def test_the_race_is_run_by_the_learning_rules():
    runs = lecture.race()
    given = lecture.problem()
    begin = (given.mixture, given.X, given.start)
    most = lecture.SHOWN[-1]
    batch = fit_batch(*begin, max_epochs=most, tolerance=0)
    online = fit_online(*begin, sato2000(1000), epochs=most, rng=given.rng)
    assert np.allclose(runs[lecture.BATCH].elbo, batch.trace, rtol=1e-12)
    assert np.allclose(runs[lecture.ONLINE].elbo, online.trace, rtol=1e-12)
    shown = runs[lecture.ONLINE].parameters[-1].weights
    assert np.allclose(shown, given.mixture.parameters(online.S).weights)


def test_what_the_race_says():
    explorer = lecture.Race()
    explorer.set(passes=1)
    assert f"online VB {lecture.race()[lecture.ONLINE].elbo[1]:.0f}" in explorer.status
    assert "nothing forgotten -5828 nats" in explorer.status


# ---- the clock -----------------------------------------------------------------------


@pytest.mark.parametrize("kappa", lecture.KAPPAS)
def test_the_clock_adds_up_one_over_the_memory(kappa):
    clock = lecture.clock_of(kappa)
    n = 1000
    forgetting = np.zeros(n)
    if np.isfinite(kappa):
        forgetting = 1 / (100 + kappa * np.arange(n))
    # the first point counts as the second of the report, whose start is the first
    readings = clock_readings(forgetting, 100.0)
    place = np.flatnonzero(lecture.MARKS == n)[0]
    assert clock.reading[place] == pytest.approx(readings[-1])
    assert 1 / clock.memory[place] == pytest.approx(readings[-1] - readings[-2])


def test_without_forgetting_the_clock_is_a_logarithm():
    clock = lecture.clock_of(np.inf)
    assert np.allclose(clock.reading, np.log(1 + lecture.MARKS / 100), atol=0.01)


def test_the_clock_that_an_explorer_reads_is_that_of_the_marks():
    explorer = lecture.ReadTheClock()
    explorer.set(passes=100, kappa=0.01)
    assert "memory is 1,089 points" in explorer.status
    assert "reads 242.2 sweeps" in explorer.status
    readings = lecture.clock_after([0, 1000, 100_000])
    assert readings == pytest.approx([0, 9.616, 242.173], abs=1e-3)


def test_small_steps_do_more_per_unit_of_the_clock():
    given = lecture.problem()
    mixture, X = given.mixture, given.X
    ends = [small_sweeps(mixture, X, given.start, size, 9) for size in (0.05, 0.5, 1.0)]
    heights = [mixture.e_step(X, S).elbo for S in ends]
    assert heights == sorted(heights, reverse=True)


# ---- the finishing line --------------------------------------------------------------


def test_arrivals_are_medians_of_the_runs_of_figure_2():
    arrays = lecture.passes_of_figure_2()
    batch, online = arrays["epochs_B"][:2, 3]
    needed = lecture.arrivals(5)
    assert (needed.batch, needed.online) == (batch, online)
    runs = lecture.runs_of_figure_2()[lecture.ONLINE]
    line = lecture.median_end() - 20
    passes = [np.flatnonzero(run < line)[-1] + 1 for run in runs]  # all arrive
    assert lecture.arrivals(20).online == np.median(passes)
    assert lecture.arrivals(20).clock == pytest.approx(
        np.median(lecture.clock_after(1000 * np.array(passes)))
    )


def test_a_run_that_never_arrives_is_an_error(monkeypatch):
    monkeypatch.setattr(lecture, "MOST_STEPS", 3)
    out_of_reach = -1e6  # nats below the median end, so far above it
    with pytest.raises(
        RuntimeError, match="after 3 steps run 0 is still .* nats below"
    ):
        lecture.smooth_arrivals([out_of_reach])


def test_the_finishing_line_speaks_of_what_it_marks():
    explorer = lecture.WhoArrives()
    explorer.set(target=5)
    needed = lecture.arrivals(5)
    assert f"batch VB after {needed.batch:g} sweeps" in explorer.status
    assert f"its clock reads {needed.clock:.0f}" in explorer.status


def test_a_run_that_has_ended_stays_where_it_is():
    traces = [np.array([0.0, 1.0]), np.array([0.0, 3.0, 5.0])]
    assert lecture.until_all_end(traces).tolist() == [[0, 1, 1], [0, 3, 5]]


def test_the_published_runs_are_found_by_the_notebooks_parameters():
    entries = read_entries(on_file("manifest.json"), "figure", "parameters")
    (entry,) = [each for each in entries if each["figure"] == "sato2000-figarrivals"]
    assert entry["parameters"] == lecture.AS_PUBLISHED


# ---- pictures ------------------------------------------------------------------------


def test_online_vb_is_followed_within_a_pass():
    given = lecture.problem()
    paths = lecture.paths_by_the_clock(given.mixture, given.X, given.start)
    fit = fit_online(given.mixture, given.X, given.start, sato2000(1000), epochs=3)
    assert paths.online[::20] == pytest.approx(fit.trace)
    batch = fit_batch(given.mixture, given.X, given.start, max_epochs=26, tolerance=0)
    assert paths.batch == pytest.approx(batch.trace)


def test_the_pictures_show_what_they_are_given():
    given = lecture.problem()
    paths = lecture.paths_by_the_clock(given.mixture, given.X, given.start)
    X = sato.draw(2000)
    pictures = [
        lecture.picture_of_paths(paths),
        lecture.picture_of_data(X),
        lecture.picture_of_figure_2(lecture.passes_of_figure_2()),
    ]
    assert len({picture.alt for picture in pictures}) == 3
    assert all(picture.png.startswith(b"\x89PNG") for picture in pictures)
    assert pictures[1].arrays is X
