"""Many independent runs in one call: threads by default, or any executor of `concurrent.futures`."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from typing import Any

from tqdm import tqdm


def run_many(
    function: Callable[[Any], Any],
    jobs: Iterable[Any],
    *,
    executor: Executor | None = None,
    progress: bool = False,
    description: str = "",
) -> list:
    """[function(job) for job in jobs], in that order, whoever runs them and whenever they finish.

    executor: anything with the interface of `concurrent.futures.Executor`: a process pool, Dask's
    `Client.get_executor()`, ipyparallel's; function and jobs must then be picklable. None: threads, one a core (the
    compiled loops release the interpreter's lock). A job carries its own seed or start, so results do not depend on
    the executor.
    progress: show a bar. The first exception is raised, and jobs not yet begun are cancelled.
    """
    jobs = list(jobs)
    if executor is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        with ThreadPoolExecutor(cores) as threads:
            return run_many(
                function, jobs, executor=threads, progress=progress, description=description
            )
    futures = [executor.submit(function, job) for job in jobs]
    try:
        for future in tqdm(
            as_completed(futures), total=len(jobs), desc=description, disable=not progress
        ):
            future.result()
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return [future.result() for future in futures]
