"""The searches of Sato's second experiment: their course counts every epoch."""

import numpy as np
import pytest

from vbkit.course import searches
from vbkit.data import sato2000


@pytest.mark.parametrize("method", ["batch", "online"])
def test_the_course_of_a_search_counts_epochs(method):
    X, _ = sato2000("A", np.random.default_rng(6))
    curves = []
    learn = searches.with_likelihoods(searches.learner("A", method), curves)
    case = X, "A", "isotropic", 1.0, method, 3
    path = searches.search(*case, np.random.default_rng(1), learn=learn)
    drawn = searches.course(path, curves)
    records = path[-1].records
    plain = searches.search(*case, np.random.default_rng(1))[-1].records
    assert path[-1].finished and plain[1:] == records[1:]  # looking changes nothing
    assert len(drawn["current"]) == len(drawn["best"]) == sum(r.epochs for r in records)
    assert len(drawn["log_likelihood"]) == len(drawn["current"])
    assert len(drawn["ends"]) == len(records)
    assert np.allclose(drawn["current"][drawn["ends"]], [r.elbo for r in records])
    likelihoods = [r.log_likelihood for r in records]
    assert np.allclose(drawn["log_likelihood"][drawn["ends"]], likelihoods)
    assert (np.diff(drawn["best"]) >= 0).all()
    assert drawn["components"][drawn["ends"]].tolist() == [r.K for r in records]
