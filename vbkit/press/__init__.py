"""What works on whole notebooks: publish figures, reproduce, check, canonicalise, check exercises.

Nothing here knows a model. The environment carries what a notebook may not: VBKIT_RECORD names the
folder of a recording (without it nothing is written), VBKIT_FIGURES the folders where stored
studies and the ledger lie, VBKIT_NOTEBOOK the notebook that runs, VBKIT_RECHECK the seed that
chooses which of their results run again."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # the repository that this package sits in
# folders of the workbook that nothing else may go into
OWN = ("notebooks", "figures", "vbkit", "tests")
WIDGET = "application/vnd.jupyter.widget-view+json"
THREADS = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")
}


class UsageError(ValueError):
    """What was asked is not possible: the command line says so in one line and leaves with 2."""
