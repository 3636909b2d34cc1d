"""The last number that learning takes is taken; the next one is refused."""

import numpy as np
import pytest
from oracles import close

from vbkit.families import IsotropicGaussian
from vbkit.learning import (
    Schedule,
    accumulation,
    fit_gradient,
    fit_online,
    run_many,
    sato1999,
    sato2000,
)
from vbkit.learning.hierarchical import (
    Hyperprior,
    fit_hierarchical,
    fit_hierarchical_online,
)
from vbkit.mixture import Mixture

pytestmark = pytest.mark.filterwarnings("error")
X = np.random.default_rng(0).normal(size=(6, 2))
ROUND = Mixture(IsotropicGaussian([0.0, 0.0], 1.0, 1.0, 1.0))
S = ROUND.m_step(X, np.random.default_rng(1).dirichlet(np.ones(2), 6))
HYPER = Hyperprior(1.0, [0.0, 0.0], 1.0)
ADD = accumulation()


AT = [  # what is checked, the function, a number at the limit, and numbers just beyond it
    ("epochs", lambda v: fit_online(ROUND, X, S, ADD, epochs=v), 0, [-1]),
    ("epochs", lambda v: fit_hierarchical_online(ROUND, X, S, HYPER, ADD, epochs=v), 0, [-1]),
    ("forgetting_rate", lambda v: Schedule(1.0, v), 1, [1.01]),
    ("tau0", lambda v: sato2000(9.0, tau0=v), 1, [0.99]),
    ("forgetting_rate", lambda v: sato1999(9.0, forgetting_rate=v, kappa=0.25), 0.79, [0.8]),
    ("n_jobs", lambda v: run_many(abs, [1, 2], n_jobs=v), 1, [0, True, 1.0]),
    ("widths", lambda v: fit_gradient(X, [1.0], X[:1], [v], ADD, epochs=0), 0.99e100, [1e100]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "limit", "beyond"), AT)
def test_the_limit_is_allowed_and_nothing_beyond(name, call, limit, beyond):
    call(limit)
    for value in beyond:
        with pytest.raises(ValueError, match=name):
            call(value)


def test_no_epoch_is_no_learning():
    fit = fit_hierarchical(ROUND, X, S, HYPER, max_epochs=0)
    close(fit.S, S)
    assert (fit.epochs, fit.converged, len(fit.trace)) == (0, False, 1)
