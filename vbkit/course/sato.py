"""The first experiment of Sato (2000): data sets A and B, the mixtures, three methods, Fig. 2."""

import numpy as np
from matplotlib.patches import Circle

from vbkit import learning, plots
from vbkit.data import SATO2000_CENTRES, SATO2000_WIDTHS
from vbkit.data import sato2000 as data_set
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.press.publish import arrays_of

FAMILIES = {"full covariance": NormalWishart, "isotropic": IsotropicGaussian}

# line, marker and colour of each method, lines and markers as the report's captions state them
METHODS = {
    "batch": {"linestyle": "-.", "marker": "x", "color": plots.COLOURS[1]},
    "online": {"linestyle": "-", "marker": "o", "color": plots.COLOURS[0]},
    "online, no discount": {"linestyle": ":", "marker": "^", "color": plots.COLOURS[2]},
}
JOB = {
    "model": "full covariance",
    "prior_strength": 0.01,
    "starts": 10,
    "epochs": 60,
}  # of Fig. 2
COMPONENT = "#AA3377"  # a purple for all ellipses, for no method has it


def draw(seed: int = 2000) -> dict[str, np.ndarray]:
    """Draw data sets A (200, 2) and B (1000, 2) of the report."""
    rng = np.random.default_rng(seed)
    return {name: data_set(name, rng)[0] for name in "AB"}


def sato_mixture(
    X, n_components: int, model: str, prior_strength: float, scale: float = 1.0
) -> Mixture:
    """Return the mixture of Sato 2000, whose components share a prior of `prior_strength` data
    points equally.

    They have the mean of X (N, D) and `scale` times the mean variance of its columns. model: "full
    covariance" (appendix C) or "isotropic"; ValueError for another.
    """
    if model not in FAMILIES:
        raise ValueError(f"model is {model!r}; it must be one of {', '.join(FAMILIES)}")
    share = prior_strength / n_components
    family = FAMILIES[model].from_pseudo_data(
        X.mean(axis=0), scale * X.var(axis=0).mean(), share
    )
    return Mixture(family, Dirichlet(1 + share))


def schedules(total, tau0=100.0, kappa=0.01) -> dict:
    """The schedule of each of the METHODS that learn online."""
    discounted = learning.sato2000(total, tau0=tau0, kappa=kappa)
    return {
        "online": discounted,
        "online, no discount": learning.without_discount(total),
    }


def learn(mixture, data, start, method, rng, *, tau0=100.0, kappa=0.01, epochs=60):
    """Learn from one start by one of METHODS: batch VB until it stands still, the others for
    `epochs` passes. data: Observations."""
    if method == "batch":
        return learning.fit_batch(mixture, data, start, max_epochs=500, tolerance=1e-3)
    schedule = schedules(len(data.X), tau0, kappa)[method]
    return learning.fit_online(mixture, data, start, schedule, epochs=epochs, rng=rng)


def first_within(trace, target):
    """The first epoch from which the trace stays at the target or above; NaN if it ends below."""
    below = np.flatnonzero(trace < target)
    return np.nan if trace[-1] < target else float(below[-1] + 1 if len(below) else 0)


def median_passes(epochs):
    """The median of `epochs` (..., runs), where NaN means that a run never arrives; infinite if too
    few arrive."""
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
    rows = [
        compare_components(points, n, job, rng, tau0, kappa)
        for n in job["n_components"]
    ]
    return {
        key: np.round(np.stack([row[key] for row in rows], axis=1), 3)
        for key in rows[0]
    }


def traces_of(points, n, job, rng, tau0=100.0, kappa=0.01):
    """Yield the ELBOs (epochs,) of n components from each start of a job: first by batch VB, then
    by the other METHODS in turn."""
    mixture = sato_mixture(points, n, job["model"], job["prior_strength"])
    data = mixture.observe(points)
    starts = [
        learning.init_gaussian(mixture, points, n, rng) for _ in range(job["starts"])
    ]
    settings = {"tau0": tau0, "kappa": kappa, "epochs": job["epochs"]}
    return (
        learn(mixture, data, s, m, rng, **settings).trace
        for m in METHODS
        for s in starts
    )


def compare_components(points, n, job, rng, tau0, kappa):
    traces = [*traces_of(points, n, job, rng, tau0, kappa)]
    ends = np.array([trace[-1] for trace in traces])
    # what "converged" may mean: within so much of one's own end, or of the median end of batch VB
    targets = {
        "final_1": ends - 1,
        "final_5": ends - 5,
        "final_percent": ends - 0.01 * abs(ends),
    }
    targets["batch_5"] = np.full_like(ends, np.median(ends[: job["starts"]]) - 5)
    epochs = {
        k: np.array([*map(first_within, traces, goal)]) for k, goal in targets.items()
    }
    return {
        k: v.reshape(len(METHODS), -1) for k, v in ({"bound": ends} | epochs).items()
    }


def curves_of_figure_2(n_components, results):
    """The arrays of Fig. 2 from the results of `compare` on data "A" and "B".

    The highest ELBO, and the median epochs until a run stays within 5 nats of batch VB's median
    end, infinite where too few runs do; (methods, n) each.
    """
    arrays = {"n_components": np.array(n_components)}
    for name in "AB":
        arrays[f"bound_{name}"] = results[name]["bound"].max(axis=2)
        arrays[f"epochs_{name}"] = median_passes(results[name]["batch_5"])
    return arrays


def study_of_figure_2(X, seed, profile, tau0, kappa, prior_strength) -> dict:
    """The arrays of Fig. 2 on the data sets X, name -> points, for the parameters of the notebook;
    in a browser those published."""
    here = {
        "seed": seed,
        "profile": profile,
        "tau0": tau0,
        "kappa": kappa,
        "prior_strength": prior_strength,
    }
    most, few = (5, {"starts": 2, "epochs": 10}) if profile == "quick" else (8, {})
    job, numbers = JOB | here | few, range(1, most + 1)

    def study():
        results = {}
        for (
            name
        ) in "AB":  # each number from the same seed, so that its runs can be made alone
            jobs = [job | {"data": name, "n_components": [n]} for n in numbers]
            rows = [compare(one, tau0, kappa, X[name]) for one in jobs]
            results[name] = {
                k: np.concatenate([row[k] for row in rows], axis=1) for k in rows[0]
            }
        return curves_of_figure_2(numbers, results)

    return arrays_of("sato2000-fig2", study, here)


def cores_covered(gaussians) -> int:
    """At how many of B's two narrow Gaussians a narrow component stands: centre within 1."""
    centres, covariances = map(np.asarray, gaussians)
    spread = (
        covariances
        if covariances.ndim == 1
        else np.trace(covariances, axis1=1, axis2=2) / 2
    )
    narrow = centres[spread < 4]
    return sum(
        (np.hypot(*(narrow - core).T) < 1).any()
        for core in SATO2000_CENTRES["B"][[0, 2]]
    )


def draw_data(axes, X, titles):
    """Draw each data set, the points X[name], on axes of its own, with the Gaussians that
    they came from, circles of two standard deviations; titles: name -> words."""
    for ax, (name, words) in zip(axes, titles.items(), strict=True):
        plots.draw_points(ax, X[name], size=3)
        for centre, width in zip(
            SATO2000_CENTRES[name], SATO2000_WIDTHS[name], strict=True
        ):
            ax.add_patch(Circle(centre, 2 * width, fill=False, lw=1.2, zorder=3))
        ax.set(
            aspect="equal",
            adjustable="datalim",
            box_aspect=1,
            xlabel="$x_1$",
            ylabel="$x_2$",
        )
        plots.panel_title(ax, name, words)


def panels(arrays, kind, alt) -> plots.Picture:
    """Draw for data A and B a curve of each method over the numbers of components.

    kind: "bound" for the ELBO, or "epochs"; arrays: of `study_of_figure_2`, which are the
    picture's, too.
    """
    fig, axes = plots.figure(7.5, 3.6, ncols=2)
    numbers, depth = arrays["n_components"], {"A": 110, "B": 260}
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
            ax.set(yscale="log", title=f"Data {name}: passes to the line")
            ax.yaxis.set_major_formatter("{x:,.0f}")
    fig.legend(
        *axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3
    )
    return plots.Picture(fig, alt, arrays)
