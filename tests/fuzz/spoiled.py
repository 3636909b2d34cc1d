"""What a caller may give by mistake instead of a good argument."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from tests.fuzz.promise import Call

NUMBERS = st.sampled_from([
    0, -1, 0.5, 1e300, -1e300, 1e-300, np.nan, np.inf, -np.inf, 10**30, True, None, "a",
    1j, [1.0], np.ones((1, 1)), np.float32(2), np.int8(3), np.longdouble(2), b"1", {},
])  # fmt: skip
OBJECTS = st.sampled_from([None, 1, "a", 0.5, [], {}, object(), np.zeros(3), int])
EXTREMES = st.sampled_from([np.nan, np.inf, -np.inf, -1.0, 1e300, 5e-324, 0.0, 1e16])
POWERS = st.sampled_from([-320, -250, -150, -101, -30, -8, 8, 12, 30, 101, 150, 250])
BYTES = st.sampled_from([0, 9, 10, 32, 44, 48, 59, 58, 255, 34])
ARRAYS = hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(min_dims=0, max_side=4))

SHAPES = {
    "transposed": np.transpose,
    "in a row": lambda A: A[None],
    "in a column": lambda A: A[..., None],
    "flat": np.ravel,
    "twice": lambda A: np.concatenate([A, A]) if A.ndim else A,
    "empty": lambda A: A[:0] if A.ndim else A,
    "summed": np.sum,
}
VALUES = {
    "negative": np.negative,
    "all zero": lambda A: A * 0,
    "far from zero": lambda A: A + 1e8,
    "whole numbers": np.round,
}
TYPES = {
    "single": lambda A: A.astype(np.float32),
    "half": lambda A: A.astype(np.float16),
    "complex": lambda A: A.astype(complex),
    "text": lambda A: A.astype(str),
    "beyond double": lambda A: A.astype(np.longdouble) * np.longdouble("1e400"),
    "objects": lambda A: A.astype(object),
    "by columns": np.asfortranarray,
    "lists": np.ndarray.tolist,
    "reversed": lambda A: A[::-1] if A.ndim else A,
    "signs": lambda A: A > 0,
    "nothing": lambda A: None,
    "bytes": np.ndarray.tobytes,
    "bytes of a picture": lambda A: np.nan_to_num(A).clip(0, 255).astype(np.uint8),
    "sparse": lambda A: sparse.csr_array(np.atleast_2d(A)) if A.ndim < 3 else A,
}


@st.composite
def calls(draw, good: st.SearchStrategy[Call]) -> Call:
    """Good calls, and calls with one or two of their arguments spoiled."""
    function, arguments = draw(good)
    arguments = dict(arguments)
    names = st.sampled_from(list(arguments))
    for name in draw(st.lists(names, max_size=2, unique=True)):
        arguments[name] = draw(spoiled(arguments[name]))
    for value in arguments.values():  # what is only read may be read-only
        if isinstance(value, np.ndarray) and draw(st.booleans()):
            value.setflags(write=False)
    return Call(function, arguments)


def spoiled(value) -> st.SearchStrategy:
    """What may stand in a value's place; some of it is allowed."""
    if isinstance(value, np.ndarray):
        return spoiled_array(value)
    if isinstance(value, list | tuple):
        return spoiled_list(value) | spoiled_array(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return st.integers(-2, 5) | NUMBERS
    if isinstance(value, bool | float | np.number):
        return NUMBERS
    if isinstance(value, bytes):  # what a file holds
        return spoiled_text(value)
    if isinstance(value, str) and value:
        return OBJECTS | spoiled_text(value)
    return OBJECTS


def spoiled_list(value) -> st.SearchStrategy:
    longer = NUMBERS.map(lambda number: type(value)([*value, number]))
    return longer | st.just(value[:-1])


@st.composite
def spoiled_text(draw, value: str | bytes) -> str | bytes:
    """Up to three other letters, and sometimes an early end."""
    raw = bytearray(value.encode() if isinstance(value, str) else value)
    places = st.integers(0, len(raw) - 1)
    for place in draw(st.lists(places, min_size=1, max_size=3)):
        raw[place] = draw(BYTES)
    text = bytes(raw[: draw(st.just(len(raw)) | places)])
    return text.decode("latin-1") if isinstance(value, str) else text


def spoiled_array(value) -> st.SearchStrategy:
    try:
        A = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return OBJECTS
    return st.one_of(
        changed(A, SHAPES), some_of(A), changed(A, VALUES), scaled(A), with_an_extreme(A),
        changed(A, TYPES), masked(A), ARRAYS
    )  # fmt: skip


@st.composite
def changed(draw, A: np.ndarray, changes: dict):
    change = changes[draw(st.sampled_from(list(changes)))]
    with np.errstate(all="ignore"):
        return change(A)


@st.composite
def some_of(draw, A: np.ndarray) -> np.ndarray:
    """All but the last along an axis."""
    if not A.size or not A.ndim:
        return A
    axis = draw(st.integers(0, A.ndim - 1))
    return A.take(range(A.shape[axis] - 1), axis)


@st.composite
def scaled(draw, A: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return A * 10.0 ** draw(POWERS)


@st.composite
def with_an_extreme(draw, A: np.ndarray) -> np.ndarray:
    A = A.copy()
    if A.size:
        A.flat[draw(st.integers(0, A.size - 1))] = draw(EXTREMES | st.floats())
    return A


@st.composite
def masked(draw, A: np.ndarray) -> np.ma.MaskedArray:
    return np.ma.masked_array(A, draw(hnp.arrays(bool, A.shape)))
