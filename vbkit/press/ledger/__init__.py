"""The ledger: every claim and slip of the sources, and how a notebook settles one by measured
numbers.

The entries are in the TOML files beside this one, with formulas between backticks; rules.py
computes the verdicts."""

import difflib
import functools
import html
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from vbkit.press.ledger.rules import SHAPES, TEXT, Rate, measurement, parse, verdict
from vbkit.press.ledger.storage import PROFILES, read_entries, read_json, write_json
from vbkit.press.ledger.text import (
    ASIDES,
    VERDICTS,
    counted,
    format_table,
    headline,
    measurements,
    numbers,
    plain,
    shown,
    summary,
)

rate = Rate  # rate(successes, runs), a measurement with its interval
SOURCES = ("sato1999", "sato2000", "nakajima", "ghahramani2000", "kaji2011")
KINDS = ("mathematics", "experiment", "figure", "setting", "erratum", "transcription")
GREY = "#555555"  # this and the next are dark enough for white letters
SMALL = "font-size:.9em;opacity:.85;padding-left:1.5em"
GROUNDS = {"✓": "#146c43", "✎": "#0b5394", "◐": "#7a4f00", "✗": "#a61b29"}


@dataclass(frozen=True)
class Claim:
    """One entry: what the source says (our words), what is measured and what passes, and its
    rules.

    same_as: ids of the entries whose finding this one repeats. aside: empty, or why this is no
    finding (a key of ASIDES). Either keeps an entry out of the headline counts."""

    id: str
    source: str
    where: str
    kind: str
    statement: str
    check: str
    rules: dict
    same_as: tuple[str, ...] = ()
    aside: str = ""

    def __post_init__(self):
        if self.aside not in ("", *ASIDES) or (self.aside and self.same_as):
            raise ValueError(
                f"{self.id}: aside {self.aside!r}; one of {[*ASIDES]}, or same_as"
            )
        rules = set(self.rules)
        foreign = {"erratum": {"holds"}, "transcription": rules}.get(self.kind, set())
        if self.kind not in KINDS or rules not in SHAPES or foreign & rules:
            raise ValueError(
                f"{self.id}: kind {self.kind!r}, rules {rules}; {KINDS}, {SHAPES}"
            )
        for key in rules - TEXT:
            parse(self.rules[key])

    @property
    def criterion(self):
        """The rules as text, or the check in words where there are none."""
        rules = [
            f"{key}{':' if key in TEXT else ' if'} {rule}"
            for key, rule in self.rules.items()
        ]
        return "; ".join(rules) or self.check


def content(name):
    """What the TOML file of a source, or of the glossary, holds."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))


@functools.cache
def claims():
    """All entries, source by source; ValueError if one is malformed."""
    found = []
    for source in SOURCES:
        for entry in content(source)["claim"]:
            entry = {key: " ".join(text.split()) for key, text in entry.items()}
            same_as, aside = (
                tuple(entry.pop("same_as", "").split()),
                entry.pop("aside", ""),
            )
            fields = {
                key: entry.pop(key)
                for key in ("id", "where", "kind", "statement", "check")
            }
            found.append(
                Claim(
                    **fields, source=source, rules=entry, same_as=same_as, aside=aside
                )
            )
    first = {
        claim.id: claim.source for claim in found if not (claim.same_as or claim.aside)
    }
    for claim in found:
        if not {first.get(id) for id in claim.same_as} <= {claim.source}:
            raise ValueError(
                f"{claim.id}: same_as {claim.same_as} are no findings of its source"
            )
    return tuple(found)


def _claim(id):
    known = {claim.id: claim for claim in claims()}
    if id not in known:
        near = ", ".join(difflib.get_close_matches(str(id), known, cutoff=0.5))
        raise ValueError(f"unknown claim {id!r}; near ids: {near or 'none'}")
    return known[id]


@dataclass(frozen=True, repr=False)
class Settlement:
    """A claim and its measurements; the verdict follows from both and shows as a one-line badge."""

    claim: Claim
    measured: dict
    profile: str = "paper"
    runs: int | None = None
    tolerance: float | None = None
    verdict: str = field(init=False)

    def __post_init__(self):
        id, found = self.claim.id, self.measured.items()
        measured = {key: measurement(f"{id}: {key}", value) for key, value in found}
        object.__setattr__(self, "measured", measured)
        object.__setattr__(self, "verdict", verdict(self.claim, measured))

    def _text(self):
        runs = self.runs and f"{self.runs} runs"
        profile = self.profile != "paper" and f"profile {self.profile}"
        parts = [shown(self.measured), runs, profile, plain(self.claim.criterion)]
        return "; ".join(filter(None, parts))

    def __repr__(self):
        return f"{VERDICTS[self.verdict]} {self.verdict} | {self.claim.id} | {self._text()}"

    def _repr_html_(self):
        symbol = VERDICTS[self.verdict]
        style = f"background:{GROUNDS.get(symbol, GREY)};color:#ffffff"
        style += ";border-radius:4px;padding:1px 6px;white-space:nowrap"
        badge = f'<span style="{style}">{symbol} {self.verdict}</span>'
        claim = f"{html.escape(plain(self.claim.statement))} <b>{self.claim.id}</b>"
        numbers = f'<div style="{SMALL}">{html.escape(self._text())}</div>'
        return f'<div style="margin:.4em 0">{badge} {claim}{numbers}</div>'


class badges(tuple):
    """Several settlements shown together: badges([settle(...), settle(...)]), last in a cell."""

    def __repr__(self):
        return "\n".join(map(repr, self))

    def _repr_html_(self):
        return "".join(settlement._repr_html_() for settlement in self)


def settle(id, /, profile="paper", runs=None, tolerance=None, **measured):
    """Settle a claim by the measurements its rules name: numbers, lists or arrays, rate(successes,
    runs).

    runs: repeats behind the numbers; tolerance: relative agreement that `check` shall ask of
    another run, and a thousandth of it where 0 is meant. Returns a Settlement; while VBKIT_RECORD
    names a folder, also writes fragments/claim-<id>.json there. Raises ValueError for an unknown
    id, a claim without rule, and measurements that are not exactly those of the rules."""
    claim = _claim(id)
    if profile not in PROFILES:
        raise ValueError(f"profile = {profile!r}: allowed are {PROFILES}")
    if runs is not None and (type(runs) is not int or runs < 1):
        raise ValueError(f"runs = {runs!r}: a whole number from 1")
    if tolerance is not None and (
        type(tolerance) not in (int, float) or not 0 < tolerance < 1
    ):
        raise ValueError(f"tolerance = {tolerance!r}: a number between 0 and 1")
    settlement = Settlement(claim, measured, profile, runs, tolerance)
    if settlement.verdict == "open":
        raise ValueError(
            f"{id} has no rule in {claim.source}.toml yet. To check: {claim.check}"
        )
    if folder := os.environ.get("VBKIT_RECORD"):
        entry = {"id": id, "profile": profile, "runs": runs, "tolerance": tolerance}
        pairs = settlement.measured.items()
        entry["measured"] = {
            key: vars(x) if isinstance(x, Rate) else x for key, x in pairs
        }
        entry["verdict"] = settlement.verdict
        write_json(entry, Path(folder, "fragments", f"claim-{id}.json"))
    return settlement


def merge(fragments_dir, ledger_path, notebook, existing=None):
    """Replace what a notebook settled before in the ledger file by its fragments; return these.

    existing: if given, the other notebooks whose entries are kept. Raises ValueError if an id is
    unknown or another notebook settles it too; the file is then left as it was.
    """
    paths = sorted(Path(fragments_dir).glob("claim-*.json"))
    new = [read_json(path) | {"notebook": notebook} for path in paths]
    kept = [entry for entry in _settled(ledger_path) if entry["notebook"] != notebook]
    kept = [
        entry for entry in kept if existing is None or entry["notebook"] in existing
    ]
    owner = {entry["id"]: entry["notebook"] for entry in kept}
    for id in (_claim(entry["id"]).id for entry in new):
        if id in owner:
            raise ValueError(
                f"{id} is settled by {owner[id]} and by {notebook}: drop one"
            )
    write_json(
        sorted(kept + new, key=lambda entry: entry["id"]),
        Path(ledger_path),
        sort_keys=True,
    )
    return new


def _settled(ledger_path) -> list[dict]:
    return read_entries(Path(ledger_path), "id", "measured", "notebook")


def table(ledger_path):
    """All claims as dicts ready for JSON, joined with the last run; what nobody settled is "open".

    Verdicts are computed anew from the recorded measurements. What was settled by other rules than
    today's, so that its measurements do not fit, is open too, without numbers. ValueError for an
    entry that there is not.
    """
    settled = {_claim(entry["id"]).id: entry for entry in _settled(ledger_path)}
    rows = []
    for claim in claims():
        last = settled.get(claim.id, {"measured": {}})
        try:
            found = Settlement(claim, numbers(last["measured"])).verdict
        except ValueError:
            last, found = {"measured": {}}, "open"
        row = {key: value for key, value in vars(claim).items() if key != "rules"}
        row |= {
            "same_as": [*claim.same_as],
            "criterion": claim.criterion,
            "verdict": found,
        }
        run = ("measured", "notebook", "profile", "runs", "tolerance")
        rows.append(row | {key: last.get(key) for key in run})
    return rows
