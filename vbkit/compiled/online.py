"""The online loop, compiled: one data point after another.

    log r_k = E log p(x | theta_k) + E log pi_k;   r = softmax;   S <- retention S + gain r t(x)

`vbkit.learning.online.reference_steps` is the same in NumPy, for every family. The families below
have their expected log density here. Such a function adds E log p(x | theta_k), without the base
measure, to log_r (K,) for all components at once, given

    t      (P,) the statistics of x,
    S      (P, K) the statistics that data added to the prior, a column a component,
    prior  the family's `packed_hyperparameters`,
    space  arrays to work in, a `Workspace`.

It makes a component nan that has no posterior. The innermost loops run over the components: these
lie side by side in memory, so the compiler works on several at once. That fails where it cannot
rule out that arrays overlap, so the numbers of a component that would each be an array by name
are rows of one array, `numbers[MEAN, k]`.
"""

import math
from typing import NamedTuple

import numpy as np

from vbkit.compiled import jit, jit_inline
from vbkit.compiled.special import digamma, exp, log

NORMAL_WISHART = 0
GAMMA_PRECISIONS = 1
KNOWN_COVARIANCE = 2
BETA_BERNOULLI = 3
LINEAR_REGRESSION = 4
PRODUCT = 5

# Rows of the `numbers` of a `Workspace`.
MEAN = 0
QUADRATIC = 1
SHAPE = 2
RATE = 3
EXPLAINED = 4
POOLED = 5

LOG_2 = math.log(2)
LOG_2PI = math.log(2 * math.pi)
# A variance below this share of the raw second moment is rounding.
ROUNDING_OF_SCATTER = 64 * np.finfo(float).eps
ENDLESS = 2.0**60  # from this count on, a component is in the EM limit


class Workspace(NamedTuple):
    """Arrays to work in, with the K components side by side on the last axis.

    factor (n, n, K): in its lower triangle a matrix L diag(pivots) L', and then L diag(pivots)
    with the inverse pivots on its diagonal. vector, second_vector (n, K). numbers (6, K): a row
    for each of the constants MEAN, QUADRATIC, ... of this file. n is at least the dimension of
    what has P statistics.
    """

    factor: np.ndarray
    vector: np.ndarray
    second_vector: np.ndarray
    numbers: np.ndarray


class Setting(NamedTuple):
    """What stays as it is while data points pass.

    concentration (K,): the Dirichlet prior of the mixing weights. clones: copies of each data
    point. pseudo (P,): pseudo-statistics. prior: the family's `packed_hyperparameters`.
    """

    concentration: np.ndarray
    clones: float
    pseudo: np.ndarray
    prior: np.ndarray


@jit
def advance(family, T, retention, gain, S, setting):
    """Advance the state S (P, K) by the rows of T (N, P), in place; how many rows it took.

    It stops early at a row whose responsibilities are undefined.

    family: a constant of this file. retention, gain: (N,), observation weights included.
    setting: a `Setting`.
    """
    if family == NORMAL_WISHART:
        return steps(normal_wishart, T, retention, gain, S, setting)
    if family == GAMMA_PRECISIONS:
        return steps(gamma_precisions, T, retention, gain, S, setting)
    if family == KNOWN_COVARIANCE:
        return steps(known_covariance, T, retention, gain, S, setting)
    if family == BETA_BERNOULLI:
        return steps(beta_bernoulli, T, retention, gain, S, setting)
    if family == LINEAR_REGRESSION:
        return steps(linear_regression, T, retention, gain, S, setting)
    return steps(product, T, retention, gain, S, setting)


@jit_inline
def steps(add_log_densities, T, retention, gain, S, setting):
    """`advance` for the family whose function `add_log_densities` is."""
    P, K = S.shape
    effective = np.empty((P, K))
    space = make_workspace(P, K)
    r = np.empty(K)
    for n in range(len(T)):
        t = T[n]
        for p in range(P):
            for k in range(K):
                effective[p, k] = setting.clones * (S[p, k] + setting.pseudo[p])
        for k in range(K):
            r[k] = digamma(setting.concentration[k] + effective[0, k])
        add_log_densities(t, effective, setting.prior, space, r)
        top = -np.inf
        for k in range(K):
            top = r[k] if r[k] > top else top
        total = 0.0
        for k in range(K):
            r[k] = exp(r[k] - top)
        for k in range(K):
            total += r[k]
        if not 0.0 < total < np.inf:
            return n
        past = retention[n]
        share = gain[n] / total
        for p in range(P):
            new = share * t[p]
            for k in range(K):
                S[p, k] = past * S[p, k] + r[k] * new
    return len(T)


@jit
def averages(n, memory, forgetting_rate, decay):
    """The discount factors lambda (n,) and memories (n,) at the next n data points of a schedule,
    and the forgetting rate after them (Sato 2000, 3.13, 3.24)."""
    discounts = np.empty(n)
    memories = np.empty(n)
    for i in range(n):
        discounts[i] = 1.0 - forgetting_rate
        memory = 1.0 + discounts[i] * memory
        memories[i] = memory
        forgetting_rate = forgetting_rate / (1.0 + decay * forgetting_rate)
    return discounts, memories, forgetting_rate


# ---- the families --------------------------------------------------------------------------------


@jit
def make_workspace(P, K):
    """Room for K components of as many dimensions as P statistics can have at most."""
    n = int(math.sqrt(2.0 * P)) + 1
    return Workspace(
        np.empty((n, n, K)), np.empty((n, K)), np.empty((n, K)), np.empty((6, K))
    )


@jit
def has_collapsed(scatter, raw, prior, count):
    """Whether a scatter is no number of its own; see `vbkit.families.gaussian.collapse`."""
    return (scatter <= ROUNDING_OF_SCATTER * raw) | (
        (count > ENDLESS) & (scatter <= 2.0 * prior)
    )


@jit
def normal_wishart(t, S, prior, space, log_r):
    """(Sato 2000, A.8): scatter = L diag(pivots) L', deviation = L z, quadratic = sum z^2 / pivots.

    prior: mean count, degrees of freedom, scatter (upper triangle, row by row). The products of
    coordinates stand in the same order at the end of t and S: the n-th pair of coordinates has the
    scatter prior[2 + n] and the product S[1 + D + n].
    """
    P, K = S.shape
    mean_count = prior[0]
    degrees_of_freedom = prior[1]
    pairs = len(prior) - 2  # D (D + 1) / 2
    D = P - 1 - pairs
    deviation_and_scatter(t, S, prior, space)
    factor = space.factor  # column by column, in the place of the scatter
    z = space.vector  # in the place of the deviation
    square = 0  # the pair (i, i)
    for i in range(D):
        own = prior[2 + square]
        for k in range(K):
            pivot = factor[i, i, k]
            raw = own + S[1 + D + square, k]
            factor[i, i, k] = 1.0 / pivot
            freedom = degrees_of_freedom + S[0, k]
            quadratic = z[i, k] * z[i, k] * factor[i, i, k]
            log_r[k] -= 0.5 * (log(pivot) + freedom * quadratic)
            if has_collapsed(pivot, raw, own, S[0, k]):
                log_r[k] = np.nan
        eliminate(i, D, factor, z)
        square += D - i
    for k in range(K):
        log_r[k] += 0.5 * D * (LOG_2 - LOG_2PI - 1.0 / (mean_count + S[0, k]))
    if D % 2:
        for k in range(K):
            shape = 0.5 * (degrees_of_freedom + S[0, k] - D + 1.0)
            log_r[k] += 0.5 * digamma(shape)
    for i in range(0, D - 1, 2):
        # psi((nu - i) / 2) + psi((nu - i - 1) / 2) = 2 psi(nu - i - 1) - 2 log 2
        for k in range(K):
            log_r[k] += digamma(degrees_of_freedom + S[0, k] - i - 1.0) - LOG_2


@jit_inline
def deviation_and_scatter(t, S, prior, space):
    """Fill space.vector with x less the means, and space.factor with the scatter matrices."""
    P, K = S.shape
    mean_count = prior[0]
    D = P + 1 - len(prior)
    numbers = space.numbers
    pair = 0
    for i in range(D):
        for k in range(K):
            numbers[MEAN, k] = S[1 + i, k] / (mean_count + S[0, k])
            space.vector[i, k] = t[1 + i] - numbers[MEAN, k]
        for j in range(i, D):
            own = prior[2 + pair]
            for k in range(K):
                product = S[1 + D + pair, k]
                spread = product - numbers[MEAN, k] * S[1 + j, k]
                space.factor[j, i, k] = own + spread
            pair += 1


@jit_inline
def eliminate(i, n, factor, z):
    """Take column i out of what is left of a matrix (n, n), and z_i out of what is left of z.

    factor[i, i]: the inverse of the pivot. This is a step of A = L diag(pivots) L' and of
    b = L z, with A and b overwritten: below the diagonal stands L diag(pivots).
    """
    K = z.shape[1]
    for j in range(i + 1, n):
        for k in range(K):
            z[j, k] -= factor[j, i, k] * factor[i, i, k] * z[i, k]
        for h in range(i + 1, j + 1):
            for k in range(K):
                entry_of_L = factor[h, i, k] * factor[i, i, k]
                factor[j, h, k] -= factor[j, i, k] * entry_of_L


@jit
def gamma_precisions(t, S, prior, space, log_r):
    """Sum over the groups of dimensions that share a precision rho of
    1/2 (size (E log rho - log 2 pi - 1 / count) - E[rho] |x - mean|^2).

    prior: mean count, shape, rates (groups,).
    """
    P, K = S.shape
    mean_count = prior[0]
    prior_shape = prior[1]
    groups = len(prior) - 2
    D = P - 1 - groups
    size = D // groups
    numbers = space.numbers
    for k in range(K):
        numbers[SHAPE, k] = prior_shape + 0.5 * size * S[0, k]
        log_r[k] -= 0.5 * D * (LOG_2PI + 1.0 / (mean_count + S[0, k]))
    for group in range(groups):
        own = prior[2 + group]  # the prior rate
        second = 1 + D + group
        for k in range(K):
            numbers[RATE, k] = S[second, k]
            numbers[QUADRATIC, k] = 0.0
        for i in range(1 + group * size, 1 + group * size + size):
            for k in range(K):
                mean = S[i, k] / (mean_count + S[0, k])
                numbers[RATE, k] -= mean * S[i, k]
                numbers[QUADRATIC, k] += (t[i] - mean) * (t[i] - mean)
        for k in range(K):
            rate = own + 0.5 * numbers[RATE, k]
            lost = has_collapsed(rate, own + 0.5 * S[second, k], own, S[0, k])
            rate = np.nan if lost else rate
            log_r[k] -= 0.5 * numbers[SHAPE, k] * numbers[QUADRATIC, k] / rate
            log_r[k] -= 0.5 * size * log(rate)
    for k in range(K):
        log_r[k] += 0.5 * D * digamma(numbers[SHAPE, k])


@jit
def known_covariance(t, S, prior, space, log_r):
    """Along each axis (x - mean / 2) mean / variance - 1 / (2 worth), and the peak.

    prior: log peak, variances (D,), what the prior mean is worth (D,), axes (D, D).
    """
    P, K = S.shape
    D = P - 1
    log_peak = prior[0]
    numbers = space.numbers
    for k in range(K):
        log_r[k] += log_peak
    for i in range(D):
        x = 0.0
        for k in range(K):
            numbers[MEAN, k] = 0.0
        for j in range(D):
            axis = prior[1 + 2 * D + j * D + i]
            x += axis * t[1 + j]
            for k in range(K):
                numbers[MEAN, k] += axis * S[1 + j, k]
        variance = prior[1 + i]
        for k in range(K):
            worth = prior[1 + D + i] + S[0, k]
            mean = numbers[MEAN, k] / worth
            if variance <= ROUNDING_OF_SCATTER * (mean * mean):
                mean = np.nan
            log_r[k] += (x - 0.5 * mean) * mean / variance - 0.5 / worth


@jit
def beta_bernoulli(t, S, prior, space, log_r):
    """Sum over the coordinates of psi(ones or zeros) - psi(both) (Kaji 2011, 4.3).

    prior: pseudo-counts of ones and of zeros, the number M of coordinates. Without statistics
    of the zeros, these are the count less the ones.
    """
    P, K = S.shape
    pseudo_ones = prior[0]
    pseudo_zeros = prior[1]
    M = int(prior[2])
    has_statistics_of_zeros = P > 1 + M
    for m in range(1, 1 + M):
        is_one = t[m] > 0.5
        for k in range(K):
            rest = max(0.0, S[0, k] - S[m, k])
            rest = S[M + m, k] if has_statistics_of_zeros else rest
            ones = pseudo_ones + S[m, k]
            zeros = pseudo_zeros + rest
            seen = ones if is_one else zeros
            seen = seen if ones > 0.0 and zeros > 0.0 else np.nan
            log_r[k] += digamma(seen) - digamma(ones + zeros)


@jit
def product(t, S, prior, space, log_r):
    """A density of inputs, and one of outputs given them.

    prior: the gate's family, the number of its statistics and of its hyperparameters, that of
    outputs, those of the gate, those of the expert.
    """
    gate = prior[0]
    P = int(prior[1])
    end = 3 + int(prior[2])
    gate_prior = prior[3:end]
    if gate == NORMAL_WISHART:
        normal_wishart(t[:P], S[:P], gate_prior, space, log_r)
    elif gate == GAMMA_PRECISIONS:
        gamma_precisions(t[:P], S[:P], gate_prior, space, log_r)
    elif gate == KNOWN_COVARIANCE:
        known_covariance(t[:P], S[:P], gate_prior, space, log_r)
    else:
        beta_bernoulli(t[:P], S[:P], gate_prior, space, log_r)
    add_outputs(t[P:], S[0], S[P:], prior[end:], space, log_r)


@jit
def linear_regression(t, S, prior, space, log_r):
    """Outputs given inputs, where the inputs have no density."""
    add_outputs(t[1:], S[0], S[1:], prior, space, log_r)


@jit
def add_outputs(t, count, S, prior, space, log_r):
    """sum_j 1/2 (E log rho_j - log 2 pi - E[rho_j] (y_j - mean_j)^2) - J/2 x~' A^-1 x~, with
    A = L diag(pivots) L' and x~ = L z.

    x~ is x with a 1 behind it, (q,). t, S: the statistics without the count: the products of x~
    (upper triangle, row by row, but for the last, which is the count), then for each output its
    products with x~, and its square. prior: shape, rate, the numbers of inputs, of outputs and of
    noise precisions, the precisions (q,) of the coefficients.
    """
    K = len(count)
    prior_shape = prior[0]
    prior_rate = prior[1]
    inputs = int(prior[2])
    outputs = int(prior[3])
    noises = int(prior[4])
    outputs_of_a_noise = outputs // noises
    q = inputs + 1
    numbers = space.numbers
    inputs_and_their_products(t, count, S, prior, space)
    factor = space.factor  # column by column, in the place of A
    z = space.vector  # in the place of x~
    for i in range(q):
        for k in range(K):
            pivot = factor[i, i, k]
            factor[i, i, k] = 1.0 / pivot if pivot > 0.0 else np.nan
            log_r[k] -= 0.5 * outputs * z[i, k] * z[i, k] * factor[i, i, k]
        eliminate(i, q, factor, z)
    for k in range(K):
        numbers[SHAPE, k] = prior_shape + 0.5 * count[k] * outputs_of_a_noise
        numbers[QUADRATIC, k] = 0.0
        numbers[POOLED, k] = 0.0
    first = q * (q + 1) // 2 - 1  # of the products of an output
    for output in range(outputs):
        regress(first, q, S, space)
        square = first + q
        y = t[first + inputs]  # the product with 1
        for k in range(K):
            left = 0.5 * (S[square, k] - numbers[EXPLAINED, k])
            is_number = prior_rate + left > 1e-14 * S[square, k]
            numbers[POOLED, k] += left if is_number else np.nan
            numbers[QUADRATIC, k] += (y - numbers[MEAN, k]) * (y - numbers[MEAN, k])
        first = square + 1
        if noises == outputs or output == outputs - 1:
            for k in range(K):
                rate = prior_rate + numbers[POOLED, k]
                rate = rate if rate > 0.0 else np.nan
                log_r[k] -= 0.5 * numbers[SHAPE, k] / rate * numbers[QUADRATIC, k]
                log_r[k] -= 0.5 * outputs_of_a_noise * (log(rate) + LOG_2PI)
                numbers[POOLED, k] = 0.0
                numbers[QUADRATIC, k] = 0.0
    for k in range(K):
        log_r[k] += 0.5 * outputs * digamma(numbers[SHAPE, k])


@jit_inline
def inputs_and_their_products(t, count, S, prior, space):
    """Fill space.vector with x~, and space.factor with A, the precisions and products of x~."""
    K = len(count)
    inputs = int(prior[2])
    x = space.vector
    A = space.factor
    first = 0  # of the products of x~_i with x~_i ... x~_q
    for i in range(inputs):
        value = t[first + inputs - i]  # the product with 1
        for k in range(K):
            x[i, k] = value
        for j in range(i, inputs + 1):
            precision = prior[5 + i] if i == j else 0.0
            for k in range(K):
                A[j, i, k] = precision + S[first + j - i, k]
        first += inputs + 1 - i
    for k in range(K):
        x[inputs, k] = 1.0
        A[inputs, inputs, k] = prior[5 + inputs] + count[k]


@jit_inline
def regress(first, q, S, space):
    """The MEAN of an output, whose products with x~ begin at S[first], and what x~ has EXPLAINED
    of its square."""
    K = S.shape[1]
    numbers = space.numbers
    factor = space.factor
    z = space.vector
    v = space.second_vector  # the products are L v
    for k in range(K):
        numbers[MEAN, k] = 0.0
        numbers[EXPLAINED, k] = 0.0
    for i in range(q):
        for k in range(K):
            v[i, k] = S[first + i, k]
        for h in range(i):
            for k in range(K):
                v[i, k] -= factor[i, h, k] * factor[h, h, k] * v[h, k]
        for k in range(K):
            numbers[MEAN, k] += v[i, k] * factor[i, i, k] * z[i, k]
            numbers[EXPLAINED, k] += v[i, k] * factor[i, i, k] * v[i, k]


# ---- all families --------------------------------------------------------------------------------

DENSITIES = {
    NORMAL_WISHART: normal_wishart,
    GAMMA_PRECISIONS: gamma_precisions,
    KNOWN_COVARIANCE: known_covariance,
    BETA_BERNOULLI: beta_bernoulli,
    LINEAR_REGRESSION: linear_regression,
    PRODUCT: product,
}


def log_densities(family, T, S) -> np.ndarray:
    """E log p(x | theta_k) without the base measure, (K, N), of rows with the statistics T (N, P)
    after the effective statistics S (K, P), for a family with a `compiled_density`."""
    add_log_densities = DENSITIES[family.compiled_density]
    T = np.ascontiguousarray(T, dtype=np.float64)
    columns = np.array(S.T, dtype=np.float64, order="C")
    P, K = columns.shape
    space = make_workspace(P, K)
    log_r = np.zeros((len(T), K))
    for t, row in zip(T, log_r, strict=True):
        add_log_densities(t, columns, family.packed_hyperparameters, space, row)
    return log_r.T
