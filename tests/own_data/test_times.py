"""Dates and times of day in text: they are kept beside the results and never learned from as
categories, and where the rows follow one another in them, a line points to hidden states."""

import csv
import datetime
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from vbkit.__main__ import main
from vbkit.own_data import VariationalMixture
from vbkit.own_data.preparation import prepare
from vbkit.own_data.table import read_table

START = datetime.datetime(2024, 5, 30, 6)
WRITTEN = {  # ways in which people and programs write a day, a time of day, or both
    "German": "%d.%m.%Y",
    "German, short": "%d.%m.%y",
    "ISO": "%Y-%m-%d",
    "slashes": "%Y/%m/%d",
    "American": "%m/%d/%Y",
    "American, short": "%m/%d/%y",
    "British": "%d/%m/%Y",
    "a month in letters": "%d-%b-%Y",
    "minutes": "%H:%M",
    "seconds": "%H:%M:%S",
    "fractions": "%H:%M:%S.%f",
    "halves of a day": "%I:%M %p",
    "ISO, both": "%Y-%m-%dT%H:%M:%S",
    "ISO, with fractions": "%Y-%m-%d %H:%M:%S.%f",
    "ISO, a zone": "%Y-%m-%dT%H:%M:%SZ",
    "German, both": "%d.%m.%Y %H:%M",
    "American, both": "%m/%d/%Y %I:%M:%S %p",
    "French, both": "%d-%m-%Y %Hh%M",
    "German, spoken": "%d.%m.%Y, %H:%M Uhr",
    "a month in letters, both": "%d. %b %Y %H:%M",
    "a whole month in letters": "%d. %B %Y, %H:%M",
}
CATEGORIES = {  # words that are like dates, and are none
    "numbers of two parts": ["1-2", "3-4", "5-6"],
    "fractions": ["1/2", "3/4", "1/4"],
    "versions": ["1.2.3", "1.2.4", "2.0.1"],
    "long versions": ["10.12.1", "10.12.2", "11.0.1"],
    "results of matches": ["2:1", "0:0", "1:3"],
    "ages": ["18-24", "25-34", "65+"],
    "a date and a word": ["2024-06-03", "2024-06-04", "later"],
    "no day of any month": ["2024-02-30", "2024-02-31", "2024-06-03"],
    "months": ["Jan", "Feb", "Mar"],
    "groups of an article": ["123-45-6789", "123-45-6780", "123-45-6781"],
}


def spread(cells, size=40):
    """As many cells, one after another from the beginning again, that do not rise."""
    return [cells[(7 * n) % len(cells)] for n in range(size)]


def read(tmp_path, columns, **said):
    path = tmp_path / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    return read_table(path, **said)


def numbers(size=40):
    rng = np.random.default_rng(0)
    return {"a": rng.normal(size=size).round(3), "b": rng.normal(size=size).round(3)}


def told(table) -> str:
    return "\n".join(table.notes)


@pytest.mark.parametrize("form", WRITTEN.values(), ids=WRITTEN)
def test_a_date_or_clock_takes_no_part_in_learning(tmp_path, form):
    steps = [datetime.timedelta(days=3 * n, minutes=7 * n) for n in range(9)]
    cells = spread([(START + step).strftime(form) for step in steps])
    table = read(tmp_path, numbers() | {"when": cells})
    assert [*table.cells] == ["a", "b"]
    assert table.times["when"].tolist() == cells
    assert "'when' holds dates or times of day" in told(table)
    assert "--words 'when'" in told(table) and "--sequences" not in told(table)
    assert prepare(table).names == ["a", "b"]


def test_a_day_without_zeros_is_a_date(tmp_path):
    for cells in (["6/3/2024", "12/31/2024"], ["3.6.2024", "31.12.2024"]):
        table = read(tmp_path, numbers() | {"when": spread(cells)})
        assert [*table.times] == ["when"]


@pytest.mark.parametrize("cells", CATEGORIES.values(), ids=CATEGORIES)
def test_categories_are_not_taken_for_dates(tmp_path, cells):
    table = read(tmp_path, numbers() | {"kind": spread(cells)})
    assert not table.times and table.words == ["kind"]
    assert "dates" not in told(table)


def test_an_empty_date_is_no_gap(tmp_path):
    cells = spread(["2024-06-03", "", "2024-06-01", "NA"])
    table = read(tmp_path, numbers() | {"when": cells})
    written = [None if cell in ("", "NA") else cell for cell in cells]
    assert table.times["when"].tolist() == written
    assert table.incomplete == ""
    dropped = read(
        tmp_path,
        {"gap": ["", *range(39)], "when": cells} | numbers(),
        drop_incomplete=True,
    )
    assert dropped.times["when"].tolist() == written[1:]


def test_words_are_advised_only_where_categories_may_be_as_many(tmp_path):
    days = [f"2024-06-{1 + n % 3:02d}" for n in range(40)]
    clock = [f"{n // 2:02d}:{30 * (n % 2):02d}" for n in range(40)]
    table = read(tmp_path, numbers() | {"day": days, "clock": clock})
    assert [*table.times] == ["day", "clock"] and "(--words 'day' takes" in told(table)
    path = tmp_path / "table.csv"
    assert prepare(read_table(path, words=["day"])).levels["day"]
    assert "--words" not in told(read(tmp_path, numbers() | {"clock": clock}))


def test_who_asks_learns_from_dates_as_categories(tmp_path):
    cells = spread(["2024-06-03", "2024-06-01"])
    table = read(tmp_path, numbers() | {"when": cells}, words=["when"])
    assert table.words == ["when"] and not table.times
    table = read(tmp_path, numbers() | {"when": cells}, labels="when")
    assert table.labels.tolist() == cells and not table.times


HINT = re.compile(
    r"The rows follow one another in (.*): add --sequences '\w+' to find hidden states"
)


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y-%m-%dT%H:%M"])
def test_where_dates_rise_a_line_points_to_hidden_states(tmp_path, form):
    days = [(START + datetime.timedelta(days=n // 2)).strftime(form) for n in range(40)]
    table = read(tmp_path, numbers() | {"when": days})
    assert HINT.search(told(table))[1] == "'when'"
    table = read(tmp_path, numbers() | {"when": spread(days)})
    assert not HINT.search(told(table))


def test_a_clock_may_rise_within_each_day(tmp_path):
    days = np.repeat(["31.05.2024", "30.05.2024", "01.06.2024", "29.05.2024"], 3)
    clock = [f"{hour:02d}:30" for hour in (6, 9, 12)] * 4
    table = read(tmp_path, {"day": days, "clock": clock} | numbers(12))
    assert HINT.search(told(table))[1] == "'clock'"
    table = read(tmp_path, {"clock": clock} | numbers(12))
    assert not HINT.search(told(table))


def test_dates_that_name_the_rows_point_to_hidden_states_too(tmp_path):
    days = [f"{n:02d}.06.2024" for n in range(1, 31)]
    table = read(tmp_path, {"day": days} | numbers(30))
    assert table.rows == days and table.times["day"].tolist() == days
    assert HINT.search(told(table))[1] == "'day'"
    assert "'day' holds dates" not in told(table)
    table = read(tmp_path, numbers(30) | {"day": days}, labels="day")
    assert HINT.search(told(table))[1] == "'day'"
    assert "'day' holds dates" not in told(table)


def test_zones_are_heeded(tmp_path):
    before = [f"2024-10-27T02:{n:02d}:00+02:00" for n in range(20)]
    after = [f"2024-10-27T02:{n:02d}:00+01:00" for n in range(20)]
    for cells, rises in ((before + after, True), (after[::-1] + before[::-1], False)):
        table = read(tmp_path, numbers() | {"when": [*cells]})
        assert bool(HINT.search(told(table))) == rises


def test_parquet_has_times_of_its_own(tmp_path):
    moments = [START + datetime.timedelta(hours=n % 7) for n in range(40)]
    path = tmp_path / "t.parquet"
    kind = pa.timestamp("ns")
    columns = {"when": pa.array(moments, kind), "day": [m.date() for m in moments]}
    parquet.write_table(pa.table(numbers() | columns), path)
    assert [*read_table(path).times] == ["when", "day"]


def test_the_commands_keep_times_beside_the_results(tmp_path, capsys):
    days = [f"2024-06-{1 + n // 20:02d}" for n in range(40)]
    columns = {"group": days} | {
        name: values + 20 * (np.arange(40) % 2) for name, values in numbers().items()
    }
    read(tmp_path, columns)
    path = tmp_path / "table.csv"
    assert main(["fit", str(path), "--to", str(tmp_path / "to")]) == 0
    out = capsys.readouterr().out
    assert "'group' holds dates or times of day" in out and HINT.search(out)
    assert "as categories" not in out.replace("learns from it as categories", "")
    labels = [*csv.DictReader((tmp_path / "to" / "labels.csv").open())]
    assert [row["group (given)"] for row in labels] == days
    model = tmp_path / "to" / "model.npz"
    assert main(["apply", str(model), str(path), "--to", str(tmp_path / "new")]) == 0
    out = capsys.readouterr().out
    assert "'group' holds dates or times of day; it is kept beside the results" in out
    assert not HINT.search(out) and "does not know" not in out and "--words" not in out
    again = (tmp_path / "new" / "labels.csv").read_text()
    assert again == (tmp_path / "to" / "labels.csv").read_text()


def test_turned_tables_have_no_place_for_times(tmp_path):
    days = spread(["2024-06-03", "2024-06-01"])
    names = [f"n{n}" for n in range(40)]
    table = read(tmp_path, {"": names, "day": days} | numbers(), transpose=True)
    assert table.rows == ["a", "b"] and not table.times
    assert "'day' holds dates or times of day; it is left out" in told(table)


@pytest.mark.parametrize("kind", ["text", "dates"])
def test_the_estimator_refuses_dates_in_a_frame(kind):
    days = spread(["2024-06-03", "2024-06-01"])
    values = days if kind == "text" else pd.to_datetime(days)
    frame = pd.DataFrame(numbers() | {"day": values})
    model = VariationalMixture(2, family="columns", random_state=0)
    sentence = r"X column 'day' holds dates or times of day.*drop\(columns=\['day'\]\)"
    with pytest.raises(ValueError, match=sentence):
        model.fit(frame)
    model = VariationalMixture(
        2, family="columns", random_state=0, categorical_features=["day"]
    )
    assert len(model.fit(frame).categories_[2]) == 2
