import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.promise import Call
from tests.fuzz.spoiled import calls
from vbkit import data
from vbkit.factorization.ratings import read_ratings


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
    return read(data.read_items, text)


@given(calls(items()))
def test_files_of_items(call):
    call.keeps_its_promise()


@st.composite
def data_sets(draw):
    rng = np.random.default_rng(1)
    centres = np.array([[0.0, 1], [2, 3]])
    mixture = {"weights": [0.5, 0.5], "centres": centres, "widths": [1.0, 2.0]}
    changing = {"length": 4, "active": [[0], [0, 1]], "centres": centres, "width": 1.0}
    return draw(st.sampled_from([
        Call(data.gaussian_mixture, {"rng": rng, "size": 9} | mixture),
        Call(data.sato1999, {"size": 9, "rng": rng, "layout": "irregular"}),
        Call(data.sato2000, {"name": "A", "rng": rng, "size": 9}),
        Call(data.ghahramani2000, {"size": 9, "rng": rng, "dimension": 2}),
        Call(data.changing_mixture, {"rng": rng} | changing),
    ]))  # fmt: skip


@given(calls(data_sets()))
def test_data_sets(call):
    call.keeps_its_promise()
