"""Explorers: pictures that answer to sliders (`Live` and its controls), and those of each notebook.

An explorer is made of four functions, `compute`, `setup`, `draw` and `reading`; `Live` says what each takes and gives.
"""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from vbkit.widgets.controls import checkbox, dropdown, log_slider, select_slider, slider
from vbkit.widgets.explorer import Explorer


def explorers() -> dict[str, Callable[[], Explorer]]:
    """How to make the explorers, by their notebook's number: all that the modules here offer in `EXPLORERS`."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    return {
        name: make for module in modules for name, make in getattr(module, "EXPLORERS", {}).items()
    }
