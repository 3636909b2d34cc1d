"""What holds for the explorers of every lecture."""

import numpy as np
import pytest

from vbkit.course.catalogue import explorers

MAKERS = {
    name: make for name, make in explorers().items() if name.startswith("lecture_")
}


@pytest.fixture(scope="module", params=MAKERS.values(), ids=MAKERS)
def explorer(request):
    """Each explorer, made once: a test moves it, and begins with what it needs."""
    return request.param()


def pictures_along(explorer, name, others) -> set[bytes]:
    """The pictures, without titles, while one control moves and the others stay."""
    options = [value for _, value in explorer.controls[name].options]
    places = np.linspace(0, len(options) - 1, 6).round().astype(int)
    drawn = set()
    for place in places:
        explorer.set(**others | {name: options[place]})
        drawn.add(explorer.png)
    return drawn


def test_each_control_moves_the_picture(explorer):
    """A control may do nothing before others have moved, so these are also at their ends."""
    ends = {name: control.options[-1][1] for name, control in explorer.controls.items()}
    for name in explorer.controls:
        drawn = pictures_along(explorer, name, explorer.first)
        drawn_at_the_ends = pictures_along(explorer, name, ends)
        assert max(len(drawn), len(drawn_at_the_ends)) > 1, name


def test_the_words_change_and_stills_fit_in_a_page(explorer):
    controls = explorer.controls.items()
    beginnings = {name: control.options[0][1] for name, control in controls}
    ends = {name: control.options[-1][1] for name, control in controls}
    words = set()
    for values in (explorer.first, beginnings, ends):
        explorer.set(**values)
        words.add(explorer.status)
        assert len(explorer.at(**values).png) <= 60_000
    assert len(words) > 1


@pytest.mark.long
def test_every_position_can_be_drawn(explorer):
    explorer.set(**explorer.first)
    for name, control in explorer.controls.items():
        for _, value in control.options:
            explorer.set(**{name: value})
            assert explorer.error is None
