"""How many calls: `--hypothesis-profile=many` makes far more, and others each time."""

import pytest
from hypothesis import HealthCheck, settings

ALWAYS = {
    "deadline": None,  # `Call.keeps_its_promise` has a limit of its own
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("same", max_examples=40, derandomize=True, **ALWAYS)
settings.register_profile("many", max_examples=1000, **ALWAYS)
settings.load_profile("same")


def pytest_itemcollected(item):
    """All of this folder is run by .ci/run alone, but for the promise's own tests."""
    if item.path.parent.name == "fuzz" and item.path.stem != "test_promise":
        item.add_marker(pytest.mark.fuzz)
