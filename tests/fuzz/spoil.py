"""What a caller may give by mistake instead of a good argument."""

import numpy as np
from scipy import sparse

NUMBERS = (
    0,
    -1,
    0.5,
    1e300,
    -1e300,
    1e-300,
    np.nan,
    np.inf,
    -np.inf,
    10**30,
    True,
    None,
    "a",
)
NUMBERS += (
    1j,
    [1.0],
    np.ones((1, 1)),
    np.float32(2),
    np.int8(3),
    np.longdouble(2),
    b"1",
    {},
)
OBJECTS = (None, 1, "a", 0.5, [], {}, object(), np.zeros(3), int)


def spoil(value, rng: np.random.Generator):
    """Another value in its place; sometimes one that is allowed."""
    if isinstance(value, list | tuple) and rng.random() < 0.5:
        return (
            value[:-1] if rng.random() < 0.5 else type(value)([*value, spoil(1.0, rng)])
        )
    if isinstance(value, np.ndarray | list | tuple):
        return _array(value, rng)
    if isinstance(value, bool | int | float | np.number):
        return NUMBERS[rng.integers(len(NUMBERS))]
    if isinstance(value, str | bytes) and value and rng.random() < 0.7:
        return _text(value, rng)
    return OBJECTS[rng.integers(len(OBJECTS))]


def _text(value, rng):
    data = bytearray(value.encode() if isinstance(value, str) else value)
    for place in rng.integers(len(data), size=rng.integers(1, 4)):
        data[place] = rng.choice([0, 9, 10, 32, 44, 48, 59, 58, 255, 34])
    cut = (
        bytes(data[: rng.integers(len(data) + 1)])
        if rng.random() < 0.3
        else bytes(data)
    )
    return cut.decode("latin-1") if isinstance(value, str) else cut


def _array(value, rng):
    try:
        A = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return OBJECTS[rng.integers(len(OBJECTS))]
    changes = (_shape, _number, _type)
    return changes[rng.integers(len(changes))](A, rng)


def _shape(A, rng):
    axis = rng.integers(max(A.ndim, 1))
    some = A.take(range(A.shape[axis] - 1), axis) if A.size else A
    more = np.concatenate([A, A]) if A.ndim else A
    choices = (
        A.T,
        A[None],
        A[..., None],
        A.ravel(),
        some,
        more,
        A[:0] if A.ndim else A,
        A.sum(),
    )
    return choices[rng.integers(len(choices))]


def _number(A, rng):
    scale = 10.0 ** rng.choice(
        [-320, -250, -150, -101, -30, -8, 8, 12, 30, 101, 150, 250]
    )
    choices = [
        lambda: -A,
        lambda: A * scale,
        lambda: A * 0,
        lambda: A + 1e8,
        lambda: A.round(),
    ]
    wrong = [np.nan, np.inf, -np.inf, -1.0, 1e300, 5e-324, 0.0, 1e16]
    pick = rng.integers(len(choices) + len(wrong))
    with np.errstate(all="ignore"):
        if pick < len(choices):
            return choices[pick]()
    if A.size:
        A.flat[rng.integers(A.size)] = wrong[pick - len(choices)]
    return A


def _type(A, rng):
    masked = np.ma.masked_array(A, rng.random(A.shape) < 0.3)
    thin = [lambda: sparse.csr_array(np.atleast_2d(A)) if A.ndim < 3 else A]
    choices = [
        lambda: A.astype(np.float32),
        lambda: A.astype(complex),
        lambda: A.astype(str),
    ]
    choices += [
        lambda: A.astype(np.longdouble) * 1e400,
        lambda: A.astype(object),
        lambda: masked,
    ]
    choices += [
        lambda: np.asfortranarray(A),
        lambda: A.tolist(),
        lambda: A[::-1] if A.ndim else A,
    ]
    choices += [
        lambda: A > 0,
        lambda: A.astype(np.float16),
        lambda: None,
        lambda: A.tobytes(),
    ]
    choices += [lambda: np.nan_to_num(A).clip(0, 255).astype(np.uint8), *thin]
    with np.errstate(all="ignore"):
        return choices[rng.integers(len(choices))]()
