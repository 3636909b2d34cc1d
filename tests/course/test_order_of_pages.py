"""Pages are read in the order of their file names: what one needs stands before it."""

import re

import pytest

from vbkit.press import ROOT
from vbkit.press.canonical import read
from vbkit.press.selection import kind, notebooks

PAGES = {
    name: path
    for name, path in notebooks(ROOT).items()
    if kind(name) in ("chapter", "appendix")
}
NEEDED = re.compile(r"\*\*You need\*\*.*?(?:\n\n|\Z)", re.S)
LINK = re.compile(r"\]\(([^)#]+)\.ipynb[^)]*\)")


def needs(page: str) -> str:
    """What a page says that a reader needs, in its first cell."""
    said = NEEDED.findall(read(PAGES[page]).cells[0].source)
    assert len(said) == 1, f"{page} says {len(said)} times what it needs"
    return said[0]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_needs_earlier_pages_only(page):
    for needed in LINK.findall(needs(page)):
        assert needed in PAGES, f"{page} needs {needed}, which does not exist"
        assert needed < page, f"{page} needs {needed}, which comes later"


@pytest.mark.parametrize("page", PAGES)
def test_a_chapter_named_without_a_link_is_an_earlier_one(page):
    for number in re.findall(r"(?:notebook|chapter|lecture) (\d\d[a-d]?)", needs(page)):
        (meant,) = [name for name in PAGES if name.startswith(f"{number}_")]
        assert meant < page


@pytest.mark.parametrize("page", [page for page in PAGES if kind(page) == "chapter"])
def test_a_chapter_leads_back_to_the_first(page):
    """Every chapter but the first needs one that was read before it."""
    first = next(iter(PAGES))
    assert (page == first) != bool(LINK.findall(needs(page)))
