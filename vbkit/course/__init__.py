"""Explorers: pictures that answer to sliders."""

from vbkit.checks import require

require("workbook", "ipywidgets", "matplotlib", "PIL")

from vbkit.course.controls import checkbox, dropdown, log_slider, select_slider, slider
from vbkit.course.explorer import Explorer
