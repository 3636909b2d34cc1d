"""The figures of the thesis on questionnaires that the evidence draws."""

import numpy as np

from vbkit.chapters.bernoulli import thesis


def test_the_model_has_five_arrows():
    assert thesis.picture_of_model().arrays["edges"].shape == (5, 2)


def test_ends_have_names():
    means = np.array(
        [[0.5] * 4, [0.99, 0.99, 0.01, 0.0], [0.99, 0.4, 0.6, 0.5], [0.3] * 4]
    )
    sizes = np.array([0.1, 50, 50, 50])
    assert thesis.ends_of(means, sizes).tolist() == [0, 1, 2, 3]
