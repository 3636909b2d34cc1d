"""OldExplorer: a pump whose state nobody sees, learned block by block while its gauge changes."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import dropdown, select_slider, slider
from vbkit.families import NormalGamma
from vbkit.labels import MarkovChain
from vbkit.mixture import Mixture

STAY, BLOCK, BLOCKS = (
    0.95,
    50,
    80,
)  # chance to stay on, or off; readings in a block; blocks
TURN = BLOCKS // 2  # learned when the gauge changes
BEFORE, AFTER = (
    (-1.0, 1.0),
    (0.0, 2.0),
)  # levels of the gauge, off and on, in halves of the stream
TIES = ("a mixture", "a Markov chain")
MEMORIES = [("200", 200), ("1,000", 1000), ("all", np.inf)]  # readings
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
    """Return a model of two components on the line, as one of TIES says."""
    family = NormalGamma([0.0], 0.1, 1.0, 1.0)
    return Mixture(family) if tie == TIES[0] else Mixture(family, MarkovChain())


def begin(model, block):
    """Return the state after a first block (n, 1): its upper half is taken to be on, with 90 %."""
    high = (block > np.median(block)) * 0.8 + 0.1
    return model.m_step(block, np.hstack([1 - high, high]))


@lru_cache
def follow(tie: str, memory: float):
    """Learn the pump of the explorer online, block by block; old sums lose one part in `memory`
    with each reading.

    Returns, before each block but the first: the levels (B, 2), and the shares (B,) of wrong labels
    in it."""
    (state, x), learner = pump(np.random.default_rng(11)), model(tie)
    blocks, keep, levels, on = (
        x.reshape(-1, BLOCK, 1),
        (1 - 1 / memory) ** BLOCK,
        [],
        [],
    )
    S = begin(learner, blocks[0])
    for block in blocks[1:]:
        levels.append(learner.parameters(S).components.mean[:, 0])
        on.append(learner.responsibilities(block, S)[:, 1])
        S = keep * S + learner.e_step(block, S).S
    return np.array(levels), wrong(np.array(on), state)


def wrong(on, state) -> np.ndarray:
    """The share (B,) of wrong labels in each block but the first, of beliefs `on` (B, n)."""
    return np.mean((on > 0.5) != state.reshape(-1, BLOCK)[1:], axis=1)


def recent(wrong) -> np.ndarray:
    """The mean of each share (B,) of `wrong` labels and of those of up to nine blocks before, in
    per cent."""
    return np.array(
        [100 * wrong[max(0, b - WINDOW + 1) : b + 1].mean() for b in range(len(wrong))]
    )


def regimes() -> OldExplorer:
    """Choose how much is remembered and what ties the readings, and let the blocks come."""
    follow(TIES[1], 200)  # loads compiled code
    controls = {
        "seen": slider("Blocks learned", 1, BLOCKS - 1, 30, play=200),
        "tie": dropdown("The model", TIES, TIES[0]),
        "memory": select_slider("Memory (readings)", MEMORIES, np.inf),
    }

    def compute(seen, tie, memory):
        levels, misses = follow(tie, memory)
        return {"levels": levels[:seen], "wrong": recent(misses)[:seen]}

    def draw(artists, arrays, values):
        blocks = np.arange(1, values["seen"] + 1)
        for line, level in zip(artists["levels"], arrays["levels"].T, strict=True):
            line.set_data(blocks, level)
        artists["wrong"].set_data(blocks, arrays["wrong"])
        artists["title"].set_text(f"Errors of {values['tie']}, last {WINDOW} blocks")

    def status(arrays, values):
        return f"Of the last {WINDOW} blocks {arrays['wrong'][-1]:.1f} % of the labels were wrong."

    title = "A pump that nobody sees: neighbours help to judge a reading"
    return OldExplorer(
        controls, compute, _setup, draw, title=title, status=status, size=(8.4, 3.2)
    )


def _setup(figure):
    """Left: the two learned levels over the blocks, the true ones dotted; these rise by 1 after
    block 40. Right: the share of wrong labels over the last ten blocks.
    """
    levels, share = figure.subplots(1, 2)
    for k, (before, after) in enumerate(zip(BEFORE, AFTER, strict=True)):
        levels.plot(
            [0, TURN, TURN, BLOCKS], [before] * 2 + [after] * 2, ":", color=plots.GREY
        )
        levels.text(2, 1.8 * before, ("off", "on")[k], color=plots.COLOURS[k])
    lines = [levels.plot([], [], **plots.line_style(k))[0] for k in range(2)]
    levels.set(
        xlabel="blocks learned", ylabel="gauge", xlim=(0, BLOCKS), ylim=(-2.6, 3)
    )
    levels.set_title("Learned levels (dotted: the true ones)")
    share.set(
        xlabel="blocks learned",
        ylabel="wrong labels (%)",
        xlim=(0, BLOCKS),
        ylim=(0, 42),
    )
    share.axvline(TURN, color=plots.GREY, ls=":")
    share.text(TURN + 1, 37, "the screw is turned", color=plots.GREY)
    rate = share.plot([], [], color="black", ls="-")[0]
    return {"levels": lines, "wrong": rate, "title": share.set_title("Errors")}
