"""`python -m vbkit apply`: a saved model gives rows the groups and the probabilities that the fit
gave them; what does not fit it is refused in one sentence."""

import csv

import numpy as np
import pytest

from vbkit.__main__ import main
from vbkit.own_data import VariationalMixture, load_model, save_model

RNG = np.random.default_rng(0)
WHICH = np.arange(40) % 2
NUMBERS = RNG.normal(20 * WHICH[:, None], 1, (40, 3)).round(3)
YES = RNG.random((40, 4)) < np.where(WHICH[:, None] == (np.arange(4) < 2), 0.95, 0.05)
COUNTS = RNG.poisson(2 + 20 * WHICH[:, None], (40, 3))

TABLES = {  # names, cells, and options of fit
    "numbers": ("abc", NUMBERS, []),
    "decimal commas": (
        "abc",
        [[f"{x}".replace(".", ",") for x in row] for row in NUMBERS],
        [],
    ),
    "items": ("abcd", YES * 1, []),
    "answers": ("abcd", np.where(YES, "yes", "no"), []),
    "categories": ("abcd", np.where(YES, "black", "white"), []),
    "NA as a word": ("abcd", np.where(YES, "NA", "01"), ["--words", "a,b,c,d"]),
    "numbers as categories": ("abcd", np.where(YES, 3, 7), ["--family", "categorical"]),
    "counts": ("abc", COUNTS, ["--family", "poisson"]),
}


def written(path, names, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows([names, *rows])
    return path


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.reader(file)]


def read_dicts(path):
    names, *rows = read_csv(path)
    return [dict(zip(names, row, strict=True)) for row in rows]


def run(capsys, *arguments):
    code = main([*map(str, arguments)])
    return code, *capsys.readouterr()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", TABLES)
def test_the_rows_of_the_fit_get_what_the_fit_gave_them(case, tmp_path, capsys):
    names, cells, options = TABLES[case]
    path = written(tmp_path / "my.csv", names, cells)
    code, _, err = run(capsys, "fit", path, "--to", tmp_path / "fit", *options)
    assert (code, err) == (0, "")
    model = tmp_path / "fit" / "model.npz"
    assert [*load_model(model).feature_names_in_] == [*names]
    backwards = [[f"new {n}", *row[::-1]] for n, row in enumerate(np.array(cells))]
    again = written(tmp_path / "new.csv", ["who", *names[::-1]], backwards[::-1])
    code, said, err = run(capsys, "apply", model, again, "--to", tmp_path / "to")
    assert (code, err) == (0, "") and "40 rows" in said and "labels.csv" in said
    for file in ("labels.csv", "probabilities.csv"):
        before = read_csv(tmp_path / "fit" / file)
        after = read_csv(tmp_path / "to" / file)
        assert after[0] == before[0]
        assert [row[1:] for row in after[:0:-1]] == [row[1:] for row in before[1:]]
        assert after[1][0] == "new 39"
    one = written(tmp_path / "one.csv", names, cells[:1])
    code, _, err = run(capsys, "apply", model, one, "--to", tmp_path / "one")
    assert (code, err) == (0, "")
    row = read_csv(tmp_path / "one" / "labels.csv")[1]
    assert row[1:] == read_csv(tmp_path / "fit" / "labels.csv")[1][1:]


@pytest.fixture
def models(tmp_path, capsys):
    """Saved models of numbers and of categories."""
    for name in ("numbers", "categories", "items"):
        names, cells, options = TABLES[name]
        written(tmp_path / "my.csv", names, cells)
        run(capsys, "fit", tmp_path / "my.csv", "--to", tmp_path / name, *options)
    (tmp_path / "my.csv").unlink()
    return tmp_path


REFUSED = {
    "no such column": ("numbers", "a;b\n1;2\n", "has no column 'c'; it has 'a', 'b'"),
    "a word": (
        "numbers",
        "a;b;c\n1;x;2\n2;y;3\n",
        "column 'b' has 'x' in row 1, no number",
    ),
    "a gap": ("numbers", "a;b;c\n1;;2\n2;4;3\n3;5;7\n", "--drop-incomplete"),
    "an unseen word": (
        "categories",
        "a;b;c;d\nblack;white;red;black\n",
        "column 'c' has 'red' in row 1, which the model has not seen; it knows 'black', 'white'",
    ),
    "no answer": ("items", "a;b;c;d\n1;0;1;2\n", "column 'd' has 2 in row 1"),
    "nothing": ("numbers", "a;b;c\n", "holds no row"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_rows_that_do_not_fit_the_model_are_refused(case, models, capsys):
    name, text, words = REFUSED[case]
    path = models / "new.csv"
    path.write_text(text)
    before = {file.name for file in models.iterdir()}
    command = ["apply", models / name / "model.npz", path, "--to", models / "to"]
    code, _, err = run(capsys, *command)
    assert (code, err.count("\n")) == (2, 1) and words in err
    assert {file.name for file in models.iterdir()} == before


def test_other_columns_labels_and_incomplete_rows(models, capsys):
    path = models / "new.csv"
    path.write_text("id;c;b;extra;a\n01;1;2;x;3\n02;20;?;y;21\n03;20;22;z;21\n")
    model = models / "numbers" / "model.npz"
    command = ["apply", model, path, "--to", models / "to", "--drop-incomplete"]
    code, said, err = run(capsys, *command, "--labels", "id")
    assert (
        code == 0
        and "does not know 'extra'" in said
        and "1 of 3 rows is incomplete" in said
    )
    rows = read_dicts(models / "to" / "labels.csv")
    assert [(row["row"], row["id"]) for row in rows] == [("1", "01"), ("3", "03")]
    assert rows[0]["group"] != rows[1]["group"]


def test_a_file_that_is_no_model_of_a_table_is_refused(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,2\n3,5\n")
    save_model(VariationalMixture(2).fit(NUMBERS), tmp_path / "array.npz")
    (tmp_path / "junk.npz").write_bytes(b"junk")
    for name, words in {
        "array.npz": "has no names of columns",
        "junk.npz": "is damaged, or is not a model",
        "none.npz": "there is no such file",
    }.items():
        code, _, err = run(
            capsys, "apply", tmp_path / name, table, "--to", tmp_path / "to"
        )
        assert (code, err.count("\n")) == (2, 1) and words in err
        assert not (tmp_path / "to").exists()


def test_a_table_without_names_is_applied_to(tmp_path, capsys):
    lines = "".join(f"{a},{b},{c}\n" for a, b, c in NUMBERS)
    (tmp_path / "a.csv").write_text(lines)
    assert run(capsys, "fit", tmp_path / "a.csv", "--to", tmp_path / "fit")[0] == 0
    (tmp_path / "b.csv").write_text(lines.splitlines()[0] + "\n")
    command = ["apply", tmp_path / "fit" / "model.npz", tmp_path / "b.csv"]
    code, _, err = run(capsys, *command, "--to", tmp_path / "to")
    assert (code, err) == (0, "")
    first = read_csv(tmp_path / "fit" / "labels.csv")[1]
    assert read_csv(tmp_path / "to" / "labels.csv")[1] == first
