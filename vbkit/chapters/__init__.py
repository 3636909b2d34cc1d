"""The companions of the notebooks: one module per chapter, with its data, drawings, explorers and answers.

Importing this package keeps the products of small matrices on one thread, where they are fastest. NumPy and
SciPy each bring a BLAS library; both must be loaded before their threads can be limited.
"""

from collections.abc import Callable

import numpy.linalg  # noqa: F401
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_limits

from vbkit.widgets.explorer import Explorer

threadpool_limits(limits=1, user_api="blas")


def explorers() -> dict[str, Callable[[], Explorer]]:
    """Return, by the number of their notebook, the functions that make all explorers."""
    from vbkit.chapters import (
        batch_vs_online,
        factorization,
        hyperparameter_design,
        known_covariance,
        model_selection,
        online_em,
        online_mixture,
        online_theory,
        phase_diagram,
        side_by_side,
        start_here,
    )

    return {
        "00": start_here.explorer,
        "01": known_covariance.explorer,
        "02 schedule": online_em.explorer,
        "02 start": online_em.start_explorer,
        "03": online_mixture.explorer,
        "04": online_theory.explorer,
        "05": batch_vs_online.explorer,
        "06": model_selection.search.explorer,
        "07": factorization.singular_value.explorer,
        "07 completion": factorization.completion.explorer,
        "08 phases": phase_diagram.phases.explorer,
        "08 example": phase_diagram.example.explorer,
        "09": hyperparameter_design.digits.explorer,
        "10 side by side": side_by_side.one_too_many.explorer,
    }
