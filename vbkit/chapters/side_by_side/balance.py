"""OldExplorer: what a second copy pays and what it is granted, as two bars."""

from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import dropdown, slider

AS_IT_IS, NO_WEIGHT, ALL_HALF = (
    "nothing",
    "drop the half for the weight",
    "pinned pay one half",
)
KINDS = {"4 inside": (4, 0), "2 inside, 2 pinned": (2, 2), "4 pinned": (0, 4)}
PARTS = ("weight", "inside", "pinned", "grant")


def tax_and_grant() -> OldExplorer:
    """Weigh the tax of a second copy against its grant, and change the rules."""
    controls = {
        "kind": dropdown("Coordinates of the component", list(KINDS), "4 pinned"),
        "b": slider("Prior b of a coordinate", 0.1, 0.6, 0.3, 0.1, form="{:.1f}"),
        "phi": slider("Concentration", 0.1, 3.0, 1.5, 0.1, form="{:.1f}"),
        "rule": dropdown("What if: change", (AS_IT_IS, NO_WEIGHT, ALL_HALF), AS_IT_IS),
    }
    words = {"title": "Tax and grant", "status": status}
    return OldExplorer(controls, compute, setup, draw, size=(7.0, 1.9), **words)


def compute(kind, b, phi, rule):
    inside, pinned = KINDS[kind]
    weight = 0.0 if rule == NO_WEIGHT else 0.5
    pin = 0.5 if rule == ALL_HALF else b
    return {"weights": (weight, inside / 2, pin * pinned, phi)}


def setup(figure):
    """Two bars in data points. The upper one is the tax, in three blocks: for the weight, for
    coordinates inside and for pinned ones. The lower one is the grant. Between their ends stands
    what the copy loses or gains.
    """
    ax = figure.subplots()
    ax.set(xlim=(0, 3.05), ylim=(-0.45, 1.75), xlabel="data points")
    ax.set_yticks([0, 1], ["the prior grants", "the copy pays"])
    ax.tick_params(axis="y", length=0)
    hatches = ("", "//", "..", "")
    blocks = [Rectangle((0, 0), 0, 0.5, ec="white", hatch=h, zorder=3) for h in hatches]
    for k, block in enumerate(blocks):
        ax.add_patch(block).set_facecolor(plots.COLOURS[k])
    labels = [ax.text(0, 0, "", va="bottom", ha="center") for _ in PARTS]
    gap = Rectangle((0, 0.25), 0, 0.5, color=plots.GREY, alpha=0.4, lw=0)
    total = ax.text(0, 0.5, "", va="center", weight="bold")
    return {"gap": ax.add_patch(gap), "blocks": blocks, "labels": labels, "sum": total}


def draw(artists, arrays, values):
    weights = arrays["weights"]
    starts = (0, weights[0], weights[0] + weights[1], 0)
    for k, (block, label) in enumerate(
        zip(artists["blocks"], artists["labels"], strict=True)
    ):
        y = 0.75 if k < 3 else -0.25
        block.set_bounds(starts[k], y, weights[k], 0.5)
        label.set_position((starts[k] + weights[k] / 2, y + 0.53))
        label.set_text(f"{PARTS[k]} {weights[k]:.1f}" if weights[k] and k < 3 else "")
    tax, grant = sum(weights[:3]), weights[3]
    artists["gap"].set_bounds(min(tax, grant), 0.25, abs(tax - grant), 0.5)
    verdict = (
        "loses" if tax > grant + 1e-9 else "gains" if grant > tax + 1e-9 else "neither:"
    )
    words, right = f"{verdict} {abs(tax - grant):.1f}", max(tax, grant) < 2.4
    artists["sum"].set_text(words)
    artists["sum"].set_x(max(tax, grant) + 0.05 if right else min(tax, grant) - 0.05)
    artists["sum"].set_ha("left" if right else "right")


def status(arrays, values) -> str:
    *taxes, grant = arrays["weights"]
    slope = sum(taxes) - grant
    words = (
        "costs"
        if slope > 1e-9
        else "gains"
        if slope < -1e-9
        else "neither costs nor gains"
    )
    size = f" {abs(slope):.1f} log N nats" if abs(slope) > 1e-9 else " at order log N"
    rule = "" if values["rule"] == AS_IT_IS else " under the changed rule"
    return (
        f"Tax {sum(taxes):.1f}, grant {grant:.1f} data points: for many data a second copy "
        f"{words}{size}{rule}. It pays from a concentration of {sum(taxes):.1f} on."
    )
