"""A recorded explorer, for a notebook that runs in the browser.

There no loop is compiled, so that a position takes long to compute and to draw; but the
site from which the notebook comes holds the book too, and with it recordings of the
explorers (see `vbkit.press.recorder`). What was recorded is shown from there, and only the
other positions are computed.
"""

import html
import inspect
import sys
from base64 import b64encode
from typing import NamedTuple

from vbkit.press.recording import NOTHING, POINTS, numbers, unpack

FIGURE = "vbkit-explorer"  # the class of a figure that lite.js lets slide
HOME = "vbkit.course."  # the package of the explorers that are recorded
DPI = 96  # dots of a browser in an inch
IN_BROWSER = sys.platform == "emscripten"


class Recorded:
    """The pictures and lines of an explorer at the positions that were recorded.

    name: "module.Class"; script: as `vbkit.press.recording.pack` made it.
    """

    def __init__(self, name: str, script: str):
        self.name = name
        self._recording = unpack(script)
        self._tracks = [numbers(track) for track in self._recording["frames"]]
        self._said = numbers(self._recording["said"])

    def fits(self, explorer) -> bool:
        """Whether an explorer has the recorded one's words, size and controls."""
        recording = self._recording
        words = [explorer.title, explorer.alt]
        size = [side * POINTS for side in explorer.size]
        if words != [recording["title"], recording["alt"]] or size != recording["size"]:
            return False
        if len(explorer.controls) != len(recording["controls"]):
            return False
        pairs = zip(explorer.controls.values(), recording["controls"], strict=True)
        for control, recorded in pairs:
            texts = [text for text, _ in control.options]
            first = recorded["texts"][recorded["first"]]
            if (
                control.label != recorded["label"]
                or control.kind != recorded["kind"]
                or len(texts) != recorded["all"]
                or texts[control.position(control.value)] != first
                or not set(texts).issuperset(recorded["texts"])
            ):
                return False
        return True

    def at(self, texts: list[str]) -> tuple[str, str] | None:
        """The picture, as SVG, and the line of text; None for what was not recorded.

        texts: what each control shows, in order.
        """
        frame = 0
        for control, text in zip(self._recording["controls"], texts, strict=True):
            if text not in control["texts"]:
                return None
            frame = frame * len(control["texts"]) + control["texts"].index(text)
        pieces = self._recording["pieces"]
        shown = [track[frame] for track in self._tracks if track[frame] != NOTHING]
        drawn = "".join(pieces[number] for number in shown)
        width, height = self._recording["size"]
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'width="{width / POINTS * DPI:g}" height="{height / POINTS * DPI:g}" '
            f'viewBox="0 0 {width:g} {height:g}">'
            f"<defs>{self._recording['defs']}</defs>{drawn}</svg>"
        )
        return svg, self._recording["readings"][self._said[frame]]


class RecordedPicture(NamedTuple):
    """A picture that was recorded, and the words that stand for it; a notebook shows it."""

    svg: str
    alt: str

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"image/svg+xml": self.svg, "text/plain": self.alt}


def recording_of(explorer) -> Recorded | None:
    """The recording of an explorer in the site from which its notebook comes.

    None where Python runs outside of a browser, where the site has no recording, and
    where the explorer may be another than the recorded one: a class that a notebook
    made or changed, or one that takes arguments.
    """
    if not IN_BROWSER or not _is_a_lectures_own(type(explorer)):
        return None
    name = f"{type(explorer).__module__.removeprefix(HOME)}.{type(explorer).__name__}"
    script = fetch(f"book/assets/explorers/{name}.js")
    if script is None:
        return None
    recorded = Recorded(name, script)
    return recorded if recorded.fits(explorer) else None


def _is_a_lectures_own(kind: type) -> bool:
    """Whether a class is as a lecture's module made it, and takes no arguments."""
    module = sys.modules[kind.__module__]
    if not module.__name__.startswith(HOME):
        return False
    if getattr(module, kind.__name__, None) is not kind:
        return False
    methods = [
        value
        for base in kind.__mro__
        for value in vars(base).values()
        if inspect.isfunction(value) and base is not object
    ]
    as_made = all(method.__module__.startswith("vbkit.") for method in methods)
    return as_made and not inspect.signature(kind).parameters


def fetch(path: str) -> str | None:
    """A file of the site, as text; None where it has none or cannot be reached."""
    from js import XMLHttpRequest, location
    from pyodide.ffi import JsException

    site, _, _ = location.href.rpartition("/lab/")
    request = XMLHttpRequest.new()
    request.open("GET", f"{site}/{path}", False)
    try:
        request.send()
    except JsException:
        return None
    return request.responseText if request.status == 200 else None


def address_of(svg: str) -> bytes:
    """A picture as a data address."""
    return b"data:image/svg+xml;base64," + b64encode(svg.encode())


def figure(name: str, picture: str, size: tuple, alt: str, caption: str = "") -> str:
    """A figure in HTML that slides in the site before its notebook has run.

    The notebook's page puts the recording in its place (see lite.js); anywhere else its
    picture remains. name: of the recording; picture: an address; size: width and height
    in pixels; caption: a line below the picture, if any.
    """
    width, height = size
    image = (
        f'<img src="{picture}" alt="{html.escape(alt)}" '
        f'width="{width:g}" height="{height:g}">'
    )
    below = f"<figcaption>{html.escape(caption)}</figcaption>" if caption else ""
    return f'<figure class="{FIGURE}" title="{name}">{image}{below}</figure>'
