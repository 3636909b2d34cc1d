"""Files of ratings and of items: what is read, what is refused, and what held-out ratings
say."""

import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from vbkit import data
from vbkit.__main__ import main
from vbkit.course import minority
from vbkit.data import synthetic_ratings
from vbkit.factorization import ObservedEntries, validate
from vbkit.learning import fit_batch, init_from_rows
from vbkit.own_data import held_out_report, read_items, read_ratings
from vbkit.press import ROOT

NAN = np.nan


def test_where_ratings_begin_does_not_matter():
    e = synthetic_ratings(np.random.default_rng(1), 60, 70, 1500, 2)[0]
    far = ObservedEntries(e.rows, e.cols, e.values + 1e9, e.shape)
    near, far = (
        held_out_report(each, 2, np.random.default_rng(1)) for each in (e, far)
    )
    assert (
        np.allclose(near[:4], far[:4], atol=1e-6)
        and abs(near.fit.elbo - far.fit.elbo) < 1e-4
    )


LINES = {
    "tab": "1\t10\t5\t881250949\n2\t10\t3\t881250950\n1\t20\t4.5\t0\n",
    "comma": "userId,movieId,rating,timestamp\n1,10,5,881250949\n2,10,3,881250950\n1,20,4.5,0\n",
    "colons": "1::10::5::881250949\n\n2::10::3::881250950\n1::20::4.5::0",
    "blank lines first": "\n\n\nuser,item,rating\n1,10,5\n2,10,3\n1,20,4.5\n",
    "blanks, no time": "user item rating\r\n1 10 5\r\n2   10 3\r\n 1 20 4.5\r\n",
}


@pytest.mark.parametrize("form", LINES)
def test_reading(form, tmp_path):
    path = tmp_path / "ratings"
    path.write_text(LINES[form])
    r = read_ratings(path)
    assert (
        r.users == ["1", "2"] and r.items == ["10", "20"] and r.entries.shape == (2, 2)
    )
    assert (
        np.array_equal(r.entries.by_row.todense(), [[5, 4.5], [3, 0]])
        and r.entries.size == 3
    )


@pytest.mark.parametrize("mark", ["\t", ",", " ; ", "::"])
def test_names_may_hold_blanks(mark, tmp_path):
    path = tmp_path / "ratings"
    path.write_text(f"user one{mark}The film{mark}5\n2{mark}The film{mark}4{mark}77\n")
    r = read_ratings(path)
    assert (r.users, r.items, r.entries.values.tolist()) == (
        ["user one", "2"],
        ["The film"],
        [5, 4],
    )


@pytest.mark.parametrize(
    "mark, title",
    [("\t", "Alien, 3; or::so"), ("::", "Alien, 3; 4"), (" ; ", "Alien, 3")],
)
def test_a_line_is_split_at_one_kind_of_mark(mark, title, tmp_path):
    path = tmp_path / "ratings"
    path.write_text(f"Ada{mark}{title}{mark}4\nBo{mark}{title}{mark}2.5\n")
    r = read_ratings(path)
    assert r.items == [title] and r.entries.values.tolist() == [4, 2.5]


QUOTED = {
    "comma": '"Ada, L.","The ""Best"", part 1",5\n"Bo",  "a;b::c", "4.5"\n',
    "semicolon": '"Ada, L.";"The ""Best"", part 1";5;0\n"Bo" ;"a;b::c"; "4.5";0\n',
    "tab": '"Ada, L."\t"The ""Best"", part 1"\t5\n"Bo"\t"a;b::c"\t"4.5"\n',
    "blank": '"Ada, L." "The ""Best"", part 1" 5\n"Bo"  "a;b::c" "4.5"\n',
}


@pytest.mark.parametrize("name", QUOTED)
def test_quoted_fields_hold_what_separates(name, tmp_path):
    path = tmp_path / "ratings"
    path.write_text(QUOTED[name])
    r = read_ratings(path)
    assert r.users == ["Ada, L.", "Bo"] and r.items == ['The "Best", part 1', "a;b::c"]
    assert r.entries.values.tolist() == [5, 4.5]


def test_a_quote_without_end_or_a_word_without_end_names_the_line(tmp_path):
    path = tmp_path / "ratings"
    for bad in ('"Ada,x,5', '"' + "a" * 200_000 + '",x,5'):
        path.write_text(f"Bo,x,4\n{bad}\n")
        with pytest.raises(ValueError, match="line 2"):
            read_ratings(path)


def test_the_later_rating_counts(tmp_path):
    path = tmp_path / "ratings"
    path.write_text("a x 1\nb x 2\na x 4\n")
    assert read_ratings(path).entries.values.tolist() == [4, 2]


@pytest.mark.parametrize(
    "text, line",
    [("1 1 5\n1 2\n", 2), ("1 1 5\n1 2 three\n", 2), ("1 1 5\n1 2 nan\n", 2),
     ("1 1 5\n\n1 3\n", 3), ("1 1 1 1 1\n", 1), ("u i\n", 1), ("u i r\nu i r\n", 2),
     ("1 1 5\nu i r\n", 2), ("1 1 inf\n", 1), ("1 2 3 4 5 6\n", 1), ("1 1 5\n1 2 1_0\n", 2)],
)  # fmt: skip
def test_malformed_lines_are_numbered(text, line, tmp_path, capsys):
    path = tmp_path / "ratings"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"line {line}:"):
        read_ratings(path)
    assert (
        main(["ratings", str(path)]) == 2 and f"line {line}:" in capsys.readouterr().err
    )


@pytest.mark.parametrize("text", ["", "\n\n", "user item rating\n"])
def test_files_without_a_rating(text, tmp_path):
    path = tmp_path / "ratings"
    path.write_text(text)
    with pytest.raises(ValueError, match="no rating|is empty"):
        read_ratings(path)


def test_synthetic_ratings_and_report(tmp_path, capsys):
    """What was generated comes back from its file; the model predicts held-out ratings better than
    offsets do."""
    e, mean = synthetic_ratings(np.random.default_rng(6), 120, 150, 4000, 2)
    assert (
        e.shape == mean.shape == (120, 150)
        and e.size == 4000
        and set(e.values) == {1, 2, 3, 4, 5}
    )
    activity = np.sort(np.bincount(e.rows, minlength=120))
    assert (
        activity[-12:].sum() > 0.15 * 4000 and activity[:12].sum() < 0.06 * 4000
    )  # a tenth of the users each
    assert np.corrcoef(e.values, mean[e.rows, e.cols])[0, 1] > 0.5
    lines = (
        f"{row + 1}\t{col + 1}\t{value:g}"
        for row, col, value in zip(e.rows, e.cols, e.values, strict=True)
    )
    (tmp_path / "ratings").write_text("\n".join(lines))
    again = read_ratings(tmp_path / "ratings")
    places = [int(u) - 1 for u in again.users], [int(i) - 1 for i in again.items]
    shown = np.zeros(e.shape)
    shown[np.ix_(*places)] = again.entries.by_row.todense()
    assert np.array_equal(shown, e.by_row.todense())
    report = held_out_report(e, 4, np.random.default_rng(7), max_sweeps=100)
    train, test = e.split(0.1, np.random.default_rng(7))
    errors = (
        test.values - report.fit.predict(test.rows, test.cols).mean,
        test.values - train.values.mean(),
    )
    assert np.allclose(
        [np.sqrt(np.mean(x**2)) for x in errors], [report.rmse, report.mean_rmse]
    )
    mean, sd = report.fit.predict(test.rows, test.cols)
    assert np.isclose(report.coverage, np.mean(np.abs(test.values - mean) < 1.96 * sd))
    assert report.fit.A.shape[1] == 4 + 2  # the columns, and the two of the offsets
    assert (
        report.rmse < report.offsets_rmse < report.mean_rmse
        and 0.9 < report.coverage < 0.99
    )
    command = ["ratings", str(tmp_path / "ratings"), "--columns", "2", "--sweeps"]
    assert main([*command, "30"]) == 0
    out, err = capsys.readouterr()
    assert "held-out ratings" in out and "sweeps" in err
    assert "not converged)" in out and "limit of 30 sweeps" in out
    assert main([*command, "2000"]) == 0
    out = capsys.readouterr().out
    assert ", converged)" in out and "limit" not in out
    assert (
        main(["ratings", "--sweeps", "1"]) == 0
        and "943 x 1682" in capsys.readouterr().out
    )  # without a file
    assert (
        main(["ratings", "--seed", "-1"]) == 2 and "seed" not in capsys.readouterr().out
    )
    (tmp_path / "few").write_text("1 1 5\n2 2 4\n")
    assert (
        main(["ratings", str(tmp_path / "few")]) == 2
        and "2 ratings are too few" in capsys.readouterr().err
    )
    assert (
        main(["ratings", str(tmp_path / "none")]) == 2
        and main(["ratings", "x", "--held-out", "2"]) == 2
    )


def test_ratings_need_no_factors():
    assert synthetic_ratings(np.random.default_rng(1), 20, 30, 100, H=0)[0].size == 100


def test_defaults_are_those_of_the_best_known_file():
    assert synthetic_ratings.__defaults__ == (943, 1682, 100_000, 5)
    assert held_out_report.__kwdefaults__ == {
        "share": 0.1,
        "max_sweeps": 200,
        "progress": False,
    }
    ratings, mean = synthetic_ratings(np.random.default_rng(6))
    assert mean.shape == ratings.shape == (943, 1682) and ratings.size == 100_000
    centred = mean - mean.mean(axis=0) - mean.mean(axis=1, keepdims=True) + mean.mean()
    spread = np.linalg.svd(centred, compute_uv=False)
    assert spread[4] > 100 and spread[5] < 1e-9  # five factors, and offsets
    assert centred.std() == pytest.approx(0.5, rel=0.05)


def test_blank_lines_and_quotes_that_are_no_fields(tmp_path):
    path = tmp_path / "ratings"
    path.write_text("user,item,rating\n\nann,tea,3\n\nbob,tea,4\n")
    assert read_ratings(path, ("user", "item", "rating")).users == ["ann", "bob"]
    path.write_text('"ann"::tea::3\n')
    assert read_ratings(path).users == ['"ann"']


rng = np.random.default_rng(0)
V = rng.normal(size=(4, 3))
ENTRIES = validate(V).entries()
BAD = [
    ("H", lambda v: held_out_report(ENTRIES, v, rng), [-1, 1.5]),
    ("entries", lambda v: held_out_report(v, 2, rng), [V, None, validate(V)]),
    ("too few", lambda v: held_out_report(ENTRIES, 1, rng, share=v), [0.001, 0.999]),
    ("ratings", lambda v: synthetic_ratings(rng, 3, 3, v), [0, 10, 2.5]),
]


@pytest.mark.parametrize("name, call, values", BAD)
def test_bad_input_is_named(name, call, values):
    for value in values:
        with pytest.raises(ValueError, match=rf"\b{name}\b"):
            call(value)


# ---- items ----


def test_stand_in_and_reader(tmp_path):
    table, labels = data.item_by_user(np.random.default_rng(0))
    assert table.X.shape == (1750, 83) and tuple(np.bincount(labels)) == data.CLUSTERS
    assert (
        table.X[labels == 4, 24:30].mean() > 0.9
        and table.X[labels == 4, :24].mean() < 0.05
    )
    lines = ["\t".join(["Item", *table.users])]
    lines += [
        "\t".join([item, *map(str, column)])
        for item, column in zip(table.items, table.X.T, strict=True)
    ]
    path = tmp_path / "items.txt"
    for text in ("\n".join(lines), "\ufeff" + "\r\n".join(lines) + "\r\n"):
        path.write_text(text, "utf-8", newline="")
        found = read_items(path)
        assert (
            (found.X == table.X).all()
            and found.items == table.items
            and found.users == table.users
        )


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "is empty"),
        ("Item\tu0\tu1\n", "item on line 2"),
        ("Item\nx\n", "header"),
        (
            "Item\tu0\tu1\nx\t0\t1\ny\t1\n",
            "line 3: 'y\\t1'; it has 2 fields, the first line has 3",
        ),
        ("Item\tu0\tu1\nx\t0\t1\t1\n", "it has 4 fields, the first line has 3"),
        ("Item\tu0\tu1\nx\t0\t1\ny\t0\t2\n", "line 3 (y), column 'u1' is '2'"),
        ("Item\tu0\tu1\nx\t\t1\n", "line 2 (x), column 'u0' is ''"),
        (b"Item\tu\xff\nx\t1\n", "UTF-8"),
    ],
)
def test_malformed_items(tmp_path, text, message):
    path = tmp_path / "items.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=re.escape(message)):
        read_items(path)


@pytest.mark.parametrize("people", [5, 12, 13, 30])
def test_a_small_table_of_items_of_your_own_says_what_it_is_too_small_for(
    people, tmp_path
):
    """The cell of chapter 09's evidence that reads a table of one's own, by itself."""
    rng = np.random.default_rng(0)
    X = np.unique(rng.integers(0, 2, (200, 8)), axis=0)[:people]
    lines = ["\t".join(["", *(f"p{n}" for n in range(people))])]
    lines += ["\t".join([f"i{d}", *map(str, column)]) for d, column in enumerate(X.T)]
    path = tmp_path / "my.tsv"
    path.write_text("\n".join(lines))
    (name,) = (ROOT / "notebooks" / "evidence").glob("09_*.ipynb")
    cells = nbformat.read(name, 4).cells
    (cell,) = [cell for cell in cells if cell.get("id") == "own-items"]
    shown = []
    names = {
        "items": str(path),
        "seed": 2011,
        "np": np,
        "Path": Path,
        "Page": shown.append,
        "read_items": read_items,
        "minority": minority,
        "init_from_rows": init_from_rows,
        "fit_batch": fit_batch,
    }
    exec(cell.source, names)
    told = shown[0].splitlines()[2:]
    assert len(told) == 4
    for line in told:
        K = int(line.split("|")[2])
        assert (f"only {people} people differ" in line) == (K > people)


@pytest.mark.parametrize("text", ["1\t1\t\t\n", "1,1,\n2,1,\n"])
def test_lines_without_any_rating_are_refused(text, tmp_path):
    (tmp_path / "none.txt").write_text(text)
    with pytest.raises(ValueError, match="line 1"):
        read_ratings(tmp_path / "none.txt")
