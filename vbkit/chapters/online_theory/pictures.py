"""Pictures of chapter 04b; the docstring of each is its alternative text."""

import numpy as np

from vbkit import plots
from vbkit.chapters.line import first_state, line_mixture
from vbkit.chapters.models import sato_mixture
from vbkit.data import sato2000 as sato2000_data
from vbkit.learning import fit_batch, fit_online, init_gaussian, sato2000, without_discount
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


def forgetting_pays(seed: int) -> plots.Picture:
    """Nats below the best ELBO of the three runs against epochs, both logarithmic, for batch VB
    and for online VB with and without discount. With discount online VB falls below one nat
    and, at its best epoch, touches the lower edge. Batch VB stays about 24 nats away. Without
    discount online VB creeps.
    """
    X = sato2000_data("B", np.random.default_rng(seed))[0]
    mixture, rng = sato_mixture(X, 4, "full covariance", 0.01), np.random.default_rng(seed)
    start = init_gaussian(mixture, X, 4, rng)
    traces = {"batch": fit_batch(mixture, X, start, max_epochs=300, tolerance=0).trace}
    plans = {"online, with discount": sato2000(1000), "online, without": without_discount(1000)}
    for name, plan in plans.items():
        traces[name] = fit_online(mixture, X, start, plan, epochs=100, rng=rng).trace
    best = max(trace.max() for trace in traces.values())
    fig, (ax,) = plots.figure(7, 3.4)
    for k, (name, trace) in enumerate(traces.items()):
        ax.plot(np.maximum(best - trace[:101], 0.02), **plots.line_style(k), label=name)
    ax.set(xscale="log", yscale="log", ylim=(0.02, 2000), xlim=(1, 100), xlabel="epochs")
    ax.set_ylabel("ELBO below the best (nats)")
    ax.legend()
    return plots.show(fig, forgetting_pays.__doc__)
