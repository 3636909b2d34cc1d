"""Batch learning from data in chunks: more than memory holds, or spread over a cluster.

A pass needs nothing of the data but the sum of their expected statistics, and sums can be taken
chunk by chunk, wherever the chunks lie. So the result is that of `fit_batch`, to rounding.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
from tqdm import tqdm

from vbkit.checks import as_integer
from vbkit.families.base import State
from vbkit.learning.batch import Fit, rising, run_epochs
from vbkit.learning.initialization import as_model, begin_state
from vbkit.models import Model
from vbkit.observations import EStep

Steps = Callable[
    [Callable], Iterable[EStep | None]
]  # applies a function to every chunk


def fit_chunks(
    mixture: Model,
    source,
    start,
    *,
    rows=2**17,
    max_epochs=1000,
    tolerance=1e-6,
    progress=False,
) -> Fit:
    """Fit by batch VB, or batch EM, from a state `start` (K, width), a chunk of the data at a time.

    source: one of
        an array or memory map (N, D), of which `rows` rows are read at a time;
        a list of chunks, or a function that returns a new iterator over them: each chunk an array
            (n, D), or a tuple of it and observation weights (n,);
        a pyarrow table or dataset, whose columns are the data's;
        a Dask array, bag of rows, or data frame: a pass is a task for each partition and a sum, on
            the current `dask.distributed.Client` if there is one.
    progress: show a bar for each pass.

    The other arguments, warnings and errors are those of `fit_batch`. Raises ValueError, besides,
    for a source that can be read only once, such as a generator, or that holds no row.
    """
    S = begin_state(as_model(mixture), start)
    as_integer("rows", rows, 1)
    steps = _steps(source, rows)
    epochs = rising(_epochs(mixture, steps, S, progress))
    (S, _), trace, converged = run_epochs(epochs, max_epochs, tolerance)
    return Fit(mixture, S, trace, len(trace) - 1, converged)


def _epochs(
    mixture: Model, steps: Steps, S, progress: bool
) -> Iterator[tuple[State, float]]:
    while True:
        S_new, log_likelihood, divergence = 0.0, 0.0, None
        done = steps(partial(_step, mixture, S))
        for step in tqdm(done, desc="chunks", disable=not progress):
            if step is not None:
                S_new = S_new + step.S
                log_likelihood += step.log_likelihood
                divergence = step.divergence
        if divergence is None:
            raise ValueError("source holds no row; at least one is needed")
        yield S, log_likelihood - divergence
        S = State(S_new, mixture.family.origin)


def _step(mixture: Model, S, chunk) -> EStep | None:
    """The E-step of one chunk; None if it is empty, or nothing in it counts."""
    X, weights = chunk if isinstance(chunk, tuple) else (chunk, None)
    if not len(X) or (
        weights is not None and np.shape(weights) == (len(X),) and not any(weights)
    ):
        return None
    return mixture.e_step(X, S, weights)


def _steps(source, rows: int) -> Steps:
    if hasattr(source, "to_delayed"):
        return partial(_on_dask, source)
    if hasattr(source, "to_batches"):
        return partial(_in_batches, source, rows)
    if callable(source):
        return lambda function: map(function, source())
    if isinstance(source, list):
        if {1, 2} <= {getattr(chunk, "ndim", 0) for chunk in source}:
            pair = "weights come with their chunk, as a tuple (X, weights)"
            raise ValueError(f"source has chunks of one and of two axes; {pair}")
        return lambda function: map(function, source)
    if isinstance(source, np.ndarray):
        first = range(0, len(source), rows)
        return lambda function: (function(source[n : n + rows]) for n in first)
    once = "which can be read only once; give a function that returns a new one"
    if hasattr(source, "__next__"):
        raise ValueError(f"source is a {type(source).__name__}, {once}")
    allowed = (
        "an array, a list or function of chunks, a pyarrow table or a Dask collection"
    )
    raise ValueError(f"source is a {type(source).__name__}; it must be {allowed}")


def _in_batches(source, rows: int, function) -> Iterator[EStep | None]:
    """The steps of a pyarrow table or dataset."""
    size = "batch_size" if hasattr(source, "scanner") else "max_chunksize"
    for batch in source.to_batches(**{size: rows}):
        if batch.num_rows:
            yield function(np.column_stack([*map(np.asarray, batch.columns)]))


def _on_dask(source, function) -> Iterable[EStep | None]:
    import dask

    parts = source.to_delayed()
    if isinstance(parts, np.ndarray):
        if parts.ndim != 2 or parts.shape[1] != 1:
            wanted = "it must be (N, D) with whole rows in a chunk: rechunk({1: -1})"
            raise ValueError(f"source has chunks {source.numblocks}; {wanted}")
        parts = parts.ravel().tolist()
    shared = dask.delayed(function)  # sent to the workers once
    return dask.compute(*(dask.delayed(_apply)(shared, part) for part in parts))


def _apply(function, part):
    return function(np.asarray(part))
