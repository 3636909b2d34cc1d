"""The explorers of notebook 02: one start, one number, and a schedule."""

from functools import lru_cache
from math import tanh

import numpy as np

from vbkit import plots
from vbkit.chapters.models import states_after
from vbkit.chapters.old_form import OldExplorer
from vbkit.chapters.online_em.pictures import STYLES
from vbkit.course import select_slider, slider
from vbkit.course.four_gaussians import divergence, em_mixture, learn, parameters
from vbkit.data import sato1999 as data_set
from vbkit.learning import init_uniform, sato1999

SIZE, EPOCHS, STARTS = 1000, 20, 20
NAMES = ("batch", "online")
SEEN = (0, 1, 2, 5, 10, 20, 50, 100, 200, 350, 500, 700, *range(1000, 20_001, 1000))


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


# ---- one start -----------------------------------------------------------------------------------


def one_start() -> OldExplorer:
    """Follow one start: batch EM waits for the end of an epoch, online EM does not."""
    controls = {
        "seen": select_slider(
            "Data seen", [(f"{n:,}", n) for n in SEEN], 100, play=400
        ),
        "start": slider("Start", 1, STARTS, 1),
    }
    for start in range(1, STARTS + 1):
        histories(start)  # now, and not while the slider moves
    draws, title = (follow, setup_start, draw_start), "One start, two ways"
    return OldExplorer(
        controls, *draws, title=title, status=status_start, size=(9.0, 3.4)
    )


@lru_cache(STARTS)
def histories(start: int) -> dict:
    """Return the parameters of batch EM and of online EM after SEEN data."""
    X, mixture, S, batch, _ = problem(start)
    rng, batch = np.random.default_rng(start), [batch[n // SIZE] for n in SEEN]
    stream = np.concatenate([X[rng.permutation(SIZE)] for _ in range(EPOCHS)])
    online = states_after(mixture, stream, S, sato1999(SIZE), SEEN)
    found = {"batch": parameters(mixture, batch), "online": parameters(mixture, online)}
    return found | {f"{name} divergence": divergence(found[name]) for name in NAMES}


def follow(seen, start):
    return histories(start)


def setup_start(figure):
    """Two panels: the data and the components of batch EM and of online EM as circles of two
    standard deviations after the chosen number of data.
    """
    artists = {}
    for ax, name in zip(figure.subplots(1, 2), NAMES, strict=True):
        ax.set(
            aspect="equal", xlim=(0, 1), ylim=(0, 1), title=f"{name.capitalize()} EM"
        )
        ax.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
        plots.draw_points(ax, problem(1)[0], size=2)
        artists[name] = plots.draw_ellipses(ax, np.full((1, 2), 0.5), np.ones(1))
    return artists


def draw_start(artists, arrays, values):
    for name in NAMES:
        weights, centres, variances = (
            a[SEEN.index(values["seen"])] for a in arrays[name]
        )
        plots.update_ellipses(artists[name], centres, variances, weights)


def status_start(arrays, values) -> str:
    i = SEEN.index(values["seen"])
    batch, online = (arrays[f"{name} divergence"][i] for name in NAMES)
    return (
        f"Divergence from the truth: batch EM {batch:.3f}, online EM {online:.3f} nats."
    )


# ---- one number ----------------------------------------------------------------------------------

FEW, ROUNDS = 300, 5
RULES = ("1 / (t + 1)", "0.3", "0.03", "0.003")


def two_bumps() -> OldExplorer:
    """Learn one number, half the distance of two bumps, by batch EM and by online EM."""
    controls = {
        "rule": select_slider("Learning rate of online EM", RULES, RULES[0]),
        "truth": slider("True half distance", 0.25, 3.0, 1.0, 0.25),
        "start": select_slider("Start", (0.1, 0.3, 1.0, 3.0), 0.1),
    }
    draws, title = (learn_one, setup_one, draw_one), "One number, two ways"
    return OldExplorer(
        controls, *draws, title=title, status=status_one, size=(8.0, 3.3)
    )


def learn_one(rule, truth, start):
    rng = np.random.default_rng(2)
    data = truth * rng.choice([-1, 1], FEW) + rng.standard_normal(FEW)
    online, batch = [start], [start]
    for t, x in enumerate(np.tile(data, ROUNDS), start=1):
        eta = 1 / (t + 1) if rule == RULES[0] else float(rule)
        online.append(online[-1] + eta * (x * tanh(x * online[-1]) - online[-1]))
    for _ in range(300):
        batch.append(float(np.mean(data * np.tanh(data * batch[-1]))))
    return {
        "online": np.array(online),
        "batch": np.array(batch[: ROUNDS + 1]),
        "best": batch[-1],
    }


def setup_one(figure):
    """The estimate against the number of data seen in five epochs: online EM as a thin line that
    moves with each data point, batch EM as steps at the ends of the epochs, and a grey line at the
    value of largest likelihood.
    """
    ax = figure.subplots()
    ax.set(xlim=(0, FEW * ROUNDS), ylim=(0, 3.9), xlabel="data seen (epochs of 300)")
    ax.set(ylabel="estimate", xticks=range(0, FEW * ROUNDS + 1, FEW))
    steps = {"batch": {"drawstyle": "steps-post"}, "online": {"lw": 1.2}}
    lines = {
        name: ax.plot([], [], label=name, **STYLES[name] | steps[name])[0]
        for name in NAMES
    }
    lines["best"] = ax.axhline(
        1, color=plots.GREY, lw=1, ls=":", label="largest likelihood"
    )
    ax.legend(loc="upper right", ncols=3)
    return lines


def draw_one(artists, arrays, values):
    artists["online"].set_data(np.arange(FEW * ROUNDS + 1), arrays["online"])
    artists["batch"].set_data(FEW * np.arange(ROUNDS + 1), arrays["batch"])
    artists["best"].set_ydata([arrays["best"]] * 2)


def status_one(arrays, values) -> str:
    after = arrays["online"][FEW], arrays["batch"][1], arrays["best"]
    return "After one epoch: online {:.3f}, batch {:.3f}; largest likelihood at {:.3f}.".format(
        *after
    )


# ---- a schedule ----------------------------------------------------------------------------------

AT = np.unique(
    np.geomspace(1, SIZE * EPOCHS, 300).astype(int)
)  # data at which the rate is drawn
STEPS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def choose_schedule() -> OldExplorer:
    """Choose two constants of the schedule; watch the rate and what one start learns."""
    controls = {
        "eps0": select_slider("Early forgetting eps0", STEPS[:-2], 0.01),
        "gamma": select_slider("Decay gamma", STEPS, 0.05),
        "start": slider("Start", 1, STARTS, 1),
    }
    draws, title = (
        (schedule_and_curve, setup_schedule, draw_schedule),
        "A schedule at work",
    )
    return OldExplorer(
        controls, *draws, title=title, status=status_schedule, size=(9.0, 3.6)
    )


def schedule_and_curve(eps0, gamma, start):
    X, mixture, S, _, batch = problem(start)
    schedule = sato1999(SIZE, forgetting_rate=eps0, kappa=gamma)
    states = learn(mixture, X, S, schedule, EPOCHS, np.random.default_rng(start))
    rates = schedule.learning_rates(SIZE * EPOCHS)[0]
    return {
        "rates": rates,
        "online": divergence(parameters(mixture, states)),
        "batch": batch,
    }


def setup_schedule(figure):
    """Left: learning rate against data seen, both logarithmic, with 1/t dashed and dotted lines
    where the second and the third phase begin. Right: divergence from the truth against epochs for
    online EM and for batch EM from the same start.
    """
    rate, curve = figure.subplots(1, 2)
    rate.set(xscale="log", yscale="log", xlim=(1, SIZE * EPOCHS), ylim=(2e-5, 1))
    rate.set(title="Learning rate (dashed: 1/t)", xlabel="data seen $t$")
    curve.set(
        yscale="log", xlim=(0, EPOCHS), xticks=range(0, EPOCHS + 1, 5), ylim=(2e-3, 4)
    )
    curve.set(
        title="Divergence from the truth (nats)", xlabel=f"epochs of {SIZE:,} data"
    )
    artists = {
        name: curve.plot([], [], label=name, **STYLES[name])[0] for name in NAMES
    }
    curve.legend(loc="upper right")
    artists["phases"] = [
        rate.axvline(1, color=plots.GREY, lw=1, ls=":") for _ in range(2)
    ]
    rate.plot(AT, 1 / AT, color=plots.GREY, ls="--", lw=1.2)
    artists["rate"] = rate.plot([], [], **STYLES["online"])[0]
    return artists


def draw_schedule(artists, arrays, values):
    artists["rate"].set_data(AT, arrays["rates"][AT - 1])
    for line, x in zip(artists["phases"], (1, 1 / values["gamma"]), strict=True):
        line.set_xdata([x / values["eps0"]] * 2)
    for name in NAMES:
        artists[name].set_data(
            np.arange(EPOCHS + 1), np.clip(arrays[name], 2.2e-3, None)
        )


def status_schedule(arrays, values) -> str:
    batch, online, rate = (arrays[name][-1] for name in ("batch", "online", "rates"))
    return (
        f"After {EPOCHS} epochs online EM is {online:.4f} nats from the truth, batch EM "
        f"{batch:.4f}; the rate has fallen to {rate:.2g}."
    )
