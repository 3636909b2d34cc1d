"""Which way the divergence points: cut a dependence, and q becomes too narrow."""

import numpy as np
from scipy import stats

from vbkit import plots
from vbkit.course import Explorer, slider

GRID = np.linspace(-4, 4, 161)


def cut_a_dependence() -> Explorer:
    """Choose a correlation; a factorised q follows the correlated p."""

    def compute(correlation):
        p = np.array([[1, correlation], [correlation, 1]])
        q = (1 - correlation**2) * np.eye(2)  # one over the diagonal of p's inverse
        width = np.sqrt(q[0, 0])
        return {"gaussians": [p, q], "width": width, "gap": -np.log(width)}

    controls = {
        "correlation": slider("Correlation", 0.0, 0.98, 0.8, 0.02, form="{:.2f}")
    }
    words = {"title": "Cut a dependence and watch q", "status": tell_cut}
    return Explorer(controls, compute, set_up_cut, draw_cut, **words, size=(8.5, 3.7))


def set_up_cut(figure):
    """Left: ellipses of two standard deviations, of p and of q, the closest Gaussian that
    ignores the correlation. Right: the density of the first coordinate alone under p and q.
    """
    plane, alone = figure.subplots(1, 2)
    plane.set(xlim=(-3.6, 3.6), ylim=(-2.6, 2.6), aspect="equal")
    plane.set(
        xlabel=r"$\theta_1$",
        ylabel=r"$\theta_2$",
        title="p and q, two standard deviations",
    )
    alone.set(
        xlim=(-4, 4),
        ylim=(0, 2.05),
        xlabel=r"$\theta_1$",
        title="One axis: q is narrow",
    )
    alone.fill_between(GRID, stats.norm.pdf(GRID), color="#CCCCCC")
    alone.text(-1.4, 0.24, "p", color="black", ha="right")
    return {
        "both": plots.draw_ellipses(
            plane, np.zeros((2, 2)), np.ones(2), colours=["black"] * 2
        ),
        "alone": alone.plot([], [], color=plots.COLOURS[1], ls="-")[0],
        "name": alone.text(0, 0, " q", color=plots.COLOURS[1]),
    }


def draw_cut(artists, arrays, values):
    colours, width = ["black", plots.COLOURS[1]], arrays["width"]
    plots.update_ellipses(
        artists["both"], np.zeros((2, 2)), arrays["gaussians"], colours=colours
    )
    artists["alone"].set_data(GRID, stats.norm.pdf(GRID, scale=width))
    artists["name"].set_position((width, stats.norm.pdf(width, scale=width)))


def tell_cut(arrays, values) -> str:
    width, gap = arrays["width"], arrays["gap"] + 0
    return f"Standard deviation: true 1.00, under q {width:.2f}; KL(q||p) is {gap:.2f} nats."
