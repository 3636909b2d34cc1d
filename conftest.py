"""What every test run needs: one thread, nbval that looks at pictures too, and markers."""

import os

from vbkit.workbook import THREADS

os.environ |= THREADS | os.environ  # before anything imports NumPy; what the caller chose stays
os.environ.pop("VBKIT_RECORD", None)  # a test run records nothing

import pytest

SLOW = {f"test_workbook_{part}" for part in ("appendices", "check", "reproduce")}
SLOW |= {"test_book", "test_browser", "test_handout", "test_check_catches", "test_profiles"}
SLOW |= {"test_benchmarks", "test_compiled", "test_executors", "test_kernel_threads"}
SLOW |= {"test_the_phases_found_are_those_predicted", "test_completions_are_those_of_the_engine"}
ELSEWHERE = ("processor", "broken", "quick", "browser")  # the groups that only .ci/run runs


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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the cells of notebooks, and what is slow."""
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker("notebook")
        if {item.path.stem, item.name} & SLOW or any(map(item.get_closest_marker, ELSEWHERE)):
            item.add_marker("slow")
