"""Explorers: pictures that answer to sliders (`Live` and its controls), and one explorer a notebook."""

from collections.abc import Callable

import numpy as np

from vbkit.explore.controls import checkbox, dropdown, log_slider, select_slider, slider
from vbkit.explore.live import Live

__all__ = ["Live", "checkbox", "dropdown", "explorers", "log_slider", "select_slider", "slider"]


def explorers() -> dict[str, Callable[[], Live]]:
    """How to make each notebook's explorers, by the notebook's number."""
    from vbkit.explore import batch_vs_online, online_em, start_here

    points = start_here.three_clumps(np.random.default_rng(1))
    return {
        "00": lambda: start_here.explorer(points),
        "02 schedule": online_em.explorer,
        "02 start": online_em.start_explorer,
        "05": batch_vs_online.explorer,
    }
