"""Pictures of notebook 11."""

from vbkit import plots


def readings(x, shuffled, on) -> plots.Picture:
    """Draw readings x (n,) in order and shuffled (n,); on (n,): 1 while the pump is on."""
    fig, axes = plots.figure(7.5, 3.8, nrows=2, sharex=True, sharey=True)
    names = ("in order: the pump shows (shaded: on)", "shuffled: the pattern is lost")
    for ax, letter, y, name in zip(axes, "AB", (x, shuffled), names, strict=True):
        ax.plot(y, "o", ms=4, color=plots.COLOURS[0])
        plots.panel_title(ax, letter, name)
        ax.set_ylabel("gauge")
    shade = {
        "step": "mid",
        "color": "#D9D9D9",
        "lw": 0,
        "transform": axes[0].get_xaxis_transform(),
    }
    axes[0].fill_between(range(len(on)), 0, 1, where=on == 1, zorder=0, **shade)
    axes[1].set_xlabel("reading")
    alt = """Two rows of 150 readings. In order they stay high while the pump is on,
    which is shaded, and low while it is off. Shuffled, the same readings form one band
    without any pattern."""
    return plots.Picture(fig, alt, {"readings": x, "state": on})


def turn(errors, after) -> plots.Picture:
    """Draw wrong labels in per cent (B,) by name; the screw is turned after `after` blocks."""
    fig, (ax,) = plots.figure(7.5, 3.2)
    for k, (name, wrong) in enumerate(errors.items()):
        plots.draw_curve(ax, range(1, len(wrong) + 1), wrong, name, k, lw=2)
    ax.axvline(after, color=plots.GREY, ls=":")
    ax.text(after - 1, 36, "the screw is turned", color=plots.GREY, ha="right")
    ax.set(
        xlabel="blocks learned", ylabel="wrong of the last 10 blocks (%)", xlim=(0, 80)
    )
    ax.set(ylim=(0, 40), title="After the turn only the chain that forgets recovers")
    alt = """Wrong labels over 79 blocks. A mixture stays near 18 per cent, and rises to
    36 after the screw is turned. It ends at 27 if it forgets nothing, and at 24 with a
    memory of 200. A chain that forgets nothing rises from 7 to 32 per cent, and comes
    down to 17. A chain with a memory of 200 rises from 5 to 22, and ends at 2."""
    return plots.Picture(fig, alt)
