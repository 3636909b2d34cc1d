"""The pages made from the ledger hold every entry, link to what is there, and change no word."""

import re
from collections import Counter
from importlib import import_module

import pytest

from vbkit.press import ROOT, ledger
from vbkit.press.ledger import pages
from vbkit.press.selection import kind, notebooks

ROWS = ledger.table(ROOT / "figures" / "ledger.json")
PAGES = {
    "claims": pages.claims(ROWS),
    "errata": pages.errata(ROWS),
    "glossary": pages.glossary(),
}
TERMS = [
    (term, subject["name"]) for subject in pages.subjects() for term in subject["term"]
]
ANCHORED = r'<a id="([\w.-]+)"></a>\*\*\1\*\*'


def anchored(row):
    return f'<a id="{row["id"]}"></a>**{row["id"]}**'


def plain(markdown):
    """The characters that a reader of Markdown sees."""
    parts = re.split(r"(`[^`]*`)", markdown)
    return "".join(
        part[1:-1] if i % 2 else re.sub(r"\\(.)", r"\1", part)
        for i, part in enumerate(parts)
    )


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["kind"] == "erratum"], ids=lambda row: row["id"]
)
def test_every_erratum_says_what_is_printed_and_what_is_correct(row):
    printed, correct = pages.split_erratum(row["statement"])
    assert f"Printed{printed} Correct{correct}" == row["statement"]
    assert min(len(printed), len(correct)) > 10 and "Correct" not in printed + correct


def test_an_erratum_without_correction_is_refused():
    with pytest.raises(ValueError, match="Printed: ... Correct: ..."):
        pages.split_erratum("Printed: two. It is three.")


def test_every_entry_stands_once_on_the_page_of_claims():
    assert Counter(re.findall(rf"^- {ANCHORED}", PAGES["claims"], re.M)) == Counter(
        row["id"] for row in ROWS
    )
    numbers = ledger.measurements(
        next(row for row in ROWS if row["id"] == "nakajima-errata-E4")
    )
    assert numbers in PAGES["claims"] and re.search(
        r"\d+/100 = 0\.\d\d \[0\.\d\d, \d\.\d\d\]", numbers
    )


def test_counts_are_those_of_the_ledger():
    lines = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in PAGES["claims"].splitlines()
        if "|" in line
    ]
    head = next(line for line in lines if line[0] == "source")
    assert ledger.headline(ROWS) in PAGES["claims"]
    errors, slips = (
        sum(row["kind"] == kind and ledger.counted(row) for row in ROWS)
        for kind in ("erratum", "transcription")
    )
    assert (
        f"{errors} errors that a number decides, and {slips} slips" in PAGES["errata"]
    )
    for source in (*ledger.SOURCES, "all"):
        own = [row for row in pages.select(ROWS, source) if ledger.counted(row)]
        line = next(
            line for line in lines if line[0] in (source, f"[{source}](#{source})")
        )
        found = {
            name.split(" ", 1)[1]: int(n)
            for name, n in zip(head[1:-1], line[1:-1], strict=True)
            if int(n)
        }
        assert found == ledger.summary(own) and int(line[-1]) == len(own)


def test_an_entry_that_is_not_counted_says_so():
    for row in ROWS:
        line = next(
            line for line in PAGES["claims"].splitlines() if anchored(row) in line
        )
        assert ("not counted" in line) != ledger.counted(row), row["id"]
        for first in row["same_as"]:
            assert f" {first.removeprefix(row['source'] + '-')}" in line


def test_what_did_not_hold_comes_first():
    first, rest = (
        PAGES["claims"].split("## What did not hold as stated")[1].split("\n## ", 1)
    )
    for row in ROWS:
        exception = row["verdict"] in (
            "not reproduced",
            "qualified",
            "untestable",
            "open",
        )
        exception |= row["verdict"] == "corrected" and row["kind"] != "erratum"
        assert (f"- {anchored(row)}" in first) == exception and (
            f"- {anchored(row)}" in rest
        ) != exception


def test_a_reader_needs_no_rule_to_understand_an_entry():
    for row in ROWS:
        tested = f"Test: {pages.readable(row['check'])}"
        assert (tested in PAGES["claims"]) == (row["kind"] != "transcription")
        assert (tested in PAGES["errata"]) >= (row["kind"] == "erratum")


def test_a_source_names_what_stands_elsewhere():
    """Who looks for a figure among the entries of its source is told which others judge it."""
    for source in ledger.SOURCES:
        words = re.search(rf"^## {source}\n\n(.*)$", PAGES["claims"], re.M)[1]
        for row in pages.select(ROWS, source):
            name = row["id"].removeprefix(source + "-")
            where = f"[{name}](#{row['id']}) ({pages.readable(row['where'])})"
            below = f"- {anchored(row)}" in PAGES["claims"].split("\n## sato1999")[1]
            assert (f" {where}" in words) != below


def test_the_page_of_errata_holds_errata_and_slips_and_nothing_else():
    found = re.findall(rf"^(?:- )?{ANCHORED}", PAGES["errata"], re.M)
    assert sorted(found) == sorted(
        row["id"] for row in ROWS if row["kind"] in ("erratum", "transcription")
    )
    for row in ROWS:
        if row["kind"] == "erratum":
            assert ledger.measurements(row) in PAGES["errata"]


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_notebooks_headings_and_entries(name):
    links = {*re.findall(r"\]\(([^)]*)\)", PAGES[name])}
    there = {f"{notebook}.ipynb" for notebook in notebooks(ROOT)}
    headings = {
        f"#{heading.replace(' ', '-')}"
        for heading in re.findall(r"^## (.*)", PAGES[name], re.M)
    }
    entries = {f"#{anchor}" for anchor in re.findall('<a id="(.*?)">', PAGES[name])}
    assert links <= there | headings | entries and links & there and links & headings


@pytest.mark.parametrize("claim", ledger.claims(), ids=lambda claim: claim.id)
def test_no_word_is_changed(claim):
    for text in (claim.statement, claim.where, claim.check, *claim.rules.values()):
        markdown = pages.readable(text)
        assert text.count("`") % 2 == 0 and plain(markdown) == ledger.plain(text)
        assert not re.search(r"(?<!\\)[*_<~$|]", re.sub(r"`[^`]*`", "", markdown))
        assert "](" not in markdown


def test_formulas_are_code_and_the_rest_is_safe():
    found = pages.readable("Then `a_k = N_k`, and *x* < y_1.")
    assert found == r"Then `a_k = N_k`, and \*x\* \< y\_1."


def test_selections():
    some = pages.select(ROWS, "sato2000", "corrected")
    assert {row["source"] for row in some} == {"sato2000"} and {
        row["verdict"] for row in some
    } == {"corrected"}
    assert "## sato2000" in pages.claims(some) and "## sato1999" not in pages.claims(
        some
    )
    assert "## online" in pages.glossary("online") and "## model" not in pages.glossary(
        "online"
    )
    for wrong in ({"source": "sato"}, {"verdict": "true"}):
        with pytest.raises(ValueError, match="allowed are all, "):
            pages.select(ROWS, **wrong)
    with pytest.raises(ValueError, match="subject = 'x': allowed are all, model"):
        pages.glossary("x")


def test_a_claim_is_found_by_its_name_with_or_without_its_source():
    (row,) = pages.named(ROWS, ["sato2000-S5.2"])
    assert pages.named(ROWS, ["S5.2"]) == [row]
    with pytest.raises(ValueError, match="no claim 'S5.22'; near: S5.2"):
        pages.named(ROWS, ["S5.22"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_an_entry_in_full_has_all_its_words(row):
    told = ledger.in_full(row, width=90)
    assert max(map(len, told.splitlines()[1:])) <= 90
    together = "".join(told.split())
    for words in (row["statement"], row["check"], row["criterion"], row["where"]):
        assert "".join(ledger.plain(words).split()) in together
    assert ("".join(ledger.measurements(row).split()) in together) or not row[
        "measured"
    ]


# the glossary


@pytest.mark.parametrize(
    ("term", "subject"), TERMS, ids=[term["term"] for term, _ in TERMS]
)
def test_terms_name_what_there_is(term, subject):
    assert {"term", "means", "notebook"} <= set(term)
    assert set(term) <= {
        "term",
        "means",
        "symbol",
        "vbkit",
        "notebook",
        *pages.ELSEWHERE,
    }
    assert term["notebook"] in notebooks(ROOT)
    assert kind(term["notebook"]) in ("chapter", "appendix")
    assert not any("|" in text or "  " in text for text in term.values())
    if "vbkit" in term:
        module, _, names = term["vbkit"].partition(":")
        holder = import_module(module)
        for name in names.split("."):
            fields = {field.name for field in getattr(holder, "__attrs_attrs__", ())}
            fields |= {*getattr(holder, "__dataclass_fields__", ())}
            assert hasattr(holder, name) or name in fields, term["vbkit"]
            holder = getattr(holder, name, None)


def test_terms_are_named_once_and_each_source_has_its_symbols():
    assert (
        max(Counter(term["term"] for term, _ in TERMS).values()) == 1
        and len(TERMS) > 40
    )
    for place in pages.ELSEWHERE:
        assert sum(place in term for term, _ in TERMS) >= 10
