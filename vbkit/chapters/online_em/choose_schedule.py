"""Notebook 02's first explorer: a schedule and what it learns."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.online_em import STYLES, divergence, em_mixture, learn, parameters
from vbkit.data import sato1999 as data_set
from vbkit.learning import init_uniform, reciprocal, sato1999
from vbkit.widgets import Explorer, select_slider, slider

SIZE, EPOCHS, STARTS = 1000, 20, 20
AT = np.unique(np.geomspace(1, SIZE * EPOCHS, 300).astype(int))  # data at which the rate is drawn
STEPS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
NAMES = ("batch", "online")


@lru_cache(STARTS)
def problem(start: int):
    """Return data (the same for all starts), mixture, a start, and batch EM's states from it.

    Last come the divergences from the truth (EPOCHS + 1,) of these states.
    """
    X, _ = data_set(SIZE, np.random.default_rng(1999))
    mixture = em_mixture(SIZE)
    S = init_uniform(mixture, 4, SIZE, np.random.default_rng([1999, start]))
    batch = learn(mixture, X, S, None, EPOCHS)
    return X, mixture, S, batch, divergence(parameters(mixture, batch))


def explorer() -> Explorer:
    """Choose the three constants of the schedule; watch the rate and what one start learns."""
    controls = {
        "eta0": select_slider("First rate eta0", (0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 0.95), 0.5),
        "eps0": select_slider("Early forgetting eps0", STEPS[:-2], 0.01),
        "gamma": select_slider("Decay gamma", STEPS, 0.05),
        "start": slider("Start", 1, STARTS, 1),
    }
    title = "A schedule and what it learns"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(9.5, 3.7))


def compute(eta0, eps0, gamma, start):
    X, mixture, S, _, batch = problem(start)
    schedule = sato1999(SIZE, eta0=eta0, eps0=eps0, gamma=gamma)
    states = learn(mixture, X, S, schedule, EPOCHS, np.random.default_rng(start))
    return {
        "rates": schedule.learning_rates(SIZE * EPOCHS)[0],
        "(41)": reciprocal(SIZE, eta0, gamma).learning_rates(SIZE * EPOCHS)[0],
        "online": divergence(parameters(mixture, states)),
        "batch": batch,
    }


def setup(figure):
    """Left: learning rate against data seen, both logarithmic, for the schedules (39), (41) and
    1/t, with lines where the second and the third phase begin. Right: divergence from the truth
    against epochs for online EM and for batch EM from the same start.
    """
    rate, curve = figure.subplots(1, 2)
    rate.set(xscale="log", yscale="log", xlim=(1, SIZE * EPOCHS), ylim=(2e-5, 1))
    rate.set(title=r"Learning rate $\eta(t)$", xlabel="data seen $t$")
    curve.set(yscale="log", xlim=(0, EPOCHS), xticks=range(0, EPOCHS + 1, 5), ylim=(2e-3, 4))
    curve.set(title="Divergence from the truth (nats)", xlabel=f"epochs of {SIZE:,} data")
    artists = {name: curve.plot([], [], label=name, **STYLES[name])[0] for name in NAMES}
    curve.legend(loc="upper right")
    artists["phases"] = [rate.axvline(1, color=plots.GREY, lw=1, ls=":") for _ in range(2)]
    rate.plot(AT, 1 / AT, color=plots.GREY, ls="--", lw=1.2, label="1/t")
    artists["(41)"] = rate.plot([], [], color=plots.COLOURS[2], ls="-.", label="(41)")[0]
    artists["rate"] = rate.plot([], [], label="(39), learned with", **STYLES["online"])[0]
    rate.legend(loc="lower left")
    return artists


def draw(artists, arrays, values):
    artists["rate"].set_data(AT, arrays["rates"][AT - 1])
    artists["(41)"].set_data(AT, arrays["(41)"][AT - 1])
    for line, x in zip(artists["phases"], (1, 1 / values["gamma"]), strict=True):
        line.set_xdata([x / values["eps0"]] * 2)
    for name in NAMES:
        artists[name].set_data(np.arange(EPOCHS + 1), np.clip(arrays[name], 2.2e-3, None))


def status(arrays, values) -> str:
    batch, online, rate = (arrays[name][-1] for name in ("batch", "online", "rates"))
    return (
        f"Start {values['start']}: after {EPOCHS} epochs online EM is {online:.4f} nats from the "
        f"truth, batch EM {batch:.4f}; the rate has fallen to {rate:.2g}."
    )
