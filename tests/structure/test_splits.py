"""The directions along which a component is cut in two."""

import numpy as np

from vbkit.families import KnownCovariance, NormalWishart
from vbkit.structure.splits import candidate_sides

RNG = np.random.default_rng(0)


X = RNG.normal(size=(60, 2)) + 4 * np.arange(60)[:, None] % 8


def test_rows_of_weight_0_do_not_tell_splits_apart():
    r = np.where(np.arange(60) < 6, 0.5, 0.0)
    r[:50] = 0.0
    r[[0, 20, 40]] = 1.0
    family = NormalWishart([0, 0], 1.0, 3.0, np.eye(2))
    sides = [side[r > 0] for side in candidate_sides(family, X, r)]
    assert (
        len(sides)
        == len({min(side.tobytes(), (~side).tobytes()) for side in sides})
        <= 3
    )


def test_six_directions_of_wide_data_are_tried():
    """Three of the data and three of standardised columns, for a family of whom no statistic is
    left."""
    wide = np.random.default_rng(1).normal(size=(60, 8)) * np.arange(1, 9)
    family = KnownCovariance(np.zeros(8), 1.0)
    sides = [*candidate_sides(family, wide, np.ones(60))]
    x = wide - wide.mean(axis=0)
    wanted = [x @ np.linalg.eigh(x.T @ x)[1][:, -k] > 0 for k in (1, 2, 3)]
    x = x / x.std(axis=0)
    wanted += [x @ np.linalg.eigh(x.T @ x)[1][:, -k] > 0 for k in (1, 2, 3)]
    assert len(sides) == 6
    for side, want in zip(sides, wanted, strict=True):
        assert np.array_equal(side, want) or np.array_equal(side, ~want)
