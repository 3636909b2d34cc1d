"""Predict outputs from inputs: the conditional density that a mixture of rows (x, y)
implies."""

from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from vbkit.checks import as_matrix
from vbkit.families.normal_wishart import NormalWishart
from vbkit.families.product import Product
from vbkit.families.special import log_gamma_ratio
from vbkit.mixture import Mixture, as_independent


class Prediction(NamedTuple):
    """The mean and variance (n, J) of y given x, and the responsibilities (n, K) that x
    alone gives the components."""

    mean: np.ndarray
    variance: np.ndarray
    gate: np.ndarray


def predict_outputs(mixture: Mixture, x, S) -> Prediction:
    """Predict y from inputs x (n, Dx) by a `Mixture` of rows (x, y) at its state S (K, P).

    It is exact for the posterior predictive density: E[y | x] is the components' means
    weighted by p(k | x) (Sato 1999, 2.2), and the variance theirs plus that of their means.
    Each component is a Student density, whose variance is infinite for two degrees of
    freedom or fewer. In the EM limit the prediction is that of the estimates. The family is
    a `Product`, or a `NormalWishart` of the joint rows, of which x are the first columns.
    Raises ValueError for another family, for labels that are a chain, and for unfit x or S.
    """
    family = as_independent(mixture).family
    E = mixture.effective(mixture.check_state(S))
    if isinstance(family, Product):
        x = as_matrix("x", x, family.gate.dimension)
        log_gate, means, variances = family.conditional(E, x)
    elif isinstance(family, NormalWishart):
        x = as_matrix("x", x)
        if x.shape[1] >= family.dimension:
            raise ValueError(
                f"x has {x.shape[1]} columns; it must have fewer than the "
                f"{family.dimension} of a row, for the rest are outputs"
            )
        log_gate, means, variances = _joint_conditional(family, E, x)
    else:
        raise ValueError(
            f"the family is {type(family).__name__}; "
            "it must be a Product or a NormalWishart"
        )
    with np.errstate(divide="ignore"):
        log_gate = log_gate.T + np.log(mixture.labels.mean(E[:, 0]))
    too_far = np.flatnonzero((log_gate == -np.inf).all(axis=1))
    if too_far.size:
        row = too_far[0]
        raise ValueError(
            f"x[{row}] is {x[row]}, too far from every component for a prediction"
        )
    gate = softmax(log_gate, axis=1)
    mean = np.einsum("nk,knj->nj", gate, means)
    spread = np.where(gate.T[..., None] > 0, variances + (means - mean) ** 2, 0.0)
    return Prediction(mean, np.einsum("nk,knj->nj", gate, spread), gate)


def _joint_conditional(family: NormalWishart, E, x):
    """`Product.conditional` of rows that are Gaussian as a whole: the conditional of a
    Student density is one, of Dx more degrees of freedom."""
    count, degrees, centre, scatter = family.posterior(E)
    Dx = x.shape[1]
    df = degrees + 1 - family.dimension
    scale = ((1 + 1 / count) / df)[:, None, None] * scatter
    scale_x = scale[:, :Dx, :Dx]
    scale_xy = scale[:, :Dx, Dx:]
    factor = np.linalg.cholesky(scale_x)
    half_log_det = np.log(factor.diagonal(axis1=1, axis2=2)).sum(axis=1)
    deviation = x - centre[:, None, :Dx]
    whitened = np.linalg.solve(factor, deviation.swapaxes(1, 2))
    distance = (whitened**2).sum(axis=1)
    peak = log_gamma_ratio(df / 2, Dx / 2) - Dx / 2 * np.log(df * np.pi) - half_log_det
    df = df[:, None]
    log_gate = peak[:, None] - (df + Dx) / 2 * np.log1p(distance / df)
    slope = np.linalg.solve(scale_x, scale_xy)
    mean = centre[:, None, Dx:] + deviation @ slope
    residual = scale[:, Dx:, Dx:] - scale[:, Dx:, :Dx] @ slope
    residual_variance = np.diagonal(residual, axis1=1, axis2=2)
    further = df + Dx - 2
    infinite = np.full(distance.shape, np.inf)
    grown = np.divide(df + distance, further, where=further > 0, out=infinite)
    variance = grown[..., None] * residual_variance[:, None]
    return log_gate, mean, variance
