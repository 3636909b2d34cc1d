"""The companions of the notebooks: for each chapter its data, drawings, explorers and answers.

Importing this package keeps the products of small matrices on one thread, where they are fastest.
NumPy and SciPy each bring a BLAS library; both must be loaded before their threads can be limited.
"""

from collections.abc import Callable
from importlib import import_module

import numpy.linalg  # noqa: F401
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_limits

from vbkit.widgets import Explorer

threadpool_limits(limits=1, user_api="blas")

EXPLORERS = {  # number of the notebook: the module that makes the explorer
    "00": "start_here",
    "01": "known_covariance",
    "02 schedule": "online_em.choose_schedule",
    "02 start": "online_em.one_start",
    "03": "online_mixture",
    "04": "online_theory",
    "05": "batch_vs_online",
    "06": "model_selection.search",
    "07": "factorization.singular_value",
    "07 completion": "factorization.completion",
    "08 phases": "phase_diagram.phases",
    "08 example": "phase_diagram.example",
    "09": "hyperparameter_design.digits",
    "10 side by side": "side_by_side.one_too_many",
}


def explorers() -> dict[str, Callable[[], Explorer]]:
    """Return the functions that make the explorers, by the number of their notebook."""
    modules = {name: import_module(f"vbkit.chapters.{path}") for name, path in EXPLORERS.items()}
    return {name: module.explorer for name, module in modules.items()}
