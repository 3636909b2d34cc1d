"""How fast the engine is, as ratios: against what people use instead, and against what the arithmetic alone costs.

One process and one thread; results are compared with plain NumPy's before anything is timed; every round times peer,
ours and limit in turn, in alternating order; a ratio is that of the 20th percentiles, with the median of the paired
ratios beside it. Ratios travel between machines better than seconds, which are shown for orientation only.
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
from threadpoolctl import threadpool_limits

from vbkit.bench.measure import Row
from vbkit.workbook import UsageError


def sections() -> dict[str, Callable[[], Iterable[Row]]]:
    """What can be measured, by name: all that the modules of this folder offer in `SECTIONS`."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    return {
        name: rows for module in modules for name, rows in getattr(module, "SECTIONS", {}).items()
    }


def main(wanted: list[str]) -> int:
    """Measure the sections wanted (all, if none is), print a table; 0 if every bar is met.

    UsageError, before anything is measured, lists what there is where a section is not there.
    """
    known = sections()
    for name in wanted:
        if name not in known:
            raise UsageError(f"there is no section {name}; there are: {', '.join(known)}")
    features = [name for name, on in np._core._multiarray_umath.__cpu_features__.items() if on]
    print("processor features:", " ".join(features))
    print(f"{'':54s} {'ratio':>9s} {'paired':>9s}   bar")
    met = True
    with threadpool_limits(1):
        for section in wanted or known:
            for row in known[section]():
                print(row, flush=True)
                met &= row.met is not False
    return 0 if met else 1
