"""Columns of different kinds with missing cells: against families of whole rows, exact
enumeration, quadrature, and the same table without the column."""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import betaln, digamma, gammaln, logsumexp

from vbkit.families import (
    BetaBernoulli,
    Columns,
    DirichletCategorical,
    GammaPoisson,
    NormalGamma,
    NormalWishart,
    check_family,
)
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, fit_online, init_from_rows, sato2000
from vbkit.mixture import EM, Mixture
from vbkit.structure import run_search, start_search
from vbkit.theory import log_evidence

pytestmark = pytest.mark.filterwarnings("error")

HEIGHT = NormalGamma([1.0], 0.5, 2.0, 1.5)
MIXED = Columns(
    [
        HEIGHT,
        BetaBernoulli(1, 0.7),
        DirichletCategorical((3,), 0.4),
        GammaPoisson(1, 2.0, 0.5),
    ]
)


def table(seed: int, N: int, missing: float = 0.0):
    """Rows of three groups with a number, an answer, a category and a count, and the groups."""
    rng = np.random.default_rng(seed)
    z = rng.integers(3, size=N)
    X = np.stack(
        [
            rng.normal(np.array([-3.0, 1.0, 5.0])[z], 0.8),
            rng.random(N) < np.array([0.1, 0.9, 0.5])[z],
            (z + (rng.random(N) < 0.15)) % 3,
            rng.poisson(np.array([1.0, 4.0, 12.0])[z]),
        ],
        axis=1,
    ).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    return X, z


def test_the_parts_fit_together():
    check_family(MIXED, table(1, 60)[0])


def test_without_gaps_it_is_the_family_of_whole_rows():
    X = np.random.default_rng(2).normal(size=(40, 2))
    whole = NormalGamma([0.3, -0.2], 0.5, 2.0, [1.0, 3.0])
    single = Columns(
        [NormalGamma([0.3], 0.5, 2.0, 1.0), NormalGamma([-0.2], 0.5, 2.0, 3.0)]
    )
    R = np.random.default_rng(3).dirichlet(np.ones(2), 40)
    fits = []
    for family in (whole, single):
        mixture = Mixture(family, Dirichlet(0.5))
        fits.append(
            fit_batch(mixture, X, mixture.m_step(X, R), max_epochs=30, tolerance=0)
        )
    assert np.allclose(fits[0].trace, fits[1].trace, rtol=0, atol=1e-9)
    assert np.allclose(
        fits[0].responsibilities(X), fits[1].responsibilities(X), atol=1e-9
    )
    assert np.allclose(fits[0].log_predictive(X), fits[1].log_predictive(X), atol=1e-9)


def test_a_column_that_nobody_answered_is_as_if_it_were_not_there():
    X, _ = table(4, 50, missing=0.2)
    more = Columns([*MIXED.columns, NormalGamma([0.0], 1.0, 2.0, 1.0)])
    empty = np.column_stack([X, np.full(50, np.nan)])
    R = np.random.default_rng(5).dirichlet(np.ones(3), 50)
    fits = []
    for family, rows in ((MIXED, X), (more, empty)):
        mixture = Mixture(family, Dirichlet(0.5))
        S = mixture.m_step(rows, R)
        fits.append(fit_batch(mixture, rows, S, max_epochs=40, tolerance=0))
    assert np.allclose(fits[0].trace, fits[1].trace, rtol=0, atol=1e-9)
    assert np.allclose(
        fits[0].responsibilities(X), fits[1].responsibilities(empty), atol=1e-9
    )


def evidence_of(values, d: int) -> float:
    """The log evidence of the seen values of column d in one component, by formulas of its
    own or by quadrature."""
    if d == 0:  # one Student density after another
        beta, shape, mean, rate = 0.5, 2.0, 1.0, 1.5
        total = 0.0
        for x in values:
            scale = np.sqrt(rate * (1 + 1 / beta) / shape)
            total += stats.t(2 * shape, mean, scale).logpdf(x)
            rate += 0.5 * beta / (beta + 1) * (x - mean) ** 2
            mean += (x - mean) / (beta + 1)
            beta += 1
            shape += 0.5
        return total
    if d == 1:
        ones = values.sum()
        return betaln(0.7 + ones, 0.7 + len(values) - ones) - betaln(0.7, 0.7)
    if d == 2:
        counts = np.bincount(values.astype(int), minlength=3)
        total = gammaln(1.2) - gammaln(1.2 + len(values))
        return total + (gammaln(0.4 + counts) - gammaln(0.4)).sum()

    def joint(rate):
        return stats.gamma(2.0, scale=2.0).pdf(rate) * np.exp(
            stats.poisson(rate).logpmf(values).sum()
        )

    return np.log(integrate.quad(joint, 0, 60, epsabs=0, limit=200)[0])


def test_the_evidence_with_gaps_is_that_of_the_cells_that_are_seen():
    X, _ = table(6, 12, missing=0.3)
    assert np.isnan(X).any()
    mixture = Mixture(MIXED)
    fit = fit_batch(mixture, X, mixture.m_step(X, np.ones((12, 1))))
    columns = [X[~np.isnan(X[:, d]), d] for d in range(4)]
    exact = sum(evidence_of(values, d) for d, values in enumerate(columns))
    assert fit.elbo == pytest.approx(exact, abs=1e-6)


def test_two_components_with_gaps_against_all_labellings():
    X, _ = table(7, 6, missing=0.3)
    mixture = Mixture(MIXED, Dirichlet(0.8))
    known = {}  # evidences by column and cells: each is needed again and again
    exact = []
    for labels in itertools.product([0, 1], repeat=6):
        labels = np.array(labels)
        counts = np.bincount(labels, minlength=2)
        total = gammaln(1.6) - gammaln(1.6 + 6)
        total += (gammaln(0.8 + counts) - gammaln(0.8)).sum()
        for k, d in itertools.product([0, 1], range(4)):
            seen = (labels == k) & ~np.isnan(X[:, d])
            if seen.any():
                key = d, seen.tobytes()
                if key not in known:
                    known[key] = evidence_of(X[seen, d], d)
                total += known[key]
        exact.append(total)
    assert log_evidence(mixture, X, 2) == pytest.approx(logsumexp(exact), abs=1e-6)


def test_the_predictive_density_adds_up_to_one_whatever_is_missing():
    X, _ = table(8, 30, missing=0.2)
    S = MIXED.statistics(X).sum(axis=0)[None]
    answers, levels, counts = [0.0, 1.0], [0.0, 1.0, 2.0], np.arange(200.0)
    rest = np.array(list(itertools.product(answers, levels, counts)))
    # the number is independent of the rest, given the component
    x = np.linspace(-400, 400, 200_001)
    alone = np.full((len(x), 4), np.nan)
    alone[:, 0] = x
    density = np.exp(MIXED.log_predictive(S, alone)[0])
    assert np.trapezoid(density, x) == pytest.approx(1, abs=1e-4)
    without = np.column_stack([np.full(len(rest), np.nan), rest])
    assert np.exp(MIXED.log_predictive(S, without)).sum() == pytest.approx(1, abs=1e-9)
    nothing = np.full((1, 4), np.nan)
    assert MIXED.log_predictive(S, nothing)[0, 0] == 0


def test_a_row_without_any_cell_belongs_to_the_components_by_their_weights():
    X, _ = table(9, 60, missing=0.1)
    mixture = Mixture(MIXED, Dirichlet(1.0))
    S = mixture.m_step(X, np.random.default_rng(1).dirichlet(np.ones(2), 60))
    nothing = np.full((1, 4), np.nan)
    weights = np.exp(digamma(1.0 + S[:, 0]))
    share = mixture.responsibilities(nothing, S)[0]
    assert np.allclose(share, weights / weights.sum(), atol=1e-12)


def test_the_elbo_never_falls_and_em_is_its_limit():
    X, _ = table(10, 80, missing=0.3)
    rng = np.random.default_rng(0)
    for clones in (1.0, EM):
        mixture = Mixture(MIXED, Dirichlet(1.0), clones=clones)
        S = init_from_rows(mixture, table(10, 80)[0], 2, rng)
        fit = fit_batch(mixture, X, S, max_epochs=60, tolerance=0)
        assert (np.diff(fit.trace) > -1e-7 * abs(fit.elbo)).all()
    probability = fit.mixture.parameters(fit.S)[1].columns[1].probability
    R = fit.responsibilities(X)
    seen = ~np.isnan(X[:, 1])
    estimate = R[seen].T @ X[seen, 1] / R[seen].sum(axis=0)
    assert np.allclose(probability[:, 0], estimate, atol=1e-4)


def test_groups_are_found_in_a_table_with_a_fifth_of_its_cells_missing():
    X, z = table(11, 300, missing=0.2)
    mixture = Mixture(MIXED, Dirichlet(0.5))
    one = mixture.m_step(X, np.ones((300, 1)))
    search = start_search(mixture, X, one, np.random.default_rng(0))
    found = run_search(search).base
    assert found.n_components == 3
    labels = found.responsibilities(X).argmax(axis=1)
    pairs = np.histogram2d(labels, z, bins=(3, 3))[0]
    assert pairs.max(axis=1).sum() > 0.9 * 300


def test_online_learning_takes_gaps():
    X, z = table(12, 2000, missing=0.2)
    mixture = Mixture(MIXED, Dirichlet(0.5))
    start = np.stack([MIXED.statistics(X[z == k][:5]).sum(axis=0) for k in range(3)])
    fit = fit_online(mixture, X, start, sato2000(2000))
    labels = mixture.responsibilities(X, fit.S).argmax(axis=1)
    assert (labels == z).mean() > 0.9


def test_draws_have_the_moments_of_the_columns():
    X, _ = table(13, 40, missing=0.1)
    s = MIXED.statistics(X).sum(axis=0)
    rows = MIXED.sample(s, 40_000, np.random.default_rng(0))
    assert rows.shape == (40_000, 4) and not np.isnan(rows).any()
    parameters = MIXED.parameters(s[None]).columns
    assert rows[:, 0].mean() == pytest.approx(parameters[0].mean[0, 0], abs=0.1)
    assert rows[:, 1].mean() == pytest.approx(
        parameters[1].probability[0, 0], abs=0.015
    )
    shares = np.bincount(rows[:, 2].astype(int), minlength=3) / len(rows)
    assert np.allclose(shares, parameters[2].probability[0], atol=0.015)
    assert rows[:, 3].mean() == pytest.approx(parameters[3].rate[0, 0], rel=0.03)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ([], "must be a list of families of one column each"),
        (HEIGHT, "must be a list of families of one column each"),
        ([BetaBernoulli(2)], r"columns\[0\] has 2 columns; it must have one"),
        ([HEIGHT, 3], r"columns\[1\]"),
        ([NormalWishart([0.0, 0.0], 1.0, 3.0, np.eye(2))], "has 2 columns"),
    ],
)
def test_what_is_no_column_is_refused(columns, words):
    with pytest.raises(ValueError, match=words):
        Columns(columns)


def test_a_cell_that_its_column_does_not_take_is_named():
    X, _ = table(14, 10, missing=0.2)
    X[3, 1] = 0.5
    with pytest.raises(ValueError, match=r"X column 1, taken alone: X\[3, 0\] is 0.5"):
        MIXED.check_data(X)
    with pytest.raises(ValueError, match=r"X has shape \(10, 3\); it must be \(N, 4\)"):
        MIXED.check_data(X[:, :3])
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="every number must be finite"):
        MIXED.check_data(X)
