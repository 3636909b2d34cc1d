"""Predict outputs from inputs: the conditional density that a mixture of rows (x, y) implies."""

from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from vbkit.checks import as_instance, as_matrix
from vbkit.families.normal_wishart import NormalWishart
from vbkit.families.product import Product
from vbkit.families.special import log_gamma_ratio
from vbkit.models.model import Model


class Prediction(NamedTuple):
    """The mean and variance (n, J) of y given x, and the responsibilities (n, K) that x alone gives
    the components."""

    mean: np.ndarray
    variance: np.ndarray
    gate: np.ndarray


def predict_outputs(mixture: Model, x, S) -> Prediction:
    """Predict y from inputs x (n, Dx) by a `Mixture` of rows (x, y) at its state S (K, P).

    It is exact for the posterior predictive density: E[y | x] is the components' means weighted by
    p(k | x) (Sato 1999, 2.2), and the variance theirs plus that of their means. Each component is
    a Student density, whose variance is infinite for two degrees of freedom or fewer. In the EM
    limit the prediction is that of the estimates. The family is a `Product`, or a `NormalWishart`
    of the joint rows, of which x are the first columns. Raises ValueError for another family and
    for unfit x or S.
    """
    as_instance("mixture", mixture, Model)
    E, family = mixture.effective(mixture.check_state(S)), mixture.family
    if isinstance(family, Product):
        x = as_matrix("x", x, family.gate.dimension)
        log_gate, means, variances = family.conditional(E, x)
    elif isinstance(family, NormalWishart):
        x = as_matrix("x", x)
        if x.shape[1] >= family.dimension:
            allowed = (
                f"fewer than the {family.dimension} of a row, for the rest are outputs"
            )
            raise ValueError(f"x has {x.shape[1]} columns; it must have {allowed}")
        log_gate, means, variances = _joint_conditional(family, E, x)
    else:
        name = type(family).__name__
        raise ValueError(
            f"the family is {name}; it must be a Product or a NormalWishart"
        )
    with np.errstate(divide="ignore"):
        log_gate = log_gate.T + np.log(mixture.weights.mean(E[:, 0]))
    for row in np.flatnonzero((log_gate == -np.inf).all(axis=1)):
        raise ValueError(
            f"x[{row}] is {x[row]}, too far from every component for a prediction"
        )
    gate = softmax(log_gate, axis=1)
    mean = np.einsum("nk,knj->nj", gate, means)
    spread = np.where(gate.T[..., None] > 0, variances + (means - mean) ** 2, 0.0)
    return Prediction(mean, np.einsum("nk,knj->nj", gate, spread), gate)


def _joint_conditional(family: NormalWishart, E, x):
    """`Product.conditional` of rows that are Gaussian as a whole: the conditional of a Student
    density is one, of Dx more degrees of freedom."""
    count, nu, centre, scatter = family.posterior(E)
    Dx, df = x.shape[1], nu + 1 - family.dimension
    scale = ((1 + 1 / count) / df)[:, None, None] * scatter
    factor = np.linalg.cholesky(scale[:, :Dx, :Dx])
    deviation = x - centre[:, None, :Dx]
    distance = (np.linalg.solve(factor, deviation.swapaxes(1, 2)) ** 2).sum(axis=1)
    half_log_det = np.log(factor.diagonal(axis1=1, axis2=2)).sum(axis=1)
    peak = log_gamma_ratio(df / 2, Dx / 2) - Dx / 2 * np.log(df * np.pi) - half_log_det
    df, further = df[:, None], df[:, None] + Dx - 2
    log_gate = peak[:, None] - (df + Dx) / 2 * np.log1p(distance / df)
    slope = np.linalg.solve(scale[:, :Dx, :Dx], scale[:, :Dx, Dx:])
    rest = np.diagonal(
        scale[:, Dx:, Dx:] - scale[:, Dx:, :Dx] @ slope, axis1=1, axis2=2
    )
    infinite = np.full(distance.shape, np.inf)
    grown = np.divide(df + distance, further, where=further > 0, out=infinite)
    return (
        log_gate,
        centre[:, None, Dx:] + deviation @ slope,
        grown[..., None] * rest[:, None],
    )
