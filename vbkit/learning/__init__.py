"""How a posterior moves: batch, on-line, and many runs at once."""

from vbkit.learning.batch import Fit, fit_batch
from vbkit.learning.many import run_many
from vbkit.learning.online import fit_online
from vbkit.learning.schedule import Schedule, accumulation, sato2000, without_discount
from vbkit.learning.starts import gaussian_start, start_at_rows

__all__ = [
    "Fit",
    "Schedule",
    "accumulation",
    "fit_batch",
    "fit_online",
    "gaussian_start",
    "run_many",
    "sato2000",
    "start_at_rows",
    "without_discount",
]
