"""The companions of the notebooks: for each chapter its data, drawings, explorers and answers."""

import inspect
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from vbkit import course
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import Explorer


def explorers() -> dict[str, Callable[[], Explorer]]:
    """Return what makes the explorers, as "companion.function" or "lecture.Class".

    It is the functions of a companion that take no argument and are annotated with
    `-> Explorer` or `-> OldExplorer`, and a lecture's classes of explorers.
    """
    makers = {}
    for room in (__name__, course.__name__):
        for module in iter_modules(import_module(room).__path__):
            companion = import_module(f"{room}.{module.name}")
            for name, maker in vars(companion).items():
                if _makes_an_explorer(maker, companion.__name__):
                    makers[f"{module.name}.{name}"] = maker
    return makers


def _makes_an_explorer(maker, companion: str) -> bool:
    """Whether it is an explorer's class, defined in this companion, or such a function."""
    if inspect.isclass(maker):
        is_own = maker.__module__ == companion
        return issubclass(maker, Explorer) and is_own and bool(maker.title)
    returned = getattr(maker, "__annotations__", {}).get("return")
    return inspect.isfunction(maker) and returned in (Explorer, OldExplorer)
