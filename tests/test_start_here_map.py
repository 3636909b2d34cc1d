"""The front door of notebook 00 says of the other notebooks what they say themselves."""

import re

import numpy as np
import pytest

from vbkit import plots
from vbkit.chapters.start_here import COURSE, draw_course
from vbkit.workbook import ROOT
from vbkit.workbook.canonical import read
from vbkit.workbook.select import appendix, notebooks

CHAPTERS = {
    name[:2]: path
    for name, path in notebooks(ROOT).items()
    if "/" not in name and not appendix(name)
}
TEXTS = {
    number: [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    for number, path in CHAPTERS.items()
}
FRONT = "\n".join(TEXTS["00"])


def leading(number):
    """All notebooks that one needs, directly or not."""
    return {number}.union(*(leading(other) for other in COURSE[number][3]))


def test_the_map_knows_every_chapter():
    assert set(CHAPTERS) <= set(COURSE) and list(COURSE) == sorted(COURSE)


@pytest.mark.parametrize("number", sorted(set(CHAPTERS) - {"00"}))
def test_what_a_notebook_needs_is_what_it_says(number):
    """Links and "notebook 01" in its "You need"; what others lead to need not be drawn again."""
    (said,) = re.findall(r"\*\*You need\*\*.*?(?:\n\n|$)", TEXTS[number][0], re.S)
    said = {*re.findall(r"\((\d\d)_\w+\.ipynb\)", said), *re.findall(r"notebook (\d\d)", said)}
    _, _, _, needs, helps = COURSE[number]
    assert set(needs) <= said <= leading(number) | set(helps)


@pytest.mark.parametrize("number", sorted(CHAPTERS))
def test_reading_times_are_those_of_the_notebooks(number):
    (said,) = re.findall(r"About (\d+) minutes to read", TEXTS[number][0])
    (row,) = re.findall(rf"^\| (?:\[)?{number} .*\|$", FRONT.split("**An hour**")[0], re.M)
    assert row.split("|")[3].strip() == said


def test_the_paths_take_the_time_that_they_promise():
    hour, day, term = re.split(r"\*\*A day\*\*|<b>A term</b>", FRONT.split("**An hour**")[1])
    assert sum(map(int, re.findall(r"\((\d+)\)", hour))) == 60
    reading = [int(minutes) for minutes in re.findall(r"^\| .* \| (\d+) \|$", day, re.M)]
    assert sum(reading) == 6 * 60 and sum(reading[:-1]) == 4.5 * 60 and reading[-1] == 90
    weeks = re.findall(r"^\| (\d+) \| (\d\d)[^|]* \| (\d+)", term, re.M)
    assert [int(week) for week, *_ in weeks] == list(range(1, 13))
    spent = {
        number: sum(int(minutes) for _, n, minutes in weeks if n == number)
        for _, number, _ in weeks
    }
    assert all(f"About {spent[number]} minutes to read" in TEXTS[number][0] for number in CHAPTERS)
    assert set(spent) == set(COURSE)


def test_sections_that_the_paths_name_are_there():
    day, term = re.split(
        "<b>A term</b>", FRONT.split("**A day**")[1].split("<b>For lecturers</b>")[0]
    )
    named = re.findall(r"^\| (?:\d+ \| )?(\d\d), ([^|]*) \|", day + term, re.M)
    named = [
        (number, heading) for number, words in named for heading in re.findall('"([^"]*)"', words)
    ]
    assert len(named) >= 9
    for number, heading in [*named, ("05", "Slide it"), ("08", "Slide it")]:
        found = re.findall(r"^#+ (.*)", "\n".join(TEXTS[number]), re.M)
        assert any(heading in title for title in found), f"{number} has no section {heading}"


def test_the_drawing_shows_every_notebook_and_every_arrow():
    _, (ax,) = plots.figure(10.5, 4.9)
    draw_course(ax)
    words = [text.get_text() for text in ax.texts]
    assert all(any(title in text for text in words) for title, *_ in COURSE.values())
    arrows = [text for text in ax.texts if getattr(text, "arrow_patch", None)]
    solid = [text for text in arrows if text.arrow_patch.get_linestyle() == "-"]
    assert len(solid) == sum(len(needs) for *_, needs, _ in COURSE.values())
    assert len(arrows) - len(solid) == sum(len(helps) for *_, helps in COURSE.values())
    for text in arrows:
        assert text.xyann[0] < text.xy[0]  # from left to right
    places = np.array([place for _, _, place, *_ in COURSE.values()])
    apart = np.abs(places[:, None] - places)
    np.fill_diagonal(apart[..., 0], 9)
    assert ((apart[..., 0] > 0.84) | (apart[..., 1] > 0.64)).all()  # no box covers another
