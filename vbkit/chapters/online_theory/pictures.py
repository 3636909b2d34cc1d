"""The picture of chapter 04b."""

import numpy as np

from vbkit import plots
from vbkit.chapters.line import first_state, line_mixture
from vbkit.learning import running_elbo


def four_models(stream, schedule) -> plots.Picture:
    """Draw the running ELBOs of models with one to four components on a stream (N,)."""
    mixture, lines = line_mixture(0.01), {}
    for n in (1, 2, 3, 4):
        start = first_state(mixture, stream[:50], n, schedule.total)
        lines[n] = running_elbo(mixture, stream, start, schedule)[0]
    fig, (left, right) = plots.figure(8.6, 3.3, ncols=2, width_ratios=[1, 1.5])
    left.plot(stream[:600], ".", ms=3, color=plots.GREY)
    left.set(xlabel="data points seen", ylabel="$x$", title="The stream begins")
    shown = np.arange(999, len(stream), 20)  # by then the start has faded
    for n, name in ((4, "four components"), (3, "three"), (2, "two"), (1, "one")):
        y, up = (lines[n] - lines[3])[shown], {3: 5, 4: -5}.get(n, 0)
        plots.draw_curve(right, shown + 1, y, name, n - 1, offset=(5, up))
    right.set(xlabel="data points seen", xticks=[1000, 2000, 3000])
    right.set_title(
        "Three components lead\n(running ELBO minus that of three, in nats)"
    )
    alt = """Left: a cloud of numbers in three bands. Right: running ELBOs of models
    with one, two and four components against the data points seen, from 1,000 on,
    measured from that of three. All lie below zero: four components steadily, some ten
    nats; two and one far lower, and they wander."""
    return plots.Picture(fig, alt)
