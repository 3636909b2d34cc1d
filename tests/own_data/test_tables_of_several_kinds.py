"""Tables of several kinds of columns, and with missing cells, from a file or a data frame to
their groups."""

import re

import numpy as np
import pandas as pd
import pytest

from vbkit.__main__ import main
from vbkit.families import BetaBernoulli, Columns, DirichletCategorical, NormalGamma
from vbkit.own_data import VariationalMixture, load_model, save_model
from vbkit.own_data.preparation import prepare
from vbkit.own_data.table import read_table


def people(seed: int, N: int = 300, gaps: float = 0.15):
    """A frame of two kinds of people, a share of its cells missing, and the kinds (N,)."""
    rng = np.random.default_rng(seed)
    z = rng.integers(2, size=N)
    frame = pd.DataFrame(
        {
            "height": rng.normal(np.array([160.0, 185.0])[z], 5).round(1),
            "weight": rng.normal(np.array([60.0, 85.0])[z], 8).round(1),
            "smoker": np.where(rng.random(N) < np.array([0.1, 0.9])[z], "yes", "no"),
            "colour": np.array(["red", "blue", "green"], dtype=object)[
                np.where(rng.random(N) < 0.8, z, 2)
            ],
        }
    )
    is_missing = rng.random(frame.shape) < gaps
    is_missing[is_missing.all(axis=1), 0] = False  # a line of nothing is no row
    return frame.mask(is_missing), z


def agreement(labels, z) -> float:
    """The share of rows in the right one of two groups."""
    return max(np.mean(labels == z), np.mean(labels != z))


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_a_mixed_table_is_grouped_and_new_rows_get_the_same_groups(
    gaps, tmp_path, capsys
):
    frame, z = people(0, gaps=gaps)
    frame.to_csv(tmp_path / "people.csv", index=False)
    path = str(tmp_path / "people.csv")
    assert main(["fit", path, "--to", str(tmp_path / "to")]) == 0
    said = capsys.readouterr().out
    assert "'height', 'weight' as numbers; 'smoker' as yes or no" in said
    assert "'colour' as categories" in said and "form 2 groups" in said
    assert ("missing at random" in said) == (gaps > 0)
    assert ("hold no value" in said) == (gaps > 0)
    labels = pd.read_csv(tmp_path / "to" / "labels.csv")["group"].to_numpy()
    assert agreement(labels, z) > 0.9
    page = (tmp_path / "to" / "report.html").read_text("utf-8")
    told = re.sub('base64,[^"]*', "", page).replace("NaN where", "")
    assert "colour = " in told and "nan" not in told.lower()
    model = str(tmp_path / "to" / "model.npz")
    assert main(["apply", model, path, "--to", str(tmp_path / "new")]) == 0
    for name in ("labels.csv", "probabilities.csv"):
        first = (tmp_path / "to" / name).read_bytes()
        assert (tmp_path / "new" / name).read_bytes() == first


def test_rows_are_grouped_by_the_cells_that_they_have(tmp_path, capsys):
    frame, _ = people(1)
    frame.to_csv(tmp_path / "people.csv", index=False)
    fit = ["fit", str(tmp_path / "people.csv"), "--to", str(tmp_path / "to")]
    assert main([*fit, "--components", "2"]) == 0
    rows = "smoker,colour,weight,height\n,,,160\nyes,,85,\n"
    (tmp_path / "new.csv").write_text(rows)
    model = str(tmp_path / "to" / "model.npz")
    new = str(tmp_path / "new.csv")
    assert main(["apply", model, new, "--to", str(tmp_path / "new")]) == 0
    found = pd.read_csv(tmp_path / "new" / "probabilities.csv").to_numpy()[:, 1:]
    assert found[0].argmax() != found[1].argmax() and found[:2].max(axis=1).min() > 0.95
    (tmp_path / "new.csv").write_text("smoker,colour,weight,height\nno,pink,60,160\n")
    capsys.readouterr()
    again = ["apply", model, new, "--to", str(tmp_path / "again")]
    assert main(again) == 2
    assert "column 'colour' has 'pink' in row 1" in capsys.readouterr().err
    assert not (tmp_path / "again").exists()


def test_a_column_that_makes_the_groups_is_told(tmp_path, capsys):
    rng = np.random.default_rng(2)
    kind = np.repeat(["x", "y", "z"], 60)
    noise = rng.normal(size=(180, 2)) + 6 * np.eye(3)[np.repeat([0, 1, 2], 60)][:, :2]
    frame = pd.DataFrame({"kind": kind, "a": noise[:, 0], "b": noise[:, 1]})
    frame.to_csv(tmp_path / "kinds.csv", index=False)
    fit = ["fit", str(tmp_path / "kinds.csv"), "--to", str(tmp_path / "to")]
    assert main(fit) == 0
    words = "Nearly every group holds a single value of 'kind'; --leave-out 'kind'"
    assert words in capsys.readouterr().out
    assert words.split(";")[0] in (tmp_path / "to" / "report.html").read_text().replace(
        "&#39;", "'"
    )


def test_noise_of_several_kinds_is_one_group():
    rng = np.random.default_rng(3)
    found = []
    for _ in range(10):
        frame = pd.DataFrame(rng.normal(size=(200, 4)))
        frame["word"] = rng.choice(["p", "q", "r"], 200)
        frame["answer"] = rng.integers(2, size=200)
        frame = frame.mask(rng.random(frame.shape) < 0.2)
        frame.columns = frame.columns.astype(str)
        model = VariationalMixture(family="columns", random_state=0).fit(frame)
        counts = model.predict_proba(frame).sum(axis=0)
        found.append((counts >= 1).sum())
    assert found == [1] * 10


def test_the_families_are_those_that_one_would_make_by_hand():
    frame, _ = people(4)
    model = VariationalMixture(2, family="columns", random_state=0).fit(frame)
    families = model.mixture_.family.columns
    assert isinstance(model.mixture_.family, Columns)
    kinds = [NormalGamma, NormalGamma, DirichletCategorical, DirichletCategorical]
    assert [type(each) for each in families] == kinds
    assert model.categories_ == [None, None, ["no", "yes"], ["blue", "green", "red"]]
    answers = frame.assign(smoker=frame["smoker"].map({"yes": 1.0, "no": 0.0}))
    again = VariationalMixture(2, family="columns", random_state=0).fit(answers)
    assert isinstance(again.mixture_.family.columns[2], BetaBernoulli)
    # two categories are an answer, with the same prior, so nothing else changes
    assert again.lower_bound_ == pytest.approx(model.lower_bound_, abs=1e-6)
    assert np.allclose(again.predict_proba(answers), model.predict_proba(frame))


def test_groups_do_not_depend_on_the_unit_of_a_column():
    frame, _ = people(5)
    inches = frame.assign(height=frame["height"] / 2.54, weight=1000 * frame["weight"])
    first = VariationalMixture(family="columns", random_state=0).fit(frame)
    second = VariationalMixture(family="columns", random_state=0).fit(inches)
    one = first.predict_proba(frame)
    other = second.predict_proba(inches)
    assert one.shape == other.shape
    surest = one.argmax(axis=0)  # a row of each group, for the groups may change places
    assert np.allclose(one, other[:, other[surest].argmax(axis=1)], atol=1e-6)


def test_columns_without_information_are_left_aside():
    frame, z = people(6)
    rng = np.random.default_rng(0)
    same = np.where(rng.random(len(frame)) < 0.3, np.nan, 7.0)
    wider = frame.assign(same=same, word="a", empty=np.nan)
    model = VariationalMixture(family="columns", random_state=0).fit(wider)
    assert model.left_aside_.tolist() == [4, 5, 6]
    alone = VariationalMixture(family="columns", random_state=0).fit(frame)
    assert np.allclose(model.predict_proba(wider), alone.predict_proba(frame))
    assert model.columns_[4] is None and len(model.columns_) == 7
    rows, _ = model.sample(5)
    assert (rows[:, 4] == 7).all() and (rows[:, 5] == 0).all()


def test_numbers_that_are_categories_are_asked_for_by_name_or_index():
    frame, _ = people(7)
    codes = frame.assign(
        colour=frame["colour"].map({"red": 10, "blue": 30, "green": 5})
    )
    words = VariationalMixture(2, family="columns", random_state=0).fit(frame)
    for asked in (["colour"], [3]):
        model = VariationalMixture(
            2, family="columns", categorical_features=asked, random_state=0
        ).fit(codes)
        assert model.categories_[3] == [5, 10, 30]
        assert model.lower_bound_ == pytest.approx(words.lower_bound_, abs=1e-6)
    for wrong in (["hue"], [4], [-1], [1.5]):
        with pytest.raises(ValueError, match="categorical_features names"):
            VariationalMixture(2, family="columns", categorical_features=wrong).fit(
                codes
            )


def test_a_model_of_a_frame_is_saved_and_refuses_what_it_does_not_know(tmp_path):
    frame, _ = people(8)
    model = VariationalMixture(2, family="columns", random_state=0).fit(frame)
    save_model(model, tmp_path / "people.npz")
    again = load_model(tmp_path / "people.npz")
    assert np.allclose(again.predict_proba(frame), model.predict_proba(frame), atol=0)
    with pytest.raises(ValueError, match="'colour' holds 'pink'.*it knows 'blue'"):
        again.predict(frame.assign(colour="pink"))
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame[["weight", "height", "smoker", "colour"]])
    model.partial_fit(frame.head(20))
    assert np.isfinite(model.score(frame))


def test_too_many_words_are_no_category(tmp_path):
    lines = "\n".join(f"{i / 7:.3f},sentence {i}" for i in range(40))
    (tmp_path / "free.csv").write_text(f"a,remark\n{lines}\n1,sentence 3\n")
    with pytest.raises(ValueError, match="'remark' has 40 different values in 41 rows"):
        prepare(read_table(tmp_path / "free.csv"))


def test_words_in_the_order_of_the_alphabet_do_not_count_the_rows(tmp_path):
    rows = [f"{'abcdefghijklmnop'[n % 16]},{n * n % 37}" for n in range(64)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["letter,x", *rows]))
    notes = " ".join(prepare(read_table(path)).notes)
    assert "'letter' as categories" in notes and "counts up" not in notes
