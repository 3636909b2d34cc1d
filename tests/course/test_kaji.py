"""What the evidence of the thesis on questionnaires measures and draws."""

import numpy as np

from vbkit.course import kaji
from vbkit.theory import theorem


def test_the_model_has_five_arrows():
    assert kaji.picture_of_model().arrays["edges"].shape == (5, 2)


def test_the_surface_is_that_of_the_theorem():
    drawn = kaji.picture_of_surface().arrays
    assert drawn["surface"].shape == (len(drawn["a"]), len(drawn["b"]))
    expected = theorem(3, 3, 1, 1, drawn["a"][40], drawn["b"][7]).coefficient
    assert drawn["surface"][40, 7] == expected


def test_ends_have_names():
    means = np.array(
        [[0.5] * 4, [0.99, 0.99, 0.01, 0.0], [0.99, 0.4, 0.6, 0.5], [0.3] * 4]
    )
    sizes = np.array([0.1, 50, 50, 50])
    assert kaji.ends_of(means, sizes).tolist() == [0, 1, 2, 3]


def test_states_of_components():
    S = np.array(
        [
            [6000, 3000, 3000, 3000, 3000],  # (count, ones, zeros), M = 2
            [3900, 3900, 0, 3000, 900],
            [3000, 3000, 0, 0, 3000],
            [90, 1, 89, 90, 0],
            [5, 2, 3, 3, 2],
        ],
        dtype=float,
    )[:, [0, 1, 3, 2, 4]]
    found = kaji.component_states(S, 1e4)
    assert found == [
        "interior",
        "partly pinned",
        "deterministic",
        "small vertex",
        "empty",
    ]
    assert set(found) == set(kaji.STATES)
