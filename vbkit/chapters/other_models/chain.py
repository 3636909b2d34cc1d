"""Explorer: a pump whose state nobody sees, learned block by block while its gauge changes."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.other_models.answers import on_and_switches
from vbkit.families import NormalGamma
from vbkit.latent import HiddenMarkov
from vbkit.learning import Schedule, fit_online
from vbkit.mixture import Mixture
from vbkit.widgets import Explorer, dropdown, select_slider, slider

STAY, BLOCK, BLOCKS = 0.95, 50, 80  # chance to stay on, or off; readings in a block; blocks
BEFORE, AFTER = (-1.0, 1.0), (0.0, 2.0)  # levels of the gauge, off and on, in halves of the stream
TIES = ("nothing: a mixture", "a Markov chain")
MEMORIES = (200, 1000, np.inf)  # readings
LOW, HIGH = -4.4, 5.4  # of the gauge, as drawn
WINDOW = 10  # blocks over which the share of wrong labels is averaged


def pump(rng: np.random.Generator, blocks: int = BLOCKS, levels=(BEFORE, AFTER)):
    """Return the states (N,) of a pump, 0 (off) or 1 (on), and readings (N, 1) with noise of sd 1;
    in the second half of the `blocks` the gauge has other levels."""
    N = blocks * BLOCK
    switched = rng.random(N) > STAY
    state = (rng.integers(2) + np.cumsum(switched)) % 2
    half = np.arange(N) // (N // 2)
    return state, (np.array(levels)[half, state] + rng.standard_normal(N))[:, None]


def model(tie: str):
    """Return a model of two components on the line, tied as one of TIES says."""
    family = NormalGamma([0.0], 0.1, 1.0, 1.0)
    return Mixture(family) if tie == TIES[0] else HiddenMarkov(family)


def begin(model, block):
    """Return the state after a first block (n, 1): its upper half is taken to be on, with 90 %."""
    high = (block > np.median(block)) * 0.8 + 0.1
    return model.m_step(block, np.hstack([1 - high, high]))


def forgetting(memory: float, step: int = BLOCK) -> Schedule:
    """Return the schedule whose old sums lose one part in `memory` with each reading; learning
    takes steps of so many readings."""
    return Schedule(0.0, 1 - (1 - 1 / memory) ** step, 0.0)


def follow(tie: str, x, memory: float) -> tuple[np.ndarray, ...]:
    """Learn readings x (N, 1) online, block by block, with a `memory` of so many readings; a
    mixture learns them one by one.

    Returns, before each block but the first: the levels (B, 2), the chances to stay (B, 2; of a
    mixture, to come), and the beliefs (B, n) that the pump is on in it."""
    learner, blocks = model(tie), x.reshape(-1, BLOCK, 1)
    schedule = forgetting(memory, 1 if tie == TIES[0] else BLOCK)
    S, rows = begin(learner, blocks[0]), []
    for block in blocks[1:]:
        p, on = learner.parameters(S), learner.responsibilities(block, S)[:, 1]
        stay = p.transitions.diagonal() if tie == TIES[1] else p.weights
        rows.append((p.components.mean[:, 0], stay, on))
        fit = fit_online(learner, block, S, schedule, monitor=False)
        S, schedule = fit.S, fit.schedule
    return tuple(map(np.array, zip(*rows, strict=True)))


def wrong(on, state) -> np.ndarray:
    """The share (B,) of wrong labels in each block but the first, of beliefs `on` (B, n)."""
    return np.mean((on > 0.5) != state.reshape(-1, BLOCK)[1:], axis=1)


@lru_cache
def floor() -> float:
    """The share of labels that are wrong even if levels, noise and chances are known: of a long
    stream, with each block judged by itself."""
    state, x = pump(np.random.default_rng(11), 2000, (BEFORE, BEFORE))
    on = [on_and_switches(block, STAY)[0] for block in x[:, 0].reshape(-1, BLOCK)]
    return float(wrong(np.array(on)[1:], state).mean())


@lru_cache
def stream():
    """The pump of the explorer, and what was learned of it, for each tie and memory."""
    state, x = pump(np.random.default_rng(11))
    return state, x, {(tie, m): follow(tie, x, m) for tie in TIES for m in MEMORIES}


def regimes() -> Explorer:
    """Choose how much is remembered and what ties the readings, and let the blocks come."""
    stream()
    memories = [("200", 200), ("1,000", 1000), ("all", np.inf)]
    controls = {
        "seen": slider("Blocks learned", 1, BLOCKS - 1, 30, play=200),
        "tie": dropdown("What ties the readings", TIES, TIES[0]),
        "memory": select_slider("Memory (readings)", memories, np.inf),
    }

    def compute(seen, tie, memory):
        state, x, runs = stream()
        (levels, stay, on), now = runs[tie, memory], slice(seen * BLOCK, (seen + 1) * BLOCK)
        misses = 100 * wrong(on, state)
        mean = [misses[max(0, b - WINDOW + 1) : b + 1].mean() for b in range(seen)]
        found = {"levels": levels[:seen], "stay": stay[seen - 1], "wrong": mean}
        return found | {"x": x[now, 0], "state": state[now], "on": on[seen - 1] > 0.5}

    def draw(artists, arrays, values):
        t, on, blocks = np.arange(BLOCK), arrays["on"], np.arange(1, values["seen"] + 1)
        memory = "all" if np.isinf(values["memory"]) else f"{values['memory']:,} readings"
        tie = values["tie"].removeprefix("nothing: ")
        artists["words"].set_text(f"{tie}; memory: {memory}")
        artists["truth"].set_xy(_strips(arrays["state"]))
        artists["on"].set_data(t[on], arrays["x"][on])
        artists["off"].set_data(t[~on], arrays["x"][~on])
        for line, level in zip(artists["levels"], arrays["levels"].T, strict=True):
            line.set_data(blocks, level)
        artists["wrong"].set_data(blocks, arrays["wrong"])

    def status(arrays, values):
        misses = np.sum(arrays["on"] != arrays["state"])
        off, on = arrays["levels"][-1]
        say = f"Next block: {misses} of {BLOCK} labels wrong. Levels: off {off:.2f}, on {on:.2f}."
        stays = " and ".join(f"{s:.2f}" for s in arrays["stay"])
        return say + (f" Chance to stay off, on: {stays}." if values["tie"] == TIES[1] else "")

    title = "A pump that nobody sees: neighbours help to judge a reading"
    return Explorer(controls, compute, _setup, draw, title=title, status=status, size=(8.4, 4.4))


def _strips(state) -> np.ndarray:
    """The outline (n, 2) of strips over the readings at which the pump is on."""
    edges = np.repeat(np.arange(len(state) + 1) - 0.5, 2)
    heights = np.r_[LOW, np.repeat(np.where(state, HIGH, LOW), 2), LOW]
    return np.column_stack([edges, heights])


def _setup(figure):
    """Top: the 50 readings of the next block, filled where the pump is believed to be on, open
    where off, and grey strips where it truly is on. Bottom left: the two learned
    levels over blocks, the true ones dotted. Bottom right: the share of wrong labels over
    the last ten blocks, and dashed, what is left if all but the states is known.
    """
    axes = figure.subplot_mosaic([["x", "x"], ["levels", "wrong"]])
    x, levels, share = (axes[key] for key in ("x", "levels", "wrong"))
    x.set(xlim=(-1, BLOCK), ylim=(LOW, HIGH), xlabel="reading of the next block", ylabel="gauge")
    style = {"ls": "none", "ms": 6}
    truth = x.fill([0, 1, 1], [0, 0, 1], color="#DDDDDD", lw=0, zorder=0, label="truly on")[0]
    on = x.plot([], [], "o", color=plots.COLOURS[1], **style, label="believed on")[0]
    off = x.plot([], [], "o", color=plots.COLOURS[0], mfc="none", **style, label="believed off")[0]
    x.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, borderpad=0)
    words = x.text(0, 1.06, "", transform=x.transAxes)
    turn = BLOCKS // 2
    for before, after in zip(BEFORE, AFTER, strict=True):
        levels.plot([0, turn, turn, BLOCKS], [before] * 2 + [after] * 2, ":", color=plots.GREY)
    levels.set_title("Learned levels (dotted: the true ones)", fontsize="medium")
    levels.set(xlabel="blocks learned", ylabel="levels", xlim=(0, BLOCKS), ylim=(-2.6, 3))
    for k, (name, place) in enumerate((("off", -1.7), ("on", 1.5))):
        levels.text(2, place, name, color=plots.COLOURS[k])
    lines = [levels.plot([], [], **plots.line_style(k))[0] for k in range(2)]
    share.set(xlabel="blocks learned", ylabel="wrong (%)", xlim=(0, BLOCKS), ylim=(0, 52))
    share.set_title(f"Errors, mean of the last {WINDOW} blocks", fontsize="medium")
    share.axvline(turn, color=plots.GREY, ls=":")
    share.text(turn + 1, 44, "the screw is turned", color=plots.GREY)
    share.axhline(100 * floor(), color=plots.GREY, ls="--")
    share.text(1, 40, "dashed: all known\nbut the states", color=plots.GREY)
    rate = share.plot([], [], color="black", ls="-")[0]
    found = {"truth": truth, "on": on, "off": off, "levels": lines, "wrong": rate}
    return found | {"words": words}
