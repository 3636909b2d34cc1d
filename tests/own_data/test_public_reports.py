"""Tables and ratings in the forms that users of other libraries reported in public: each is read
rightly, or refused with a sentence that helps. The report stands beside each."""

import re

import numpy as np
import pytest

from vbkit.own_data import read_ratings
from vbkit.own_data.table import read_table

DATES = [f"0{n}.01.1990 00:00" for n in range(1, 5)]

TABLES = {  # the report: a file, its columns of numbers, and words that are said of it
    "pandas 10898: blank rows, units, a blank row": (
        " ;;;\n;;;\ndate;P1;P2;P3\n    ;m²;°C;A\n;;;\n"
        + "".join(f"{date};1,5;2;{n}\n" for n, date in enumerate(DATES)),
        {"P1": [1.5] * 4, "P2": [2] * 4, "P3": [0, 1, 2, 3]},
        "holds units",
    ),
    "readr 179: two rows of units": (
        "Name,T_NOCT,A_c,N_s\nUnits,C,m2,\n[0],cec_t_noct,cec_area,cec_n_s\n"
        "BE Default,65,0.67,18\nExample,65.5,0.67,18\n1Soltech,47.4,1.567,60\n",
        {"T_NOCT": [65, 65.5, 47.4], "A_c": [0.67, 0.67, 1.567], "N_s": [18, 18, 60]},
        "Lines 2 and 3, 'Units,C,m2,'",
    ),
    "explorer 781: a logger's four lines before the numbers": (
        '"TOA5","6843","CR3000","CPU"\n"TIMESTAMP","RECORD","Ux","Uy","Uz","co2"\n'
        '"TS","RN","m/s","m/s","m/s","mg/m^3"\n"","","Smp","Smp","Smp","Smp"\n'
        '"2012-06-07 13:00:00.05",7,0.468,-0.907,0.1785,659.7\n'
        '"2012-06-07 13:00:00.1",9,0.602,-1.0795,0.283,660.0\n',
        {"RECORD": [7, 9], "Ux": [0.468, 0.602], "co2": [659.7, 660]},
        "Line 1, 'TOA5,6843,CR3000,CPU', is no row",
    ),
    "CSV.jl 936: units in single quotes": (
        "Year, Month, Temperature, Oxygen\n'', '', 'oC', 'umol/kg'\n"
        "2020, 5, 26.7, 200\n2021, 1, 5.2, 156\n",
        {"Year": [2020, 2021], "Temperature": [26.7, 5.2]},
        "holds units",
    ),
    "pandas 22584: thousands, quoted": (
        'area_code,one,two\narea_1,"1,000","54,908"\narea_2,"2,000","56,932"\n',
        {"one": [1000, 2000], "two": [54908, 56932]},
        "'1,000' is 1000",
    ),
    "pandas 4598: pipes, and thousands with decimals": (
        "A|B|C\n1|2,334.01|5\n10|13|10\n",
        {"A": [1, 10], "B": [2334.01, 13], "C": [5, 10]},
        "'2,334.01' is 2334.01",
    ),
    "polars 18797: 1.299,99": (
        "price;rooms\n1.299,99;3\n899,50;2\n1.000.000,92;9\n",
        {"price": [1299.99, 899.5, 1000000.92], "rooms": [3, 2, 9]},
        "is 1000000.92",
    ),
    "wligithub/tax-tool 16: Excel in French": (
        "\ufeffQuantité;Prix;Gain\n\u202f12;1\u202f234,50 €;12,5 %\n3;99,00 €;-3 %\n",
        {"Quantité": [12, 3], "Prix": [1234.5, 99], "Gain": [12.5, -3]},
        "without '€'",
    ),
    "SheetJS/ssf 43: Brazil, exported in English": (
        'when,name,a,b,c,d\n29/07/16 15:00,Test,10,"2,590","7,770",2%\n'
        '29/07/16 13:00,Test,143,766,"2,298",2%\n29/07/16 17:00,Composta,231,730,"2,190",3%\n',
        {
            "a": [10, 143, 231],
            "b": [2590, 766, 730],
            "c": [7770, 2298, 2190],
            "d": [2, 2, 3],
        },
        "without '%'",
    ),
    "arquero 165: comments above the names, as NOAA writes them": (
        "# ----\n# USE OF NOAA DATA, please cite\n#\nyear,mean,unc\n1959,315.97,0.12\n"
        "1960,316.91,0.12\n",
        {"year": [1959, 1960], "mean": [315.97, 316.91], "unc": [0.12, 0.12]},
        "is no row",
    ),
    "UCI's auto-mpg: blanks, a tab before a quoted name, no names of columns": (
        '18.0   8   307.0      130.0\t"chevrolet chevelle malibu"\n'
        '15.0   8   350.0      165.0\t"buick skylark 320"\n'
        '25.0   4   98.00      ?\t"ford pinto"\n',
        {"column 1": [18, 15], "column 3": [307, 350], "column 4": [130, 165]},
        "1 of 3 rows is incomplete",
    ),
    "imbalanced-learn 193: UCI's breast cancer with ? and ids, no names": (
        "1000025,5,1,1,1,2,1,3\n1002945,5,4,4,5,7,10,3\n1057013,8,4,5,1,2,?,7\n"
        "1015425,3,1,1,1,2,2,3\n",
        {"column 1": [1000025, 1002945, 1015425], "column 7": [1, 10, 2]},
        "The first line is a row",
    ),
    "pandas 15910, 13879: a quote in the middle of a cell": (
        "size,inches\n5'10\",70\n6'0\",72\n5'10\",70\n",
        {"inches": [70, 72, 70]},
        "",
    ),
    "R's write.table": (
        '"Sepal.Length" "Species"\n"1" 5.1 "setosa"\n"2" 4.9 "setosa"\n"3" 7 "virginica"\n',
        {"Sepal.Length": [5.1, 4.9, 7]},
        "without a name, is taken as the names of the rows",
    ),
    "jasp-desktop 403: European thousands, with tabs": (
        "a\tb\n1.234.567,89\t-3,5\n12,00\t\u22124,25\n",
        {"a": [1234567.89, 12], "b": [-3.5, -4.25]},
        "another sign for minus",
    ),
    "pandas 7340: the sign with which DOS ends a file": (
        "a,b\r\n1,2\r\n3,4\r\n\x1a",
        {"a": [1, 3], "b": [2, 4]},
        "",
    ),
    "PapaParse 43: tabs, and lines that end as on an old Mac": (
        "a\tb\r1\t2\r3\t4\r",
        {"a": [1, 3], "b": [2, 4]},
        "",
    ),
    "CSV.jl 596: a table of markdown": (
        "no | active | temp\n-- | :--: | --\n502 | True | 7.5\n503 | False | 8\n"
        "509 | True | 1\n",
        {"no": [502, 503, 509], "temp": [7.5, 8, 1]},
        "Line 2, '--|:--:|--', is a rule below the names; it is no row.",
    ),
    "psql: a rule with crosses": (
        " a | b \n---+---\n 1 | 2\n 3 | 4\n",
        {"a": [1, 3], "b": [2, 4]},
        "Line 2, '---+---', is a rule",
    ),
    "ObjCSV 11: formulas that keep Excel from reading numbers": (
        'id;a;b;c\n="0012";="1,5";2;="x"\n="0013";"=""3,5""";4;z\n="0044";5,25;6;="z"\n',
        {"a": [1.5, 3.5, 5.25], "b": [2, 4, 6]},
        "",
    ),
    "data.table 6604: quoted decimal commas between commas": (
        '13800,10864,"27,03","3,2"\n13817,10869,"28,3","4,25"\n',
        {"column 1": [13800, 13817], "column 3": [27.03, 28.3]},
        "'27,03' is 27.03",
    ),
}


def path_of(tmp_path, content):
    path = tmp_path / "file.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("report", TABLES)
def test_a_reported_table_is_read(report, tmp_path):
    text, columns, words = TABLES[report]
    table = read_table(path_of(tmp_path, text), drop_incomplete=True)
    for name, values in columns.items():
        assert table.cells[name].dtype == float
        np.testing.assert_allclose(table.cells[name], values, rtol=1e-14)
    assert words in "\n".join(table.notes)


REFUSED_TABLES = {
    "pandas 13879: a quote that is never closed swallows rows": (
        'a,b\n1,2\n3,"4\n5,6\n7,8\n',
        "line 3: a quote is opened there and never closed",
    ),
    "pandas 4512: notes below the numbers": (
        "a,b\n1,2\n3,4\nSource: a bureau\n",
        "line 4: 'Source: a bureau'; it has 1 field, the first line has 2",
    ),
    "CTGAN 150: 'no' among numbers": (
        "a,b\n1,2\nno,3\n4,5\n2,2\n",
        "column 'a' has 'no' in row 2 of the data",
    ),
    "polars 16160: a line about the file that is longer than the table": (
        "C,NEMP.WORLD,PRICE,AEMO,000\nI,DISPATCH,RRP,EEP\nD,DISPATCH,50.5,1\n"
        "D,DISPATCH,51,2\nC,END OF REPORT,3\n",
        "line 1: 'C,NEMP.WORLD,PRICE,AEMO,000'; it has 5 fields, most lines have 4; take "
        "it out, or name each column once if it is their names",
    ),
    "farff 25: ARFF with blanks": (
        "@relation 'run$predictions'\n@attribute 'repeat' numeric\n@attribute fold "
        "numeric\n@data\n0 1\n0 2\n",
        """file.csv begins with "@relation 'run$predictions'", as ARFF does, the form of """
        "Weka: put one line with the names of its attributes in place of all lines down to "
        "@data",
    ),
    "dh-core 38: ARFF below comments, with commas": (
        "% 1. Title\n%\n@RELATION iris\n\n@ATTRIBUTE a  NUMERIC\n@ATTRIBUTE b NUMERIC\n"
        "\n@DATA\n5.1,3.5\n4.9,3.0\n",
        "file.csv begins with '@RELATION iris', as ARFF does",
    ),
    "SheetJS 458: a page that is called .xls": (
        '\n<html xmlns:o="urn:schemas">\n<body>\n<table border=1>\n<tr><td>1</td></tr>\n',
        "file.csv begins with '<html xmlns:o=\"urn:schemas\">', as a page of HTML or XML "
        "does: open it in a spreadsheet and save it as CSV",
    ),
}


@pytest.mark.parametrize("report", REFUSED_TABLES)
def test_a_reported_table_is_refused_with_a_way_out(report, tmp_path):
    text, words = REFUSED_TABLES[report]
    with pytest.raises(ValueError) as caught:
        read_table(path_of(tmp_path, text))
    assert words in str(caught.value)


INCOMPLETE_TABLES = {
    "countrycode 5: Namibia": (
        "iso,plan\nNA,a\nNC,b\nNA,a\nNE,b\n",
        "--words 'iso' if 'NA' is a word",
    ),
    "an empty column, and a gap beside it": (
        "a,b,c\n1,,2\n,,3\n4,,5\n7,,1\n",
        "1 cell in 1 of 4 rows and 1 of 2 columns holds no value",
    ),
}


@pytest.mark.parametrize("report", INCOMPLETE_TABLES)
def test_a_reported_table_with_gaps_is_told_of(report, tmp_path):
    text, words = INCOMPLETE_TABLES[report]
    assert words in read_table(path_of(tmp_path, text)).incomplete


NETFLIX = "CSV.jl 19: the Netflix Prize, a line for each film above its ratings"
THREE = {("7", "30", 4.0), ("8", "30", 2.5), ("7", "40", 5.0)}

RATINGS = {  # the report: a file, and options of reading
    "Surprise 41: the first line names the columns": (
        "userId,movieId,rating,timestamp\n7,30,4.0,1\n8,30,2.5,2\n7,40,5.0,3\n",
        {},
    ),
    "Surprise 91: a tab, and a blank before the rating": (
        "7\t30\t 4\n8\t30\t 2.5\n7\t40\t 5\n\n",
        {},
    ),
    "Surprise 117: no names, digits, a time, blank lines at the end": (
        "7\t30\t4.00000000000\t1\n8\t30\t2.5\t1\n7\t40\t5\t1\n\n\n",
        {},
    ),
    "Surprise 309: a data frame with its index": (
        ",User_id,Item_id,Score\n0,7,30,4\n1,8,30,2.5\n2,7,40,5\n",
        {},
    ),
    "cornac 401: Book-Crossing, in another encoding": (
        '"User-ID";"ISBN";"Book-Rating";"Título"\n"7";"30";"4";"é"\n"8";"30";"2.5";"x"\n'
        '"7";"40";"5";"y"\n'.encode("latin-1"),
        {"encoding": "latin-1"},
    ),
    "lightfm 199: a data frame of users and items with NaN": (
        "user,30,40\n7,4.0,5.0\n8,2.5,NaN\n",
        {},
    ),
    "cf4j 2: semicolons": ("7;30;4\n8;30;2.5\n7;40;5\n", {}),
    "Surprise 314: a user rates an item again, later": (
        "7,30,1,100\n8,30,2.5,100\n7,40,5,100\n7,30,4,200\n",
        {"repeated": "last"},
    ),
    "tidyverse/readr 713: decimal commas": (
        "user;item;rating\n7;30;4\n8;30;2,5\n7;40;5\n",
        {},
    ),
    NETFLIX: ("30:\n7,4,2001-11-26\n8,2.5,2000-01-13\n40:\n7,5,2005-07-27\n", {}),
    "MovieLens 1M": ("7::30::4::978300760\n8::30::2.5::97\n7::40::5::97\n", {}),
}


@pytest.mark.parametrize("report", RATINGS)
def test_a_reported_file_of_ratings_is_read(report, tmp_path):
    text, options = RATINGS[report]
    found = read_ratings(path_of(tmp_path, text), **options)
    users = [found.users[row] for row in found.rows]
    items = [found.items[col] for col in found.cols]
    assert set(zip(users, items, found.values.tolist(), strict=True)) == THREE


def test_the_netflix_prize_is_told_as_what_it_is(tmp_path):
    found = read_ratings(path_of(tmp_path, RATINGS[NETFLIX][0]))
    assert found.notes == [
        "A line such as '30:' names the item of the lines below it, which begin with a "
        "user and a rating."
    ]


def test_braces_in_a_table_are_no_json(tmp_path):
    path = path_of(tmp_path, "{a},[b]\n1,2\n3,4\n")
    assert [*read_table(path).cells] == ["{a}", "[b]"]


def test_advice_on_json_makes_a_file_that_is_read(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    text = REFUSED_RATINGS["TiSASRec.pytorch 8: reviews in lines of JSON"][0]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError) as caught:
        read_ratings(path_of(tmp_path, text))
    exec(re.search(r"`(.*)`", str(caught.value))[1], {"pandas": pandas})
    found = read_ratings("file-table.csv", ["reviewerID", "asin", "overall"])
    assert found.values.tolist() == [5, 4]


@pytest.mark.parametrize("often", [5, 9])
def test_names_with_a_digit_are_no_money(often, tmp_path):
    """polars 16160: regions of a market, which look like 1 of a currency each."""
    regions = ["NSW1"] * often + ["QLD1", "VIC1", "SA1", "QLD1", "VIC1", "SA1"]
    lines = [f"{region},{n}.5" for n, region in enumerate(regions)]
    table = read_table(path_of(tmp_path, "\n".join(["region,price", *lines])))
    assert table.words == ["region"]
    assert table.cells["region"].tolist() == regions


def test_money_of_two_countries_is_still_refused(tmp_path):
    money = ["USD10", "USD11", "EUR10", "USD12", "USD10", "EUR10", "USD11", "USD12"]
    lines = [f"{cell},{n}.5" for n, cell in enumerate(money)]
    with pytest.raises(ValueError, match="'EUR10' in row 3 of the data"):
        read_table(path_of(tmp_path, "\n".join(["paid,price", *lines])))


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n--,--\n3,4\n", "a,b,c\n,--,\n1,2,3\n3,4,5\n"]
)
def test_other_rows_of_dashes_stay(text, tmp_path):
    assert len(read_table(path_of(tmp_path, text)).rows) == 3


def test_a_table_of_markdown_with_marks_around(tmp_path):
    text = "| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | 4 |\n"
    table = read_table(path_of(tmp_path, text))
    assert {name: each.tolist() for name, each in table.cells.items()} == {
        "a": [1, 3],
        "b": [2, 4],
    }


def test_names_of_people_that_begin_with_a_digit(tmp_path):
    """pranab/sifarish 10."""
    text = "1bhushan,3idiots,245\n1bhushan,satya,515\nneha,3idiots,234\n"
    found = read_ratings(path_of(tmp_path, text))
    assert found.users == ["1bhushan", "neha"] and found.items == ["3idiots", "satya"]


REFUSED_RATINGS = {
    "lenskit 589, Surprise 314: again": (
        "7,30,1\n8,30,2\n7,30,4\n",
        {"repeated": None},
        "--repeated mean",
    ),
    "RankSys 52: MovieLens' items in place of its ratings": (
        "1|Toy Story (1995)|01-Jan-1995||http://x|0|0|1\n"
        "2|GoldenEye (1995)|01-Jan-1995||http://y|1|0|0\n",
        {},
        "--fields names the columns",
    ),
    "lightfm 552: a column for each product, 0 and 1": (
        "user,a,b,c,d,e\n1,0,0,0,1,0\n2,1,0,0,0,0\n3,0,0,1,0,0\n",
        {},
        "leave those cells empty",
    ),
    "cornac 401: without its encoding": (
        '"User-ID";"ISBN";"Book-Rating"\n"7";"ä";"4"\n'.encode("latin-1"),
        {},
        "--encoding cp1252",
    ),
    "CSV.jl 19: a line that is neither a film nor a rating": (
        "30:\n7,4,2001-11-26\n9,1,2001-11-27\n8\n40:\n7,5,2005-07-27\n3,5,2005-07-27\n",
        {},
        "line 4: '8'; a line must be an item with ':' behind it, or: user rating [date]",
    ),
    "librec 145: ARFF": (
        "@RELATION reviews\n@ATTRIBUTE user NUMERIC\n@DATA\n0,0,5.0,0:1:2\n",
        {},
        "begins with '@RELATION reviews', as ARFF does",
    ),
    "TiSASRec.pytorch 8: reviews in lines of JSON": (
        '{"reviewerID": "A1", "asin": "B1", "overall": 5.0}\n'
        '{"reviewerID": "A2", "asin": "B1", "overall": 4.0}\n',
        {},
        "as JSON does: in Python, `pandas.read_json('file.csv', lines=True)",
    ),
    "python-recsys 23: a line without a user": (
        "userId::movieId::rating\n7::30::4\n::30::2\n",
        {},
        "line 3: '::30::2'",
    ),
    "Surprise 41: a word in place of a rating": (
        "7,30,4\n8,30,good\n7,40,5\n",
        {},
        "line 2: '8,30,good'",
    ),
}


@pytest.mark.parametrize("report", REFUSED_RATINGS)
def test_a_reported_file_of_ratings_is_refused_with_a_way_out(report, tmp_path):
    text, options, words = REFUSED_RATINGS[report]
    with pytest.raises(ValueError) as caught:
        read_ratings(path_of(tmp_path, text), **options)
    assert words in str(caught.value)
