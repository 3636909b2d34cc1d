"""Many independent runs in one call: on threads, or where joblib is told to run them."""

import sys
from collections.abc import Callable, Iterable

import joblib
from tqdm import tqdm


def run_many(
    function: Callable, jobs: Iterable, *, n_jobs=-1, progress=False, description=""
) -> list:
    """Return [function(job) for job in jobs], in job order, regardless of which finishes first.

    n_jobs: how many run at a time; -1 is one per core.
    progress, description: show a bar with this description.

    Jobs run on threads, as compiled loops release the interpreter's lock. They run elsewhere inside
    `with joblib.parallel_config(backend="loky")` (processes) or `backend="dask"` (the current
    `dask.distributed.Client`); function and jobs must then be picklable. A job carries its own seed
    or start, so results do not depend on where it runs. Raises the first exception of a job, and
    ValueError unless n_jobs is a whole number other than 0.
    """
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(
            f"n_jobs is {n_jobs!r}; it must be a whole number other than 0"
        )
    jobs = list(jobs)
    n_jobs = 1 if sys.platform == "emscripten" else n_jobs  # a browser has no threads
    parallel = joblib.Parallel(n_jobs, prefer="threads", return_as="generator")
    results = parallel(joblib.delayed(function)(job) for job in jobs)
    return list(tqdm(results, total=len(jobs), desc=description, disable=not progress))
