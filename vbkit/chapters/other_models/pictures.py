"""Pictures of notebook 11; the docstring of a figure is its alternative text."""

from vbkit import plots


def readings(x, shuffled):
    """Two rows of 150 readings. In order they stay low for a while, then high, and so on. Shuffled,
    the same readings form one band without any pattern."""
    # x, shuffled (n,): the readings, in order and not
    fig, axes = plots.figure(7.5, 3.8, nrows=2, sharex=True, sharey=True)
    names = ("in order: the pump shows", "shuffled: the same readings, but the pattern is lost")
    for ax, letter, y, name in zip(axes, "AB", (x, shuffled), names, strict=True):
        ax.plot(y, "o", ms=4, color=plots.COLOURS[0])
        plots.panel_title(ax, letter, name)
        ax.set_ylabel("gauge")
    axes[1].set_xlabel("reading")
    return fig, readings.__doc__
