"""Lecture 06b, "How do you follow a world that changes?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from vbkit import plots
from vbkit.course import Explorer, select_slider
from vbkit.course.moving_source import LENGTH, best_memory, draw_machine, errors, track

BLUE = plots.COLOURS[0]
ORANGE = plots.COLOURS[1]
GREEN = plots.COLOURS[2]
PALE = "#C8C8C8"
BOLTS = "bolts that have passed"

# ---- two machines that wear out ------------------------------------------------------

SPEED = 0.5  # widths in a thousand bolts
FAR = 6.0  # widths between the machines
MEMORIES = (10, 20, 40, 80, 125, 250, 500, 800)
SPEEDS = (0.0, 0.25, 0.5, 1.0)  # widths in a thousand bolts
SHORT_TO_LONG = np.geomspace(10, 1000, 100)


def picture_of_belt(seed: int) -> plots.Picture:
    """Draw the bolts of a stream, the machines, and the components with two memories."""
    fig, axes = plots.figure(9, 3.2, ncols=2, sharey=True)
    for ax, memory in zip(axes, (20, 800), strict=True):
        followed = track(memory, SPEED, FAR, seed)
        number = np.arange(1, LENGTH + 1)
        ax.plot(number[::4], followed.X[::4], ".", ms=2, color=PALE)
        for k in (0, 1):
            learned = followed.means[:, 0, k]
            ax.plot(followed.seen, learned, color=BLUE, ls="-", lw=2)
            draw_machine(ax, followed.seen, followed.truth[:, k])
        ax.set(xlim=(0, LENGTH), ylim=(-7.5, 7.5), xlabel=BOLTS)
        ax.set_title(f"Memory of {memory} bolts")
    axes[0].set_ylabel("length (widths)")
    alt = """Two panels with the same bolts, in two bands that rise slowly. Dashed lines are
    the means of the two machines, blue lines the means of the components. With a memory of
    20 bolts the blue lines tremble around the dashed ones; with 800 they are smooth and
    stay below."""
    return plots.Picture(fig, alt)


class Followed(NamedTuple):
    """How far two components are behind their machines.

    Lag and noise are measured in the last quarter of eight streams.
    """

    seen: np.ndarray  # (LOOKS,), bolts
    behind: np.ndarray  # (LOOKS, 2), widths, in the first stream
    lag: float  # measured, widths
    noise: float

    @property
    def error(self) -> float:
        """Return the measured error in widths."""
        return float(np.hypot(self.lag, self.noise))


@cache
def followed(memory: float, speed: float, distance: float) -> Followed:
    """Return how two components follow two machines; the arguments are those of `track`."""
    found = track(memory, speed, distance)
    behind = found.truth - found.means[:, 0]
    return Followed(found.seen, behind, *errors(found))


def frame_of_deviation(axes):
    """Set up a panel that shows how far components are behind their machines."""
    axes.set(xlim=(0, LENGTH), ylim=(-0.75, 1.25), xlabel=BOLTS)
    axes.set_ylabel("widths behind its machine")
    axes.axhline(0, color="black", ls="--", lw=1.2, zorder=0.5)
    axes.text(100, 1.12, "rear component", color=BLUE)
    axes.text(100, 0.98, "front component", color=ORANGE)


def draw_deviation(panel, found: Followed):
    """Draw how far the two components are behind."""
    panel.line(found.seen, found.behind[:, 0], color=BLUE, lw=2)
    panel.line(found.seen, found.behind[:, 1], color=ORANGE, ls="--", lw=2)


class FollowTwoMachines(Explorer):
    """Left: by how many widths each of two components is behind its machine, in one stream:
    the rear component solid blue, the front one dashed orange. Right: lag (blue, dashed),
    noise (orange, dotted) and error (black) against the memory, by calculation, on
    logarithmic scales. The black dot is the error that was measured in the last thousand
    bolts of eight streams.
    """

    title = "How long should the memory be?"
    size = (9.0, 3.6)
    computes_ahead = True
    memory = select_slider("Memory (bolts)", MEMORIES, 20)
    speed = select_slider("Speed (widths in 1,000 bolts)", SPEEDS, 0.0)

    def compute(self, memory, speed):
        return followed(memory, speed, FAR)

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        frame_of_deviation(left)
        right.set(xscale="log", xlim=(9, 1100), xlabel="memory (bolts)")
        right.set(yscale="log", ylim=(0.01, 3), ylabel="widths")
        right.set_xticks([10, 100, 1000], ["10", "100", "1000"])
        right.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
        right.plot(SHORT_TO_LONG, SHORT_TO_LONG**-0.5, color=ORANGE, ls=":", lw=2)
        right.text(10, 0.16, "noise", color=ORANGE)
        right.text(10, 1.8, "error")
        right.text(10, 1.2, "lag", color=BLUE)
        return left, right

    def draw(self, panels, found, now):
        left, right = panels
        draw_deviation(left, found)
        lag = now.speed / 1000 * SHORT_TO_LONG
        error = np.hypot(lag, SHORT_TO_LONG**-0.5)
        right.line(SHORT_TO_LONG, lag, color=BLUE, ls="--", lw=2)
        right.line(SHORT_TO_LONG, error, color="black", lw=2.4)
        right.points(now.memory, found.error, color="black", ms=9)

    def say(self, found, now):
        if now.speed > 0:
            best = best_memory(now.speed / 1000)
            advice = f"By calculation a memory of {best:.0f} bolts is best."
        else:
            advice = "The machines stand still: the longer, the better."
        return (
            f"Measured lag {found.lag:.2f}, noise {found.noise:.2f}, error "
            f"{found.error:.2f} widths. {advice}"
        )


# ---- machines that stand close together ----------------------------------------------

STEP = 1e-5  # of a parameter, for a derivative
DISTANCES = (2.5, 3.0, 3.5, 4.0, 5.0, 6.0)
FAR_TO_NEAR = np.linspace(6, 2.5, 15)  # widths
CLOSE_MEMORY = 100  # bolts
KNOWN_LAG = SPEED / 1000 * CLOSE_MEMORY  # widths, if labels are known


def means_of_machines(distance: float) -> np.ndarray:
    """Return the means (2,) of two machines at a distance, to both sides of zero."""
    return np.array([-distance / 2, distance / 2])


def density_of_bolts(x, distance: float) -> np.ndarray:
    """Return the density (n,) of the bolts of both machines at the lengths x (n,)."""
    return norm.pdf(x[:, None], means_of_machines(distance)).mean(axis=1)


def means_variances_weights(parameters):
    """Return means, variances and weights, each (2,), of two components, the rear one first.

    parameters (5,): two means, two variances, and the weight of the front one.
    """
    front = parameters[4]
    return parameters[:2], parameters[2:4], np.array([1 - front, front])


def sweep(parameters, distance: float) -> np.ndarray:
    """Return what a sweep of EM makes of a model, on all bolts that two machines send.

    parameters (5,): as of `means_variances_weights`; distance: of the two machines.
    """
    means, variances, weights = means_variances_weights(parameters)
    reach = distance / 2 + 9
    x = np.linspace(-reach, reach, 2001)
    world = density_of_bolts(x, distance)
    world = world / world.sum()
    x = x[:, None]
    r = weights * norm.pdf(x, means, np.sqrt(variances))
    r = r / r.sum(axis=1, keepdims=True)
    counts = world @ r
    new_means = world @ (r * x) / counts
    new_variances = world @ (r * x**2) / counts - new_means**2
    return np.concatenate([new_means, new_variances, counts[1:]])


@cache
def what_a_sweep_leaves(distance: float) -> np.ndarray:
    """Return J (5, 5): what a sweep leaves of a small deviation from the machines.

    Column i is what is left of a deviation of parameter i; their order is that of `sweep`.
    """
    truth = np.array([*means_of_machines(distance), 1.0, 1.0, 0.5])
    columns = []
    for nudge in STEP * np.eye(5):
        above = sweep(truth + nudge, distance)
        below = sweep(truth - nudge, distance)
        columns.append((above - below) / (2 * STEP))
    return np.array(columns).T


@cache
def lags_of_parameters(distance: float, learned: int) -> np.ndarray:
    """Return the lags (n,) of the parameters behind machines that move, as multiples of
    the lag of the means with known labels.

    learned: how many parameters are, 2 (the means) or 5 (variances and weights as well).
    """
    J = what_a_sweep_leaves(distance)[:learned, :learned]
    both_means = np.array([1.0, 1.0, 0.0, 0.0, 0.0])[:learned]
    return np.linalg.solve(np.eye(learned) - J, both_means)


def times_as_late(distance: float, learned: int) -> float:
    """Return by how much hidden labels lengthen the lag of the means."""
    return float(lags_of_parameters(distance, learned)[0])


def statistics_of(parameters) -> np.ndarray:
    """Return the statistics (3, 2) of two components with these parameters (5,) for each
    bolt: counts, sums and sums of squares.
    """
    means, variances, weights = means_variances_weights(parameters)
    return np.array([weights, weights * means, weights * (variances + means**2)])


def lags_without_chance(bolts: int, speed: float, distance: float) -> np.ndarray:
    """Return the lag (bolts,) after each bolt, as a multiple of that with known labels.

    speed: widths in a thousand bolts. The memory is CLOSE_MEMORY. In place of a bolt, each
    online step sees all bolts that the machines could send, so there is no noise. Lengths
    are told from the middle of the machines: it is the components that move.
    """
    moved = speed / 1000  # widths in one bolt
    rate = 1 / CLOSE_MEMORY
    ends = means_of_machines(distance)
    parameters = np.array([*ends, 1.0, 1.0, 0.5])
    lags = np.zeros(bolts)
    for bolt in range(bolts):
        proposal = statistics_of(sweep(parameters, distance))
        S = (1 - rate) * statistics_of(parameters) + rate * proposal
        means = S[1] / S[0]
        variances = S[2] / S[0] - means**2
        behind = ends - means
        lags[bolt] = behind.mean() / (moved * CLOSE_MEMORY)
        parameters = np.concatenate([means - moved, variances, S[0, 1:]])
    return lags


class Hidden(NamedTuple):
    """What hidden labels do, from machines far apart to those at the present distance."""

    found: Followed  # at the present distance
    distances: np.ndarray  # (n,), widths
    # how many times as late the means are, if they alone are learned, and if variances and
    # weights are learned, too
    means_alone: np.ndarray  # (n,)
    all_learned: np.ndarray  # (n,)


class MachinesCloseTogether(Explorer):
    """Left: by how many widths each of two components is behind its machine, in one stream,
    the rear component solid blue, the front one dashed orange. Right: how many times as long
    the lag is as with known labels, against the distance of the machines, on a logarithmic
    scale, as far as the slider has come: by calculation, for small lags, if only the means
    are learned (dotted) and if weights and standard deviations
    are learned, too (black). The black dot is
    what was measured in the last thousand bolts of eight streams.
    """

    title = "Hidden labels"
    size = (9.0, 3.6)
    computes_ahead = True
    distance = select_slider("Distance (widths)", DISTANCES, 6.0)

    def compute(self, distance):
        distances = FAR_TO_NEAR[FAR_TO_NEAR >= distance]
        return Hidden(
            followed(CLOSE_MEMORY, SPEED, distance),
            distances,
            np.array([times_as_late(each, 2) for each in distances]),
            np.array([times_as_late(each, 5) for each in distances]),
        )

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        frame_of_deviation(left)
        right.set(xlim=(2.3, 6.2), ylim=(0.8, 30), yscale="log")
        right.set(xlabel="distance of the machines (widths)", ylabel="times as late")
        right.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
        right.minorticks_off()
        right.text(3.4, 6, "all is learned")
        right.text(2.5, 0.95, "the means alone", color=GREEN)
        return left, right

    def draw(self, panels, hidden, now):
        left, right = panels
        draw_deviation(left, hidden.found)
        right.line(hidden.distances, hidden.means_alone, color=GREEN, ls=":", lw=2.4)
        right.line(hidden.distances, hidden.all_learned, color="black", lw=2.4)
        measured = hidden.found.lag / KNOWN_LAG
        right.points(now.distance, measured, color="black", ms=9)

    def say(self, hidden, now):
        lag = hidden.found.lag
        return (
            f"Lag {lag:.2f} widths, {lag / KNOWN_LAG:.1f} times as long as with "
            f"known labels; by calculation {hidden.all_learned[-1]:.1f} times. "
            f"Noise {hidden.found.noise:.2f}."
        )


class Late(NamedTuple):
    """Two components that follow two machines late, by calculation."""

    ends: np.ndarray  # (2,), means of the machines, widths
    means: np.ndarray  # (2,), of the components, widths
    widths: np.ndarray  # (2,), of the components
    weights: np.ndarray  # (2,)

    def parts(self, x):
        """Return the components' parts (n, 2) of the density at the lengths x (n,)."""
        return self.weights * norm.pdf(x[:, None], self.means, self.widths)


def late_components(distance: float) -> Late:
    """Return the components behind machines at a distance, with a memory of CLOSE_MEMORY."""
    behind = KNOWN_LAG * lags_of_parameters(distance, 5)
    ends = means_of_machines(distance)
    weights = np.array([0.5 + behind[4], 0.5 - behind[4]])
    means = ends - behind[:2]
    widths = np.sqrt(1 - behind[2:4])
    return Late(ends, means, widths, weights)


def nats_lost(distance: float) -> float:
    """Return what `late_components` lose on a bolt, in nats, against the true machines."""
    reach = distance / 2 + 9
    x = np.linspace(-reach, reach, 2001)
    world = density_of_bolts(x, distance)
    model = late_components(distance).parts(x).sum(axis=1)
    lost = world * np.log(world / model)
    return float(lost.sum() * (x[1] - x[0]))


def picture_of_doubt(distance: float) -> plots.Picture:
    """Draw the density of the bolts, and the part r (1 - r) of it whose label is in doubt."""
    x = np.linspace(-6, 6, 601)
    world = density_of_bolts(x, distance)
    r = 1 / (1 + np.exp(distance * x))
    doubt = r * (1 - r) * world
    fig, (ax,) = plots.figure(7.6, 2.6)
    ax.fill_between(x, world, color="#DDDDDD")
    ax.fill_between(x, doubt, color=ORANGE)
    ax.vlines(means_of_machines(distance), 0, 0.235, color="black", ls=":", lw=1.2)
    ax.text(-5.3, 0.2, "grey: the bolts")
    ax.text(-5.3, 0.17, "orange: times $r(1-r)$", color=ORANGE)
    ax.set(xlim=(-5.5, 5.5), xlabel="length (widths)")
    ax.set(ylim=(0, 0.26), ylabel="density")
    share = doubt.sum() * (x[1] - x[0])
    alt = f"""The density of the bolts, a grey area with two equal summits above the machines,
    which are dotted lines. A low orange hill in the middle between them is the density times
    the doubt; it is {share:.3f} of the grey area."""
    return plots.Picture(fig, alt)


def picture_of_excuse(distance: float) -> plots.Picture:
    """Draw the density of the bolts, and of two components that follow them late."""
    late = late_components(distance)
    behind = late.ends - late.means
    x = np.linspace(-5.5, 5.5, 221)
    parts = late.parts(x)
    fig, (ax,) = plots.figure(7.6, 3)
    ax.fill_between(x, density_of_bolts(x, distance), color="#DDDDDD")
    ax.plot(x, parts[:, 0], color=BLUE, lw=2)
    ax.plot(x, parts[:, 1], color=ORANGE, ls="--", lw=2)
    ax.plot(x, parts.sum(axis=1), color="black", ls="-", lw=1.4)
    ax.vlines(late.ends, 0, 0.235, color="black", ls=":", lw=1.2)
    for k, colour in enumerate((BLUE, ORANGE)):
        ax.plot(late.means[k], 0.006, "^", color=colour, ms=9)
    ax.text(-5.3, 0.21, "grey: the bolts\nblack: the model")
    ax.set(xlim=(-5.5, 5.5), xlabel="length (widths)")
    ax.set(ylim=(0, 0.26), ylabel="density")
    ax.set_title("Both means are late, and the front component is wider and heavier")
    alt = f"""The density of the bolts, a grey area with two equal summits above the machines,
    which are dotted lines. A black line, the density of the model, runs a little to the left
    of its edge. It is the sum of a narrow rear component and of a wider and heavier front
    component.
    The means of both components, triangles, lie {behind[0]:.2f} to the left of the machines."""
    return plots.Picture(fig, alt)
