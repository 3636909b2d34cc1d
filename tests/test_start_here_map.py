"""The front door of chapter 00 says of the other chapters what they say themselves."""

import re

import pytest

from vbkit.workbook import ROOT
from vbkit.workbook.canonical import read
from vbkit.workbook.select import kind, notebooks

CHAPTERS = {
    name.split("_")[0]: path
    for name, path in notebooks(ROOT).items()
    if kind(name) == "chapter"
}  # fmt: skip
TEXTS = {
    number: [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    for number, path in CHAPTERS.items()
}
FRONT = "\n".join(TEXTS["00"])
MINUTES = {
    number: int(minutes)
    for number, minutes in re.findall(r"^\| \[?(\d\d[ab]?) [^|]*\| (\d+) \|$", FRONT, re.M)
}
NEEDS = {  # what the drawing of the map says: a chapter, and those right before it
    "01": {"00"}, "02": {"00"}, "03": {"00"}, "05": {"00"}, "04a": {"02"}, "04b": {"04a"},
    "06": {"05"}, "07a": {"01"}, "07b": {"07a"}, "08a": {"01"}, "08b": {"08a"}, "09": {"08a"},
    "10": {"07a", "08a"},
}  # fmt: skip
HELPS = {"03": {"01", "02"}, "05": {"02", "04a"}, "06": {"04b"}}


def leading(number: str) -> set[str]:
    """All chapters that one needs, directly or not."""
    return {number}.union(*(leading(other) for other in NEEDS.get(number, ())))


def test_the_map_knows_every_chapter():
    (drawn,) = re.findall(r"```text\n(.*?)```", FRONT, re.S)
    drawn = re.findall(r"\d\d[ab]?", drawn)
    assert set(CHAPTERS) == set(MINUTES) == set(drawn) == {"00", *NEEDS}
    assert list(MINUTES) == sorted(MINUTES)


def test_the_drawing_and_its_sentence_say_what_is_needed_and_what_helps():
    drawing = (
        "00 --+-- 01 --+-- 07a ------- 07b\n"
        "     |        +-- 08a --+---- 08b\n"
        "     |                  +---- 09        07a and 08a -- 10\n"
        "     +-- 02 ----- 04a ------- 04b\n"
        "     +-- 03\n"
        "     +-- 05 ----- 06\n"
    )
    assert drawing in FRONT
    said = {
        chapter: set(helpers.split(" and "))
        for helpers, chapter in re.findall(r"(\d\d\w?(?: and \d\d\w?)?) before (\d\d)", FRONT)
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
    assert NEEDS[number] <= said <= leading(number) | HELPS.get(number, set())


@pytest.mark.parametrize("number", sorted(set(CHAPTERS) & set(MINUTES)))
def test_reading_times_are_those_of_the_chapters(number):
    (said,) = re.findall(r"About (\d+) minutes to read", "\n".join(TEXTS[number][:2]))
    assert MINUTES[number] == int(said)


def test_the_paths_take_the_time_that_they_promise():
    hour, day = FRONT.split("**An hour.**")[1].split("**A term.**")[0].split("**A day.**")
    assert sum(map(int, re.findall(r"\((\d+) minutes\)", hour))) == 60
    assert "08a_" in hour and f"({MINUTES['00']} minutes)" in hour
    chapters = re.findall(r"\d\d[ab]?(?=[, ])", day.split("and do")[0])
    checks = int(re.search(r"\((\d+) minutes\)", day)[1])
    assert 5 * 60 <= sum(MINUTES[number] for number in chapters) + checks <= 7 * 60
    term = FRONT.split("**A term.**")[1].split("**For lecturers.**")[0]
    assert set(re.findall(r"\b\d\d[ab]?\b", term)) >= set(MINUTES)
