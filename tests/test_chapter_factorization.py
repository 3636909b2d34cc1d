"""The explorers and drawings of notebook 07 show what the engine and its closed form compute."""

import numpy as np
import pytest

from vbkit import plots
from vbkit.chapters.factorization import answers, completion, pictures, singular_value
from vbkit.factorization import Factorization, elbo, fit, fit_map, init_random
from vbkit.factorization.analytic import shrink_empirical, solve_empirical, thresholds

FIRST = {"ratio": 1.05, "shape": "20 x 30", "start": 1.0, "sweeps": 233}


def single(gamma, shape):
    V = np.zeros(shape)
    V[0, 0] = gamma
    return V


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (20, 30)])
def test_landscape_is_the_free_energy_at_its_least_over_the_variances(shape):
    hats, c, G = singular_value.landscape(shape)
    gamma, (i, j), rng = 1.1 * thresholds(shape).local, (50, 30), np.random.default_rng(0)
    V, component = single(gamma, shape), np.zeros
    constant = 0.5 * (V.size * np.log(2 * np.pi) + gamma**2)

    def F(norm, s_a, s_b):
        A, B = component((shape[1], 1)), component((shape[0], 1))
        A[0], B[0] = norm, hats[j] / norm
        prior = np.array([c[i]])
        return (
            -elbo(V, Factorization(A, B, np.array([[s_a]]), np.array([[s_b]]), prior, prior, 1.0))
            - constant
        )

    here = G[i, j] - gamma * hats[j]
    tried = []
    for _ in range(300):  # nothing lies below, and near the best of many lies the landscape
        tried.append(
            F(*(np.sqrt(hats[j]), c[i], c[i]) * np.exp(rng.normal(size=3) * [0.3, 1.5, 1.5]))
        )
    assert min(tried) >= here - 1e-9
    fine = min(
        F(*np.exp(x))
        for x in _polish(lambda x: F(*np.exp(x)), np.log([np.sqrt(hats[j]), c[i], c[i]]))
    )
    assert fine == pytest.approx(here, abs=1e-6)


def _polish(function, x):
    from scipy.optimize import minimize

    return [
        minimize(
            function,
            x,
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000},
        ).x
    ]


def test_landscape_without_signal_costs_nothing_where_the_prior_vanishes():
    _, c, G = singular_value.landscape((20, 30))
    assert np.all(np.diff(G[:, 0]) > 0) and 0 < G[0, 0] < 1


@pytest.mark.parametrize("ratio", [0.9, 1.05, 1.3])
def test_path_is_that_of_empirical_vb(ratio):
    arrays = singular_value.compute(**FIRST | {"ratio": ratio})
    shape, gamma = (20, 30), ratio * thresholds((20, 30)).local
    assert arrays["gamma"] == pytest.approx(gamma)
    assert arrays["best"] == pytest.approx(
        np.linalg.norm(solve_empirical(single(gamma, shape), noise=1.0).mean())
    )
    live = arrays["curves"][1]["live"]
    end = arrays["path"][0, -1]
    if ratio < 1:
        assert end < 1e-3 and np.isnan(arrays["gain"])
    else:
        expected = np.interp(gamma, arrays["curves"][0], np.nan_to_num(live))
        assert end == pytest.approx(expected, rel=5e-3)
        assert (arrays["gain"] > 0) == (gamma < thresholds(shape).keep)
        product = (arrays["path"][1, -1] / 600**0.25) ** 2  # c_a^2 c_b^2 = gamma gamma_hat / (L M)
        assert product == pytest.approx(gamma * end / 600, rel=5e-3)
        column = np.abs(arrays["shrunk"] - end).argmin()
        assert arrays["F"][:, column].min() == pytest.approx(arrays["gain"], abs=0.05)


def test_weak_starts_die_where_strong_ones_live():
    strong, weak = (
        singular_value.compute(**FIRST | {"ratio": 1.2, "start": s})["path"][0, -1]
        for s in (1.0, 0.1)
    )
    assert strong > 6 and weak < 1e-3


def test_branches_meet_at_the_local_threshold_and_solve_the_quadratic():
    L, M = shape = (20, 30)
    gammas = np.linspace(9, 14, 60)
    found = pictures.branches(gammas, shape)
    there = gammas >= thresholds(shape).local
    assert np.array_equal(np.isnan(found["live"]), ~there)
    for root in (found["live"][there], found["pass"][there]):
        g = gammas[there]
        assert np.abs(root**2 - (g - (L + M) / g) * root + L * M / g**2).max() < 1e-9
    assert np.all(found["live"][there] >= found["pass"][there])
    assert np.allclose(found["global"], shrink_empirical(gammas, shape, 1.0))


def test_completions_are_those_of_the_engine():
    truth, V, order, tables = completion.completions()
    arrays = completion.compute(0.4, 3)
    holes = np.where(order < 0.4, V, np.nan)
    assert np.array_equal(np.isnan(arrays["tables"][0]), order >= 0.4)
    start = init_random(
        holes, 3, np.random.default_rng(0), prior_a=1.0, prior_b=1.0, noise=completion.NOISE
    )
    table = fit(holes, start, max_sweeps=150, tolerance=1e-3).mean()
    assert np.allclose(arrays["tables"][2], table)
    i, j = arrays["at"]
    hidden = order >= 0.4
    assert arrays["errors"][i, j, 2] == pytest.approx(
        np.sqrt(np.mean((table - truth)[hidden] ** 2))
    )
    assert arrays["errors"][-1, 2, 2] < 0.5 * truth.std()
    often = {"max_sweeps": 150, "tolerance": 1e-3}
    assert np.allclose(arrays["tables"][1], fit_map(holes, start, **often).mean())
    assert np.allclose(
        tables[i, j, 1], fit(holes, start, learn_prior=False, learn_noise=False, **often).mean()
    )


def test_pictures_and_words_follow_the_controls():
    explorer = singular_value.explorer()
    pictures = {explorer.png}
    for values in ({"ratio": 1.2}, {"shape": "1 x 1"}, {"sweeps": 2}, {"start": 0.1}):
        explorer.set(**values)
        pictures.add(explorer.png)
    assert len(pictures) == 5 and explorer.error is None
    status = {
        r: singular_value.status(singular_value.compute(**FIRST | {"ratio": r}), FIRST)
        for r in (0.9, 1.05, 1.3)
    }
    assert "no live solution" in status[0.9] and "dead" in status[0.9]
    assert "between the thresholds" in status[1.05] and "alive is best" in status[1.3]
    table = completion.explorer()
    first = table.png
    table.set(share=0.6, columns=2)
    assert table.describe() == "Share of entries seen: 60 %; Columns offered: 2"
    assert table.png != first and table.error is None
    assert f"{completion.compute(0.6, 2)['errors'][6, 1, 0]:.2f}" in completion.status(
        completion.compute(0.6, 2), table.values
    )


def test_drawings_show_what_they_are_given():
    _, (ax, other) = plots.figure(ncols=2)
    table = np.array([[1.0, np.nan], [-1.0, 2.0]])
    assert np.array_equal(
        pictures.draw_table(ax, table, top=4).get_array().filled(np.nan), table, equal_nan=True
    )
    middle = pictures.draw_completion(
        other, [0.1, 0.2], [np.array([1.0, 2.0, 6.0]), np.array([1.0])], "VB"
    )
    assert np.array_equal(middle, [2, 1]) and np.array_equal(other.lines[0].get_ydata(), [2, 1])
    _, (ax,) = plots.figure()
    pictures.draw_noise(
        ax, np.array([1.0, 2.0, 4.0]), np.array([7.0, 5.0, 6.0]), {"here": (2.0, 4.5)}
    )
    assert (
        np.array_equal(ax.lines[0].get_ydata(), [2.5, 0.5, 1.5]) and ax.lines[1].get_ydata()[0] == 0
    )


def test_answers():
    rng = np.random.default_rng(2)
    V = 5 * np.outer(rng.standard_normal(8), rng.standard_normal(12)) + rng.standard_normal((8, 12))
    assert answers.kept(V, 1.0) == solve_empirical(V, noise=1.0).rank
    z = np.linspace(-12, 12, 4801)

    def log_evidence(c2):
        s = 3.0 + c2 * z**2
        return np.log(np.sum(np.exp(-0.5 * z**2 - 2.0 / s) / np.sqrt(s)))

    assert answers.evidence_slope(2.0, 3.0) == pytest.approx(
        (log_evidence(1e-5) - log_evidence(0)) / 1e-5, rel=1e-3
    )
