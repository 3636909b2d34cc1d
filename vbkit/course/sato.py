"""The first experiment of Sato (2000): data A and B, mixtures, three methods, Figure 2."""

from functools import cache

import numpy as np
from matplotlib.patches import Circle

from vbkit import learning, plots
from vbkit.data import SATO2000_CENTRES, SATO2000_WIDTHS
from vbkit.data import sato2000 as data_set
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

FAMILIES = {"full covariance": NormalWishart, "isotropic": IsotropicGaussian}

# of each method; lines and markers are those of the report's captions
METHODS = {
    "batch": {"linestyle": "-.", "marker": "x", "color": plots.COLOURS[1]},
    "online": {"linestyle": "-", "marker": "o", "color": plots.COLOURS[0]},
    "online, no discount": {"linestyle": ":", "marker": "^", "color": plots.COLOURS[2]},
}
ONLINE_METHODS = ("online", "online, no discount")
SWEEPS = 500  # of batch VB, at most
STILL = 1e-3  # nats: a sweep of batch VB that gains less is its last
JOB = {  # of Figure 2
    "model": "full covariance",
    "prior_strength": 0.01,
    "starts": 10,
    "epochs": 60,
}
CORES = SATO2000_CENTRES["B"][[0, 2]]  # centres of the two narrow Gaussians of B


def draw(seed: int = 2000) -> dict[str, np.ndarray]:
    """Draw data sets A (200, 2) and B (1000, 2) of the report."""
    rng = np.random.default_rng(seed)
    return {name: data_set(name, rng)[0] for name in "AB"}


def sato_mixture(
    X, n_components: int, model: str, prior_strength: float, scale: float = 1.0
) -> Mixture:
    """Return the mixture of Sato 2000, whose components share a prior equally.

    The prior is worth `prior_strength` data points, which have the mean of X (N, D) and
    `scale` times the mean variance of its columns. model: "full covariance" (appendix C)
    or "isotropic"; ValueError for another.
    """
    if model not in FAMILIES:
        raise ValueError(f"model is {model!r}; it must be one of {', '.join(FAMILIES)}")
    share = prior_strength / n_components
    family = FAMILIES[model].from_pseudo_data(
        X.mean(axis=0), scale * X.var(axis=0).mean(), share
    )
    return Mixture(family, Dirichlet(1 + share))


def ends_of_circles(points, numbers, starts, prior_strength, tolerance) -> np.ndarray:
    """Return the ELBOs (numbers, starts) at which batch VB ends with each of the numbers of
    circles, from so many random starts. They are remembered for the same points (N, 2)."""
    points_as_bytes = np.ascontiguousarray(points, float).tobytes()
    return _ends_of_circles(
        points_as_bytes, tuple(numbers), starts, prior_strength, tolerance
    )


@cache
def _ends_of_circles(points_as_bytes, numbers, starts, prior_strength, tolerance):
    """Return what `ends_of_circles` does, for points as bytes."""
    points = np.frombuffer(points_as_bytes).reshape(-1, 2)
    rng = np.random.default_rng(0)
    ends = np.zeros((len(numbers), starts))
    for row, K in enumerate(numbers):
        mixture = sato_mixture(points, K, "isotropic", prior_strength)
        for column in range(starts):
            start = learning.init_gaussian(mixture, points, K, rng)
            fit = learning.fit_batch(mixture, points, start, tolerance=tolerance)
            ends[row, column] = fit.elbo
    return ends


def schedules(total, tau0=100.0, kappa=0.01) -> dict:
    """Return the schedule of each of the METHODS that learn online, by name."""
    discounted = learning.sato2000(total, tau0=tau0, kappa=kappa)
    return {
        "online": discounted,
        "online, no discount": learning.without_discount(total),
    }


def learn(mixture, data, start, method, rng, *, tau0=100.0, kappa=0.01, epochs=60):
    """Return the fit of one of METHODS: batch VB until it stands still, the others for
    `epochs` passes.

    data: Observations; start: a state S; rng: orders the points in each pass.
    """
    if method == "batch":
        return learning.fit_batch(
            mixture, data, start, max_epochs=SWEEPS, tolerance=STILL
        )
    schedule = schedules(len(data.X), tau0, kappa)[method]
    return learning.fit_online(mixture, data, start, schedule, epochs=epochs, rng=rng)


def first_within(trace, target) -> float:
    """Return the first epoch from which a trace stays at the target or above.

    NaN if it ends below.
    """
    if trace[-1] < target:
        return np.nan
    below = np.flatnonzero(trace < target)
    if not len(below):
        return 0.0
    return float(below[-1] + 1)


def median_passes(epochs):
    """Return the median of epochs (..., runs); NaN stands for a run that never arrives.

    It is infinite if too few runs arrive.
    """
    return np.median(np.nan_to_num(epochs, nan=np.inf), axis=-1)


def compare(job, tau0=100.0, kappa=0.01, points=None):
    """Run every method from the same starts, for each number of components of a job.

    job: data "A" or "B", model, prior_strength, starts, epochs, n_components (a list) and
    seed. It draws its own data unless it is given the points (N, 2). Returns arrays
    (methods, numbers of components, starts): the final ELBO "bound", and the epochs until
    convergence by four definitions.
    """
    rng = np.random.default_rng([job["seed"], "AB".index(job["data"])])
    if points is None:
        points, _ = data_set(job["data"], rng)
    by_number = []
    for n_components in job["n_components"]:
        arrays = compare_components(points, n_components, job, rng, tau0, kappa)
        by_number.append(arrays)
    return {
        key: np.round(np.stack([arrays[key] for arrays in by_number], axis=1), 3)
        for key in by_number[0]
    }


def traces_of(points, n_components, job, rng, tau0=100.0, kappa=0.01):
    """Yield the ELBOs (epochs,) from each start of a job, first by batch VB, then by the
    other METHODS in turn."""
    mixture = sato_mixture(points, n_components, job["model"], job["prior_strength"])
    data = mixture.observe(points)
    starts = []
    for _ in range(job["starts"]):
        starts.append(learning.init_gaussian(mixture, points, n_components, rng))
    batch = learning.fit_each_start(
        mixture, data, starts, max_epochs=SWEEPS, tolerance=STILL
    )
    yield from (fit.trace for fit in batch)
    for method in ONLINE_METHODS:
        for start in starts:
            fit = learn(
                mixture,
                data,
                start,
                method,
                rng,
                tau0=tau0,
                kappa=kappa,
                epochs=job["epochs"],
            )
            yield fit.trace


def compare_components(points, n_components, job, rng, tau0, kappa) -> dict:
    """Return the arrays (methods, starts) of `compare` for one number of components."""
    traces = list(traces_of(points, n_components, job, rng, tau0, kappa))
    ends = np.array([trace[-1] for trace in traces])
    median_of_batch = np.median(ends[: job["starts"]])
    # "converged" may mean: near a run's own end, or near the median end of batch VB
    targets = {
        "final_1": ends - 1,
        "final_5": ends - 5,
        "final_percent": ends - 0.01 * abs(ends),
        "batch_5": np.full_like(ends, median_of_batch - 5),
    }
    arrays = {"bound": ends}
    for name, values in targets.items():
        arrived = []
        for trace, value in zip(traces, values, strict=True):
            arrived.append(first_within(trace, value))
        arrays[name] = np.array(arrived)
    return {key: values.reshape(len(METHODS), -1) for key, values in arrays.items()}


def curves_of_figure_2(n_components, results):
    """Return the arrays of Figure 2 from the results of `compare` on data "A" and "B".

    The highest ELBO, and the median epochs until a run stays within 5 nats of batch VB's
    median end, infinite where too few runs do; (methods, numbers of components) each.
    """
    arrays = {"n_components": np.array(n_components)}
    for name in "AB":
        arrays[f"bound_{name}"] = results[name]["bound"].max(axis=2)
        arrays[f"epochs_{name}"] = median_passes(results[name]["batch_5"])
    return arrays


def study_of_figure_2(X, seed, profile, tau0, kappa, gamma0) -> dict:
    """Return the arrays of Figure 2 on the data sets X (name -> points).

    The last five are the parameters of the notebook; gamma0 is the strength of the prior.
    """
    job = JOB | {"seed": seed, "prior_strength": gamma0}
    most = 8
    if profile == "quick":
        job = job | {"starts": 2, "epochs": 10}
        most = 5
    numbers = range(1, most + 1)
    results = {}
    for name in "AB":
        # each number from the same seed, so that its runs can be made alone
        by_number = []
        for n_components in numbers:
            one = job | {"data": name, "n_components": [n_components]}
            by_number.append(compare(one, tau0, kappa, X[name]))
        results[name] = {
            key: np.concatenate([arrays[key] for arrays in by_number], axis=1)
            for key in by_number[0]
        }
    return curves_of_figure_2(numbers, results)


def cores_covered(gaussians) -> int:
    """Return at how many of B's CORES a narrow component stands.

    gaussians: centres (K, 2), and variances (K,) or covariances (K, 2, 2). A component is
    narrow if its mean variance is below 4; its centre must lie within 1 of the core.
    """
    centres, covariances = gaussians
    variances = np.asarray(covariances)
    if variances.ndim > 1:
        variances = np.trace(variances, axis1=1, axis2=2) / 2
    narrow = np.asarray(centres)[variances < 4]
    covered = 0
    for core in CORES:
        distances = np.linalg.norm(narrow - core, axis=1)
        covered += int((distances < 1).any())
    return covered


def draw_data(axes, X, titles):
    """Draw data sets on axes of their own, with circles of two standard deviations for the
    Gaussians that they came from.

    X: points by name; titles: words by name, in the order of the axes.
    """
    for ax, (name, words) in zip(axes, titles.items(), strict=True):
        plots.draw_points(ax, X[name], size=3)
        truth = zip(SATO2000_CENTRES[name], SATO2000_WIDTHS[name], strict=True)
        for centre, width in truth:
            ax.add_patch(Circle(centre, 2 * width, fill=False, lw=1.2, zorder=3))
        ax.set(aspect="equal", adjustable="datalim", box_aspect=1)
        ax.set(xlabel="$x_1$", ylabel="$x_2$")
        plots.panel_title(ax, name, words)


def panels(arrays, kind, alt) -> plots.Picture:
    """Draw for data A and B a curve of each method over the numbers of components.

    kind: "bound" for the ELBO, or "epochs"; arrays: of `study_of_figure_2`, which are the
    picture's, too.
    """
    fig, axes = plots.figure(7.5, 3.6, ncols=2)
    numbers = arrays["n_components"]
    depth = {"A": 110, "B": 260}  # nats shown below the highest ELBO
    for name, ax in zip("AB", axes, strict=True):
        curves = arrays[f"{kind}_{name}"]
        for method, curve in zip(METHODS, curves, strict=True):
            ax.plot(numbers, curve, ms=6, mew=1.5, label=method, **METHODS[method])
        ax.set(xlabel="number of components", xticks=numbers)
        if kind == "bound":
            peak = numbers[curves.max(axis=0).argmax()]
            ax.set_title(f"Data {name}: ELBO (nats), highest at {peak}")
            ax.set_ylim(curves.max() - depth[name], curves.max() + depth[name] / 8)
        else:
            ax.set(yscale="log", title=f"Data {name}: passes to the target")
            ax.yaxis.set_major_formatter("{x:,.0f}")
    lines, names = axes[0].get_legend_handles_labels()
    fig.legend(lines, names, loc="outside upper center", ncols=3)
    return plots.Picture(fig, alt, arrays)
