"""Normal-Wishart components that follow a stream by rank-one updates, where nothing is forgotten.

A data point that is added with the share w moves a component's mean by w / (count + w) of the
deviation d from it, and its scatter becomes scatter + w count / (count + w) d d'. So do the factors
of scatter = L diag(pivots) L', in D^2 operations where a new factorization takes D^3 (Gill, Golub,
Murray and Saunders 1974, method C1).
"""

import numpy as np

from vbkit.compiled import LN2, digamma, exp, inline, jit, larger, log, scratch, uint64
from vbkit.families.gaussian import LOG_2PI

WIDE = 6  # dimensions from which on this is faster than factorizing anew
LANES = 8  # components are worked on by eights, side by side in memory
COUNT, DEGREES, WEIGHT, LOG_DET, FIRST = range(
    5
)  # rows of a block; from FIRST on the means,
# then the pivots, then L below its diagonal, column by column


def follow(posterior, factor, weight, X, gain) -> tuple[np.ndarray, int]:
    """Responsibilities (n, K) of the rows of X (n, D) in turn, and for how many there are any. Each
    row is added to the components, with its responsibility times its gain, before the next.

    posterior: hyperparameters of the components, their means measured from where X is.
    factor: Cholesky factors (K, D, D) of their scatter.
    weight: (K,), the Dirichlet parameters of the mixing weights. gain: (n,).
    """
    K, D = posterior.mean.shape
    groups, below = -(-K // LANES), np.triu_indices(D, 1)[::-1]
    roots = factor.diagonal(axis1=1, axis2=2)
    told = [
        posterior.mean_count,
        posterior.degrees_of_freedom,
        weight,
        2 * np.log(roots).sum(1),
    ]
    L = (factor / roots[:, None])[:, *below]
    rows = np.column_stack([*told, posterior.mean, roots**2, L])
    padded = np.ones((groups * LANES, rows.shape[1]))
    padded[:K], padded[K:, DEGREES], padded[K:, LOG_DET] = rows, D, np.inf
    blocks = np.ascontiguousarray(padded.reshape(groups, LANES, -1).transpose(0, 2, 1))
    R = np.empty((len(X), groups * LANES))
    done = _follow(np.ascontiguousarray(X), np.ascontiguousarray(gain), blocks, R)
    return R[:, :K], done


@inline
def _density(x, block, z, squares, psi, log_r):
    """E log p(x | theta) + E log pi (Sato 2000, A.8) of eight components, in log_r, and d'
    scatter^-1 d, in squares. z (D, LANES) and psi (flat) are room to work in."""
    D, at = uint64(len(x)), uint64(FIRST + 2 * len(x))
    for lane in range(LANES):
        squares[lane] = 0.0
    for i in range(D):
        for lane in range(LANES):
            z[i, lane] = x[i] - block[uint64(FIRST + i), lane]
    known, rest = (
        scratch(LANES),
        scratch(LANES),
    )  # apart from the arrays, so that eight are one
    for j in range(D):
        for lane in range(LANES):
            known[lane] = z[j, lane]
        for lane in range(LANES):
            squares[lane] += (
                known[lane] * known[lane] / block[uint64(FIRST + D + j), lane]
            )
        for i in range(uint64(j + 1), D):
            for lane in range(LANES):
                rest[lane] = z[i, lane] - block[at, lane] * known[lane]
            for lane in range(LANES):
                z[i, lane] = rest[lane]
            at += uint64(1)
    half = len(x) // 2
    for i in range(
        half
    ):  # psi((nu - 2i) / 2) + psi((nu - 2i - 1) / 2), but for a constant
        for lane in range(LANES):
            psi[LANES * i + lane] = block[DEGREES, lane] - (2.0 * i + 1.0)
    for lane in range(LANES):
        psi[LANES * half + lane] = 0.5 * (block[DEGREES, lane] - D + 1.0)
        psi[LANES * (half + 1) + lane] = block[WEIGHT, lane]
    for i in range(uint64(len(psi))):
        psi[i] = digamma(psi[i])
    for lane in range(LANES):
        total = (
            len(x) * (LN2 - LOG_2PI) - 2.0 * half * LN2 - len(x) / block[COUNT, lane]
        )
        if len(x) % 2:
            total += psi[LANES * half + lane]
        total -= block[LOG_DET, lane] + block[DEGREES, lane] * squares[lane]
        log_r[lane] = 0.5 * total + psi[LANES * (half + 1) + lane]
    for i in range(half):
        for lane in range(LANES):
            log_r[lane] += psi[LANES * i + lane]


@inline
def _add(x, block, z, squares, share):
    """Add x with these shares (LANES,) to eight components."""
    D, at = uint64(len(x)), uint64(FIRST + 2 * len(x))
    left, climb, known = scratch(LANES), scratch(LANES), scratch(LANES)
    rest, entry = scratch(LANES), scratch(LANES)
    for lane in range(LANES):
        count = block[COUNT, lane]
        climb[lane] = share[lane] / (count + share[lane])
        left[lane] = climb[lane] * count  # of the share, for the columns to come
        block[COUNT, lane] = count + share[lane]
        block[DEGREES, lane] += share[lane]
        block[WEIGHT, lane] += share[lane]
        squares[lane] = (
            1.0 + left[lane] * squares[lane]
        )  # by this the determinant grows
    for i in range(D):
        for lane in range(LANES):
            z[i, lane] = x[i] - block[uint64(FIRST + i), lane]
            block[uint64(FIRST + i), lane] += climb[lane] * z[i, lane]
    for j in range(D):
        for lane in range(LANES):
            known[lane] = z[j, lane]
            entry[lane] = block[uint64(FIRST + D + j), lane]
        for lane in range(LANES):
            pull = left[lane] * known[lane]
            rest[lane] = entry[lane] + pull * known[lane]
            climb[lane] = pull / rest[lane]
            left[lane] *= entry[lane] / rest[lane]
        for lane in range(LANES):
            block[uint64(FIRST + D + j), lane] = rest[lane]
        for i in range(uint64(j + 1), D):
            for lane in range(LANES):
                entry[lane] = block[at, lane]
            for lane in range(LANES):
                rest[lane] = z[i, lane] - entry[lane] * known[lane]
            for lane in range(LANES):
                entry[lane] += climb[lane] * rest[lane]
            for lane in range(LANES):
                z[i, lane] = rest[lane]
            for lane in range(LANES):
                block[at, lane] = entry[lane]
            at += uint64(1)


@jit
def _follow(X, gain, blocks, R):
    """Fill R (n, groups LANES) with responsibilities and advance blocks by the rows of X (n, D);
    how many it took."""
    D, K = X.shape[1], R.shape[1]
    z, psi, r = np.empty((D, LANES)), np.empty((D // 2 + 2) * LANES), scratch(LANES)
    squares, growth, log_r = np.empty((len(blocks), LANES)), np.empty(K), np.empty(K)
    for n in range(len(X)):
        top, total = -np.inf, 0.0
        for g in range(len(blocks)):
            _density(X[n], blocks[g], z, squares[g], psi, r)
            for lane in range(LANES):
                log_r[LANES * g + lane] = r[lane]
                top = larger(top, r[lane])
        for k in range(uint64(K)):
            log_r[k] = exp(log_r[k] - top)
        for k in range(K):
            total += log_r[k]
        if not 0.0 < total < np.inf:
            return n
        for g in range(len(blocks)):
            for lane in range(LANES):
                R[n, LANES * g + lane] = log_r[LANES * g + lane] / total
                r[lane] = gain[n] * R[n, LANES * g + lane]
            _add(X[n], blocks[g], z, squares[g], r)
            for lane in range(LANES):
                growth[LANES * g + lane] = squares[g, lane]
        for k in range(uint64(K)):
            growth[k] = log(growth[k])
        for g in range(len(blocks)):
            for lane in range(LANES):
                blocks[g, LOG_DET, lane] += growth[LANES * g + lane]
    return len(X)
