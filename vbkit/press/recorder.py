"""Record an explorer: its pictures at a grid of positions, for pages that have no kernel.

Matplotlib's SVG renderer draws what the explorer declares as moving, artist by artist. Each
distinct text is stored once, and a frame is a list of numbers of texts; a page puts it together.
Nothing is drawn or computed in a second way.
"""

import base64
import io
import itertools
import json
import math
import re
import zlib
from xml.etree import ElementTree

import matplotlib
import numpy as np
from matplotlib.backends.backend_svg import RendererSVG

from vbkit.course.explorer import Explorer

FRAMES = 400  # of one explorer, at most
TEN = 10  # coordinates are rounded to a tenth of a point
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
STEP = re.compile(r"([MLCQz])([^MLCQz]*)")
LONG = re.compile(r"-?\d+\.\d{2,}")
ElementTree.register_namespace("", SVG.strip("{}"))


def grid(explorer: Explorer, frames: int = FRAMES) -> dict[str, list[int]]:
    """The positions to record, by control: indices into its options.

    Every combination is recorded, so no slider shows the picture of another position. Sliders are
    thinned evenly, the first one last, until there are at most `frames` combinations. The first
    value and both ends are kept, and so is every position of menus and boxes.
    """
    controls = explorer.controls
    kept = {name: [*range(len(control.options))] for name, control in controls.items()}
    sliders = [name for name, control in controls.items() if control.kind == "slider"]
    weight = dict.fromkeys(sliders, 1.0) | dict.fromkeys(sliders[:1], 0.5)
    while math.prod(map(len, kept.values())) > frames:
        long = [name for name in sliders if len(kept[name]) > 3]
        if not long:
            break
        name = max(long, key=lambda name: weight[name] * len(kept[name]))
        first = controls[name].position(controls[name].value)
        kept[name] = _spread(len(controls[name].options), len(kept[name]) - 1, first)
    return kept


def _spread(count: int, wanted: int, first: int) -> list[int]:
    """`wanted` of `count` places, evenly spread from end to end, with `first` among them."""
    places = np.linspace(0, count - 1, wanted).round().astype(int).tolist()
    if first not in places:
        places[min(range(1, wanted - 1), key=lambda i: abs(places[i] - first))] = first
    return places


def record(explorer: Explorer, frames: int = FRAMES) -> dict:
    """Draw every frame of the grid; return what a page needs, ready for JSON."""
    kept, sketch = grid(explorer, frames), Sketch(explorer)
    rows, readings = [], []
    for places in itertools.product(*kept.values()):
        pairs = zip(kept, places, strict=True)
        values = {
            name: explorer.controls[name].options[place][1] for name, place in pairs
        }
        row, reading = sketch.frame(values)
        rows.append(row)
        readings.append(reading)
    pieces, columns = _numbered(rows)
    lines = list(dict.fromkeys(readings))
    said = [lines.index(reading) for reading in readings]
    controls = [
        _control(explorer.controls[name], places) for name, places in kept.items()
    ]
    return {
        "title": explorer.title,
        "alt": explorer.alt,
        "size": [float(side) for side in sketch.size],
        "controls": controls,
        "defs": "".join(sketch.shared.values()),
        "pieces": pieces,
        "frames": [_steps(column) for column in columns],
        "readings": lines,
        "said": _steps(said),
    }


def pack(name: str, recording: dict) -> str:
    """A script that hands a recording to the page: a page opened from a disk can fetch nothing."""
    text = json.dumps(recording, separators=(",", ":"), ensure_ascii=False)
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(text.encode()) + deflate.flush()
    return (
        f'vbkit.arrived({json.dumps(name)}, "{base64.b64encode(packed).decode()}");\n'
    )


def _control(control, places) -> dict:
    first = places.index(control.position(control.value))
    shown = {"label": control.label, "kind": control.kind, "play": control.play}
    shown["texts"] = [control.options[place][0] for place in places]
    return shown | {"first": first, "all": len(control.options)}


def _numbered(rows: list[dict]) -> tuple[list[str], list[list[int]]]:
    """The distinct texts, and for each artist the number of its text in every frame, or -1."""
    artists = sorted(set().union(*rows))
    texts = list(
        dict.fromkeys(row[key] for key in artists for row in rows if key in row)
    )
    number = {text: place for place, text in enumerate(texts)}
    return texts, [[number.get(row.get(key), -1) for row in rows] for key in artists]


def _steps(numbers: list[int]) -> list[int]:
    """Differences between neighbours: they compress better than the numbers."""
    return np.diff(numbers, prepend=0).tolist()


class Sketch:
    """Draws an explorer's artists as SVG; glyphs, markers and clips are shared, once each."""

    def __init__(self, explorer: Explorer):
        self.explorer, self.blit, self.shared = explorer, explorer._blit, {}
        explorer.draw(
            explorer._cached(**explorer.first), explorer.first
        )  # fits the layout
        self.blit.figure.set_dpi(72)
        self.size = self.blit.figure.get_size_inches() * 72
        self._still, self._drawn = None, {}

    def frame(self, values: dict) -> tuple[dict, str]:
        """The text of each artist that shows something, by its place in the drawing order; and
        the explorer's line at these values."""
        explorer, blit = self.explorer, self.blit
        arrays = explorer._cached(**values)
        full = explorer._move(blit.artists, arrays, values) is True
        if full or self._still is None or blit._changed():
            blit._draw_background()
            self._still, self._drawn = self._text(blit.figure), {}
            for artist in blit._still:
                artist.stale = False
        for artist in blit._moving:
            if artist.get_visible() and (artist.stale or artist not in self._drawn):
                self._drawn[artist] = self._text(artist)
                artist.stale = False
        seen = [self._drawn[a] if a.get_visible() else "" for a in blit._moving]
        row = {place: text for place, text in enumerate([self._still, *seen]) if text}
        return row, explorer._make_status(arrays, values)

    def _text(self, artist) -> str:
        """An artist as SVG; what it defines goes to `shared`."""
        file = io.StringIO()
        with matplotlib.rc_context({"svg.hashsalt": "vbkit", "svg.fonttype": "path"}):
            nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
            renderer = RendererSVG(*self.size, file, image_dpi=144, metadata=nothing)
            artist.draw(renderer)
            renderer.finalize()
        root = ElementTree.fromstring(file.getvalue())
        for parent in [*root.iter()]:
            for defs in parent.findall(f"{SVG}defs"):
                for one in defs:
                    if name := one.get("id"):
                        self.shared.setdefault(name, _written(one, digits=2))
                parent.remove(defs)
        text = "".join(
            _written(child) for child in root if child.tag != f"{SVG}metadata"
        )
        return "" if re.fullmatch(r"(</?g/?>)*", text) else text


def _written(element, digits: int = 1) -> str:
    """An element as text: plain links, no names of groups, short numbers."""
    for one in element.iter():
        one.tail = None
        if one.tag != f"{SVG}style":
            one.text = None  # line breaks
        if one.tag == f"{SVG}g":
            one.attrib.pop("id", None)
        if link := one.attrib.pop(LINK, None):
            one.set("href", link)
        if path := one.get("d"):
            one.set("d", _relative(path) if digits == 1 else _rounded(path, digits))
        for key in ("x", "y", "width", "height", "transform"):
            if (
                (value := one.get(key))
                and "scale" not in value
                and "matrix" not in value
            ):
                one.set(key, _rounded(value, digits))
        if style := one.get("style"):
            one.set("style", _rounded(style, 2).replace(": ", ":").replace("; ", ";"))
    text = ElementTree.tostring(element, encoding="unicode")
    return text.replace(f' xmlns="{SVG.strip("{}")}"', "").replace(" />", "/>")


def _rounded(text: str, digits: int) -> str:
    return LONG.sub(lambda n: f"{float(n[0]):.{digits}f}".rstrip("0").rstrip("."), text)


def _relative(path: str) -> str:
    """A path in relative coordinates, rounded so that errors do not add up."""
    out, here, last = [], (0, 0), ""
    for letter, numbers in STEP.findall(path):
        if letter == "z":
            out.append("z")
            last = ""
            continue
        flat = [round(float(number) * TEN) for number in numbers.split()]
        points = list(zip(flat[::2], flat[1::2], strict=True))
        if letter == "L" and points[-1] == here:
            continue
        base = (0, 0) if letter == "M" else here
        words = [_tenths(v) for x, y in points for v in (x - base[0], y - base[1])]
        text = words[0] + "".join(w if w[0] == "-" else f" {w}" for w in words[1:])
        code = "M" if letter == "M" else letter.lower()
        between = code if code != last else "" if text[0] == "-" else " "
        out.append(between + text)
        here, last = points[-1], code
    return "".join(out)


def _tenths(number: int) -> str:
    text = f"{number / TEN:.1f}".removesuffix(".0")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
