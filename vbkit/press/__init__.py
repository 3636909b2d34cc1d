"""What works on whole notebooks: publish figures, run notebooks and compare what they
make with what is committed, keep the ledger, give feedback on exercises, make
hand-outs, the book and the site.

Nothing here knows a model. What a run tells a notebook is explained in `environment`.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # the repository that this package sits in
# folders of the workbook that nothing else may go into
OWN = ("notebooks", "figures", "vbkit", "tests")
PROFILES = ("quick", "paper", "full")  # of a notebook's run
WIDGET = "application/vnd.jupyter.widget-view+json"
THREADS = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")
}


def share_of_cores(processes: int) -> dict[str, str]:
    """The variable that keeps each of several processes, which run side by side, to its
    share of the cores in joblib, and so in `run_many`.

    Threads beyond that only wait for the interpreter's lock, and take a fifth more
    processor time to do so.
    """
    cores = os.cpu_count() or 1
    return {"LOKY_MAX_CPU_COUNT": str(max(1, cores // processes))}


class UsageError(ValueError):
    """What was asked is not possible: the command line says so and leaves with 2."""
