"""Stored studies over priors come back, and their tables show what they are given."""

import numpy as np
import pytest

from vbkit import plots
from vbkit.course import tables_of_priors as tables

SHOWN = (0.03, 1, 3, 10), (0.01, 0.1, 0.5, 1, 3, 10)  # a few a and b of a table


def test_studies_come_back_as_they_were_stored():
    found = tables.study("kaji2011-surfaces")
    assert [*found] == ["clear", "mixed"] and found["clear"]["error"].shape == (
        100,
        9,
        9,
    )
    hunt = tables.study("kaji2011-minority")
    assert hunt[5]["found"].shape == hunt[10]["used"].shape == (100, 10, 3)


@pytest.mark.parametrize("shown", [SHOWN, (tables.A, tables.B)])
def test_the_even_tables_show_the_right_cells_and_the_line(shown):
    _, (ax,) = plots.figure()
    values = np.add.outer(100.0 * np.arange(9), np.arange(9))
    tables.draw_priors(ax, values, shown=shown, form="{:.1f}")
    a_shown, b_shown = shown
    place = {text.get_text(): text.get_position() for text in ax.texts}
    assert len(place) == len(a_shown) * len(b_shown)
    for i, a in enumerate(a_shown):
        for j, b in enumerate(b_shown):
            value = values[tables.A.index(a), tables.B.index(b)]
            assert place[f"{value:.1f}"] == (i + 0.5, j + 0.5)
    x, y = ax.lines[0].get_data()
    for row, b in enumerate(b_shown):
        across = slice(2 * row, 2 * row + 2)  # the step of this row
        assert y[across].tolist() == [row, row + 1]
        left = x[across][0]
        assert x[across][1] == left
        for i, a in enumerate(a_shown):
            assert (a < min(3, 0.5 + 5 * b)) == (i < left)
    assert tables.lowest_prior(values[::-1]) == (10, 0.01)


def test_a_table_without_the_limit_and_with_a_lightest_shade():
    _, (ax,) = plots.figure()
    tables.draw_priors(ax, 40 * np.eye(9), form="{:.0f}", top=30, limit=False)
    assert not ax.lines and ax.collections[0].norm.vmax == 30


def test_a_frame_lies_in_the_cell_of_its_prior():
    _, (ax,) = plots.figure()
    tables.frame_prior(ax, "black", 3, 0.5, shown=SHOWN)
    tables.frame_prior(ax, "black", 5, 0.1, shown=(tables.A, tables.B))
    whole = ax.patches[1].get_bbox()
    assert (int(whole.x0), int(whole.y0)) == (tables.A.index(5), tables.B.index(0.1))
    frame = ax.patches[0].get_bbox()
    a_shown, b_shown = SHOWN
    assert (int(frame.x0), int(frame.y0)) == (a_shown.index(3), b_shown.index(0.5))
    assert (int(frame.x1), int(frame.y1)) == (a_shown.index(3), b_shown.index(0.5))
