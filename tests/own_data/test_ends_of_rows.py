"""A mark at the end of some rows, with nothing behind it, adds no cell; a cell too many does."""

import numpy as np
import pytest

from vbkit.own_data import read_ratings
from vbkit.own_data.table import read_table

ROWS = [[n + 0.5, 10 - n, n % 4 + 0.25] for n in range(9)]
MARKS = ",", ";", "\t", "|"


def lines(ends, mark=","):
    """The rows as text, each with its end."""
    return [mark.join(map(str, row)) + end for row, end in zip(ROWS, ends, strict=True)]


def written(tmp_path, names, rows):
    path = tmp_path / "file.csv"
    path.write_text("\n".join([*names, *rows]) + "\n")
    return path


def assert_whole(table, names="abc"):
    assert [*table.cells] == [*names]
    np.testing.assert_array_equal(np.column_stack([*table.cells.values()]), ROWS)


def ending(table):
    return [note for note in table.notes if "nothing behind" in note]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("with_mark", [[0], [1, 5], range(8), range(1, 9), range(9)])
def test_marks_at_the_ends_of_some_rows(mark, with_mark, tmp_path):
    ends = [mark if n in with_mark else "" for n in range(9)]
    table = read_table(written(tmp_path, [mark.join("abc")], lines(ends, mark)))
    assert_whole(table)
    verb = "line ends" if len(with_mark) == 1 else "lines end"
    start = f"{len(with_mark)} {verb} in {mark!r} with nothing behind it"
    assert ending(table) == [f"{start}; it is read as if it were not there."]


@pytest.mark.parametrize("ends", [[",,"] * 9, [",,", ",", "", ",,,", *[","] * 5]])
def test_several_marks_at_the_ends(ends, tmp_path):
    assert_whole(read_table(written(tmp_path, ["a,b,c"], lines(ends))))


@pytest.mark.parametrize("with_mark", [[], [2, 3], range(1, 9)])
def test_a_mark_at_the_end_of_the_first_line(with_mark, tmp_path):
    ends = ["," if n in with_mark else "" for n in range(9)]
    table = read_table(written(tmp_path, ["a,b,c,"], lines(ends)))
    assert_whole(table)
    assert ending(table)
    table = read_table(written(tmp_path, [], lines([",", *ends[1:]])))
    assert_whole(table, ["column 1", "column 2", "column 3"])


@pytest.mark.parametrize("others", ["", ","])
@pytest.mark.parametrize("place", [0, 4, 8])
def test_a_cell_too_many_is_refused_where_it_stands(others, place, tmp_path):
    ends = [others] * 9
    ends[place] = ",7"
    path = written(tmp_path, ["a,b,c"], lines(ends))
    with pytest.raises(ValueError) as error:
        read_table(path)
    row = lines(ends)[place]
    assert str(error.value) == (
        f"file.csv, line {place + 2}: {row!r}; it has 4 fields, the first line has 3: "
        "take out '7', name its column there, or put a field that holds ',' in double "
        "quotes"
    )


def test_a_column_without_a_name_has_no_short_rows(tmp_path):
    path = written(tmp_path, ["a,b,c,"], lines([",5", "", *[",6"] * 7]))
    with pytest.raises(ValueError, match="line 3.*3 fields, the first line has 4"):
        read_table(path)


def test_names_of_rows_as_r_writes_them_stay(tmp_path):
    rows = [f'"r{n}",{a},{b},NA' for n, (a, b, _) in enumerate(ROWS)]
    table = read_table(written(tmp_path, ['"a","b","c"'], rows))
    assert table.rows[:2] == ["r0", "r1"]
    assert table.cells["a"].tolist() == [row[0] for row in ROWS]
    rows[4] = '"r4",1,2'
    with pytest.raises(ValueError, match="line 6.*it has 3 fields, most lines have 4"):
        read_table(written(tmp_path, ['"a","b","c"'], rows))


def test_cells_that_lack_a_value_stay(tmp_path):
    table = read_table(written(tmp_path, ["a,b,c"], ["1,2,", "3,4,", "5,6,7", "8,9,"]))
    assert [*table.cells] == ["a", "b", "c"]
    assert np.isnan(table.cells["c"]).sum() == 3 and not ending(table)


RATINGS = {
    "names that are known": "user,item,rating\n7,30,4,\n8,30,2.5\n7,40,5,\n",
    "a column for each item": "user,30,40\n7,4,5,\n8,2.5,\n",
}


@pytest.mark.parametrize("kind", RATINGS)
def test_marks_at_the_ends_of_ratings(kind, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS[kind])
    found = read_ratings(path)
    assert found.values.tolist() in ([4, 2.5, 5], [4, 5, 2.5])
    assert ending(found)


def test_a_field_too_many_in_ratings_is_refused(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("user,item,rating\n7,30,4,\n8,30,2.5,x\n")
    with pytest.raises(ValueError, match="line 3: .*take out 'x'"):
        read_ratings(path)
