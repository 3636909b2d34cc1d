"""The explorer of the roof shows what the engine computes, and the text says what it shows."""

import numpy as np

from vbkit.chapters import other_models as chapter
from vbkit.chapters.other_models import curve
from vbkit.models import predict_outputs


def test_the_roof_is_learned_by_the_engine():
    X, mixture = curve.measure(np.random.default_rng(11)), curve.network(4)
    S = curve.spread_gates(mixture, 4)
    for row in X[:40]:  # the step of the chapter
        S = S + mixture.e_step(row[None], S).S
    found = predict_outputs(mixture, curve.GRID, S)
    arrays = chapter.roof().compute(40, 4)
    assert np.allclose(arrays["mean"], found.mean[:, 0]) and np.allclose(
        arrays["gate"], found.gate
    )
    half = 1.96 * np.sqrt(found.variance[:, 0])
    assert np.allclose(arrays["high"] - arrays["low"], 2 * half)
    says = mixture.family.conditional(mixture.effective(S), curve.GRID)[1][..., 0]
    assert np.allclose((arrays["gate"] * says.T).sum(axis=1), arrays["mean"])


def test_what_the_text_says_of_the_roof():
    explorer, home = chapter.roof(), np.abs(curve.GRID[:, 0]) <= curve.REACH

    def half(points, experts):
        arrays = explorer.compute(points, experts)
        return np.median((arrays["high"] - arrays["low"])[home]) / 2

    assert half(20, 8) > 1.3 * half(20, 2)
    explorer.set(points=20, experts=8)
    assert f"± {half(20, 8):.2f} m" in explorer.status
    error = explorer.compute(200, 4)["mean"] - curve.height(curve.GRID[:, 0])
    assert np.sqrt(np.mean(error[home] ** 2)) < 0.15
    assert explorer.compute(20, 8)["busy"].sum() == 4
    end = explorer.compute(200, 8)
    idle = end["gate"][:, ~end["busy"]].sum(axis=1)
    assert min(idle[[0, -1]]) > 0.4 and idle[40:81].max() < 0.05
