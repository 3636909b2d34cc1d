"""VB's width and the gap of its ELBO tend to what the share of information says."""

import numpy as np
import pytest

from vbkit.chapters.hidden_information import blur, share


@pytest.mark.parametrize("shift", [1.0, 2.0, 4.0])
def test_gap_and_width_tend_to_what_the_share_says(shift):
    seen = share.compute(shift, 10_000)
    exact, vb = seen["width"]
    assert seen["gap"] == pytest.approx(-0.5 * np.log(seen["share"]), abs=0.005)
    assert vb / exact == pytest.approx(np.sqrt(seen["share"]), abs=0.005)


def test_the_explorer_answers_at_the_extremes():
    explorer = blur()
    pictures = {explorer.png}
    for end in (0, -1):
        ends = {name: c.options[end][1] for name, c in explorer.controls.items()}
        explorer.set(**ends)
        pictures.add(explorer.png)
    assert explorer.error is None and len(pictures) == 3
