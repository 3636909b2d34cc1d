"""The forms in which people bring ratings: each is read rightly, with a line that says how, or
refused with a way out."""

import csv

import numpy as np
import pytest

from vbkit.__main__ import main
from vbkit.own_data import read_ratings

GRID = [(u, i, 1 + (3 * u + 2 * i + u * i) % 5) for u in range(6) for i in range(5)]


def read(tmp_path, text, **options):
    path = tmp_path / "ratings.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_ratings(path, **options)


def triples(found) -> set:
    """What was read, as user, item and rating."""
    users = [found.users[row] for row in found.rows]
    items = [found.items[col] for col in found.cols]
    return set(zip(users, items, found.values.tolist(), strict=True))


def run(capsys, *arguments):
    code = main(["ratings", *map(str, arguments)])
    return code, *capsys.readouterr()


THREE = {("7", "30", 4.0), ("8", "30", 2.5), ("7", "40", 5.0)}
FORMS = {  # a file that holds THREE, and words of what is said of it
    "rating in the middle": (
        "userId,rating,movieId\n7,4,30\n8,2.5,30\n7,5,40\n",
        "user 'userId', item 'movieId' and rating 'rating'",
    ),
    "item first": (
        "item,user,rating\n30,7,4\n30,8,2.5\n40,7,5\n",
        "user 'user', item 'item'",
    ),
    "MovieLens": (
        "userId,movieId,rating,timestamp\n7,30,4,1\n8,30,2.5,2\n7,40,5,3\n",
        "item 'movieId'",
    ),
    "Book-Crossing": (
        '"User-ID";"ISBN";"Book-Rating"\n"7";"30";"4"\n"8";"30";"2.5"\n"7";"40";"5"\n',
        "item 'ISBN' and rating 'Book-Rating'",
    ),
    "Amazon": (
        "asin,helpful,overall,reviewerID,reviewText,unixReviewTime\n"
        '30,[0],4,7,"good, I say",9\n30,[1],2.5,8,so,9\n40,[1],5,7,no,9\n',
        "user 'reviewerID', item 'asin' and rating 'overall'",
    ),
    "a data frame with its index": (
        ",User_id,Item_id,Score\n0,7,30,4\n1,8,30,2.5\n2,7,40,5\n",
        "rating 'Score'",
    ),
    "one name that is not known": (
        "who,film,stars\n7,30,4\n8,30,2.5\n7,40,5\n",
        "user 'who', item 'film'",
    ),
    "names that are not known": (
        "a,b,c\n7,30,4\n8,30,2.5\n7,40,5\n",
        "user 'a', item 'b' and rating 'c', in this order",
    ),
    "decimal comma": (
        "user;item;rating\n7;30;4,0\n8;30;2,5\n7;40;5,0\n",
        "decimal comma",
    ),
    "decimal comma, no names": ("7\t30\t4,0\n8\t30\t2,5\n7\t40\t5,0\n", "'4,0' is 4"),
    "pipes": ("7|30|4|9\n8|30|2.5|9\n7|40|5|9\n", ""),
    "wide": (
        "user,30,40\n7,4,5\n8,2.5,\n",
        "a row for each user, a column for each item",
    ),
    "wide, items first": (
        "film,7,8\n30,4,2.5\n40,5,\n",
        "a row for each item, a column for",
    ),
    "wide, decimal comma": ("user;30;40\n7;4,0;5,0\n8;2,5;\n", "decimal comma"),
    "stars as a unit": (
        "7,30,4 stars\n8,30,2.5 stars\n7,40,5 stars\n",
        "without 'stars'",
    ),
    "UTF-16": ("user,item,rating\n7,30,4\n8,30,2.5\n7,40,5\n".encode("utf-16"), ""),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_read_and_it_is_said_how(form, tmp_path):
    text, words = FORMS[form]
    found = read(tmp_path, text)
    assert triples(found) == THREE
    assert words in "\n".join(found.notes)


REFUSED = {
    "two columns of items": (
        "user,movie,book,rating\n7,30,1,4\n",
        "more than one column for the item: 'movie', 'book'; --fields",
    ),
    "too few known names": ("when,why,user,x,y\n7,30,1,4,k\n", "--fields"),
    "only pairs": ("user,item\n7,30\n8,30\n", "--fields"),
    "no names, five columns": ("1,2,3,4,5\n1,2,3,4,5\n", "names the items"),
    "wide, with zeros": (
        "user,a,b,c,d\n1,0,0,0,5\n2,3,0,0,0\n3,0,0,4,0\n",
        "leave those cells empty",
    ),
    "two ways of writing a rating": ("1,1,5\n1,2,4/5\n2,2,3\n", "line 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_form_that_cannot_be_read_is_refused_with_a_way_out(case, tmp_path, capsys):
    text, words = REFUSED[case]
    path = tmp_path / "r.csv"
    path.write_text(text)
    code, _, err = run(capsys, path)
    assert (code, err.count("\n")) == (2, 1) and words in err


def test_repeated_ratings_are_refused_or_one_is_chosen(tmp_path, capsys):
    text = "u,x,1\nu,y,4\nv,x,2\nv,y,5\nw,x,5\nu,x,4\n"
    (tmp_path / "a").write_text(text)
    code, _, err = run(capsys, tmp_path / "a", "--out", tmp_path / "o")
    assert code == 2 and "line 6: user 'u' rates item 'x' a second time" in err
    assert "--repeated last" in err and "--repeated mean" in err
    assert ("u", "x", 4) in triples(read(tmp_path, text, repeated="last"))
    mean = read(tmp_path, text, repeated="mean")
    assert ("u", "x", 2.5) in triples(mean) and mean.entries.size == 5
    assert "1 rating is of a pair that has one already" in "\n".join(mean.notes)
    code, out, _ = run(
        capsys, tmp_path / "a", "--repeated", "mean", "--out", tmp_path / "o"
    )
    assert code == 0 and "1 rating is of a pair" in out


def test_pairs_without_a_rating_are_predicted(tmp_path, capsys):
    (tmp_path / "a").write_text(
        "userId,movieId,rating\n" + "".join(f"u{u},i{i},{r}\n" for u, i, r in GRID[:-3])
    )
    forms = {
        "bare": "u5,i4\nu5,i3\nnew,i0\n",
        "named": "movieId,userId\ni4,u5\ni3,u5\ni0,new\n",
        "empty": "userId,movieId,rating\nu5,i4,\nu5,i3,\nnew,i0,\n",
    }
    predictions = []
    for name, text in forms.items():
        (tmp_path / name).write_text(text)
        out = tmp_path / f"{name}.csv"
        code, said, err = run(
            capsys, tmp_path / "a", "--test", tmp_path / name, "--out", out
        )
        assert (code, err) == (0, "") and "3 pairs without a rating" in said
        assert "RMSE" not in said
        rows = [*csv.DictReader(out.open())]
        assert [(row["user"], row["item"]) for row in rows] == [
            ("u5", "i4"),
            ("u5", "i3"),
            ("new", "i0"),
        ]
        assert {row["rating"] for row in rows} == {""}
        predictions.append([float(row["prediction"]) for row in rows])
    assert predictions[0] == predictions[1] == predictions[2]
    (tmp_path / "half").write_text("userId,movieId,rating\nu5,i4,3\nu5,i3,\n")
    out = tmp_path / "half.csv"
    code, said, _ = run(
        capsys, tmp_path / "a", "--test", tmp_path / "half", "--out", out
    )
    assert code == 0 and "1 pair without a rating" in said and "RMSE" in said
    rows = [*csv.DictReader(out.open())]
    assert [row["rating"] for row in rows] == ["3", ""]
    assert float(rows[0]["prediction"]) == predictions[0][0]


def test_predictions_stay_on_the_scale_of_the_ratings(tmp_path, capsys):
    rng = np.random.default_rng(0)
    lines = []
    for u in range(30):
        for i in range(20):
            if rng.random() < 0.7:
                rating = np.clip(
                    round(3 + 1.6 * (u / 15 - 1) + 1.6 * (i / 10 - 1)), 1, 5
                )
                lines.append(f"u{u},i{i},{rating}\n")
    (tmp_path / "a").write_text("".join(lines))
    out = tmp_path / "o.csv"
    code, said, _ = run(capsys, tmp_path / "a", "--out", out)
    assert (
        code == 0 and "kept between 1 and 5, the lowest and the highest rating" in said
    )
    told = [float(row["prediction"]) for row in csv.DictReader(out.open())]
    assert min(told) == 1 and max(told) == 5


def test_the_options_of_reading_hold_for_both_files(tmp_path, capsys):
    text = "användare\titem\tbetyg\n" + "".join(
        f"ü{u}\ti{i}\t{r},000\n" for u, i, r in GRID
    )
    (tmp_path / "a").write_bytes(text.encode("latin-1"))
    command = [tmp_path / "a", "--test", tmp_path / "a", "--encoding", "latin-1"]
    code, _, err = run(capsys, *command)
    assert code == 2 and "--decimal comma" in err
    code, said, _ = run(capsys, *command, "--decimal", "comma")
    assert code == 0 and "is read with a decimal comma" in said
