"""Lecture 02b, "Is a better result luck or a rule?": explorers and pictures."""

from functools import cache, partial
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from vbkit import plots
from vbkit.course import Explorer, dropdown, slider
from vbkit.course import four_gaussians as four
from vbkit.course.lecture_02a import BATCH, ONLINE, frame_of_points
from vbkit.data import sato1999 as draw_data
from vbkit.learning import fit_batch, init_uniform, run_many, sato1999
from vbkit.press.publish import arrays_of

TRAPPED = 0.06  # nats from the truth: a run that ends farther away counts as trapped
LIMIT = 0.05  # what luck does more rarely is not called luck
SHADE = "0.92"
BEHIND = 1  # the place of texts that stand still, which are then drawn once


def as_published(seed: int) -> dict:
    """Return the parameters with which the notebook publishes all its runs of a seed."""
    return {"seed": seed, "profile": "paper"}


# ---- one start, many orders ----------------------------------------------------------

STARTS = range(1, 21)
ORDERS = range(1, 21)
PASSES = 20  # of online EM
SWEEPS = 300  # of batch EM, at most


class Orders(NamedTuple):
    """Where online EM ends from one start, in each of twenty orders of the points."""

    found: four.Mixtures
    divergence: np.ndarray  # (20,), in nats
    batch: float  # the divergence of batch EM at rest, from the same start

    @property
    def trapped(self) -> np.ndarray:
        return self.divergence > TRAPPED


@cache
def all_orders(seed: int = four.SEED) -> dict[str, np.ndarray]:
    """Run online EM from each of twenty starts, in each of twenty orders of the points.

    Return where it ends: "weights" (20, 20, 4), "means" (20, 20, 4, 2) and "variances"
    (20, 20, 4), a row for each start, and the "divergence" (20, 20) from the truth in nats;
    and that of "batch" EM at rest (20,), from the same starts. In a browser the published
    arrays are read.
    """

    def study():
        mixture = four.em_mixture(four.SIZE)
        X = four.points(seed=seed)
        plan = sato1999(four.SIZE)

        def end(run):
            start, order = run
            S = four.start_state(start, seed)
            rng = np.random.default_rng(order)
            return four.learn(mixture, X, S, plan, PASSES, rng)[-1]

        def at_rest(start):
            S = four.start_state(start, seed)
            return fit_batch(mixture, X, S, max_epochs=SWEEPS, tolerance=1e-6).S

        ends = run_many(end, product(STARTS, ORDERS))
        found = four.parameters(mixture, ends)
        by_run = found._asdict() | {"divergence": four.divergence(found)}
        arrays = {}
        for name, array in by_run.items():
            arrays[name] = array.reshape(len(STARTS), len(ORDERS), *array.shape[1:])
        batch = four.parameters(mixture, run_many(at_rest, STARTS))
        arrays["batch"] = four.divergence(batch)
        return arrays

    return arrays_of("sato1999-figorders", study, as_published(seed))


def orders_from(start: int) -> Orders:
    """Return where online EM ends from a start, in each of twenty orders of the points."""
    arrays = all_orders()
    row = STARTS.index(start)
    found = four.Mixtures(*[arrays[name][row] for name in four.Mixtures._fields])
    return Orders(found, arrays["divergence"][row], float(arrays["batch"][row]))


def escapes(seed: int = four.SEED) -> np.ndarray:
    """Return from each start in how many of the twenty orders online EM escapes (20,)."""
    return np.sum(all_orders(seed)["divergence"] <= TRAPPED, axis=1)


class ManyOrders(Explorer):
    """Left: a thousand points, and the four components where online EM ends, as circles of
    one standard deviation. Right: how far from the truth online EM ends, in one order of
    the points after the other; blue dots: it has escaped, orange squares: it is trapped, a
    ring: the order on the left. Dashes: batch EM from the same start.
    """

    title = "The same start, in one order after the other"
    size = (8.4, 3.8)
    order = slider("Order of the points", 1, 20, 1, play=500)
    start = slider("Start", 1, 20, 1)

    def compute(self, start):
        return orders_from(start)

    def frame(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1, 1.25])
        frame_of_points(left, "Where it ends")
        right.set(
            yscale="log", xlim=(0.2, 20.8), ylim=(3e-3, 1.5), xticks=[1, 5, 10, 15, 20]
        )
        right.set(xlabel="order of the points", ylabel="nats from the truth")
        right.set_title("How far from the truth")
        right.axhspan(TRAPPED, 1.5, color=SHADE)
        right.text(20.5, 0.9, "trapped", ha="right", zorder=BEHIND)
        right.text(20.5, 0.045, "escaped", ha="right", zorder=BEHIND)
        right.text(0.5, 0.9, "dashes: batch EM", zorder=BEHIND)
        return left, right

    def draw(self, panels, orders, now):
        left, right = panels
        place = now.order - 1
        means, variances, weights = orders.found.at(place)
        left.ellipses(means, variances, weights, radius=1.0)
        level = [orders.batch, orders.batch]
        right.line([0.2, 20.8], level, color="black", ls="--", lw=1.5)
        numbers = np.array(ORDERS)
        tried = numbers <= now.order
        for shown, marker, colour in (
            (tried & ~orders.trapped, "o", ONLINE),
            (tried & orders.trapped, "s", BATCH),
        ):
            right.points(
                numbers[shown],
                orders.divergence[shown],
                marker=marker,
                color=colour,
                ms=7,
            )
        right.points(
            now.order, orders.divergence[place], mfc="none", mec="black", mew=1.5, ms=13
        )

    def say(self, orders, now):
        escaped = int(np.sum(~orders.trapped[: now.order]))
        orders_said = "1 order" if now.order == 1 else f"{now.order} orders"
        return (
            f"Start {now.start}: online EM escaped in {escaped} of {orders_said}. Order "
            f"{now.order} ends {orders.divergence[now.order - 1]:.3f} nats from the truth, "
            f"batch EM {orders.batch:.3f}."
        )


def picture_of_starts(counts, orders: dict) -> plots.Picture:
    """Draw in how many of twenty orders online EM escapes, for each start (20,).

    orders: the arrays of the picture, as `all_orders` returns them.
    """
    share = counts.mean() / len(ORDERS)
    low, high = binom.ppf([0.025, 0.975], len(ORDERS), share)
    fig, (ax,) = plots.figure(8, 3)
    ax.axhspan(low - 0.4, high + 0.4, color="0.85")
    ax.bar(STARTS, counts, 0.7, color=ONLINE)
    ax.set(
        xlim=(0.3, 20.7),
        ylim=(0, 23.5),
        xticks=[1, 5, 10, 15, 20],
        yticks=range(0, 21, 5),
    )
    ax.set(xlabel="start", ylabel="orders that escape, of 20")
    words = "grey: where 95 % of the bars would end if all starts had the same chance"
    ax.text(0.5, 21.3, words)
    alt = f"""A bar for each of twenty starts: in how many of twenty orders online EM escapes.
    The bars are {", ".join(map(str, counts))}. If all starts had the same chance, nearly all
    bars would end between {low:.0f} and {high:.0f}."""
    return plots.Picture(fig, alt, orders)


# ---- the paper's experiment ----------------------------------------------------------

CASES = ((4, 100), (4, 1000), (4, 10_000), (20, 1000))  # components offered, points
PANELS = "ABCD"  # one for each case
PAPER = (20, 100)  # starts and passes
FIGURES = {"online": "sato1999-fig3", "batch": "sato1999-fig4"}


@cache
def points_of_the_paper(size: int, seed: int) -> np.ndarray:
    """Return the points (size, 2) on which all runs of one size learn."""
    return draw_data(size, np.random.default_rng(seed))[0]


def learning_curve(run, method: str, seed: int, passes: int) -> np.ndarray:
    """Return the divergences (passes + 1,) of one run.

    run: components, points, and the number of the start, which has the same means for both
    methods and all sizes.
    """
    offered, size, start = run
    mixture = four.em_mixture(size)
    S = init_uniform(mixture, offered, size, np.random.default_rng([seed, start]))
    plan = sato1999(size) if method == "online" else None
    X = points_of_the_paper(size, seed)
    states = four.learn(mixture, X, S, plan, passes, np.random.default_rng(start))
    return four.divergence(four.parameters(mixture, states))


def learning_curves(
    method: str, seed: int, starts: int, passes: int
) -> list[np.ndarray]:
    """Return the learning curves (starts, passes + 1) of "online" or "batch" EM by case.

    In a browser they are read from the published curves, unless there are more of them.
    """

    def study():
        runs = [(*case, start) for case in CASES for start in range(1, starts + 1)]
        curve = partial(learning_curve, method=method, seed=seed, passes=passes)
        curves = np.array(run_many(curve, runs))
        by_case = curves.reshape(len(CASES), starts, passes + 1)
        return dict(zip(PANELS, by_case, strict=True))

    if starts > PAPER[0] or passes > PAPER[1]:
        curves = study()
    else:
        curves = arrays_of(FIGURES[method], study, as_published(seed))
    return [curves[letter][:starts, : passes + 1] for letter in PANELS]


def picture_of_online_curves(curves) -> plots.Picture:
    """Draw the learning curves (starts, passes + 1) of online EM (Sato 1999, Figure 3)."""
    fig, axes = plots.figure(9, 3.0, ncols=4, sharex=True, sharey=True)
    draw_curves(fig, axes, curves, "online EM", ONLINE)
    alt = f"""Learning curves of online EM from {len(curves[0])} starts in each of four panels,
    both axes logarithmic. With 1,000 and 10,000 points most fall below 0.01 within a few
    passes, and some stay at 0.1 or above. With 100 points all stay near 0.1. With 20
    components they fall and rise again a little."""
    return plots.Picture(fig, alt, dict(zip(PANELS, curves, strict=True)))


def picture_of_batch_curves(curves) -> plots.Picture:
    """Draw the learning curves (starts, passes + 1) of batch EM (Sato 1999, Figure 4)."""
    fig, axes = plots.figure(9, 3.0, ncols=4, sharex=True, sharey=True)
    draw_curves(fig, axes, curves, "batch EM", BATCH)
    alt = f"""Learning curves of batch EM from the same {len(curves[0])} starts. With 1,000 and
    10,000 points they come down over tens of sweeps, and some stay at 0.1 or above for ever.
    With 100 points all end near 0.1. With 20 components they fall and rise again a little."""
    return plots.Picture(fig, alt, dict(zip(PANELS, curves, strict=True)))


def draw_curves(fig, axes, curves, method: str, colour):
    """Draw learning curves (starts, passes + 1), a panel a case.

    Shaded where a run counts as trapped: with four components and enough points.
    """
    for ax, letter, (offered, size), values in zip(
        axes, PANELS, CASES, curves, strict=True
    ):
        passes = np.arange(values.shape[1])
        ax.plot(passes, values.T, ls="-", lw=0.8, alpha=0.75, color=colour)
        plots.panel_title(ax, letter, f"{offered} comp., {size:,} points").set_fontsize(
            11
        )
        if letter in "BC":
            ax.axhspan(TRAPPED, 3, color=SHADE)
            words = f"{np.sum(values[:, -1] > TRAPPED)} of {len(values)} trapped"
            ax.text(0.97, 0.94, words, transform=ax.transAxes, ha="right", va="top")
    for ax in axes:  # after the curves, which set limits of their own
        ax.set(xscale="symlog", yscale="log", xlim=(0, passes[-1]), ylim=(2e-4, 3))
        ax.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    fig.supylabel(f"{method}: nats", fontsize=11)
    fig.supxlabel("passes over the points", fontsize=11)


# ---- a fair coin ---------------------------------------------------------------------


def luck_alone(rescues: int, losses: int) -> float:
    """Return the probability of so many heads or more in as many tosses of a fair coin."""
    return float(binom.sf(rescues - 1, rescues + losses, 0.5))


def rescues_needed(pairs: int, limit: float = LIMIT) -> int:
    """Return the least number of rescues, in so many pairs that differ, that luck reaches
    with a probability of at most `limit`; one more than there are pairs if none does."""
    rescues = np.arange(pairs + 2)
    luck = binom.sf(rescues - 1, pairs, 0.5)
    return int(rescues[luck <= limit][0])


class Coin(NamedTuple):
    """The number of heads in some tosses."""

    heads: np.ndarray  # (n + 1,), 0 to n
    probability: np.ndarray  # (n + 1,)


class FairCoin(Explorer):
    """A column for each number of rescues that is possible in so many pairs; its height is
    the probability with which a fair coin gives this number. Orange: so many rescues as
    observed, or more. The orange columns together are the p-value.
    """

    title = "What a fair coin does"
    size = (8.0, 3.4)
    rescues = slider("Rescues", 1, 15, 3)
    losses = slider("Losses", 0, 15, 0)

    def compute(self, rescues, losses):
        heads = np.arange(rescues + losses + 1)
        return Coin(heads, binom.pmf(heads, rescues + losses, 0.5))

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(-0.8, 30.8), ylim=(0, 0.55), xticks=range(0, 31, 5))
        axes.set(xlabel="rescues among the pairs that differ", ylabel="probability")
        axes.text(
            0.97,
            0.88,
            "orange: as observed, or more",
            color=BATCH,
            ha="right",
            transform=axes.transAxes,
            zorder=BEHIND,
        )
        return axes

    def draw(self, panels, coin, now):
        (panel,) = panels
        tail = coin.heads >= now.rescues
        for shown, colour, hatch in ((~tail, "0.6", ""), (tail, BATCH, "//")):
            panel.columns(
                coin.heads[shown],
                0,
                coin.probability[shown],
                0.8,
                facecolor=colour,
                hatch=hatch,
            )

    def say(self, coin, now):
        luck = luck_alone(now.rescues, now.losses)
        return (
            f"{counted(now.rescues, 'rescue')} and {counted(now.losses, 'loss', 'losses')}: "
            f"a fair coin does as well or better with the probability {luck:.3f}."
        )


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"


# ---- the race ------------------------------------------------------------------------

SETS = 100
RIVALS = ("batch EM", "online EM, in another order")
OUTCOMES = {  # how the four outcomes of a pair look: marker, colour, words
    "neither": ("o", "0.75", "both escaped"),
    "rescue": ("^", ONLINE, "rescues"),
    "loss": ("v", BATCH, "losses"),
    "both": ("X", "black", "both trapped"),
}


@cache
def race(number: int, seed: int = four.SEED) -> np.ndarray:
    """Return where three runs on a new data set end (3,), in nats from the truth.

    They are batch EM, online EM, and online EM in another order, from one new start.
    """
    rng = np.random.default_rng([seed, 2, number])
    X, _ = draw_data(four.SIZE, rng)
    mixture = four.em_mixture(four.SIZE)
    start = init_uniform(mixture, 4, four.SIZE, rng)
    batch = fit_batch(mixture, X, start, max_epochs=SWEEPS, tolerance=1e-6).S
    plan = sato1999(four.SIZE)
    online = [four.learn(mixture, X, start, plan, 40, rng)[-1] for _ in range(2)]
    return four.divergence(four.parameters(mixture, [batch, *online]))


@cache
def races(sets: int = SETS, seed: int = four.SEED) -> np.ndarray:
    """Return where the three runs of `race` end on each of the first data sets (sets, 3).

    In a browser they are read from the published ends, unless there are more of them.
    """

    def study():
        return {"ends": np.array(run_many(partial(race, seed=seed), range(sets)))}

    if sets > SETS:
        return study()["ends"]
    return arrays_of("sato1999-figrace", study, as_published(seed))["ends"][:sets]


class Pairs(NamedTuple):
    """Pairs of runs: what became of each."""

    outcome: dict  # name of OUTCOMES -> (n,), whether it is this one

    def lead(self, seen: int) -> np.ndarray:
        """Return rescues less losses after each of the first pairs that differ, from 0."""
        rescue = self.outcome["rescue"][:seen]
        loss = self.outcome["loss"][:seen]
        steps = rescue.astype(int) - loss
        return np.append(0, np.cumsum(steps[rescue | loss]))


def pairs_of(rival, online) -> Pairs:
    """Return what became of pairs; rival, online (n,): in nats from the truth."""
    rival = rival > TRAPPED
    online = online > TRAPPED
    return Pairs(
        {
            "neither": ~rival & ~online,
            "rescue": rival & ~online,
            "loss": ~rival & online,
            "both": rival & online,
        }
    )


def picture_of_races(ends) -> plots.Picture:
    """Draw how far from the truth batch EM and online EM end, on each data set.

    ends (sets, 3): as `races` returns them; the array of the picture.
    """
    batch, online, _ = ends.T
    pairs = pairs_of(batch, online)
    fig, (ax,) = plots.figure(5.6, 4.6)
    ax.axvspan(TRAPPED, 1, color=SHADE)
    ax.axhspan(TRAPPED, 1, color=SHADE)
    places = {
        "neither": (0.03, 0.03),
        "rescue": (0.62, 0.03),
        "loss": (0.03, 0.93),
        "both": (0.62, 0.93),
    }
    counted_as = []
    for name, (marker, colour, words) in OUTCOMES.items():
        these = pairs.outcome[name]
        ax.plot(batch[these], online[these], marker, color=colour, ms=7, ls="none")
        counted_as.append(f"{words}: {these.sum()}")
        ax.text(*places[name], counted_as[-1], transform=ax.transAxes)
    ax.set(xscale="log", yscale="log", xlim=(1e-3, 1), ylim=(1e-3, 1))
    ax.set(xlabel="batch EM: nats from the truth", ylabel="online EM: nats")
    alt = f"""A mark for each of {len(ends)} data sets: how far from the truth batch EM ends, and
    how far online EM, on scales of powers of ten. Shaded: more than {TRAPPED} nats, which
    counts as trapped. {"; ".join(counted_as).capitalize()}."""
    return plots.Picture(fig, alt, {"ends": ends})


class Race(Explorer):
    """Left: a mark for each data set. A triangle that points up: only the rival is trapped,
    and online EM rescues the start; one that points down: only online EM is trapped; grey
    dots: both have escaped; black crosses: both are trapped. Right: rescues less
    losses, pair by pair; in the grey region the p-value
    is at most 5 %.
    """

    title = "New data sets, one after the other"
    size = (8.4, 3.6)
    seen = slider("Data sets", 0, SETS, 0, step=2, play=200)
    rival = dropdown("The rival of online EM", RIVALS, RIVALS[0])

    def compute(self, rival):
        batch, online, again = races().T
        return pairs_of(batch if rival == RIVALS[0] else again, online)

    def frame(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1.15, 1])
        left.set(xlim=(-0.7, 16), ylim=(9.7, -0.7), xticks=[], yticks=[])
        left.set_title("A mark for each data set")
        left.spines[["left", "bottom"]].set_visible(False)
        for row, (marker, colour, words) in enumerate(OUTCOMES.values()):
            left.plot(11, 1.5 + 2 * row, marker, color=colour, ms=9, ls="none")
            left.text(11.8, 1.5 + 2 * row, words, va="center", zorder=BEHIND)
        pairs = np.arange(5, 26)  # with fewer pairs no result is that improbable
        border = [2 * rescues_needed(n) - n for n in pairs]
        right.fill_between(pairs, np.array(border) - 0.5, 20, color=SHADE, step="mid")
        right.axhline(0, color="black", lw=0.8)
        right.set(xlim=(0, 25), ylim=(-9, 16), xlabel="pairs that differ")
        right.set(ylabel="rescues − losses", title="Who is ahead?")
        right.text(
            24.5, 14, "p-value at most 5 %", ha="right", zorder=BEHIND, fontsize=9.5
        )
        return left, right

    def draw(self, panels, pairs, now):
        left, right = panels
        places = np.arange(SETS)
        for name, (marker, colour, _) in OUTCOMES.items():
            at = places[pairs.outcome[name] & (places < now.seen)]
            left.points(at % 10, at // 10, marker=marker, color=colour, ms=9)
        lead = pairs.lead(now.seen)
        right.line(np.arange(len(lead)), lead, color="black", ls="-", lw=1.8)
        right.points(len(lead) - 1, lead[-1], color="black", ms=7)

    def say(self, pairs, now):
        rescues = int(pairs.outcome["rescue"][: now.seen].sum())
        losses = int(pairs.outcome["loss"][: now.seen].sum())
        luck = luck_alone(rescues, losses)
        return (
            f"After {counted(now.seen, 'data set')}: {counted(rescues, 'rescue')}, "
            f"{counted(losses, 'loss', 'losses')}. A fair coin does as well or better with "
            f"the probability {luck:.2f}."
        )


# ---- what the test can find ----------------------------------------------------------

SHARES = (0.9, 0.75, 0.6)  # of the differing pairs that the better method wins


def chance_to_find(pairs: int, share: float) -> float:
    """Return how probable it is that the test finds a method that wins this share."""
    return float(binom.sf(rescues_needed(pairs) - 1, pairs, share))


def picture_of_power(marked: int) -> plots.Picture:
    """Draw the probability of finding the better method, over the pairs that differ."""
    pairs = np.arange(1, 101)
    fig, (ax,) = plots.figure(8, 3.2)
    for k, share in enumerate(SHARES):
        found = [chance_to_find(n, share) for n in pairs]
        colour = plots.COLOURS[k]
        ax.plot(pairs, found, color=colour, ls=plots.LINES[k], lw=1.8)
        height = found[-1] - (0.09 if k == 1 else 0)
        words = f"wins {100 * share:.0f} %"
        ax.text(101, height, words, color=colour, ha="left", va="center")
    ax.axvline(marked, color=plots.GREY, ls=":", lw=1.5)
    ax.text(marked + 0.8, 0.02, f"{marked} pairs")
    ax.set(xlim=(0, 100), ylim=(0, 1.03), xlabel="pairs that differ")
    ax.set(ylabel="probability to find it")
    at = ", ".join(f"{chance_to_find(marked, share):.2f}" for share in SHARES)
    alt = f"""Three saw-toothed curves that rise with the number of pairs that differ: the
    probability that the test finds a method which wins 90, 75 or 60 percent of them. At
    {marked} pairs they are at {at}."""
    return plots.Picture(fig, alt)
