"""Lecture 07d, "How do you fill the holes of a table?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from vbkit import plots
from vbkit.course import Explorer, select_slider, slider
from vbkit.course.tables import draw_entries
from vbkit.factorization import elbo, fit, fit_map, init_random, solve_empirical

SHAPE = (24, 36)  # people, films
COLUMNS = 3  # of the factors that made the table
NOISE = 0.25  # variance of a rating
SHARES = (0.8, 0.6, 0.4, 0.3, 0.2)
PERCENTS = [(f"{100 * share:.0f} %", share) for share in SHARES]
SEEN = 0.4  # the share of sections 1 and 4
OFFERED = (1, 2, 3, 4, 6, 8)
MAP = plots.COLOURS[1]
VB = plots.COLOURS[0]
INSIDE, OUTSIDE = plots.COLOURS[:2]


# ---- the tables ----------------------------------------------------------------------


class Table(NamedTuple):
    """A table of ratings, measured from their average; the first fields are (24, 36)."""

    truth: np.ndarray  # the products, without noise
    ratings: np.ndarray  # with noise
    order: np.ndarray  # uniform numbers: an entry is seen if its number is small enough
    people: np.ndarray  # (24, 3), the true numbers
    films: np.ndarray  # (36, 3)


def make_table(seed: int) -> Table:
    """Make a table from three numbers for each person and for each film."""
    rng = np.random.default_rng(seed)
    people = rng.standard_normal((SHAPE[0], COLUMNS))
    films = rng.standard_normal((COLUMNS, SHAPE[1]))
    truth = people @ films
    ratings = truth + np.sqrt(NOISE) * rng.standard_normal(SHAPE)
    return Table(truth, ratings, rng.random(SHAPE), people, films.T)


def with_holes(table: Table, share: float) -> np.ndarray:
    """Return the ratings (24, 36) of which a share is seen, and nan in the holes."""
    return np.where(table.order < share, table.ratings, np.nan)


def error(prediction, truth, where) -> float:
    """Return the root mean squared error of a prediction where a mask is true."""
    return float(np.sqrt(np.mean((prediction - truth)[where] ** 2)))


def start_for(holes, columns: int, seed: int = 0):
    """Return a random start for a table with holes, with the true variances."""
    rng = np.random.default_rng(seed)
    return init_random(holes, columns, rng, prior_a=1.0, prior_b=1.0, noise=NOISE)


def start_at_truth(table: Table, holes):
    """Return a start whose means are the numbers that made the table."""
    start = start_for(holes, COLUMNS)
    return start.replace(A=table.films, B=table.people)


def learn(holes, columns: int, *, seed: int = 0, sweeps: int = 100, start=None):
    """Return VB's factors of a table with holes, where the variances of priors and noise
    are known.

    start: in place of the random one of this seed.
    """
    return fit(
        holes,
        start or start_for(holes, columns, seed),
        learn_prior=False,
        learn_noise=False,
        max_sweeps=sweeps,
        tolerance=3e-3,
    )


# ---- one film ------------------------------------------------------------------------

GRID = np.linspace(-1, 3, 201)


def film_given_ann(variance: float) -> tuple[float, float]:
    """Return VB's mean and standard deviation of a film with prior N(0, 1), which Ann has
    rated 1.5 and whose number has the mean 1 and this variance."""
    precision = (1 + variance) / NOISE + 1
    return 1.5 / NOISE / precision, precision**-0.5


class DoubtAboutAnn(Explorer):
    """VB's density of a film's number after one rating, 1.5, in blue, with its mean as a
    dotted line. In grey, the density if the number of Ann, who has rated it, is known.
    """

    title = "One rating, by somebody who is not quite known"
    size = (7.5, 3.4)
    variance = slider("Variance of Ann's number", 0.0, 1.0, 0.0, 0.05, form="{:.2f}")

    def compute(self, variance):
        return film_given_ann(variance)

    def frame(self, figure):
        axes = figure.subplots()
        axes.plot(GRID, norm.pdf(GRID, *film_given_ann(0.0)), color=plots.GREY, lw=1.5)
        axes.set(xlim=(-1, 3), ylim=(0, 1.4))
        axes.set(xlabel="the film's number", ylabel="density")
        axes.set_title("The film: Ann known (grey), Ann in doubt (blue)")
        return axes

    def draw(self, panels, film, now):
        (panel,) = panels
        mean, sd = film
        panel.line(GRID, norm.pdf(GRID, mean, sd), color=VB)
        panel.line([mean, mean], [0, norm.pdf(mean, mean, sd)], color=VB, ls=":")

    def say(self, film, now):
        mean, sd = film
        return f"The film has the mean {mean:.2f} and the standard deviation {sd:.2f}."


# ---- more columns than needed --------------------------------------------------------


class Errors(NamedTuple):
    """Root mean squared errors (6,) on the hidden entries, over the columns OFFERED."""

    by_map: np.ndarray
    by_vb: np.ndarray


@cache
def completed_with(columns: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return table 0 as MAP and VB complete it with so many columns, both (L, M)."""
    holes = with_holes(make_table(0), share)
    most_probable = fit_map(
        holes, start_for(holes, columns), max_sweeps=100, tolerance=3e-3
    )
    return most_probable.mean(), learn(holes, columns).mean()


@cache
def errors_at(share: float) -> Errors:
    """Complete table 0 with every number of columns, by MAP and by VB."""
    table = make_table(0)
    hidden = np.isnan(with_holes(table, share))
    by_map = []
    by_vb = []
    for columns in OFFERED:
        most_probable, averaged = completed_with(columns, share)
        by_map.append(error(most_probable, table.truth, hidden))
        by_vb.append(error(averaged, table.truth, hidden))
    return Errors(np.array(by_map), np.array(by_vb))


class OfferColumns(Explorer):
    """The error on the hidden entries of a table that was made with three columns, against
    the number of columns offered, up to the present one: by the most probable numbers (MAP)
    and by VB.
    """

    title = "More columns than the table needs"
    size = (7.5, 3.8)
    columns = select_slider("Columns offered", OFFERED, OFFERED[0], play=700)

    def compute(self):
        return errors_at(SEEN)

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(0.7, 8.3), ylim=(0, 1.6), xticks=OFFERED)
        axes.set(xlabel="columns offered", ylabel="error on hidden entries")
        axes.set_title("Three columns made the table")
        axes.text(6.2, 1.42, "squares: MAP", color=MAP)
        axes.text(6.2, 1.27, "dots: VB", color=VB)
        return axes

    def draw(self, panels, errors, now):
        (panel,) = panels
        many = OFFERED.index(now.columns) + 1
        numbers = OFFERED[:many]
        panel.line(numbers, errors.by_map[:many], color=MAP, marker="s", ls="--")
        panel.line(numbers, errors.by_vb[:many], color=VB, marker="o")

    def say(self, errors, now):
        at = OFFERED.index(now.columns)
        return (
            f"{now.columns} columns: error {errors.by_map[at]:.2f} by MAP, "
            f"{errors.by_vb[at]:.2f} by VB."
        )


# ---- error bars ----------------------------------------------------------------------

LEVEL = 0.95
TABLES = 8
SHOWN = 24


class Predictions(NamedTuple):
    """VB's predictions for the n hidden entries of TABLES tables."""

    mean: np.ndarray  # (n,)
    sd: np.ndarray  # (n,)
    truth: np.ndarray  # (n,), the true entries, without noise
    ratings: np.ndarray  # (n,), the same with noise
    elbos: np.ndarray  # (TABLES,), nats

    @property
    def error(self) -> float:
        """Return the root mean squared error."""
        return float(np.sqrt(np.mean((self.mean - self.truth) ** 2)))

    @property
    def misses(self) -> np.ndarray:
        """Return the truth less the mean, in standard deviations."""
        return (self.truth - self.mean) / self.sd

    def held(self, level: float) -> float:
        """Return the share of truths inside the central intervals of this level."""
        return float(np.mean(np.abs(self.misses) < half_width(level)))


def half_width(level: float) -> float:
    """Return half the width of a central interval of this level, in standard deviations."""
    return float(norm.ppf((1 + level) / 2))


@cache
def predictions(share: float, at_truth: bool = True) -> Predictions:
    """Return predictions of VB, which is told the number of columns and the variances.

    at_truth: whether its sweeps start at the true numbers, or at random ones.
    """
    parts = []
    bounds = []
    for seed in range(TABLES):
        table = make_table(seed)
        holes = with_holes(table, share)
        start = start_at_truth(table, holes) if at_truth else None
        factors = learn(holes, COLUMNS, seed=seed, sweeps=300, start=start)
        rows, columns = np.nonzero(np.isnan(holes))
        mean, sd = factors.predict(rows, columns, noise=False)
        truth = table.truth[rows, columns]
        parts.append(np.array([mean, sd, truth, table.ratings[rows, columns]]))
        bounds.append(elbo(holes, factors))
    return Predictions(*np.concatenate(parts, axis=1), np.array(bounds))


def exact_film(v: float, mean: float, variance: float) -> tuple[float, float]:
    """Return the exact mean and standard deviation of a film's number with prior N(0, 1),
    after one rating v by a person whose number is N(mean, variance)."""
    a = np.linspace(-12, 12, 24_001)
    spread = NOISE + variance * a**2  # of the rating, given a
    weights = norm.pdf(a) * norm.pdf(v, mean * a, np.sqrt(spread))
    weights /= weights.sum()
    center = weights @ a
    return float(center), float(np.sqrt(weights @ (a - center) ** 2))


class ErrorBars(Explorer):
    """Left: twenty-four hidden entries: the truth minus VB's prediction, in VB's standard
    deviations, a dot inside VB's interval, which is a grey band, and a cross outside.
    Right: the share of truths inside against the share of entries seen, down to the present
    one, and a dotted line at the 95 % that the intervals claim.
    """

    title = "Do the error bars keep their promise?"
    size = (9.0, 3.8)
    computes_ahead = True
    share = select_slider("Share of entries seen", PERCENTS, 0.8, play=900)

    def compute(self, share):
        return predictions(share)

    def frame(self, figure):
        bars, graph = figure.subplots(1, 2, width_ratios=[1.5, 1])
        half = half_width(LEVEL)
        bars.axhspan(-half, half, color="#D9D9D9", lw=0, zorder=0)
        bars.axhline(0, color=plots.GREY, lw=0.8)
        bars.set(xlim=(-1, SHOWN), ylim=(-5, 5), xticks=[])
        bars.set(xlabel="24 of the hidden entries", ylabel="standard deviations")
        bars.set_title("Truth less prediction")
        graph.axhline(100 * LEVEL, color="black", ls=":")
        graph.text(83, 96, "claimed", va="bottom")
        graph.set(xlabel="entries seen (%)", ylabel="held (%)")
        graph.set(xlim=(85, 15), ylim=(70, 102))
        graph.set_title("Held by the intervals")
        return bars, graph

    def draw(self, panels, found, now):
        bars, graph = panels
        # evenly spaced by the size of their misses, so that they stand for all
        by_size = np.argsort(np.abs(found.misses))
        places = ((np.arange(SHOWN) + 0.5) / SHOWN * len(by_size)).astype(int)
        chosen = by_size[places]
        chosen = chosen[np.argsort(found.sd[chosen])]
        misses = found.misses[chosen]
        inside = np.abs(misses) < half_width(LEVEL)
        x = np.arange(SHOWN)
        bars.points(x[inside], misses[inside], color=INSIDE, ms=7)
        bars.points(x[~inside], misses[~inside], color=OUTSIDE, marker="X", ms=9)
        so_far = [share for share in SHARES if share >= now.share]
        held = np.array([predictions(share).held(LEVEL) for share in so_far])
        graph.line(100 * np.array(so_far), 100 * held, marker="o")

    def say(self, found, now):
        held = 100 * found.held(LEVEL)
        return (
            f"Intervals that claim {100 * LEVEL:.0f} % hold {held:.0f} % of the true entries "
            f"in the holes of {TABLES} tables."
        )


# ---- pictures ------------------------------------------------------------------------


def zeros_put_in(holes) -> np.ndarray:
    """Return the table (L, M) that VB with learned priors makes if holes become zeros."""
    return solve_empirical(np.nan_to_num(holes), H=COLUMNS).mean()


def picture_of_tables(holes, truth, tables, errors) -> plots.Picture:
    """Draw the table with holes, the truth, and the completed tables, all (L, M).

    tables, errors: "zeros put in" and "holes left out" -> completed table, its error.
    """
    fig, axes = plots.figure(7.5, 4.8, ncols=2, nrows=2)
    panels = {"what we are given (holes grey)": holes, "the truth": truth}
    for name, table in tables.items():
        panels[f"{name}: error {errors[name]:.1f}"] = table
    for ax, letter, (name, table) in zip(axes, "ABCD", panels.items(), strict=True):
        image = draw_entries(ax, table, top=4)
        # the colour of holes is none of the scale
        ax.set(xticks=[], yticks=[], facecolor="#B8B8B8", aspect="auto")
        plots.panel_title(ax, letter, name)
    fig.colorbar(image, ax=axes, shrink=0.7, label="rating, from the average")
    alt = """Four tables of 24 people by 36 films in colour. The given one is mostly grey
    holes. With zeros put in the completed table is pale; with holes left out it looks like
    the truth."""
    arrays = {
        "holes": holes,
        "truth": truth,
        "zeros": tables["zeros put in"],
        "left_out": tables["holes left out"],
    }
    return plots.Picture(fig, alt, arrays)
