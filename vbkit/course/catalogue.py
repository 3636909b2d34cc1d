"""Which explorers there are."""

import inspect
from importlib import import_module
from pkgutil import iter_modules

from vbkit import course
from vbkit.course import Explorer


def explorers() -> dict[str, type[Explorer]]:
    """Return the classes of all explorers of the lectures, by "module.Class"."""
    found = {}
    for module in iter_modules(course.__path__):
        companion = import_module(f"{course.__name__}.{module.name}")
        for name, kind in inspect.getmembers(companion, inspect.isclass):
            is_own = kind.__module__ == companion.__name__
            if is_own and issubclass(kind, Explorer) and kind.title:
                found[f"{module.name}.{name}"] = kind
    return found
