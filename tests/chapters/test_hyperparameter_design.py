"""The stored studies of evidence 09 come back, and its tables show what they are given."""

import numpy as np
import pytest

from vbkit import plots
from vbkit.chapters.hyperparameter_design import experiments, pictures

SHOWN = (0.03, 1, 3, 10), (0.01, 0.1, 0.5, 1, 3, 10)  # a few a and b of a table


def test_studies_come_back_as_they_were_stored():
    found = experiments.study("kaji2011-surfaces")
    assert [*found] == ["clear", "mixed"] and found["clear"]["error"].shape == (
        100,
        9,
        9,
    )
    hunt = experiments.study("kaji2011-minority")
    assert hunt[5]["found"].shape == hunt[10]["used"].shape == (100, 10, 3)


@pytest.mark.parametrize("shown", [SHOWN, (experiments.A, experiments.B)])
def test_the_even_tables_show_the_right_cells_and_the_line(shown):
    _, (ax,) = plots.figure()
    values = np.add.outer(100.0 * np.arange(9), np.arange(9))
    pictures.draw_priors(ax, values, shown=shown, form="{:.1f}")
    (a_shown, b_shown), place = (
        shown,
        {t.get_text(): t.get_position() for t in ax.texts},
    )
    assert len(place) == len(a_shown) * len(b_shown)
    for i, a in enumerate(a_shown):
        for j, b in enumerate(b_shown):
            value = values[experiments.A.index(a), experiments.B.index(b)]
            assert place[f"{value:.1f}"] == (i + 0.5, j + 0.5)
    x, y = ax.lines[0].get_data()
    for row, b in enumerate(b_shown):
        (left,) = {
            x[k] for k in range(len(x)) if row < np.mean(y[k // 2 * 2 :][:2]) < row + 1
        }
        assert [a < min(3, 0.5 + 5 * b) for a in a_shown] == [
            i < left for i in range(len(a_shown))
        ]
    assert pictures.lowest(values[::-1]) == (10, 0.01)


def test_a_table_without_the_limit_and_with_a_lightest_shade():
    _, (ax,) = plots.figure()
    pictures.draw_priors(ax, 40 * np.eye(9), form="{:.0f}", top=30, limit=False)
    assert not ax.lines and ax.collections[0].norm.vmax == 30


def test_a_frame_lies_in_the_cell_of_its_prior():
    _, (ax,) = plots.figure()
    pictures.frame_prior(ax, "black", 3, 0.5, shown=SHOWN)
    pictures.frame_prior(ax, "black", 5, 0.1, shown=(experiments.A, experiments.B))
    whole = ax.patches[1].get_bbox()
    assert (int(whole.x0), int(whole.y0)) == (
        experiments.A.index(5),
        experiments.B.index(0.1),
    )
    frame, (a_shown, b_shown) = ax.patches[0].get_bbox(), SHOWN
    assert (int(frame.x0), int(frame.y0)) == (a_shown.index(3), b_shown.index(0.5))
    assert (int(frame.x1), int(frame.y1)) == (a_shown.index(3), b_shown.index(0.5))
