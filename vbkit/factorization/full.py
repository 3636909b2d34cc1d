"""Sweeps over a full matrix in the basis of its singular vectors: no product with V, only min(L, M) x H by H x H."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from vbkit.factorization.data import Spectrum
from vbkit.factorization.model import Factorization, divergence, squared_error

CANCELLED = 1e-4  # a share of |V|^2 below which the squared error, as a difference, would lose digits


def inverse(K: np.ndarray) -> tuple[np.ndarray, float]:
    """Inverse of a positive definite matrix and the log of that inverse's determinant."""
    if not len(K):
        return K, 0.0
    factor, failed = lapack.dpotrf(K, lower=1)
    if failed:
        raise ArithmeticError("a posterior precision is not positive definite")
    half = lapack.dpotri(factor, lower=1)[0]
    lower = np.tril(half, -1)
    return lower + lower.T + np.diag(np.diagonal(half)), -2.0 * float(np.log(np.diagonal(factor)).sum())


class FullSweeps:
    """VB (slides "VB posterior", "Hyperparameter Estimation") with factors in the singular basis.

    After one sweep A lies in the row space of V and B in its column space, so A = W a, B = U b; with d the singular
    values, V'B is W (d b). What the start's B has outside counts only in E[B'B].
    """

    def __init__(self, data: Spectrum, start: Factorization, floor: float):
        if start.centre or not start.free.all():
            raise ValueError("start has offsets; a full matrix is then treated as triplets")
        self.data, self.start, self.floor, self.d = data, start, floor, data.d[:, None]
        self.b, self.a = data.U.T @ start.B, data.W.T @ start.A
        self.noise, self.prior_a, self.prior_b = start.noise, start.prior_a, start.prior_b
        self.cov_A, self.cov_B, self.swept = start.cov_A, start.cov_B, False
        spread = start.cov_B.sum(axis=0) if start.cov_B.ndim == 3 else len(start.B) * start.cov_B
        self.EB = start.B.T @ start.B + spread

    def bound(self) -> float:
        f = self.start
        spread = 0.5 * squared_error(self.data, f) / f.noise + 0.5 * self.data.size * np.log(2 * np.pi * f.noise)
        return -spread - divergence(f.A, f.cov_A, f.prior_a) - divergence(f.B, f.cov_B, f.prior_b)

    def sweep(self, learn_a: bool, learn_b: bool, learn_noise: bool) -> float:
        (L, M), noise, eye = self.data.shape, self.noise, np.eye(self.b.shape[1])
        inv_A, log_A = inverse(self.EB / noise + eye / self.prior_a)
        self.a = (self.d * self.b) @ (inv_A / noise)
        AA = self.a.T @ self.a
        EA = AA + M * inv_A
        inv_B, log_B = inverse(EA / noise + eye / self.prior_b)
        x = self.d * self.a
        self.b = x @ (inv_B / noise)
        BB = self.b.T @ self.b
        EB = BB + L * inv_B
        self.cov_A, self.cov_B, self.EB, self.swept = inv_A, inv_B, EB, True
        second_a, second_b = np.diagonal(EA), np.diagonal(EB)
        if learn_a:
            self.prior_a = second_a / M
        if learn_b:
            self.prior_b = second_b / L
        square = self.data.square
        mean_error = square - 2 * float(np.vdot(self.b, x)) + float(np.vdot(BB, AA))
        if mean_error < CANCELLED * square:
            mean_error = float(((np.diag(self.data.d) - self.b @ self.a.T) ** 2).sum())
        error = mean_error + M * float(np.vdot(inv_A, EB)) + L * float(np.vdot(inv_B, AA))
        if learn_noise:
            self.noise = max(error / self.data.size, self.floor)
        twice = self.data.size * np.log(2 * np.pi * self.noise) + error / self.noise - (L + M) * len(eye)
        twice += M * (np.log(self.prior_a).sum() - log_A) + (second_a / self.prior_a).sum()
        twice += L * (np.log(self.prior_b).sum() - log_B) + (second_b / self.prior_b).sum()
        return -0.5 * float(twice)

    def state(self) -> Factorization:
        if not self.swept:
            return self.start
        A, B = self.data.W @ self.a, self.data.U @ self.b
        return Factorization(A, B, self.cov_A, self.cov_B, self.prior_a, self.prior_b, self.noise)
