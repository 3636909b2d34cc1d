"""What was observed is checked once, and is nobody else's afterwards."""

import numpy as np
import pytest
from oracles import close

from tests.families.test_check_family import Counts
from vbkit.factorization import validate
from vbkit.families import NormalWishart
from vbkit.learning import batch_epochs, fit_batch, init_gaussian
from vbkit.mixture import Mixture
from vbkit.structure import responsibility_statistics, run_search, start_search

RNG = np.random.default_rng(0)


X = RNG.normal(size=(60, 2)) + 4 * np.arange(60)[:, None] % 8


M = Mixture(NormalWishart([0, 0], 1.0, 3.0, np.eye(2)))


S = init_gaussian(M, X, 3, np.random.default_rng(1))


def test_what_was_observed_is_the_mixtures_own():
    data, w, start, V = X.copy(), np.ones(60), np.array(S), X.copy()
    seen, epochs, matrix = M.observe(data, w), batch_epochs(M, data, start), validate(V)
    search = start_search(M, data, start, np.random.default_rng(0))
    stats, before = responsibility_statistics(M, data, start), M.elbo(X, S)
    next(epochs)
    for array in (data, w, start, V):
        array[:] = 7.0
    assert (
        M.elbo(seen, S) == before
        and next(epochs)[1] == fit_batch(M, X, S, max_epochs=1).elbo
    )
    assert (stats.at == S).all() and (matrix.V == X).all()
    close(
        run_search(search, 3).best.elbo,
        run_search(start_search(M, X, S, np.random.default_rng(0)), 3).best.elbo,
    )


def test_data_of_another_family_object_are_checked_again():
    class Above(Counts):
        def check_data(self, X):
            if (np.asarray(X) < self.base).any():
                raise ValueError(f"X must be >= {self.base}")
            return super().check_data(X)

    seen = Mixture(Above()).observe([[1.0], [2.0]])
    Mixture(Above()).elbo(seen, np.zeros((1, 2)))
    with pytest.raises(ValueError, match="X must be >= 2"):
        Mixture(Above(1, 2.0)).elbo(seen, np.zeros((1, 2)))
    other = Mixture(NormalWishart([5, 5], 1.0, 3.0, np.eye(2)))
    nothing = np.zeros((3, 6))
    assert other.elbo(M.observe(X), nothing) == other.elbo(X, nothing)
