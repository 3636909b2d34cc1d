"""Pytest plugin: nbval never looks at pictures, so compare them; and pin threads to one, kernels' included.

pyproject.toml loads it by name, so that it also holds where only one notebook is tested.
"""

import os

from vbkit.workbook import THREADS

for _name, _number in THREADS.items():  # before anything imports NumPy; what the caller chose stays
    os.environ.setdefault(_name, _number)
os.environ.pop("VBKIT_RECORD", None)  # a test run records nothing


def pytest_configure(config):
    """Let nbval's comparison of a cell's outputs fail on pictures too."""
    from nbval.plugin import IPyNbCell

    from vbkit.workbook.pictures import compare

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
