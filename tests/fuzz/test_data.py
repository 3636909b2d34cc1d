import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.good import GENERATORS
from tests.fuzz.promise import Call, named
from tests.fuzz.spoiled import calls
from vbkit import data
from vbkit.own_data import read_items, read_ratings, read_table
from vbkit.own_data.preparation import prepare


@st.composite
def ratings(draw):
    mark = draw(st.sampled_from(["\t", " ", ",", ";"]))
    number = st.integers(1, 5).map(str)
    line = st.lists(number, min_size=3, max_size=3).map(mark.join)
    lines = draw(st.lists(line, min_size=1, max_size=8))
    return Call(read_rating_file, {"text": "\n".join(lines).encode()})


def read_rating_file(text):
    return read(read_ratings, text)


def read(reader, text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.txt")
        path.write_bytes(text)
        return reader(path)


@given(calls(ratings()))
def test_files_of_ratings(call):
    call.keeps_its_promise()


@st.composite
def items(draw):
    n_items = draw(st.integers(1, 4))
    lines = [f"i{n}\t{n % 2}\t1" for n in range(n_items)]
    text = "\n".join(["item\tann\tbob", *lines])
    return Call(read_item_file, {"text": text.encode()})


def read_item_file(text):
    return read(read_items, text)


@given(calls(items()))
def test_files_of_items(call):
    call.keeps_its_promise()


@st.composite
def sequences(draw):
    mark = draw(st.sampled_from([",", ";", "\t"]))
    clock = draw(st.sampled_from(["2024-06-01 06:0{}", "{}.5", "0{}.06.2024", "no {}"]))
    rows = draw(st.lists(st.integers(0, 9), min_size=1, max_size=12))
    lines = [mark.join([clock.format(n), f"{n % 4}.5", f"{n}"]) for n in rows]
    text = "\n".join([mark.join(["when", "a", "b"]), *lines])
    function = draw(st.sampled_from([read_by_clock, read_in_order]))
    return Call(function, {"text": text.encode()})


def read_by_clock(text):
    return lengths(text, sequences="when")


def read_in_order(text):
    return lengths(text, in_order=True)


def lengths(text, **said):
    """The lengths of sequences that are ready to be learned from."""
    data = prepare(read(partial(read_table, **said), text))
    assert data.sequences.lengths.sum() == len(data.X)
    assert (data.sequences.lengths > 0).all()
    return data.sequences.lengths, data.X


@given(calls(sequences()))
def test_files_of_sequences(call):
    call.keeps_its_promise()


@st.composite
def data_sets(draw, name):
    rng = draw(GENERATORS)
    centres = np.array([[0.0, 1], [2, 3]])
    mixture = {"weights": [0.5, 0.5], "centres": centres, "widths": [1.0, 2.0]}
    changing = {"length": 4, "active": [[0], [0, 1]], "centres": centres, "width": 1.0}
    return named(name, [
        Call(data.gaussian_mixture, {"rng": rng, "size": 9} | mixture),
        Call(data.sato1999, {"size": 9, "rng": rng, "layout": "irregular"}),
        Call(data.sato2000, {"name": "A", "rng": rng, "size": 9}),
        Call(data.ghahramani2000, {"size": 9, "rng": rng, "dimension": 2}),
        Call(data.changing_mixture, {"rng": rng} | changing),
    ])  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["gaussian_mixture", "sato1999", "sato2000", "ghahramani2000", "changing_mixture"],
)
@given(data=st.data())
def test_data_sets(name, data):
    data.draw(calls(data_sets(name))).keeps_its_promise()
