"""The report on a fitted table: one page of HTML that needs no network."""

import warnings
from base64 import b64encode
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vbkit.checks import require

require("tables", "jinja2", "matplotlib")

from jinja2 import Environment, FileSystemLoader

from vbkit.own_data import pictures
from vbkit.own_data.groups import (
    Groups,
    Profiles,
    clocks,
    left_undone,
    most_different,
    profiles,
    table_of_stays,
    told_by_one_column,
)
from vbkit.own_data.preparation import SCALES, Data
from vbkit.own_data.table import Table
from vbkit.own_data.text import many
from vbkit.plots import use_style

DOUBT = 0.9  # probability of its group below which a row is doubtful
CLASSES = 30  # different labels up to which they are counted
SMALL = 1e-5  # numbers below this, and from LARGE on, are written as powers of ten
LARGE = 1e15
STAYS = 30  # stays that the page shows
TELLING = 3  # features that are named to tell a group from the others
TWICE = 2  # times as much or as little, from which it is told how much a feature varies
ROWS_TO_VARY = 10  # rows of a group, below which its spread is left to chance


def headline(data: Data, groups: Groups) -> str:
    """What was found, in a sentence."""
    K = len(groups.kept)
    noun = "group"
    do = "form"
    rows = f"{len(data.X)} rows"
    if groups.are_states:
        noun = "hidden state"
        do = "pass through"
        rows += f" in {many(len(data.sequences.lengths), 'sequence')}"
    number = f"one {noun}: nothing in the table speaks for more"
    if K > 1:
        number = f"{K} {noun}s"
    if groups.as_likely is not None:
        low, high = sorted([K, groups.as_likely])
        number = f"{low} or {high} {noun}s: their ELBOs differ by less than a nat"
    return f"{rows} with {many(len(data.names), 'column')} {do} {number}."


def report(
    title: str, table: Table, data: Data, groups: Groups, seed: int, labels: str
) -> str:
    """The page, as HTML.

    title: what the table is called. labels: what the column of `table.labels` is called.
    """
    pages = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    pages.globals["zip"] = zip
    pages.globals["many"] = many
    return pages.get_template("report.html.j2").render(
        title=f"{'Hidden states' if groups.are_states else 'Groups'} in {title}",
        headline=headline(data, groups),
        data=data,
        groups=groups,
        model=groups.model,
        rows=rows_of_groups(data, groups),
        typical=_typical(data, groups),
        states=_states(table, data, groups) if groups.are_states else None,
        rival=groups.rival,
        one_column=told_by_one_column(data, groups),
        left_undone=left_undone(groups),
        unsure=int((groups.sure < DOUBT).sum()),
        pictures=_pictures(table, data, groups, seed),
        labels=labels,
        cross=_cross(table, groups),
        left_out=table.left_out,
        seed=seed,
        shown=pictures.SHOWN,
    )


class Embedded(NamedTuple):
    """A picture as the page holds it: base64 of its PNG, and its alternative text."""

    data: str
    alt: str


def _pictures(
    table: Table, data: Data, groups: Groups, seed: int
) -> dict[str, Embedded]:
    """The pictures by the names that the page has for them."""
    use_style()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # what the font lacks becomes a box
        drawn = {
            "profile": pictures.profile(data, groups),
            "elbo": pictures.elbo_over_components(groups),
            "doubtful": pictures.doubtful(groups, _row_names(table)),
        }
        if data.family in SCALES and len(data.names) > 1:  # rows are points
            drawn["points"] = pictures.points(data, groups, seed)
        if groups.are_states:
            drawn["course"] = pictures.course(table, data, groups)
    embedded = {}
    for name, picture in drawn.items():
        embedded[name] = Embedded(b64encode(picture.png).decode(), picture.alt)
    return embedded


def _row_names(table: Table) -> list[str]:
    """What the rows are called: by their labels where these are all different."""
    labels = [] if table.labels is None else table.labels.tolist()
    return labels if len(set(labels)) == len(table.rows) else table.rows


def _digits(values: np.ndarray) -> int:
    """How many digits tell numbers of a column from each other."""
    spread = np.nanstd(values)
    if not spread:
        return 4
    magnitude = np.log10(np.nanmax(np.abs(values))) - np.log10(spread)
    return 3 + int(np.clip(magnitude, 1, 13))


def in_words(number: float, digits: int) -> str:
    """A number with so many digits, as people write it: 23,190 and not 2.319e+04."""
    short = f"{number:.{digits}g}"
    if number and not SMALL <= abs(number) < LARGE:
        return short
    return f"{Decimal(short) + 0:,f}"


def as_probability(number: float, digits: int) -> str:
    """A probability with so many decimals; one that rounds to 1 is written as more than
    the last number below it, for none is certain, and one that rounds to 0 likewise."""
    step = 10.0**-digits
    shown = f"{number:.{digits}f}"
    if float(shown) == 1:
        return f">{1 - step:.{digits}f}"
    return shown if float(shown) > 0 else f"<{step:.{digits}f}"


class GroupLine(NamedTuple):
    """A line of the table of groups.

    number: of the group. rows: how many it has. share: of all rows, in words.
    apart: what sets it apart.
    """

    number: int
    rows: int
    share: str
    apart: str


def rows_of_groups(data: Data, groups: Groups) -> list[GroupLine]:
    """A line of the table of groups for each of them. Where two groups differ from the whole
    table in the same features and directions, each is also told from the nearest group; so
    is one whose means are close to those of that group, if it varies much more or less."""
    found = profiles(data, groups)
    directions = [_directions(differences) for differences in found.apart]
    lines = []
    for place, k in enumerate(groups.kept):
        told = ["it is the whole table"]
        if len(groups.kept) > 1:
            features = most_different(found.apart[place], TELLING)
            told = _beside(found, features, found.typical[place], found.whole)
            told += _varies_beside_the_whole(data, groups, found, place)
            told += _beside_the_nearest(data, groups, found, place, directions)
        rows = (groups.labels == k).sum()
        share = f"{groups.counts[k] / len(groups.labels):.0%}"
        lines.append(GroupLine(k, rows, share, "; ".join(told)))
    return lines


def _directions(differences: np.ndarray) -> set[tuple[int, bool]]:
    """The features in which differences (P,) are largest, each with whether it is above."""
    return {(i, differences[i] > 0) for i in most_different(differences, TELLING)}


def _beside(found: Profiles, features: list[int], here, there) -> list[str]:
    """What is typical here (P,) of some features, in brackets beside what is there."""
    told = []
    for i in features:
        if found.is_share[i]:
            pair = f"{here[i]:.0%} ({there[i]:.0%})"
        else:
            digits = _digits(found.values[:, i])
            pair = f"{in_words(here[i], digits)} ({in_words(there[i], digits)})"
        told.append(f"{found.names[i]} {pair}")
    return told


def _beside_the_nearest(
    data: Data, groups: Groups, found: Profiles, place: int, directions: list[set]
) -> list[str]:
    """A phrase on what tells a group from the nearest one; none where the whole table tells
    it.

    directions: in which features each group differs from the whole table, and which way.
    """
    gaps = found.apart - found.apart[place]
    distances = np.linalg.norm(gaps, axis=1)
    distances[place] = np.inf
    near = int(distances.argmin())
    here = found.spreads[place]
    there = found.spreads[near]
    told = []
    if directions.count(directions[place]) > 1:
        features = most_different(gaps[near], TELLING)
        told = _beside(found, features, found.typical[place], found.typical[near])
    is_close = _is_close(found.typical[place] - found.typical[near], here, there)
    if told or is_close.all():
        is_known = found.rows[[place, near]].min(axis=0) >= ROWS_TO_VARY
        chosen = is_close & is_known & _is_varying(data, found)
        told += _varies(found, here, there, chosen)
    if not told:
        return []
    return [f"beside group {groups.kept[near]}, the nearest: {'; '.join(told)}"]


def _varies_beside_the_whole(
    data: Data, groups: Groups, found: Profiles, place: int
) -> list[str]:
    """In which features a group varies much more or less than the whole table, where that is
    not because groups lie apart: for then each of them is narrower."""
    here = found.spreads[place]
    shares = groups.counts[groups.kept] / groups.counts[groups.kept].sum()
    lie_together = shares @ found.spreads**2 > found.whole_spread**2 / 2
    is_close = _is_close(found.typical[place] - found.whole, here, found.whole_spread)
    is_known = found.rows[place] >= ROWS_TO_VARY
    chosen = lie_together & is_close & is_known & _is_varying(data, found)
    return _varies(found, here, found.whole_spread, chosen)


def _is_varying(data: Data, found: Profiles) -> np.ndarray:
    """Whether groups learn how much a feature varies, beside its mean (P,)."""
    return ~found.is_share & (data.family in (*SCALES, "columns"))


def _is_close(differences, here, there) -> np.ndarray:
    """Whether differences of means (P,) are less than the larger of the standard deviations
    here and there (P,), where these are above 0."""
    is_above_0 = np.minimum(here, there) > 0
    return is_above_0 & (np.abs(differences) < np.maximum(here, there))


def _varies(found: Profiles, here, there, is_chosen) -> list[str]:
    """In which of the chosen features (P,) rows vary much more or less here than there, by
    their standard deviations (P,)."""
    chosen = np.flatnonzero(is_chosen)
    factors = np.log(here[chosen] / there[chosen])
    told = []
    for place in most_different(factors, TELLING):
        if abs(factors[place]) > np.log(TWICE):
            i = chosen[place]
            told.append(
                f"{found.names[i]} varies {in_words(here[i] / there[i], 2)} times as much "
                f"(± {in_words(here[i], 3)}, ± {in_words(there[i], 3)})"
            )
    return told


def _typical(data: Data, groups: Groups) -> list[tuple[str, list[str]]]:
    """The name of each feature and, for each kept group, its mean and standard deviation, or
    its probability."""
    found = profiles(data, groups)
    lines = []
    for i, name in enumerate(found.names):
        means = found.typical[:, i]
        if found.is_share[i]:
            cells = [f"{mean:.0%}" for mean in means]
        else:
            digits = _digits(found.values[:, i])
            cells = []
            for mean, spread in zip(means, found.spreads[:, i], strict=True):
                cells.append(f"{in_words(mean, digits)} ± {in_words(spread, 3)}")
        lines.append((name, cells))
    return lines


def _cross(table: Table, groups: Groups) -> list[tuple[str, list[int]]] | None:
    """How many rows of each label are in each group; None for no or too many labels."""
    values = [] if table.labels is None else np.unique(table.labels).tolist()
    if not 0 < len(values) <= CLASSES:
        return None
    is_member = groups.labels[:, None] == groups.kept
    counts = []
    for value in values:
        counts.append((value, is_member[table.labels == value].sum(axis=0).tolist()))
    return counts


# ---- hidden states ----


class States(NamedTuple):
    """What the page tells of hidden states.

    lasting: of each group, how many stays were found, and how many rows they last: their
        mean, the shortest and the longest.
    moves: of each group the probabilities of the one after it.
    stays: the first stays, columns by their names; count: how many there are.
    caption: of the picture of the columns over time.
    """

    lasting: dict[int, list[str]]
    moves: list[tuple[int, list[str]]]
    stays: dict[str, list]
    count: int
    caption: str


def _states(table: Table, data: Data, groups: Groups) -> States:
    transitions = groups.model.transition_probabilities_
    lasting = {}
    moves = []
    for k in groups.kept.tolist():
        found = [stay.rows for stay in groups.stays if stay.state == k]
        lasting[k] = ["0", "", "", ""]
        if found:
            mean = in_words(np.mean(found), 3)
            lasting[k] = [f"{len(found)}", mean, f"{min(found)}", f"{max(found)}"]
        moves.append((k, [as_probability(p, 4) for p in transitions[k, groups.kept]]))
    stays = table_of_stays(groups.stays[:STAYS], table, groups.sure)
    least = map(float, stays["least probability"])
    stays["least probability"] = [as_probability(number, 3) for number in least]
    if clocks(table):  # which say it better than the names of the rows
        del stays["first row"], stays["last row"]
    caption = pictures.caption_of_course(data)
    return States(lasting, moves, stays, len(groups.stays), caption)
