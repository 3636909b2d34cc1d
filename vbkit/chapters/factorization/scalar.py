"""One number as a product of two: its exact posterior, and VB's updates half a sweep at a time."""

from functools import lru_cache

import numpy as np
from scipy.stats import norm

from vbkit import plots
from vbkit.chapters.factorization.column import Column, free_energy, update_a, update_b
from vbkit.chapters.factorization.pictures import name_axes
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import checkbox, select_slider, slider

GRID = np.linspace(-4.5, 4.5, 121)
STEP = GRID[1] - GRID[0]
CIRCLE = np.exp(1j * np.linspace(0, 2 * np.pi, 73))


@lru_cache(64)
def posterior(v: float, spread: float = 1.0) -> tuple[np.ndarray, float]:
    """Return the exact posterior density on GRID x GRID [a, b] of one number v at noise 1, and
    log p(v), an integral over b. spread: the prior's standard deviation."""
    prior = norm.pdf(GRID, 0, spread)
    density = norm.pdf(v, np.outer(GRID, GRID)) * prior[:, None] * prior
    z = np.linspace(-12, 12, 2401)  # b in units of the spread
    terms = norm.pdf(v, 0, np.sqrt(1 + spread**4 * z**2)) * norm.pdf(z)
    return density / (density.sum() * STEP**2), float(np.log(terms.sum() * 0.01))


@lru_cache(512)
def learn(v: float, spread: float, start: float, steps: int) -> tuple[Column, ...]:
    """The states after 0 to `steps` half-sweeps; b starts with the mean `start`, variance 1/2."""
    states = [Column(0.0, start, spread**2, 0.5, spread**2, spread**2)]
    for k in range(steps):
        states.append((update_b if k % 2 else update_a)(states[-1], v))
    return tuple(states)


def gap(f: Column, v: float, spread: float = 1.0) -> float:
    """The divergence (nats) of VB's posterior from the exact one: F + log p(v)."""
    return (
        free_energy(f, v) + np.log(2 * np.pi) / 2 + v**2 / 2 + posterior(v, spread)[1]
    )


def _plane(figure, ax, title) -> dict:
    """Prepare a plane of a and b: the density as an image, VB's two standard deviations as a
    ring."""
    image = ax.imshow(np.zeros((2, 2)), cmap="Blues", origin="lower", vmin=0, vmax=1)
    image.set(extent=(GRID[0], GRID[-1]) * 2, interpolation="nearest")
    bar = figure.colorbar(image, ax=ax, shrink=0.9)
    bar.set_ticks([0, 0.5, 1], labels=["0", "half", "peak"])
    name_axes(ax, title=title)
    return {
        "image": image,
        "ring": ax.plot([], [], color=plots.COLOURS[1], ls="-", lw=2)[0],
    }


def _move_plane(artists, density, f: Column):
    artists["image"].set_data(density.T / density.max())
    wide, high = 2 * np.sqrt([f.s_a, f.s_b])
    artists["ring"].set_data(f.a + wide * CIRCLE.real, f.b + high * CIRCLE.imag)


def one_number() -> OldExplorer:
    """One observed number: which pairs (a, b) explain it, and what VB makes of them."""
    controls = {
        "v": slider("The number V", 0.0, 6.0, 0.0, 0.25, form="{:.2f}", play=300),
        "spread": select_slider(
            "Prior's standard deviation", [0.5, 0.75, 1.0, 1.5], 1.0
        ),
        "shown": checkbox("Show VB's answer"),
    }

    def compute(v, spread, shown):
        return {
            "density": posterior(v, spread)[0],
            "state": learn(v, spread, 1.0, 200)[-1],
        }

    def setup(figure):
        """The exact posterior density of a and b in blue; on request VB's posterior, as a ring of
        two standard deviations.
        """
        return _plane(figure, figure.subplots(), "exact density")

    def draw(artists, arrays, values):
        _move_plane(artists, arrays["density"], arrays["state"])
        artists["ring"].set_visible(values["shown"])

    def status(arrays, values):
        f, v = arrays["state"], values["v"]
        mean = float((arrays["density"] * np.outer(GRID, GRID)).sum() * STEP**2)
        words = f"V = {v:.2f}. Exact posterior mean of the product ba: {abs(mean):.2f}."
        if values["shown"]:
            words += f" VB's: {f.a * f.b:.2f}; divergence {gap(f, v, values['spread']):.2f} nats."
        return words

    named = {"title": "One number, two factors", "status": status, "size": (5.4, 4.2)}
    return OldExplorer(controls, compute, setup, draw, **named)


def half_steps() -> OldExplorer:
    """Play VB's updates half a sweep at a time, and watch F fall towards its floor."""
    controls = {
        "v": slider("The number V", 0.5, 4.0, 3.0, 0.5, form="{:.1f}"),
        "start": slider("Mean of b at the start", -2.0, 2.0, 1.0, 0.25, form="{:.2f}"),
        "steps": slider("Half-sweeps", 0, 24, 3, play=500),
    }

    def compute(v, start, steps):
        states = learn(v, 1.0, start, 24)[: steps + 1]
        return {
            "density": posterior(v)[0],
            "states": states,
            "gaps": [gap(f, v) for f in states],
        }

    def setup(figure):
        """Left: the exact posterior in blue, the path of VB's two means, and the ellipse of its
        posterior. Right: how far F lies above its floor after each half-sweep.
        """
        plane, fall = figure.subplots(1, 2, width_ratios=[1.1, 1])
        path, gaps = (
            plane.plot([], [], "k.-", lw=1)[0],
            fall.plot([], [], "o-", ms=4)[0],
        )
        fall.axhline(0, color=plots.GREY, ls="--")
        fall.text(
            24,
            -0.15,
            r"the floor, $-\log p(V)$",
            ha="right",
            va="top",
            color=plots.GREY,
        )
        fall.set(xlim=(-0.5, 24.5), ylim=(-1.1, 9), xlabel="half-sweeps")
        fall.set_ylabel("F above its floor (nats)")
        plane_parts = _plane(figure, plane, "exact density, and VB (ring)")
        return plane_parts | {"path": path, "gaps": gaps}

    def draw(artists, arrays, values):
        _move_plane(artists, arrays["density"], arrays["states"][-1])
        artists["path"].set_data(np.transpose([(f.a, f.b) for f in arrays["states"]]))
        artists["gaps"].set_data(np.arange(len(arrays["gaps"])), arrays["gaps"])

    def status(arrays, values):
        n, f, above = values["steps"], arrays["states"][-1], arrays["gaps"][-1]
        means = f"a = {f.a:.3f}, b = {f.b:.3f}, product {f.a * f.b:.3f}"
        return f"After {n} half-sweeps: {means}; F is {above:.3f} nats above its floor."

    return OldExplorer(
        controls, compute, setup, draw, title="Two updates", status=status
    )
