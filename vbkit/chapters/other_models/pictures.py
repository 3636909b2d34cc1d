"""Pictures of notebook 11; the docstring of a figure is its alternative text."""

from vbkit import plots


def readings(x, shuffled, on):
    """Two rows of 150 readings. In order they stay high while the pump is on, which is shaded, and
    low while it is off. Shuffled, the same readings form one band without any pattern."""
    # x, shuffled (n,): the readings, in order and not; on (n,): 1 where the pump is on
    fig, axes = plots.figure(7.5, 3.8, nrows=2, sharex=True, sharey=True)
    names = ("in order: the pump shows (shaded: on)", "shuffled: the pattern is lost")
    for ax, letter, y, name in zip(axes, "AB", (x, shuffled), names, strict=True):
        ax.plot(y, "o", ms=4, color=plots.COLOURS[0])
        plots.panel_title(ax, letter, name)
        ax.set_ylabel("gauge")
    shade = {"step": "mid", "color": "#D9D9D9", "lw": 0, "transform": axes[0].get_xaxis_transform()}
    axes[0].fill_between(range(len(on)), 0, 1, where=on == 1, zorder=0, **shade)
    axes[1].set_xlabel("reading")
    return fig, readings.__doc__
