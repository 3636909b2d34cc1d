"""The ledger's entries are complete and its verdicts can only come from measurements."""

import inspect
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from attrs import evolve

from vbkit.press import ROOT, ledger
from vbkit.press.ledger import Claim, Settlement, badges, rate, settle
from vbkit.press.ledger.rules import TEXT, evaluate, parse
from vbkit.press.ledger.text import ASIDES


def series(**counts):
    """M=7 gives M1 ... M7; an underscore stands for what comes between letter and number."""
    return [
        f"{letter.replace('_', '-')}{i}"
        for letter, n in counts.items()
        for i in range(1, n + 1)
    ]


def sections(letter, **counts):
    return [
        f"{letter}{section[1:]}.{i}"
        for section, n in counts.items()
        for i in range(1, n + 1)
    ]


IDS = {
    "sato1999": sections("F", _2=3, _3=1, _4=2, _5=4, _6=4, _7=7) + series(errata_F=3)
    + [f"errata-F{i}" for i in range(5, 13)]
    + "F2 F3a F3b F3c F3d F4a F4b F4c F4d F4e F5a F5b F5c F8 F8.2".split(),
    "sato2000": sections("S", _1=2, _2=16, _3=9, _4=5, _5=12) + series(errata_S=20)
    + ["SA.1-13", "SD", "SD.2"],
    "nakajima": series(M=7, F=4, V=6, H=5, G=8, P=7, errata_E=13),
    "ghahramani2000": series(G=7, errata_G=6),
    "kaji2011": [f"K{i:02}" for i in range(1, 57)] + series(errata_E=27, errata_G=4),
}  # fmt: skip


LEDGER = ROOT / "figures" / "ledger.json"


def claim(kind="experiment", id="sato2000-X1", **rules):
    return Claim(
        id, "sato2000", "Fig. 0", kind, "A <b>claim</b>.", "What is measured.", rules
    )


@pytest.fixture
def entries(monkeypatch):
    """Three entries of our own in place of the sources'."""
    own = (
        claim(id="sato2000-X1", holds="gap >= 10"),
        claim(
            id="sato2000-X2",
            holds="share.low > 0.5",
            conditionally="share > 0.5",
            condition="now and then",
        ),
        claim(id="sato2000-X3", kind="transcription"),
    )
    monkeypatch.setattr(ledger, "claims", lambda: own)
    return own


# the entries


@pytest.mark.parametrize("source", IDS)
def test_every_row_of_the_research_has_one_entry(source):
    found = [c.id for c in ledger.claims() if c.source == source]
    assert sorted(found) == sorted(f"{source}-{id}" for id in IDS[source])


@pytest.mark.parametrize("source", IDS)
def test_entries_say_something(source):
    entries = [c for c in ledger.claims() if c.source == source]
    assert len({c.statement for c in entries}) == len(entries)
    for c in entries:
        assert re.fullmatch(r"[A-Za-z0-9.-]+", c.id)  # part of a file name
        assert (
            c.where
            and 40 <= len(ledger.plain(c.statement)) <= 620
            and c.statement[-1] == "."
        ), c.id
        assert c.check[-1] == "." and (c.kind == "transcription") == c.check.startswith(
            "None: "
        ), c.id
        assert ("-errata-" in c.id) or c.kind not in ("erratum", "transcription"), c.id
        if c.kind == "erratum":
            assert "Printed" in c.statement and "orrect" in c.statement, c.id
            assert "efuted if" in c.check and "corrected if" in c.check, c.id
        elif c.kind != "transcription":
            assert "passes" in c.check or "refuted if" in c.check, c.id


def test_names_in_rules_are_measurements():
    reserved = {"id", *inspect.signature(settle).parameters} - {"measured"}
    for c in ledger.claims():
        text = " ".join(c.rules[key] for key in set(c.rules) - TEXT)
        for name in (
            name for key in set(c.rules) - TEXT for name in parse(c.rules[key])[1]
        ):
            assert re.fullmatch(r"[a-z]+\w*", name) and name not in reserved, c.id
            parts = {bool(part) for part in re.findall(rf"\b{name}\b(\.\w+)?", text)}
            assert len(parts) == 1, f"{c.id}: {name} is a rate here and a number there"


FORMULAS = ({"holds"}, {"holds", "conditionally", "condition"})
CORRECTIONS = ({"refuted", "corrected"},)
NONE = ({"untestable"}, set())
ALLOWED = {  # the sets of rules that an entry of a kind may have
    "mathematics": FORMULAS + CORRECTIONS + NONE,
    "experiment": FORMULAS + CORRECTIONS + NONE,
    "figure": FORMULAS + CORRECTIONS + NONE,
    "setting": FORMULAS + CORRECTIONS + NONE,
    "erratum": CORRECTIONS + NONE,
    "transcription": (set(),),
}


@pytest.mark.parametrize("source", IDS)
def test_entries_are_well_formed(source):
    for c in ledger.claims():
        if c.source == source:
            assert set(c.rules) in ALLOWED[c.kind], c.id
            assert c.aside in ("", *ASIDES) and not (c.aside and c.same_as), c.id
            for key in set(c.rules) - TEXT:
                parse(c.rules[key])


# rules


@pytest.mark.parametrize(
    "rule, expected",
    [
        ("a >= 10 and b < 1", True),
        ("a > 10 or not b == 0.5", False),
        ("0 < b < 1", True),
        ("0 < b < 0.5 < a", False),
        ("abs(-a + 2 * b) / 3 ** 2 == 1", True),
        ("max(xs) - min(xs) == 2 and len(xs) == 3", True),
        ("min(a, b, 0.25) == 0.25", True),
        ("r.low < r < r.high and r.value == 0.9", True),
        ("r + 1 > 1.95", False),
    ],
)
def test_rules_are_evaluated(rule, expected):
    measured = {"a": 10, "b": 0.5, "xs": [1.0, 2, 3], "r": rate(18, 20)}
    assert parse(rule)[1] <= set(measured) and evaluate(rule, measured) is expected


@pytest.mark.parametrize(
    "rule", ["", "a", "True", "1 < 2", "a >", "a := 3", "a > 1; a", "max(a, 1)"]
)
def test_what_compares_no_measurement_is_refused_before_any_measurement(rule):
    with pytest.raises(ValueError, match="rule"):
        parse(rule)


@pytest.mark.parametrize(
    "rule",
    [
        "open(a) > 1",
        "__import__('os') == a",
        "sum([a]) > 1",
        "a is None",
        "a + 0j == 1",
        "a == 'text'",
    ],
)
def test_rules_know_nothing_but_numbers_and_four_functions(rule):
    with pytest.raises(ValueError, match="sato2000-X1"):
        Settlement(claim(holds=rule), {"a": 2})


@pytest.mark.parametrize(
    "kind, rules, value, verdict",
    [
        ("mathematics", {"holds": "a > 1"}, 2, "confirmed"),
        ("experiment", {"holds": "a > 1"}, 2, "reproduced"),
        ("figure", {"holds": "a > 1"}, 2, "reproduced"),
        ("setting", {"holds": "a > 1"}, 2, "reproduced"),
        ("mathematics", {"holds": "a > 1"}, 1, "not reproduced"),
        (
            "figure",
            {"holds": "a > 1", "conditionally": "a > 0", "condition": "c"},
            2,
            "reproduced",
        ),
        (
            "figure",
            {"holds": "a > 1", "conditionally": "a > 0", "condition": "c"},
            1,
            "qualified",
        ),
        (
            "figure",
            {"holds": "a > 1", "conditionally": "a > 0", "condition": "c"},
            0,
            "not reproduced",
        ),
        ("erratum", {"refuted": "a > 0", "corrected": "a < 2"}, 1, "corrected"),
        ("erratum", {"refuted": "a > 0", "corrected": "a < 2"}, 0, "not reproduced"),
        ("erratum", {"refuted": "a > 0", "corrected": "a < 2"}, 3, "not reproduced"),
        ("mathematics", {"refuted": "a > 0", "corrected": "a < 2"}, 1, "corrected"),
        ("experiment", {"untestable": "the data are lost"}, None, "untestable"),
        ("transcription", {}, None, "transcription"),
        ("experiment", {}, None, "open"),
    ],
)
def test_verdicts(kind, rules, value, verdict):
    measured = {} if value is None else {"a": value}
    assert Settlement(claim(kind, **rules), measured).verdict == verdict


@pytest.mark.parametrize(
    "rule, measured, match",
    [
        ("a > 1", {}, "a is missing"),
        (
            "a > 1 or b > 1",
            {"a": 2},
            "b is missing",
        ),  # also where the first part decides
        ("a > 1", {"a": 2, "b": 1}, "b is used by no rule"),
        ("a > 1", {"a": float("nan")}, "finite"),
        ("a > 1", {"a": np.float64("inf")}, "finite"),
        ("max(a) > 1", {"a": [1, float("nan")]}, "finite"),
        ("max(a) > 1", {"a": []}, "finite"),
        ("max(a) > 1", {"a": np.eye(2)}, "finite"),
        ("max(a) > 1", {"a": [rate(1, 2)]}, "finite"),
        ("a > 1", {"a": [2, 3]}, "finite numbers"),
        ("a == 1", {"a": [1]}, "finite numbers"),
        ("max(a) > 1", {"a": 2}, "not iterable"),
        ("a.low > 0", {"a": 0.5}, "low"),
        ("1 / a > 1", {"a": 0}, "zero"),
        ("a ** 0.5 > 1", {"a": -1}, "finite numbers"),
        ("a ** 99 > 1", {"a": 1e9}, "range"),
        ("a * a > 1", {"a": 1e200}, "finite numbers"),
    ],
)
def test_what_cannot_be_judged_is_an_error_that_names_the_entry(rule, measured, match):
    with pytest.raises(ValueError, match=f"(?s)sato2000-X1.*{match}"):
        Settlement(claim(holds=rule), measured)


def test_numpy_numbers_are_stored_in_full():
    s = Settlement(
        claim(holds="a > 1 and max(b) > 1"), {"a": np.float64(4) / 3, "b": np.arange(3)}
    )
    assert s.measured == {"a": 4 / 3, "b": [0, 1, 2]} and type(s.measured["a"]) is float
    assert json.loads(json.dumps(s.measured)) == s.measured


@pytest.mark.parametrize(
    "successes, runs", [(0, 8), (1, 3), (18, 20), (8, 8), (137, 200)]
)
def test_rates_have_the_wilson_interval(successes, runs):
    found, z = rate(successes, runs), 1.959963984540054
    assert (
        found == found.value == successes / runs
        and 0 <= found.low <= found <= found.high <= 1
    )
    for end in (
        found.low,
        found.high,
    ):  # a share at which the counts are just z deviations off
        deviation = np.sqrt(end * (1 - end) / runs)
        assert abs(found - end) == pytest.approx(z * deviation, abs=1e-12)


def test_rates_print_with_runs_and_interval():
    assert (
        str(rate(np.int64(18), 20)) == repr(rate(18, 20)) == "18/20 = 0.90 [0.70, 0.97]"
    )
    for impossible in [
        (3, 2),
        (-1, 2),
        (0, 0),
        (0.5, 1),
        (1, 2.5),
        (1, np.inf),
        (-np.inf, 1),
    ]:
        with pytest.raises(ValueError, match="whole numbers"):
            rate(*impossible)


# nobody can pass a verdict


@pytest.mark.parametrize(
    "smuggled",
    [
        {"verdict": "reproduced"}, {"holds": 1}, {"criterion": 1},
        {"gap": True}, {"gap": np.True_}, {"gap": [True]}, {"gap": "reproduced"},
    ],
)  # fmt: skip
def test_settle_takes_no_verdict(entries, smuggled):
    with pytest.raises(
        ValueError, match="sato2000-X1.*(used by no rule|missing|finite number)"
    ):
        settle("sato2000-X1", **({"gap": 3} | smuggled))
    assert settle("sato2000-X1", gap=3).verdict == "not reproduced"


def test_settlements_and_ledger_files_take_no_verdict(entries, tmp_path):
    with pytest.raises(TypeError):
        Settlement(entries[0], {"gap": 3}, verdict="reproduced")
    s = settle("sato2000-X1", gap=3)
    with pytest.raises(AttributeError):
        s.verdict = "reproduced"
    path = tmp_path / "ledger.json"
    path.write_text(
        json.dumps(
            [
                {
                    "id": "sato2000-X1",
                    "notebook": "n",
                    "measured": {"gap": 3},
                    "verdict": "reproduced",
                }
            ]
        )
    )
    assert ledger.table(path)[0]["verdict"] == "not reproduced"
    for other in (
        {},
        {"distance": 20},
        {"gap": 20, "distance": 3},
    ):  # settled by another rule
        entry = {
            "id": "sato2000-X1",
            "notebook": "n",
            "measured": other,
            "verdict": "reproduced",
        }
        path.write_text(json.dumps([entry]))
        row = ledger.table(path)[0]
        assert (row["verdict"], row["measured"], row["notebook"]) == ("open", {}, None)


# settling and recording


def test_settle_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="near ids: .*sato2000-S5.5"):
        settle("sato2000-S55", gap=1)
    with pytest.raises(ValueError, match="near ids: none"):
        settle("xyz")
    for argument in (
        {"profile": "paper2"},
        {"runs": 0},
        {"runs": 2.5},
        {"tolerance": 0},
        {"tolerance": float("nan")},
    ):
        with pytest.raises(ValueError, match=next(iter(argument))):
            settle("sato2000-S5.5", gap_a=1, gap_b=1, **argument)


def test_an_entry_without_rule_cannot_be_settled(monkeypatch):
    monkeypatch.setattr(ledger, "claims", lambda: (claim(),))
    with pytest.raises(ValueError, match="sato2000-X1 has no rule"):
        settle("sato2000-X1")
    with pytest.raises(ValueError, match="used by no rule"):
        settle("sato2000-X1", gap=1)


def test_only_a_recording_writes(entries, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VBKIT_RECORD", raising=False)
    settle("sato2000-X1", gap=20)
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("VBKIT_RECORD", str(tmp_path / "record"))
    settle("sato2000-X2", share=rate(3, 4), profile="full", runs=4, tolerance=0.1)
    (path,) = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert path == tmp_path / "record" / "fragments" / "claim-sato2000-X2.json"
    written = json.loads(path.read_text())
    low, high = rate(3, 4).low, rate(3, 4).high
    share = {"successes": 3, "runs": 4, "value": 0.75, "low": low, "high": high}
    assert written == {
        "id": "sato2000-X2", "measured": {"share": share}, "verdict": "qualified",
        "profile": "full", "runs": 4, "tolerance": 0.1,
    }  # fmt: skip


def record(monkeypatch, folder, **measured):
    """Settle X1 (and X2 if a share is given) as one notebook would."""
    monkeypatch.setenv("VBKIT_RECORD", str(folder))
    if "gap" in measured:
        settle("sato2000-X1", gap=measured["gap"])
    if "share" in measured:
        settle("sato2000-X2", share=measured["share"])
    return folder


def test_merge_replaces_a_notebook_and_keeps_others(entries, monkeypatch, tmp_path):
    path = tmp_path / "figures" / "ledger.json"
    both = record(monkeypatch, tmp_path / "1", gap=20, share=rate(3, 4))
    assert [entry["id"] for entry in ledger.merge(both, path, "a")] == [
        "sato2000-X1",
        "sato2000-X2",
    ]
    first = path.read_bytes()
    ledger.merge(both, path, notebook="a")
    assert path.read_bytes() == first and [p.name for p in path.parent.iterdir()] == [
        "ledger.json"
    ]

    ledger.merge(
        record(monkeypatch, tmp_path / "2", share=rate(2, 3)), path, "a"
    )  # one claim fewer
    ledger.merge(record(monkeypatch, tmp_path / "3", gap=5), path, "b")
    rows = {row["id"][-2:]: row for row in ledger.table(path)}
    assert [(rows[x]["verdict"], rows[x]["notebook"]) for x in rows] == [
        ("not reproduced", "b"), ("qualified", "a"), ("transcription", None),
    ]  # fmt: skip
    assert rows["X2"]["measured"]["share"]["runs"] == 3 and rows["X1"]["measured"] == {
        "gap": 5
    }


def test_two_notebooks_cannot_settle_one_claim(entries, monkeypatch, tmp_path):
    path = tmp_path / "ledger.json"
    fragments = record(monkeypatch, tmp_path / "1", gap=20)
    ledger.merge(fragments, path, "a")
    before = path.read_bytes()
    with pytest.raises(ValueError, match="sato2000-X1 is settled by a and by b"):
        ledger.merge(fragments, path, "b")
    assert path.read_bytes() == before
    ledger.merge(fragments, path, "b", existing={"b", "c"})  # a was renamed to b
    assert [entry["notebook"] for entry in json.loads(path.read_text())] == ["b"]


def test_an_entry_that_is_gone_is_reported(entries, tmp_path):
    (tmp_path / "ledger.json").write_text(
        json.dumps([{"id": "sato2000-X9", "notebook": "a", "measured": {}}])
    )
    with pytest.raises(ValueError, match="unknown claim 'sato2000-X9'"):
        ledger.table(tmp_path / "ledger.json")


def test_table_lists_every_claim_as_open_before_the_first_run(tmp_path):
    rows = ledger.table(tmp_path / "none.json")
    assert [row["id"] for row in rows] == [c.id for c in ledger.claims()]
    wanted = {
        "id",
        "source",
        "where",
        "statement",
        "verdict",
        "measured",
        "criterion",
        "notebook",
    }
    assert (
        all(wanted <= set(row) for row in rows) and json.loads(json.dumps(rows)) == rows
    )
    by_kind = {row["verdict"] for row in rows if row["kind"] != "transcription"}
    assert by_kind <= {"open", "untestable"}
    assert (
        sum(ledger.summary(rows).values()) == len(rows) == sum(map(len, IDS.values()))
    )


def test_terminal_table(entries, monkeypatch, tmp_path):
    ledger.merge(
        record(monkeypatch, tmp_path / "1", gap=1234.5), tmp_path / "ledger.json", "05"
    )
    lines = ledger.format_table(
        ledger.table(tmp_path / "ledger.json"), width=80
    ).splitlines()
    assert lines[2] == "sato2000: 3 findings, 1 reproduced, 1 transcription, 1 open"
    assert (
        lines[3].startswith("  ✓ reproduced     X1 ")
        and lines[4].strip() == "gap = 1.23e+03 (05, profile paper)"
    )
    assert len(lines) == 7
    long = ledger.format_table(
        ledger.table(tmp_path / "none.json"), width=60
    ).splitlines()
    assert max(map(len, long[1:])) <= 61


# findings, each counted once


def test_an_entry_repeats_findings_of_its_source_with_the_same_outcome():
    rows = {row["id"]: row for row in ledger.table(LEDGER)}
    repeating = [row for row in rows.values() if row["same_as"]]
    assert len(repeating) >= 11
    for row in repeating:
        for first in (rows[id] for id in row["same_as"]):
            assert first["source"] == row["source"] and ledger.counted(first), row["id"]
            settled = {row["verdict"], first["verdict"]} - {
                "open"
            }  # open until its next run
            assert len(settled) < 2, row["id"]


def test_each_finding_is_counted_once():
    rows = ledger.table(LEDGER)
    findings = [row for row in rows if ledger.counted(row)]
    repeats = [row for row in rows if row["same_as"]]
    asides = [row for row in rows if row["aside"]]
    assert len(findings) + len(repeats) + len(asides) == len(rows)
    words = ledger.headline(rows)
    assert words.startswith(f"{len(findings)} findings, each counted once: ")
    assert f"{len(repeats)} repeat another one and {len(asides)} are" in words
    for verdict, number in ledger.summary(findings).items():
        assert f" {number} {verdict.replace('transcription', 'slips')}" in words
    lines = ledger.format_table(rows).splitlines()
    assert lines[0] == words
    assert sum(bool(re.match(r"  [✓✎◐✗?¶○] ", line)) for line in lines) == len(rows)


def test_what_is_not_counted_is_listed_apart(monkeypatch, tmp_path):
    own = (
        claim(id="sato2000-X1", holds="gap >= 10"),
        evolve(claim(id="sato2000-X2", holds="gap >= 10"), same_as=("sato2000-X1",)),
        evolve(claim(id="sato2000-X3", kind="transcription"), aside="remark"),
    )
    monkeypatch.setattr(ledger, "claims", lambda: own)
    rows = ledger.table(tmp_path / "none.json")
    words = ledger.format_table(rows, width=200)
    assert words.startswith(
        "1 findings, each counted once: 1 open. Of the 3 entries 1 repeat"
    )
    first, apart = words.split("  not counted:")
    assert " X1 " in first and " X2 " not in first and " X3 " not in first
    assert "(repeats X1) Fig. 0" in apart and "(a remark, not a slip) Fig. 0" in apart


# badges


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_badges_are_legible_on_any_ground_and_do_not_rely_on_colour():
    for verdict, symbol in ledger.VERDICTS.items():
        contrast = 1.05 / (luminance(ledger.GROUNDS.get(symbol, ledger.GREY)) + 0.05)
        assert contrast >= 4.5, verdict
    good = {"confirmed", "reproduced"}  # these two share a symbol
    assert len({ledger.VERDICTS[v] for v in ledger.VERDICTS if v not in good}) == len(
        ledger.VERDICTS
    ) - len(good)
    assert set(ledger.GROUNDS) < set(ledger.VERDICTS.values())


def test_badge_text(entries):
    s = settle("sato2000-X1", gap=28.1234, runs=20, profile="full")
    assert (
        repr(s)
        == f"✓ {s.verdict} | sato2000-X1 | gap = 28.1; 20 runs; profile full; holds if gap >= 10"
    )
    assert s.measured["gap"] == 28.1234
    assert "gap = 203;" in repr(settle("sato2000-X1", gap=np.int64(203)))
    both = badges([s, settle("sato2000-X3")])
    assert repr(both).splitlines()[1].startswith("¶ transcription | sato2000-X3 | ")
    assert both._repr_html_().count("<span") == 2


def test_badge_html(entries):
    page = settle("sato2000-X2", share=rate(1, 4))._repr_html_()
    assert (
        "✗ not reproduced</span> A &lt;b&gt;claim&lt;/b&gt;." in page
    )  # the claim in words
    assert (
        "<b>sato2000-X2</b><div" in page
        and ">share = 1/4 = 0.25 [0.05, 0.70]; " in page
    )
    assert "share.low &gt; 0.5" in page and "now and then" in page
    assert "\n" not in page


@pytest.mark.parametrize(
    "value, text",
    [
        (1234567, "1234567"), (0.123456, "0.123"), (2e-6, "2e-06"),
        (-3.9e-15, "0 ± 1e-12"), (5e-10, "0 ± 1e-9"), (2e-7, "0 ± 1e-6"),
        ([1, 2.5], "[1, 2.5]"), (list(range(100)), "100 values from 0 to 99"),
    ],
)  # fmt: skip
def test_displayed_numbers_are_what_another_processor_also_gives(value, text):
    s = Settlement(
        claim(
            holds="max(a, a) == max(a, a)"
            if isinstance(value, int | float)
            else "max(a) < 1e9"
        ),
        {"a": value},
    )
    assert repr(s).split(" | ")[2].split(";")[0] == f"a = {text}"


def test_the_ledger_imports_no_numerics():
    code = (
        "import sys, vbkit.press.ledger as l; l.claims(); "
        "print({'numpy', 'scipy', 'IPython'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout == "set()\n"
