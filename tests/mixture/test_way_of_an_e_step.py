"""The way of an E-step that `vbkit/README.md` describes: few files, and no check on it."""

import sys
from pathlib import Path

import numpy as np
import pytest

import vbkit
from vbkit.families import IsotropicGaussian, NormalGamma, NormalWishart
from vbkit.labels import Dirichlet, MarkovChain
from vbkit.learning import fit_batch
from vbkit.mixture import Mixture

PACKAGE = Path(vbkit.__file__).parent
X = np.random.default_rng(0).normal(size=(700, 2))
FAMILIES = {
    "families/normal_wishart.py": NormalWishart([0.0, 0.0], 1.0, 4.0, np.eye(2)),
    "families/normal_gamma.py": NormalGamma([0.0, 0.0], 1.0, 2.0, 1.0),
}


def calls_of_vbkit(action) -> list[tuple[str, str]]:
    """The functions of vbkit that an action calls: file and name."""
    calls = []

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            file = path.relative_to(PACKAGE).as_posix()
            calls.append((file, frame.f_code.co_name))

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return calls


def start_of(mixture: Mixture) -> np.ndarray:
    nearer_to_0 = np.abs(X[:, 0]) < np.abs(X[:, 1])
    return mixture.m_step(X, np.column_stack([nearer_to_0, ~nearer_to_0]))


@pytest.mark.parametrize("file", FAMILIES)
@pytest.mark.parametrize("labels", [Dirichlet(1.0), MarkovChain()])
def test_an_e_step_of_a_gaussian_mixture_passes_through_five_files(file, labels):
    mixture = Mixture(FAMILIES[file], labels)
    data = mixture.observe(X)
    S = start_of(mixture)
    mixture.sweep(data, S)  # what is worked out once for a prior is no part of the way
    softmax = "compiled/softmax.py" if labels.independent else "compiled/chains.py"
    files = {"mixture.py", "labels.py", "observations.py", file, softmax}
    assert {name for name, _ in calls_of_vbkit(lambda: mixture.sweep(data, S))} == files


def test_learning_checks_data_and_start_once():
    mixture = Mixture(IsotropicGaussian([0.0, 0.0], 1.0, 2.0, 1.0))
    S = start_of(mixture)
    calls = calls_of_vbkit(
        lambda: fit_batch(mixture, X, S, max_epochs=5, tolerance=0.0)
    )
    names = [name for _, name in calls]
    assert names.count("sweep") == 6
    assert names.count("check_data") == names.count("as_state") == 1
