"""Compiled expected log densities of linear experts, alone and with a gate (see
`vbkit.families.jit_densities`)."""

from functools import cache

import numpy as np

from vbkit.compiled import digamma, inline, log_split, scratch, split
from vbkit.families.gaussian import LOG_2PI


@cache
def linear_regression(Dx: int, J: int, common_noise: bool, first: int, prior: int):
    """Of J outputs given Dx inputs; after the count, s begins at `first`; packed at `prior`."""
    q = Dx + 1
    square, of_output = q * q, first - 1 + q * (q + 1) // 2
    noises = 1 if common_noise else J

    @inline
    def log_density(t, s, packed):
        """sum_j 1/2 (E log rho_j - log 2 pi - E[rho_j] (y_j - mean_j)^2) - J/2 x~' A^-1 x~, with A
        = L diag(pivots) L' and x~ = L z."""
        U, inverse, z, v = scratch(square), scratch(q), scratch(q), scratch(q)
        doubt, peak, quadratic, pooled = 0.0, 0.0, 0.0, 0.0
        for i in range(q):
            for j in range(i + 1):
                at = first + j * q - (j * (j - 1)) // 2 + i - j
                u = s[at] if j < Dx else s[0]
                u += packed[prior + 2 + i] if i == j else 0.0
                for h in range(j):
                    u -= U[i * q + h] * (U[j * q + h] * inverse[h])
                U[i * q + j] = u
            inverse[i] = 1.0 / U[i * q + i] if U[i * q + i] > 0.0 else np.nan
            x = t[first + i * q - (i * (i - 1)) // 2 + Dx - i] if i < Dx else 1.0
            for h in range(i):
                x -= U[i * q + h] * inverse[h] * z[h]
            z[i] = x
            doubt += x * x * inverse[i]
        shape = packed[prior] + 0.5 * s[0] * (J // noises)
        log_rho = digamma(shape)
        for k in range(J):
            at = of_output + k * (q + 1)
            mean, explained = 0.0, 0.0
            for i in range(q):
                w = s[at + i]
                for h in range(i):
                    w -= U[i * q + h] * inverse[h] * v[h]
                v[i] = w
                mean += w * inverse[i] * z[i]
                explained += w * w * inverse[i]
            left = 0.5 * (s[at + q] - explained)
            pooled += left if packed[prior + 1] + left > 1e-14 * s[at + q] else np.nan
            quadratic += (t[at + Dx] - mean) * (t[at + Dx] - mean)
            if noises == J or k == J - 1:
                rate = packed[prior + 1] + pooled
                m, e = split(rate if rate > 0.0 else 1.0)
                peak += (J // noises) * (log_rho - log_split(m, e) - LOG_2PI)
                peak -= shape / rate * quadratic
                quadratic, pooled = 0.0, 0.0
        return 0.5 * (peak - J * doubt)

    return log_density


@cache
def product(gate, expert):
    """Of inputs and outputs, from those of the gate and of the expert."""

    @inline
    def log_density(t, s, packed):
        return gate(t, s, packed) + expert(t, s, packed)

    return log_density
