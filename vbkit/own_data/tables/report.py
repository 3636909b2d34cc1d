"""The report on a fitted table: one page of HTML that needs no network."""

import warnings
from base64 import b64encode
from pathlib import Path

import numpy as np

from vbkit.checks import require

require("tables", "jinja2", "matplotlib")

from jinja2 import Environment, FileSystemLoader

from vbkit.own_data.tables import drawings
from vbkit.own_data.tables.fitting import Groups, profiles
from vbkit.own_data.tables.kinds import Data
from vbkit.own_data.tables.reading import Table
from vbkit.plots import Picture, use_style

PAGES = Path(__file__).with_name("pages")
DOUBT = 0.9  # probability of its group below which a row is doubtful
CLASSES = 30  # different labels up to which they are counted
POINTED = ("gaussian", "diagonal", "spherical")


def _called(table: Table) -> list[str]:
    """What the rows are called: by their labels where these are all different."""
    given = [] if table.labels is None else table.labels.tolist()
    return given if len({*given}) == len(table.rows) else table.rows


def headline(data: Data, groups: Groups) -> str:
    """What was found, in a sentence."""
    K = len(groups.kept)
    many = f"{K} groups" if K > 1 else "one group: nothing in the table speaks for more"
    return f"{len(data.X)} rows with {len(data.names)} columns form {many}."


def report(
    title: str, table: Table, data: Data, groups: Groups, seed: int, labels: str
) -> str:
    """The page. labels: what the column of `table.labels` is called."""
    use_style()
    pages = Environment(loader=FileSystemLoader(PAGES), autoescape=True)
    pages.globals["zip"] = zip
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "Glyph"
        )  # what the font lacks is drawn as a box
        pictures = {
            "profile": drawings.profile(data, groups),
            "elbo": drawings.elbo_over_components(groups),
            "doubtful": drawings.doubtful(groups, _called(table)),
        }
        if data.family in POINTED:
            pictures["points"] = drawings.points(data, groups, seed)
    tops = zip(groups.elbos, groups.offered, strict=True)
    return pages.get_template("report.html.j2").render(
        title=f"Groups in {title}",
        headline=headline(data, groups),
        data=data,
        groups=groups,
        model=groups.model,
        rows=_rows(data, groups),
        rival=max(
            (top for top in tops if top[1] != groups.model.n_components_), default=None
        ),
        unsure=int((groups.proba.max(axis=1) < DOUBT).sum()),
        pictures={name: _embedded(picture) for name, picture in pictures.items()},
        labels=labels,
        cross=_cross(table, groups),
        seed=seed,
        features=len(profiles(data, groups).names),
        shown=drawings.SHOWN,
    )


def _embedded(picture: Picture) -> dict:
    return {"data": b64encode(picture.png).decode(), "alt": picture.alt}


def _digits(values: np.ndarray) -> int:
    """How many digits tell numbers of a column from each other."""
    largest, spread = np.abs(values).max(), values.std()
    return (
        3 + int(np.clip(np.log10(largest) - np.log10(spread), 1, 13)) if spread else 4
    )


def _rows(data: Data, groups: Groups) -> list[dict]:
    """A line for each group."""
    typical, whole, apart, names = profiles(data, groups)
    labels = groups.proba.argmax(axis=1)
    found = []
    for k, here, off in zip(groups.kept, typical, apart, strict=True):
        farthest = np.argsort(-np.abs(off), kind="stable")[:3]
        words = []
        for i in farthest:
            style = ".0%" if data.shares else f".{_digits(data.X[:, i])}g"
            words.append(f"{names[i]} {here[i]:{style}} ({whole[i]:{style}})")
        told = "; ".join(words) if len(groups.kept) > 1 else "it is the whole table"
        share = f"{groups.counts[k] / len(labels):.0%}"
        found.append(
            {"number": k, "rows": (labels == k).sum(), "share": share, "apart": told}
        )
    return found


def _cross(table: Table, groups: Groups) -> list[tuple] | None:
    """How many rows of each label are in each group; none for too many labels."""
    values = [] if table.labels is None else np.unique(table.labels).tolist()
    if not 0 < len(values) <= CLASSES:
        return None
    mine = groups.proba.argmax(axis=1)[:, None] == groups.kept
    return [
        (value, mine[table.labels == value].sum(axis=0).tolist()) for value in values
    ]
