"""`python -m vbkit ratings`: from a file of ratings to predictions; what does not fit is refused in
one sentence."""

import csv
import os

import numpy as np
import pytest

from vbkit.__main__ import main
from vbkit.factorization import fit, init_random
from vbkit.own_data import read_ratings
from vbkit.own_data.completion import BY, complete, errors

NOISE, USERS, ITEMS, RANK = 0.3, 60, 50, 2
FEW = "u,x,1\nu,y,4\nv,x,2\nv,y,5\nw,x,5\n"


def table(seed=0):
    """Ratings of a known low rank, with an offset for each user and item, and noise: (60, 50)."""
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((USERS, RANK)) @ rng.standard_normal((RANK, ITEMS))
    V += 3 + 0.5 * rng.standard_normal((USERS, 1)) + 0.5 * rng.standard_normal(ITEMS)
    return V + NOISE * rng.standard_normal(V.shape)


def lines(V, chosen):
    return [(f"Ann {r}, the {r}th", f'a "film" {c}', repr(float(V[r, c])))
            for r, c in zip(*np.nonzero(chosen), strict=True)]  # fmt: skip


def written(path, rows, header=None):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([*([header] if header else []), *rows])
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two thirds of a table to learn from, and the rest."""
    folder, V = tmp_path_factory.mktemp("ratings"), table()
    seen = np.random.default_rng(1).random(V.shape) < 2 / 3
    seen[0], seen[:, 0] = True, True
    train, test = (
        written(folder / "a.csv", lines(V, seen)),
        written(folder / "b.csv", lines(V, ~seen)),
    )
    return train, test, np.where(seen, V, np.nan)


def run(capsys, *arguments):
    code = main(["ratings", *map(str, arguments)])
    return code, *capsys.readouterr()


def told(out):
    """The printed errors by the words before them."""
    rows = (
        line.rsplit(maxsplit=2)
        for line in out.split("RMSE     MAE\n")[1].splitlines()[:4]
    )
    return {row[0].strip(): (float(row[1]), float(row[2])) for row in rows}


def test_a_known_table_is_completed_near_the_noise(files, tmp_path, capsys):
    train, test, V = files
    code, out, err = run(capsys, train, "--test", test, "--out", tmp_path / "out.csv")
    assert (
        (code, err) == (0, "")
        and "2 factors chosen" in out
        and "Learning converged" in out
    )
    found = told(out)
    rmse, mae = found["factorization"]
    assert NOISE < rmse < 1.3 * NOISE and mae < rmse
    for name in ("user means", "item means", "user + item - overall mean"):
        assert found[name][0] > 2 * rmse and found[name][1] > 2 * mae
    rows = [*csv.DictReader((tmp_path / "out.csv").open(encoding="utf-8"))]
    asked = [*csv.reader(test.open())]
    assert [[row["user"], row["item"]] for row in rows] == [line[:2] for line in asked]
    assert {row["by"] for row in rows} == {"factors"}
    truth, mean, sd = (np.array([float(row[name]) for row in rows])
                       for name in ("rating", "prediction", "sd"))  # fmt: skip
    np.testing.assert_allclose(truth, [float(line[2]) for line in asked], rtol=1e-14)
    assert errors(truth, mean) == pytest.approx((rmse, mae), abs=1e-4)
    assert 0.9 < np.mean(np.abs(truth - mean) < 1.96 * sd) < 0.99
    # the means, by hand
    hidden = np.isnan(V)
    by_user, by_item = (np.broadcast_to(np.nanmean(V, axis=axis, keepdims=True), V.shape)[hidden]
                        for axis in (1, 0))  # fmt: skip
    for name, predictions in (
        ("user means", by_user),
        ("item means", by_item),
        ("user + item - overall mean", by_user + by_item - np.nanmean(V)),
    ):
        assert found[name] == pytest.approx(errors(truth, predictions), abs=1e-4)


def test_with_offsets_it_is_the_best_of_the_fits(files):
    known = read_ratings(files[0])
    done = complete(known.entries, most=1, starts=3, seed=4)
    rng, e = np.random.default_rng(4), known.entries
    order = np.lexsort((e.cols, e.rows))
    e = type(e)(e.rows[order], e.cols[order], e.values[order], e.shape)
    starts = [init_random(e, 1, rng, offsets=True) for _ in range(3)]
    fits = [fit(e, start, tolerance=1e-6 * e.size) for start in starts]
    assert done.fit.elbo == max(f.elbo for f in fits) and len(done.elbos) == 2


def test_a_pipe_is_refused(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    code, _, err = run(capsys, tmp_path / "pipe")
    assert code == 2 and "is a pipe" in err


def test_without_a_test_file_all_missing_pairs_are_written(tmp_path, capsys):
    path, out = tmp_path / "few.csv", tmp_path / "out.csv"
    path.write_text("user,item,rating\n" + FEW)
    code, said, _ = run(capsys, path, "--out", out)
    assert code == 0 and "names user 'user', item 'item' and rating" in said
    rows = [*csv.reader(out.open())]
    assert rows[0] == ["user", "item", "prediction", "sd", "by"]
    assert [row[:2] for row in rows[1:]] == [["w", "y"]] and "1 predictions" in said
    assert 1 < float(rows[1][2]) < 8 and float(rows[1][3]) > 0


def test_unknown_users_and_items_get_means(tmp_path, capsys):
    (tmp_path / "a").write_text(FEW)
    (tmp_path / "b").write_text("u,z,3\nnew,y,3\nnew,z,3\nu,x,1\nw,y,4\n")
    code, out, _ = run(
        capsys, tmp_path / "a", "--test", tmp_path / "b", "--out", tmp_path / "o"
    )
    assert code == 0 and "1 users and 1 items of the test file" in out
    assert "1 pairs of the test file were learned from too" in out
    rows = [*csv.DictReader((tmp_path / "o").open())]
    assert [row["by"] for row in rows] == [BY[1], BY[2], BY[3], BY[0], BY[0]]
    assert [float(row["prediction"]) for row in rows[:3]] == [2.5, 4.5, 3.4]
    assert [row["sd"] for row in rows[:3]] == [""] * 3
    for name, count in {
        "factors": 2,
        "user mean": 1,
        "item mean": 1,
        "overall mean": 1,
    }.items():
        assert f"{count} are by the {name}\n" in out
    assert told(out)["item means"][0] == pytest.approx(
        np.sqrt(
            np.mean((np.array([3.4, 4.5, 3.4, 8 / 3, 4.5]) - [3, 3, 3, 1, 4]) ** 2)
        ),
        abs=1e-4,
    )


@pytest.mark.parametrize("mark", [",", "\t", ";"])
def test_columns_by_name(mark, tmp_path, capsys):
    rows = [line.split(",") for line in FEW.split()]
    text = mark.join(["when", "stars", '"the, user"', "film"]) + "\n"
    text += "".join(
        mark.join(["7", r, f'"{u}"', f'"{i}: a, b;\nc"']) + "\n" for u, i, r in rows
    )
    (tmp_path / "a").write_text(text)
    known = read_ratings(tmp_path / "a", ["the, user", "film", "stars"])
    assert known.users == ["u", "v", "w"] and known.items == [
        "x: a, b;\nc",
        "y: a, b;\nc",
    ]
    assert known.entries.values.tolist() == [1, 4, 2, 5, 5]
    (tmp_path / "b").write_text(text.replace("the, user", "user"))
    chosen = ["--fields", "user,film,stars", "--out", tmp_path / "o"]
    assert run(capsys, tmp_path / "b", *chosen)[0] == 0
    assert [row[:2] for row in csv.reader((tmp_path / "o").open())][1:] == [
        ["w", "y: a, b;\nc"]
    ]


def test_what_stops_early_says_so(files, tmp_path, capsys):
    code, out, _ = run(
        capsys, files[0], "--test", files[1], "--sweeps", "3", "--columns", "1"
    )
    assert code == 0 and "stopped at the limit of 3 sweeps, not converged" in out


REFUSED = {  # what a file holds, and the words that say what is wrong
    "empty": (b"", "is empty"),
    "blank": (b"\n \n", "is empty"),
    "binary": (b"\x89PNG\r\n\0\0\1", "not text"),
    "bytes": (b"\x89PNG\r\n", "UTF-8"),
    "one column": (b"1\n2\n", "line 1"),
    "two columns": (b"1,2\n3,4\n", "line 1"),
    "ragged": (b"1,1,5\n1,2\n", "line 2"),
    "NaN": (b"1,1,5\n1,2,NaN\n", "line 2"),
    "gap": (b"1,1,5\n1,,4\n", "line 2"),
    "text": (b"1,1,5\n1,2,good\n", "line 2"),
    "many columns": (b"1,2,3,4,5\n", "--fields"),
    "twice": (
        b"1,1,5\n1,2,3\n1,1,4\n",
        "line 3: user '1' rates item '1' a second time",
    ),
    "latin-1": ("1,1,5\n1,ä,4\n".encode("latin-1"), "UTF-8"),
    "cut letter": ("1,1,5\n1,2,4\nä".encode()[:-1], "UTF-8"),
    "long line": (b"1,1,5\n" + b"2" * 100_000_000, "line of more than 10 MB"),
    "constant": (b"1,1,5\n2,2,5\n1,2,5\n", "all ratings are the same"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_holds_no_ratings_is_refused_in_a_sentence(case, tmp_path, capsys):
    content, words = REFUSED[case]
    path, good = tmp_path / "ratings.csv", tmp_path / "good.csv"
    path.write_bytes(content)
    good.write_text(FEW)
    to = ["--out", tmp_path / "out.csv"]
    only_first = case in ("constant", "two columns", "NaN")  # pairs need no rating
    for arguments in ((path, *to), (good, "--test", path, *to))[
        : 1 if only_first else 2
    ]:
        code, _, err = run(capsys, *arguments)
        assert (code, err.count("\n")) == (2, 1) and words in err
    assert {file.name for file in tmp_path.iterdir()} == {"ratings.csv", "good.csv"}


NAMED = {
    "no column": (
        b"a,b,c\n1,1,5\n",
        "has no column 'user'; its first line names 'a', 'b', 'c'",
    ),
    "two of them": (b"user,user,item,rating\n1,1,1,5\n", "has 2 columns 'user'"),
    "ragged by name": (
        b"user,item,rating\n1,1,5\n1,2\n",
        "line 3: '1,2'; it has 2 fields",
    ),
    "text by name": (
        b"user,item,rating,x\n1,1,good,3\n",
        "line 2: '1,1,good,3'; 'rating' must be",
    ),
    "no label": (b"\nuser,item,rating\n,1,3\n", "line 3: ',1,3'; 'rating' must be"),
    "header only": (b"user,item,rating\n", "holds no rating"),
    "endless word": (
        b"user,item,rating\n1,1,2\n1," + b"2" * 200_000 + b",3\n",
        "line 3",
    ),
}


@pytest.mark.parametrize("case", NAMED)
def test_columns_that_do_not_fit(case, tmp_path, capsys):
    content, words = NAMED[case]
    (tmp_path / "a.csv").write_bytes(content)
    command = [
        tmp_path / "a.csv",
        "--fields",
        "user,item,rating",
        "--out",
        tmp_path / "o",
    ]
    code, _, err = run(capsys, *command)
    assert (code, err.count("\n")) == (2, 1) and words in err
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]


def test_nothing_is_overwritten_or_half_written(tmp_path, capsys, monkeypatch):
    path, out = tmp_path / "a.csv", tmp_path / "o.csv"
    path.write_text(FEW)
    for place, words in {path: "exists", tmp_path / "none" / "o": "cannot write",
                         "/proc/vbkit": "cannot write"}.items():  # fmt: skip
        code, _, err = run(capsys, path, "--out", place)
        assert (code, err.count("\n")) == (2, 1) and words in err
    assert path.read_text() == FEW
    for error, code in (
        (OSError(28, "No space left on device"), 1),
        (KeyboardInterrupt, 130),
    ):

        def fail(*_, error=error):
            raise error

        monkeypatch.setattr("vbkit.own_data.ratings_command._write", fail)
        assert main(["ratings", str(path), "--out", str(out)]) == code
        assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]
    monkeypatch.undo()

    def meanwhile(*_):
        out.write_text("mine")

    monkeypatch.setattr("vbkit.own_data.ratings_command._write", meanwhile)
    assert run(capsys, path, "--out", out)[0] == 2 and out.read_text() == "mine"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--test", "b", "--held-out", "0.2"], "--held-out"),
        (["--fields", "a,b"], "must name three columns"),
        (["--fields", "a,b,b"], "must name three columns"),
        (["--starts", "0"], "not a whole number"),
        (["--seed", "-1"], "whole number"),
        (["--test", "no-such-file"], "cannot read no-such-file"),
        (["--test", "."], "cannot read ."),
    ],
)
def test_wrong_options(arguments, words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text(FEW)
    (tmp_path / "b").write_text(FEW)
    code, _, err = run(capsys, "a", "--out", "o", *arguments)
    assert (code, err.count("\n")) == (2, 1) and words in err
    assert {file.name for file in tmp_path.iterdir()} == {"a", "b"}
    assert "need FILE" in run(capsys, "--out", "o")[2]


def test_more_factors_than_the_table_allows_are_not_tried(tmp_path, capsys):
    (tmp_path / "a").write_text(
        "".join(f"u{i % 7} i{i % 3} {1e9 + i % 5}\n" for i in range(21))
    )
    code, out, _ = run(capsys, tmp_path / "a", "--columns", "999", "--sweeps", "9")
    assert code == 0 and "7 x 3, 5 columns" in out  # two are offsets
    run(capsys, tmp_path / "a", "--test", tmp_path / "a", "--out", tmp_path / "o")
    told = [row["prediction"] for row in csv.DictReader((tmp_path / "o").open())]
    assert {len(text) for text in told} & {12, 13}


def test_too_many_pairs_and_none(tmp_path, capsys, monkeypatch):
    (tmp_path / "a").write_text(FEW)
    monkeypatch.setattr("vbkit.own_data.ratings_command.MOST", 0)
    assert (
        "1 pairs have no rating, and at most 0"
        in run(capsys, tmp_path / "a", "--out", tmp_path / "o")[2]
    )
    (tmp_path / "a").write_text(FEW + "w,y,3\n")
    assert (
        "nothing to predict" in run(capsys, tmp_path / "a", "--out", tmp_path / "o")[2]
    )
