"""Learning from chunks gives what learning from all rows gives, however they are cut and wherever
they lie."""

import dask
import dask.array
import dask.bag
import jobs
import numpy as np
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from dask.distributed import Client, LocalCluster
from oracles import close

from vbkit.checks import ConvergenceWarning
from vbkit.families import NormalWishart
from vbkit.labels import Dirichlet, MarkovChain
from vbkit.learning import fit_batch, fit_chunks, init_from_rows
from vbkit.mixture import EM, Mixture

pytestmark = pytest.mark.filterwarnings("error")
RNG = np.random.default_rng(1)
X = np.concatenate([RNG.normal(c, 1, (300, 3)) for c in (0, 4, 9)])
RNG.shuffle(X)
MIXTURE = Mixture(NormalWishart.from_pseudo_data([0.0] * 3, 1.0, 1.0), Dirichlet(1.0))
START = init_from_rows(MIXTURE, X, 4, np.random.default_rng(2))
WHOLE = fit_batch(MIXTURE, X, START, max_epochs=30, tolerance=0)


def same(fit, whole=WHOLE):
    close(fit.trace, whole.trace, rtol=1e-9)
    close(fit.S, whole.S, rtol=1e-9, atol=1e-9)
    assert fit.mixture is whole.mixture


def fitted(source, mixture=MIXTURE, start=START, **settings):
    return fit_chunks(mixture, source, start, max_epochs=30, tolerance=0, **settings)


@pytest.mark.parametrize("rows", [1, 7, 450, 10_000])
def test_the_cuts_do_not_matter(rows):
    epochs = {"max_epochs": 2, "tolerance": 0}
    same(
        fit_chunks(MIXTURE, X, START, rows=rows, **epochs),
        fit_batch(MIXTURE, X, START, **epochs),
    )


def table(rows):
    return pyarrow.table({name: rows[:, d] for d, name in enumerate("abc")})


SOURCES = {
    "list": [X[:100], X[100:100], X[100:]],
    "function": lambda: iter(np.array_split(X, 5)),
    "pairs": lambda: ((part, np.ones(len(part))) for part in np.array_split(X, 4)),
    "table": table(X),
    "dask array": dask.array.from_array(X, chunks=(250, 3)),
    "dask bag": dask.bag.from_sequence(X.tolist(), npartitions=3),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_where_the_chunks_come_from_does_not_matter(source):
    same(fitted(source))


def test_files(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    same(fitted(np.load(tmp_path / "rows.npy", mmap_mode="r"), rows=100))
    pyarrow.parquet.write_table(table(X[:500]), tmp_path / "a.parquet")
    pyarrow.parquet.write_table(table(X[500:]), tmp_path / "b.parquet")
    same(
        fitted(pyarrow.dataset.dataset(tmp_path, exclude_invalid_files=True), rows=100)
    )


def test_weights_and_the_em_limit():
    w = RNG.uniform(0, 2, len(X))
    mixture = Mixture(MIXTURE.family, Dirichlet(0.0), clones=EM)
    whole = fit_batch(mixture, X, START, weights=w, max_epochs=30, tolerance=0)
    pairs = [(X[n : n + 90], w[n : n + 90]) for n in range(0, len(X), 90)]
    same(fitted(pairs, mixture), whole)
    same(
        fitted([(X[:7], np.zeros(7)), *pairs], mixture), whole
    )  # of which nothing counts


def test_sequences():
    model = Mixture(MIXTURE.family, MarkovChain())
    sequences = np.array_split(X, 9)
    start = init_from_rows(model, sequences, 3, np.random.default_rng(3))
    whole = fit_batch(model, sequences, start, max_epochs=10, tolerance=0)
    chunks = [sequences[:4], sequences[4:]]
    same(fit_chunks(model, chunks, start, max_epochs=10, tolerance=0), whole)


@pytest.mark.broken
def test_a_worker_that_is_killed_costs_time_only(tmp_path):
    path = str(tmp_path / "rows.npy")
    np.save(path, X)
    parts = [dask.delayed(jobs.load)(path, chunk, chunk == 3) for chunk in range(6)]
    source = dask.bag.from_delayed(parts)
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as cluster:
        with Client(cluster):
            fit = fit_chunks(MIXTURE, source, START, max_epochs=5, tolerance=0)
    same(fit, fit_batch(MIXTURE, X, START, max_epochs=5, tolerance=0))
    assert (tmp_path / "rows.npy.died").exists()


def test_a_bar_for_each_pass(capsys):
    fit_chunks(MIXTURE, [X], START, max_epochs=2, tolerance=0, progress=True)
    assert "chunks" in capsys.readouterr().err


@pytest.mark.parametrize(
    "source, words",
    [
        ((part for part in [X]), "source is a generator, which can be read only once"),
        ("rows.npy", "source is a str; it must be an array"),
        ([], "source holds no row"),
        ([X[:0]], "source holds no row"),
        ([X[:, :1], X[:, 0]], r"as a tuple \(X, weights\)"),
        ([X[:, :2]], "X has 2 columns; it must have 3"),
        (
            dask.array.from_array(X, chunks=(250, 2)),
            r"source has chunks \(4, 2\); it must be",
        ),
    ],
)
def test_bad_sources(source, words):
    with pytest.raises(ValueError, match=words):
        fitted(source)


def test_bad_settings():
    for name, value in {"rows": 0, "max_epochs": -1, "tolerance": -1}.items():
        with pytest.raises(ValueError, match=f"{name} is {value}"):
            fit_chunks(MIXTURE, X, START, **{name: value})
    with pytest.raises(ValueError, match="the state has shape"):
        fit_chunks(MIXTURE, X, START[:, :3])
    with pytest.warns(
        ConvergenceWarning, match="all 2 components of the start are identical"
    ):
        fit_chunks(MIXTURE, X, START[[0, 0]], max_epochs=1)


def test_weights_of_another_length_are_refused_even_if_none_counts():
    for weights in (np.zeros(len(X) + 1), np.zeros((len(X), 1))):
        with pytest.raises(ValueError, match="weights must be"):
            fit_chunks(MIXTURE, [(X, weights)], START, max_epochs=1)


def test_some_chunks_may_have_weights():
    source = [X[:400], (X[400:], np.ones(500))]
    same(fitted(source))
