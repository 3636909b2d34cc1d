"""Explorers: pictures that answer to sliders."""

from vbkit.checks import require

require("workbook", "ipywidgets", "matplotlib", "PIL")

from vbkit.widgets.controls import checkbox, dropdown, log_slider, select_slider, slider
from vbkit.widgets.explorer import Explorer
