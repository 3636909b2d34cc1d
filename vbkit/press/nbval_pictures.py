"""A pytest plugin for notebooks: nbval looks at pictures too, cells get a marker, one thread."""

import os

from vbkit.press import THREADS, environment

# Before anything imports NumPy; what the caller chose stays. A test run records nothing.
os.environ |= THREADS | os.environ
environment.stop_recording()


def pytest_configure(config):
    """Let nbval's comparison of a cell's outputs fail on pictures too."""
    from nbval.plugin import IPyNbCell

    from vbkit.press import pictures

    compare_texts = IPyNbCell.compare_outputs
    if getattr(compare_texts, "compares_pictures", False):
        return

    def compare_outputs(self, test, ref, skip_compare=None):
        same_texts = compare_texts(self, test, ref, skip_compare)
        differences = pictures.differences(ref, test)
        self.comparison_traceback += differences
        return same_texts and not differences

    compare_outputs.compares_pictures = True
    IPyNbCell.compare_outputs = compare_outputs


def pytest_itemcollected(item):
    """Mark the cells of notebooks, and those of evidence and solutions by these names."""
    if item.path.suffix != ".ipynb":
        return
    item.add_marker("notebook")
    folder = item.path.parent.name
    if folder in ("evidence", "solutions"):
        item.add_marker(folder)
