"""What a report says of groups, and what is said before learning, can be read by people."""

import csv
import re
from decimal import Decimal

import numpy as np
import pytest

from vbkit.__main__ import main
from vbkit.own_data.groups import Groups, learn
from vbkit.own_data.preparation import prepare
from vbkit.own_data.report import as_probability, headline, in_words, rows_of_groups
from vbkit.own_data.table import read_table


def prepared(tmp_path, columns, family="auto"):
    path = tmp_path / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    return prepare(read_table(path), family)


@pytest.mark.parametrize(
    ("number", "digits", "words"),
    [
        (23187.4, 4, "23,190"),
        (1.9e6, 4, "1,900,000"),
        (0.03257, 3, "0.0326"),
        (0.000321, 3, "0.000321"),
        (-1234.5, 5, "-1,234.5"),
        (0.0, 4, "0"),
        (-0.0, 4, "0"),
        (100.0, 4, "100"),
        (1.5e-9, 3, "1.5e-09"),
        (3.25e21, 3, "3.25e+21"),
    ],
)
def test_numbers_are_written_as_people_write_them(number, digits, words):
    assert in_words(number, digits) == words
    assert float(Decimal(words.replace(",", ""))) == float(f"{number:.{digits}g}")


@pytest.mark.parametrize(
    ("number", "digits", "words"),
    [
        (1.0, 3, ">0.999"),
        (0.9996, 3, ">0.999"),
        (0.9994, 3, "0.999"),
        (0.9996, 4, "0.9996"),
        (0.99996, 4, ">0.9999"),
        (0.5, 3, "0.500"),
        (0.0004, 3, "<0.001"),
        (0.0006, 3, "0.001"),
    ],
)
def test_a_probability_that_rounds_to_one_is_no_certainty(number, digits, words):
    assert as_probability(number, digits) == words


def test_groups_that_read_the_same_are_told_apart_from_each_other(tmp_path):
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0, 0, 0], [30, 30, 30, 3], [33, 33, 33, -3]])
    truth = np.repeat([0, 1, 2], [120, 30, 30])
    X = rng.normal(centres[truth], [0.5, 0.5, 0.5, 2.0])
    columns = {f"c{d}": X[:, d].round(3) for d in range(4)}
    data = prepared(tmp_path, columns)
    groups = Groups(None, np.eye(3)[truth], [3], [0.0], [3], True)
    told = [line.apart for line in rows_of_groups(data, groups)]
    assert "beside" not in told[0]
    assert "beside group 2, the nearest: c3 " in told[1]
    assert "beside group 1, the nearest: c3 " in told[2]


def of_two_spreads(tmp_path, spreads, shift=0.0, sizes=(120, 120), family="auto"):
    """What sets two groups apart that differ in how much b varies, beside a third one."""
    truth = np.repeat([0, 1, 2], [*sizes, 60])
    rng = np.random.default_rng(0)
    b = rng.normal(np.array([0.0, shift, 30.0])[truth], np.array([*spreads, 1])[truth])
    a = rng.normal(np.array([0.0, 0.0, 30.0])[truth], 1.0)
    data = prepared(tmp_path, {"a": a.round(4), "b": b.round(4)}, family)
    groups = Groups(None, np.eye(3)[truth], [3], [0.0], [3], True)
    told = [line.apart for line in rows_of_groups(data, groups)]
    return told, [data.X[truth == k, 1].std() for k in range(2)]


@pytest.mark.parametrize("family", ["gaussian", "diagonal", "columns"])
def test_groups_that_differ_in_how_much_a_column_varies_say_so(tmp_path, family):
    told, (first, second) = of_two_spreads(tmp_path, [3.0, 0.5], family=family)
    times = first / second
    pair = f"(± {first:.3g}, ± {second:.3g})"
    assert told[0].endswith(f"; b varies {times:.2g} times as much {pair}")
    pair = f"(± {second:.3g}, ± {first:.3g})"
    assert told[1].endswith(f"; b varies {1 / times:.2g} times as much {pair}")
    assert "a varies" not in told[0] and "varies" not in told[2]
    assert "varies" not in told[0].split("beside group")[0]


def test_groups_in_the_middle_that_differ_in_how_much_they_vary_say_so(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2, 3], 60)
    centres = np.array([[0.03, -0.03], [-0.03, 0.03], [20, 20], [-20, -20]])
    X = rng.normal(centres[truth], np.array([0.1, 1.0, 1.0, 1.0])[truth][:, None])
    data = prepared(tmp_path, {"a": X[:, 0].round(4), "b": X[:, 1].round(4)})
    groups = Groups(None, np.eye(4)[truth], [4], [0.0], [4], True)
    told = [line.apart for line in rows_of_groups(data, groups)]
    for k in range(2):
        _, near = told[k].split(f"; beside group {1 - k}, the nearest: ")
        assert "a varies" in near and "b varies" in near
    assert "varies" not in told[2] + told[3]


def test_a_group_that_varies_less_than_the_whole_around_its_mean_says_so(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 200)
    X = rng.normal(0.0, np.array([1.0, 9.0])[truth][:, None], (400, 2)).round(3)
    data = prepared(tmp_path, {"a": X[:, 0], "b": X[:, 1]})
    groups = Groups(None, np.eye(2)[truth], [2], [0.0], [2], True)
    told = [line.apart for line in rows_of_groups(data, groups)]
    assert "a varies 0.1" in told[0] and "b varies 0.1" in told[0]


OF_NO_WORD = {
    "spreads that are much the same": {"spreads": [1.5, 1.0]},
    "means far apart": {"spreads": [3.0, 0.5], "shift": 5.0},
    "few rows": {"spreads": [3.0, 0.5], "sizes": (120, 9)},
}


@pytest.mark.parametrize("case", OF_NO_WORD)
def test_other_spreads_are_not_told(tmp_path, case):
    told, _ = of_two_spreads(tmp_path, **OF_NO_WORD[case])
    assert "varies" not in " ".join(each.split("beside group")[-1] for each in told)


def groups_with(elbos, used, chosen):
    class Model:
        n_components_ = chosen

    kept = used[chosen - 1]
    proba = np.eye(kept)[np.arange(60) % kept]
    return Groups(Model(), proba, [1, 2, 3, 4], elbos, used, True)


class TenRows:
    X = np.zeros((60, 2))
    names = ("a", "b")


def test_a_number_of_groups_that_is_as_likely_is_named():
    near = groups_with([-50.0, -20.0, -10.0, -10.4], [1, 2, 3, 4], 3)
    assert headline(TenRows, near).endswith(
        "form 3 or 4 groups: their ELBOs differ by less than a nat."
    )
    fewer = groups_with([-50.0, -10.9, -10.0, -12], [1, 2, 3, 4], 3)
    assert "form 2 or 3 groups" in headline(TenRows, fewer)
    far = groups_with([-50.0, -20.0, -10.0, -11.1], [1, 2, 3, 4], 3)
    assert headline(TenRows, far).endswith("form 3 groups.")
    empty = groups_with([-50.0, -20.0, -10.0, -10.4], [1, 2, 3, 3], 3)
    assert headline(TenRows, empty).endswith("form 3 groups.")


def test_the_rival_has_another_number_of_groups_whatever_was_offered():
    pruned = groups_with([-50.0, -40.0, -10.0, -11.0], [1, 2, 3, 3], 3)
    assert pruned.rival == (-40.0, 2)
    better = groups_with([-50.0, -60.0, -90.0, -70.0], [1, 2, 2, 3], 3)
    assert better.rival == (-50.0, 1)
    assert groups_with([-9.0, -20.0, -21.0, -22.0], [1, 1, 1, 1], 1).rival is None


def test_the_page_says_how_much_better_another_number_of_groups_is(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(9.0 * (np.arange(60) % 2)[:, None], 1.0, (60, 2)).round(3)
    prepared(tmp_path, {"a": X[:, 0], "b": X[:, 1]})
    assert main(["fit", str(tmp_path / "table.csv"), "--to", str(tmp_path / "to")]) == 0
    page = (tmp_path / "to" / "report.html").read_text("utf-8")
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    data = prepare(read_table(tmp_path / "table.csv"))
    groups = learn(data, "auto", 0)
    assert len(groups.kept) == 2
    elbo, number = groups.rival
    less = groups.model.lower_bound_ - elbo
    told = f"The best model with another number of groups has {number}, and {less:.1f} nats less."
    assert told in text
    assert "The model reported here has 2 groups, with an ELBO of" in text


def test_who_asks_for_a_number_of_groups_gets_it(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)).round(3)
    data = prepared(tmp_path, {"a": X[:, 0], "b": X[:, 1]})
    groups = learn(data, 2, 0)
    assert groups.is_asked and " or " not in headline(data, groups)


def test_rows_are_left_out_by_advice_only_where_most_stay(tmp_path):
    path = tmp_path / "t.csv"
    for gaps, is_advised in ((5, True), (6, False)):
        lines = [f"{'' if n < gaps else n},{n % 3}.5,{n % 4}" for n in range(10)]
        path.write_text("\n".join(["a,b,c", *lines]) + "\n")
        assert ("--drop-incomplete" in read_table(path).incomplete) == is_advised


def shop(size=200):
    rng = np.random.default_rng(0)
    basket = rng.lognormal(4, 1.2, size).round(2)
    orders = rng.poisson(6, size)
    spend = (basket * 6 * rng.uniform(0.95, 1.05, size)).round(2)
    kinds = rng.choice(["card", "cash", "bill"], size)
    return {"basket": basket, "orders": orders, "spend": spend, "kind": kinds}


def test_columns_that_go_closely_together_are_named(tmp_path):
    notes = " ".join(prepared(tmp_path, shop()).notes)
    assert "'basket' and 'spend' go closely together (correlation 1.00" in notes
    assert "--leave-out 'spend'" in notes
    numbers = {name: values for name, values in shop().items() if name != "kind"}
    assert "closely together (corr" in " ".join(
        prepared(tmp_path, numbers, "diagonal").notes
    )
    for without in (numbers, {"kind": shop()["kind"], "orders": shop()["orders"]}):
        notes = " ".join(prepared(tmp_path, without).notes)
        assert "closely together (corr" not in notes


def test_a_long_tail_is_told_with_what_to_do(tmp_path):
    notes = " ".join(prepared(tmp_path, shop()).notes)
    assert "'basket', 'spend' have long tails" in notes and "take logarithms" in notes
    rng = np.random.default_rng(0)
    short = {
        "even": rng.uniform(0, 1, 200).round(3),
        "normal": rng.normal(50, 5, 200).round(3),
        "flag": (rng.random(200) < 0.03).astype(int),
        "below": -rng.lognormal(0, 1, 200).round(3),
    }
    assert "long tail" not in " ".join(prepared(tmp_path, short).notes)


def test_progress_says_what_the_search_does(tmp_path, capsys):
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=30).round(3), "b": rng.normal(size=30).round(3)}
    prepared(tmp_path, columns)
    path = tmp_path / "table.csv"
    assert main(["fit", str(path), "--to", str(tmp_path / "to")]) == 0
    out = capsys.readouterr().out
    first, second = out.index("learning: a search divides"), out.index("for comparison")
    assert first < second < out.index("trying 1 component ...")
    args = ["fit", str(path), "--to", str(tmp_path / "two"), "--components", "2"]
    assert main(args) == 0
    assert "a search" not in capsys.readouterr().out
