"""Lecture 04b, "Can a model follow a stream and know its own ELBO?": explorers, pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.course import Explorer, belt, select_slider, slider
from vbkit.course import forty_bolts as share

BEHIND = 1.9  # order of what stands still: below what moves, so that it is drawn once
BLUE, ORANGE, GREEN, PINK = plots.COLOURS[:4]


# ---- one bolt after another ----------------------------------------------------------

SEEN = 300  # bolts
STANDS_FOR = 40  # bolts
WRONG = 0.9  # of the bolts from the right machine, in the start
MEMORIES = (2, 5, 10, 25, 50, 100, 250)


class Walk(NamedTuple):
    """How online VB goes along a stream."""

    shares: np.ndarray  # (SEEN + 1,), n_R / T after each bolt
    proposals: np.ndarray  # (SEEN,), the responsibility of each bolt


@cache
def walk(memory: int, seed: int = share.SEED) -> Walk:
    """Return the way of a posterior for STANDS_FOR bolts, from a start that is WRONG."""
    S = STANDS_FOR * np.array([WRONG, 1 - WRONG])
    shares = [WRONG]
    proposals = []
    for bolt in share.draw_lengths(seed, SEEN)[:, None]:
        (r,) = share.responsibilities(S, bolt).tolist()
        S = (1 - 1 / memory) * S + STANDS_FOR / memory * np.array([r, 1 - r])
        proposals.append(r)
        shares.append(S[0] / STANDS_FOR)
    return Walk(np.array(shares), np.array(proposals))


class OneBoltAfterAnother(Explorer):
    """Against the number of bolts seen: orange squares, the right machine's responsibility for
    each bolt; a blue line, the part of the counts that this machine holds. It starts at
    0.9. Dashes: where batch VB comes to rest on all 300 bolts.
    """

    title = "One bolt after another"
    size = (8.4, 3.4)
    computes_ahead = True
    seen = slider("Bolts seen", 0, SEEN, 0, 10, play=150)
    memory = select_slider("Memory (bolts)", MEMORIES, 250)

    def compute(self, memory):
        return walk(memory)

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(-5, SEEN + 5), ylim=(-0.03, 1.03), xlabel="bolts seen")
        axes.set_ylabel("right machine")
        rest = share.top(share.draw_lengths(share.SEED, SEEN)).m
        axes.axhline(rest, color="black", ls="--", lw=1.2, zorder=BEHIND)
        axes.plot([], [], color=BLUE, ls="-", lw=2.5, label="part of the counts")
        axes.plot([], [], "s", color=ORANGE, ms=4, label="responsibility for a bolt")
        axes.plot([], [], color="black", ls="--", lw=1.2, label="batch VB, all bolts")
        legend = axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
        legend.set_zorder(BEHIND)
        return axes

    def draw(self, panels, walk, now):
        (panel,) = panels
        numbers = np.arange(now.seen + 1)
        proposals = walk.proposals[: now.seen]
        panel.points(numbers[1:], proposals, color=ORANGE, marker="s", ms=3.5, mew=0)
        panel.line(numbers, walk.shares[: now.seen + 1], color=BLUE, lw=2.5)
        panel.points(now.seen, walk.shares[now.seen], color=BLUE, ms=8)

    def say(self, walk, now):
        return (
            f"Bolts seen: {now.seen}. The right machine holds "
            f"{walk.shares[now.seen]:.2f} of the counts."
        )


# ---- four models on one belt ---------------------------------------------------------

MACHINES = (1, 2, 3, 4)
LOOKS = 10  # bolts between two points of a curve
SHOWN_FROM = 1000  # bolts: before, too much is left of the start
OPENS_AT = 1200  # bolts
LOOK = {  # of a model: colour, dashes, width
    1: (PINK, ":", 2.0),
    2: (ORANGE, "--", 1.8),
    3: (BLUE, "-", 2.6),
    4: (GREEN, "-.", 1.8),
}


@cache
def running_elbos() -> np.ndarray:
    """Return the running ELBOs (4, n) of models of 1 to 4 machines, a row for each."""
    return np.array([belt.hour(K).elbo[0, ::LOOKS] for K in MACHINES])


class FourModels(Explorer):
    """Left: the running ELBOs of models of one to four machines, against the bolts seen.
    Right: by how many nats the model of three machines leads each of the others.
    """

    title = "Four models on one belt"
    size = (9.0, 3.9)
    seen = slider("Bolts seen", OPENS_AT, belt.BOLTS, OPENS_AT, 100, play=200)

    def compute(self):
        return running_elbos()

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        for axes in (left, right):
            axes.set(xlim=(SHOWN_FROM, belt.BOLTS), xlabel="bolts seen")
            axes.set_xticks([1000, 1500, 2000, 2500, 3000])
        left.set(ylim=(-1340, -1140), title="Running ELBO", ylabel="nats")
        right.set(ylim=(0, 155), title="Lead of three machines", ylabel="nats")
        for K in MACHINES[::-1]:
            colour, dashes, width = LOOK[K]
            name = f"{K} machine{'s' if K > 1 else ''}"
            left.plot([], [], color=colour, ls=dashes, lw=width, label=name)
        handles, names = left.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper left", ncols=4)
        return left, right

    def draw(self, panels, elbos, now):
        left, right = panels
        shown = slice(SHOWN_FROM // LOOKS, now.seen // LOOKS + 1)
        numbers = LOOKS * np.arange(elbos.shape[1])[shown]
        for K, elbo in zip(MACHINES, elbos[:, shown], strict=True):
            colour, dashes, width = LOOK[K]
            left.line(numbers, elbo, color=colour, ls=dashes, lw=width)
            if K != 3:
                lead = elbos[2, shown] - elbo
                right.line(numbers, lead, color=colour, ls=dashes, lw=width)

    def say(self, elbos, now):
        elbo = elbos[:, now.seen // LOOKS]
        return (
            f"After {now.seen:,} bolts three machines have the running ELBO "
            f"{elbo[2]:.1f}. They lead two by {elbo[2] - elbo[1]:.1f} and four by "
            f"{elbo[2] - elbo[3]:.1f} nats."
        )


# ---- pictures of the text ------------------------------------------------------------


def picture_of_belt(x) -> plots.Picture:
    """Draw the first 600 of the lengths x (n,), as they pass."""
    fig, (ax,) = plots.figure(7.6, 2.8)
    shown = x[:600]
    ax.plot(np.arange(1, len(shown) + 1), shown, ".", ms=4, color=plots.GREY)
    ax.set(xlim=(0, 605), xlabel="bolts that have passed", ylabel="length")
    ax.set_title("The first 600 of 3,000 bolts (tenths of a millimetre)")
    alt = """The lengths of 600 bolts, in the order in which they pass: a cloud of dots in
    three bands, around -4, 0 and 4, which touch each other."""
    return plots.Picture(fig, alt)


def picture_of_steps(S, x, total: float, memory: float) -> plots.Picture:
    """Draw the online steps of n_R from S (2,) for the bolts x (n,), and their average."""
    r = share.responsibilities(S, x)
    steps = (total * r - S[0]) / memory
    rows = (
        ("single bolts", steps, BLUE, "o"),
        ("their average", steps.mean(keepdims=True), ORANGE, "s"),
    )
    fig, (ax,) = plots.figure(7.6, 1.9)
    ax.axvline(steps.mean(), color="black", ls="--", lw=1.2)
    for height, (_, values, colour, marker) in enumerate(rows):
        place = np.full(len(values), 1 - height)
        ax.plot(values, place, marker, color=colour, ms=8, alpha=0.7)
    ax.set_yticks([1, 0], [row[0] for row in rows])
    ax.set(
        ylim=(-0.5, 1.5), xlabel="what the step adds to the count of the right machine"
    )
    ax.set_title("Single steps scatter widely around one twentieth of a sweep")
    alt = f"""Two rows of marks: what an online step adds to the count of the right machine.
    Single bolts: from {steps.min():.1f} to {steps.max():.1f}. Their average lies on a dashed
    line at {steps.mean():.2f}, a twentieth of the step of a sweep."""
    return plots.Picture(fig, alt)
