"""Checks of arguments: each returns the value in the form the code needs, or raises a ValueError
that names it."""

import math
import numbers
from importlib.util import find_spec

import attrs
import numpy as np

TINY = float(np.finfo(float).tiny)  # the least number with all its digits
# Scales within which squares, and products of squares, stay exact.
SMALLEST_SCALE = 1e-100
LARGEST_SCALE = 1e100


class ConvergenceWarning(UserWarning):
    """An ELBO fell by more than rounding explains, or learning from a start leads nowhere."""


def require(extra: str, *modules: str) -> None:
    """Raise ImportError, with a sentence that names the extra, unless the modules are installed."""
    for module in modules:
        if find_spec(module) is None:
            install = f"pip install 'vbkit[{extra}]'"
            raise ImportError(
                f"this part of vbkit needs {module}: {install}", name=module
            )


def checked(check, *limits, default=attrs.NOTHING):
    """A field of an attrs class whose value is `check(name, value, *limits)`; an array becomes the
    object's own."""

    def convert(value, field):
        value = check(field.name, value, *limits)
        return read_only(value) if isinstance(value, np.ndarray) else value

    return attrs.field(
        default=default, converter=attrs.Converter(convert, takes_field=True)
    )


def as_array(
    name: str, value, ndim: int | None = None, *, nan: bool = False
) -> np.ndarray:
    """A C-ordered float64 array of finite numbers (or NaN, where allowed), with `ndim` axes if
    given."""
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError(
            f"{name} is a masked array, whose mask would be lost; give a plain array"
        )
    try:
        found = np.asarray(value)
    except ValueError as error:  # ragged lists
        raise ValueError(f"{name} must be an array of real numbers: {error}") from None
    if found.dtype.kind not in "buif":
        raise ValueError(
            f"{name} must be an array of real numbers; its entries are {found.dtype}"
        )
    if ndim is not None and found.ndim != ndim:
        raise ValueError(f"{name} has shape {found.shape}; it must have {ndim} axes")
    with np.errstate(over="ignore"):  # longer floats may exceed what a float64 holds
        numbers = np.ascontiguousarray(found, dtype=np.float64).reshape(found.shape)
    finite = ~np.isinf(numbers) if nan else np.isfinite(numbers)
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        where = list(place) if place else ""
        raise ValueError(
            f"{name}{where} is {found[place]}; every number must be finite"
        )
    return numbers


def as_matrix(name: str, X, columns: int | None = None) -> np.ndarray:
    """X as a float64 matrix with at least one row and column; a vector is one column where one is
    wanted."""
    X = as_array(name, X)
    if X.ndim == 1 and columns == 1:
        X = X[:, None]
    if X.ndim != 2 or X.size == 0:
        raise ValueError(
            f"{name} has shape {X.shape}; it must be (rows, columns), >= 1 of each"
        )
    if columns is not None and X.shape[1] != columns:
        raise ValueError(f"{name} has {X.shape[1]} columns; it must have {columns}")
    return X


def as_symmetric(name: str, A, size: int) -> np.ndarray:
    """A as a float64 matrix (size, size), made symmetric where rounding has left it not; a single
    number is a matrix of one."""
    A = as_array(name, A)
    A = A.reshape(1, 1) if A.size == 1 else A
    if A.shape != (size, size):
        raise ValueError(
            f"{name} has shape {A.shape}; it must be symmetric, ({size}, {size})"
        )
    # what rounding leaves in an entry goes with the two diagonal ones
    scale = np.sqrt(np.abs(A.diagonal()))
    differing = np.argwhere(np.abs(A - A.T) > 1e-12 * np.outer(scale, scale))
    if len(differing):
        i, j = differing[0]
        entries = f"{name}[{i}, {j}] is {A[i, j]} and {name}[{j}, {i}] is {A[j, i]}"
        raise ValueError(f"{entries}; it must be symmetric")
    return A / 2 + A.T / 2


def as_vector(name: str, x) -> np.ndarray:
    """x as a float64 vector with at least one entry; a single number is a vector of one."""
    x = np.atleast_1d(as_array(name, x))
    if x.ndim != 1 or x.size == 0:
        raise ValueError(
            f"{name} has shape {x.shape}; it must be one number or a vector"
        )
    return x


def _is_finite(value) -> bool:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    return real and math.isfinite(value)


def as_number(name: str, value, low: float = -np.inf, high: float = np.inf) -> float:
    """A finite number within [low, high]; True and False are not numbers."""
    if not _is_finite(value) or not low <= value <= high:
        limits = "" if low == -np.inf else f" >= {low:g}"
        limits = limits if high == np.inf else f" within [{low:g}, {high:g}]"
        raise ValueError(f"{name} is {value!r}; it must be a finite number{limits}")
    return float(value)


def as_positive(name: str, value, *, above: float = 0.0) -> float:
    """A finite number greater than `above`, and not so close to 0 that it has lost its digits."""
    if not _is_finite(value) or value <= above:
        raise ValueError(f"{name} is {value!r}; it must be a finite number > {above:g}")
    if 0 < value < TINY:
        raise ValueError(
            f"{name} is {value!r}, too close to 0; it must be at least {TINY:.3g}"
        )
    return float(value)


def as_positives(name: str, value) -> np.ndarray:
    """A float64 array (...) of finite numbers greater than 0, as `as_positive` takes them."""
    value = as_array(name, value)
    if not (value > 0).all():
        raise ValueError(f"{name} is {value}; it must be greater than 0")
    if (value < TINY).any():
        least = f"it must be at least {TINY:.3g}"
        raise ValueError(f"{name} reaches {value.min()}, too close to 0; {least}")
    return value


def one_for_each(name: str, values: np.ndarray, size: int) -> np.ndarray:
    """The numbers of `size` columns, (size,), read-only; one number counts for all."""
    if values.shape not in ((), (1,), (size,)):
        raise ValueError(
            f"{name} has shape {values.shape}; it must be one number or ({size},)"
        )
    return read_only(np.broadcast_to(values, (size,)))


def as_nonnegative(name: str, value) -> np.ndarray:
    """A float64 array (...) of finite numbers, none of them below 0."""
    value = as_array(name, value)
    if (value < 0).any():
        raise ValueError(f"{name} reaches {value.min():g}; it must be >= 0")
    return value


def as_counts(counts, size: int) -> np.ndarray:
    """The counts >= 0 of `size` components as a column (size, 1); one number counts for all."""
    return one_for_each("counts", as_nonnegative("counts", counts), size)[:, None]


def as_integer(name: str, value, least: int) -> int:
    """A whole number, at least `least`; those beyond 2^53 are no float64."""
    if (
        not isinstance(value, numbers.Integral)
        or isinstance(value, bool)
        or value < least
    ):
        raise ValueError(f"{name} is {value!r}; it must be a whole number >= {least}")
    if value > 2**53:
        raise ValueError(
            f"{name} is {value!r}; it must be a whole number of at most 2^53"
        )
    return int(value)


def as_shape(name: str, value) -> tuple[int, int]:
    """Rows and columns, whole numbers of 1 to 2^31."""
    if not isinstance(value, tuple | list | np.ndarray) or np.shape(value) != (2,):
        raise ValueError(
            f"{name} is {value!r}; it must be two whole numbers, (rows, columns)"
        )
    rows = as_integer(name, value[0], 1)
    columns = as_integer(name, value[1], 1)
    if max(rows, columns) > 2**31:
        raise ValueError(
            f"{name} is {value!r}; at most 2^31 rows and columns are allowed"
        )
    return rows, columns


def as_instance(name: str, value, kind: type, example: str = ""):
    """An object of the class `kind`."""
    if not isinstance(value, kind):
        wanted = (
            f"a {kind.__name__}, such as {example}" if example else f"a {kind.__name__}"
        )
        raise ValueError(f"{name} is {value!r:.80}; it must be {wanted}")
    return value


def as_generator(name: str, rng) -> np.random.Generator:
    """A NumPy random generator."""
    return as_instance(name, rng, np.random.Generator, "numpy.random.default_rng(1)")


def read_only(A: np.ndarray) -> np.ndarray:
    """A copy of A that cannot be written to: for what has been checked once and must stay so."""
    A = A.copy()
    A.setflags(write=False)
    return A


def require_numbers(name: str, values):
    """The values; ValueError if one of them is nan."""
    if np.isnan(values).any():
        raise ValueError(
            f"{name} is nan: the family has no prior or posterior at this state"
        )
    return values
