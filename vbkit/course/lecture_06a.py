"""Lecture 06a, "Can a model repair its own size?": a search, explorers and pictures."""

from functools import cache, lru_cache, partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import entr, expit, gammaln, ndtri
from scipy.stats import norm

from vbkit import plots
from vbkit.course import Explorer, dropdown, slider
from vbkit.course.lecture_05b import frame_of_plane
from vbkit.course.sato import sato_mixture
from vbkit.data import sato2000 as data_set
from vbkit.learning import Fit, fit_batch, init_gaussian
from vbkit.mixture import Mixture
from vbkit.structure import merge, responsibility_statistics, split
from vbkit.structure.moves import Move

SEED = 6  # of the data set that the text describes
PRIOR = 1.0  # data points that the prior of all circles together is worth
# nats: learning stops when a sweep gains less, so that no plateau deceives it
STILL = 1e-8
ENOUGH = 0.1  # nats: a smaller gain counts as none
EMPTY = 1.0  # points: a circle that holds fewer is not drawn


# ---- the data, and how circles are learned -------------------------------------------


@cache
def points(seed: int = SEED) -> np.ndarray:
    """Return 200 points (200, 2) from the four Gaussians of data set A."""
    X, _ = data_set("A", np.random.default_rng(seed))
    X.setflags(write=False)
    return X


def circles(X, K: int) -> Mixture:
    """Return the model of K circles for X (N, 2)."""
    return sato_mixture(X, K, "isotropic", PRIOR)


def random_start(X, K: int, number: int = 0) -> np.ndarray:
    """Return a start (K, 4) for X (N, 2): its circles stand on K of the points."""
    return init_gaussian(circles(X, K), X, K, np.random.default_rng(number))


def learn(X, start) -> Fit:
    """Return where batch VB ends from a start (K, 4), when a sweep gains less than STILL.

    Whatever was learned before is remembered.
    """
    points_as_bytes = np.ascontiguousarray(X, float).tobytes()
    start_as_bytes = np.ascontiguousarray(start, float).tobytes()
    return learn_once(points_as_bytes, start_as_bytes, len(start))


@lru_cache(4096)
def learn_once(points_as_bytes: bytes, start_as_bytes: bytes, K: int) -> Fit:
    """Return what `learn` does, for arrays as bytes."""
    X = np.frombuffer(points_as_bytes).reshape(-1, 2)
    start = np.frombuffer(start_as_bytes).reshape(K, -1)
    return fit_batch(circles(X, K), X, start, max_epochs=20_000, tolerance=STILL)


def best_fit(X, K: int, starts: int = 8) -> Fit:
    """Return the fit of K circles with the highest ELBO, from several random starts."""
    fits = [learn(X, random_start(X, K, number)) for number in range(starts)]
    return max(fits, key=lambda fit: fit.elbo)


def complexity(fit: Fit) -> float:
    """Return the complexity of a fit, the divergence of q(theta) from the prior."""
    return float(fit.mixture.divergence(fit.S))


# ---- a search ------------------------------------------------------------------------


def merges(X, fit: Fit) -> list[Move]:
    """Return the merges of all pairs of circles of a fit to X (N, 2): where learning starts,
    and the gain (nats) before anything is learned."""
    stats = responsibility_statistics(fit.mixture, X, fit.S)
    prior = partial(circles, X)
    pairs = combinations(range(len(fit.S)), 2)
    return [merge(stats, first, second, prior) for first, second in pairs]


def splits(X, fit: Fit) -> list[Move]:
    """Return the splits of all circles of a fit to X (N, 2), as `merges` does."""
    stats = responsibility_statistics(fit.mixture, X, fit.S)
    prior = partial(circles, X)
    return [split(stats, k, prior) for k in range(len(fit.S))]


class Attempt(NamedTuple):
    """One change that a search tries."""

    kind: str  # "split" or "merge"
    before: float  # what the change gains before learning, nats
    gain: float  # and after learning


class Course(NamedTuple):
    """A search, change by change; the start is number 0."""

    attempts: list[Attempt]  # without the start
    tried: list[Fit]  # (attempts + 1,), the model that was learned
    kept: list[Fit]  # (attempts + 1,), the model that the search has reached


def search(X, start) -> Course:
    """Return the course of a search from a start (K, 4). It learns from all changes of its
    model, and goes on from the best if this gains more than ENOUGH nats."""
    model = learn(X, start)
    course = Course([], [model], [model])
    while True:
        changes = splits(X, model) + merges(X, model)
        trials = [learn(X, change.S) for change in changes]
        for change, trial in zip(changes, trials, strict=True):
            gain = trial.elbo - model.elbo
            course.attempts.append(Attempt(change.kind, change.gain, gain))
            course.tried.append(trial)
            course.kept.append(model)
        best = max(trials, key=lambda trial: trial.elbo)
        if best.elbo - model.elbo < ENOUGH:
            return course
        model = best
        course.kept[-1] = best  # all changes have been tried


@cache
def course_from(K: int) -> Course:
    """Return the course of the search from K circles on the points of the text."""
    X = points()
    return search(X, random_start(X, K))


# ---- a split by hand -----------------------------------------------------------------

PRIOR_PRECISION = 0.25  # of a machine's mean, around zero
FURTHEST = 3.0  # distance of a heap from zero
BOLTS = 100  # in each heap of the explorer
LOWEST = -150.0  # nats shown
HIGHEST = 100.0


def log_z(count, total):
    """Return the log evidence of bolts with this count and sum, for a machine of width
    one, divided by their density at the mean zero."""
    precision = PRIOR_PRECISION + count
    explained = total**2 / (2 * precision)
    return explained - np.log(precision / PRIOR_PRECISION) / 2


def cost_of_labels(size):
    """Return what labels cost (nats) that give so many bolts to each of two machines."""
    return gammaln(2 * size + 2) - 2 * gammaln(size + 1)


class Parts(NamedTuple):
    """What speaks for two machines in place of one, and against them, in nats."""

    explained: np.ndarray  # by two means
    learned: np.ndarray  # what the second mean costs
    labels: np.ndarray  # what the labels cost

    @property
    def gain(self):
        """Return the gain of the split before learning."""
        return self.explained - self.learned - self.labels


def parts_of_split(size, distance) -> Parts:
    """Return the parts of the gain of splitting two heaps, each of `size` bolts, at this
    distance to the left and to the right of zero."""
    precision = PRIOR_PRECISION + size
    explained = (size * distance) ** 2 / precision
    of_two = np.log(precision / PRIOR_PRECISION)
    of_one = np.log((PRIOR_PRECISION + 2 * size) / PRIOR_PRECISION) / 2
    return Parts(explained, of_two - of_one, cost_of_labels(size))


def heap(size: int) -> np.ndarray:
    """Return the lengths (size,) of bolts that scatter around zero as those of a machine of
    width one do: its quantiles at equal steps of probability."""
    return ndtri((np.arange(size) + 0.5) / size)


def gain_after_learning(size, distance, sweeps=500):
    """Return the gain when VB has learned from the split, and the mean of the right machine,
    for distances (n,), or for one of them.

    The two machines are mirror images of each other, so one number describes a sweep.
    """
    # The right heap; the left one is its mirror image, -right.
    right = np.asarray(distance, float)[..., None] + heap(size)
    total = right.sum(axis=-1)  # of the bolts, weighted by the right machine's shares
    for _ in range(sweeps):
        mean = total / (PRIOR_PRECISION + size)
        half = mean[..., None] * right
        total = (right * np.tanh(half)).sum(axis=-1)
    share = expit(2 * half)  # of the right machine in a bolt of the right heap
    entropy = 2 * (entr(share) + entr(1 - share)).sum(axis=-1)
    apart = 2 * log_z(size, total) - cost_of_labels(size) + entropy
    return apart - log_z(2 * size, 0.0), mean


DISTANCES = np.linspace(0, FURTHEST, 61)


@cache
def curves_of_split():
    """Return the gains before and after learning, each (61,), over the DISTANCES."""
    after, _ = gain_after_learning(BOLTS, DISTANCES)
    return parts_of_split(BOLTS, DISTANCES).gain, after


class SplitTwoHeaps(Explorer):
    """Left: two heaps of a hundred bolts each with a scatter of one, as far to the left of
    zero as to the right (dots), and the bell curves of one machine for all of them (dashed
    grey) and of one for each heap. Right: the gain of two machines over one, against the
    distance of a heap from zero: before learning, each bolt labelled by its heap (blue), and
    after learning (orange, dashed). Black dots mark the present distance; what is outside
    the panel is drawn at its edge. Above the dotted line the split pays.
    """

    title = "One machine for two heaps, or two?"
    size = (9.0, 3.6)
    distance = slider("Distance of a heap from zero", 0.0, FURTHEST, 2.0, 0.1)

    def compute(self, distance):
        return [np.interp(distance, DISTANCES, gains) for gains in curves_of_split()]

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        left.set(xlim=(-6.2, 6.2), ylim=(0, 0.46), yticks=[], xlabel="length")
        left.set_title("Heaps and machines")
        x = np.linspace(-6.2, 6.2, 121)
        left.plot(x, norm.pdf(x), color=plots.GREY, ls="--", lw=1.2)
        right.set(xlim=(0, FURTHEST), ylim=(LOWEST, HIGHEST), ylabel="nats")
        right.set(xlabel="distance of a heap from zero", title="Gain of two machines")
        right.axhline(0, color=plots.GREY, ls=":")
        right.text(1.55, -80, "before learning", color=plots.COLOURS[0], zorder=1)
        right.text(1.55, -110, "after learning", color=plots.COLOURS[1], zorder=1)
        return left, right

    def draw(self, panels, gains, now):
        left, right = panels
        x = np.linspace(-6.2, 6.2, 81)
        lengths = heap(BOLTS)
        for side, colour in ((-1, plots.COLOURS[0]), (1, plots.COLOURS[1])):
            place = side * now.distance
            left.line(x, norm.pdf(x, place), color=colour)
            height = np.full(len(lengths), 0.02 - 0.01 * side)
            left.points(place + lengths, height, color=colour, ms=5)
        before, after = curves_of_split()
        right.line(DISTANCES, after, color=plots.COLOURS[1], ls="--")
        right.line(DISTANCES, before, color=plots.COLOURS[0])
        heights = np.clip(gains, LOWEST, HIGHEST)
        right.points([now.distance] * 2, heights, color="black", ms=7, clip_on=False)

    def say(self, gains, now):
        before, after = gains
        return f"Gain before learning {before:+.1f}, after learning {after:+.1f} nats."


# ---- explorers of a search -----------------------------------------------------------

BEGINNINGS = (5, 2)
FLOOR = -925.0  # nats: a lower ELBO is drawn there
KEPT = plots.COLOURS[0]
TRIED = "#777777"


def ellipses_of(fit: Fit):
    """Return means (n, 2), covariances (n, 2, 2) and colours of circles that hold points."""
    holds = fit.S[:, 0] > EMPTY
    _, components = fit.mixture.parameters(fit.S)
    colours = [plots.COLOURS[k % len(plots.COLOURS)] for k in range(holds.sum())]
    return components.mean[holds], np.asarray(components.covariance)[holds], colours


class FollowTheSearch(Explorer):
    """Left: the points, the four Gaussians that made them as dashed black circles, and the
    components of the model that was tried last, all of two standard deviations. Right: the
    ELBO against the number of components. Grey squares are the models tried so far, a blue
    line leads through those that were kept, and a black dot is the last one tried. What is
    lower than the axis is drawn at its lower end.
    """

    title = "A search, change by change"
    size = (9.0, 4.0)
    computes_ahead = True
    attempt = slider("Change", 0, 25, 0, play=900)
    begin = dropdown("Components at the start", BEGINNINGS, 5)

    def compute(self, begin):
        return course_from(begin)

    def frame(self, figure):
        plane, right = figure.subplots(1, 2, width_ratios=[1, 1.1])
        frame_of_plane(plane)
        plane.set_title("The model tried last")
        plane.plot(*points().T, "o", color="#999999", ms=2.5)
        right.set(xlim=(0.5, 6.5), ylim=(FLOOR - 1, -903), xticks=range(1, 7))
        right.set(xlabel="components", ylabel="nats", title="ELBO")
        return plane, right

    def draw(self, panels, course, now):
        plane, right = panels
        last = min(now.attempt, len(course.attempts))
        centres, covariances, colours = ellipses_of(course.tried[last])
        plane.ellipses(centres, covariances, colours=colours)
        K, elbo = numbers_and_elbos(course.tried[: last + 1])
        right.points(K, elbo, color=TRIED, marker="s", ms=5)
        right.line(*numbers_and_elbos(course.kept[: last + 1]), color=KEPT, marker="o")
        right.points(K[-1], elbo[-1], color="black", ms=9)

    def say(self, course, now):
        last = min(now.attempt, len(course.attempts))
        kept = course.kept[last]
        holds = f"Kept: {len(kept.S)} components, ELBO {kept.elbo:.1f} nats."
        if last == 0:
            return f"The start has been learned. {holds}"
        one = course.attempts[last - 1]
        over = ""
        if last == len(course.attempts):
            over = " No change gains anything: the search is over."
        return (
            f"Change {last}: {one.kind}, gain before learning {one.before:+.1f}, after "
            f"learning {one.gain:+.1f} nats. {holds}{over}"
        )


def numbers_and_elbos(fits: list[Fit]):
    """Return the numbers of components (n,), and the ELBOs (n,) as far as they are shown."""
    K = np.array([len(fit.S) for fit in fits])
    elbo = np.array([max(fit.elbo, FLOOR) for fit in fits])
    return K, elbo


# ---- pictures ------------------------------------------------------------------------


def picture_of_models(X, fits: list[Fit], titles: list[str]) -> plots.Picture:
    """Draw fits of circles to X (N, 2) side by side."""
    fig, axes = plots.figure(9, 4, ncols=len(fits))
    for ax, fit, title in zip(axes, fits, titles, strict=True):
        frame_of_plane(ax)
        ax.plot(*X.T, "o", color="#999999", ms=2.5)
        centres, covariances, colours = ellipses_of(fit)
        plots.draw_ellipses(ax, centres, covariances, colours=colours)
        ax.set_title(title)
    said = "; ".join(
        f"{title}: centres {centres_in_words(fit)}"
        for fit, title in zip(fits, titles, strict=True)
    )
    alt = f"""Points in the plane, the four Gaussians that made them as dashed black circles,
    and the circles that were learned, all of two standard deviations. {said}."""
    return plots.Picture(fig, alt)


def centres_in_words(fit: Fit) -> str:
    """Return the centres of circles that hold points, in words."""
    centres, _, _ = ellipses_of(fit)
    return " ".join(f"({x:.1f}, {y:.1f})" for x, y in centres)
