"""How much of the information about the coin the readings hold, and what VB makes of it."""

from functools import lru_cache

import numpy as np
from scipy import stats
from scipy.special import betaln, expit, logsumexp

from vbkit import plots
from vbkit.chapters import coin
from vbkit.widgets import Explorer, select_slider, slider

X = np.linspace(-6, 11, 341)  # readings on a grid
CENTRE = np.log(coin.HEADS / (1 - coin.HEADS))
SHARES = np.linspace(0.04, 1, 97)
G = np.linspace(0.002, 0.998, 400)


@lru_cache
def ideal(shift: float) -> np.ndarray:
    """Return the probabilities (401,) of the readings X if heads shift them by so much."""
    density = coin.HEADS * stats.norm.pdf(X, shift) + (1 - coin.HEADS) * stats.norm.pdf(X)
    return density / density.sum()


def share_seen(shift: float) -> float:
    """Return the information about g in a reading over that in a face that is seen."""
    heads = expit(CENTRE + shift * X - shift**2 / 2)
    return float(ideal(shift) @ (heads - coin.HEADS) ** 2 / (coin.HEADS * (1 - coin.HEADS)))


@lru_cache(128)
def fit(tosses: int, shift: float):
    """Return VB's a, b, the gap log p(X) - ELBO, and the exact log density of log odds.

    The data are `tosses` ideal readings: the true density, weighted. The log odds are those of
    `log_odds`.
    """
    weights, a, b = tosses * ideal(shift), 1 + 0.3 * tosses, 1 + 0.7 * tosses
    for _ in range(400):
        before, a = a, 1 + float(weights @ coin.judge(a, b, X, shift))
        b = 2 + tosses - a
        if abs(a - before) < 1e-9:
            break
    t = log_odds(tosses)
    heads = -((X[:, None] - shift) ** 2) / 2 - np.logaddexp(0, -t)
    tails = -(X[:, None] ** 2) / 2 - np.logaddexp(0, t)
    exact = weights @ (np.logaddexp(heads, tails) - 0.5 * np.log(2 * np.pi))
    exact += -np.logaddexp(0, -t) - np.logaddexp(0, t)  # the uniform prior of g, over log odds
    evidence = logsumexp(exact) + np.log(t[1] - t[0])
    gap = evidence - float(coin.elbo(a, b, X, shift, weights))
    return a, b, gap, exact - evidence


def log_odds(tosses: int) -> np.ndarray:
    """Return a grid (300,) of log odds around the truth, wide enough for the exact posterior."""
    return CENTRE + np.linspace(-1, 1, 300) * max(25 / np.sqrt(tosses), 0.2)


def blur() -> Explorer:
    """Choose how well the readings tell the faces apart; compare VB's belief with the exact one."""
    apart = "Heads shift a reading by (standard deviations)"
    controls = {
        "shift": slider(apart, 1.0, 5.0, 1.6, 0.2, form="{:.1f}"),
        "tosses": select_slider("Tosses", (30, 100, 300, 1000, 3000, 10_000), 100),
    }
    title = "How sure may you be?"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(9.0, 3.6))


def compute(shift, tosses):
    t, (a, b, gap, exact) = log_odds(tosses), fit(tosses, shift)
    vb = np.exp(-a * np.logaddexp(0, -t) - b * np.logaddexp(0, t) - betaln(a, b))
    exact = np.exp(exact)
    means = [t @ p / p.sum() for p in (exact, vb)]
    pairs = zip((exact, vb), means, strict=True)
    width = [float(np.sqrt((t - mean) ** 2 @ p / p.sum())) for p, mean in pairs]
    share = share_seen(shift)
    return {"t": t, "exact": exact, "vb": vb, "width": width, "share": share, "gap": gap}


def setup(figure):
    """Left: two beliefs about the log odds of heads, the exact posterior and VB's. Right: how far
    the ELBO lies below the log evidence, against the share of the information that is seen; a dot
    marks the present setting on the curve of all settings.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1.2, 1])
    left.set(xlim=(-4, 2.4), ylim=(0, 1.08), xlabel="log odds of heads", yticks=[])
    left.set_title("Beliefs after these tosses")
    (exact,) = left.plot([], [], color="black", ls="-", lw=2.4, label="exact")
    (vb,) = left.plot([], [], color=plots.COLOURS[0], ls="--", label="VB")
    left.legend(loc="upper right").set_zorder(0)  # still: drawn once
    right.set(xlim=(0, 1.02), ylim=(0, 1.3), xlabel="share of the information seen")
    right.set_title("Log evidence $-$ ELBO (nats)")
    right.plot(SHARES, -0.5 * np.log(SHARES), color=plots.GREY, lw=1.3, ls="-")
    (dot,) = right.plot([], [], "o", color=plots.COLOURS[1], ms=9)
    return {"exact": exact, "vb": vb, "dot": dot}


def draw(artists, arrays, values):
    for name in ("exact", "vb"):
        artists[name].set_data(arrays["t"], arrays[name] / arrays["vb"].max())
    artists["dot"].set_data([arrays["share"]], [arrays["gap"]])


def status(arrays, values) -> str:
    exact, vb = arrays["width"]
    return (
        f"Share seen {arrays['share']:.2f}. VB's belief is {vb / exact:.2f} times as wide as the "
        f"exact one, and its ELBO lies {arrays['gap']:.2f} nats below the log evidence."
    )
