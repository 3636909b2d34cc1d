"""Explorers: pictures that answer to sliders (`Live` and its controls), and one explorer a notebook."""

from vbkit.explore.controls import checkbox, dropdown, log_slider, select_slider, slider
from vbkit.explore.live import Live

__all__ = ["Live", "checkbox", "dropdown", "log_slider", "select_slider", "slider"]
