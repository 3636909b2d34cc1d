"""Your own data: estimators through scikit-learn's conventions, tables, files of ratings
and of items, and what the commands `fit` and `ratings` do.

A name is imported when it is first asked for, so that commands which need no
scikit-learn start without it.
"""

from importlib import import_module

from vbkit.checks import require

ESTIMATORS = {  # name: the module of this room that defines it
    "VariationalMixture": "mixture",
    "VariationalHMM": "hidden_markov",
    "VariationalRegressionMixture": "regression",
    "VariationalMatrixFactorization": "factorization",
    "save_model": "storage",
    "load_model": "storage",
}
FILES = {
    "read_table": "table",
    "Ratings": "ratings",
    "read_ratings": "ratings",
    "read_items": "ratings",
    "held_out_report": "completion",
}

__all__ = [*ESTIMATORS, *FILES]


def __getattr__(name: str):
    """Import one of the names above. Raises ImportError where an extra is missing."""
    if name in ESTIMATORS:
        require("sklearn", "sklearn")
    module = (ESTIMATORS | FILES).get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
