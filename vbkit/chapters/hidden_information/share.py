"""How much of the information about the coin the readings hold, and what VB makes of it."""

import numpy as np
from scipy.special import betaln

from vbkit import plots
from vbkit.chapters import coin
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider, slider

VB = 2  # the colour of VB


def blur() -> OldExplorer:
    """Choose how well the readings tell the faces apart; compare VB's belief with the exact one."""
    apart = "Heads shift a reading by (standard deviations)"
    controls = {
        "shift": slider(apart, 1.0, 5.0, 1.6, 0.2, form="{:.1f}"),
        "tosses": select_slider("Tosses", (30, 100, 300, 1000, 3000, 10_000), 100),
    }
    title = "How sure may you be?"
    return OldExplorer(
        controls, compute, setup, draw, title=title, status=status, size=(7.0, 3.4)
    )


def compute(shift, tosses):
    t, (a, b, gap, exact) = coin.log_odds(tosses), coin.fit_ideal(tosses, shift)
    log_vb = -a * np.logaddexp(0, -t) - b * np.logaddexp(0, t) - betaln(a, b)
    beliefs = {"exact": np.exp(exact), "vb": np.exp(log_vb)}
    width = [float(np.sqrt(np.cov(t, aweights=p, ddof=0))) for p in beliefs.values()]
    return beliefs | {
        "t": t,
        "width": width,
        "gap": gap,
        "share": coin.share_seen(shift),
    }


def setup(figure):
    """Two curves over the log odds of heads that touch near their peaks: the exact one, whose area
    is the evidence, and below it VB's, narrower, whose area is that of the ELBO.
    """
    ax = figure.subplots()
    ax.set(xlim=(-4, 2.4), ylim=(0, 1.08), xlabel="log odds of heads", yticks=[])
    ax.set_title("Two curves that touch: VB's has the smaller area")
    (exact,) = ax.plot([], [], color="black", ls="-", lw=2.4)
    (vb,) = ax.plot([], [], color=plots.COLOURS[VB], ls="--")
    ax.text(-3.9, 0.9, "exact: area is the evidence", weight="bold")
    ax.text(-3.9, 0.78, "VB: area is exp(ELBO)", color=plots.COLOURS[VB], weight="bold")
    return {"exact": exact, "vb": vb, "numbers": ax.text(2.3, 0.7, "", ha="right")}


def draw(artists, arrays, values):
    for name, area in (("exact", 1.0), ("vb", np.exp(-arrays["gap"]))):
        artists[name].set_data(arrays["t"], area * arrays[name] / arrays["exact"].max())
    artists["numbers"].set_text(status(arrays, values).replace(", ", "\n"))


def status(arrays, values) -> str:
    share, gap, ratio = (
        arrays["share"],
        arrays["gap"],
        np.divide(*arrays["width"][::-1]),
    )
    return f"Share seen {share:.2f}, VB's width over the exact {ratio:.2f}, gap {gap:.2f} nats"
