"""The model V = B A' + noise, its approximate posterior, the ELBO, predictions, and where to start.

Rows a_m of A (M, H) are N(0, diag(prior_a)), rows b_l of B (L, H) are N(0, diag(prior_b)), an entry of V (L, M) is
N(centre + b_l . a_m, noise); these are variances (c_a^2, c_b^2 and sigma^2 of Nakajima's slides). The posterior is
r(A) r(B), normal, with a covariance a row, or one for all rows where the matrix is full. A prior variance of 0 means
that a column is known: offsets of rows and columns are two more columns, each with a known 1 on the other side.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from vbkit.checks import as_array, as_generator, as_integer, as_number, as_positive
from vbkit.factorization.matrices import SVD, ObservedEntries, as_index, validate

CANCELLED = 1e-4  # a share of the sum of squares below which the squared error, as a difference, would lose digits


class Prediction(NamedTuple):
    """Mean and standard deviation, one number an entry asked for."""

    mean: np.ndarray
    sd: np.ndarray


@dataclass(frozen=True, eq=False)
class Factorization:
    """A posterior over the factors with its hyperparameters: a start, or what learning returns.

    A (M, H), B (L, H): posterior means. cov_A (H, H), or (M, H, H) with one a row; cov_B likewise. prior_a, prior_b
    (H,): prior variances. noise: variance of an entry. centre: a constant, added to every entry. trace: the ELBO
    (nats) at the start and after each sweep. converged: whether the last sweep raised it by less than the tolerance.
    """

    A: np.ndarray = field(repr=False)
    B: np.ndarray = field(repr=False)
    cov_A: np.ndarray = field(repr=False)
    cov_B: np.ndarray = field(repr=False)
    prior_a: np.ndarray = field(repr=False)
    prior_b: np.ndarray = field(repr=False)
    noise: float
    centre: float = 0.0
    trace: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)
    converged: bool = False

    def __post_init__(self):
        A, B = as_array("A", self.A, ndim=2), as_array("B", self.B, ndim=2)
        if A.shape[1] != B.shape[1]:
            raise ValueError(
                f"A has {A.shape[1]} columns and B {B.shape[1]}; they must have as many"
            )
        for name, mean in (("a", A), ("b", B)):
            rows, H = mean.shape
            prior = as_array(f"prior_{name}", self.__dict__[f"prior_{name}"], ndim=1)
            if len(prior) != H or (prior < 0).any():
                raise ValueError(f"prior_{name} is {prior}; it must be {H} variances >= 0")
            cov = as_array(f"cov_{name.upper()}", self.__dict__[f"cov_{name.upper()}"])
            if cov.shape not in ((H, H), (rows, H, H)):
                raise ValueError(
                    f"cov_{name.upper()} has shape {cov.shape}; it must be {(H, H)} or {(rows, H, H)}"
                )
            if (np.diagonal(cov, axis1=-2, axis2=-1) < 0).any():
                raise ValueError(
                    f"cov_{name.upper()} has a variance below 0 on its diagonal; it must be a covariance"
                )
            vars(self).update(
                {f"prior_{name}": prior, f"cov_{name.upper()}": cov, name.upper(): mean}
            )
        vars(self).update(
            noise=as_positive("noise", self.noise), centre=as_number("centre", self.centre)
        )

    def __repr__(self) -> str:
        L, M = self.shape
        state = f", {self.sweeps} sweeps, bound {self.elbo:.3f}" if len(self.trace) else ""
        return f"Factorization({L} x {M}, {self.A.shape[1]} columns, rank {self.rank}, noise {self.noise:.4g}{state})"

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.B), len(self.A)

    @property
    def free(self) -> np.ndarray:
        """Which columns (H,) are factors on both sides, not offsets."""
        return (self.prior_a > 0) & (self.prior_b > 0)

    @property
    def singular_values(self) -> np.ndarray:
        """Singular values of the factors' mean B A', offsets left out, falling."""
        A, B = (np.linalg.qr(factor[:, self.free], mode="r") for factor in (self.A, self.B))
        return np.linalg.svd(B @ A.T, compute_uv=False)

    @property
    def rank(self) -> int:
        """How many singular values of the factors' mean exceed sigma, the noise of a single entry.

        Columns that empirical Bayes gives up shrink without ever being 0; one that is better kept has a larger singular
        value than sigma in a full matrix of any shape (at least 1.13 sigma, at the threshold of a 1 x 1 matrix).
        """
        return int((self.singular_values > np.sqrt(self.noise)).sum())

    @property
    def elbo(self) -> float:
        """The ELBO after the last sweep; nan where it was not computed (see the function `elbo`)."""
        return float(self.trace[-1]) if len(self.trace) else np.nan

    @property
    def sweeps(self) -> int:
        return max(0, len(self.trace) - 1)

    def mean(self) -> np.ndarray:
        """Posterior mean (L, M) of all entries, offsets and centre included."""
        return self.centre + self.B @ self.A.T

    def replace(self, **changed) -> Factorization:
        """A copy with some fields changed."""
        return replace(self, **changed)

    def predict(self, rows, cols, *, noise: bool = True) -> Prediction:
        """Mean and standard deviation of new entries at rows (n,) and cols (n,): Var = b'Sa b + a'Sb a + tr(Sa Sb)
        + noise, its last term only if `noise`. A row or column of which nothing was seen is predicted from its prior.
        """
        rows, cols = (
            as_index(*given)
            for given in zip(("rows", "cols"), (rows, cols), self.shape, strict=True)
        )
        rows, cols = np.broadcast_arrays(rows, cols)
        mean, variance = np.empty(len(rows)), np.empty(len(rows))
        for part in np.array_split(
            np.arange(len(rows)), len(rows) // 10_000 + 1
        ):  # keeps memory small
            a, b = self.A[cols[part]], self.B[rows[part]]
            Sa, Sb = _covariances(self.cov_A, cols[part]), _covariances(self.cov_B, rows[part])
            mean[part] = self.centre + (a * b).sum(axis=1)
            variance[part] = (
                (b[:, None] @ Sa @ b[:, :, None]) + (a[:, None] @ Sb @ a[:, :, None])
            )[:, 0, 0]
            variance[part] += (Sa * Sb).sum(axis=(1, 2))
        return Prediction(mean, np.sqrt(variance + noise * self.noise))


def _covariances(cov: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return cov[rows] if cov.ndim == 3 else np.broadcast_to(cov, (len(rows), *cov.shape))


def squared_error(V, f: Factorization) -> float:
    """E sum (v - centre - b . a)^2 over the observed entries, under the posterior: a sum of terms >= 0, so that no
    digits are lost where the noise is small (the slides' form subtracts large numbers)."""
    data, (L, M) = validate(V), f.shape
    cov_A, cov_B = _covariances(f.cov_A, np.arange(M)), _covariances(f.cov_B, np.arange(L))
    if isinstance(data, SVD):
        SA, SB = cov_A.sum(axis=0), cov_B.sum(axis=0)
        spread = (SA * (f.B.T @ f.B)).sum() + (SB * (f.A.T @ f.A + SA)).sum()
        return float(((data.V - f.mean()) ** 2).sum() + spread)
    residual = data.values - f.centre - (f.A[data.cols] * f.B[data.rows]).sum(axis=1)
    AA, BB = f.A[:, :, None] * f.A[:, None], f.B[:, :, None] * f.B[:, None]
    seen = data.by_row.copy()
    seen.data = np.ones_like(seen.data)
    spread = (BB.reshape(L, -1) * (seen @ cov_A.reshape(M, -1))).sum()
    spread += (cov_B.reshape(L, -1) * (seen @ (cov_A + AA).reshape(M, -1))).sum()
    return float(residual @ residual + spread)


def divergence(mean, cov, prior) -> float:
    """Kullback-Leibler divergence (nats) of one factor's posterior from its prior; known columns have none."""
    free = prior > 0
    if not free.any():
        return 0.0
    rows, c = len(mean), prior[free]
    cov = cov[..., free, :][..., free]
    share = 1 if cov.ndim == 3 else rows  # how often each matrix counts
    second = (mean[:, free] ** 2).sum(axis=0) + share * np.diagonal(
        cov, axis1=-2, axis2=-1
    ).reshape(-1, len(c)).sum(0)
    log_det = share * np.linalg.slogdet(cov)[1].sum()
    return 0.5 * float(rows * np.log(c).sum() - log_det + (second / c).sum() - rows * len(c))


def elbo(V, f: Factorization) -> float:
    """Lower bound on log p(V) (nats) with every constant, at any posterior: the slides' homework is -elbo = F.

    2F = N log(2 pi noise) + E|V - B A'|^2 / noise + 2 KL(r(A) | p(A)) + 2 KL(r(B) | p(B)), N observed entries.
    """
    data = check_fit(V, f)
    likelihood = data.size * np.log(2 * np.pi * f.noise) + squared_error(data, f) / f.noise
    return (
        -0.5 * likelihood
        - divergence(f.A, f.cov_A, f.prior_a)
        - divergence(f.B, f.cov_B, f.prior_b)
    )


def check_fit(V, f: Factorization) -> SVD | ObservedEntries:
    """V observed; a ValueError if f is no Factorization, or for another shape."""
    if not isinstance(f, Factorization):
        raise ValueError(
            f"the posterior is {f!r}; it must be a Factorization, such as init_random gives"
        )
    data = validate(V)
    if data.shape != f.shape:
        raise ValueError(
            f"V has shape {data.shape}, the factorization {f.shape}; they must be the same"
        )
    return data


# ---- starts ------------------------------------------------------------------------------------------------------


def init_random(
    V,
    H: int,
    rng: np.random.Generator,
    *,
    prior_a=None,
    prior_b=None,
    noise=None,
    offsets: bool = False,
) -> Factorization:
    """H columns of factors drawn from their priors, with covariances as the priors'.

    prior_a, prior_b: a number or (H,); None: such that B A' varies as the data do. noise: None: the data's mean square
    (about their mean with offsets); where entries are missing a tenth of it: empirical Bayes that starts from large
    noise takes weak columns for noise, from small noise it may take noise for a column.
    offsets: let each row and each column of V have an offset of its own, normal with a variance that is learned as the
    others are; `centre` is then the mean of the observed entries.
    """
    data, rng = validate(V), as_generator("rng", rng)
    as_integer("H", H, 0)
    centre = data.mean if offsets else 0.0
    square = data.square / data.size - centre**2
    if not square > 1e-12 * max(centre**2, data.square / data.size):
        square = centre**2 or 1.0
    prior_a, prior_b = (
        prior_variances(n, p, H, square) for n, p in (("prior_a", prior_a), ("prior_b", prior_b))
    )
    noise = (
        square * (1.0 if isinstance(data, SVD) else 0.1)
        if noise is None
        else as_positive("noise", noise)
    )
    L, M = data.shape
    A, B = (rng.standard_normal((rows, H)) * np.sqrt(p) for rows, p in ((M, prior_a), (L, prior_b)))
    if offsets:
        A, B = (
            np.column_stack([A, np.zeros(M), np.ones(M)]),
            np.column_stack([B, np.ones(L), np.zeros(L)]),
        )
        prior_a, prior_b = (
            np.append(prior_a, [0.1 * square, 0]),
            np.append(prior_b, [0, 0.1 * square]),
        )
    return Factorization(A, B, np.diag(prior_a), np.diag(prior_b), prior_a, prior_b, noise, centre)


def init_spectral(V, H: int, *, prior_a=None, prior_b=None, noise=None) -> Factorization:
    """The leading H singular vectors of a full matrix, the singular value shared equally; the rest as `init_random`.

    The column with the largest product of prior variances takes the largest. Columns beyond min(L, M) stay zero.
    """
    data = validate(V)
    if not isinstance(data, SVD):
        raise ValueError(
            "V has missing entries; a spectral start needs a full matrix (use init_random)"
        )
    f = init_random(
        data, H, np.random.default_rng(0), prior_a=prior_a, prior_b=prior_b, noise=noise
    )
    place = pairing(f.prior_a, f.prior_b)
    A, B = (at_places(X * np.sqrt(data.d), place) for X in (data.W, data.U))
    return f.replace(A=A, B=B)


def pairing(prior_a: np.ndarray, prior_b: np.ndarray) -> np.ndarray:
    """Which singular value (H,), from 0 for the largest, each column takes at the optimum: that with the largest
    prior_a prior_b the largest."""
    return np.argsort(np.argsort(-prior_a * prior_b, kind="stable"), kind="stable")


def at_places(X: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The columns of X at `place`, zeros where X has none."""
    return np.column_stack([X, np.zeros((len(X), len(place)))])[:, place]


def prior_variances(name: str, value, H: int, square: float = 1.0) -> np.ndarray:
    """(H,) variances from a number, a vector, or None: then such that H products of two vary by `square`."""
    value = np.sqrt(square / max(H, 1)) if value is None else value
    prior = (
        np.full(H, as_number(name, value)) if np.ndim(value) == 0 else as_array(name, value, ndim=1)
    )
    if prior.shape != (H,) or (prior <= 0).any():
        raise ValueError(f"{name} is {value}; it must be a number > 0 or {H} of them")
    return prior
