"""The experiments, drawings, explorers and answers of chapter 09 show what the engine computes."""

import numpy as np
import pytest
from scipy.special import betaln, gammaln
from sklearn.datasets import load_digits

from vbkit import plots
from vbkit.chapters.hyperparameter_design import (
    answers,
    digits,
    experiments,
    people,
    pictures,
    prices,
)
from vbkit.learning import fit_batch

SHOWN = (0.03, 1, 3, 10), (0.01, 0.1, 0.5, 1, 3, 10)  # a few a and b of a table


def test_studies_come_back_as_they_were_stored():
    found = experiments.study("kaji2011-surfaces")
    assert [*found] == ["clear", "mixed"] and found["clear"]["error"].shape == (
        100,
        9,
        9,
    )
    hunt = experiments.study("kaji2011-minority")
    assert hunt[5]["found"].shape == hunt[10]["used"].shape == (100, 10, 3)


def test_isolation_wants_both_halves():
    X, labels = experiments.MINORITIES[5].sample(300, np.random.default_rng(1))
    mixture, minority = experiments.bernoulli_mixture(5, 0.1, 0.1), labels == 2
    T = np.column_stack([np.ones(len(X)), X, 1 - X])
    together = np.stack([T[~minority].sum(axis=0) / 2] * 2 + [0 * T[0]]) + 0.1
    everybody = np.ones((len(X), 1))
    assert answers.isolated(np.eye(3)[labels], minority)
    assert answers.isolated(everybody, np.ones(len(X), bool))
    assert not answers.isolated(everybody, minority)
    assert not answers.isolated(mixture.responsibilities(X, together), minority)


# ---- a thousand people ---------------------------------------------------------------------------


@pytest.mark.parametrize("prior", [(0.01, 0.3), (10.0, 0.3)])
def test_the_people_are_fitted_by_the_engine(prior):
    X, minority, counts, starts = people.thousand_people(10)
    assert minority.sum() == 10 and counts.sum() == len(X) == 1000
    mixture = experiments.bernoulli_mixture(5, *prior)
    fits = [fit_batch(mixture, X, S, max_epochs=300, tolerance=1e-9) for S in starts]
    best = max(fits, key=lambda fit: fit.elbo)
    found = people.find_components(*prior)
    assert found["F"] == pytest.approx(-best.elbo, abs=0.05)
    assert len(found["weights"]) == (best.S[:, 0] >= experiments.USED).sum()
    assert (np.diff(found["weights"]) <= 0).all() and found["means"].shape[1] == 5


def test_three_priors_give_the_three_answers_of_the_puzzle():
    P, Q, R = (
        people.find_components(*prior)
        for prior in [(10.0, 0.3), (0.01, 5.0), (0.01, 0.3)]
    )
    assert [len(found["weights"]) for found in (P, Q, R)] == [10, 2, 3]
    assert [found["own"] for found in (P, Q, R)] == [False, False, True]


def test_the_explorer_of_the_people_says_what_it_shows():
    live = people.ten_people()
    first = live.png
    live.set(a=10.0)
    assert live.png != first and live.status.startswith("10 of 10 components")
    live.set(a=0.01, b=0.3, few=30)
    assert "The group of 30 has a component of its own" in live.status
    found = live.compute(**live.values)
    assert live.status.startswith(f"{len(found['weights'])} of 10 components")
    assert live.status.endswith(f"F = {found['F']:.1f} nats.")
    assert (np.diff(found["weights"]) <= 0).all()  # the rows stand by falling weight
    assert found["means"].shape == (len(found["weights"]), people.ITEMS)


# ---- prices --------------------------------------------------------------------------------------


def test_apart_and_inside_differ_by_the_evidence_of_two_clusterings():
    a, b, n = 0.3, 0.2, np.array([7.0])
    apart, inside = prices.costs(n, a, b, 5)
    truth = experiments.MINORITIES[5]
    large = (1000 - n) * truth.weights[:2] / truth.weights[:2].sum()
    theirs = n * np.round(truth.means[2])

    def log_p(groups):
        total = 0.0
        for size, ones in groups:
            total += gammaln(a + size) - gammaln(a)
            total += (betaln(b + ones, b + size - ones) - betaln(b, b)).sum()
        return total

    split = [
        (size, size * mean) for size, mean in zip(large, truth.means, strict=False)
    ]
    joined = []
    for k in (0, 1):
        groups = list(split)
        groups[k] = (large[k] + n[0], split[k][1] + theirs)
        joined.append(log_p(groups))
    gain = log_p([*split, (n[0], theirs)]) - max(joined)
    assert inside[0] - apart[0] == pytest.approx(gain, abs=1e-8)


def test_the_first_of_a_group_pays_log_2_per_question_for_any_b():
    for b in (1e-3, 1.0, 50.0):
        apart, _ = prices.costs(np.array([1.0]), 1.0, b, 5)
        assert apart[0] == pytest.approx(5 * np.log(2) + np.log(1009), rel=1e-6)


def test_the_explorer_of_prices_marks_the_crossing():
    live = prices.price_of_a_group()
    for values in (
        {"a": 0.01, "b": 0.01},
        {"a": 10.0, "items": 10},
        {"a": 1.0, "b": 10.0},
    ):
        live.set(**values)
        now = live.values
        least = prices.smallest_group(now["a"], now["b"], now["items"])
        shown = live.compute(**now)
        assert shown["least"] == least and f"for {least} or more" in live.status
        for cost in shown["each"]:
            assert 0 < cost.min() and cost.max() < 19
    found = [prices.smallest_group(0.01, b, M) for M in (5, 10) for b in (0.01, 10)]
    assert found == [10, 46, 3, 9]


# ---- digits --------------------------------------------------------------------------------------


def test_digits_follow_the_prior():
    one = digits.cluster_digits(1.0, 100.0, 5, every=6)
    five = digits.cluster_digits(1.0, 1.0, 5, every=6)
    assert one["size"] == 300 and np.allclose(
        [one["counts"].sum(), five["counts"].sum()], 300
    )
    assert (one["counts"] >= experiments.USED).sum() == 1 and (
        np.diff(five["counts"]) <= 0
    ).all()
    X, labels = digits.digits(6)
    ink, _ = load_digits(return_X_y=True)
    assert np.array_equal(X == 1, ink[::6] > 7)
    assert one["agreement"] == np.bincount(labels).max() / 300
    assert np.allclose(one["means"][0], (X.sum(axis=0) + 100) / 500)
    assert digits.cluster_digits(1.0, 1.0, 5, every=6, sweeps=0)["F"] > five["F"]


def test_the_explorer_of_digits_shows_what_it_learned():
    live = digits.handwritten_digits()
    first = live.png
    live.set(b=100.0, n_components=10)
    assert live.png != first and live.error is None
    arrays = digits.compute(**live.values)
    assert digits.status(arrays, live.values).startswith("1 of 10 components")
    used = arrays["counts"] >= experiments.USED
    assert used.tolist() == [True] + [False] * (len(used) - 1)
    assert live.status == digits.status(arrays, live.values)


# ---- drawings and answers ------------------------------------------------------------------------


@pytest.mark.parametrize("shown", [SHOWN, (experiments.A, experiments.B)])
def test_the_even_tables_show_the_right_cells_and_the_line(shown):
    _, (ax,) = plots.figure()
    values = np.add.outer(100.0 * np.arange(9), np.arange(9))
    pictures.draw_priors(ax, values, shown=shown, form="{:.1f}")
    (a_shown, b_shown), place = (
        shown,
        {t.get_text(): t.get_position() for t in ax.texts},
    )
    assert len(place) == len(a_shown) * len(b_shown)
    for i, a in enumerate(a_shown):
        for j, b in enumerate(b_shown):
            value = values[experiments.A.index(a), experiments.B.index(b)]
            assert place[f"{value:.1f}"] == (i + 0.5, j + 0.5)
    x, y = ax.lines[0].get_data()
    for row, b in enumerate(b_shown):
        (left,) = {
            x[k] for k in range(len(x)) if row < np.mean(y[k // 2 * 2 :][:2]) < row + 1
        }
        assert [a < min(3, 0.5 + 5 * b) for a in a_shown] == [
            i < left for i in range(len(a_shown))
        ]
    assert pictures.lowest(values[::-1]) == (10, 0.01)


def test_a_table_without_the_limit_and_with_a_lightest_shade():
    _, (ax,) = plots.figure()
    pictures.draw_priors(ax, 40 * np.eye(9), form="{:.0f}", top=30, limit=False)
    assert not ax.lines and ax.collections[0].norm.vmax == 30


def test_a_frame_lies_in_the_cell_of_its_prior():
    _, (ax,) = plots.figure()
    pictures.frame_prior(ax, "black", 3, 0.5, shown=SHOWN)
    pictures.frame_prior(ax, "black", 5, 0.1, shown=(experiments.A, experiments.B))
    whole = ax.patches[1].get_bbox()
    assert (int(whole.x0), int(whole.y0)) == (
        experiments.A.index(5),
        experiments.B.index(0.1),
    )
    frame, (a_shown, b_shown) = ax.patches[0].get_bbox(), SHOWN
    assert (int(frame.x0), int(frame.y0)) == (a_shown.index(3), b_shown.index(0.5))
    assert (int(frame.x1), int(frame.y1)) == (a_shown.index(3), b_shown.index(0.5))


def test_rows_leave_out_what_is_too_light_and_frame_one():
    _, (ax,) = plots.figure()
    pictures.draw_rows(ax, [0.2, 0.7, 0.1], np.eye(3), least=0.15, framed=0)
    assert [t.get_text() for t in ax.texts if t.get_text()] == ["0.700", "0.200"]
    greys = ax.collections[0].get_facecolor()[:, 0]
    assert np.array_equal(greys.reshape(2, 3), [[0, 1, 0], [1, 0, 0]])
    (frame,) = ax.patches
    assert (
        not frame.get_fill() and -1.1 < frame.get_y() < -1
    )  # the second row, of weight 0.2


def test_the_published_figure_comes_with_words():
    found = {
        (a, 0.1): (np.array([0.5, 0.5]), np.ones((2, 5)) / 2, None) for a in range(1, 6)
    }
    arrays = {"weights": np.ones(2)}
    picture = pictures.figure_6_3(found, arrays)
    assert "five questions" in picture.alt and picture.arrays == arrays


def test_answers():
    n, yes, no = answers.cluster_behind(0.00057, 1750, 1e-4, 1e-4, 13)
    assert n == pytest.approx(0.9974, abs=1e-3)
    assert (round(yes, 5), round(no, 5)) == (0.9999, 0.0001)
    weights = (np.array([700.0, n]) + 1e-4) / (1750 + 13e-4)
    assert weights[1] == pytest.approx(0.00057, rel=1e-12)
    for size, b in [(1, 0.3), (4, 2.0)]:
        i = np.arange(size)
        price = -3 * np.log((b + i) / (2 * b + i)).sum()
        assert answers.price_of_identical_rows(size, 3, b) == pytest.approx(
            price, rel=1e-12
        )


def test_the_bars_show_the_numbers_and_one_is_marked(monkeypatch):
    monkeypatch.setattr(plots, "Picture", lambda figure, alt: figure)
    numbers = np.arange(9)
    truth, ax = pictures.chosen(numbers).axes
    means = truth.collections[0].get_facecolor()[:, 0]
    assert np.allclose(means, np.ravel(experiments.MEANS["mixed"]))
    assert ax.get_title().startswith("8 of 100")
    assert [bar.get_height() for bar in ax.patches] == [*numbers]
    colours = [bar.get_facecolor() for bar in ax.patches]
    assert colours.count(colours[0]) == 8 and colours[8] != colours[0]
    assert [text.get_text() for text in ax.texts] == [str(n) for n in numbers]
