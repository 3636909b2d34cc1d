"""The model V = B A' + noise, its approximate posterior, predictions and the ELBO.

Rows a_m of A (M, H) are N(0, diag(prior_a)), rows b_l of B (L, H) are N(0,
diag(prior_b)), an entry of V (L, M) is N(centre + b_l . a_m, noise). These are
variances: c_a^2, c_b^2 and sigma^2 of Nakajima's slides. The posterior is r(A) r(B),
normal, with one covariance per row, or one for all rows where the matrix is full. A
prior variance of 0 means that a column is known: offsets of rows and columns are two
more columns, each with a known 1 on the other side.
"""

from __future__ import annotations

from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import as_array, as_instance, as_number, as_positive
from vbkit.factorization.matrices import SVD, ObservedEntries, as_indices, validate

PREDICTED_AT_A_TIME = 10_000  # entries, to save memory


class Prediction(NamedTuple):
    """Mean and standard deviation of each entry asked for, (n,) each."""

    mean: np.ndarray
    sd: np.ndarray


@attrs.frozen(eq=False, repr=False)
class Factorization:
    """A posterior over the factors with its hyperparameters: a start, or what learning
    returns.

    A, B: posterior means, (M, H) and (L, H). cov_A, cov_B: posterior covariances, (H,
    H) for all rows, or one per row: (M, H, H), (L, H, H). prior_a, prior_b: prior
    variances, a number or (H,); 0 for a known column. noise: the variance of an entry.
    centre: a constant added to every entry. trace: the ELBO (nats) at the start and
    after each sweep. converged: whether the last sweep changed the ELBO by less than
    the tolerance.

    Raises ValueError for shapes that do not fit together, for variances below 0, and
    for matrices that are no covariances.
    """

    A: np.ndarray
    B: np.ndarray
    cov_A: np.ndarray
    cov_B: np.ndarray
    prior_a: np.ndarray
    prior_b: np.ndarray
    noise: float
    centre: float
    trace: np.ndarray
    converged: bool = attrs.field(converter=bool)

    def __init__(
        self,
        A,
        B,
        cov_A,
        cov_B,
        prior_a,
        prior_b,
        noise,
        centre=0.0,
        trace=(),
        converged=False,
    ):
        A = as_array("A", A, ndim=2)
        B = as_array("B", B, ndim=2)
        H = A.shape[1]
        if B.shape[1] != H:
            raise ValueError(
                f"A has {H} columns and B {B.shape[1]}; they must have as many"
            )
        cov_A = as_covariances("cov_A", cov_A, A)
        cov_B = as_covariances("cov_B", cov_B, B)
        prior_a = as_variances("prior_a", prior_a, H, zero_allowed=True)
        prior_b = as_variances("prior_b", prior_b, H, zero_allowed=True)
        noise = as_positive("noise", noise)
        centre = as_number("centre", centre)
        trace = as_array("trace", trace, ndim=1)
        self.__attrs_init__(
            A, B, cov_A, cov_B, prior_a, prior_b, noise, centre, trace, converged
        )

    def __repr__(self) -> str:
        L, M = self.shape
        H = self.A.shape[1]
        size = f"{L} x {M}, {H} columns, rank {self.rank}, noise {self.noise:.4g}"
        if not len(self.trace):
            return f"Factorization({size})"
        end = "converged" if self.converged else "not converged"
        history = f"{self.sweeps} sweeps, ELBO {self.elbo:.3f}, {end}"
        return f"Factorization({size}, {history})"

    @property
    def shape(self) -> tuple[int, int]:
        """(L, M)."""
        return len(self.B), len(self.A)

    @property
    def free(self) -> np.ndarray:
        """Which columns (H,) are factors on both sides, not offsets."""
        return (self.prior_a > 0) & (self.prior_b > 0)

    @property
    def singular_values(self) -> np.ndarray:
        """Singular values of the factors' mean B A', without offsets, falling."""
        triangle_A = np.linalg.qr(self.A[:, self.free], mode="r")
        triangle_B = np.linalg.qr(self.B[:, self.free], mode="r")
        return np.linalg.svd(triangle_B @ triangle_A.T, compute_uv=False)

    @property
    def rank(self) -> int:
        """How many singular values of the factors' mean exceed sigma, the noise of a
        single entry.

        Columns that empirical Bayes gives up shrink without ever being 0. One that is
        better kept has a singular value above sigma in a full matrix of any shape: at
        least 1.13 sigma, at the threshold of a 1 x 1 matrix.
        """
        return int((self.singular_values > np.sqrt(self.noise)).sum())

    @property
    def elbo(self) -> float:
        """The ELBO (nats) after the last sweep; nan where none was (see the function
        `elbo`)."""
        if not len(self.trace):
            return np.nan
        return float(self.trace[-1])

    @property
    def sweeps(self) -> int:
        """The number of sweeps behind the trace."""
        return max(0, len(self.trace) - 1)

    def mean(self) -> np.ndarray:
        """Return the posterior mean (L, M) of all entries, offsets and centre
        included."""
        return self.centre + self.B @ self.A.T

    def replace(self, **changed) -> Factorization:
        """Return a copy with some fields changed, checked again."""
        return attrs.evolve(self, **changed)

    def predict(self, rows, cols, *, noise: bool = True) -> Prediction:
        """Predict new entries at rows (n,) and cols (n,), or one of each for all.

        Var = b'Sa b + a'Sb a + tr(Sa Sb) + noise, its last term only if `noise`. A row
        or column of which nothing was seen is predicted from its prior. Raises
        ValueError for indices outside the matrix and for different numbers of rows and
        columns.
        """
        rows = as_indices("rows", rows, len(self.B))
        cols = as_indices("cols", cols, len(self.A))
        if len(rows) != len(cols) and 1 not in (len(rows), len(cols)):
            raise ValueError(
                f"rows has {len(rows)} indices and cols {len(cols)}; give as many"
            )
        rows, cols = np.broadcast_arrays(rows, cols)
        mean = np.empty(len(rows))
        variance = np.empty(len(rows))
        n_blocks = len(rows) // PREDICTED_AT_A_TIME + 1
        for block in np.array_split(np.arange(len(rows)), n_blocks):
            a = self.A[cols[block]]
            b = self.B[rows[block]]
            Sa = _row_covariances(self.cov_A, cols[block])
            Sb = _row_covariances(self.cov_B, rows[block])
            mean[block] = self.centre + (a * b).sum(axis=1)
            variance[block] = (Sa * (Sb + _outer_products(b))).sum(axis=(1, 2))
            variance[block] += (Sb * _outer_products(a)).sum(axis=(1, 2))
        if noise:
            variance += self.noise
        return Prediction(mean, np.sqrt(variance))


def as_variances(name: str, value, H: int, *, zero_allowed: bool = False) -> np.ndarray:
    """(H,) variances greater than 0, from one number or H of them; 0 too where
    allowed."""
    variances = as_array(name, value)
    if variances.ndim == 0:
        variances = np.full(H, variances)
    too_small = variances < 0 if zero_allowed else variances <= 0
    if variances.shape != (H,) or too_small.any():
        sign = ">=" if zero_allowed else ">"
        raise ValueError(
            f"{name} is {value}; it must be a number {sign} 0 or {H} of them"
        )
    return variances


def as_covariances(name: str, value, mean: np.ndarray) -> np.ndarray:
    """(H, H), or (rows, H, H), for a mean (rows, H)."""
    rows, H = mean.shape
    cov = as_array(name, value)
    if cov.shape not in ((H, H), (rows, H, H)):
        raise ValueError(
            f"{name} has shape {cov.shape}; it must be {(H, H)} or {(rows, H, H)}"
        )
    variances = np.diagonal(cov, axis1=-2, axis2=-1)
    if (variances < 0).any():
        raise ValueError(
            f"{name} has a variance below 0 on its diagonal; it must be a covariance"
        )
    scale = np.sqrt(np.where(variances > 0, variances, 1.0))
    correlations = cov / scale[..., None, :] / scale[..., :, None]
    try:
        np.linalg.cholesky(correlations + 1e-9 * np.eye(H))
        mirrored = np.swapaxes(correlations, -1, -2)
        off = np.abs(correlations - mirrored)
        symmetric = (off <= 1e-9 + 1e-5 * np.abs(mirrored)).all()
    except np.linalg.LinAlgError:
        symmetric = False
    if not symmetric:
        raise ValueError(f"{name} must be symmetric and have no negative eigenvalue")
    return cov


def check_fit(V, f: Factorization) -> SVD | ObservedEntries:
    """Validate V; raise ValueError if f is not a Factorization, or is one of another
    shape."""
    as_instance("the posterior", f, Factorization, "that of init_random")
    data = validate(V)
    if data.shape != f.shape:
        raise ValueError(
            f"V has shape {data.shape}, the Factorization {f.shape}; they must agree"
        )
    return data


# ---- the ELBO ----


class Moments(NamedTuple):
    """What the ELBO needs of one factor: its number of rows; of the columns that are
    not known, the sums (P,) over rows of E x^2 and the prior variances (P,); and its
    log-determinant, summed over rows."""

    rows: int
    squares: np.ndarray
    prior: np.ndarray
    log_det: float


def moments(mean, cov, prior) -> Moments:
    """The moments of one factor: mean (rows, H), cov (H, H) or (rows, H, H), prior
    (H,)."""
    rows = len(mean)
    free = prior > 0
    squares = (mean**2).sum(axis=0) + np.diagonal(total_covariance(cov, rows))
    log_dets = np.linalg.slogdet(cov[..., free, :][..., free]).logabsdet
    log_det = np.broadcast_to(log_dets, rows).sum()
    return Moments(rows, squares[free], prior[free], log_det)


def elbo_from_moments(
    size: int, error: float, noise: float, a: Moments, b: Moments
) -> float:
    """The ELBO (nats) with E |V - B A'|^2 = error over `size` observed entries."""
    misfit = size * np.log(2 * np.pi * noise) + error / noise
    twice_free_energy = misfit + _twice_divergence(a) + _twice_divergence(b)
    return -0.5 * float(twice_free_energy)


def _twice_divergence(factor: Moments) -> float:
    """2 KL(r | p) (nats) of one factor's posterior r from its prior p."""
    H = len(factor.prior)
    log_dets = factor.rows * (np.log(factor.prior).sum() - H) - factor.log_det
    return log_dets + (factor.squares / factor.prior).sum()


def elbo(V, f: Factorization) -> float:
    """Return the lower bound on log p(V) (nats), with every constant, at any posterior:
    the slides' homework is -elbo = F.

    2F = N log(2 pi noise) + E|V - B A'|^2 / noise + 2 KL(r(A) | p(A)) + 2 KL(r(B) |
    p(B)), with N observed entries. V: (L, M), as `validate` takes it. Raises ValueError
    for another shape than f's.
    """
    data = check_fit(V, f)
    return elbo_from_moments(
        data.size,
        squared_error(data, f),
        f.noise,
        moments(f.A, f.cov_A, f.prior_a),
        moments(f.B, f.cov_B, f.prior_b),
    )


def squared_error(data: SVD | ObservedEntries, f: Factorization) -> float:
    """E sum (v - centre - b . a)^2 over the observed entries, under the posterior.

    A sum of terms >= 0, so no digits are lost where the noise is small; the slides'
    form subtracts large numbers.
    """
    L, M = f.shape
    if isinstance(data, SVD):
        SA = total_covariance(f.cov_A, M)
        SB = total_covariance(f.cov_B, L)
        spread = (SA * (f.B.T @ f.B)).sum() + (SB * (f.A.T @ f.A + SA)).sum()
        return float(((data.V - f.mean()) ** 2).sum() + spread)
    residual = data.values - f.centre - (f.A[data.cols] * f.B[data.rows]).sum(axis=1)
    cov_A = _row_covariances(f.cov_A, np.arange(M))
    cov_B = _row_covariances(f.cov_B, np.arange(L))
    AA = _outer_products(f.A)
    BB = _outer_products(f.B)
    seen = data.by_row.copy()  # (L, M): 1 where an entry was seen
    seen.data = np.ones_like(seen.data)
    spread = (BB.reshape(L, -1) * (seen @ cov_A.reshape(M, -1))).sum()
    spread += (cov_B.reshape(L, -1) * (seen @ (cov_A + AA).reshape(M, -1))).sum()
    return float(residual @ residual + spread)


def _outer_products(X: np.ndarray) -> np.ndarray:
    """x x' (n, H, H) of the rows of X (n, H)."""
    return X[:, :, None] * X[:, None]


def _row_covariances(cov: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """One covariance for each row (n, H, H), where all share one, too."""
    if cov.ndim == 3:
        return cov[rows]
    return np.broadcast_to(cov, (len(rows), *cov.shape))


def total_covariance(cov: np.ndarray, rows: int) -> np.ndarray:
    """The sum (H, H) of the covariances of all rows."""
    if cov.ndim == 3:
        return cov.sum(axis=0)
    return rows * cov
