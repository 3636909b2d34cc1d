"""Three ways of learning, and the comparison of Sato 2000, Fig. 2."""

import numpy as np

from vbkit import plots
from vbkit.chapters.models import sato_mixture
from vbkit.data import SATO2000_CENTRES
from vbkit.data import sato2000 as data_set
from vbkit.learning import fit_batch, fit_online, init_gaussian, sato2000, without_discount

# line, marker and colour of each method, lines and markers as the report's captions state them
METHODS = {
    "batch": {"linestyle": "-.", "marker": "x", "color": plots.COLOURS[1]},
    "online": {"linestyle": "-", "marker": "o", "color": plots.COLOURS[0]},
    "online, no discount": {"linestyle": ":", "marker": "^", "color": plots.COLOURS[2]},
}


def learn(mixture, data, start, method, rng, *, tau0=100.0, kappa=0.01, epochs=60):
    """Learn from one start by one of METHODS: batch VB until it stands still, the others for
    `epochs` passes. data: Observations."""
    if method == "batch":
        return fit_batch(mixture, data, start, max_epochs=500, tolerance=1e-3)
    total = len(data.X)
    discounted = sato2000(total, tau0=tau0, kappa=kappa)
    schedule = discounted if method == "online" else without_discount(total)
    return fit_online(mixture, data, start, schedule, epochs=epochs, rng=rng)


def first_within(trace, target):
    """The first epoch from which the trace stays at the target or above; NaN if it ends below."""
    below = np.flatnonzero(trace < target)
    return np.nan if trace[-1] < target else float(below[-1] + 1 if len(below) else 0)


def compare(job, tau0=100.0, kappa=0.01):
    """Run every method from the same starts, for each number of components of a job.

    job: data "A" or "B", model, gamma0, starts, epochs, n_components (a list) and seed. It draws
    its own data. Returns arrays (methods, numbers of components, starts): the final ELBO "bound",
    and the epochs until convergence by four definitions.
    """
    rng = np.random.default_rng([job["seed"], "AB".index(job["data"])])
    points, _ = data_set(job["data"], rng)
    rows = [compare_components(points, n, job, rng, tau0, kappa) for n in job["n_components"]]
    return {key: np.round(np.stack([row[key] for row in rows], axis=1), 3) for key in rows[0]}


def compare_components(points, n_components, job, rng, tau0, kappa):
    mixture = sato_mixture(points, n_components, job["model"], job["gamma0"])
    data = mixture.observe(points)
    starts = [init_gaussian(mixture, points, n_components, rng) for _ in range(job["starts"])]
    settings = {"tau0": tau0, "kappa": kappa, "epochs": job["epochs"]}
    traces = [[learn(mixture, data, s, m, rng, **settings).trace for s in starts] for m in METHODS]
    batch = np.median([t[-1] for t in traces[0]])
    targets = {  # what "converged" may mean
        "final_1": lambda t: t[-1] - 1,
        "final_5": lambda t: t[-1] - 5,
        "final_percent": lambda t: t[-1] - 0.01 * abs(t[-1]),
        "batch_5": lambda t: batch - 5,
    }
    epochs = {
        k: np.array([[first_within(t, f(t)) for t in row] for row in traces])
        for k, f in targets.items()
    }
    return {"bound": np.array([[t[-1] for t in row] for row in traces])} | epochs


def curves_of_figure_2(n_components, results):
    """The arrays of Fig. 2 from the results of `compare` on data "A" and "B".

    The highest ELBO, and the median epochs to stay within 5 nats of the end; (methods, n) each.
    """
    arrays = {"n_components": np.array(n_components)}
    for name in "AB":
        arrays[f"bound_{name}"] = results[name]["bound"].max(axis=2)
        arrays[f"epochs_{name}"] = np.median(results[name]["final_5"], axis=2)
    return arrays


def cores_covered(gaussians) -> int:
    """At how many of B's two narrow Gaussians a narrow component stands: centre within 1."""
    centres, covariances = gaussians
    covariances = np.asarray(covariances)
    spread = covariances if covariances.ndim == 1 else np.trace(covariances, axis1=1, axis2=2) / 2
    narrow = centres[spread < 4]
    return sum((np.hypot(*(narrow - core).T) < 1).any() for core in SATO2000_CENTRES["B"][[0, 2]])
