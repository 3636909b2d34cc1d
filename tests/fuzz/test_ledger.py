from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.promise import Call
from tests.fuzz.spoiled import calls
from vbkit.press.ledger import rules


@given(calls(st.sampled_from([
    Call(rules.Rate, {"successes": 3, "runs": 7}),
    Call(rules.measurement, {"name": "gap", "value": 1.0}),
    Call(rules.measurement, {"name": "gap", "value": [1.0, 2.0]}),
    Call(rules.parse, {"rule": "gap < 3 and max(gaps) > 1"}),
])))  # fmt: skip
def test_rules(call):
    call.keeps_its_promise()
