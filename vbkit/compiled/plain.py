"""What stands in for compiled code where there is no numba: the same names, in Python and NumPy."""

import math

import numpy as np
from scipy import special

LN2 = math.log(2)
FUSED = {}
uint64 = int


def jit(function, **options):
    """Return the function: it runs in Python."""
    return function


inline = jit


def scratch(size):
    """`size` numbers: a list, as single numbers are read and written faster there."""
    return [0.0] * size


def larger(x, y):
    """The larger of two numbers; x where y is nan."""
    return y if y > x else x


def exp(x):
    """e^x; 0 below -707.7, inf above 709.78."""
    return 0.0 if x < -707.7 else math.inf if x > 709.78 else math.exp(x)


def log(x):
    """Natural log; -inf for 0, nan below."""
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def digamma(x):
    """psi(x) for x > 0; -inf for 0."""
    return float(special.digamma(x)) if x > 0 else -math.inf if x == 0 else math.nan


def digammas(x):
    """Replace each number of an array by its digamma."""
    special.digamma(x, out=x)


def split(x):
    """m within [1/2, 1) and the whole number e with x = m 2^e."""
    return math.frexp(x)


def log_split(m, e):
    """log(m 2^e)."""
    return log(m) + e * LN2


def softmax_columns(L, w):
    """Turn log responsibilities L (K, n) into responsibilities in place; return sum_n w_n log sum_k
    exp(L_kn). See `vbkit.compiled.with_numba.softmax_columns`."""
    top = L.max(axis=0)
    np.exp(np.subtract(L, np.where(top > -np.inf, top, 0.0), out=L), out=L)
    total = L.sum(axis=0)
    with np.errstate(divide="ignore"):
        sums = top + np.log(total)
    L /= np.where(total == 0, 1.0, total)
    if len(w):
        return float((w[w != 0] * sums[w != 0]).sum())
    return float(sums.sum())
