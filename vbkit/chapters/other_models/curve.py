"""OldExplorer: the height of a roof, learned point by point, with its error band."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider
from vbkit.families import LinearRegression, NormalGamma, Product
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_online
from vbkit.mixture import Mixture
from vbkit.models import predict_outputs

REACH, TOP, NOISE, POINTS = 4.0, 6.0, 0.2, 200  # metres; how many heights are measured
EXPERTS = (1, 2, 4, 8)
MARKS = (*range(1, 7), 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200)
GRID = np.linspace(-6, 6, 121)[:, None]
IDLE = {
    "color": "#999999",
    "ls": "-",
    "lw": 1,
}  # an expert that has seen less than half a point


def height(x):
    """The true height (m) of the roof at x metres from its ridge."""
    return TOP - np.abs(x)


def measure(rng: np.random.Generator, size: int = POINTS) -> np.ndarray:
    """Return rows (x, height) (size, 2), measured with errors of sd NOISE."""
    x = rng.uniform(-REACH, REACH, size)
    return np.column_stack([x, height(x) + NOISE * rng.standard_normal(size)])


def network(experts: int) -> Mixture:
    """Return a mixture over rows (x, height): of each expert a gate, which says where it is at home
    with a width of about 2.4 / experts metres, and a line with noise."""
    gate = NormalGamma([0.0], 0.1, 2.0, 2 * (0.6 * REACH / experts) ** 2)
    line = LinearRegression(
        [0.0], [TOP - REACH / 2], precision=0.1, shape=3.0, rate=0.15
    )
    return Mixture(Product(gate, line), Dirichlet(1.0))


def spread_gates(mixture: Mixture, experts: int) -> np.ndarray:
    """Return a start that gives each gate a prior mean of its own, evenly spread, and nothing else:
    as `component_prior_means` does for a family that is Gaussian as a whole."""
    gate = mixture.family.gate
    homes = -REACH + 2 * REACH * (np.arange(experts) + 0.5) / experts
    S = np.zeros((experts, mixture.family.n_statistics))
    S[:, 1 : gate.n_statistics] = (
        gate.mean_count * gate.statistics(homes[:, None])[:, 1:]
    )
    return S


@lru_cache
def learned(experts: int, n: int):
    """Of the explorer, after n points: the points, the predictions on GRID, and the points (K,) of
    each expert."""
    X, mixture = measure(np.random.default_rng(11))[:n], network(experts)
    start = spread_gates(mixture, experts)
    S = fit_online(mixture, X, start, accumulation(), monitor=False).S
    return X, predict_outputs(mixture, GRID, S), S[:, 0]


def roof() -> OldExplorer:
    """Let the points come, and choose how many experts explain them."""
    learned(1, 1)  # loads compiled code
    controls = {
        "points": select_slider("Points seen", MARKS, 12, play=400),
        "experts": select_slider("Experts", EXPERTS, 4),
    }

    def compute(points, experts):
        X, found, counts = learned(experts, points)
        half, mean = 1.96 * np.sqrt(found.variance[:, 0]), found.mean[:, 0]
        shown = {"rows": X, "mean": mean, "gate": found.gate, "busy": counts > 0.5}
        return shown | {"low": mean - half, "high": mean + half}

    def draw(artists, arrays, values):
        artists["points"].set_data(*arrays["rows"].T)
        artists["mean"].set_data(GRID[:, 0], arrays["mean"])
        edges = [np.column_stack([GRID, arrays[edge]]) for edge in ("low", "high")]
        artists["band"].set_xy(np.concatenate([edges[0], edges[1][::-1]]))
        for k, line in enumerate(artists["gates"]):
            line.set_visible(k < values["experts"])
            if k < values["experts"]:
                line.set_data(GRID[:, 0], arrays["gate"][:, k])
                line.set(**(plots.line_style(k + 1) if arrays["busy"][k] else IDLE))

    def status(arrays, values):
        home = np.abs(GRID[:, 0]) <= REACH
        half = np.median((arrays["high"] - arrays["low"])[home]) / 2
        return f"Under the roof the band is mostly ± {half:.2f} m."

    title = "A roof, measured point by point"
    return OldExplorer(
        controls, compute, _setup, draw, title=title, status=status, size=(8.4, 4.4)
    )


def _setup(figure):
    """Top: measured heights over x, the true roof dotted, the learned curve, and a grey band of
    1.96 standard deviations to either side. Bottom: how much each expert counts at x, a line for
    each, thin and grey if it has no data.
    """
    top, below = figure.subplots(2, 1, sharex=True, height_ratios=[2.4, 1])
    (band,) = top.fill([0, 1, 1], [0, 0, 1], color="#D9D9D9", lw=0)
    top.plot(GRID[:, 0], height(GRID[:, 0]), color=plots.GREY, ls=":")
    points = top.plot([], [], "o", ms=3.5, color=plots.COLOURS[6])[0]
    top.set(
        ylim=(-4, 12),
        xlim=(-6, 6),
        title="Learned height (m), and its band (dotted: roof)",
    )
    below.set(xlabel="$x$ (m from the ridge)", ylabel="share", ylim=(-0.05, 1.05))
    below.set(
        title="Who is at home: a line for each expert (thin grey: it has no data)"
    )
    gates = [
        below.plot([], [], **plots.line_style(k + 1))[0] for k in range(max(EXPERTS))
    ]
    mean = top.plot([], [], **plots.line_style(0))[0]
    return {"band": band, "points": points, "mean": mean, "gates": gates}
