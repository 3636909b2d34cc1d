"""The picture of chapter 04b; its docstring is the alternative text."""

import numpy as np

from vbkit import plots
from vbkit.chapters.line import first_state, line_mixture
from vbkit.theory import running_elbo


def four_models(stream, schedule) -> plots.Picture:
    """Left: a cloud of numbers in three bands. Right: running ELBOs of models with one to four
    components against the data points seen, measured from that of one component. The curves
    separate within a few hundred data points.
    """
    mixture, lines = line_mixture(0.01), {}
    for n in (1, 2, 3, 4):
        start = first_state(mixture, stream[:50], n, schedule.total)
        lines[n] = running_elbo(mixture, stream, start, schedule)[0]
    fig, (left, right) = plots.figure(8, 3.3, ncols=2, width_ratios=[1, 1.5])
    left.plot(stream[:600], ".", ms=3, color=plots.GREY)
    left.set(xlabel="data points seen", ylabel="$x$", title="The stream begins")
    shown = np.arange(199, len(stream), 20)
    for n, values in lines.items():
        y, name = (values - lines[1])[shown], f"{n} component{'s' * (n > 1)}"
        plots.draw_curve(right, shown + 1, y, name, n - 1, offset=(5, {3: 5, 4: -6}.get(n, 0)))
    right.set(xlabel="data points seen", title="Nats above one component")
    return plots.show(fig, four_models.__doc__)
