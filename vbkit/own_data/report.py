"""The report on a fitted table: one page of HTML that needs no network."""

import warnings
from base64 import b64encode
from pathlib import Path

import numpy as np

from vbkit.checks import require

require("tables", "jinja2", "matplotlib")

from jinja2 import Environment, FileSystemLoader

from vbkit.own_data import pictures
from vbkit.own_data.groups import Groups, left_undone, profiles, told_by_one_column
from vbkit.own_data.preparation import SCALES, Data
from vbkit.own_data.table import Table
from vbkit.plots import Picture, use_style

DOUBT = 0.9  # probability of its group below which a row is doubtful
CLASSES = 30  # different labels up to which they are counted
TELLING = 3  # features that are named to tell a group from the others


def headline(data: Data, groups: Groups) -> str:
    """What was found, in a sentence."""
    K = len(groups.kept)
    number = "one group: nothing in the table speaks for more"
    if K > 1:
        number = f"{K} groups"
    return f"{len(data.X)} rows with {len(data.names)} columns form {number}."


def report(
    title: str, table: Table, data: Data, groups: Groups, seed: int, labels: str
) -> str:
    """The page, as HTML.

    title: what the table is called. labels: what the column of `table.labels` is called.
    """
    pages = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    pages.globals["zip"] = zip
    return pages.get_template("report.html.j2").render(
        title=f"Groups in {title}",
        headline=headline(data, groups),
        data=data,
        groups=groups,
        model=groups.model,
        rows=_rows(data, groups),
        rival=_rival(groups),
        one_column=told_by_one_column(data, groups),
        left_undone=left_undone(groups),
        unsure=int((groups.proba.max(axis=1) < DOUBT).sum()),
        pictures=_pictures(table, data, groups, seed),
        labels=labels,
        cross=_cross(table, groups),
        seed=seed,
        features=len(profiles(data, groups).names),
        shown=pictures.SHOWN,
    )


def _rival(groups: Groups) -> tuple[float, int] | None:
    """The best ELBO of another number of components than the chosen one, and that number;
    None if there is no other."""
    rivals = []
    for elbo, number in zip(groups.elbos, groups.offered, strict=True):
        if number != groups.model.n_components_:
            rivals.append((elbo, number))
    return max(rivals, default=None)


def _pictures(table: Table, data: Data, groups: Groups, seed: int) -> dict[str, dict]:
    """The pictures by the names that the page has for them."""
    use_style()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # what the font lacks becomes a box
        drawn = {
            "profile": pictures.profile(data, groups),
            "elbo": pictures.elbo_over_components(groups),
            "doubtful": pictures.doubtful(groups, _row_names(table)),
        }
        if data.family in SCALES:  # rows are points
            drawn["points"] = pictures.points(data, groups, seed)
    return {name: _embedded(picture) for name, picture in drawn.items()}


def _row_names(table: Table) -> list[str]:
    """What the rows are called: by their labels where these are all different."""
    labels = [] if table.labels is None else table.labels.tolist()
    return labels if len(set(labels)) == len(table.rows) else table.rows


def _embedded(picture: Picture) -> dict:
    """A picture as the page holds it: base64 of its PNG, and its alternative text."""
    return {"data": b64encode(picture.png).decode(), "alt": picture.alt}


def _digits(values: np.ndarray) -> int:
    """How many digits tell numbers of a column from each other."""
    spread = np.nanstd(values)
    if not spread:
        return 4
    magnitude = np.log10(np.nanmax(np.abs(values))) - np.log10(spread)
    return 3 + int(np.clip(magnitude, 1, 13))


def _rows(data: Data, groups: Groups) -> list[dict]:
    """A line of the table of groups for each of them."""
    typical, whole, apart, names, values, is_share = profiles(data, groups)
    labels = groups.labels
    lines = []
    for k, here, differences in zip(groups.kept, typical, apart, strict=True):
        telling = []
        for i in np.argsort(-np.abs(differences), kind="stable")[:TELLING]:
            style = ".0%" if is_share[i] else f".{_digits(values[:, i])}g"
            telling.append(f"{names[i]} {here[i]:{style}} ({whole[i]:{style}})")
        is_alone = len(groups.kept) == 1
        line = {
            "number": k,
            "rows": (labels == k).sum(),
            "share": f"{groups.counts[k] / len(labels):.0%}",
            "apart": "it is the whole table" if is_alone else "; ".join(telling),
        }
        lines.append(line)
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
