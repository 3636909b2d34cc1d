"""Sweeps over a full matrix in the basis of its singular vectors: no product with V, only min(L, M) x H by H x H."""

import numpy as np
from scipy.linalg import lapack

from vbkit.factorization.matrices import SVD
from vbkit.factorization.model import CANCELLED, Factorization


def inverse_of_sum(K: np.ndarray, diagonal: np.ndarray) -> tuple[np.ndarray, float]:
    """(K + diag(diagonal))^-1, positive definite, and the log of its determinant. K is overwritten."""
    if not len(K):
        return K, 0.0
    step = len(K) + 1
    K.ravel()[::step] += diagonal
    factor, failed = lapack.dpotrf(K.T, lower=1, overwrite_a=1)
    if failed:
        raise ArithmeticError("the posterior precision of a factor is not positive definite")
    log_det = -2.0 * float(np.log(np.diagonal(factor)).sum())
    lower = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    inverse = lower + lower.T  # above the diagonal, `lower` has zeros
    inverse.ravel(order="K")[::step] *= 0.5
    return inverse, log_det


class FullMatrixUpdates:
    """VB (slides "VB posterior", "Hyperparameter Estimation") with factors in the singular basis.

    With V = U diag(d) W', the updates make A = W a and B = U b: V'B is W (d b), V A is U (d a). What the start's B has
    outside the column space of V counts only in E[B'B].
    """

    def __init__(self, data: SVD, start: Factorization, floor: float):
        self.data, self.floor, self.d, self.start = data, floor, data.d[:, None], start
        self.b, self.noise, self.prior_a, self.prior_b = (
            data.U.T @ start.B,
            start.noise,
            start.prior_a,
            start.prior_b,
        )
        spread = start.cov_B.sum(axis=0) if start.cov_B.ndim == 3 else len(start.B) * start.cov_B
        self.EB, self.a, self.x = (
            start.B.T @ start.B + spread,
            np.empty_like(self.b),
            np.empty_like(self.b),
        )
        self.covariances = None

    def sweep(self, learn_a: bool, learn_b: bool, learn_noise: bool) -> float:
        (L, M), noise = self.data.shape, self.noise
        cov_A, log_A = inverse_of_sum(self.EB / noise, 1 / self.prior_a)
        np.matmul(np.multiply(self.d, self.b, out=self.x), cov_A / noise, out=self.a)
        AA = self.a.T @ self.a
        EA = AA + M * cov_A
        cov_B, log_B = inverse_of_sum(EA / noise, 1 / self.prior_b)
        np.matmul(np.multiply(self.d, self.a, out=self.x), cov_B / noise, out=self.b)
        BB = self.b.T @ self.b
        EB = BB + L * cov_B
        self.EB, self.covariances = EB, (cov_A, cov_B)
        a_squares, b_squares, square = EA.diagonal(), EB.diagonal(), self.data.square
        error = square - 2 * np.vdot(self.b, self.x) + np.vdot(BB, AA)  # |V - B A'|^2
        if error < CANCELLED * square:
            error = ((np.diag(self.data.d) - self.b @ self.a.T) ** 2).sum()
        error += M * np.vdot(cov_A, EB) + L * np.vdot(cov_B, AA)
        if learn_a:
            self.prior_a = a_squares / M
        if learn_b:
            self.prior_b = b_squares / L
        if learn_noise:
            self.noise = max(float(error) / self.data.size, self.floor)
        twice = (
            self.data.size * np.log(2 * np.pi * self.noise) + error / self.noise - (L + M) * len(AA)
        )
        twice += M * (np.log(self.prior_a).sum() - log_A) + (a_squares / self.prior_a).sum()
        twice += L * (np.log(self.prior_b).sum() - log_B) + (b_squares / self.prior_b).sum()
        return -0.5 * float(twice)

    def state(self) -> Factorization:
        if self.covariances is None:
            return self.start
        means = self.data.W @ self.a, self.data.U @ self.b
        return Factorization(*means, *self.covariances, self.prior_a, self.prior_b, self.noise)
