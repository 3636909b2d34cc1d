"""Many runs: the same numbers in the same order, wherever they run; the first exception ends the
rest."""

import subprocess
import sys
import threading
from contextlib import contextmanager, nullcontext

import joblib
import jobs
import numpy as np
import pytest
from dask.distributed import Client, LocalCluster

from vbkit.learning import run_many

SEEDS = range(6)


@contextmanager
def dask():
    """A local cluster of two worker processes, as a user would start one."""
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**settings) as cluster, Client(cluster):
        with joblib.parallel_config(backend="dask"):
            yield


WHERE = {
    "threads": nullcontext,
    "processes": lambda: joblib.parallel_config(backend="loky", n_jobs=2),
    "dask": dask,
}


@pytest.mark.parametrize(
    "where", ["threads", "processes", pytest.param("dask", marks=pytest.mark.long)]
)
def test_same_results_in_the_same_order(where):
    with WHERE[where]():
        results = run_many(jobs.fit, (seed for seed in SEEDS))
        with pytest.raises(LookupError, match="job 1"):
            run_many(jobs.fail_second, SEEDS)
    for seed, (*fits, label) in enumerate(results):
        *expected, _ = jobs.fit(seed)
        assert label == seed
        for ours, theirs in zip(fits, expected, strict=True):
            np.testing.assert_array_equal(ours.S, theirs.S)
            np.testing.assert_array_equal(ours.trace, theirs.trace)
            assert (
                ours.schedule == theirs.schedule and ours.converged == theirs.converged
            )
            assert np.isfinite(ours.mixture.log_predictive([[0.0, 0.0]], ours.S)).all()


def test_a_browser_has_no_threads(monkeypatch):
    monkeypatch.setattr(sys, "platform", "emscripten")
    threads = run_many(lambda job: threading.get_ident(), range(6), n_jobs=3)
    assert set(threads) == {threading.get_ident()}


def test_progress_in_a_browser_does_not_complain_that_threads_are_missing():
    code = """
import sys, threading, warnings

def refuse(thread):
    raise RuntimeError("can't start new thread")

threading.Thread.start = refuse
sys.platform = "emscripten"
warnings.simplefilter("error")
import vbkit
from tqdm import tqdm

print(list(tqdm(range(2))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[0, 1]\n" and "Warning" not in done.stderr, done.stderr


def test_progress_and_nothing(capsys):
    assert run_many(abs, []) == [] and run_many(abs, [-4]) == [4]
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    run_many(abs, [4, 5], progress=True, description="runs")
    captured = capsys.readouterr()
    assert captured.out == "" and "runs" in captured.err and "2/2" in captured.err


def test_an_exception_ends_the_rest():
    jobs.begun.clear()
    jobs.release.clear()
    threading.Timer(0.2, jobs.release.set).start()
    with pytest.raises(LookupError, match="job 0"):
        run_many(jobs.fail_first, range(200), n_jobs=2)
    assert len(jobs.begun) < 100


def test_n_jobs_is_how_many_run_at_a_time():
    assert len({*run_many(lambda job: threading.get_ident(), range(6), n_jobs=1)}) == 1
    together = threading.Barrier(3, timeout=20)
    assert sorted(run_many(lambda job: together.wait(), range(3), n_jobs=3)) == [
        0,
        1,
        2,
    ]


@pytest.mark.parametrize("n_jobs", [0, 1.5, None, "dask"])
def test_bad_input(n_jobs):
    with pytest.raises(ValueError, match="n_jobs is"):
        run_many(abs, [1], n_jobs=n_jobs)
