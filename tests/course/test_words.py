"""Lectures and explorers speak the field's language: some words occur in none of them."""

import re

import pytest

from vbkit.press import ROOT
from vbkit.press.canonical import read
from vbkit.press.selection import notebooks

NEVER = re.compile(
    r"\b(flatter\w*|tax|taxes|grants?|fees?|theft|stealing|strangers?|cheats?|greed\w*"
    r"|rulers?|black-and-white|pinned|twins?|duplicates?|over-train\w*|a hundred data\b"
    r"(?! points| sets)|ever more data)\b",
    re.I,
)
LECTURES = {
    name: path
    for name, path in notebooks(ROOT).items()
    if (ROOT / f"vbkit/course/lecture_{name.split('_')[0].split('/')[-1]}.py").exists()
}


@pytest.mark.parametrize("name", LECTURES)
def test_a_lecture_avoids_private_words(name):
    for cell in read(LECTURES[name]).cells:
        if cell.cell_type == "markdown":
            assert not NEVER.findall(cell.source)


@pytest.mark.parametrize("module", sorted((ROOT / "vbkit/course").glob("*_[01]*.py")))
def test_explorers_and_exercises_avoid_private_words(module):
    assert not NEVER.findall(module.read_text(encoding="utf8"))


def test_the_search_would_find_them():
    assert NEVER.findall("Two twins pay a tax.") == ["twins", "tax"]
    assert not NEVER.findall("a hundred data points")
