import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.promise import Call
from tests.fuzz.spoiled import calls
from vbkit.press.ledger import rules


@pytest.mark.parametrize(
    "call",
    [
        Call(rules.Rate, {"successes": 3, "runs": 7}),
        Call(rules.measurement, {"name": "gap", "value": 1.0}),
        Call(rules.measurement, {"name": "gap", "value": [1.0, 2.0]}),
        Call(rules.parse, {"rule": "gap < 3 and max(gaps) > 1"}),
    ],
    ids=lambda call: call.function.__name__,
)
@given(data=st.data())
def test_rules(call, data):
    data.draw(calls(st.just(call))).keeps_its_promise()
