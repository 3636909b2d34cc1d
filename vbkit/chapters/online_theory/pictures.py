"""The picture of chapter 04b; its docstring is the alternative text."""

import numpy as np

from vbkit import plots
from vbkit.chapters.line import first_state, line_mixture
from vbkit.theory import running_elbo


def four_models(stream, schedule) -> plots.Picture:
    """Left: a cloud of numbers in three bands. Middle: running ELBOs of models with one to four
    components against the data points seen, measured from that of one component; those with three
    and four lie close together, above two. Right: three components minus four, about ten nats.
    """
    mixture, lines = line_mixture(0.01), {}
    for n in (1, 2, 3, 4):
        start = first_state(mixture, stream[:50], n, schedule.total)
        lines[n] = running_elbo(mixture, stream, start, schedule)[0]
    fig, (left, middle, right) = plots.figure(9, 3.2, ncols=3, width_ratios=[1, 1.4, 1])
    left.plot(stream[:600], ".", ms=3, color=plots.GREY)
    left.set(xlabel="data points seen", ylabel="$x$", title="The stream begins")
    shown = np.arange(199, len(stream), 20)
    for n, values in lines.items():
        y, up = (values - lines[1])[shown], {3: 5, 4: -6}.get(n, 0)
        plots.draw_curve(middle, shown + 1, y, f"{n}", n - 1, offset=(5, up))
    middle.set_title("1 to 4 components\n(nats above one)")
    right.axhline(0, color=plots.GREY, lw=0.8)
    right.plot(shown + 1, (lines[3] - lines[4])[shown], color=plots.COLOURS[2], ls="-")
    right.set_title("3 components minus 4\n(nats)")
    for ax in (middle, right):
        ax.set(xlabel="data points seen", xticks=[1000, 2000, 3000])
    return plots.show(fig, four_models.__doc__)
