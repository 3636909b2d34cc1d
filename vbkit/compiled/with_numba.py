"""How functions are compiled and cached; an exp, log and digamma for whole vectors.

No operation is reordered and none is a library's or a processor's own, so numbers do not depend on
how wide a processor's vectors are. Each is rounded as it is written, except by functions that say
FUSED (`softmax_columns`, the sums over a table's entries): there a processor that can gives a
product and a sum one rounding, so last digits may differ between processors. `exp`, `log` and
`digamma` have no branches and no tables, so a loop over neighbouring numbers that calls them
becomes vector code.
"""

import contextlib
import hashlib
import inspect
import math
import pickle
from pathlib import Path

import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic

# ---- compiling and caching ----


def ingredients(function, seen: set):
    """The texts and numbers that a function is compiled from, those of its compiled callees
    included."""
    python = getattr(function, "py_func", function)
    if python in seen:
        return
    seen.add(python)
    path = Path(inspect.getfile(python))
    yield path.read_text("utf-8") if path.exists() else inspect.getsource(python)
    variables = inspect.getclosurevars(python)
    for name, value in (variables.globals | variables.nonlocals).items():
        if hasattr(value, "py_func"):
            yield from ingredients(value, seen)
        elif isinstance(value, int | float | np.generic):
            yield f"{name} = {value!r}"


def identity(function) -> tuple:
    """The name of a function and the values it captured; those that are functions, by their
    identity."""
    python = getattr(function, "py_func", function)
    captured = [cell.cell_contents for cell in python.__closure__ or ()]
    values = [
        identity(value) if hasattr(value, "py_func") else repr(value)
        for value in captured
    ]
    return python.__module__, python.__qualname__, *values


# what reading a pickle raises that was cut off or overwritten, as by a power cut
DAMAGED = (
    pickle.UnpicklingError,
    EOFError,
    AttributeError,
    ImportError,
    IndexError,
    ValueError,
)


class SourceCache(FunctionCache):
    """numba's cache on disk, also for functions that captured other compiled functions.

    numba keys those by a pickle that differs in every process, and looks only at their own file to
    see whether they changed. Here the key names what was captured, and the stamp is a digest of all
    `ingredients`. A signature has an index of its own, so processes cannot mix them up. What cannot
    be read or written is compiled again.
    """

    def _index_key(self, sig, codegen):
        key = repr((str(sig), codegen.magic_tuple(), identity(self._py_func)))
        name = f"{self._impl.filename_base}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
        stamp = hashlib.sha256(
            "\n".join(ingredients(self._py_func, set())).encode()
        ).hexdigest()
        self._cache_file = IndexDataCacheFile(self._cache_path, name, stamp)
        return key

    @contextlib.contextmanager
    def _guard_against_spurious_io_errors(self):
        try:
            yield
        except OSError:
            pass
        except DAMAGED:
            with contextlib.suppress(OSError):
                self.flush()  # so that what is compiled now can be stored


# Each function says itself how it rounds: numba would let it inherit that from its first caller.
COMMON = {"error_model": "numpy", "no_cfunc_wrapper": True, "fastmath": False}


def jit(function, **options):
    """Decorator: compile, to run without the interpreter's lock; cached on disk where possible."""
    compiled = njit(nogil=True, **COMMON | options)(function)
    with contextlib.suppress(
        RuntimeError
    ):  # numba found no place for a cache: go without
        compiled._cache = SourceCache(function)
    return compiled


def inline(function, **options):
    """Decorator: compile as a part of each compiled function that calls it (and is cached)."""
    return njit(forceinline=True, **COMMON | options)(function)


# ---- the bits of a float, numbers on the stack ----


@inline
def _bits(x):
    return np.float64(x).view(np.uint64)


@inline
def _float(bits):
    return np.uint64(bits).view(np.float64)


@inline
def larger(x, y):
    """The larger of two numbers; x where y is nan. Compiled without a branch."""
    return y if y > x else x


def on_stack(kind, size, *others):
    """What an intrinsic of these arguments returns to make room for `size` (a constant) numbers."""
    if not isinstance(size, types.IntegerLiteral):
        return None

    def build(context, builder, signature, args):
        number = context.get_value_type(kind)
        return cgutils.alloca_once(builder, number, size=max(1, size.literal_value))

    return types.CPointer(kind)(size, *others), build


@intrinsic(prefer_literal=True)
def scratch(typing, size):
    """`size` (a constant) float64 numbers, uninitialised, until the calling function returns;
    unlike an array's they end up in registers once the loops over them are unrolled."""
    return on_stack(types.float64, size)


# ---- exp, log, digamma ----

LN2 = math.log(2)
# ln 2 in two parts: the first times a small integer is exact
LN2_HIGH = float.fromhex("0x1.62e42fefap-1")
LN2_LOW = float.fromhex("0x1.cf79abc9e3b39p-40")
LOG2_E = 1 / LN2
TWO_52, ROUND = (
    2.0**52,
    1.5 * 2.0**52,
)  # adding ROUND leaves the nearest integer in the lowest bits
FRACTION = np.uint64(52)  # bits of a float64's fraction; its exponent lies above them
HALF, SQRT_HALF, ONE, BITS_OF_TWO_52 = np.array([0.5, math.sqrt(0.5), 1, TWO_52]).view(
    np.uint64
)
ABOVE_SQRT_HALF = ONE - SQRT_HALF


@inline
def exp(x):
    """e^x to 5e-16 (relative) for x > -707.7; 0 below, inf above 709.78, nan for nan."""
    c = 710.0 if x > 710.0 else x
    shifted = c * LOG2_E + ROUND
    n = shifted - ROUND
    r = (c - n * LN2_HIGH) - n * LN2_LOW
    r2 = r * r
    r4 = (
        r2 * r2
    )  # |r| <= ln(2) / 2: the first 13 Taylor terms of 2 e^r (twice, for n up to 1024)
    low = (2.0 + r * 2.0) + r2 * (1.0 + r * (2 / 6))
    middle = (2 / 24 + r * (2 / 120)) + r2 * (2 / 720 + r * (2 / 5040))
    high = (2 / 40320 + r * (2 / 362880)) + r2 * (2 / 3628800 + r * (2 / 39916800))
    power = _float((_bits(shifted) << FRACTION) + HALF)  # 2^(n - 1)
    y = (low + r4 * (middle + r4 * (high + r4 * (2 / 479001600)))) * power
    return 0.0 if x < -707.7 else y


@inline
def split(x):
    """m within [sqrt(1/2), sqrt(2)) and the whole number e with x = m 2^e, both floats, for a
    normal x > 0.

    A long product's log is `log_split` of its mantissas' product, split, and all exponents: no
    overflow.
    """
    bits = _bits(x)
    biased = (bits + ABOVE_SQRT_HALF) >> FRACTION
    exponent = _float(biased | BITS_OF_TWO_52) - (TWO_52 + 1023.0)
    return _float(bits - (biased << FRACTION) + ONE), exponent


@inline
def log_split(m, e):
    """log(m 2^e), m as `split` gives it: log m = 2 artanh((m - 1) / (m + 1)), ten terms of its
    series."""
    f = m - 1.0
    s = f / (m + 1.0)
    z = s * s
    z2 = z * z
    low = (2 / 3 + z * (2 / 5)) + z2 * (2 / 7 + z * (2 / 9))
    high = (2 / 11 + z * (2 / 13)) + z2 * (2 / 15 + z * (2 / 17)) + (z2 * z2) * (2 / 19)
    return e * LN2_HIGH + (f - (s * (f - z * (low + (z2 * z2) * high)) - e * LN2_LOW))


@inline
def log(x):
    """Natural log to 2e-16 (relative) for every x > 0; -inf for 0, inf for inf, nan for nan and for
    x < 0."""
    tiny = x < 2.3e-308
    m, e = split(x * TWO_52 if tiny else x)
    y = log_split(m, e - 52.0 if tiny else e)
    y = y if x > 0.0 else (-np.inf if x == 0.0 else np.nan)
    return y if x < np.inf else x


@inline
def digamma(x):
    """psi(x) for 0 < x < 1e308 to 2e-15, relative or (near its zero, 1.46) absolute; -inf for 0,
    nan for nan.

    psi(x) = psi(x + 8) - sum_{i < 8} 1 / (x + i). The sum is a fraction in q = x (x + 7), as 1 / (x
    + i) + 1 / (x + 7 - i) = (2x + 7) / (q + i (7 - i)); and psi(z + 1/2) = log z + 1 / (24 z^2) - 7
    / (960 z^4) + ...
    """
    c = 1e25 if x > 1e25 else x  # beyond, only the log counts
    q = c * (c + 7.0)
    a = q * (q + 6.0)
    b = (q + 10.0) * (q + 12.0)
    total = (((q + q + 6.0) * b + a * (q + q + 22.0)) * (c + c + 7.0)) / (a * b)
    z = c + 7.5
    v = 1.0 / (z * z)
    low = (1 / 24 + v * (-7 / 960)) + v * v * (31 / 8064 + v * (-127 / 30720))
    high = 8191 / 98304 + v * (-118518239 / 267386880)
    high = (511 / 67584 + v * (-1414477 / 67092480)) + v * v * high
    m, e = split(x + 7.5)
    return (log_split(m, e) + v * (low + (v * v) * (v * v) * high)) - total


@jit
def digammas(x):
    """Replace each number of an array (n,) by its digamma."""
    for i in range(len(x)):
        x[i] = digamma(x[i])
