"""Jobs of test_executors.py, in a module of their own so that other processes can import them."""

import threading
import time

import numpy as np
import oracles

from vbkit.learning import fit_batch, fit_online, sato2000

begun = []
release = threading.Event()


def fit(seed):
    """A batch fit, an online fit from it, and the seed;
    the later the seed, the sooner it is done."""
    rng = np.random.default_rng(seed)
    *_, X, R, mixture = oracles.problem(rng, oracles.KINDS[seed % 2], 2, 60)
    batch = fit_batch(mixture, X, mixture.m_step(X, R), max_epochs=20)
    time.sleep(0.02 * (5 - seed))
    return batch, fit_online(mixture, X, batch.S, sato2000(60), epochs=2, rng=rng), seed


def fail_first(job):
    """The first job fails; the others note that they have begun,
    and wait until they are released."""
    if job == 0:
        raise LookupError("job 0")
    begun.append(job)
    release.wait(10)


def fail_second(job):
    if job == 1:
        raise LookupError("job 1")


def load(path, chunk, dies):
    """One chunk of the rows in a file. If it is the one that dies, the worker is killed the first
    time, in the middle of the fit."""
    import os
    from pathlib import Path

    once = Path(f"{path}.died")
    if dies and not once.exists():
        once.touch()
        os._exit(1)
    return np.array_split(np.load(path), 6)[chunk]
