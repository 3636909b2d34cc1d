"""Rows that follow one another: where sequences begin, and the hidden states that `fit` finds
in them and `apply` gives to others."""

import csv
import datetime
import re
from unittest import mock

import attrs
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.metrics import adjusted_rand_score

from vbkit import plots
from vbkit.__main__ import main
from vbkit.own_data import VariationalHMM, load_model, pictures, read_table
from vbkit.own_data.groups import Groups
from vbkit.own_data.preparation import Data, prepare
from vbkit.own_data.sequences import Sequences, stays
from vbkit.own_data.table import Table

START = datetime.datetime(2024, 5, 30, 6)
MINUTE = datetime.timedelta(minutes=1)
CENTRES = np.array([[0.0, 20.0], [6.0, 23.0], [2.0, 29.0]])
LASTING = [13, 31, 22, 17, 40, 9, 28]  # rows that a planted state lasts


def planted(size=240, seed=0):
    """Rows (size, 2) of three states that last for a while, and their states."""
    which = np.repeat(np.arange(size) % 3, np.resize(LASTING, size))[:size]
    rng = np.random.default_rng(seed)
    return rng.normal(CENTRES[which], 1.0).round(3), which


def minutes(*sizes, form="%d.%m.%Y %H:%M"):
    """A moment for each row: a row a minute, and each part a day later."""
    moments = []
    for day, size in enumerate(sizes):
        begin = START + datetime.timedelta(days=day)
        moments += [(begin + n * MINUTE).strftime(form) for n in range(size)]
    return moments


def written(path, columns):
    """A file of columns by their names."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = zip(*columns.values(), strict=True)
        csv.writer(file, delimiter=";").writerows([columns, *rows])
    return path


def with_rows(columns, size=240):
    """Columns, and those of planted rows."""
    X, _ = planted(size)
    return columns | {"current": X[:, 0], "heat": X[:, 1]}


def run(capsys, *arguments):
    code = main([*map(str, arguments)])
    return code, *capsys.readouterr()


def read_dicts(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


# ---- where sequences begin ----

NAMES = [
    *("tuesday " * 100).split(),
    *("monday " * 60).split(),
    *("friday " * 80).split(),
]
CLOCK = minutes(100, 60, 80, form="%H:%M")
SECONDS = [0.5 * n for size in (100, 60, 80) for n in range(size)]
DAYS = [
    (START + datetime.timedelta(days=n + 40 * (n >= 100) + 99 * (n >= 160))).strftime(
        "%Y-%m-%d"
    )
    for n in range(240)
]
COLUMNS = {  # of three sequences, with 100, 60 and 80 rows
    "names": NAMES,
    "numbers": np.repeat([7, 3, 7], [100, 60, 80]).tolist(),
    "a day": np.repeat(
        ["31.05.2024", "30.05.2024", "01.06.2024"], [100, 60, 80]
    ).tolist(),
    "date-times": minutes(100, 60, 80),
    "a clock": CLOCK,
    "daily dates": DAYS,
    "seconds": SECONDS,
    "seconds with a comma": [str(s).replace(".", ",") for s in SECONDS],
}


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_tells_where_sequences_begin(tmp_path, kind, place):
    columns = {"x": COLUMNS[kind]} | with_rows({})
    if place == "last":
        columns = with_rows({}) | {"x": COLUMNS[kind]}
    table = read_table(written(tmp_path / "t.csv", columns), sequences="x")
    assert table.sequences.lengths.tolist() == [100, 60, 80]
    assert [*table.cells] == ["current", "heat"]
    assert table.sequences.cells.tolist() == [str(cell) for cell in COLUMNS[kind]]
    told = "\n".join(table.notes)
    assert "The rows form 3 sequences" in told
    assert "the shortest of 60 rows, the longest of 100" in told
    begins = ", ".join(repr(str(COLUMNS[kind][row])) for row in (0, 100, 160))
    assert f"They begin at {begins}." in told
    assert "has no part" not in told


def test_a_moment_may_leap_ten_usual_steps_and_no_more(tmp_path):
    for leap, lengths in ((10, [40]), (11, [20, 20])):
        moments = [START + MINUTE * (n + (leap - 1) * (n >= 20)) for n in range(40)]
        columns = with_rows({"when": [str(moment) for moment in moments]}, 40)
        path = written(tmp_path / "t.csv", columns)
        assert read_table(path, sequences="when").sequences.lengths.tolist() == lengths


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m/%d/%Y"])
def test_the_reading_of_a_date_with_the_fewest_sequences_counts(tmp_path, form):
    days = [
        f"2024-{month:02d}-{day:02d}" for month in (1, 2, 3) for day in (2, 5, 8, 11)
    ]
    written_days = [datetime.date.fromisoformat(day).strftime(form) for day in days]
    path = written(tmp_path / "t.csv", with_rows({"day": written_days}, 12))
    assert read_table(path, sequences="day").sequences.lengths.tolist() == [12]


def test_dates_taken_as_words_are_names(tmp_path):
    days = ["2024-06-01"] * 20 + ["2024-06-02"] * 20
    path = written(tmp_path / "t.csv", with_rows({"day": days}, 40))
    table = read_table(path, sequences="day", words=["day"])
    assert table.sequences.lengths.tolist() == [20, 20] and not table.words


def test_an_empty_moment_begins_nothing(tmp_path):
    moments = minutes(100, 60, 80)
    for row in (0, 50, 99, 101):
        moments[row] = ""
    path = written(tmp_path / "t.csv", with_rows({"when": moments}))
    table = read_table(path, sequences="when")
    assert table.sequences.lengths.tolist() == [100, 60, 80]
    assert table.times["when"][50] is None and table.times["when"][51] == moments[51]


def test_parquet_tells_sequences_too(tmp_path):
    moments = [START + n * MINUTE * (1 if n < 100 else 50) for n in range(140)]
    X, _ = planted(140)
    names = pa.array(["a"] * 100 + ["b"] * 40)
    number = pa.array([1] * 100 + [2] * 40)
    seconds = pa.array([*range(100), *range(40)])
    columns = {"x": X[:, 0], "y": X[:, 1], "when": moments}
    columns |= {"name": names, "number": number, "seconds": seconds}
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    for name in ("name", "number", "seconds"):
        others = [each for each in ("name", "number", "seconds") if each != name]
        table = read_table(tmp_path / "t.parquet", sequences=name, leave_out=others)
        assert table.sequences.lengths.tolist() == [100, 40]
    table = read_table(tmp_path / "t.parquet", in_order=True)
    assert table.sequences.lengths.tolist() == [140]


def test_rows_with_gaps_are_left_out_and_their_names_with_them(tmp_path):
    columns = with_rows({"when": minutes(100, 60, 80), "kind": NAMES})
    heat = columns["heat"].astype(str)
    gaps = [5, *range(95, 115), 239]  # across the beginning of the second
    heat[gaps] = "?"
    path = written(tmp_path / "t.csv", columns | {"heat": heat})
    table = read_table(path, sequences="when", labels="kind")
    assert table.sequences.lengths.tolist() == [94, 45, 79] and not table.incomplete
    kept = [n for n in range(240) if n not in gaps]
    assert table.rows == [columns["when"][n] for n in kept]
    assert table.labels.tolist() == [NAMES[n] for n in kept]
    assert table.times["when"].tolist() == table.rows
    assert table.sequences.cells.tolist() == table.rows
    assert np.isfinite(table.cells["heat"]).all()
    told = (
        "22 of 240 rows are incomplete and left out; the rows before and after them follow "
        "one another."
    )
    assert told in table.notes


def test_the_column_that_has_most_gaps_is_named_where_they_are_many(tmp_path):
    for count in (24, 25):
        columns = with_rows({"who": NAMES})
        heat = columns["heat"].astype(str)
        heat[:count] = ""
        path = written(tmp_path / "t.csv", columns | {"heat": heat})
        told = "\n".join(read_table(path, sequences="who").notes)
        assert f"{count} of 240 rows are incomplete" in told
        assert ("--leave-out 'heat' keeps the others" in told) == (count == 25)


def test_a_recording_whose_rows_all_have_gaps_does_not_join_its_neighbours(tmp_path):
    columns = with_rows({"name": ["a"] * 20 + ["b"] * 5 + ["a"] * 15}, 40)
    heat = columns["heat"].astype(str)
    heat[20:25] = ""
    path = written(tmp_path / "t.csv", columns | {"heat": heat})
    assert read_table(path, sequences="name").sequences.lengths.tolist() == [20, 15]


# ---- lines that name the option ----


def test_rising_dates_and_long_runs_of_words_name_the_option(tmp_path):
    path = written(tmp_path / "t.csv", with_rows({"when": minutes(100, 60, 80)}))
    (line,) = [note for note in read_table(path).notes if "follow one another" in note]
    assert "add --sequences 'when'" in line
    path = written(tmp_path / "t.csv", with_rows({"who": NAMES}))
    (line,) = [note for note in read_table(path).notes if "follow one another" in note]
    assert "'who'" in line and "add --sequences 'who'" in line


NO_HINT = {
    "words that change often": {"kind": [*"aab"] * 80},
    "runs of four rows": {"kind": [f"n{n // 4}" for n in range(240)]},
    "another column of words": {"kind": NAMES, "mode": [*"ab"] * 120},
    "one word": {"kind": ["a"] * 240},
}


@pytest.mark.parametrize("given", NO_HINT.values(), ids=NO_HINT)
def test_other_words_do_not_name_the_option(tmp_path, given):
    path = written(tmp_path / "t.csv", with_rows(given))
    assert "--sequences" not in "\n".join(read_table(path).notes)


# ---- counters ----


def with_counter(tmp_path, counter, options):
    columns = with_rows({"who": NAMES, "seconds": counter})
    return read_table(written(tmp_path / "t.csv", columns), **options)


COUNTERS = {
    "begins again": SECONDS,
    "rises throughout": [*range(240)],
    "stands still now and then": [n - n % 20 // 19 for n in range(240)],
    "a comma": [str(s).replace(".", ",") for s in SECONDS],
    "a cell is missing": ["" if n == 50 else s for n, s in enumerate(SECONDS)],
}


@pytest.mark.parametrize("kind", COUNTERS)
def test_a_counter_is_kept_beside_the_results(tmp_path, kind):
    table = with_counter(tmp_path, COUNTERS[kind], {"sequences": "who"})
    assert [*table.cells] == ["current", "heat"] and len(table.rows) == 240
    cells = [str(cell) or None for cell in COUNTERS[kind]]
    assert table.times["seconds"].tolist() == cells
    told = (
        "'seconds' rises within each sequence, as clocks and counters do in any state; it is "
        "kept beside the results and not learned from (--learn-from 'seconds' does so all the "
        "same)."
    )
    assert told in table.notes


NO_COUNTERS = {
    "the order does not count": (SECONDS, {}),
    "it falls within a sequence": (SECONDS, {"in_order": True, "labels": "who"}),
    "it often stands still": ([n // 2 for n in range(240)], {"sequences": "who"}),
    "it is asked for": (SECONDS, {"sequences": "who", "learn_from": ["seconds"]}),
    "nothing else is left": (
        SECONDS,
        {"sequences": "who", "leave_out": ["heat,current"]},
    ),
}


@pytest.mark.parametrize("case", NO_COUNTERS)
def test_another_column_is_learned_from(tmp_path, case):
    counter, options = NO_COUNTERS[case]
    table = with_counter(tmp_path, counter, options)
    assert "seconds" in table.cells and not table.times
    told = "\n".join(prepare(table).notes)
    assert "rises within each" not in told
    is_told = "Column 'seconds' rises from row to row" in told
    assert is_told == (bool(options) and counter == SECONDS)


def test_a_counter_beside_a_column_that_is_always_the_same_is_learned_from(tmp_path):
    columns = {"seconds": [*range(40)], "site": [7] * 40}
    path = written(tmp_path / "t.csv", columns)
    assert "seconds" in read_table(path, in_order=True).cells


def test_a_counter_stands_beside_states_and_stays_and_in_new_rows(tmp_path, capsys):
    X, _ = planted()
    columns = {"who": pa.array(NAMES), "n": [*range(240)], "x": X[:, 0], "y": X[:, 1]}
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table(columns), path)
    options = ["--sequences", "who"]
    command = ["fit", path, "--to", tmp_path / "to", *options, "--components", "3"]
    assert run(capsys, *command)[0] == 0
    rows = read_dicts(tmp_path / "to" / "labels.csv")
    assert [row["n"] for row in rows] == [str(n) for n in range(240)]
    first, second = read_dicts(tmp_path / "to" / "stays.csv")[:2]
    assert (
        first["first n"] == "0" and int(second["first n"]) == int(first["last n"]) + 1
    )
    model = tmp_path / "to" / "model.npz"
    command = ["apply", model, path, "--to", tmp_path / "new", *options]
    code, out, _ = run(capsys, *command)
    assert code == 0 and "kept beside the results and not learned from." in out
    for name in ("labels.csv", "stays.csv"):
        new = (tmp_path / "new" / name).read_text()
        assert new == (tmp_path / "to" / name).read_text()


def test_help_speaks_of_sequences(capsys):
    for arguments in (["--help"], ["fit", "--help"], ["apply", "--help"]):
        with pytest.raises(SystemExit):
            main(arguments)
        told = "".join(capsys.readouterr())
        assert "sequence" in told


# ---- stays ----


def test_stays_are_those_of_a_loop_by_hand():
    rng = np.random.default_rng(1)
    for _ in range(200):
        lengths = rng.integers(1, 6, rng.integers(1, 5))
        labels = rng.integers(0, 2, lengths.sum())
        expected = []
        row = 0
        for sequence, length in enumerate(lengths):
            for n in range(length):
                if n > 0 and labels[row] == labels[row - 1]:
                    expected[-1][3] = row
                else:
                    expected.append([sequence, labels[row], row, row])
                row += 1
        found = [[*stay] for stay in stays(labels, lengths)]
        assert found == expected


# ---- the commands ----

WAYS = {  # columns, options, lengths
    "a column of date-times": (
        {"when": minutes(100, 60, 80)},
        ["--sequences", "when"],
        3,
    ),
    "a column of names": ({"who": NAMES}, ["--sequences", "who"], 3),
    "in order": ({"group": minutes(240)}, ["--in-order"], 1),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("way", WAYS)
def test_planted_states_are_found_and_applied_again(tmp_path, capsys, way):
    given, options, count = WAYS[way]
    columns = with_rows(given)
    heat = columns["heat"].astype(object)
    heat[[7, 130]] = ""
    path = written(tmp_path / "t.csv", columns | {"heat": heat})
    code, out, err = run(capsys, "fit", path, "--to", tmp_path / "to", *options)
    assert (code, err) == (0, "")
    many = "1 sequence" if count == 1 else f"{count} sequences"
    assert f"238 rows in {many} with 2 columns pass through 3 hidden states." in out
    names = {file.name for file in (tmp_path / "to").iterdir()}
    files = {"labels.csv", "probabilities.csv", "stays.csv", "model.npz", "report.html"}
    assert names == files
    rows = read_dicts(tmp_path / "to" / "labels.csv")
    groups = np.array([int(row["group"]) for row in rows])
    truth = np.delete(planted()[1], [7, 130])
    assert adjusted_rand_score(truth, groups) > 0.97

    model = load_model(tmp_path / "to" / "model.npz")
    assert isinstance(model, VariationalHMM)
    X = np.delete(planted()[0], [7, 130], axis=0)
    lengths = [99, 59, 80] if count == 3 else [238]
    del model.feature_names_in_
    assert (model.predict(X, lengths) == groups).all()
    proba = model.predict_proba(X, lengths)
    sure = proba[np.arange(238), groups]
    for row, probability in zip(rows, sure, strict=True):
        assert float(row["probability"]) == pytest.approx(probability, abs=1e-5)
    name, cells = next(iter(given.items()))
    beside = f"{name} (given)" if name == "group" else name
    assert [row[beside] for row in rows] == [*np.delete(cells, [7, 130])]

    found = read_dicts(tmp_path / "to" / "stays.csv")
    first = 0
    for stay in found:
        last = first + int(stay["rows"]) - 1
        assert rows[first]["row"] == stay["first row"]
        assert rows[last]["row"] == stay["last row"]
        assert {int(stay["group"])} == set(groups[first : last + 1])
        sequence = np.searchsorted(np.cumsum(lengths), first, side="right") + 1
        assert int(stay["sequence"]) == sequence
        ends = sure[first : last + 1].min()
        assert float(stay["least probability"]) == pytest.approx(ends, abs=1e-5)
        if name == "who":
            assert stay["who"] == rows[first]["who"]
        else:
            assert stay[f"first {name}"] == rows[first][beside]
            assert stay[f"last {name}"] == rows[last][beside]
        first = last + 1
    assert first == 238

    new = tmp_path / "new"
    command = ["apply", tmp_path / "to" / "model.npz", path, "--to", new, *options]
    code, out, err = run(capsys, *command)
    assert (code, err) == (0, "") and "238 rows in 3 of 3 groups." in out
    assert {file.name for file in new.iterdir()} == files - {"model.npz", "report.html"}
    for file in new.iterdir():
        assert file.read_text() == (tmp_path / "to" / file.name).read_text()


def test_the_state_of_a_row_is_that_of_the_likeliest_path(tmp_path, capsys):
    rng = np.random.default_rng(0)
    which = np.repeat(np.arange(30) % 2, 12)
    X = rng.normal(1.6 * which[:, None], 1.0, (360, 2)).round(3)
    path = written(tmp_path / "t.csv", {"a": X[:, 0], "b": X[:, 1]})
    options = ["--in-order", "--components", "2"]
    assert run(capsys, "fit", path, "--to", tmp_path / "to", *options)[0] == 0
    model = load_model(tmp_path / "to" / "model.npz")
    del model.feature_names_in_
    states = model.predict(X)
    assert (states != model.predict_proba(X).argmax(axis=1)).any()
    new = tmp_path / "new"
    command = ["apply", tmp_path / "to" / "model.npz", path, "--to", new, "--in-order"]
    assert run(capsys, *command)[0] == 0
    others = (states != model.predict_proba(X).argmax(axis=1)).sum()
    page = (tmp_path / "to" / "report.html").read_text("utf-8")
    told = "a group that is not the likeliest for the row by itself"
    assert re.search(rf"<p>{others} rows? of all ha(s|ve) {told}", page)
    for folder in (tmp_path / "to", new):
        rows = read_dicts(folder / "labels.csv")
        assert [int(row["group"]) for row in rows] == states.tolist()


def test_one_column_is_enough_for_a_sequence(tmp_path, capsys):
    X, which = planted()
    path = written(tmp_path / "t.csv", {"when": minutes(240), "heat": X[:, 1]})
    command = ["fit", path, "--to", tmp_path / "to", "--sequences", "when"]
    assert run(capsys, *command)[0] == 0
    groups = [row["group"] for row in read_dicts(tmp_path / "to" / "labels.csv")]
    assert adjusted_rand_score(which, groups) > 0.9


@pytest.mark.parametrize("kind", ["yes and no", "words"])
def test_answers_and_words_have_hidden_states_too(tmp_path, capsys, kind):
    rng = np.random.default_rng(0)
    which = np.repeat(np.arange(8) % 2, 30)
    yes = rng.random((240, 4)) < np.where(
        which[:, None] == (np.arange(4) < 2), 0.9, 0.1
    )
    words = np.where(yes, *(("yes", "no") if kind == "yes and no" else ("rain", "sun")))
    path = written(tmp_path / "t.csv", dict(zip("abcd", words.T, strict=True)))
    command = ["fit", path, "--to", tmp_path / "to", "--in-order"]
    assert run(capsys, *command)[0] == 0
    rows = read_dicts(tmp_path / "to" / "labels.csv")
    assert adjusted_rand_score(which, [row["group"] for row in rows]) > 0.95
    model = tmp_path / "to" / "model.npz"
    command = ["apply", model, path, "--to", tmp_path / "new", "--in-order"]
    assert run(capsys, *command)[0] == 0
    assert read_dicts(tmp_path / "new" / "labels.csv") == rows


def test_words_that_are_the_same_in_all_rows_are_left_aside(tmp_path, capsys):
    path = written(tmp_path / "t.csv", with_rows({"who": NAMES, "site": ["A"] * 240}))
    command = ["fit", path, "--to", tmp_path / "to", "--sequences", "who"]
    code, out, _ = run(capsys, *command)
    assert code == 0 and "tells no groups apart: 'site'" in out


def test_the_report_tells_of_states_and_their_order(tmp_path, capsys):
    path = written(tmp_path / "t.csv", with_rows({"when": minutes(100, 60, 80)}))
    command = ["fit", path, "--to", tmp_path / "to", "--sequences", "when"]
    assert run(capsys, *command)[0] == 0
    page = (tmp_path / "to" / "report.html").read_text("utf-8")
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert "hidden states" in text and "the order of the rows counts" in text
    model = load_model(tmp_path / "to" / "model.npz")
    moves = model.transition_probabilities_
    for probability in moves.ravel():
        assert f'<td class="n">{probability:.4f}</td>' in page
    rows = read_dicts(tmp_path / "to" / "labels.csv")
    groups = np.array([int(row["group"]) for row in rows])
    found = read_dicts(tmp_path / "to" / "stays.csv")
    X, _ = planted()
    for k in range(3):
        lasting = [int(stay["rows"]) for stay in found if int(stay["group"]) == k]
        cells = [f"{k}", f"{(groups == k).sum()}", None]
        cells += [f"{len(lasting)}", f"{np.mean(lasting):.3g}"]
        cells += [f"{min(lasting)}", f"{max(lasting)}"]
        pattern = "".join(rf'<td class="n">{cell or "[^<]*"}</td>' for cell in cells)
        assert re.search(f"<tr>{pattern}", page)
        mean, spread = X[groups == k, 1].mean(), X[groups == k, 1].std()
        shown = re.findall(r"<td>heat</td>(.*?)</tr>", page)[0]
        pair = re.findall(r">([-\d.]+) ± ([\d.]+)<", shown)[k]
        assert float(pair[0]) == pytest.approx(mean, abs=0.05)
        assert float(pair[1]) == pytest.approx(spread, abs=0.05)
    assert "expected to last" not in text and "count as they are" in text
    changes = np.zeros((3, 3))  # of the likeliest path, which is nearly sure
    for before, after in zip(groups, groups[1:], strict=False):
        changes[before, after] += 1
    for end in (99, 159):
        changes[groups[end], groups[end + 1]] -= 1
    with_prior = (changes + 1) / (changes + 1).sum(axis=1, keepdims=True)
    assert np.abs(with_prior - moves).max() < 0.01
    assert "counts as one change from each of the 3 components to each" in text
    assert found[0]["last when"] in text and "stays.csv" in text
    (alt,) = re.findall(r'alt="([^"]*coloured bands[^"]*)"', page)
    assert "heat" in alt and "when" in alt
    for stay in found:
        least = float(stay["least probability"])
        shown = f"{least:.3f}" if least < 0.9995 else "&gt;0.999"
        assert f'<td class="n">{shown}</td></tr>' in page
    del model.feature_names_in_
    alone = model.predict_proba(X, [100, 60, 80]).argmax(axis=1)
    is_told = "not the likeliest for the row by itself" in page
    assert is_told == bool((alone != groups).any())
    assert "<figcaption>The picture shows all 240 rows." in page
    assert "apply model.npz FILE --to DIR --sequences &#39;when&#39;" in text


SHOWN = {  # lengths of sequences, what is shown, dotted lines
    "all": ([100, 60, 80], "all 240 rows", 2),
    "one sequence": ([240], "all 240 rows", 0),
    "some": ([300, 200, 200, 1], "the first 3 of 4 sequences (700 of 701 rows)", 2),
    "the first": ([300, 500], "the first sequence of 2 (300 of 800 rows)", 0),
    "a part of the first": (
        [900, 10],
        "the first 700 of 900 rows of the first of 2",
        0,
    ),
    "a part of all": ([900], "the first 700 of 900 rows.", 0),
}


@pytest.mark.parametrize("case", SHOWN)
def test_the_picture_over_time_says_what_it_shows(case):
    lengths, shown, lines = SHOWN[case]
    names = np.array(
        [f"walk {n}" for n, length in enumerate(lengths) for _ in range(length)]
    )
    places = np.repeat(np.arange(len(lengths)), lengths)
    X, which = planted(len(names))
    table = Table({}, [f"{n}" for n in range(len(X))], None, [])
    table = attrs.evolve(table, sequences=Sequences(places, "walk", names))
    data = Data(X, ["current", "heat"], "gaussian", {}, [], table.sequences)
    proba = np.eye(3)[which]
    groups = Groups(None, proba, [3], [0.0], [3], True, False, which, [])
    groups = attrs.evolve(groups, stays=stays(which, np.array(lengths)))
    caption = pictures.caption_of_course(data)
    assert (
        f"The picture shows {shown}" in caption and "colours are the groups" in caption
    )
    assert ("dotted" in caption) == (lines > 0)
    with mock.patch.object(plots, "Picture", lambda figure, alt: (figure, alt)):
        figure, alt = pictures.course(table, data, groups)
    assert shown.rstrip(".") in alt
    assert len([line for line in figure.axes[0].lines if line.get_ls() == ":"]) == lines
    written_names = {text.get_text() for text in figure.axes[0].texts} - {*"012"}
    whole = int((np.cumsum(lengths) <= 700).sum())
    assert written_names == {f"walk {n}" for n in range(whole)}


def test_a_name_without_room_is_not_written():
    lengths = [2, 300, 4]
    names = np.repeat(["first", "second", "end"], lengths)
    sequences = Sequences(np.repeat(np.arange(3), lengths), "who", names)
    _, (ax,) = plots.figure(9, 3)
    pictures._write_names(ax, sequences, 306)
    assert [text.get_text() for text in ax.texts] == ["second"]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_report_says_which_rows_are_in_no_file(tmp_path, capsys, count):
    columns = with_rows({"when": minutes(100, 60, 80)})
    heat = columns["heat"].astype(str)
    heat[5 : 5 + count] = ""
    path = written(tmp_path / "t.csv", columns | {"heat": heat})
    command = ["fit", path, "--to", tmp_path / "to", "--sequences", "when"]
    assert run(capsys, *command, "--components", "3")[0] == 0
    assert len(read_dicts(tmp_path / "to" / "labels.csv")) == 240 - count
    page = (tmp_path / "to" / "report.html").read_text("utf-8")
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert ("may reach over rows that were left out" in text) == (count > 0)
    told = {1: "the incomplete row that was", 3: "the 3 incomplete rows that were"}
    ending = f", but for {told[count]} left out." if count else "."
    assert f"labels.csv : each row and its group{ending}" in text


# ---- what is refused ----

MIXED = {"who": NAMES, "mode": [*"ab"] * 120}
REFUSED = {  # columns, options, what is said
    "both": (
        {"who": NAMES},
        ["--sequences", "who", "--in-order"],
        "--sequences and --in-order both say which rows follow one another; choose one",
    ),
    "transposed": (
        {"who": NAMES},
        ["--in-order", "--transpose"],
        "--transpose makes rows of columns, and these do not follow one another; leave out "
        "--in-order",
    ),
    "transposed sequences": (
        {"who": NAMES},
        ["--sequences", "who", "--transpose"],
        "--transpose makes rows of columns, and these do not follow one another; leave out "
        "--sequences",
    ),
    "no such column": (
        {"who": NAMES},
        ["--sequences", "whom"],
        "t.csv has no column 'whom'; it has 'who', 'current', 'heat'",
    ),
    "two columns": (
        {"who": NAMES},
        ["--sequences", "who,heat"],
        "--sequences is 'who,heat'; it must name one column",
    ),
    "left out": (
        {"who": NAMES},
        ["--sequences", "who", "--leave-out", "who"],
        "--sequences and --leave-out both name 'who'; choose one",
    ),
    "labels": (
        {"who": NAMES},
        ["--sequences", "who", "--labels", "who"],
        "--sequences and --labels both name 'who'; --sequences alone keeps it beside the "
        "results",
    ),
    "a counter that is left out": (
        {"who": NAMES},
        ["--sequences", "who", "--learn-from", "heat", "--leave-out", "heat"],
        "--learn-from and --leave-out both name 'heat'; choose one",
    ),
    "a counter that tells sequences": (
        {"who": NAMES},
        ["--sequences", "who", "--learn-from", "who"],
        "--learn-from and --sequences both name 'who'; choose one",
    ),
    "a counter without order": (
        {"who": NAMES},
        ["--learn-from", "heat"],
        "--learn-from is for columns that count up in rows which follow one another; leave "
        "it out, or add --sequences or --in-order",
    ),
    "family columns": (
        {"who": NAMES},
        ["--sequences", "who", "--family", "columns"],
        "--family columns has no hidden states: they are learned from numbers, from yes/no "
        "or from words alone; leave out --family",
    ),
    "words": (
        MIXED,
        ["--sequences", "who"],
        "hidden states are learned from numbers or yes/no, and 'mode' holds words; add "
        "--leave-out 'mode', or --labels 'mode' to keep it beside the results",
    ),
    "words of several columns": (
        MIXED | {"more": [*"xyz"] * 80},
        ["--sequences", "who"],
        "hidden states are learned from numbers or yes/no, and 'mode', 'more' hold words; "
        "add --leave-out 'mode,more', or --labels 'mode' to keep one beside the results",
    ),
    "words asked for": (
        MIXED,
        ["--sequences", "who", "--family", "diagonal"],
        "hidden states are learned from numbers or yes/no, and 'mode' holds words; add "
        "--leave-out 'mode', or --labels 'mode' to keep it beside the results",
    ),
    "single rows": (
        {"who": [f"n{n}" for n in range(240)]},
        ["--sequences", "who"],
        "240 of 240 sequences have one row, for 'who' is another in nearly every row; so "
        "nothing follows. Name a column that stays the same within a sequence, or one of "
        "dates, times or numbers that rise; --in-order takes all rows as one sequence",
    ),
    "newest first": (
        {"when": minutes(240)[::-1]},
        ["--sequences", "when"],
        "'when' goes back in 100% of its steps, as no clock does; if the newest rows come "
        "first, sort them so that the oldest do, or else name another column",
    ),
    "no clock": (
        {"x": [n % 2 + n / 1000 for n in range(240)]},
        ["--sequences", "x"],
        "'x' goes back in 50% of its steps, as no clock does; if the newest rows come first, "
        "sort them so that the oldest do, or else name another column",
    ),
    "a name is lacking": (
        {"who": ["a"] * 20 + ["", ""] + ["b"] * 218},
        ["--sequences", "who"],
        "t.csv: column 'who' has no value in row 21 of the data, where --sequences needs "
        "the name of a sequence; write it into each of its rows",
    ),
    "a column of gaps": (
        {"who": NAMES, "rain": [""] * 239 + ["0.5"]},
        ["--sequences", "who"],
        "t.csv: 239 of 240 rows are incomplete and left out; the rows before and after them "
        "follow one another. 239 of them lack 'rain': --leave-out 'rain' keeps the others.",
    ),
    "nothing but the column": (
        {"who": NAMES},
        ["--sequences", "who", "--leave-out", "current,heat"],
        "t.csv has 240 rows and 0 columns to learn from; it must have at least 2 rows and 1 "
        "column, with tabs, commas, semicolons, vertical bars or blanks between",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_hidden_states_is_refused_in_a_sentence(tmp_path, capsys, case):
    given, options, sentence = REFUSED[case]
    path = written(tmp_path / "t.csv", with_rows(given))
    code, _, err = run(capsys, "fit", path, "--to", tmp_path / "to", *options)
    assert code == 2
    assert err == f"vbkit: error: {sentence}\n"
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


def test_order_and_model_go_together(tmp_path, capsys):
    path = written(tmp_path / "t.csv", with_rows({"who": NAMES}))
    common = ["--to", tmp_path / "to", "--components", "2"]
    assert run(capsys, "fit", path, *common, "--sequences", "who")[0] == 0
    common[1] = tmp_path / "mixed"
    assert run(capsys, "fit", path, *common, "--leave-out", "who")[0] == 0
    before = {file.name for file in tmp_path.iterdir()}
    refused = {
        "to": (
            [],
            "the model has hidden states, so the order of the rows counts: add --sequences "
            "COLUMN, or --in-order to take all rows as one sequence",
        ),
        "mixed": (
            ["--in-order"],
            "the model was learned without order; leave out --sequences and --in-order",
        ),
    }
    for name, (options, sentence) in refused.items():
        command = ["apply", tmp_path / name / "model.npz", path, *options]
        code, _, err = run(capsys, *command, "--to", tmp_path / "new")
        assert (code, err) == (2, f"vbkit: error: {sentence}\n")
        assert {file.name for file in tmp_path.iterdir()} == before
    command = ["apply", tmp_path / "to" / "model.npz", path, "--to", tmp_path / "new"]
    code, _, err = run(capsys, *command, "--sequences", "heat")
    assert code == 2 and "the model learned from 'heat'; --sequences" in err


def test_the_estimator_warns_where_most_sequences_have_one_row():
    X, _ = planted(30)
    for lengths in (1, [1] * 10 + [20]):
        with pytest.warns(UserWarning, match="of .* sequences have one row"):
            VariationalHMM(2, random_state=0).fit(X, lengths=lengths)
