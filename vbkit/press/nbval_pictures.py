"""A pytest plugin: nbval compares pictures too, its kernels keep to their share of the
cores, cells of notebooks are marked."""

import os
from unittest import mock

from vbkit.press import THREADS, environment, share_of_cores

# before anything imports NumPy; what the caller chose stays
os.environ |= THREADS | os.environ
environment.stop_recording()


def pytest_configure(config):
    """Let nbval's comparison of a cell's outputs fail on pictures too, and its kernels
    know their share of the cores."""
    from nbval.plugin import IPyNbCell, IPyNbFile

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

    start_kernel = IPyNbFile.setup
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))

    def setup(self):
        with mock.patch.dict(os.environ, share_of_cores(workers) | os.environ):
            start_kernel(self)

    IPyNbFile.setup = setup


def pytest_itemcollected(item):
    """Mark the cells of notebooks, and those of evidence and solutions."""
    if item.path.suffix != ".ipynb":
        return
    item.add_marker("notebook")
    folder = item.path.parent.name
    if folder in ("evidence", "solutions"):
        item.add_marker(folder)
