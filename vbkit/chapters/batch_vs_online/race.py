"""OldExplorer of notebook 05a: three methods, pass by pass."""

from functools import lru_cache
from itertools import islice, product

import numpy as np

from vbkit.chapters.old_form import OldExplorer
from vbkit.chapters.planes import open_plane, show_model
from vbkit.course import dropdown, sato, slider
from vbkit.course.sato import METHODS, sato_mixture
from vbkit.learning import batch_epochs, init_gaussian, online_epochs

PASSES, STARTS, SEED = 40, (1, 2, 3), 2000


def problem(data, start):
    """A data set of the chapter, its mixture of four components, and a random start: points,
    mixture, S, rng. On B the first start is that of the chapter's first picture."""
    rng = np.random.default_rng(SEED + start - 1)
    X = sato.draw(SEED)[data]
    mixture = sato_mixture(X, 4, "full covariance", 0.01)
    return X, mixture, init_gaussian(mixture, X, 4, rng), rng


@lru_cache(2 * len(STARTS))
def race(data, start):
    """The points, and of each method "parameters" and "elbos" after 0 to PASSES passes."""
    X, mixture, S, rng = problem(data, start)
    ways = [batch_epochs(mixture, X, S)]
    ways += [
        online_epochs(mixture, X, S, s, rng=rng)
        for s in sato.schedules(len(X)).values()
    ]
    states = {
        name: [*islice(way, PASSES + 1)]
        for name, way in zip(METHODS, ways, strict=True)
    }
    parameters = {
        name: [mixture.parameters(s[0]) for s in way] for name, way in states.items()
    }
    elbos = {name: np.array([s[1] for s in way]) for name, way in states.items()}
    return {"X": X, "parameters": parameters, "elbos": elbos}


def race_explorer() -> OldExplorer:
    """Play batch VB, online VB and online VB without discount pass by pass."""
    for data, start in product("AB", STARTS):
        race(data, start)
    controls = {
        "passes": slider("Passes through the data", 0, PASSES, 3, play=300),
        "method": dropdown("Show the components of", list(METHODS), "batch"),
        "data": dropdown("Data set", ["A", "B"], "B"),
        "start": slider("Random start", 1, len(STARTS), 1),
    }
    look = {"title": "Three ways of learning, pass by pass", "status": status}
    return OldExplorer(controls, compute, setup, draw_race, **look)


def compute(passes, method, data, start):
    return race(data, start)


def setup(figure):
    """Left: the data with the four components of the chosen method, which is named above them, as
    ellipses of two standard deviations; the two narrow true Gaussians of data B are black circles.
    Right: the ELBO of all three methods up to the chosen pass, in nats minus the best end of the
    three, on an axis that is stretched near the top; each method has its own line.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.25])
    right.set_yscale("asinh", linear_width=10)
    right.set(xlim=(-1, PASSES + 1), ylim=(-2500, 6), xlabel="passes")
    right.set_yticks([0, -10, -100, -1000], ["0", "−10", "−100", "−1,000"])
    right.minorticks_off()
    right.set_title("ELBO minus the best end (nats)")
    look = {"marker": "", "lw": 2.2}
    lines = {
        n: right.plot([], [], label=n, **style | look)[0]
        for n, style in METHODS.items()
    }
    right.legend(loc="lower right", fontsize=11)
    now = right.plot([], [], "o", color="black", ms=7, zorder=5)[0]
    return {
        "plane": open_plane(left),
        "lines": lines,
        "now": now,
        "name": left.set_title(""),
    }


def draw_race(artists, arrays, values):
    passes, method, data = values["passes"], values["method"], values["data"]
    shown = arrays["parameters"][method][passes]
    show_model(artists["plane"], data, arrays["X"], shown, [sato.COMPONENT])
    artists["name"].set(text=f"Components: {method}", color=METHODS[method]["color"])
    top = max(elbos[-1] for elbos in arrays["elbos"].values())
    for name, line in artists["lines"].items():
        height = arrays["elbos"][name][: passes + 1] - top
        line.set_data(np.arange(passes + 1), height)
        if name == method:
            artists["now"].set_data([passes], height[-1:])


def status(arrays, values) -> str:
    passes, method = values["passes"], values["method"]
    now = ", ".join(
        f"{name} {elbos[passes]:.0f}" for name, elbos in arrays["elbos"].items()
    )
    words = f"ELBO after {passes} passes: {now} nats."
    if values["data"] == "A":
        return words
    covered = sato.cores_covered(arrays["parameters"][method][passes].components)
    return f"{words} Dense cores with a narrow component ({method}): {covered} of 2."
