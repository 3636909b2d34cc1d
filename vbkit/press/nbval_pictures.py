"""A pytest plugin for notebooks: nbval looks at pictures too, cells get a marker, one thread."""

import os

from vbkit.press import THREADS

os.environ |= (
    THREADS | os.environ
)  # before anything imports NumPy; what the caller chose stays
os.environ.pop("VBKIT_RECORD", None)  # a test run records nothing


def pytest_configure(config):
    """Let nbval's comparison of a cell's outputs fail on pictures too."""
    from nbval.plugin import IPyNbCell

    from vbkit.press.pictures import compare

    compare_texts = IPyNbCell.compare_outputs
    if getattr(compare_texts, "compares_pictures", False):
        return

    def compare_outputs(self, test, ref, skip_compare=None):
        same = compare_texts(self, test, ref, skip_compare)
        found = compare(ref, test)
        self.comparison_traceback += found
        return same and not found

    compare_outputs.compares_pictures = True
    IPyNbCell.compare_outputs = compare_outputs


def pytest_itemcollected(item):
    """Mark the cells of notebooks."""
    if item.path.suffix == ".ipynb":
        item.add_marker("notebook")
        if item.path.parent.name in ("evidence", "solutions"):
            item.add_marker(item.path.parent.name)
