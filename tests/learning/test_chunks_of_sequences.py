"""Chunks of sequences: none is cut."""

import numpy as np
import pytest

from vbkit.families import NormalGamma
from vbkit.labels import Dirichlet, MarkovChain
from vbkit.learning import fit_batch, fit_chunks, init_from_rows
from vbkit.mixture import Mixture


def test_a_sequence_is_not_cut():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    chain = MarkovChain(Dirichlet(1.0), Dirichlet(1.0))
    model = Mixture(NormalGamma([0.0], 1.0, 1.0, 1.0), chain)
    start = init_from_rows(model, X, 2, rng)
    with pytest.raises(ValueError, match="would be cut after 20 rows"):
        fit_chunks(model, X, start, rows=20)
    whole = fit_batch(model, X, start, max_epochs=5)
    same = fit_chunks(model, X, start, rows=60, max_epochs=5)
    assert np.allclose(whole.trace, same.trace)
    two = fit_batch(model, model.observe(X, lengths=[20, 40]), start, max_epochs=5)
    parts = fit_chunks(model, [X[:20], X[20:]], start, max_epochs=5)
    assert np.allclose(two.trace, parts.trace)
