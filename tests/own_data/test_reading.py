"""What a table's text means: every way of writing a number, of leaving a cell empty and of
beginning a file is read rightly with a line that says so, or refused with a way out."""

import csv
import datetime
import re
import shlex

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from vbkit.__main__ import main
from vbkit.own_data.preparation import prepare
from vbkit.own_data.table import read_table


def read(tmp_path, text, name="table.csv", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(path, **options)


def said(table) -> str:
    return "\n".join(table.notes)


NUMBERS = {  # what a file holds, the values of its first column, and what is said of it
    "tabs, decimal comma": (
        "a\tb\n0,0\t0,5\n4,0\t1,0\n-2,5\t4,5\n",
        [0, 4, -2.5],
        "'a', 'b' are read with a decimal comma",
    ),
    "semicolons, decimal comma": (
        "a;b\n1,500;2\n2,25;3\n",
        [1.5, 2.25],
        "decimal comma",
    ),
    "quoted decimal comma": (
        'a,b\n"1,5",x y\n"2,25",z\n',
        [1.5, 2.25],
        "decimal comma",
    ),
    "both marks": ("a;b\n1.234,56;2\n7,5;3\n", [1234.56, 7.5], "'1.234,56' is 1234.56"),
    "English marks": (
        'a,b\n"1,234.56",2\n7.5,3\n',
        [1234.56, 7.5],
        "'1,234.56' is 1234.56",
    ),
    "millions": ("a\tb\n1,234,567\t2\n5\t3\n", [1234567, 5], "'1,234,567' is 1234567"),
    "Indian": ("a\tb\n12,34,567\t2\n5\t3\n", [1234567, 5], "is 1234567"),
    "blanks between thousands": ("a;b\n1 234,5;2\n7,5;3\n", [1234.5, 7.5], "is 1234.5"),
    "thin blanks": ("a;b\n1\u202f234;2\n1\u00a0235;3\n", [1234, 1235], "is 1234"),
    "Swiss": ("a;b\n1'234.5;2\n7;3\n", [1234.5, 7], "is 1234.5"),
    "a comma that the file's points explain": (
        'a,b\n"1,234",2.5\n"2,345",3.5\n',
        [1234, 2345],
        "'1,234' is 1234",
    ),
    "a comma that the file's commas explain": (
        "a\tb\n1,234\t2,5\n2,345\t3,5\n",
        [1.234, 2.345],
        "'1,234' is 1.234",
    ),
    "a point that the file's commas explain": (
        "a;b\n1.234;2,5\n2.345;3,5\n",
        [1234, 2345],
        "'1.234' is 1234",
    ),
    "a zero before": ("a\tb\n0,123\t2\n1,234\t3\n", [0.123, 1.234], "'0,123' is 0.123"),
    "small numbers beside": (
        'a\tb\n"1,234"\t2\n950\t3\n',
        [1234, 950],
        "'1,234' is 1234",
    ),
    "commas in a comma file": (
        'a,b\n"1,230","1,046"\n"7,916","1,186"\n',
        [1230, 7916],
        "'1,230' is 1230 (--decimal comma reads it as 1.23)",
    ),
    "percent": ("a,b\n12%,x\n5.5 %,y\n", [12, 5.5], "without '%': '5.5 %' is 5.5"),
    "dollars": ("a,b\n$0.77,1.5\n$23.05,6.2\n", [0.77, 23.05], "without '$'"),
    "euros behind": ("a;b\n1.200,50 €;1\n3,00 €;2\n", [1200.5, 3], "without '€'"),
    "codes of money": ("a,b\nUSD 5,1\nUSD 7.5,2\n", [5, 7.5], "without 'USD'"),
    "losses in brackets": ("a,b\n$(5.50),1\n$7,2\n", [-5.5, 7], "'$(5.50)' is -5.5"),
    "brackets around": ("a,b\n($5.50),1\n$7,2\n", [-5.5, 7], "'($5.50)' is -5.5"),
    "minus signs": ("a,b\n\u22121.5,1\n\u20132,2\n", [-1.5, -2], "'\u22121.5' is -1.5"),
    "a minus behind": ("a,b\n5.5-,1\n2,2\n", [-5.5, 2], "'5.5-' is -5.5"),
    "a unit in each cell": (
        "a,b\n170 cm,1\n182.5 cm,2\n",
        [170, 182.5],
        "without 'cm'",
    ),
    "powers of ten": ("a;b\n1,0E+02;1\n2,5e-1;2\n", [100, 0.25], "decimal comma"),
    "a decimal comma in a power": (
        'a,b\n"1,000000E+06",1\n"2,500000E+06",2\n',
        [1e6, 2.5e6],
        "decimal comma",
    ),
    "nothing to say": ("a,b\n1.234,1\n-2e3,2\n", [1.234, -2000], ""),
    "a row of units": (
        "a,b\ncm,kg\n1.5,1\n2.5,2\n",
        [1.5, 2.5],
        "Line 2, 'cm,kg', holds units",
    ),
    "a title": ("Sales of 2020\na,b\n1,2\n3,4\n", [1, 3], "'Sales of 2020', is no row"),
    "a title and blanks": (
        "Sales,,\n\na,b,c\n1,2,7\n3,4,9\n",
        [1, 3],
        "'Sales,,', is no row",
    ),
    "a comment": ("# made by hand\na,b\n1,2\n3,4\n", [1, 3], "is no row"),
    "names in a comment": ("# a b\n1 2\n3 4\n", [1, 3], ""),  # numpy.savetxt
    "a hint to spreadsheets": (
        "sep=;\na;b\n1,5;2\n3,5;4\n",
        [1.5, 3.5],
        "decimal comma",
    ),
    "pipes": ("a|b\n1|2\n3|4\n", [1, 3], ""),
    "blanks": ("a   b\n 1   2\n 3  4 \n", [1, 3], ""),
    "a comma in a name": ("a;h, cm;w, kg\n1;2.5;3\n2;3.5;4\n", [1, 2], ""),
    "blanks after commas": ('a, "b, c", d\n1, 2, 3\n3, 4, 5\n', [1, 3], ""),
    "UTF-16": ("a,b\n1,2\n3,4\n".encode("utf-16"), [1, 3], "UTF-16"),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_are_read_and_it_is_said_how(case, tmp_path):
    text, values, words = NUMBERS[case]
    table = read(tmp_path, text)
    first = next(iter(table.cells))
    assert first == "a" and table.cells["a"].dtype == float
    np.testing.assert_allclose(table.cells["a"], values, rtol=1e-15)
    assert words in said(table) and (words or not table.notes)


REFUSED = {
    "a comma that nothing explains": (
        "a\tb\n1,234\t2\n2,345\t3\n",
        "'1,234' in row 1 of column 'a' is 1234 or 1.234: add --decimal",
    ),
    "two currencies": ("a,b\n$5,1\n€7,2\n$8,4\n", "'a' has '€7' in row 2"),
    "percent and shares": ("a,b\n5%,1\n0.07,2\n8%,4\n", "'a' has '0.07' in row 2"),
    "points and commas": ("a;b\n1,5;1\n2.5;2\n3,5;3\n", "'a' has '2.5' in row 2"),
    "a word among numbers": ("a,b\n1,x\n2,y\nsix,x\n7,y\n", "--words 'a'"),
    "millions and thousands": (
        "n,a,b\np,$1.2M,$5K\nq,$340K,$2M\nr,$7M,$1K\n",
        "'a' has '$1.2M' in row 1 of the data, a number in another unit than",
    ),
    "kilograms and pounds": (
        "a,b\n5 kg,x\n11 lb,y\n6 kg,x\n13 lb,y\n5 kg,x\n",
        "'a' has '11 lb' in row 2",
    ),
    "a spreadsheet": (b"PK\x03\x04\x14\0\x06\0", "save it as CSV"),
    "a packed file": (b"\x1f\x8b\x08\x08\xff\xfe", "unpack"),
    "another encoding": ("a,b\n1,ä\n2,é\n".encode("latin-1"), "--encoding"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_decided_is_refused_with_a_way_out(case, tmp_path):
    text, words = REFUSED[case]
    with pytest.raises(ValueError, match=re.escape(words)):
        read(tmp_path, text)


GAPS = {
    "empty cells": (
        "a,b,c,d,e\n1,,3,1,1\n2,?,4,1,2\n3,5,NA,2,1\n4,7,1,3,5\n5,7,1,3,5\n6,7,1,3,5\n",
        "3 cells in 3 of 6 rows and 2 of 5 columns hold no value, the first of them in "
        "row 1, column 'b' (''); add --drop-incomplete to leave out these rows, or "
        "--leave-out 'b,c'",
    ),
    "an infinite number": ("a,b\n1,inf\n2,3\n4,5\n", "column 'b' ('inf')"),
}


@pytest.mark.parametrize("case", GAPS)
def test_cells_without_a_value_are_told_with_ways_out(case, tmp_path):
    text, words = GAPS[case]
    table = read(tmp_path, text)
    assert words in table.incomplete
    assert any(words in note for note in prepare(table).notes)
    with pytest.raises(ValueError, match=re.escape(words) + ".*--family columns"):
        prepare(table, "gaussian")


def test_a_column_that_the_chosen_style_does_not_read_is_refused(tmp_path):
    text = "x;y\n1.5;2,5\n2.25;3,5\n3.75;4,5\n"
    with pytest.raises(ValueError, match="'x' has '1.5' in row 1 .* --words 'x'"):
        read(tmp_path, text, decimal="comma")
    table = read(tmp_path, text, decimal="comma", words=["x"])
    assert table.cells["y"].tolist() == [2.5, 3.5, 4.5]
    assert table.cells["x"].tolist() == ["1.5", "2.25", "3.75"]


def test_text_of_a_parquet_file_is_not_read_as_if_between_semicolons(tmp_path):
    table = pa.table({"a": ["1,234", "2,345"], "b": [2.0, 3.0]})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="is 1234 or 1.234: add --decimal"):
        read_table(tmp_path / "a.parquet")


def test_the_options_of_reading_decide_what_is_left_open(tmp_path):
    text = "a\tb\n1,234\t2\n2,345\t3\n"
    assert read(tmp_path, text, decimal="comma").cells["a"].tolist() == [1.234, 2.345]
    assert read(tmp_path, text, decimal="point").cells["a"].tolist() == [1234, 2345]
    text = "a,b\nä,1\né,2\nä,4\n".encode("latin-1")
    assert read(tmp_path, text, encoding="latin-1").cells["a"].tolist() == [
        "ä",
        "é",
        "ä",
    ]
    with pytest.raises(ValueError, match="no encoding 'klingon'"):
        read(tmp_path, text, encoding="klingon")
    with pytest.raises(ValueError, match="not text in ascii"):
        read(tmp_path, text, encoding="ascii")


MARKS = (
    "?",
    "-",
    "--",
    ".",
    "NA",
    "n/a",
    "None",
    "",
    "*",
    "unknown",
    "NULL",
    "#DIV/0!",
)


@pytest.mark.parametrize("mark", MARKS)
def test_rows_with_empty_cells_are_dropped_when_asked(mark, tmp_path):
    text = f"a,b\n1,7\n{mark},8\n3,9\n"
    words = "1 cell in 1 of 3 rows and 1 of 2 columns holds no value"
    whole = read(tmp_path, text)
    assert words in whole.incomplete
    assert np.isnan(whole.cells["a"]).tolist() == [False, True, False]
    table = read(tmp_path, text, drop_incomplete=True)
    assert table.incomplete == ""
    assert table.cells["a"].tolist() == [1, 3] and table.rows == ["1", "3"]
    assert "1 of 3 rows is incomplete and left out" in said(table)


def test_only_ways_out_that_lead_somewhere_are_offered(tmp_path):
    few = "a,b\n1,?\n?,2\n3,?\n"
    words = read(tmp_path, few).incomplete
    assert words.endswith("column 'b' ('?'); fill in some of them")
    words = read(tmp_path, "a,b\n1,2\n?,2\n3,4\n").incomplete
    assert words.endswith("add --drop-incomplete to leave out these rows")
    words = read(tmp_path, "a,b,c\n1,2,\n3,4,\n5,6,1\n").incomplete
    assert words.endswith("add --leave-out 'c' to leave out this column")


def test_dropping_keeps_labels_beside_their_rows_and_may_leave_too_few(tmp_path):
    text = "kind,a,b\nx,1,7\ny,,8\nz,3,9\n,4,1\n"
    table = read(tmp_path, text, labels="kind", drop_incomplete=True)
    assert table.labels.tolist() == ["x", "z", ""] and table.rows == ["1", "3", "4"]
    with pytest.raises(ValueError, match="0 rows"):
        read(tmp_path, "a,b\n1,\n,2\n", drop_incomplete=True)


def test_a_column_without_any_value_is_left_out_aloud(tmp_path):
    table = read(tmp_path, "a,remarks,b\n1,,2\n3,,4\n")
    assert [*table.cells] == ["a", "b"] and "'remarks' is empty" in said(table)


def test_question_marks_in_whole_numbers_are_no_word(tmp_path):
    rng = np.random.default_rng(1)
    rows = rng.integers(1, 10, (40, 3)).astype(str)
    rows[::7] = "?"
    text = "a,b,c\n" + "\n".join(map(",".join, rows)) + "\n"
    words = "18 cells in 6 of 40 rows and 3 of 3 columns"
    assert words in read(tmp_path, text).incomplete
    assert len(read(tmp_path, text, drop_incomplete=True).rows) == 34


def test_namibia_is_a_word(tmp_path):
    text = "country,plan\nNA,pro\nDE,None\nNA,pro\nFR,-\n"
    words = read(tmp_path, text).incomplete
    assert re.search("--words 'country' if .*'NA' is a word", words)
    table = read(tmp_path, text, words=["country"])
    assert table.cells["country"].tolist() == ["NA", "DE", "NA", "FR"]
    assert table.cells["plan"].tolist() == ["pro", "None", "pro", "-"]


def test_codes_of_answers_are_words(tmp_path):
    table = read(tmp_path, "a,b\n1a,18-24\n1b,25+\n2a,<18\n1b,18-24\n")
    assert table.cells["a"].tolist() == ["1a", "1b", "2a", "1b"]
    assert table.cells["b"].tolist() == ["18-24", "25+", "<18", "18-24"]


# ---- the first line ----

IRIS = "4.5,3.7,1.7,0.2,kind-0\n5.9,3.3,4.2,1.6,kind-1\n6.2,3.1,5.5,2.3,kind-1\n"
IRIS += "5.2,2.7,1.6,0.1,kind-0\n"

FIRST = {  # a file, its columns, and how many rows it has
    "numbers and classes": (IRIS, [f"column {i}" for i in range(1, 6)], 4),
    "an empty cell in it": (
        "1.5,?,x\n2.5,7,y\n3,8,x\n4,9,y\n",
        ["column 1", "column 2", "column 3"],
        3,
    ),
    "names of rows": (
        "aardvark,1,0,0\nbear,1,1,0\nbass,0,0,1\nboar,1,1,1\n",
        ["column 2", "column 3", "column 4"],
        4,
    ),
    "letters": (
        "p,x,s\ne,x,s\np,y,b\ne,x,b\np,y,s\n",
        ["column 1", "column 2", "column 3"],
        5,
    ),
    "years": (
        "country,1990,1991,1992\nA,1.5,2,3\nB,2,3,4\nC,3,3,5\n",
        ["1990", "1991", "1992"],
        3,
    ),
    "names": ("x,y,kind\n1,2,a\n3,4,b\n5,6,a\n", ["x", "y", "kind"], 3),
    "names that begin with a number": (
        "2010 sales,25%,1st\n1,2,3\n3,4,6\n5,6,7\n",
        ["2010 sales", "25%", "1st"],
        3,
    ),
    "money without names": ("$5,1\n$7,2\n$9,4\n", ["column 1", "column 2"], 3),
    "all words": (
        "size,colour\nbig,red\nsmall,blue\nbig,blue\n",
        ["size", "colour"],
        3,
    ),
    "row names without a name, as R writes them": (
        '"mpg" "cyl"\n"Mazda" 21 6\n"Datsun" 22.8 4\n',
        ["mpg", "cyl"],
        2,
    ),
}


@pytest.mark.parametrize("case", FIRST)
def test_the_first_line_is_data_or_names(case, tmp_path):
    text, names, count = FIRST[case]
    table = read(tmp_path, text, drop_incomplete=True)
    assert [*table.cells] == names and len(table.rows) == count
    has_numbers = names[0].startswith("column")
    assert ("first line is a row, not names" in said(table)) == has_numbers


def test_whether_the_first_line_names_columns_can_be_said(tmp_path):
    table = read(tmp_path, IRIS, header="yes")
    assert [*table.cells][0] == "4.5" and len(table.rows) == 3
    table = read(tmp_path, "x,y\nx,z\nu,y\n", header="no")
    assert table.cells["column 1"].tolist() == ["x", "x", "u"]


# ---- names ----


def test_names_with_commas_and_blanks_can_be_asked_for(tmp_path, capsys):
    text = '"height, cm","weight,\nkg", b ,c\n1,2,5,3\n3,4,6,5\n4,4,7,6\n'
    names = ["height, cm", "weight, kg", "b", "c"]
    assert [*read(tmp_path, text).cells] == names
    for asked in (["height, cm"], ['"height, cm"']):
        assert [*read(tmp_path, text, leave_out=asked).cells] == names[1:]
    assert [*read(tmp_path, text, leave_out=["c, b"]).cells] == names[:2]
    assert [*read(tmp_path, text, leave_out=['b,"weight, kg"']).cells] == [
        "height, cm",
        "c",
    ]
    assert [*read(tmp_path, text, leave_out=["b", "c"]).cells] == names[:2]
    assert read(tmp_path, text, labels=" c ").labels.tolist() == ["3", "5", "6"]


ADVICE = {  # columns of these kinds, and a family that refuses such a table
    "mostly binary": ("yyyyn", "bernoulli"),
    "numbers among words": ("wwwwn", "diagonal"),
    "words among numbers": ("nnnnw", "diagonal"),
    "empty cells": ("nnnne", "diagonal"),
}
NAMES = ["a, b", 'c "d" e', "it's", "-x", 'f,"g" h\'']


@pytest.mark.parametrize("case", ADVICE)
def test_advice_can_be_followed(case, tmp_path, capsys):
    """A shell takes what is printed, and the command then takes it, whatever the names are."""
    kinds = {
        "y": lambda i, d: (i + i // (d + 2)) % 2,
        "w": lambda i, d: "pqr"[(i + i // (d + 2)) % 3],
        "n": lambda i, d: i * i / 4 + d,
        "e": lambda i, d: i if i % 2 else "",
    }
    columns, family = ADVICE[case]
    for turn in range(len(NAMES)):
        names = NAMES[turn:] + NAMES[:turn]
        path = tmp_path / f"{turn}.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            for i in range(12):
                writer.writerow([kinds[k](i, d) for d, k in enumerate(columns)])
        command = ["fit", str(path), "--to", str(tmp_path / f"to {turn}")]
        assert main([*command, "--family", family]) == 2
        words = capsys.readouterr().err.split("--leave-out", 1)[1]
        asked = shlex.split("--leave-out" + words.rstrip().rstrip(")"))
        asked = asked[:1] if "=" in asked[0] else asked[:2]
        asked[-1] = asked[-1].rstrip(",:;")
        assert main([*command, *asked]) == 0, (asked, capsys.readouterr().err)
        assert "4 columns" in capsys.readouterr().out


def test_states_and_countries_are_categories_and_names_are_not(tmp_path):
    rng = np.random.default_rng(0)

    def table(levels, size):
        rows = [f"place {i % levels},{'xy'[rng.integers(2)]}" for i in range(size)]
        return read(tmp_path, "place,answer\n" + "\n".join(rows) + "\n")

    for levels, size in ((51, 102), (200, 500), (50, 60)):
        assert len(prepare(table(levels, size)).levels["place"]) == levels
    for levels, size in ((51, 60), (300, 5000)):
        with pytest.raises(
            ValueError, match=f"{levels} different values in {size} rows"
        ):
            prepare(table(levels, size))


def test_codes_and_ids_get_a_note(tmp_path):
    order = np.random.default_rng(0).permutation(20)
    rows = "".join(f"{i + 1},{i % 3}.5,0{1000 + 7 * i}\n" for i in order)
    notes = said(read(tmp_path, "key,a,zip\n" + rows))
    assert "'zip' begin with 0, as codes do" in notes
    assert "'key' holds each whole number from 1 to 20 once" in notes
    rows = "".join(f"{7 * i + i % 3},{i % 3}.5\n" for i in order)
    assert "'customer_id'" in said(read(tmp_path, "customer_id,a\n" + rows))
    assert not read(tmp_path, "height,a\n" + rows).notes


# ---- Parquet ----


def test_parquet_has_durations_and_words_that_are_numbers(tmp_path):
    spans = [datetime.timedelta(minutes=m) for m in (1, 2, 4)]
    table = pa.table({"a": spans, "b": ["1,5", "2,5", "3,5"], "c": [1.0, None, 3.0]})
    parquet.write_table(table, tmp_path / "a.parquet")
    found = read_table(tmp_path / "a.parquet", leave_out=["c"])
    assert found.cells["a"].tolist() == [60, 120, 240] and "'a' is in seconds" in said(
        found
    )
    assert found.cells["b"].tolist() == [1.5, 2.5, 3.5] and "decimal comma" in said(
        found
    )
    words = "1 cell in 1 of 3 rows and 1 of 3 columns holds no value"
    assert words in read_table(tmp_path / "a.parquet").incomplete


# ---- rows that have a cell more than the first line ----


def test_a_cell_more_in_each_row_is_a_comma_too_many_or_the_names_of_rows(tmp_path):
    table = read(tmp_path, "a,b\n1,2,\n3,4,\n")
    assert {name: values.tolist() for name, values in table.cells.items()} == {
        "a": [1, 3],
        "b": [2, 4],
    }
    table = read(tmp_path, "a b\n1 5 2\n2 6 4\n")
    assert table.rows == ["1", "2"] and table.cells["a"].tolist() == [5, 6]
    with pytest.raises(
        ValueError, match="line 2: '1,5,2'; it has 3 fields, the first line has 2"
    ):
        read(tmp_path, "a,b\n1,5,2\n1,6,4\n")


def test_incomplete_rows_are_dropped_before_rows_become_columns(tmp_path):
    text = "item,u,v,w\np,1,0,1\nq,?,1,1\nr,0,0,1\n"
    table = read(tmp_path, text, transpose=True, drop_incomplete=True)
    assert [*table.cells] == ["p", "r"] and table.rows == ["u", "v", "w"]
    assert "1 of 3 rows is incomplete" in said(table)


def test_columns_of_few_numbers_among_others_are_told(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal():.3f},{n % 5},{n % 2}" for n in range(100)]
    table = read(tmp_path, "\n".join(["price,stars,flag", *rows]))
    told = " ".join(prepare(table).notes)
    assert "at most 10 different numbers: 'stars', 'flag'." in told
    assert "--leave-out 'stars,flag' looks for groups without them" in told
    alone = read(
        tmp_path, "\n".join(["stars,grade", *[f"{n % 5},{n % 7}" for n in range(100)]])
    )
    assert "different numbers" not in " ".join(prepare(alone).notes)


MARKED = """name\tage\tcity\tplan
Ada\t31\tBonn\tx
Bob\t-\t-\ty
Cem\t44\tUlm\t.
Dot\t52\t-\tx
"""


def test_a_mark_of_a_missing_number_counts_in_columns_of_words_too(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text(MARKED)
    table = read_table(path)
    assert table.cells["city"].tolist() == ["Bonn", None, "Ulm", None]
    assert table.cells["plan"].tolist() == ["x", "y", ".", "x"]
    notes = " ".join(table.notes)
    assert "'-' in column 'city' counts as missing, as it does in 'age'" in notes
    assert "'.' in column 'plan' is taken as a word" in notes
    kept = read_table(path, words=["city"])
    assert kept.cells["city"].tolist() == ["Bonn", "-", "Ulm", "-"]
    assert "'city'" not in " ".join(kept.notes)


def test_a_clock_within_sequences_is_told(tmp_path):
    rng = np.random.default_rng(0)
    rows = [(day, t, x) for day in (1, 2) for t, x in enumerate(rng.normal(size=30))]
    path = tmp_path / "t.csv"
    path.write_text("day,t,x\n" + "".join(f"{d},{t},{x:.3f}\n" for d, t, x in rows))
    notes = " ".join(prepare(read_table(path)).notes)
    assert "Column 't' counts up by one and begins again" in notes
    assert "--sequences 't'" in notes and "Column 'day' counts" not in notes
