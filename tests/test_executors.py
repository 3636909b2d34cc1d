"""Many runs: the same numbers in the same order, whoever computes them; the first exception ends the rest."""

import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

import jobs
import numpy as np
import pytest
from dask.distributed import Client

from vbkit.learning import run_many

SEEDS = range(6)


@contextmanager
def dask():
    with Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as client:
        with client.get_executor() as executor:
            yield executor


EXECUTORS = {
    "default": nullcontext,
    "threads": lambda: ThreadPoolExecutor(3),
    "processes": lambda: ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")),
    "dask": dask,
}


@pytest.mark.parametrize("make", EXECUTORS.values(), ids=EXECUTORS.keys())
def test_same_results_in_the_same_order(make):
    with make() as executor:
        results = run_many(jobs.fit, (seed for seed in SEEDS), executor=executor)
        with pytest.raises(LookupError, match="job 1"):
            run_many(jobs.fail_second, SEEDS, executor=executor)
    for seed, (*fits, label) in enumerate(results):
        *expected, _ = jobs.fit(seed)
        assert label == seed
        for ours, theirs in zip(fits, expected, strict=True):
            np.testing.assert_array_equal(ours.S, theirs.S)
            np.testing.assert_array_equal(ours.trace, theirs.trace)
            assert ours.schedule == theirs.schedule and ours.converged == theirs.converged
            assert np.isfinite(
                ours.mixture.log_predictive([[0.0, 0.0]], ours.S)
            ).all()  # it works on


def test_progress_and_nothing(capsys):
    assert run_many(abs, []) == [] and run_many(abs, [-4]) == [4]
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    run_many(abs, [4, 5], progress=True, description="sweep")
    captured = capsys.readouterr()
    assert captured.out == "" and "sweep" in captured.err and "2/2" in captured.err


def test_the_first_exception_cancels_what_has_not_begun():
    jobs.begun.clear()
    jobs.release.clear()
    with ThreadPoolExecutor(2) as threads:
        with pytest.raises(LookupError, match="job 0"):
            run_many(jobs.fail_first, range(50), executor=threads)
        jobs.release.set()
    assert len(jobs.begun) <= 4  # what two workers had taken before the cancellation


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="this system has no affinity of processes"
)
def test_threads_are_as_many_as_the_cores_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3})
    assert len({*run_many(lambda job: time.sleep(0.01) or threading.get_ident(), range(6))}) == 1
