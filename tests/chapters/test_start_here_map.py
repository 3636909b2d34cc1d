"""The front door of chapter 00 says of the other chapters what they say themselves."""

import re
from itertools import pairwise

import pytest

from vbkit.press import ROOT
from vbkit.press.canonical import read
from vbkit.press.selection import kind, notebooks

CHAPTERS = {
    name.split("_")[0]: path
    for name, path in notebooks(ROOT).items()
    if kind(name) == "chapter" and not re.match(r"00[a-d]_", name)  # these are lectures
}  # fmt: skip
TEXTS = {
    number: [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    for number, path in CHAPTERS.items()
}
FRONT = "\n".join(TEXTS["00"])
MINUTES = {
    number: int(minutes)
    for number, minutes in re.findall(
        r"^\| ?\[?(\d\d[ab]?) [^|]*\| ?(\d+) ?\|$", FRONT, re.M
    )
}
NEEDS = {  # what the drawing of the map says: a chapter, and the one right before it
    "01": "00", "02": "00", "03": "00", "05": "00", "07a": "00", "08a": "00", "10": "00",
    "04a": "02", "04b": "04a", "06": "05", "07b": "07a", "08b": "08a", "09": "01",
    "11": "03",
}  # fmt: skip
HELPS = {
    "03": {"01"},
    "07a": {"01"},
    "06": {"04b"},
    "09": {"08a"},
    "10": {"07a", "08a"},
}
HELPS["11"] = {"07a"}


def leading(number: str) -> set[str]:
    """All chapters that one needs, directly or not, and itself."""
    return {number} | (leading(NEEDS[number]) if number in NEEDS else set())


def test_the_map_knows_every_chapter():
    (drawn,) = re.findall(r"```text\n(.*?)```", FRONT, re.S)
    drawn = re.findall(r"\d\d[ab]?", drawn)
    assert set(CHAPTERS) == set(MINUTES) == set(drawn) == {"00", *NEEDS}
    assert list(MINUTES) == sorted(MINUTES)


def test_the_drawing_and_its_sentence_say_what_is_needed_and_what_helps():
    (drawing,) = re.findall(r"```text\n(.*?)```", FRONT, re.S)
    chains = [re.findall(r"\d\d[ab]?", line) for line in drawing.splitlines()]
    chains = [chain if chain[0] == "00" else ["00", *chain] for chain in chains]
    drawn = {(after, before) for chain in chains for before, after in pairwise(chain)}
    assert drawn == set(NEEDS.items())
    said = {
        chapter: set(helpers.split(" and "))
        for helpers, chapter in re.findall(
            r"(\d\d[ab]?(?: and \d\d[ab]?)?) before (\d\d[ab]?)", FRONT
        )
    }
    assert said == HELPS


@pytest.mark.parametrize("number", sorted(set(CHAPTERS) & set(NEEDS)))
def test_what_a_chapter_needs_is_what_it_says(number):
    """Links and "notebook 01" in its "You need"; what others lead to need not be said again."""
    (said,) = re.findall(r"\*\*You need\*\*.*?(?:\n\n|$)", TEXTS[number][0], re.S)
    said = {
        *re.findall(r"\((\d\d[ab]?)_\w+\.ipynb\)", said),
        *re.findall(r"(?:notebook|chapter) (\d\d[ab]?)", said),
    }
    assert {NEEDS[number]} <= said <= leading(number) | HELPS.get(number, set())


@pytest.mark.parametrize("number", sorted(set(CHAPTERS) & set(MINUTES)))
def test_reading_times_are_those_of_the_chapters(number):
    (said,) = re.findall(r"About (\d+) minutes to read", "\n".join(TEXTS[number][:2]))
    assert MINUTES[number] == int(said)


def test_the_paths_take_the_time_that_they_promise():
    hour, day = (
        FRONT.split("**An hour.**")[1].split("**A term.**")[0].split("**A day.**")
    )
    (reading,) = map(int, re.findall(r"\((\d+) minutes\)", hour))
    assert reading == 60 < MINUTES["00"]  # what is skipped takes time
    assert ".ipynb" not in hour.split("\n")[0]  # the hour needs no other chapter
    assert "section 10" in hour and "## 10. Five lines of summary" in FRONT
    assert "The ELBO as a number" in hour and "### The ELBO as a number" in FRONT
    chapters = re.findall(r"\d\d[ab]?(?=[, ])", day.split("and do")[0])
    checks = int(re.search(r"\((\d+) minutes\)", day)[1])
    assert 5 * 60 <= sum(MINUTES[number] for number in chapters) + checks <= 7 * 60
    term = FRONT.split("**A term.**")[1].split("**For lecturers.**")[0]
    assert set(re.findall(r"\b\d\d[ab]?\b", term)) >= set(MINUTES)
