"""How a posterior moves: batch, on-line, along a gradient, and many runs at once."""

from vbkit.learning.batch import Fit, fit_batch
from vbkit.learning.gradient import GradientFit, fit_gradient
from vbkit.learning.many import run_many
from vbkit.learning.online import fit_online
from vbkit.learning.schedule import Schedule, accumulation, reciprocal, sato1999, sato2000, without_discount
from vbkit.learning.starts import gaussian_start, start_at_rows, uniform_start, unit_priors
