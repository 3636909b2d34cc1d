"""The companions of the notebooks: for each chapter its data, drawings, explorers and answers.

Importing this package keeps the products of small matrices on one thread, where they are fastest.
NumPy and SciPy each bring a BLAS library; both must be loaded before their threads can be limited.
"""

from collections.abc import Callable
from importlib import import_module

import numpy.linalg  # noqa: F401
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_limits

from vbkit.widgets.explorer import Explorer

threadpool_limits(limits=1, user_api="blas")

EXPLORERS = {  # number of the notebook: the function that makes the explorer
    "00": "start_here.explorer",
    "01": "known_covariance.explorer",
    "02 schedule": "online_em.schedule.explorer",
    "02 start": "online_em.one_start.explorer",
    "03": "online_mixture.explorer",
    "04": "online_theory.explorer",
    "05": "batch_vs_online.explorer",
    "06": "model_selection.search.explorer",
    "07": "factorization.singular_value.explorer",
    "07 completion": "factorization.completion.explorer",
    "08 phases": "phase_diagram.phases.explorer",
    "08 example": "phase_diagram.example.explorer",
    "09": "hyperparameter_design.digits.explorer",
    "10 side by side": "side_by_side.one_too_many.explorer",
}


def explorers() -> dict[str, Callable[[], Explorer]]:
    """Return the functions that make the explorers, by the number of their notebook."""
    functions = {}
    for name, path in EXPLORERS.items():
        module, function = path.rsplit(".", 1)
        functions[name] = getattr(import_module(f"vbkit.chapters.{module}"), function)
    return functions
