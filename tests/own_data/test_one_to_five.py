"""Nobody predicts ratings from 1 to 5 better than whoever knows their means."""

import numpy as np
import pytest

from vbkit.own_data.one_to_five import best_possible


def test_nobody_predicts_better_than_the_ideal():
    rng = np.random.default_rng(3)
    mean = rng.normal(3.5, 0.8, 200_000)
    values = np.clip(np.rint(mean + 0.9 * rng.standard_normal(mean.size)), 1, 5)
    best = best_possible(mean)
    assert best == pytest.approx(0.86, abs=0.01)
    assert np.sqrt(np.mean((values - np.clip(mean, 1, 5)) ** 2)) > best
