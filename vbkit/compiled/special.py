"""An exponential function, a logarithm and a digamma for compiled loops.

SciPy's digamma cannot be called in compiled code. The C library's exp and log can, but a loop
that calls them works on one number at a time. These have no branch, so that the compiler works on
several neighbouring numbers at once: a softmax takes half the time, online learning with twenty
components two thirds, and their digits do not depend on the processor.
"""

import math

import numpy as np

from vbkit.compiled import jit

LOG2_E = 1 / math.log(2)
# log 2 in two parts: the first times a whole number below 2**20 is exact.
LOG_2_HIGH = float.fromhex("0x1.62e42fefap-1")
LOG_2_LOW = float.fromhex("0x1.cf79abc9e3b39p-40")
# A float of this size has whole numbers for its last bits. So a small number that is added to it
# is rounded, and stands there with 1023 added: as the exponent of a power of two, 52 bits higher.
ROUNDED = 1.5 * 2.0**52 + 1023
# A float's bits from the 52nd on are its power of two; these are those of sqrt(1/2).
BITS_OF_ROOT_HALF = np.float64(math.sqrt(0.5)).view(np.int64)
LEAST = 2.0**-1022  # below, a float has fewer bits


@jit
def exp(x):
    """e^x to 5e-16 (relative) for -708 < x < 709; 0 below, e^709 above, nan for nan.

    x = n log 2 + r with a whole number n and |r| <= log(2) / 2. So e^x is 2^n, a float made of
    its bits, times e^r, the first 13 terms of whose Taylor series are enough.
    """
    within = x if x > -708.0 else -708.0  # also where x is nan
    within = within if within < 709.0 else 709.0
    shifted = within * LOG2_E + ROUNDED
    n = shifted - ROUNDED
    r = (within - n * LOG_2_HIGH) - n * LOG_2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = (1 + r) + r2 * (1 / 2 + r * (1 / 6))
    middle = (1 / 24 + r * (1 / 120)) + r2 * (1 / 720 + r * (1 / 5040))
    high = (1 / 40320 + r * (1 / 362880)) + r2 * (1 / 3628800 + r * (1 / 39916800))
    series = low + r4 * (middle + r4 * (high + r4 * (1 / 479001600)))
    bits = np.float64(shifted).view(np.int64) << 52
    power = series * np.int64(bits).view(np.float64)
    power = 0.0 if x < -708.0 else power
    return power if x == x else np.nan


@jit
def log(x):
    """log x to 5e-16 (relative) for 2^-1022 <= x < inf; nan for all else.

    x = 2^n m with sqrt(1/2) <= m < sqrt(2). With s = (m - 1) / (m + 1), log m is
    2 (s + s^3 / 3 + s^5 / 5 + ...), of which eleven terms are enough.
    """
    bits = np.float64(x).view(np.int64)
    n = (bits - BITS_OF_ROOT_HALF) >> 52
    m = np.int64(bits - (n << 52)).view(np.float64)
    s = (m - 1) / (m + 1)
    s2 = s * s
    s4 = s2 * s2
    low = (1 / 3 + s2 * (1 / 5)) + s4 * (1 / 7 + s2 * (1 / 9))
    middle = (1 / 11 + s2 * (1 / 13)) + s4 * (1 / 15 + s2 * (1 / 17))
    series = low + s4 * s4 * (middle + s4 * s4 * (1 / 19 + s2 * (1 / 21)))
    value = n * LOG_2_HIGH + (2 * s + (2 * s * s2 * series + n * LOG_2_LOW))
    return value if (x >= LEAST) & (x < np.inf) else np.nan


@jit
def digamma(x):
    """psi(x) for x >= 0 to 2e-15, relative or (near its zero, 1.46) absolute; -inf for 0.

    psi(x) = psi(x + 8) - sum_{i < 8} 1 / (x + i), one formula for all x. The sum is a fraction in
    q = x (x + 7), as 1 / (x + i) + 1 / (x + 7 - i) = (2x + 7) / (q + i (7 - i)); and
    psi(z + 1/2) = log z + 1 / (24 z^2) - 7 / (960 z^4) + ...
    """
    c = x if x < 1e25 else 1e25  # beyond, only the logarithm counts
    q = c * (c + 7)
    a = q * (q + 6)
    b = (q + 10) * (q + 12)
    reciprocals = ((2 * q + 6) * b + a * (2 * q + 22)) * (2 * c + 7) / (a * b)
    z = c + 7.5
    v = 1 / (z * z)
    low = (1 / 24 - v * (7 / 960)) + v * v * (31 / 8064 - v * (127 / 30720))
    middle = 511 / 67584 - v * (1414477 / 67092480)
    high = 8191 / 98304 - v * (118518239 / 267386880)
    series = v * (low + v * v * v * v * (middle + v * v * high))
    return log(x + 7.5) + (series - reciprocals)
