"""Every rule can fail: plausible wrong results that it must not let pass.

A row: the id of an entry, what would be wrong, the measurements of that wrong result, and the verdict
that it must get (never the one that the entry has). Whoever changes a rule adds a row here.
"""

import pytest

from vbkit.ledger import Settlement, claims, rate

WRONG = {
    "sato1999": [],
    "sato2000": [],
    "nakajima": [
        (
            "errata-E1",
            "the correction is no stationary point either",
            {"slope_printed": 3.0, "slope_corrected": 0.2},
            "not reproduced",
        ),
    ],
    "ghahramani2000": [],
    "kaji2011": [
        (
            "errata-E1",
            "the wider family does not reach the maximum either",
            {"coordinate": 1.14, "loss": 0.026, "gap_wider": 1e-3},
            "not reproduced",
        ),
        (
            "K28",
            "the minority is found in one run of five",
            {"found_5": rate(20, 100), "found_10": rate(20, 100)},
            "not reproduced",
        ),
    ],
}
ROWS = [(f"{source}-{id}", *row) for source, rows in WRONG.items() for id, *row in rows]


@pytest.mark.parametrize(
    ("id", "why", "measured", "verdict"), ROWS, ids=[f"{id}: {why}" for id, why, *_ in ROWS]
)
def test_a_wrong_result_does_not_pass(id, why, measured, verdict):
    (claim,) = [claim for claim in claims() if claim.id == id]
    assert Settlement(claim, measured).verdict == verdict, why
