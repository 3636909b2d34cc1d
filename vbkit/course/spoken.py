"""What a screen reader hears of an explorer in JupyterLab.

ipywidgets gives a slider's handle no name, and the number of a position for its value; it
names neither the two buttons that play nor a picture; and none of its settings reaches
these places. In the browser edition, moreover, JupyterLab takes the arrow keys from a
slider. So a few lines of JavaScript, `spoken.js`, write names and values into the page, and
`anywidget` brings them there without a build. If one day ipywidgets writes them itself, this
module and the script can go.

The widget has no size. It is a child of the explorer's box, in which the script finds what
it names. Where JupyterLab lacks anywidget's extension, the explorer works without names.
"""

from pathlib import Path

import anywidget
import ipywidgets as widgets
import traitlets

SCRIPT = Path(__file__).with_name("spoken.js")


class Spoken(anywidget.AnyWidget):
    """The words of one explorer.

    title: its name; alt: what its picture shows, in words.
    """

    _esm = SCRIPT.read_text(encoding="utf-8")
    title = traitlets.Unicode().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)


def spoken(title: str, alt: str) -> widgets.Box:
    """Make the child of an explorer's box that lets a screen reader say what is there.

    It stands in a hidden box, since in the place of a widget that it cannot show,
    JupyterLab puts a message.
    """
    box = widgets.Box([Spoken(title=title, alt=alt)])
    box.layout.display = "none"
    return box
