"""The explorer of notebook 05 shows what the engine computes."""

import numpy as np
import pytest

from vbkit.data import sato2000 as data_set
from vbkit.explore import batch_vs_online as lab
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.learning import fit_batch, fit_online, gaussian_start, sato2000

SETTINGS = {
    "data": "A",
    "model": "isotropic",
    "units": 3,
    "gamma0": 1.0,
    "tau0": 100.0,
    "kappa": 0.01,
    "discounted": True,
}


def test_traces_are_those_of_the_learning_rules():
    arrays = lab.learn(**SETTINGS)
    rng = np.random.default_rng(0)
    X, _ = data_set("A", rng)
    mixture = lab.sato_mixture(X, 3, "isotropic", 1.0)
    start = gaussian_start(mixture, X, 3, rng)
    batch = fit_batch(mixture, X, start, max_epochs=lab.EPOCHS, tolerance=0)
    online = fit_online(mixture, X, start, sato2000(200), epochs=lab.EPOCHS, rng=rng)
    assert np.allclose(arrays["bounds"][0], batch.trace, rtol=1e-12)
    assert np.allclose(arrays["bounds"][1], online.trace, rtol=1e-12)
    assert arrays["rates"][0] == 0.01 and arrays["rates"][-1] == pytest.approx(online.schedule.rate, rel=0.02)


def test_the_report_s_prior():
    X, _ = data_set("B", np.random.default_rng(3))
    full, isotropic = (lab.sato_mixture(X, 5, model, 0.01, scale=2.0) for model in lab.FAMILIES)
    variance = X.var(axis=0).mean()
    assert isinstance(full.component, NormalWishart) and isinstance(isotropic.component, IsotropicGaussian)
    for mixture in (full, isotropic):
        assert mixture.component.mean_count == pytest.approx(0.002)
        assert mixture.weights.concentration == pytest.approx(1.002)
        assert np.allclose(mixture.component.mean, X.mean(axis=0))
    assert np.allclose(full.component.scatter, 0.002 * 2 * variance * np.eye(2))
    assert isotropic.component.rate == pytest.approx(0.002 * 2 * variance)
    with pytest.raises(ValueError, match="model is 'round'"):
        lab.sato_mixture(X, 5, "round", 0.01)


def test_pictures_and_words_follow_the_controls():
    explorer = lab.explorer()
    first = explorer.png
    explorer.set(epoch=10, data="A", units=6)
    second = explorer.png
    explorer.set(discounted=False)
    third = explorer.png
    assert len({first, second, third}) == 3
    assert explorer.error is None
    arrays = lab.compute(**explorer.values)
    assert f"{arrays['bounds'][1, 10]:.1f}" in lab.reading(arrays, explorer.values)
