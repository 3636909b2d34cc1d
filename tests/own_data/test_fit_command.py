"""`python -m vbkit fit`: from a file to a report; what does not fit is refused in one sentence."""

import csv
import os
import re
import subprocess
import sys
import warnings
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from vbkit.__main__ import main
from vbkit.own_data import VariationalMixture, learner, load_model
from vbkit.own_data.groups import Groups, left_undone
from vbkit.own_data.preparation import prepare
from vbkit.own_data.table import read_table

ROWS = "a,b\n1,2\n2,1\n4,5\n"


def two_groups(seed=0, size=40):
    """Rows of three columns from two groups far apart, and their groups."""
    rng = np.random.default_rng(seed)
    labels = np.arange(size) % 2
    return rng.normal(20 * labels[:, None], 1, (size, 3)), labels


def written(path, names, rows, mark=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=mark).writerows([names, *rows])
    return path


def run(capsys, *arguments):
    code = main(["fit", *map(str, arguments)])
    return code, *capsys.readouterr()


class Page(HTMLParser):
    """What a page loads, and the texts that stand for its pictures."""

    def __init__(self, text):
        super().__init__()
        self.sources, self.alts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.sources += [found[name] for name in ("src", "href") if name in found]
        self.alts += [found.get("alt")] if tag == "img" else []


def test_numbers_become_a_report_labels_and_a_model(tmp_path, capsys):
    X, labels = two_groups()
    rows = [[*x, f"kind <{k}>"] for x, k in zip(X, labels, strict=True)]
    path = written(tmp_path / "my.csv", ["a", "b", "c", "kind"], rows)
    code, out, _ = run(capsys, path, "--to", tmp_path / "to", "--labels", "kind")
    assert (
        code == 0 and "All 3 columns are numbers: Gaussian with full covariance" in out
    )
    assert "40 rows with 3 columns form 2 groups." in out
    files = {file.name for file in (tmp_path / "to").iterdir()}
    assert files == {"report.html", "labels.csv", "probabilities.csv", "model.npz"}
    page = (tmp_path / "to" / "report.html").read_text("utf-8")
    found = Page(page)
    assert len(found.alts) == 4 and all(len(alt) > 40 for alt in found.alts)
    assert all(source.startswith("data:image/png") for source in found.sources)
    assert "kind &lt;1&gt;" in page and "<1>" not in page
    model = load_model(tmp_path / "to" / "model.npz")
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.warns(UserWarning, match="feature names"):
        proba = model.predict_proba(X)
    told = [*csv.DictReader((tmp_path / "to" / "labels.csv").open())]
    groups = np.array([int(row["group"]) for row in told])
    assert (groups == proba.argmax(axis=1)).all() and told[1]["kind"] == "kind <1>"
    assert abs(np.corrcoef(groups, labels)[0, 1]) == pytest.approx(1)
    written_rows = [*csv.reader((tmp_path / "to" / "probabilities.csv").open())][1:]
    values = [[*map(float, row[1:])] for row in written_rows]
    np.testing.assert_allclose(values, proba, atol=1e-6)


def test_items_words_and_counts(tmp_path, capsys):
    rng = np.random.default_rng(1)
    which = np.arange(40) % 2
    yes = (
        rng.random((40, 6)) < np.where(which[:, None] == (np.arange(6) < 3), 0.95, 0.05)
    ) * 1
    rows = [[f"animal {i}", *x] for i, x in enumerate(yes)]
    path = written(
        tmp_path / "zoo.tsv", ["name", *(f"item {d}" for d in range(6))], rows, "\t"
    )
    code, out, _ = run(capsys, path, "--to", tmp_path / "zoo")
    assert code == 0 and "All 6 columns are 0 or 1" in out and "'name', is taken" in out
    page = (tmp_path / "zoo" / "report.html").read_text("utf-8")
    assert "item 0" in page and "probability here" in page
    words = np.where(yes == 1, "black", "white")
    path = written(tmp_path / "words.csv", [*"abcdef"], words)
    code, out, _ = run(capsys, path, "--to", tmp_path / "words", "--components", 2)
    assert code == 0 and "All 6 columns are words" in out
    assert " = black" in (tmp_path / "words" / "report.html").read_text("utf-8")
    path = written(
        tmp_path / "counts.csv", [*"abc"], rng.poisson(2 + 20 * which[:, None], (40, 3))
    )
    code, out, _ = run(capsys, path, "--to", tmp_path / "counts", "--family", "poisson")
    assert code == 0 and "As you chose: independent counts" in out


def test_words_for_yes_and_no_are_items_and_labels_name_the_doubtful_rows(
    tmp_path, capsys
):
    rng = np.random.default_rng(2)
    yes = rng.random((30, 4)) < np.where(np.arange(30)[:, None] % 2, 0.8, 0.2)
    words = np.array([["FALSE", "TRUE"], ["n", "Y"], ["No", "yes"], ["0", "1"]])
    table = [
        [f"animal {i}", *words[np.arange(4), row * 1]] for i, row in enumerate(yes)
    ]
    path = written(tmp_path / "said.csv", ["animal", *"abcd"], table)
    code, out, _ = run(capsys, path, "--to", tmp_path / "to", "--labels", "animal")
    assert (
        code == 0
        and "yes and true are read as 1" in out
        and "columns are 0 or 1" in out
    )
    np.testing.assert_array_equal(prepare(read_table(path)).X, yes)
    assert "The most doubtful is animal " in (
        tmp_path / "to" / "report.html"
    ).read_text("utf-8")
    assert prepare(read_table(path), "categorical").levels["b"] == ["Y", "n"]
    mixed = written(
        tmp_path / "mixed.csv", [*"ab"], [["yes", 1.5], ["no", 2.5], ["no", 3]]
    )
    with pytest.raises(ValueError, match="'a' holds words"):
        prepare(read_table(mixed), "gaussian")
    assert "'b' as numbers; 'a' as yes or no" in " ".join(
        prepare(read_table(mixed)).notes
    )


def test_parquet_semicolons_and_bare_numbers_are_one_table(tmp_path):
    X, _ = two_groups(size=6)
    X = X.round(3)
    parquet.write_table(
        pa.table(dict(zip("abc", X.T, strict=True))), tmp_path / "a.parquet"
    )
    written(
        tmp_path / "b.csv",
        [*"abc"],
        [[f"{v}".replace(".", ",") for v in x] for x in X],
        ";",
    )
    np.savetxt(tmp_path / "c.csv", X, delimiter=",", fmt="%.3f")
    for name in ("a.parquet", "b.csv", "c.csv"):
        table = read_table(tmp_path / name)
        np.testing.assert_allclose(np.column_stack([*table.cells.values()]), X)
    assert [*table.cells] == ["column 1", "column 2", "column 3"]


def test_a_transposed_table_is_noticed(tmp_path):
    items = np.arange(60).reshape(3, 20) % 3 % 2
    rows = [[f"item {i}", *x] for i, x in enumerate(items)]
    path = written(
        tmp_path / "t.csv", ["item", *(f"user {i}" for i in range(20))], rows
    )
    assert "add --transpose" in " ".join(prepare(read_table(path)).notes)
    table = read_table(path, transpose=True)
    assert table.rows[:2] == ["user 0", "user 1"] and [*table.cells] == [
        "item 0",
        "item 1",
        "item 2",
    ]
    data = prepare(table)
    assert data.family == "bernoulli" and "--transpose" not in " ".join(data.notes)
    np.testing.assert_array_equal(data.X, items.T)


def test_columns_to_think_about_are_named(tmp_path):
    rows = [
        [i, 7, x, y]
        for i, (x, y) in enumerate(np.random.default_rng(0).normal(size=(20, 2)))
    ]
    notes = prepare(
        read_table(written(tmp_path / "a.csv", "number same x y".split(), rows))
    ).notes
    assert any("'number' numbers the rows" in note for note in notes)
    assert any(note.startswith("Left aside") and "same'" in note for note in notes)
    assert not any("'x'" in note for note in notes)
    answers = [
        ["yes", "no", "no", "yes", "no"],
        ["no", "yes", "yes", "maybe", "no"],
    ] * 2
    data = prepare(read_table(written(tmp_path / "b.csv", "abcde", answers)))
    assert data.family == "categorical" and any(
        "'maybe' in row 2" in note for note in data.notes
    )


def test_labels_stay_as_they_are_written(tmp_path, capsys):
    X, _ = two_groups()
    rows = [[f"{10**15 + i}", *x] for i, x in enumerate(X)]
    path = written(tmp_path / "my.csv", ["id", "cost in $", "$b", "$c$"], rows)
    code, _, err = run(capsys, path, "--to", tmp_path / "to", "--labels", "id")
    assert code == 0, err  # a dollar begins no formula in a picture
    with (tmp_path / "to" / "labels.csv").open() as file:
        assert [row["id"] for row in csv.DictReader(file)] == [row[0] for row in rows]
    zips = written(
        tmp_path / "zips.csv",
        ["", "a", "b"],
        [[f"0{i:04}", *X[i, :2]] for i in range(9)],
    )
    assert read_table(zips).rows == [f"0{i:04}" for i in range(9)]


def test_long_numbers_are_kept_as_labels_in_every_format(tmp_path):
    ids = [1234567890123456 + i for i in range(3)]
    columns = {"id": ids, "a": [1.0, 2, 4], "b": [3.0, 5, 6]}
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    path = written(
        tmp_path / "b.csv", ["00001", "1", "3"], [["00002", 2, 5], ["00003", 4, 6]]
    )
    assert read_table(tmp_path / "a.parquet", labels="id").labels.tolist() == [
        *map(str, ids)
    ]
    assert read_table(path, labels="column 1").labels.tolist() == [
        "00001",
        "00002",
        "00003",
    ]
    middle = written(tmp_path / "c.csv", ["a", "", "b"], [[1, 2, 3], [2, 4, 5]])
    assert [*read_table(middle).cells] == [
        "a",
        "",
        "b",
    ]  # only a first one can be names


def test_columns_without_name_and_cells_are_ignored(tmp_path):
    path = written(
        tmp_path / "a.csv", ["a", "b", "", ""], [[1, 2, "", ""], [3, 4, "", ""]]
    )
    assert [*read_table(path).cells] == ["a", "b"]


@pytest.mark.filterwarnings("error")
def test_names_that_the_font_of_the_pictures_lacks(tmp_path, capsys):
    path = written(tmp_path / "重さ.csv", ["重さ", "b"], two_groups()[0][:, :2])
    code, _, err = run(capsys, path, "--to", tmp_path / "形")
    assert (code, err) == (0, "") and "重さ" in (
        tmp_path / "形" / "report.html"
    ).read_text("utf-8")


@pytest.mark.filterwarnings("error")
def test_whole_numbers_beyond_a_float_are_rounded_aloud(tmp_path):
    rng = np.random.default_rng(3)
    for first in (2**53, 2**62, 2**64, 10**25):
        rows = [[first + int(10**12 * x), y] for x, y in rng.random((20, 2))]
        data = prepare(read_table(written(tmp_path / "a.csv", "ab", rows)))
        np.testing.assert_array_equal(data.X[:, 0], [float(x) for x, _ in rows])
        assert any("'a' exceeds 2^53: only 16 digits" in note for note in data.notes)
    stored = {"a": pa.array([2**63 + 1, 2**63 + 5000], pa.uint64()), "b": [1.0, 2.0]}
    parquet.write_table(pa.table(stored), tmp_path / "a.parquet")
    assert read_table(tmp_path / "a.parquet").cells["a"].tolist() == [
        2.0**63,
        2.0**63 + 4096,
    ]


def test_a_report_has_the_digits_that_tell_rows_apart(tmp_path, capsys):
    X, _ = two_groups()
    path = written(tmp_path / "my.csv", "abd", [[1e9 + a, b, 0.1] for a, b, _ in X])
    code, _, _ = run(capsys, path, "--to", tmp_path / "to", "--family", "diagonal")
    page = (tmp_path / "to" / "report.html").read_text("utf-8")
    whole = X.mean(axis=0)
    assert (
        code == 0 and f"({1e9 + whole[0]:,.1f})" in page and f"({whole[1]:.4g})" in page
    )
    assert "d 0.1" not in page and "tells no groups apart: &#39;d&#39;" in page


def test_a_table_of_words_and_numbers_is_not_transposed(tmp_path):
    path = written(
        tmp_path / "a.csv", ["name", "x", "y"], [["a", 1, "u"], ["b", 2, "v"]]
    )
    with pytest.raises(ValueError, match="columns of words and of numbers"):
        read_table(path, transpose=True)
    with pytest.raises(ValueError, match="no column besides their names"):
        read_table(
            written(tmp_path / "b.csv", ["", "x"], [["a", 1], ["b", 2]]),
            leave_out=["x"],
            transpose=True,
        )


def test_lines_may_end_in_any_way_and_blanks_around_cells_do_not_count(tmp_path):
    path = tmp_path / "a.csv"
    for end in ("\n", "\r\n", "\r", "\n\n"):
        path.write_bytes(end.join(["n,a,b", "x , 1,+2", '"y\n,z",3 ,4']).encode())
        table = read_table(path)
        assert table.rows == ["x", "y\n,z"] or end == "\r"
        assert [*table.cells] == ["a", "b"]
        assert table.cells["b"].tolist() == [2, 4]


REFUSED = {  # what a file holds, and the words that say what is wrong
    "empty": (b"", "is empty"),
    "blank": (b"\n \n", "is empty"),
    "binary": (b"\x89PNG\r\n\0\0\1", "not text"),
    "header only": (b"a,b\n", "holds no row"),
    "one column": (b"a\n1\n2\n", "at least 2 rows and 2 columns"),
    "one row": (b"a,b\n1,2\n", "at least 2 rows and 2 columns"),
    "ragged": (b"a,b\n1,2\n3\n", "line 3: '3'; it has 1 field, the first line has 2"),
    "text among numbers": (b"a,b\n1,2\n3,4\n5,six\n7,8\n", "'b' has 'six' in row 3"),
    "text in the first column": (
        b"a,b\n1,2\n3,4\nyes,6\n7,8\n",
        "'a' has 'yes' in row 3",
    ),
    "latin-1": ("a,b\n1,2\n3,4\nä,5\n".encode("latin-1"), "UTF-8"),
    "twice": (b"a,a\n1,2\n3,4\n", "two columns called 'a'"),
    "100,000 columns": (
        b"\n".join([b",".join([b"%d" % i for i in range(100_000)])] * 3),
        "100000",
    ),
    "long line": (b"a,b\n1," + b"2" * 100_000_000, "line of more than 10 MB"),
    "far too large": (b"a,b\n1e300,2\n3e300,4\n5,6\n", "'a' has 1e+300 in row 1"),
    "all the same": (b"a,b\n1,2\n1,2\n1,2\n", "all rows are the same"),
    "other marks": (b"a~b\n1~2\n3~4\n", "with tabs, commas, semicolons"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_is_no_table_is_refused_in_a_sentence(case, tmp_path, capsys):
    content, words = REFUSED[case]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    code, _, err = run(capsys, path, "--to", tmp_path / "to")
    assert (code, err.count("\n")) == (2, 1) and words in err
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--labels", "c"], "no column 'c'"),
        (["--leave-out", "b,z"], "no column 'z'"),
        (["--family", "bernoulli"], "takes 0 and 1"),
        (["--components", "0"], "not a whole number"),
        (["--components", "9"], "n_components"),
        (["--seed", "-1"], "whole number"),
        (["--transpose", "--labels", "a"], "--transpose"),
        (["--labels", "a", "--leave-out", "a"], "both name 'a'"),
    ],
)
def test_wrong_options(arguments, words, tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text(ROWS)
    code, _, err = run(capsys, path, "--to", tmp_path / "to", *arguments)
    assert (code, err.count("\n")) == (2, 1) and words in err
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


def test_a_full_covariance_of_more_columns_than_rows_is_refused(tmp_path, capsys):
    rng = np.random.default_rng(0)
    names = [f"c{d}" for d in range(60)]
    few = written(tmp_path / "few.csv", names, rng.normal(size=(59, 60)))
    wanted = ["--family", "gaussian", "--components", 1]
    code, _, err = run(capsys, few, "--to", tmp_path / "few", *wanted)
    assert code == 2 and "60 columns" in err and "59 rows are too few" in err
    assert not (tmp_path / "few").exists()
    enough = written(tmp_path / "enough.csv", names, rng.normal(size=(60, 60)))
    assert run(capsys, enough, "--to", tmp_path / "enough", *wanted)[0] == 0


def test_a_column_whose_numbers_never_repeat_is_not_one_of_few_values(tmp_path, capsys):
    rng = np.random.default_rng(0)
    path = written(tmp_path / "t.csv", [*"abcdefghi"], rng.normal(size=(4, 9)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code, out, _ = run(capsys, path, "--to", tmp_path / "to", "--components", 4)
    assert code == 0 and "single value" not in out


def test_a_search_and_a_fit_that_end_at_their_limits_say_so(
    tmp_path, capsys, monkeypatch
):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(90, 2)) + 9 * (np.arange(90) % 3)[:, None]
    path = written(tmp_path / "three.csv", ["a", "b"], rows)
    code, out, _ = run(capsys, path, "--to", tmp_path / "whole")
    assert code == 0 and "its limit" not in out
    monkeypatch.setattr(learner, "ATTEMPTS", 1)
    monkeypatch.setattr(learner, "VISITED", 1)
    code, out, _ = run(capsys, path, "--to", tmp_path / "cut")
    assert code == 0 and "search for more or fewer components ended at its limit" in out
    assert "ended at its limit" in (tmp_path / "cut" / "report.html").read_text("utf-8")
    assert "limit of" not in out
    model = VariationalMixture(3, max_iter=1, random_state=0).fit(rows)
    told = left_undone(Groups(model, model.predict_proba(rows), [3], [0.0], [3], True))
    assert len(told) == 1 and "limit of 1 passes" in told[0]


def test_lines_without_values_between_the_rows_are_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b;c\n1;2;3\n;;\n2;3;4\n\n5;5;6\n ; ; \n7;8;1\n;;\n;;\n")
    table = read_table(path)
    assert len(table.rows) == 4
    assert "Lines 3, 7 hold no value; they are no rows of the table." in table.notes
    path.write_text("a;b;c\n1;2;3\n;;\n2;3;4\n")
    told = "Line 3 holds no value; it is no row of the table."
    assert told in read_table(path).notes


def test_wrong_places(tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text(ROWS)
    assert (
        "not empty" in run(capsys, path, "--to", tmp_path)[2]
        and path.read_text() == ROWS
    )
    assert (
        "cannot read" in run(capsys, tmp_path / "none.csv", "--to", tmp_path / "to")[2]
    )
    assert "a folder" in run(capsys, tmp_path, "--to", tmp_path / "to")[2]
    assert "cannot write to" in run(capsys, path, "--to", tmp_path / ("x" * 300))[2]
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    assert "cannot write to" in run(capsys, path, "--to", tmp_path / "circle")[2]
    os.mkfifo(tmp_path / "pipe")
    assert "is a pipe" in run(capsys, tmp_path / "pipe", "--to", tmp_path / "to")[2]
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    code, _, err = run(capsys, tmp_path / "bad.parquet", "--to", tmp_path / "to")
    assert code == 2 and "not a Parquet file" in err and not (tmp_path / "to").exists()


def test_without_pyarrow_the_command_names_the_extra(tmp_path):
    (tmp_path / "table.parquet").write_text(ROWS)
    script = (
        "import sys; sys.modules['pyarrow'] = None; from vbkit.__main__ import main; "
    )
    script += (
        f"sys.exit(main(['fit', {str(tmp_path / 'table.parquet')!r}, '--to', 'x']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True
    )
    assert (
        done.returncode == 2
        and "pyarrow" in done.stderr
        and done.stderr.count("\n") == 1
    )
    assert "vbkit[tables]" in done.stderr


def test_options_are_declared_without_what_learns():
    script = "import sys, vbkit.__main__ as main; main.parser(); print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert not {"scipy.stats", "sklearn", "pandas"} & {*loaded}


def test_what_takes_long_says_how_far_it_is(tmp_path, capsys, monkeypatch):
    path = written(tmp_path / "my.csv", "abc", two_groups()[0])
    _, quick, _ = run(capsys, path, "--to", tmp_path / "quick")
    assert "ELBO" not in quick
    monkeypatch.setattr("vbkit.own_data.groups.PAUSE", 0.0)
    _, slow, _ = run(capsys, path, "--to", tmp_path / "slow")
    lines = re.findall(r"  \d+ s: (\d+) components?, ELBO (-\d+\.\d) nats\n", slow)
    assert {int(K) for K, _ in lines} > {1, 2, 3}
    proba = "probabilities.csv"
    quick_one, slow_one = (tmp_path / name / proba for name in ("quick", "slow"))
    assert quick_one.read_text() == slow_one.read_text()
