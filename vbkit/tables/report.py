"""The report on a fitted table: one page of HTML that needs no network."""

from base64 import b64encode
from pathlib import Path

import numpy as np

from vbkit.checks import require

require("tables", "jinja2", "matplotlib")

from jinja2 import Environment, FileSystemLoader

from vbkit.plots import Picture, use_style
from vbkit.tables import drawings
from vbkit.tables.fitting import Groups, profiles
from vbkit.tables.kinds import Data
from vbkit.tables.reading import Table

PAGES = Path(__file__).with_name("pages")
CLASSES = 30  # different labels up to which they are counted
CODED = {"bernoulli": ", as 1 and 0", "categorical": ", as the numbers below"}
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


def report(title: str, table: Table, data: Data, groups: Groups, seed: int, labels: str) -> str:
    """The page. labels: what the column of `table.labels` is called."""
    use_style()
    pages = Environment(loader=FileSystemLoader(PAGES), autoescape=True)
    pictures = {
        "profile": drawings.profile(data, groups),
        "elbo": drawings.elbo_over_components(groups),
        "doubtful": drawings.doubtful(groups, _called(table)),
    }
    if data.family in POINTED:
        pictures["points"] = drawings.points(data, groups, seed)
    rows, features = _rows(data, groups)
    converged = "Learning converged." if groups.model.converged_ else (
        "Learning stopped at its limit of passes before it had converged.")  # fmt: skip
    shown = {
        "title": f"Groups in {title}",
        "headline": headline(data, groups),
        "notes": data.notes,
        "groups": rows,
        "unit": _unit(data),
        "pictures": {name: _embedded(picture) for name, picture in pictures.items()},
        "cross": _cross(table, groups, labels),
        "chosen": _chosen(groups),
        "pruned": _pruned(groups),
        "doubt": _doubt(groups),
        "convergence": converged,
        "seed": seed,
        "columns": len(data.names),
        "coded": CODED.get(data.family, ""),
        "names": ", ".join(data.names),
        "levels": [(name, ", ".join(words)) for name, words in data.levels.items()],
        "features": features,
        "shown_features": drawings.SHOWN,
        "more_features": features > drawings.SHOWN,
    }
    return pages.get_template("report.html.j2").render(shown)


def _embedded(picture: Picture) -> dict:
    return {"data": b64encode(picture.png).decode(), "alt": picture.alt}


def _unit(data: Data) -> str:
    if data.family in drawings.SHARES:
        return " (its probability here, and the share of all rows)"
    return " (its mean here, and the mean of all rows)"


def _rows(data: Data, groups: Groups) -> tuple[list[dict], int]:
    """A line for each group, and how many features there are."""
    typical, apart, names = profiles(data, groups)
    labels, found = groups.proba.argmax(axis=1), []
    shares = data.family in drawings.SHARES
    scale = np.ones(len(names)) if shares else np.where(data.X.std(0) > 0, data.X.std(0), 1.0)
    for k, mine, off in zip(groups.kept, typical, apart, strict=True):
        order = np.argsort(-np.abs(off), kind="stable")[:3]
        style = "{:.0%}" if shares else "{:.4g}"
        words = [
            f"{names[i]} {style.format(mine[i])} ({style.format(mine[i] - off[i] * scale[i])})"
            for i in order
        ]
        number = int((labels == k).sum())
        share = f"{groups.counts[k] / len(labels):.0%}"
        told = "; ".join(words) if len(groups.kept) > 1 else "it is the whole table"
        found.append({"number": k, "rows": number, "share": share, "apart": told})
    return found, len(names)


def _cross(table: Table, groups: Groups, name: str) -> dict | None:
    if table.labels is None or len(set(table.labels.tolist())) > CLASSES:
        return None
    mine = groups.proba.argmax(axis=1)
    rows = [
        (label, [int(((table.labels == label) & (mine == k)).sum()) for k in groups.kept])
        for label in sorted(set(table.labels.tolist()))
    ]
    return {"name": name, "groups": groups.kept.tolist(), "rows": rows}


def _chosen(groups: Groups) -> str:
    best, K = groups.model.lower_bound_, groups.model.n_components_
    tops = zip(groups.offered, groups.elbos, strict=True)
    others = [(elbo, offered) for offered, elbo in tops if offered != K]
    words = f"The model reported here was offered {K}, with an ELBO of {best:.1f} nats."
    if not others:
        return words
    elbo, offered = max(others)
    difference = best - elbo
    again = "Learning from other starts (--seed) may find more for either."
    if difference < 0:
        return f"{words} {offered} components reach {-difference:.1f} nats more. {again}"
    close = " That is close: both are plausible." if difference < 3 else ""
    less = f"The best that was met with another number, {offered}, has {difference:.1f} nats less."
    return f"{words} {less}{close} {again}"


def _pruned(groups: Groups) -> str:
    empty = groups.model.n_components_ - len(groups.kept)
    own = f"{empty} of its {groups.model.n_components_} components were left empty" if empty else (
        "None: every component of the model reported here holds at least one row")  # fmt: skip
    tries = [(K, used) for K, used in zip(groups.offered, groups.used, strict=True) if used < K]
    words = "; ".join(f"of {K} offered, {used} were used" for K, used in tries)
    more = f" Among the mixtures that were tried: {words}." if tries else (
        " In none of the mixtures that were tried was a component emptied.")  # fmt: skip
    return f"{own}.{more} A component is called empty where it holds less than one expected row."


def _doubt(groups: Groups) -> str:
    top = groups.proba.max(axis=1)
    number = int((top < 0.9).sum())
    if number == 0:
        return "No row is really doubtful: each belongs to its group with at least 90 %."
    return f"{number} of {len(top)} rows belong to their likeliest group with less than 90 %."
