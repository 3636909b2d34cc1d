"""OldExplorer: what a few ratings say of one film."""

import numpy as np

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider, slider

PEOPLE = 24
CIRCLE = np.array(
    [np.cos(np.linspace(0, 2 * np.pi, 73)), np.sin(np.linspace(0, 2 * np.pi, 73))]
)


def ratings():
    """Return the tastes of PEOPLE people (n, 2), the film's true numbers (2,), and standard normal
    noise (n,)."""
    rng = np.random.default_rng(3)
    return (
        rng.standard_normal((PEOPLE, 2)),
        np.array([1.2, -0.6]),
        rng.standard_normal(PEOPLE),
    )


def film(v, B, spread: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Return mean (2,) and covariance (2, 2) of a film with prior N(0, I), from its ratings v (n,)
    by people with means B (n, 2), each with variance spread^2 on both axes."""
    second = B.T @ B + len(B) * spread**2 * np.eye(2)
    cov = np.linalg.inv(second / noise + np.eye(2))
    return cov @ B.T @ v / noise, cov


def one_film() -> OldExplorer:
    """Let people rate a film one by one, and watch what is known of it."""
    controls = {
        "people": slider("People who have rated the film", 0, PEOPLE, 0, play=400),
        "sd": select_slider("Noise of a rating (sd)", [0.25, 0.5, 1.0, 2.0], 0.5),
        "spread": select_slider(
            "Doubt about each person (sd)", [0.0, 0.25, 0.5, 1.0], 0.0
        ),
    }

    def compute(people, sd, spread):
        B, truth, noise = ratings()
        v = B @ truth + sd * noise
        known = [film(v[:n], B[:n], spread, sd**2) for n in range(PEOPLE + 1)]
        sds = np.array([np.sqrt(np.linalg.eigvalsh(cov)[::-1]) for _, cov in known])
        return {"mean": known[people][0], "cov": known[people][1], "sds": sds}

    def setup(figure):
        """Left: the plane of a film's two numbers, with its posterior as rings of one and two
        standard deviations, and the truth as a star. Right: the posterior's longest and shortest
        standard deviation over the number of ratings.
        """
        plane, graph = figure.subplots(1, 2, width_ratios=[1, 1.3])
        plane.set(xlabel="$a_1$", ylabel="$a_2$", xlim=(-2.6, 2.6), ylim=(-2.6, 2.6))
        plane.set_aspect("equal")
        plane.plot(*ratings()[1], "*", color="#E6C300", ms=15, mec="black", ls="none")
        rings = [
            plane.plot([], [], color=plots.COLOURS[0], ls=s, lw=2)[0]
            for s in ("-", "--")
        ]
        lines = [
            graph.plot([], [], **plots.line_style(k, True, ms=4))[0] for k in range(2)
        ]
        graph.legend(
            lines, ("longest axis", "shortest axis"), loc="upper right"
        ).set_zorder(0)
        graph.set(
            xlabel="ratings of the film", ylabel="posterior sd", xlim=(-0.5, 24.5)
        )
        graph.set_ylim(0, 1.08)
        return {
            "rings": rings,
            "lines": lines,
            "centre": plane.plot([], [], "k+", ms=10)[0],
        }

    def draw(artists, arrays, values):
        root, n = np.linalg.cholesky(arrays["cov"]), values["people"] + 1
        for radius, ring in enumerate(artists["rings"], 1):
            ring.set_data(arrays["mean"][:, None] + radius * root @ CIRCLE)
        artists["centre"].set_data(*arrays["mean"][:, None])
        for line, sds in zip(artists["lines"], arrays["sds"].T, strict=True):
            line.set_data(np.arange(n), sds[:n])

    def status(arrays, values):
        longest, shortest = arrays["sds"][values["people"]]
        (x, y), n = arrays["mean"], values["people"]
        return f"{n} ratings: mean ({x:.2f}, {y:.2f}); sd {longest:.2f} and {shortest:.2f}."

    title = "What is known of one film"
    return OldExplorer(
        controls, compute, setup, draw, title=title, status=status, size=(8.4, 3.6)
    )
