"""Compiled expected log densities of the built-in families, for the online loop
(`vbkit.learning.stream`).

Each function of the dimension gives a compiled (t, s, packed) -> E log p(x | theta) without the
base measure: t (P,) the statistics of x, s (P,) those that data added to the component's prior,
`packed` the family's packed hyperparameters. It is nan where the posterior does not exist. The
dimension is a constant to the compiler, so that loops are unrolled.
"""

from functools import cache

import numpy as np

from vbkit.compiled import LN2, digamma, inline, larger, log_split, scratch, split
from vbkit.families.gaussian import LOG_2PI, collapsed
from vbkit.families.splits import ROUNDING

lost = inline(collapsed)


def per_dimension(make):
    """The property `log_density_jit` of families: what `make` gives for a dimension, made once."""
    make = cache(make)
    return property(lambda family: make(family.dimension))


@per_dimension
def normal_wishart(D: int):
    square = D * D

    @inline
    def log_density(t, s, packed):
        """(Sato 2000, A.8): scatter = L diag(pivots) L', deviation = L z, quadratic = sum z^2 /
        pivots."""
        U, inverse, z = scratch(square), scratch(D), scratch(D)  # U = L diag(pivots)
        nu, inverse_count = packed[1] + s[0], 1.0 / (packed[0] + s[0])
        quadratic, mantissa, exponent = 0.0, 1.0, 0.0
        for i in range(D):
            mean = s[1 + i] * inverse_count
            deviation = t[1 + i] - mean
            for j in range(i + 1):
                at = 1 + D + j * D - (j * (j - 1)) // 2 + i - j
                u = packed[at + 1 - D] + (s[at] - mean * s[1 + j])
                for h in range(j):  # in this order at scales near 1e100
                    u -= U[i * D + h] * (U[j * D + h] * inverse[h])
                U[i * D + j] = u
            for h in range(i):
                deviation -= U[i * D + h] * inverse[h] * z[h]
            z[i] = deviation
            pivot = U[i * D + i]
            prior = packed[at + 1 - D]  # the loop ended at entry (i, i)
            inverse[i] = (
                np.nan if lost(pivot, prior + s[at], prior, s[0]) else 1.0 / pivot
            )
            quadratic += deviation * deviation * inverse[i]
            m, e = split(pivot)
            mantissa *= m
            exponent += e
        sum_psi = digamma(0.5 * (nu - D + 1.0)) if D % 2 else 0.0
        for i in range(0, D - 1, 2):  # psi((nu - i) / 2) + psi((nu - i - 1) / 2)
            sum_psi += 2.0 * (digamma(nu - i - 1.0) - LN2)
        m, e = split(mantissa)
        log_det = log_split(m, e + exponent)
        return 0.5 * (
            sum_psi + D * (LN2 - LOG_2PI) - log_det - D * inverse_count - nu * quadratic
        )

    return log_density


@cache
def gamma_precisions(D: int, groups: int):
    size = D // groups

    @inline
    def log_density(t, s, packed):
        """sum over the groups of dimensions that share a precision of
        1/2 (size (E log rho - log 2 pi - 1 / count) - E[rho] |x - mean|^2)."""
        inverse_count = 1.0 / (packed[0] + s[0])
        shape = packed[1] + 0.5 * size * s[0]
        quadratic, mantissa, exponent = 0.0, 1.0, 0.0
        for g in range(groups):
            prior, second = packed[2 + g], s[1 + D + g]
            scatter, distance = second, 0.0
            for i in range(g * size, g * size + size):
                mean = s[1 + i] * inverse_count
                scatter -= mean * s[1 + i]
                distance += (t[1 + i] - mean) * (t[1 + i] - mean)
            rate = prior + 0.5 * scatter
            rate = np.nan if lost(rate, prior + 0.5 * second, prior, s[0]) else rate
            quadratic += distance / rate
            m, e = split(rate)
            mantissa *= m
            exponent += e
        m, e = split(mantissa)
        log_rates = size * log_split(m, e + exponent)
        peak = D * (digamma(shape) - LOG_2PI - inverse_count)
        return 0.5 * (peak - log_rates - shape * quadratic)

    return log_density


@per_dimension
def known_covariance(D: int):
    @inline
    def log_density(t, s, packed):
        """Along each axis (x - mean / 2) mean / v - 1 / (2 worth), and the peak."""
        total = packed[0]
        for i in range(D):
            x, first, worth = 0.0, 0.0, packed[1 + D + i] + s[0]
            for j in range(D):
                axis = packed[1 + 2 * D + j * D + i]
                x += axis * t[1 + j]
                first += axis * s[1 + j]
            mean = first / worth
            mean = np.nan if packed[1 + i] <= ROUNDING * (mean * mean) else mean
            total += (x - 0.5 * mean) * mean / packed[1 + i] - 0.5 / worth
        return total

    return log_density


@cache
def beta_bernoulli(M: int, counts_zeros: bool):
    @inline
    def log_density(t, s, packed):
        """sum_m of psi(ones or zeros) - psi(both) (Kaji 2011, 4.3)."""
        parts, total = scratch(M), 0.0
        for m in range(M):
            rest = s[1 + M + m] if counts_zeros else larger(0.0, s[0] - s[1 + m])
            ones, zeros = packed[0] + s[1 + m], packed[1] + rest
            seen = ones if t[1 + m] > 0.5 else zeros
            exists = ones > 0.0 and zeros > 0.0
            parts[m] = digamma(seen) - digamma(ones + zeros) if exists else np.nan
        for m in range(M):  # apart from the other loop, which then is vector code
            total += parts[m]
        return total

    return log_density
