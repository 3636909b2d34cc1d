"""An explorer of schedules: what each data point still counts, and how far learning has come."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.learning import sato2000, without_discount
from vbkit.widgets import Explorer, log_slider, select_slider

LONGEST = 100_000
LOOKS = np.unique(np.geomspace(1, LONGEST, 160).astype(int))
NEVER = "forget nothing"


@lru_cache(128)
def rates(tau0, kappa):
    """Return the rate eta and the log of the product of all lambda up to each data point (n,)."""
    if kappa == NEVER:
        plan, lambdas = without_discount(1.0, effective_sample_size=tau0), np.ones(LONGEST)
    else:
        plan = sato2000(1.0, tau0=tau0, kappa=kappa)
        lambdas = 1 - 1 / (kappa * np.arange(LONGEST) + tau0)
    return plan.learning_rates(LONGEST)[0], np.log(lambdas).cumsum()


def clock() -> Explorer:
    """Choose how fast to forget; see the memory, and count the epochs that learning is worth."""
    kappas = (0.0, 0.001, 0.01, 0.1, 1.0, NEVER)
    controls = {
        "tau0": log_slider("Early memory tau0 (data points)", 10, 1000, 32, 4),
        "kappa": select_slider("Decay of forgetting kappa", kappas, 0.1),
        "seen": select_slider("Data points seen", (100, 1000, 10_000, LONGEST), 1000),
    }
    title = "The memory and the clock"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(9.0, 3.6))


def compute(tau0, kappa, seen):
    eta, kept = rates(tau0, kappa)
    ages = LOOKS[LOOKS <= seen]
    weight = np.exp(kept[seen - 1] - kept[seen - ages])
    done = eta.cumsum()
    found = {"ages": ages, "weight": weight, "clock": done[LOOKS - 1]}
    return found | {"now": float(done[seen - 1]), "memory": float(1 / eta[seen - 1])}


def setup(figure):
    """Left: what a data point still counts against its age, relative to the newest one. Right: the
    sum of the learning rates, which is the number of batch epochs that learning is worth, against
    the data points seen, with a dot at the present one.
    """
    left, right = figure.subplots(1, 2)
    left.set(xscale="log", xlim=(1, LONGEST), ylim=(0, 1.05), xlabel="age (data points)")
    left.set_title("What a data point still counts")
    right.set(xscale="log", yscale="log", xlim=(1, LONGEST), ylim=(0.01, 2e4))
    right.set(xlabel="data points seen", title="Worth how many batch epochs")
    (weight,) = left.plot([], [], color=plots.COLOURS[0], ls="-")
    (done,) = right.plot([], [], color=plots.GREY, ls="-")
    (dot,) = right.plot([], [], "o", color=plots.COLOURS[1], ms=9)
    return {"weight": weight, "clock": done, "dot": dot}


def draw(artists, arrays, values):
    artists["weight"].set_data(arrays["ages"], arrays["weight"])
    artists["clock"].set_data(LOOKS, arrays["clock"])
    artists["dot"].set_data([values["seen"]], [arrays["now"]])


def status(arrays, values) -> str:
    return (
        f"After {values['seen']:,} data points the memory holds {arrays['memory']:,.0f}, and "
        f"learning is worth {arrays['now']:.1f} batch epochs."
    )
