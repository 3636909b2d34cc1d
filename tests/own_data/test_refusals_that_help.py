"""A refusal names what is wrong: a title, names that come again, a limit of detection, and
numbers as Fortran writes them."""

import re

import numpy as np
import pytest

from vbkit.own_data.preparation import prepare
from vbkit.own_data.table import read_table

SIZE = 60


def written(tmp_path, lines):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def rows(size=SIZE):
    rng = np.random.default_rng(0)
    return [",".join(f"{x:.2f}" for x in row) for row in rng.normal(size=(size, 4))]


def refusal(tmp_path, lines, **said) -> str:
    with pytest.raises(ValueError) as error:
        prepare(read_table(written(tmp_path, lines), **said))
    return str(error.value)


def test_a_title_above_the_names_is_told(tmp_path):
    said = refusal(tmp_path, ["Report_B,3/13/2015,,", "a,b,c,d", *rows()])
    assert "line 1: 'Report_B,3/13/2015,,'" in said
    assert "looks like a title, not like names of columns" in said
    assert "take this line out" in said


def test_a_title_between_comments_is_told_by_its_line(tmp_path):
    lines = ["# by hand", "Report_B,3/13/2015,,", "a,b,c,d", *rows()]
    assert "line 2: 'Report_B,3/13/2015,,'" in refusal(tmp_path, lines)


def test_two_columns_of_one_name_are_told_as_before(tmp_path):
    assert "two columns called 'a'" in refusal(tmp_path, ["a,b,a,", *rows()])


@pytest.mark.parametrize("place", [1, 31, SIZE])
def test_names_that_come_again_are_told_by_their_line(tmp_path, place):
    lines = ["a,b,c,d", *rows()]
    lines.insert(place + 1, lines[0])
    said = refusal(tmp_path, lines)
    assert f"line {place + 2}: 'a,b,c,d'; it repeats the names of line 1" in said
    assert "take it out" in said
    assert "'a'" not in said


def test_rows_of_words_may_come_again(tmp_path):
    words = ["yes,no,yes", "no,no,no", "yes,no,yes", "yes,yes,no"] * 5
    assert len(read_table(written(tmp_path, words)).rows) == 20


def fortran(values) -> list[str]:
    return [f"{x:.6E}".replace("E", "D") for x in values]


@pytest.mark.parametrize("mark", [" ", ","])
def test_exponents_of_fortran_are_numbers(tmp_path, mark):
    values = np.random.default_rng(0).lognormal(0, 9, (SIZE, 3))
    lines = [mark.join(fortran(row)) for row in values]
    table = read_table(written(tmp_path, [mark.join("abc"), *lines]))
    assert not table.words
    np.testing.assert_allclose(
        np.column_stack([*table.cells.values()]), values, rtol=1e-6
    )
    (note,) = [note for note in table.notes if "Fortran" in note]
    assert "'a', 'b', 'c'" in note and "D" in note
    assert not [
        note for note in read_table(written(tmp_path, ["a,b", "1e5,2", "2,3"])).notes
    ]


def test_few_numbers_of_fortran_are_no_categories(tmp_path):
    lines = [f"{n % 3}.1d+00 {n * 7 % 11}.5" for n in range(SIZE)]
    table = read_table(written(tmp_path, ["x y", *lines]))
    assert table.cells["x"].tolist() == [n % 3 + 0.1 for n in range(SIZE)]


@pytest.mark.parametrize("row", [0, 1, 30])
def test_an_exponent_without_its_letter_is_refused_where_it_stands(tmp_path, row):
    values = np.random.default_rng(0).lognormal(0, 9, (SIZE, 3))
    lines = [" ".join(fortran(each)) for each in values]
    cells = lines[row].split()
    lines[row] = " ".join([cells[0], "5.687138413593-304", cells[2]])
    said = refusal(tmp_path, ["a b c", *lines])
    assert f"column 'b' has '5.687138413593-304' in row {row + 1} of the data" in said
    assert "no number like most of its cells" in said


def test_words_with_a_d_stay_words(tmp_path):
    lines = [f"D{n % 3},{n % 4}d-5x,{n}" for n in range(SIZE)]
    assert read_table(written(tmp_path, ["a,b,c", *lines])).words == ["a", "b"]


def test_too_many_categories_are_told_in_two_sentences(tmp_path):
    lines = [f"word {n},{n % 7}.5,x" for n in range(SIZE)]
    lines.append(lines[0])
    said = refusal(tmp_path, ["name,a,b", *lines])
    assert said == (
        "column 'name' has 60 different values in 61 rows, too many to learn from as "
        "categories; at most 30 are taken here. Add --leave-out 'name' to ignore the "
        "column, or --labels 'name' to keep it beside the results"
    )


def test_a_limit_of_detection_is_told_as_what_it_is(tmp_path):
    values = [f"{x:.3f}" for x in np.random.default_rng(0).lognormal(0, 1, SIZE)]
    values[2] = values[5] = "<0.02"
    lines = [f"{a},{b}" for a, b in zip(values, rows(), strict=True)]
    said = refusal(tmp_path, ["nitrate,a,b,c,d", *lines])
    assert (
        "column 'nitrate' has '<0.02' in row 3 of the data, a limit and no number"
        in said
    )
    assert "half of it" in said and "empty these cells" in said
    assert "--leave-out 'nitrate'" in said and "--words" not in said


def test_words_are_advised_only_where_they_are_taken(tmp_path):
    few = ["1", "2", "3", "many"] * 15
    lines = [f"{a},{b}" for a, b in zip(few, rows(), strict=True)]
    said = refusal(tmp_path, ["k,a,b,c,d", *lines])
    advice = re.search(r"--words '(\w)'", said)
    assert advice and advice[1] == "k"
    assert prepare(read_table(tmp_path / "table.csv", words=["k"])).levels["k"]
    many = [f"{n}" for n in range(SIZE - 1)] + ["many"]
    lines = [f"{a},{b}" for a, b in zip(many, rows(), strict=True)]
    assert "--words" not in refusal(tmp_path, ["k,a,b,c,d", *lines])
