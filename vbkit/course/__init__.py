"""Explorers and pictures: what a lecture shows.

**An explorer** is a picture that answers to sliders. Write a class, and say

- in its docstring what there is to see, for a reader who does not see it;
- `title`, `size` (inches), and its controls as attributes: `slider`, `log_slider`,
  `select_slider`, `dropdown`, `checkbox`; at most four, labelled in words;
- `compute(self, ...)`: the arrays, from the controls that it names; pure, since its results
  are kept; it returns a NamedTuple; where that takes long, `computes_ahead = True` computes
  all results before the first drawing;
- `frame(self, figure)`: axes, limits, titles, all that stands still; it returns the axes;
- `draw(self, panels, result, now)`: each moving artist once, as if on empty axes, with
  `panel.line`, `points`, `area`, `columns`, `text`, `ellipses`, or `artist` for any other;
- `say(self, result, now)`: one line, with the numbers that matter now.

`Example()` at the end of a cell shows it, and `Example().at(sweep=12)` is the still picture
of one setting, for the fold of an answer. `vbkit.course.explorer` holds a whole example.

**A picture** is what a function returns that draws a figure for a page:

    fig, (left, right) = plots.figure(8, 3.5, ncols=2)
    ...
    return plots.Picture(fig, "Left: what there is to see. Right: ...", {"x": x})

The words stand in that function; the arrays are needed where `publish(name, picture)`
stores the figure. Colours, markers and line styles come from `vbkit.plots`.

**Threads.** Importing this package keeps the products of small matrices on one thread, where
they are fastest. NumPy and SciPy each bring a BLAS library, and both must be loaded before
their threads can be limited.
"""

from vbkit.checks import require

require(
    "workbook",
    "ipywidgets",
    "anywidget",
    "matplotlib",
    "PIL",
    "sklearn",
    "threadpoolctl",
)

import numpy.linalg  # noqa: F401
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_limits

from vbkit.course.controls import (
    checkbox,
    dropdown,
    log_slider,
    select_slider,
    slider,
    there_and_back,
)
from vbkit.course.explorer import Explorer

threadpool_limits(limits=1, user_api="blas")
