"""How much of the information about the coin the readings hold, and what VB makes of it."""

import numpy as np
from scipy.special import betaln

from vbkit import plots
from vbkit.chapters import coin
from vbkit.chapters.natural_gradient.hill import VB
from vbkit.widgets import Explorer, select_slider, slider


def blur() -> Explorer:
    """Choose how well the readings tell the faces apart; compare VB's belief with the exact one."""
    apart = "Heads shift a reading by (standard deviations)"
    controls = {
        "shift": slider(apart, 1.0, 5.0, 1.6, 0.2, form="{:.1f}"),
        "tosses": select_slider("Tosses", (30, 100, 300, 1000, 3000, 10_000), 100),
    }
    title = "How sure may you be?"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(7.0, 3.4))


def compute(shift, tosses):
    t, (a, b, gap, exact) = coin.log_odds(tosses), coin.fit_ideal(tosses, shift)
    log_vb = -a * np.logaddexp(0, -t) - b * np.logaddexp(0, t) - betaln(a, b)
    beliefs = {"exact": np.exp(exact), "vb": np.exp(log_vb)}
    width = [float(np.sqrt(np.cov(t, aweights=p, ddof=0))) for p in beliefs.values()]
    return beliefs | {"t": t, "width": width, "gap": gap, "share": coin.share_seen(shift)}


def setup(figure):
    """Two beliefs about the log odds of heads: the exact posterior and VB's, which is narrower."""
    ax = figure.subplots()
    ax.set(xlim=(-4, 2.4), ylim=(0, 1.08), xlabel="log odds of heads", yticks=[])
    ax.set_title("Beliefs after these tosses")
    (exact,) = ax.plot([], [], color="black", ls="-", lw=2.4, label="exact")
    (vb,) = ax.plot([], [], color=plots.COLOURS[VB], ls="--", label="VB")
    ax.legend(loc="upper right").set_zorder(0)  # still: drawn once
    return {"exact": exact, "vb": vb}


def draw(artists, arrays, values):
    for name in ("exact", "vb"):
        artists[name].set_data(arrays["t"], arrays[name] / arrays["vb"].max())


def status(arrays, values) -> str:
    exact, vb = arrays["width"]
    return (
        f"Share seen {arrays['share']:.2f}. VB's belief is {vb / exact:.2f} times as wide as the "
        f"exact one, and its ELBO lies {arrays['gap']:.2f} nats below the log evidence."
    )
