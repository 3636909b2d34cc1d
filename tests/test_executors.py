"""Many runs: the same numbers in the same order, whoever computes them; the first exception ends the rest."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import jobs
import numpy as np
import pytest
from dask.distributed import Client

from vbkit.learning import run_many

SEEDS = list(range(6))


def same(results, expected):
    assert [seed for *_, seed in results] == SEEDS
    for ours, theirs in zip(results, expected, strict=True):
        for left, right in zip(ours[:2], theirs[:2], strict=True):
            np.testing.assert_array_equal(left.S, right.S)
            np.testing.assert_array_equal(left.trace, right.trace)
            assert left.schedule == right.schedule and left.converged == right.converged


@pytest.fixture(scope="module")
def serial():
    return [jobs.fit(seed) for seed in SEEDS]


def test_threads(serial):
    same(run_many(jobs.fit, SEEDS), serial)
    with ThreadPoolExecutor(3) as threads:
        same(run_many(jobs.fit, (seed for seed in SEEDS), executor=threads), serial)


def test_processes(serial):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as processes:
        results = run_many(jobs.fit, SEEDS, executor=processes)
        same(results, serial)
        with pytest.raises(LookupError, match="job 1"):
            run_many(jobs.fail_second, SEEDS, executor=processes)
    mixture, S = results[0][0].mixture, results[0][0].S  # a result from elsewhere works on
    assert np.isfinite(mixture.log_predictive(np.zeros((1, 2)), S)).all()


def test_dask(serial):
    with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        with client.get_executor() as executor:
            same(run_many(jobs.fit, SEEDS, executor=executor), serial)
            with pytest.raises(LookupError, match="job 1"):
                run_many(jobs.fail_second, SEEDS, executor=executor)


def test_order_progress_and_nothing(capsys):
    with ThreadPoolExecutor(5) as threads:
        assert run_many(jobs.late, range(5), executor=threads) == list(range(5))
    assert run_many(jobs.late, []) == [] and run_many(jobs.late, [4], progress=False) == [4]
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    run_many(jobs.late, [4, 5], progress=True, description="sweep")
    captured = capsys.readouterr()
    assert captured.out == "" and "sweep" in captured.err and "2/2" in captured.err


def test_the_first_exception_cancels_what_has_not_begun():
    jobs.begun.clear()
    jobs.release.clear()
    with ThreadPoolExecutor(2) as threads:
        with pytest.raises(LookupError, match="job 0"):
            run_many(jobs.fail_first, range(50), executor=threads)
        jobs.release.set()
    assert len(jobs.begun) <= 4  # two workers, and what they had taken before the cancellation
