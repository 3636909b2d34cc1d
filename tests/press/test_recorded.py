"""In the browser an explorer shows what was recorded, and computes only what was not."""

import sys
import types
from base64 import b64decode
from xml.etree import ElementTree

import pytest

from vbkit.course import Explorer, checkbox, slider
from vbkit.course import lecture_00a as lecture
from vbkit.course.catalogue import explorers
from vbkit.press import recorded
from vbkit.press.recorded import Recorded
from vbkit.press.recorder import grid, record
from vbkit.press.recording import pack

NAME = "lecture_00a.PlayTheSweeps"
FRAMES = 6  # of 3 sliders' positions: most are left out


@pytest.fixture(scope="module")
def script():
    """The recording of an explorer at few of its positions."""
    return pack(NAME, record(lecture.PlayTheSweeps(), FRAMES))


@pytest.fixture
def browser(script, monkeypatch):
    """As if Python ran in a browser whose site has this recording; the files asked for."""
    asked = []

    def fetch(path):
        asked.append(path)
        return script if path == f"book/assets/explorers/{NAME}.js" else None

    monkeypatch.setattr(recorded, "IN_BROWSER", True)
    monkeypatch.setattr(recorded, "fetch", fetch)
    return asked


def kept_and_left_out(explorer):
    """Values of a recorded position that is not the first, and of one that is not recorded."""
    kept = grid(explorer, FRAMES)
    name = next(
        n for n, c in explorer.controls.items() if len(kept[n]) < len(c.options)
    )
    options = explorer.controls[name].options
    left_out = next(n for n in range(len(options)) if n not in kept[name])
    return {name: options[kept[name][-1]][1]}, {name: options[left_out][1]}


def shown(explorer) -> bytes:
    """The address of the picture that an explorer shows."""
    return bytes(explorer._image.value)


def computed(explorer) -> int:
    """How often an explorer has computed."""
    return explorer._kept_result.cache_info().misses


def test_a_recorded_position_is_shown_and_any_other_is_computed(browser):
    explorer = lecture.PlayTheSweeps()
    assert browser == [f"book/assets/explorers/{NAME}.js"]
    recorded.IN_BROWSER = False
    plain = lecture.PlayTheSweeps()
    kept, left_out = kept_and_left_out(plain)
    for values in ({}, kept):
        explorer.set(**values)
        plain.set(**values)
        assert explorer.status == plain.status
        assert shown(explorer).startswith(b"data:image/svg+xml;base64,")
    assert not computed(explorer)
    explorer.set(**left_out)
    plain.set(**left_out)
    assert explorer.status == plain.status and explorer.png == plain.png
    assert shown(explorer).startswith(b"data:image/png;base64,")
    assert computed(explorer) == 1
    explorer.set(**kept)
    plain.set(**kept)
    assert shown(explorer).startswith(b"data:image/svg+xml;base64,")
    assert explorer.png == plain.png  # drawn when asked for


def test_without_a_kernel_a_recorded_picture_and_its_values_remain(browser):
    explorer = lecture.PlayTheSweeps()
    data, metadata = explorer._repr_mimebundle_()
    figure = data["text/html"]
    assert f'class="{recorded.FIGURE}" title="{NAME}"' in figure
    assert 'src="data:image/svg+xml;base64,' in figure
    assert explorer.describe() in figure and "image/png" not in data
    assert not metadata and not computed(explorer)


def test_the_picture_of_an_answer_is_the_recorded_one_or_is_drawn(browser):
    explorer = lecture.PlayTheSweeps()
    recorded.IN_BROWSER = False
    plain = lecture.PlayTheSweeps()
    kept, left_out = kept_and_left_out(plain)
    picture = explorer.at(**kept)
    assert picture.alt == plain.at(**kept).alt
    explorer.set(**kept)
    assert picture.svg == svg_of(shown(explorer)) and not computed(explorer)
    assert picture._repr_mimebundle_()["image/svg+xml"] == picture.svg
    assert explorer.at(**left_out).png == plain.at(**left_out).png
    with pytest.raises(ValueError, match="is not a control"):
        explorer.at(other=1)


def svg_of(address: bytes) -> str:
    """The picture in a data address."""
    return b64decode(address.split(b",")[1]).decode()


def test_outside_of_a_browser_nothing_is_looked_for(monkeypatch):
    def fetch(path):
        raise AssertionError(f"{path} was asked for")

    monkeypatch.setattr(recorded, "fetch", fetch)
    explorer = lecture.PlayTheSweeps()
    assert explorer._recording is None and computed(explorer) == 1


# ---- another explorer than the recorded one ------------------------------------------------------


def a_subclass():
    class PlayTheSweeps(lecture.PlayTheSweeps):
        __doc__ = lecture.PlayTheSweeps.__doc__

    return PlayTheSweeps


def one_of_the_same_name(monkeypatch):
    kind = a_subclass()
    kind.__module__ = lecture.__name__
    return kind


def another_method(monkeypatch):
    monkeypatch.setattr(lecture.PlayTheSweeps, "say", lambda self, result, now: "mine")
    return lecture.PlayTheSweeps


def another_title(monkeypatch):
    monkeypatch.setattr(lecture.PlayTheSweeps, "title", "Mine")
    return lecture.PlayTheSweeps


def another_size(monkeypatch):
    monkeypatch.setattr(lecture.PlayTheSweeps, "size", (5.0, 4.0))
    return lecture.PlayTheSweeps


def another_control(monkeypatch):
    monkeypatch.setattr(lecture.PlayTheSweeps, "sweep", slider("Sweeps", 0, 3, 0))
    return lecture.PlayTheSweeps


def one_control_more(monkeypatch):
    more = checkbox("More", True)
    monkeypatch.setattr(lecture.PlayTheSweeps, "more", more, raising=False)
    return lecture.PlayTheSweeps


@pytest.mark.parametrize(
    "make",
    [
        lambda monkeypatch: a_subclass(),
        one_of_the_same_name,
        another_method,
        another_title,
        another_size,
        another_control,
        one_control_more,
        lambda monkeypatch: lecture.MoveABolt,  # the site has no recording of it
    ],
)
def test_an_explorer_that_is_not_the_recorded_one_computes(make, browser, monkeypatch):
    explorer = make(monkeypatch)()
    assert explorer._recording is None and computed(explorer) == 1


def test_every_explorer_of_a_lecture_may_be_shown_from_its_recording():
    for name, kind in explorers().items():
        assert recorded._is_a_lectures_own(kind), name


def test_an_explorer_that_takes_arguments_computes(browser, monkeypatch):
    """Its recording is of other arguments, perhaps."""

    class Line(Explorer):
        """A line."""

        title = "A line"
        slope = slider("Slope", 0, 3, 1)

        def __init__(self, shift=0):
            self.shift = shift
            super().__init__()

        def compute(self, slope):
            return slope + self.shift

        def frame(self, figure):
            return figure.subplots()

        def draw(self, panels, height, now):
            panels[0].line([0, 1], [0, height])

        def say(self, height, now):
            return f"it ends at {height}"

    module = types.ModuleType("vbkit.course.lecture_of_lines")
    module.Line = Line
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(Line, "__module__", module.__name__)
    for name in ("__init__", "compute", "frame", "draw", "say"):
        vars(Line)[name].__module__ = module.__name__
    Line(shift=2)
    assert not browser
    monkeypatch.delattr(Line, "__init__")
    monkeypatch.setattr(Line, "shift", 0, raising=False)
    Line()
    assert browser == ["book/assets/explorers/lecture_of_lines.Line.js"]


# ---- the picture ---------------------------------------------------------------------------------


def test_the_picture_of_every_recorded_position_is_the_one_that_was_drawn(script):
    explorer = lecture.PlayTheSweeps()
    whole = Recorded(NAME, script)
    assert whole.fits(explorer)
    kept, left_out = kept_and_left_out(explorer)
    seen = set()
    for values in ({}, kept):
        values = explorer.first | values
        svg, line = whole.at(explorer._texts_of(values))
        picture = ElementTree.fromstring(svg)  # it is well-formed
        assert float(picture.get("width")) == explorer.size[0] * 96
        ids = {element.get("id") for element in picture.iter()}
        used = {e.get("href")[1:] for e in picture.iter() if e.get("href")}
        assert used <= ids and line == explorer._line_at(values)
        seen.add(svg)
    assert len(seen) == 2
    assert whole.at(explorer._texts_of(explorer.first | left_out)) is None
