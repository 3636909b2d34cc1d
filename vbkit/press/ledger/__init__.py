"""The ledger: every claim and slip of the sources, and how a notebook settles one.

A notebook settles a claim by the numbers that it has measured, and never says what
became of it: that follows from the claim's rules.

    from vbkit.press.ledger import badges, rate, settle

    settle("sato2000-C12", gap=np.abs(left - right).max())
    settle("kaji2011-C07", share=rate(found, len(runs)), runs=len(runs))

The entries, which say what a claim is about and which measurements its rules read, are
in the TOML files beside this one, with formulas between backticks; rules.py computes
the verdicts. `table` gives all claims with what became of them.
"""

import functools
import html
import tomllib
from collections.abc import Iterable
from pathlib import Path

import attrs

from vbkit.press import PROFILES, environment
from vbkit.press.json_files import read_entries, write_json
from vbkit.press.ledger.rules import TEXT, Misfit, Rate, judge, measurement
from vbkit.press.ledger.text import (
    VERDICTS,
    counted,
    format_table,
    headline,
    in_full,
    measurements,
    plain,
    shown,
    similar,
    summary,
    with_rates,
)
from vbkit.press.manifest import recorded_claims

SOURCES = ("sato1999", "sato2000", "nakajima", "ghahramani2000", "kaji2011")
# Grounds of badges, dark enough for white letters, by the symbol of a verdict
GROUNDS = {"✓": "#146c43", "✎": "#0b5394", "◐": "#7a4f00", "✗": "#a61b29"}
GREY = "#555555"  # of the others
UNSETTLED = {"measured": {}}  # the entry of a claim that nobody settled
SMALL = "font-size:.9em;opacity:.85;padding-left:1.5em"


@attrs.frozen
class Claim:
    """One entry: what a source says, what is measured, and what passes.

    - id, source, where: its name, and where in which source it stands
    - kind: "mathematics", "experiment", "figure", "setting", "erratum" or
      "transcription"; statement: the claim in our words
    - check: what is to be measured, in words
    - rules: the rules that give the verdict (see `vbkit.press.ledger.rules`)
    - same_as: ids of the entries whose finding this one repeats
    - aside: empty, or why this is no finding (a key of ASIDES)

    `same_as` and `aside` each keep an entry out of the headline counts. Tests see to it
    that every entry is well-formed.
    """

    id: str
    source: str
    where: str
    kind: str
    statement: str
    check: str
    rules: dict[str, str]
    same_as: tuple[str, ...] = ()
    aside: str = ""

    @property
    def criterion(self) -> str:
        """The rules as text, or the check in words where there are none."""
        rules = [
            f"{key}: {rule}" if key in TEXT else f"{key} if {rule}"
            for key, rule in self.rules.items()
        ]
        return "; ".join(rules) or self.check


def content(name: str) -> dict:
    """What the TOML file of a source, or of the glossary, holds."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))


@functools.cache
def claims() -> tuple[Claim, ...]:
    """All entries, source by source."""
    return tuple(
        _claim_of(entry, source)
        for source in SOURCES
        for entry in content(source)["claim"]
    )


def _claim_of(entry: dict[str, str], source: str) -> Claim:
    """An entry of a TOML file as a Claim; what is no field of it is a rule."""
    texts = {key: " ".join(text.split()) for key, text in entry.items()}
    return Claim(
        id=texts.pop("id"),
        source=source,
        where=texts.pop("where"),
        kind=texts.pop("kind"),
        statement=texts.pop("statement"),
        check=texts.pop("check"),
        same_as=tuple(texts.pop("same_as", "").split()),
        aside=texts.pop("aside", ""),
        rules=texts,
    )


def _claim(id: str) -> Claim:
    """The entry of an id. Raises ValueError as `_require_known` does."""
    _require_known([id])
    return next(claim for claim in claims() if claim.id == id)


def _require_known(ids: Iterable[str]):
    """Raise ValueError, which names similar ids, if there is no claim of an id."""
    known = {claim.id for claim in claims()}
    for id in ids:
        if id not in known:
            raise ValueError(f"unknown claim {id!r}; near ids: {similar(id, known)}")


@attrs.frozen(repr=False, init=False)
class Settlement:
    """A claim and its measurements; the verdict follows from both.

    In a notebook it shows as a one-line badge. Raises ValueError for measurements that
    are not exactly those of the claim's rules.
    """

    claim: Claim
    measured: dict  # plain numbers, lists and rates
    profile: str
    runs: int | None
    tolerance: float | None
    verdict: str

    def __init__(
        self,
        claim: Claim,
        measured: dict,
        profile: str = "paper",
        runs: int | None = None,
        tolerance: float | None = None,
    ):
        numbers = {
            name: measurement(f"{claim.id}: {name}", value)
            for name, value in measured.items()
        }
        verdict = judge(claim, numbers)  # nobody else gives one
        self.__attrs_init__(claim, numbers, profile, runs, tolerance, verdict)

    def _text(self) -> str:
        parts = [shown(self.measured)]
        if self.runs:
            parts.append(f"{self.runs} runs")
        if self.profile != "paper":
            parts.append(f"profile {self.profile}")
        parts.append(plain(self.claim.criterion))
        return "; ".join(part for part in parts if part)

    def __repr__(self):
        symbol = VERDICTS[self.verdict]
        return f"{symbol} {self.verdict} | {self.claim.id} | {self._text()}"

    def _repr_html_(self):
        symbol = VERDICTS[self.verdict]
        style = (
            f"background:{GROUNDS.get(symbol, GREY)};color:#ffffff"
            ";border-radius:4px;padding:1px 6px;white-space:nowrap"
        )
        badge = f'<span style="{style}">{symbol} {self.verdict}</span>'
        claim = f"{html.escape(plain(self.claim.statement))} <b>{self.claim.id}</b>"
        details = f'<div style="{SMALL}">{html.escape(self._text())}</div>'
        return f'<div style="margin:.4em 0">{badge} {claim}{details}</div>'


def rate(successes: int, runs: int) -> Rate:
    """A share of successes in runs as a measurement with its 95 % interval.

    Raises ValueError as `Rate` does.
    """
    return Rate(successes, runs)


def badges(settlements: Iterable[Settlement]) -> "Badges":
    """Show several settlements together: badges([settle(...), ...]) ends a cell."""
    return Badges(settlements)


class Badges(tuple):
    """Settlements that a notebook shows as one badge below the other."""

    def __repr__(self):
        return "\n".join(map(repr, self))

    def _repr_html_(self):
        return "".join(settlement._repr_html_() for settlement in self)


def settle(id, /, profile="paper", runs=None, tolerance=None, **measured) -> Settlement:
    """Settle a claim by the measurements that its rules name.

    - id: of the claim
    - measured: numbers, lists or arrays of numbers, or rate(successes, runs), each under
      the name that the rules have for it
    - profile: of the notebook's run
    - runs: how many repeats there are behind the numbers
    - tolerance: how far the numbers of another run may be from these, relative to
      their size, when `check` compares the two. It may also be off by a thousandth of
      the tolerance in absolute terms, which is what counts for a number that is meant
      to be 0. None leaves the choice to `check`.

    Returns a Settlement, which shows as a badge; while recording, it is also written
    for the ledger. Raises ValueError for an unknown id, a claim without rule, and
    measurements that are not exactly those of the rules.
    """
    claim = _claim(id)
    if profile not in PROFILES:
        raise ValueError(f"profile = {profile!r}: allowed are {PROFILES}")
    if runs is not None and (type(runs) is not int or runs < 1):
        raise ValueError(f"runs = {runs!r}: a whole number from 1")
    is_number = type(tolerance) in (int, float)
    if tolerance is not None and not (is_number and 0 < tolerance < 1):
        raise ValueError(f"tolerance = {tolerance!r}: a number between 0 and 1")
    settlement = Settlement(claim, measured, profile, runs, tolerance)
    if settlement.verdict == "open":
        raise ValueError(
            f"{id} has no rule in {claim.source}.toml yet. To check: {claim.check}"
        )
    recording = environment.recording()
    if recording is not None:
        entry = {
            "id": id,
            "profile": profile,
            "runs": runs,
            "tolerance": tolerance,
            "measured": _for_json(settlement.measured),
            "verdict": settlement.verdict,
        }
        write_json(entry, recording / "fragments" / f"claim-{id}.json")
    return settlement


def _for_json(measured: dict) -> dict:
    """Measurements as the ledger's file holds them, rates with all they know."""
    return {
        name: vars(value) if isinstance(value, Rate) else value
        for name, value in measured.items()
    }


def merge(
    recording: Path, file: Path, notebook: str, existing: Iterable[str] | None = None
) -> list[dict]:
    """Replace what a notebook settled before in a ledger's file by what it settles now.

    recording: the folder that `settle` wrote to; file: of the ledger. existing: if
    given, the notebooks whose entries are kept. Returns the new entries. Raises
    ValueError if an id is unknown or another notebook settles it too; the file is then
    left as it was.
    """
    recorded = recorded_claims(recording).values()
    new = [entry | {"notebook": notebook} for entry in recorded]
    kept = []
    for entry in _settled(file):
        lost = existing is not None and entry["notebook"] not in existing
        if entry["notebook"] != notebook and not lost:
            kept.append(entry)
    _require_known(entry["id"] for entry in new)
    owners = {entry["id"]: entry["notebook"] for entry in kept}
    for entry in new:
        id = entry["id"]
        if id in owners:
            raise ValueError(
                f"{id} is settled by {owners[id]} and by {notebook}: drop one"
            )
    entries = sorted(kept + new, key=lambda entry: entry["id"])
    write_json(entries, file, sort_keys=True)
    return new


def _settled(file: Path) -> list[dict]:
    return read_entries(file, "id", "measured", "notebook")


def table(file: Path) -> list[dict]:
    """All claims as dicts ready for JSON, with what became of each.

    Each has id, source, where, kind, statement, check, same_as, aside, criterion,
    verdict, measured, notebook, profile, runs and tolerance. What nobody settled is
    "open". Verdicts are computed anew from the recorded measurements. If the rules of
    a claim have changed since and its measurements do not fit them, it is open too, and
    has no numbers. Raises ValueError for an entry whose claim does not exist.
    """
    settled = {entry["id"]: entry for entry in _settled(Path(file))}
    _require_known(settled)
    return [_row(claim, settled.get(claim.id, UNSETTLED)) for claim in claims()]


def _row(claim: Claim, entry: dict) -> dict:
    """A claim and its entry in the ledger's file, as `table` gives them."""
    try:
        verdict = Settlement(claim, with_rates(entry["measured"])).verdict
    except Misfit:  # the rules have changed since: see `table`
        entry = UNSETTLED
        verdict = "open"
    row = attrs.asdict(claim)
    del row["rules"]
    row["same_as"] = list(claim.same_as)
    row["criterion"] = claim.criterion
    row["verdict"] = verdict
    row["measured"] = entry["measured"]
    for key in ("notebook", "profile", "runs", "tolerance"):
        row[key] = entry.get(key)
    return row
