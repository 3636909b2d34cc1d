"""What works on whole notebooks: publish figures, run notebooks and compare what they
make with what is committed, keep the ledger, give feedback on exercises, make
hand-outs, the book and the site.

Nothing here knows a model. What a run tells a notebook is explained in `environment`.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # the repository that this package sits in
# folders of the workbook that nothing else may go into
OWN = ("notebooks", "figures", "vbkit", "tests")
PROFILES = ("quick", "paper", "full")  # of a notebook's run
WIDGET = "application/vnd.jupyter.widget-view+json"
THREADS = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")
}


class UsageError(ValueError):
    """What was asked is not possible: the command line says so and leaves with 2."""
