"""The explorer of notebook 05 shows what the engine computes."""

import numpy as np
import pytest

from vbkit.chapters import batch_vs_online as chapter
from vbkit.data import sato2000 as data_set
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.learning import fit_batch, fit_online, init_gaussian, sato2000

SETTINGS = {
    "data": "A",
    "model": "isotropic",
    "n_components": 3,
    "gamma0": 1.0,
    "tau0": 100.0,
    "kappa": 0.01,
    "discounted": True,
}


def test_traces_are_those_of_the_learning_rules():
    arrays = chapter.learn(**SETTINGS)
    rng = np.random.default_rng(0)
    X, _ = data_set("A", rng)
    mixture = chapter.sato_mixture(X, 3, "isotropic", 1.0)
    start = init_gaussian(mixture, X, 3, rng)
    batch = fit_batch(mixture, X, start, max_epochs=chapter.EPOCHS, tolerance=0)
    online = fit_online(mixture, X, start, sato2000(200), epochs=chapter.EPOCHS, rng=rng)
    assert np.allclose(arrays["elbos"][:, 0], batch.trace, rtol=1e-12)
    assert np.allclose(arrays["elbos"][:, 1], online.trace, rtol=1e-12)
    assert arrays["rates"][0] == 0.01 and arrays["rates"][-1] == pytest.approx(
        online.schedule.learning_rate, rel=0.02
    )


def test_the_report_s_prior():
    X, _ = data_set("B", np.random.default_rng(3))
    full, isotropic = (
        chapter.sato_mixture(X, 5, model, 0.01, scale=2.0) for model in chapter.FAMILIES
    )
    variance = X.var(axis=0).mean()
    assert isinstance(full.family, NormalWishart) and isinstance(
        isotropic.family, IsotropicGaussian
    )
    for mixture in (full, isotropic):
        assert mixture.family.mean_count == pytest.approx(0.002)
        assert mixture.weights.concentration == pytest.approx(1.002)
        assert np.allclose(mixture.family.mean, X.mean(axis=0))
    assert np.allclose(full.family.scatter, 0.002 * 2 * variance * np.eye(2))
    assert isotropic.family.rate == pytest.approx(0.002 * 2 * variance)
    with pytest.raises(ValueError, match="model is 'round'"):
        chapter.sato_mixture(X, 5, "round", 0.01)


def test_pictures_and_status_follow_the_controls():
    explorer = chapter.explorer()
    first = explorer.png
    explorer.set(epoch=10, data="A", n_components=6)
    second = explorer.png
    explorer.set(discounted=False)
    third = explorer.png
    assert len({first, second, third}) == 3
    assert explorer.error is None
    arrays = chapter.compute(**explorer.values)
    assert f"{arrays['elbos'][10, 1]:.1f}" in chapter.status(arrays, explorer.values)
