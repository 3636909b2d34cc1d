"""The companions of the notebooks: for each chapter its data, drawings, explorers and answers.

Importing this package keeps the products of small matrices on one thread, where they are fastest.
NumPy and SciPy each bring a BLAS library; both must be loaded before their threads can be limited.
"""

import inspect
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from vbkit.checks import require

require("workbook", "threadpoolctl", "sklearn")

import numpy.linalg  # noqa: F401
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_limits

from vbkit.chapters.old_form import OldExplorer
from vbkit.course import Explorer

threadpool_limits(limits=1, user_api="blas")


def explorers() -> dict[str, Callable[[], Explorer]]:
    """Return the functions that make the explorers, as "companion.function".

    They are the functions of a companion that take no argument and are annotated with
    `-> Explorer` or `-> OldExplorer`.
    """
    found = {}
    for companion in filter(lambda module: module.ispkg, iter_modules(__path__)):
        offered = vars(import_module(f"{__name__}.{companion.name}"))
        for name, make in offered.items():
            if not inspect.isfunction(make):
                continue
            if make.__annotations__.get("return") in (Explorer, OldExplorer):
                found[f"{companion.name}.{name}"] = make
    return found
