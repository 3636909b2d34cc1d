"""Explorer of notebook 05: what the running average remembers, and how far learning has come."""

from functools import lru_cache

import numpy as np

from vbkit.chapters.batch_vs_online.methods import METHODS
from vbkit.learning import sato2000, without_discount
from vbkit.widgets import Explorer, log_slider, select_slider

MOST = 100_000
LOOKS = np.unique(np.geomspace(1, MOST, 160).astype(int))
NEVER = "forget nothing"


@lru_cache(128)
def rates(tau0, kappa):
    """Return the rate eta (MOST,), and the log of the product of all lambda (MOST,), (3.23)."""
    if kappa == NEVER:
        plan, lambdas = without_discount(1.0, effective_sample_size=tau0), np.ones(MOST)
    else:
        plan = sato2000(1.0, tau0=tau0, kappa=kappa)
        lambdas = 1 - 1 / (kappa * np.arange(MOST) + tau0)
    return plan.learning_rates(MOST)[0], np.log(lambdas).cumsum()


def memory_explorer() -> Explorer:
    """Choose how fast to forget; see the memory, and count the batch passes it is worth."""
    kappas = (0.0, 0.001, 0.01, 0.1, 1.0, NEVER)
    controls = {
        "seen": log_slider("Data points seen", 10, MOST, 1000, 4),
        "tau0": log_slider("Early memory tau0", 10, 1000, 32, 4),
        "kappa": select_slider("Decay of forgetting kappa", kappas, 0.1),
    }
    look = {"title": "The memory and the clock", "status": status, "size": (9, 3.6)}
    return Explorer(controls, compute, setup, draw, **look)


def compute(seen, tau0, kappa):
    """Weights of data points seen so many "ages" steps ago, and the "clock", the sum of the rates
    after LOOKS data points; "memory" and "passes" are those after `seen`.
    """
    eta, kept = rates(tau0, kappa)
    seen = round(seen)
    ages, done = LOOKS[LOOKS <= seen], eta.cumsum()
    weight = np.exp(kept[seen - 1] - kept[seen - ages])
    now = {"memory": float(1 / eta[seen - 1]), "passes": float(done[seen - 1])}
    return now | {"ages": ages, "weight": weight, "clock": done[LOOKS - 1]}


def setup(figure):
    """Left: the weight of a data point against how many steps ago it was seen, on a logarithmic
    axis. Right: the sum of the learning rates, which is the number of batch passes that learning is
    worth, against the data points seen, both logarithmic, with a dot at the chosen number.
    """
    left, right = figure.subplots(1, 2)
    left.set(xscale="log", xlim=(1, MOST), ylim=(0, 1.05))
    left.set(xlabel="seen so many steps ago", title="Weight (newest = 1)")
    right.set(xscale="log", yscale="log", xlim=(1, MOST), ylim=(0.01, 2e4))
    right.set(xlabel="data points seen", title="Worth how many batch passes")
    blue = METHODS["online"]["color"]
    return {
        "weight": left.plot([], [], "-", color=blue, lw=2.5)[0],
        "clock": right.plot([], [], "-", color=blue, lw=2.5)[0],
        "now": right.plot([], [], "o", color="black", ms=9, zorder=5)[0],
    }


def draw(artists, arrays, values):
    artists["weight"].set_data(arrays["ages"], arrays["weight"])
    artists["clock"].set_data(LOOKS, arrays["clock"])
    artists["now"].set_data([values["seen"]], [arrays["passes"]])


def status(arrays, values) -> str:
    return (
        f"After {values['seen']:,.0f} data points the average holds "
        f"{arrays['memory']:,.0f} of them. Learning is worth {arrays['passes']:.1f} batch passes."
    )
