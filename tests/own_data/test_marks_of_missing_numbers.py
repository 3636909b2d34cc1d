"""A number that seems to say "missing" gets a line before learning, and is never changed."""

import numpy as np
import pytest

from vbkit.own_data import read_ratings, read_table

SIZE = 60


def notes_on(tmp_path, column):
    """What is said of a table with a column, and its cells as they are read."""
    path = tmp_path / "table.csv"
    other = np.random.default_rng(1).normal(size=len(column)).round(3)
    lines = [f"{a},{b}" for a, b in zip(column, other, strict=True)]
    path.write_text("\n".join(["sun,other", *lines]) + "\n")
    table = read_table(path)
    return " ".join(table.notes), table.cells["sun"]


def column(low, high, digits=1):
    values = np.random.default_rng(0).uniform(low, high, SIZE).round(digits)
    return values if digits else values.astype(int)


MARKS = {  # a mark, and the least and the most of the numbers beside it
    "-9999": (80, 150),
    "-99999.0": (80, 150),
    "999": (18, 90),
    "9999": (-5, 5),
    "-1000000": (0, 999),
    "99": (1, 7),
}


@pytest.mark.parametrize("mark", MARKS)
def test_a_number_far_outside_in_several_rows_is_told(tmp_path, mark):
    values = column(*MARKS[mark], digits=0).astype(str).astype(object)
    values[[3, 7, 30, 31]] = mark
    said, cells = notes_on(tmp_path, values)
    assert (
        f"Column 'sun' has {float(mark):.15g} in 4 rows, far outside the others" in said
    )
    assert "empty these cells" in said
    assert (cells == float(mark)).sum() == 4


def test_what_may_be_measured_is_not_told(tmp_path):
    once = column(80, 150)
    once[5] = -9999
    wide = column(80, 150)
    wide[[3, 7, 30]] = 200
    flags = np.arange(SIZE) % 2
    stars = 1 + np.arange(SIZE) % 5
    two = np.where(np.arange(SIZE) % 2, 1000, 1)
    tail = np.exp(np.random.default_rng(0).normal(0, 3, SIZE)).round(2)
    groups = np.r_[column(0, 1)[:30], column(1000, 1001)[:30]]
    counts = np.random.default_rng(0).poisson(0.5, SIZE)
    for each in (once, wide, flags, stars, two, tail, groups, counts):
        assert "far outside" not in notes_on(tmp_path, each)[0], each


def ratings_notes(tmp_path, values):
    path = tmp_path / "r.csv"
    lines = [f"u{n // 8},i{n % 8},{value}" for n, value in enumerate(values)]
    path.write_text("\n".join(lines) + "\n")
    found = read_ratings(path)
    assert found.values.tolist() == [float(value) for value in values]
    return " ".join(found.notes)


def test_a_zero_below_a_scale_is_told(tmp_path):
    values = [0, 0, 5, 7, 0, 10, 0, 1] * 8
    said = ratings_notes(tmp_path, values)
    assert "0 is the most frequent rating, 32 of 64, and the others begin at 1" in said
    assert "take out these lines" in said


@pytest.mark.parametrize(
    "values",
    [[0, 1, 2, 3, 3, 3, 4, 5], [0.5, 0, 0, 0, 5, 4, 3, 2], [-1, 0, 0, 0, 1, 2, 3, 4]],
)
def test_a_zero_within_a_scale_is_not_told(tmp_path, values):
    assert "most frequent" not in ratings_notes(tmp_path, values * 8)


def test_likes_are_not_told(tmp_path):
    assert "most frequent" not in ratings_notes(tmp_path, [0, 0, 1, 0, 0, 1, 0, 0] * 8)
