"""Explorer: what a second copy pays and what it is granted, as a balance."""

import numpy as np
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.widgets import Explorer, dropdown, slider

AS_IT_IS, NO_WEIGHT, ALL_HALF = "nothing", "drop the half for the weight", "pinned pay one half"
KINDS = {"4 inside": (4, 0), "2 inside, 2 pinned": (2, 2), "4 pinned": (0, 4)}
PARTS = ("weight", "inside", "pinned", "grant")


def tax_and_grant() -> Explorer:
    """Weigh the tax of a second copy against its grant, and change the rules."""
    controls = {
        "kind": dropdown("Coordinates of the component", list(KINDS), "4 pinned"),
        "b": slider("Prior b of a coordinate", 0.1, 0.6, 0.3, 0.1, form="{:.1f}"),
        "phi": slider("Concentration", 0.1, 3.0, 1.5, 0.1, form="{:.1f}"),
        "rule": dropdown("What if: change", (AS_IT_IS, NO_WEIGHT, ALL_HALF), AS_IT_IS),
    }
    words = {"title": "Tax and grant", "status": status}
    return Explorer(controls, compute, setup, draw, size=(7.0, 2.2), **words)


def compute(kind, b, phi, rule):
    inside, pinned = KINDS[kind]
    weight = 0.0 if rule == NO_WEIGHT else 0.5
    pin = 0.5 if rule == ALL_HALF else b
    return {"weights": (weight, inside / 2, pin * pinned, phi)}


def setup(figure):
    """A balance. On the left pan lies the tax in data points, as a pile of three blocks: for the
    weight, for coordinates inside and for pinned ones. On the right pan lies the grant. On the
    middle of the beam stands tax minus grant.
    """
    ax = figure.subplots()
    ax.set(xlim=(-2.2, 2.2), ylim=(-0.9, 3.1), yticks=[])
    ax.set_xticks([-1, 1], ["the copy pays", "the prior grants"])
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.plot([0, 0], [-0.9, 0], color="black", ls="-", lw=3)
    hatches = ("", "//", "..", "")
    blocks = [Rectangle((0, 0), 0.7, 0, ec="white", hatch=h, zorder=3) for h in hatches]
    for k, block in enumerate(blocks):
        ax.add_patch(block).set_facecolor(plots.COLOURS[k])
    labels = [ax.text(0, 0, "", va="center", ha="right" if k < 3 else "left") for k in range(4)]
    beam = ax.plot([], [], color="black", ls="-", lw=2.5)[0]
    total = ax.text(0, 0.26, "", va="bottom", ha="center", weight="bold")
    return {"beam": beam, "blocks": blocks, "labels": labels, "sum": total}


def draw(artists, arrays, values):
    weights = arrays["weights"]
    tilt = float(np.tanh(sum(weights[:3]) - weights[3]))
    artists["beam"].set_data([-1.4, 1.4], [-0.75 * tilt, 0.75 * tilt])
    foot = [-0.53 * tilt, 0.53 * tilt]
    for k, (block, label) in enumerate(zip(artists["blocks"], artists["labels"], strict=True)):
        side = int(k == 3)
        x = (-1.35, 0.65)[side]
        block.set_bounds(x, foot[side], 0.7, weights[k])
        label.set_position((x + (0.8 if side else -0.1), foot[side] + weights[k] / 2))
        label.set_text(f"{PARTS[k]} {weights[k]:.1f}" if weights[k] else "")
        foot[side] += weights[k]
    tax, grant = sum(weights[:3]), weights[3]
    words = f"{tax:.1f} - {grant:.1f} = {tax - grant + 0.0:.1f}"
    artists["sum"].set_text(words.replace("-", "−"))


def status(arrays, values) -> str:
    *taxes, grant = arrays["weights"]
    slope = sum(taxes) - grant
    words = "costs" if slope > 1e-9 else "gains" if slope < -1e-9 else "neither costs nor gains"
    size = f" {abs(slope):.1f} log N nats" if abs(slope) > 1e-9 else " at order log N"
    rule = "" if values["rule"] == AS_IT_IS else " under the changed rule"
    return (
        f"Tax {sum(taxes):.1f}, grant {grant:.1f} data points: for many data a second copy "
        f"{words}{size}{rule}. It pays from a concentration of {sum(taxes):.1f} on."
    )
