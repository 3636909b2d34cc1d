"""Learning from chunks: memory and time against rows in memory, and two workers against one."""

import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from vbkit.families import NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import fit_chunks, init_gaussian
from vbkit.mixture import Mixture

from .measure import Row, agree, peak_memory

ROUNDS = 3


def problem(D: int, K: int):
    """A mixture, and a state with K components to begin with."""
    rng = np.random.default_rng(0)
    mixture = Mixture(
        NormalWishart(np.zeros(D), 1.0, D + 1.0, np.eye(D)), Dirichlet(1.0)
    )
    return mixture, init_gaussian(mixture, rng.standard_normal((1000, D)), K, rng)


def seconds(work) -> float:
    """The least of some rounds."""
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def memory_map_rows(rows: int = 20_000_000, D: int = 4, K: int = 5) -> list[Row]:
    """A sweep over a file of single precision: MiB beyond the page cache, and time against rows
    that lie in memory."""
    mixture, S = problem(D, K)
    rng, part = np.random.default_rng(1), 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path, shape = Path(folder, "rows.npy"), (rows, D)
        X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
        for first in range(0, rows, part):
            X[first : first + part] = rng.standard_normal(X[first : first + part].shape)
        X.flush()
        X = np.load(path, mmap_mode="r")

        def sweep():
            return fit_chunks(mixture, X, S, max_epochs=0)

        peak = peak_memory(sweep)
        data = mixture.observe(np.array(X))
        whole = mixture.e_step(data, S)
        agree(sweep().elbo, whole.log_likelihood - whole.divergence, rtol=1e-9)
        chunked, memory = seconds(sweep), seconds(lambda: mixture.e_step(data, S))
    size = f"{rows:,} x {D} float32, K = {K}"
    note = f"{chunked:.2f} s and {memory:.2f} s a sweep"
    return [
        Row(f"chunks, MiB, {size}", peak, at_most=200),
        Row(f"chunks / in memory, {size}", chunked / memory, at_most=1.2, note=note),
    ]


def chunk(number: int, rows: int, D: int) -> np.ndarray:
    return np.random.default_rng(number).standard_normal((rows, D))


def workers_rows(
    parts: int = 16, rows: int = 250_000, D: int = 8, K: int = 16
) -> list[Row]:
    """Time of three sweeps with one Dask worker over that with two, the rows on the workers; and
    the same for bare processes, which is what two cores of a machine give."""
    import dask.array
    from dask.distributed import Client, LocalCluster, wait

    mixture, S = problem(D, K)
    spent, elbos = [], []
    for count in (1, 2):
        settings = {
            "n_workers": count,
            "threads_per_worker": 1,
            "dashboard_address": ":0",
        }
        with LocalCluster(**settings) as cluster, Client(cluster) as client:
            made = [client.submit(chunk, n, rows, D) for n in range(parts)]
            wait(made)
            source = [dask.array.from_delayed(m, (rows, D), np.float64) for m in made]
            source = dask.array.concatenate(source).persist()
            wait(source)

            def sweeps(source=source):
                return fit_chunks(mixture, source, S, max_epochs=2, tolerance=0)

            elbos.append(sweeps().elbo)
            spent.append(seconds(sweeps))
    agree(*elbos, rtol=1e-9)
    bare = [bare_seconds(count, parts, rows, D, K) for count in (1, 2)]
    reached = bare[0] / bare[1]
    size = f"{parts * rows:,} x {D}, K = {K}"
    return [
        Row(
            f"one Dask worker / two, {size}",
            spent[0] / spent[1],
            at_least=min(1.7, reached),
            note=f"{spent[0]:.2f} s and {spent[1]:.2f} s",
        ),
        Row(
            f"one bare process / two, {size}",
            reached,
            note=f"{bare[0]:.2f} s and {bare[1]:.2f} s",
        ),
    ]


def bare_seconds(processes: int, parts: int, rows: int, D: int, K: int) -> float:
    """Seconds that three sweeps take which so many processes share, with nothing between them but
    the word to begin."""
    with ExitStack() as stack:
        workers = []
        for first in range(processes):
            executor = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
            workers.append(stack.enter_context(executor))
            mine = range(first, parts, processes)
            workers[-1].submit(hold, mine, rows, D, K).result()

        def sweeps():
            for _ in range(3):
                for each in [worker.submit(sweep_held) for worker in workers]:
                    each.result()

        sweeps()
        return seconds(sweeps)


held = []  # of a bare process: a mixture, a state, and its parts of the rows


def hold(numbers, rows: int, D: int, K: int) -> None:
    """Make parts of the rows, to be swept over later."""
    mixture, S = problem(D, K)
    data = [mixture.observe(chunk(number, rows, D)) for number in numbers]
    held[:] = mixture, S, data


def sweep_held() -> None:
    """An E-step over the rows that this process holds."""
    mixture, S, data = held
    with threadpool_limits(1):
        for part in data:
            mixture.sweep(part, S)


SECTIONS = {"chunks": memory_map_rows, "workers": workers_rows}
