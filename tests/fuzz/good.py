"""Good arguments that several rooms ask for: families, models with data and states, matrices."""

import numpy as np
from hypothesis import strategies as st

from vbkit import families, learning
from vbkit.labels import Dirichlet, MarkovChain
from vbkit.mixture import EM, Mixture

GENERATORS = st.integers(0, 999).map(np.random.default_rng)
POSITIVE = st.floats(0.1, 4)
DIMENSIONS = st.integers(1, 3)
COMPONENTS = st.integers(1, 4)
GAUSSIAN = families.NormalWishart, families.NormalGamma, families.IsotropicGaussian
COUNTS = families.BetaBernoulli, families.GammaPoisson, families.DirichletCategorical
GENERATIVE = *GAUSSIAN, families.KnownCovariance, *COUNTS  # they draw data as well
KINDS = *GENERATIVE, families.LinearRegression
INDEPENDENT = (Dirichlet(1.0),)
CHAINS = (MarkovChain(),)
LABELS = INDEPENDENT + CHAINS


@st.composite
def family_calls(draw, kinds=None, dimensions=DIMENSIONS):
    """A family's class, and its prior's hyperparameters."""
    D = draw(dimensions)
    A = draw(GENERATORS).normal(size=(D, D))
    mean = np.zeros(D)
    scatter = A @ A.T + np.eye(D)
    hyperparameters = {
        families.KnownCovariance: {
            "mean": mean,
            "prior_variance": draw(POSITIVE),
            "covariance": scatter,
        },
        families.IsotropicGaussian: {
            "mean": mean,
            "mean_count": draw(POSITIVE),
            "shape": draw(POSITIVE),
            "rate": draw(POSITIVE),
        },
        families.NormalGamma: {
            "mean": mean,
            "mean_count": draw(POSITIVE),
            "shape": draw(POSITIVE),
            "rate": np.full(D, draw(POSITIVE)),
        },
        families.NormalWishart: {
            "mean": mean,
            "mean_count": draw(POSITIVE),
            "degrees_of_freedom": D + draw(POSITIVE),
            "scatter": scatter,
        },
        families.BetaBernoulli: {"dimension": D, "pseudo_count": draw(POSITIVE)},
        families.GammaPoisson: {
            "dimension": D,
            "shape": draw(POSITIVE),
            "rate": draw(POSITIVE),
        },
        families.DirichletCategorical: {
            "levels": (3,) * D,
            "pseudo_count": draw(POSITIVE),
        },
        families.LinearRegression: {
            "mean_x": mean,
            "mean_y": np.zeros(1),
            "precision": draw(POSITIVE),
        },
    }
    kind = draw(st.sampled_from(kinds or KINDS))
    return kind, hyperparameters[kind]


@st.composite
def made_families(draw, kinds=None, dimensions=DIMENSIONS):
    kind, hyperparameters = draw(family_calls(kinds, dimensions))
    return kind(**hyperparameters)


@st.composite
def rows(draw, family, size: int) -> np.ndarray:
    """Data (N, D) that the family is meant for."""
    rng = draw(GENERATORS)
    D = family.dimension
    if isinstance(family, families.BetaBernoulli):
        kinds = st.sampled_from([float, np.uint8, bool])
        return (rng.random((size, D)) < 0.4).astype(draw(kinds))
    if isinstance(family, families.DirichletCategorical | families.GammaPoisson):
        kinds = st.sampled_from([float, np.int64])
        return rng.integers(0, 3, (size, D)).astype(draw(kinds))
    return rng.normal(size=(size, D)) + 3 * rng.integers(0, 3, (size, 1))


@st.composite
def problems(draw, labels=LABELS, kinds=None, clones=(1.0, 3.0, EM)):
    """A model, data for it, and a state of some components."""
    family = draw(made_families(kinds))
    kind = draw(st.sampled_from(labels))
    model = Mixture(family, kind, draw(st.sampled_from(clones)))
    X = draw(rows(family, draw(st.sampled_from([2, 5, 20, 60]))))
    R = draw(responsibilities(len(X), draw(COMPONENTS)))
    return model, X, np.array(model.m_step(X, R))


@st.composite
def responsibilities(draw, size: int, n_components: int) -> np.ndarray:
    return draw(GENERATORS).dirichlet(np.ones(n_components), size)


def mixtures(kinds=None):
    """Problems of a plain mixture, as searches want it."""
    return problems(labels=INDEPENDENT, kinds=kinds, clones=(1.0,))


@st.composite
def schedules(draw, total: float):
    kinds = learning.sato2000, learning.sato1999, learning.without_discount
    options = [kind(float(total)) for kind in kinds]
    return draw(st.sampled_from([*options, learning.accumulation()]))


@st.composite
def matrices(draw, with_gaps: bool = False) -> np.ndarray:
    """A small matrix; with gaps, some entries may be nan, but never the first."""
    rng = draw(GENERATORS)
    V = rng.normal(size=(draw(st.integers(1, 7)), draw(st.integers(1, 7))))
    if with_gaps and draw(st.booleans()):
        V.flat[1:][rng.random(V.size - 1) < 0.3] = np.nan
    return V
