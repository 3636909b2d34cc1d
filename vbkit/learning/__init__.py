"""How a posterior moves: batch, online, along a gradient, and many runs at once."""

from vbkit.checks import ConvergenceWarning
from vbkit.learning.batch import batch_epochs, fit_batch, fit_each_start
from vbkit.learning.chunks import fit_chunks
from vbkit.learning.fit import Fit
from vbkit.learning.gradient import GradientFit, fit_gradient
from vbkit.learning.many import run_many
from vbkit.learning.online import fit_online, online_epochs
from vbkit.learning.running_elbo import running_elbo
from vbkit.learning.schedule import (
    Schedule,
    accumulation,
    reciprocal,
    sato1999,
    sato2000,
    without_discount,
)
from vbkit.learning.starts import (
    component_prior_means,
    init_from_rows,
    init_gaussian,
    init_uniform,
)
