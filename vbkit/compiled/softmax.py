"""Responsibilities of a block of rows: a compiled softmax, in double or in single precision."""

from functools import partial

import numpy as np
from numba import types, uint64
from numba.extending import intrinsic, overload

from vbkit.compiled.with_numba import (
    LN2,
    LOG2_E,
    exp,
    inline,
    jit,
    larger,
    log,
    on_stack,
    scratch,
)

# ---- e^x in single precision ----


@inline
def _bits_of_single(x):
    return np.float32(x).view(np.uint32)


@inline
def _single(bits):
    return np.uint32(bits).view(np.float32)


LN2_HIGH_SINGLE, LN2_LOW_SINGLE = np.float32(0.693359375), np.float32(LN2 - 0.693359375)
LOG2_E_SINGLE, ROUND_SINGLE = np.float32(LOG2_E), np.float32(1.5 * 2.0**23)
FRACTION_SINGLE, BITS_OF_ONE_SINGLE = np.uint32(23), np.float32(1).view(np.uint32)
T0, T1, T2, T3, T4, T5, T6 = np.array(
    [1, 1, 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720], np.float32
)
LOWEST_SINGLE, NOTHING_SINGLE = np.float32(-87.0), np.float32(0.0)


@inline
def exp_single(x):
    """e^x to 2e-7 (relative) for a float32 x within [-87, 0]; 0 below, nan for nan."""
    shifted = x * LOG2_E_SINGLE + ROUND_SINGLE
    n = shifted - ROUND_SINGLE
    r = (x - n * LN2_HIGH_SINGLE) - n * LN2_LOW_SINGLE
    r2 = r * r
    high = (T4 + r * T5) + r2 * T6
    power = _single(
        (_bits_of_single(shifted) << FRACTION_SINGLE) + BITS_OF_ONE_SINGLE
    )  # 2^n
    y = ((T0 + r * T1) + r2 * ((T2 + r * T3) + r2 * high)) * power
    return NOTHING_SINGLE if x < LOWEST_SINGLE else y


# ---- columns of a block ----

STRIP = (
    256  # columns worked on at a time: some twenty rows of them stay in the first cache
)
FUSED = {
    "fastmath": {"contract"}
}  # a product and a sum may be one rounding, as in matrix products
_exp, _exp_single = (inline(f.py_func, **FUSED) for f in (exp, exp_single))


def _exp_like(x):
    """e^x in the type of x."""


@overload(_exp_like, inline="always")
def _exp_by_type(x):
    if x == types.float32:
        return lambda x: _exp_single(x)
    return lambda x: _exp(x)


@intrinsic(prefer_literal=True)
def scratch_like(typing, size, array):
    """`scratch` of the type of an array's numbers, float64 or float32."""
    return on_stack(array.dtype, size, array)


@partial(inline, **FUSED)
def _softmax_strip(L, w, first, width, sums):
    """`softmax_columns` of the columns first, first + 1, ...; adds to `sums` what is to be
    summed."""
    top, total, zero = scratch_like(STRIP, L), scratch_like(STRIP, L), L.dtype.type(0)
    K = L.shape[0]
    for c in range(width):
        top[c] = L[0, first + c]
        total[c] = zero
    for k in range(1, K):
        for c in range(width):
            top[c] = larger(top[c], L[k, first + c])
    for k in range(K):
        for c in range(width):
            e = _exp_like(L[k, first + c] - (top[c] if top[c] > -np.inf else zero))
            L[k, first + c] = e
            total[c] += e
    for c in range(width):
        weight = w[first + c] if len(w) else 1.0
        sums[c] += weight * (top[c] + log(np.float64(total[c]))) if weight else 0.0
        total[c] = 1.0 / total[c] if total[c] else 0.0
    for k in range(K):
        for c in range(width):
            L[k, first + c] *= total[c]


@partial(jit, **FUSED)
def softmax_columns(L, w):
    """Turn log responsibilities L (K, n) into responsibilities in place; return sum_n w_n log sum_k
    exp(L_kn).

    L: C-contiguous float64 or float32. w: weights (n,) >= 0, or an empty array for all ones. A
    column of -inf only (a data point that no component can explain) gets responsibilities 0, and
    the sum is -inf unless its weight is 0; a nan stays nan.
    """
    sums = scratch(STRIP)
    for c in range(STRIP):
        sums[c] = 0.0
    for first in range(0, L.shape[1], STRIP):
        # unsigned: that a signed index may be negative rules out vectors
        _softmax_strip(
            L, w, uint64(first), uint64(min(STRIP, L.shape[1] - first)), sums
        )
    total = 0.0
    for c in range(STRIP):
        total += sums[c]
    return total
