"""Record an explorer at a grid of positions, for pages that have no kernel.

Matplotlib's SVG renderer draws what the explorer declares as moving, artist by artist.
Each distinct text is stored once, and a frame is a list of numbers of texts; a page
puts it together. Nothing is drawn or computed in a second way.

Any object will do as an explorer that has
- title, alt: its name, and what its picture shows, in words
- controls: by name, each with label, kind, play, options (pairs of text and value), the
  first value, and position(value), its place among the options
- figure: the matplotlib figure of its picture
- layers(values): moves the artists to these values; returns (layers, status), what the
  picture consists of (see `vbkit.course.blit.Layers`) and a line that says what it
  shows
"""

import io
import math
import re
from collections.abc import Iterable
from itertools import chain, product
from xml.etree import ElementTree

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_svg import RendererSVG

from vbkit.press.recording import (
    NOTHING,
    POINTS,
    RecordedControl,
    RecordedExplorer,
    differences,
)

FRAMES = 400  # of one explorer, at most
NARROW = 0.1  # of the picture's width: narrower axes are a scale beside their panel
FEWEST = 3  # positions of a slider
FIRST_WEIGHT = 0.5  # of the first slider: it is thinned last
IMAGE_DPI = 144
SETTINGS = {"svg.hashsalt": "vbkit", "svg.fonttype": "path"}
NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
LONG_NUMBER = re.compile(r"-?\d+\.\d{2,}")
EMPTY = re.compile(r"(</?g/?>)*")  # groups that hold nothing
ElementTree.register_namespace("", SVG.strip("{}"))


def grid(explorer, frames: int = FRAMES) -> dict[str, list[int]]:
    """The positions to record, by control: indices into its options.

    Every combination is recorded, so no slider shows the picture of another position.
    Sliders are thinned evenly, the first one last, until there are at most `frames`
    combinations. The first value and both ends are kept, and so is every position of
    menus and boxes. For instance, of two sliders with 41 positions each and a box, 20 of
    the first one and 10 of the second one remain, which makes 400 frames.
    """
    controls = explorer.controls
    kept = {name: [*range(len(control.options))] for name, control in controls.items()}
    sliders = [name for name, control in controls.items() if control.kind == "slider"]
    while math.prod(map(len, kept.values())) > frames:
        weights = {}
        for name in sliders:
            if len(kept[name]) > FEWEST:
                factor = FIRST_WEIGHT if name == sliders[0] else 1.0
                weights[name] = factor * len(kept[name])
        if not weights:
            break
        name = max(weights, key=weights.get)
        control = controls[name]
        first = control.position(control.value)
        kept[name] = _spread(len(control.options), len(kept[name]) - 1, first)
    return kept


def _spread(count: int, number: int, first: int) -> list[int]:
    """`number` of `count` places, evenly spread, with both ends and `first`: 4 of 10 with
    the first value at place 5 are 0, 3, 5 and 9."""
    places = np.linspace(0, count - 1, number).round().astype(int).tolist()
    if first not in places:
        nearest = min(range(1, number - 1), key=lambda i: abs(places[i] - first))
        places[nearest] = first
    return places


def record(explorer, frames: int = FRAMES) -> RecordedExplorer:
    """Draw every frame of the grid; return what a page needs, ready for JSON."""
    kept = grid(explorer, frames)
    sketch = Sketch(explorer)
    frame_texts = []
    readings = []
    for places in product(*kept.values()):
        values = {
            name: explorer.controls[name].options[place][1]
            for name, place in zip(kept, places, strict=True)
        }
        texts, reading = sketch.frame(values)
        frame_texts.append(texts)
        readings.append(reading)
    columns = sketch.columns()
    # The text of each artist in every frame, None where it shows nothing.
    artists = sorted({artist for texts in frame_texts for artist in texts})
    tracks = [[texts.get(artist) for texts in frame_texts] for artist in artists]
    piece_numbers = _numbers(chain.from_iterable(tracks))
    reading_numbers = _numbers(readings)
    return {
        "title": explorer.title,
        "alt": explorer.alt,
        "size": [float(side) for side in sketch.size],
        "columns": columns,
        "controls": [
            _control(explorer.controls[name], places) for name, places in kept.items()
        ],
        "defs": "".join(sketch.shared.values()),
        "pieces": list(piece_numbers),
        "frames": [_track(texts, piece_numbers) for texts in tracks],
        "readings": list(reading_numbers),
        "said": _track(readings, reading_numbers),
    }


def _control(control, places: list[int]) -> RecordedControl:
    """A control as a page needs it, with the options at these places."""
    return {
        "label": control.label,
        "kind": control.kind,
        "play": control.play,
        "texts": [control.options[place][0] for place in places],
        "first": places.index(control.position(control.value)),
        "all": len(control.options),
    }


def _numbers(texts: Iterable[str | None]) -> dict[str, int]:
    """Number the distinct texts in the order in which they first occur."""
    distinct = dict.fromkeys(text for text in texts if text is not None)
    return {text: number for number, text in enumerate(distinct)}


def _track(texts: list[str | None], numbers: dict[str, int]) -> list[int]:
    """The numbers of texts, as `differences`; None, which is no text, has a number, too."""
    return differences([NOTHING if text is None else numbers[text] for text in texts])


class Sketch:
    """Draws an explorer's artists as SVG; glyphs, markers and clips are shared.

    It takes the explorer's figure over: from then on that has 72 dots an inch, so that
    a dot is a point of SVG.

    - size: of the picture, width and height in points
    - shared: what the texts of artists refer to, as SVG, by its id
    """

    def __init__(self, explorer):
        self.explorer = explorer
        self.figure = explorer.figure
        self.shared = {}
        self.figure.set_dpi(POINTS)
        self.size = self.figure.get_size_inches() * POINTS
        self._still_text = None  # of what stands still
        self._texts = {}  # the text of each artist when it was last drawn

    def frame(self, values: dict) -> tuple[dict[int, str], str]:
        """The explorer at these values: the texts of its artists, and its line of text.

        An artist that shows nothing has no text. The texts are given by the place of
        the artist in the drawing order; place 0 is what stands still.
        """
        layers, status = self.explorer.layers(values)
        if layers.redrawn or self._still_text is None:
            self._still_text = self._text(self.figure)
            self._texts = {}
            for artist in layers.still:
                artist.stale = False
        texts = {0: self._still_text}
        for place, artist in enumerate(layers.moving, 1):
            if artist.get_visible():
                texts[place] = self._newest_text(artist)
        return {place: text for place, text in texts.items() if text}, status

    def columns(self) -> list[list[float]]:
        """The columns of panels, left edge and width in points, from left to right.

        A narrow page shows them one below the other. A legend or a text across two of
        them makes them one.
        """
        figure = self.figure
        across = [*figure.legends, *figure.texts]
        boxes = [artist.get_tightbbox() for artist in (*figure.axes, *across)]
        cuts = []
        end = -np.inf
        width = self.size[0]
        for left, right in sorted((box.x0, box.x1) for box in boxes):
            if left > end > 0 and right - left > NARROW * width:
                cuts.append((left + end) / 2)
            end = max(end, right)
        edges = [0.0, *cuts, float(width)]
        return [
            [round(float(left), 1), round(float(right - left), 1)]
            for left, right in zip(edges[:-1], edges[1:], strict=True)
        ]

    def _newest_text(self, artist: Artist) -> str:
        """The text of an artist, which is drawn only if it has changed."""
        if artist.stale or artist not in self._texts:
            self._texts[artist] = self._text(artist)
            artist.stale = False
        return self._texts[artist]

    def _text(self, artist: Artist) -> str:
        """An artist as SVG; what it defines goes to `shared`."""
        file = io.StringIO()
        with matplotlib.rc_context(SETTINGS):
            width, height = self.size
            renderer = RendererSVG(
                width, height, file, image_dpi=IMAGE_DPI, metadata=NO_METADATA
            )
            artist.draw(renderer)
            renderer.finalize()
        root = ElementTree.fromstring(file.getvalue())
        for parent in list(root.iter()):
            for definitions in parent.findall(f"{SVG}defs"):
                self._share(definitions)
                parent.remove(definitions)
        parts = [_as_text(child) for child in root if child.tag != f"{SVG}metadata"]
        text = "".join(parts)
        return "" if EMPTY.fullmatch(text) else text

    def _share(self, definitions: ElementTree.Element) -> None:
        for element in definitions:
            name = element.get("id")
            if name:
                self.shared.setdefault(name, _as_text(element, shared=True))


def _as_text(element: ElementTree.Element, shared: bool = False) -> str:
    """An element as text: plain links, no names of groups, short numbers.

    shared: whether it is a glyph or a marker, which is drawn in many places and may be
    magnified there, so its numbers keep two decimals. Those of anything else are
    rounded to a tenth of a point.
    """
    for child in element.iter():
        _shorten(child, shared)
    text = ElementTree.tostring(element, encoding="unicode")
    return text.replace(f' xmlns="{SVG.strip("{}")}"', "").replace(" />", "/>")


def _shorten(element: ElementTree.Element, shared: bool) -> None:
    digits = 2 if shared else 1
    element.tail = None
    if element.tag != f"{SVG}style":
        element.text = None  # nothing but line breaks
    if element.tag == f"{SVG}g":
        element.attrib.pop("id", None)
    link = element.attrib.pop(LINK, None)
    if link:
        element.set("href", link)
    # The numbers of a "scale" or a "matrix" are factors: rounded, they would move what
    # they magnify by more than the picture's precision.
    for key in ("d", "x", "y", "width", "height", "transform"):
        value = element.get(key)
        if value and "scale" not in value and "matrix" not in value:
            element.set(key, _rounded(value, digits))
    style = element.get("style")
    if style:
        style = _rounded(style, 2)
        element.set("style", style.replace(": ", ":").replace("; ", ";"))


def _rounded(text: str, digits: int) -> str:
    """The text with every long number rounded to this many decimals at most."""

    def short(number: re.Match) -> str:
        return f"{float(number[0]):.{digits}f}".rstrip("0").rstrip(".")

    return LONG_NUMBER.sub(short, text)
