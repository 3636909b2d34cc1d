"""The mixtures of the documents on online learning, with the priors of the documents."""


from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import fit_online
from vbkit.mixture import Mixture

FAMILIES = {
    "full covariance": NormalWishart,
    "isotropic": IsotropicGaussian,
}  # of Sato 2000


def sato_mixture(
    X, n_components: int, model: str, prior_strength: float, scale: float = 1.0
) -> Mixture:
    """Return the mixture of Sato 2000, whose components share a prior of `prior_strength` data
    points equally.

    They have the mean of X (N, D) and `scale` times the mean variance of its columns. model: "full
    covariance" (appendix C) or "isotropic"; ValueError for another.
    """
    if model not in FAMILIES:
        raise ValueError(f"model is {model!r}; it must be one of {', '.join(FAMILIES)}")
    share = prior_strength / n_components
    family = FAMILIES[model].from_pseudo_data(
        X.mean(axis=0), scale * X.var(axis=0).mean(), share
    )
    return Mixture(family, Dirichlet(1 + share))


def states_after(mixture: Mixture, X, start, schedule, marks) -> list:
    """Return the states (K, P) of online learning after the first n rows of X, for each of `marks`.

    marks: ascending numbers n.
    """
    states, S, seen = [], start, 0
    for n in marks:
        if n > seen:
            fit = fit_online(mixture, X[seen:n], S, schedule, monitor=False)
            S, schedule, seen = fit.S, fit.schedule, n
        states.append(S)
    return states
