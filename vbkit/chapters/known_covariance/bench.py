"""Three data, two components: the labels are a table of eight numbers, and F falls."""

from functools import cache
from itertools import product

import numpy as np
from scipy.special import logsumexp, softmax

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import dropdown, select_slider
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

X3 = np.array([[-1.2], [0.3], [1.9]])
LABELS = np.array([*product((0, 1), repeat=3)])  # (8, 3)
MIXTURE = Mixture(KnownCovariance(0.0, 4.0), Dirichlet(1.0))
BASE = MIXTURE.family.log_base(X3).sum()
STEPS = 40
STARTS = {
    "a vague table": np.array([9, 8, 7, 6, 5, 4, 3, 2]) / 44,
    "one labelling nearly certain": np.array([1, 1, 1, 1, 1, 1, 13, 1]) / 20,
}


def log_joint() -> np.ndarray:
    """Return log p(D, H) (8,) of each labelling, the parameters integrated out."""
    one_of = (LABELS[:, None, :] == np.arange(2)[:, None]).astype(float)
    return MIXTURE.log_normalizer_ratio(one_of @ MIXTURE.family.statistics(X3)) + BASE


def turn(table: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return the next table of labels (8,), F with the best parameters for the table given, and F
    with the best table for these parameters."""
    z = np.array([table @ (LABELS == k) for k in (0, 1)]).T
    S = MIXTURE.m_step(X3, z)
    before = table @ np.log(table) - MIXTURE.log_normalizer_ratio(S) - BASE
    z = MIXTURE.responsibilities(X3, S)
    return np.prod(z[np.arange(3), LABELS], axis=1), before, -MIXTURE.elbo(X3, S)


def take_turns() -> OldExplorer:
    """Choose a first table of labels and let the two factors take turns."""
    floor = -logsumexp(log_joint())

    @cache
    def learn(start):
        tables, F = [STARTS[start]], []
        for _ in range(STEPS // 2):
            table, *both = turn(tables[-1])
            tables.append(table)
            F += both
        return tables, np.array(F)

    def compute(step, start):
        tables, F = learn(start)
        return {"table": tables[(step + 1) // 2], "F": F[: step + 1], "floor": floor}

    controls = {
        "step": select_slider("Half sweep", range(STEPS - 1), 9, play=500),
        "start": dropdown("First table", [*STARTS], "a vague table"),
    }
    words = {"title": "Two factors take turns", "status": tell}
    return OldExplorer(controls, compute, set_up, draw, **words, size=(9, 3.6))


def set_up(figure):
    """Left: the probability of each of the eight labellings of three data, black outlines by the
    exact posterior, bars by the factorised one. Right: the free energy, half sweep by half sweep,
    above the line of minus the log evidence.
    """
    table, energy = figure.subplots(1, 2)
    places = np.arange(8)
    table.set(ylim=(0, 0.75), title="Labellings (outline: exact)")
    table.set_xticks(
        places, ["".join("LR"[k] for k in labels) for labels in LABELS], size=9
    )
    energy.set(
        xlim=(-0.5, STEPS - 0.5), ylim=(5.9, 8.1), xlabel="half sweep", title="F (nats)"
    )
    energy.text(STEPS - 1, 6.2, "minus the log evidence", ha="right")
    joint = log_joint()
    table.bar(
        places, softmax(joint), 0.8, fill=False, edgecolor="black", lw=1.5, zorder=4
    )
    energy.axhline(-logsumexp(joint), color="black", lw=1.2)
    return {
        "bars": [*table.bar(places, np.zeros(8), 0.8, color=plots.COLOURS[5])],
        "F": energy.plot([], [], color=plots.COLOURS[0], ls="-", marker="o")[0],
    }


def draw(artists, arrays, values):
    for k in range(8):
        artists["bars"][k].set_height(arrays["table"][k])
    artists["F"].set_data(np.arange(len(arrays["F"])), arrays["F"])


def tell(arrays, values) -> str:
    moved = "labels" if values["step"] % 2 else "parameters"
    gap = arrays["F"][-1] - arrays["floor"]
    return f"The {moved} moved last; F {arrays['F'][-1]:.3f}, {gap:.3f} nats above its floor."
