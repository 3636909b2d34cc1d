"""The ELBO and the iteration of matrix factorization: quadrature, Monte Carlo, finite differences,
limits."""

import warnings

import numpy as np
import pytest
from oracles import close
from scipy.stats import multivariate_normal, norm

from tests.benchmarks.factorization import loop_sweep
from vbkit.checks import ConvergenceWarning
from vbkit.factorization import (
    Factorization,
    ObservedEntries,
    elbo,
    fit,
    fit_map,
    init_random,
    init_spectral,
    validate,
)
from vbkit.factorization.iteration import iterate
from vbkit.factorization.matrices import LEAST_NOISE
from vbkit.factorization.updates import inverse

KINDS = "full", "missing", "offsets"
HELD = {"learn_prior": False, "learn_noise": False}


def low_rank(rng, L, M, r=2, noise=1.0):
    return rng.normal(size=(L, r)) @ rng.normal(size=(r, M)) + noise * rng.normal(
        size=(L, M)
    )


def problem(rng, kind, L=None, M=None, H=None):
    """V, full or with missing entries, and a random start."""
    L, M = (n or int(rng.integers(1, 10)) for n in (L, M))
    V = low_rank(rng, L, M) + (3 if kind == "offsets" else 0)
    if kind != "full":
        hidden = rng.random((L, M)) < 0.4
        hidden[rng.integers(L), rng.integers(M)] = False
        V[hidden] = np.nan
    return V, init_random(
        V, int(rng.integers(1, 5)) if H is None else H, rng, offsets=kind == "offsets"
    )


def spread(rng, f):
    """f with random covariances, one a row, where columns are not known."""

    def covs(mean, prior):
        X = rng.normal(size=(*mean.shape, mean.shape[1])) * (prior > 0)[:, None]
        return X @ X.transpose(0, 2, 1) / 4 + 0.1 * np.diag(prior > 0)

    return f.replace(cov_A=covs(f.A, f.prior_a), cov_B=covs(f.B, f.prior_b), noise=0.7)


@pytest.mark.parametrize("kind", KINDS)
def test_elbo_is_the_mean_of_log_p_over_r(kind):
    rng = np.random.default_rng(1)
    V, f = problem(rng, kind, 4, 3, 2)
    f, data, size = spread(rng, f), validate(V), 40_000
    data = data if isinstance(data, ObservedEntries) else data.entries()
    log_ratio = np.zeros(size)

    def draw(mean, covs, prior):
        free, X = prior > 0, np.tile(mean, (size, 1, 1))
        for row, cov in enumerate(covs):
            r = multivariate_normal(mean[row, free], cov[np.ix_(free, free)])
            X[:, row, free] = r.rvs(size, random_state=rng).reshape(size, -1)
            log_ratio[:] += norm.logpdf(X[:, row, free], 0, np.sqrt(prior[free])).sum(
                axis=1
            )
            log_ratio[:] -= r.logpdf(X[:, row, free])
        return X

    A, B = draw(f.A, f.cov_A, f.prior_a), draw(f.B, f.cov_B, f.prior_b)
    mean = f.centre + (A[:, data.cols] * B[:, data.rows]).sum(axis=2)
    log_ratio += norm.logpdf(data.values, mean, np.sqrt(f.noise)).sum(axis=1)
    assert abs(log_ratio.mean() - elbo(V, f)) < 4 * log_ratio.std() / np.sqrt(size)
    p = f.predict(data.rows, data.cols, noise=False)
    assert np.allclose(p.mean, mean.mean(axis=0), atol=5 * p.sd.max() / np.sqrt(size))
    assert np.allclose(p.sd, mean.std(axis=0), rtol=0.03)
    assert np.allclose(f.predict(data.rows, data.cols).sd, np.sqrt(p.sd**2 + f.noise))


@pytest.mark.parametrize("v", [0.5, 3.0])
def test_elbo_on_one_entry_by_quadrature(v):
    """E log p/r by Gauss and Hermite (exact: a polynomial), and never above log p(V) by
    quadrature."""
    start = Factorization([[1.2]], [[0.8]], [[0.3]], [[0.5]], [1.5], [0.7], 0.9)
    x, w = np.polynomial.hermite_e.hermegauss(12)
    w = w / w.sum()
    wide = np.linspace(-12, 12, 4001)
    marginal = (
        norm.pdf(v, 0, np.sqrt(0.7 * wide**2 + 0.9))
        @ norm.pdf(wide, 0, np.sqrt(1.5))
        * (wide[1] - wide[0])
    )
    for f in (
        start,
        fit(
            [[v]],
            start,
            learn_prior=False,
            learn_noise=False,
            tolerance=0,
            max_sweeps=2000,
        ),
    ):
        (a, sa), (b, sb) = (
            (f.A.item(), np.sqrt(f.cov_A.item())),
            (f.B.item(), np.sqrt(f.cov_B.item())),
        )
        da, db = a + sa * x, b + sb * x
        inner = norm.logpdf(v, np.outer(da, db), np.sqrt(0.9))
        for d, m, s, c, axis in ((da, a, sa, 1.5, 1), (db, b, sb, 0.7, 0)):
            inner = inner + np.expand_dims(
                norm.logpdf(d, 0, np.sqrt(c)) - norm.logpdf(d, m, s), axis
            )
        assert abs(w @ inner @ w - elbo([[v]], f)) < 1e-10
        assert elbo([[v]], f) < np.log(marginal)


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_vanishes_at_the_end(kind):
    """Of the ELBO in every mean, covariance and hyperparameter, at a point where the gradient
    before was not small."""
    rng = np.random.default_rng({"full": 2, "missing": 3, "offsets": 4}[kind])
    V, start = problem(rng, kind, 7, 6, 1)
    V = V + 3 * rng.normal(size=(7, 1)) * rng.normal(
        size=6
    )  # so strong that the column is kept, and the offsets
    V += (
        4 * rng.normal(size=(7, 1)) + 4 * rng.normal(size=6) if kind == "offsets" else 0
    )
    f = fit(V, start, tolerance=0, max_sweeps=4000)
    assert f.rank == 1
    for point, small in ((start, False), (f, True)):
        slopes = list(derivatives(V, point))
        assert (max(map(abs, slopes)) < 2e-5) == small, (kind, max(map(abs, slopes)))


def derivatives(V, f, h=1e-5):
    """Central differences of the ELBO in everything that is not known."""

    def slope(**changes):
        up, down = (
            elbo(V, f.replace(**{k: change(s * h) for k, change in changes.items()}))
            for s in (1, -1)
        )
        return (up - down) / (2 * h)

    for mean, cov, prior in (("A", "cov_A", "prior_a"), ("B", "cov_B", "prior_b")):
        free = np.flatnonzero(getattr(f, prior) > 0)
        for i in free:
            yield slope(
                **{
                    prior: lambda s, i=i, p=prior: (
                        getattr(f, p) * np.exp(s * (np.arange(len(f.prior_a)) == i))
                    )
                }
            )
            for row in range(len(getattr(f, mean))):
                yield slope(
                    **{
                        mean: lambda s, at=(row, i), m=mean: bumped(
                            getattr(f, m), [at], s
                        )
                    }
                )
            for j in free[free <= i]:
                for row in (
                    range(len(getattr(f, cov))) if getattr(f, cov).ndim == 3 else [...]
                ):
                    places = {(row, i, j), (row, j, i)}
                    yield slope(
                        **{cov: lambda s, p=places, c=cov: bumped(getattr(f, c), p, s)}
                    )
    yield slope(noise=lambda s: f.noise * np.exp(s))


def bumped(X, places, step):
    X = X.copy()
    for place in places:
        X[place] += step
    return X


@pytest.mark.parametrize("kind", KINDS)
def test_elbo_never_falls_and_is_the_elbo(kind):
    """In 350 random problems a kind; the trace's last number is the function's."""
    rng = np.random.default_rng(5)
    for _ in range(350):
        V, start = problem(rng, kind)
        learn = {
            "learn_prior": (True, False, "a", "b")[rng.integers(4)],
            "learn_noise": bool(rng.integers(2)),
        }
        f = fit(
            V, start, max_sweeps=15, hold=int(rng.integers(3)), tolerance=0, **learn
        )
        assert np.diff(f.trace).min() > -1e-9 * abs(f.trace).max()
        assert abs(f.elbo - elbo(V, f)) < 1e-9 * abs(f.elbo)
        assert np.isclose(f.trace[0], elbo(V, start), rtol=1e-12)
        for name, sides in (("prior_a", (False, "b")), ("prior_b", (False, "a"))):
            if learn["learn_prior"] in sides:
                assert np.array_equal(getattr(f, name), getattr(start, name))


def test_a_full_mask_is_a_full_matrix():
    rng = np.random.default_rng(6)
    for L, M, H in ((5, 8, 3), (8, 5, 3), (4, 4, 6), (1, 3, 2), (6, 1, 1), (3, 4, 0)):
        V = low_rank(rng, L, M)
        start = init_random(V, H, rng)
        f, g = (
            fit(d, start, hold=0, max_sweeps=25, tolerance=0)
            for d in (V, validate(V).entries())
        )
        assert np.allclose(f.trace, g.trace, rtol=1e-11, atol=1e-10)
        assert (
            np.allclose(f.A, g.A)
            and np.allclose(g.cov_B, f.cov_B)
            and np.isclose(f.noise, g.noise)
        )
        assert np.allclose(f.predict([0], [0]), g.predict([0], [0]))
        assert np.allclose(
            fit(V, g, max_sweeps=2, tolerance=0).elbo,
            fit(V, f, max_sweeps=2, tolerance=0).elbo,
        )


@pytest.mark.parametrize("kind", ["full", "missing"])
def test_transposed_rotated_rescaled(kind):
    rng = np.random.default_rng(7)
    for _ in range(20):
        V, start = problem(rng, kind)
        size = validate(V).size
        R = np.linalg.qr(rng.normal(size=(start.A.shape[1],) * 2))[0]
        f = fit(V, start, max_sweeps=8, learn_prior=False, hold=0, tolerance=0)
        turned = start.replace(
            A=start.A @ R,
            B=start.B @ R,
            cov_A=R.T @ start.cov_A @ R,
            cov_B=R.T @ start.cov_B @ R,
        )
        turned = turned.replace(
            prior_a=0 * start.prior_a + start.prior_a[0], prior_b=start.prior_b
        )
        same = fit(V, turned, max_sweeps=8, learn_prior=False, hold=0, tolerance=0)
        assert np.allclose(same.trace, f.trace) and np.allclose(
            same.mean(), f.mean(), atol=1e-7
        )
        for c in (1e3, 1e-60):
            big = start.replace(
                A=c * start.A,
                cov_A=c * c * start.cov_A,
                prior_a=c * c * start.prior_a,
                noise=c * c * start.noise,
            )
            other = fit(c * V, big, max_sweeps=8, hold=0, tolerance=0)
            reference = fit(V, start, max_sweeps=8, hold=0, tolerance=0)
            assert np.allclose(
                other.trace + size * np.log(c), reference.trace, rtol=1e-7, atol=1e-6
            )
        # transposed: the half sweeps change places, the fixed point does not
        end = fit(V, start, max_sweeps=3000, learn_prior=False, hold=0, tolerance=1e-13)
        swapped = end.replace(
            A=end.B,
            B=end.A,
            cov_A=end.cov_B,
            cov_B=end.cov_A,
            prior_a=end.prior_b,
            prior_b=end.prior_a,
        )
        again = fit(V.T, swapped, max_sweeps=1, learn_prior=False, hold=0)
        assert abs(again.elbo - end.elbo) < 1e-6 and abs(
            again.trace[0] - end.elbo
        ) < 1e-8 * abs(end.elbo)


def test_sweep_is_the_loop_over_rows():
    rng = np.random.default_rng(8)
    for H in (1, 2, 3, 7, 12):
        V, start = problem(rng, "missing", 9, 13, H)
        V[2], V[:, 4] = np.nan, np.nan  # a row and a column of which nothing is seen
        start = spread(rng, start)
        ours, loop = fit(V, start, max_sweeps=1, **HELD), loop_sweep(validate(V), start)
        for name in ("A", "B", "cov_A", "cov_B"):
            assert np.allclose(getattr(ours, name), getattr(loop, name), atol=1e-12)
        assert np.allclose(ours.B[2], 0) and np.allclose(
            ours.cov_B[2], np.diag(start.prior_b)
        )
        p = ours.predict([2], [4])
        assert p.mean == 0 and np.isclose(
            p.sd[0] ** 2, start.prior_a @ start.prior_b + ours.noise
        )


def test_the_forms_of_missing_entries_agree():
    import scipy.sparse as sp

    rng = np.random.default_rng(9)
    V, start = problem(rng, "missing", 6, 5, 2)
    V[0, 0] = 0.0
    rows, cols = np.nonzero(~np.isnan(V))
    shuffled = rng.permutation(len(rows))
    sparse = sp.coo_array((V[rows, cols], (rows, cols)), shape=V.shape)
    entries = ObservedEntries(
        rows[shuffled], cols[shuffled], V[rows, cols][shuffled], V.shape
    )
    traces = [
        fit(data, start, max_sweeps=5).trace
        for data in (V, sparse, sparse.tocsr(), entries, V.tolist())
    ]
    assert validate(sparse).size == len(rows)  # the observed zero counts
    assert all(np.allclose(t, traces[0], rtol=1e-12) for t in traces)


def test_offsets_are_found():
    """Additive data: offsets alone explain them; a model without them needs two columns."""
    rng = np.random.default_rng(10)
    truth = 5 + 2 * rng.normal(size=(40, 1)) + rng.normal(size=30)
    V = truth + 0.3 * rng.normal(size=truth.shape)
    V[rng.random(V.shape) < 0.5] = np.nan
    f = fit(V, init_random(V, 3, rng, offsets=True), max_sweeps=500)
    assert (
        f.rank == 0
        and f.free.sum() == 3
        and np.sqrt(np.mean((f.mean() - truth) ** 2)) < 0.12
    )
    assert (
        0.5 < f.prior_a[3] < 2
        and 2 < f.prior_b[4] < 7
        and f.prior_a[4] == f.prior_b[3] == 0
    )
    assert (
        np.all(f.A[:, 4] == 1) and np.all(f.cov_A[:, 4] == 0) and np.all(f.B[:, 3] == 1)
    )
    full = fit(
        truth, init_random(truth, 0, rng, offsets=True), max_sweeps=50
    )  # full, too
    assert full.cov_A.ndim == 3 and np.allclose(full.mean(), truth, atol=1e-3)


def test_hyperparameters_are_held_at_first():
    """20 sweeps where entries are missing, half of few sweeps, as many as asked; and then
    learned."""
    for kind, given, most, held in (
        ("full", None, 9, 0),
        ("full", 3, 9, 3),
        ("missing", None, 50, 20),
        ("missing", None, 9, 4),
        ("missing", None, 1, 0),
        ("missing", 3, 4, 3),
    ):
        V, start = problem(np.random.default_rng(14), kind, 6, 5, 2)
        f = fit(V, start, hold=given, max_sweeps=most, tolerance=0)
        before = fit(V, start, max_sweeps=held, tolerance=0, **HELD)
        assert np.array_equal(f.trace[: held + 1], before.trace)
        assert f.noise != start.noise and not np.isclose(f.prior_b, start.prior_b).any()
        longer = fit(V, before, hold=0, max_sweeps=1, tolerance=0)
        assert f.trace[held + 1] == pytest.approx(longer.elbo, abs=1e-9)
        # it does not stop before it learns
        assert (
            fit(V, start, hold=given, max_sweeps=most, tolerance=1e9).sweeps == held + 1
        )


@pytest.mark.parametrize("kind", ["full", "missing"])
def test_a_hold_that_leaves_nothing_to_learn_in_is_refused(kind):
    V, start = problem(np.random.default_rng(14), kind, 6, 5, 2)
    for settings in ({"hold": 5, "max_sweeps": 5}, {"hold": 9, "max_sweeps": 2}):
        with pytest.raises(ValueError, match="hold is .* and max_sweeps"):
            fit(V, start, **settings)
        assert fit(V, start, **settings, **HELD).sweeps == settings["max_sweeps"]
    assert fit(V, start, hold=5, max_sweeps=0).sweeps == 0


@pytest.mark.parametrize("learner", [fit, fit_map])
def test_tolerance_of_zero_never_stops_early(learner):
    """Not at a fall by rounding either, which is no convergence."""
    V, start = problem(np.random.default_rng(16), "missing", 6, 5, 1)
    settings = {"hold": 0} if learner is fit else {}
    f = learner(V, start, tolerance=0, max_sweeps=400, **settings)
    assert f.sweeps == 400 and not f.converged and np.diff(f.trace).min() <= 0
    g = learner(V, start, tolerance=1e-4, max_sweeps=400, **settings)
    gains = np.diff(g.trace)
    assert g.converged and abs(gains[-1]) < 1e-4 and (gains[:-1] >= 1e-4).all()


class Falling:
    """Updates whose ELBO is a given sequence."""

    def __init__(self, f, elbos):
        self.f, self.data, self.noise, self.elbos = (
            f,
            validate(f.mean()),
            f.noise,
            iter(elbos),
        )

    def sweep(self, *learn):
        return next(self.elbos)

    def state(self):
        return self.f


def test_a_fall_beyond_rounding_warns_and_is_no_convergence():
    f = problem(np.random.default_rng(17), "full", 4, 5, 2)[1]
    with pytest.warns(ConvergenceWarning, match="sweep 2 lowered the ELBO by 0.5 nats"):
        end = iterate(Falling(f, [1.0, 0.5, 0.9]), 0.0, max_sweeps=3, tolerance=0.1)
    assert not end.converged and end.trace.tolist() == [0, 1, 0.5, 0.9]
    with warnings.catch_warnings(action="error"):
        end = iterate(Falling(f, [1.0, 1.0 - 1e-11]), 0.0, max_sweeps=5, tolerance=1e-6)
    assert end.converged and end.sweeps == 2


@pytest.mark.parametrize("offsets", [False, True])
@pytest.mark.parametrize("kind", ["full", "missing"])
def test_noise_to_start_from(kind, offsets):
    """The mean square, about the mean with offsets; a tenth of it where entries are missing."""
    V = 5 + problem(np.random.default_rng(18), kind, 9, 8, 2)[0]
    square = np.nanvar(V) if offsets else np.nanmean(V**2)
    start = init_random(V, 2, np.random.default_rng(0), offsets=offsets)
    assert start.noise == pytest.approx(
        square * (1 if kind == "full" else 0.1), rel=1e-10
    )
    assert start.centre == pytest.approx(np.nanmean(V) if offsets else 0)
    assert start.prior_a[:2] * start.prior_b[:2] * 2 == pytest.approx(
        np.full(2, square)
    )
    constant = init_random(0 * V + 3, 2, np.random.default_rng(0), offsets=offsets)
    assert constant.noise == pytest.approx(9 * (1 if kind == "full" else 0.1))


def test_one_prior_serves_all_columns():
    rng = np.random.default_rng(19)
    V, start = problem(rng, "full", 5, 4, 3)
    same = start.replace(prior_a=0.5, prior_b=2)
    each = start.replace(prior_a=np.full(3, 0.5), prior_b=np.full(3, 2.0))
    assert same.prior_a.tolist() == [0.5] * 3 and elbo(V, same) == elbo(V, each)


def test_rank_counts_what_exceeds_the_noise_of_an_entry():
    Q = np.linalg.qr(np.random.default_rng(15).normal(size=(5, 5)))[0]
    A, B = Q[:, :4] * [4.0, 1, 0.6, 0.4], np.eye(6)[:, :4]
    f = Factorization(A, B, np.eye(4), np.eye(4), np.ones(4), np.ones(4), 0.25)
    assert np.allclose(f.singular_values, [4, 1, 0.6, 0.4]) and f.rank == 3
    assert f.replace(noise=4.0).rank == 1 and f.replace(prior_a=[0, 1, 1, 1]).rank == 2


def test_zero_is_a_fixed_point():
    rng = np.random.default_rng(11)
    V, start = problem(rng, "full", 6, 9, 2)
    f = fit(V, start.replace(A=0 * start.A, B=0 * start.B), max_sweeps=50)
    assert np.all(f.A == 0) and np.all(f.B == 0) and f.rank == 0


def test_probabilistic_pca_in_the_limit():
    """C_A = I and a flat prior of B: with many samples the solution of Tipping and Bishop, at a
    rate of 1 / samples."""
    from sklearn.decomposition import PCA

    rng, gaps = np.random.default_rng(12), []
    for M in (200, 2000, 20000):
        Y = low_rank(rng, 6, M, 2, 0.5)
        Y -= Y.mean(axis=1, keepdims=True)
        start = init_spectral(Y, 2, prior_a=1.0, prior_b=1e8)
        f = fit(Y, start, learn_prior=False, max_sweeps=5000, tolerance=1e-9)
        pca = PCA(2).fit(Y.T)
        target = pca.get_covariance() * (M - 1) / M  # scikit-learn divides by M - 1
        ours = f.B @ f.B.T + f.noise * np.eye(6)
        gaps.append(np.abs(ours - target).max() / np.abs(target).max())
    assert gaps[0] / gaps[1] > 5 and gaps[1] / gaps[2] > 5 and gaps[2] < 1e-3


def test_results_are_frozen_and_say_what_they_are():
    rng = np.random.default_rng(13)
    V, start = problem(rng, "full", 5, 4, 2)
    f = fit(V, start, max_sweeps=3)
    assert "5 x 4, 2 columns" in repr(f) and "3 sweeps, ELBO" in repr(f)
    assert repr(f).endswith("not converged)") and "sweeps" not in repr(start)
    assert repr(fit(V, start, tolerance=10)).endswith(", converged)")
    assert np.isnan(start.elbo) and start.sweeps == 0
    with pytest.raises(AttributeError):
        f.noise = 1.0
    assert np.allclose(
        f.singular_values, np.linalg.svd(f.B @ f.A.T, compute_uv=False)[:2]
    )
    assert f.rank == (f.singular_values > np.sqrt(f.noise)).sum()
    before = start.A.copy()
    fit(V, start, max_sweeps=3)
    fit(validate(V).entries(), start, max_sweeps=3)
    assert np.array_equal(start.A, before)


def test_a_mask_marks_what_is_missing():
    V = np.ma.masked_equal([[1, -999], [2, 3]], -999)
    data = validate(V)
    assert data.values.tolist() == [1, 2, 3] and data.shape == (2, 2)


def test_offsets_of_a_full_matrix_without_a_centre():
    """Columns that are known are held entry by entry, whether or not a constant is added."""
    V = np.random.default_rng(5).normal(size=(5, 4))
    for centre, offsets in ((0.0, True), (0.5, False), (0.5, True)):
        start = init_random(V, 2, np.random.default_rng(6), offsets=offsets).replace(
            centre=centre
        )
        full, entries = (
            fit(data, start, hold=0, max_sweeps=5, tolerance=0)
            for data in (V, validate(V).entries())
        )
        close(full.trace, entries.trace)


def test_data_too_large_for_their_noise():
    with pytest.raises(ValueError, match="V is too large beside its noise"):
        inverse(np.ones((2, 2)))


@pytest.mark.filterwarnings("error")
def test_without_noise_the_elbo_falls_by_rounding_only():
    V = np.outer(np.arange(1.0, 7), np.arange(1.0, 6))
    for data in (validate(V), validate(V).entries()):
        f = fit(
            data,
            init_random(data, 1, np.random.default_rng(0)),
            max_sweeps=300,
            tolerance=0,
        )
        close(f.noise, data.least_noise)


@pytest.mark.parametrize("unit", [1.0, 1e3])
def test_without_noise_about_a_centre_the_noise_ends_at_its_floor(unit):
    V = unit * np.outer(np.arange(1.0, 7), np.arange(1.0, 6))
    centre = 2.0 * unit
    start = init_random(V, 1, np.random.default_rng(0)).replace(centre=centre)
    entries = validate(V + centre).entries()
    f = fit(entries, start, max_sweeps=300, tolerance=0)
    close(f.noise, LEAST_NOISE * (V**2).mean())


def test_a_covariance_of_factors_is_one():
    V = np.random.default_rng(0).normal(size=(8, 2))
    start = init_random(V, 2, np.random.default_rng(0))
    for wrong in ([[1, 2], [2, 1]], [[1, 0.5], [0, 1]]):
        for cov in (np.array(wrong, float), np.tile(np.array(wrong, float), (2, 1, 1))):
            with pytest.raises(
                ValueError, match="cov_A must be symmetric and have no negative"
            ):
                Factorization(start.A, start.B, cov, start.cov_B, 1.0, 1.0, 1.0)
    start.replace(cov_A=np.zeros((2, 2)), cov_B=np.diag([1e-30, 0]))


def test_a_fit_from_a_point_says_why_not():
    V = np.random.default_rng(0).normal(size=(8, 2))
    with pytest.raises(ValueError, match=r"start has a singular covariance.*fit_map"):
        fit(V, fit_map(V, init_random(V, 1, np.random.default_rng(0))))
