"""Batch learning from data in chunks: more than memory holds, or spread over a cluster.

A pass needs nothing of the data but the sum of their expected statistics, and sums can be
taken chunk by chunk, wherever the chunks lie. So the result is that of `fit_batch`, to
rounding.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
from tqdm import tqdm

from vbkit.checks import as_integer, as_number
from vbkit.learning.batch import learn
from vbkit.learning.fit import Fit, Model, as_model, begin_state
from vbkit.mixture import EStep

# Applies a function to every chunk of the data.
ForEachChunk = Callable[[Callable], Iterable[EStep | None]]


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
    """Fit by batch VB, or batch EM, from a state `start` (K, width), a chunk of the data at
    a time.

    source: one of
        an array or memory map (N, D), of which `rows` rows are read at a time;
        a list of chunks, or a function that returns a new iterator over them: each chunk an
            array (n, D), or a tuple of it and observation weights (n,);
        a pyarrow table or dataset, whose columns are the data's;
        a Dask array, bag of rows, or data frame: a pass is a task for each partition and a
            sum, on the current `dask.distributed.Client` if there is one.
    progress: show a bar for each pass.

    Where rows form sequences, each chunk of a list or function is one, and so is each
    partition; an array is one sequence, which must fit into `rows`, for a chunk would cut it.

    The other arguments, warnings and errors are those of `fit_batch`. Raises ValueError,
    besides, for a sequence that would be cut, and for a source that can be read only once,
    such as a generator, or that holds no row.
    """
    S = begin_state(as_model(mixture), start)
    as_integer("rows", rows, 1)
    as_integer("max_epochs", max_epochs, 0)
    as_number("tolerance", tolerance, 0)
    _refuse_cuts(mixture, source, rows)
    for_each_chunk = _reader(source, rows)
    e_step = partial(_e_step, mixture, for_each_chunk, progress)
    return learn(mixture, e_step, S, max_epochs, tolerance)


def _refuse_cuts(mixture: Model, source, rows: int) -> None:
    """Raise ValueError where labels depend on their neighbours and chunks would part them."""
    labels = getattr(mixture, "labels", None)
    if labels is None or labels.independent:
        return
    is_cut = isinstance(source, np.ndarray) and len(source) > rows
    if is_cut or hasattr(source, "to_batches"):
        raise ValueError(
            f"source is a {type(source).__name__} that would be cut after {rows} rows, "
            f"and labels are {type(labels).__name__}, whose sequences must stay whole; give "
            "a list of sequences, or a larger rows for an array"
        )


def _e_step(mixture: Model, for_each_chunk: ForEachChunk, progress: bool, S) -> EStep:
    """The E-step over all chunks: the sums of what each gives."""
    S_next = 0.0
    log_likelihood = 0.0
    divergence = None
    steps = for_each_chunk(partial(_step, mixture, S))
    for step in tqdm(steps, desc="chunks", disable=not progress):
        if step is not None:
            S_next = S_next + step.S
            log_likelihood += step.log_likelihood
            divergence = step.divergence
    if divergence is None:
        raise ValueError("source holds no row; at least one is needed")
    return EStep(S_next, log_likelihood, divergence)


def _step(mixture: Model, S, chunk) -> EStep | None:
    """The E-step of one chunk; None if it is empty, or nothing in it counts."""
    X, weights = chunk if isinstance(chunk, tuple) else (chunk, None)
    if len(X) == 0:
        return None
    if weights is not None and np.shape(weights) == (len(X),) and not any(weights):
        return None
    return mixture.sweep(mixture.observe(X, weights), S)


def _reader(source, rows: int) -> ForEachChunk:
    """How the chunks of a source are read, by what it is."""
    if hasattr(source, "to_delayed"):
        return partial(_on_dask, source)
    if hasattr(source, "to_batches"):
        return partial(_in_batches, source, rows)
    if callable(source):
        return lambda function: map(function, source())
    if isinstance(source, list):
        if {1, 2} <= {getattr(chunk, "ndim", 0) for chunk in source}:
            raise ValueError(
                "source has chunks of one and of two axes; weights come with their "
                "chunk, as a tuple (X, weights)"
            )
        return lambda function: map(function, source)
    if isinstance(source, np.ndarray):
        firsts = range(0, len(source), rows)
        return lambda function: (function(source[n : n + rows]) for n in firsts)
    kind = type(source).__name__
    if hasattr(source, "__next__"):
        raise ValueError(
            f"source is a {kind}, which can be read only once; give a function that "
            "returns a new one"
        )
    raise ValueError(
        f"source is a {kind}; it must be an array, a list or function of chunks, a "
        "pyarrow table or a Dask collection"
    )


def _in_batches(source, rows: int, function) -> Iterator[EStep | None]:
    """The steps of a pyarrow table or dataset."""
    if hasattr(source, "scanner"):
        batches = source.to_batches(batch_size=rows)
    else:
        batches = source.to_batches(max_chunksize=rows)
    for batch in batches:
        if batch.num_rows:
            columns = [np.asarray(column) for column in batch.columns]
            yield function(np.column_stack(columns))


def _on_dask(source, function) -> Iterable[EStep | None]:
    """The steps of a Dask collection, all of them at once."""
    import dask

    parts = source.to_delayed()
    if isinstance(parts, np.ndarray):
        if parts.ndim != 2 or parts.shape[1] != 1:
            raise ValueError(
                f"source has chunks {source.numblocks}; it must be (N, D) with whole "
                "rows in a chunk: rechunk({1: -1})"
            )
        parts = parts.ravel().tolist()
    shared = dask.delayed(function)  # sent to the workers once
    tasks = [dask.delayed(_apply)(shared, part) for part in parts]
    return dask.compute(*tasks)


def _apply(function, part):
    return function(np.asarray(part))
