"""vbkit: a workbook on variational Bayes, and the small engine behind it.

The names a user needs first are here; the rest is in the rooms: `vbkit.families`, `vbkit.mixture`,
`vbkit.learning`, `vbkit.structure`, `vbkit.theory`, `vbkit.factorization`, ...
"""

import logging
import sys
from importlib import import_module

if sys.version_info < (3, 11):
    raise ImportError(
        f"vbkit needs Python 3.11 or newer; this is Python {sys.version.split()[0]}."
    )

__version__ = "0.1.0"

if sys.platform == "emscripten":
    # A browser has neither threads nor a lasting folder for a list of fonts. Both would be
    # told in red below the first cells of a lecture, where nothing is wrong.
    from tqdm import tqdm

    tqdm.monitor_interval = 0
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

_FIRST = {
    "vbkit.labels": "Dirichlet MarkovChain",
    "vbkit.mixture": "EM Mixture",
    "vbkit.families": """BetaBernoulli Columns DirichletCategorical Family GammaPoisson
        IsotropicGaussian KnownCovariance NormalGamma NormalWishart check_family""",
    "vbkit.learning": """accumulation fit_batch fit_online init_from_rows init_gaussian
        sato2000""",
    "vbkit.structure": "run_search start_search",
}
_ROOM = {name: room for room, names in _FIRST.items() for name in names.split()}
__all__ = sorted(_ROOM)


def __getattr__(name: str):
    """Import the room that holds a name when the name is first used: `import vbkit` stays quick."""
    if name not in _ROOM:
        raise AttributeError(f"module 'vbkit' has no attribute {name!r}")
    return getattr(import_module(_ROOM[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
