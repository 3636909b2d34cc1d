"""Learning: batch never falls, the online recursion is its sums, streams resume bit for bit."""

from itertools import islice, pairwise

import numpy as np
import oracles
import pytest
from oracles import KINDS, Full, Isotropic, close, problem
from scipy.special import gammaln, multigammaln
from sklearn.mixture import BayesianGaussianMixture

from vbkit.compiled.ascent import SIGMA, plain_ascent, run_ascent
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.labels import Dirichlet, MarkovChain
from vbkit.learning import (
    ConvergenceWarning,
    Schedule,
    accumulation,
    batch_epochs,
    fit_batch,
    fit_each_start,
    fit_online,
    online_epochs,
    sato2000,
    without_discount,
)
from vbkit.learning.fit import check_rise
from vbkit.learning.online import reference_stream, run_stream
from vbkit.learning.starts import init_from_rows, init_gaussian
from vbkit.mixture import EM, Mixture
from vbkit.structure import split_halves

pytestmark = pytest.mark.filterwarnings("error")
kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.parametrize("tenth", range(10))
def test_batch_never_falls(tenth):
    """1,000 random problems: sizes, families, priors, observation weights, copies."""
    rng = np.random.default_rng(100 + tenth)
    for trial in range(100):
        D, K, N = rng.integers(1, 4), rng.integers(1, 6), rng.integers(1, 25)
        prior, a, X, R, _ = problem(rng, KINDS[trial % 2], D, N, K)
        w = (
            None,
            rng.uniform(1e-3, 3, N),
            1.0 * rng.integers(0, 3, N) + (np.arange(N) == 0),
        )[trial % 3]
        mixture = Mixture(
            prior.family(), Dirichlet(a), clones=rng.choice([1.0, 1.0, 1.0, 6.5, 500.0])
        )
        fit = fit_batch(
            mixture, X, mixture.m_step(X, R, w), weights=w, max_epochs=12, tolerance=0
        )
        assert fit.epochs == 12 and np.diff(fit.trace).min() > -1e-9 * max(
            1, abs(fit.trace).max()
        )


@kinds
@pytest.mark.parametrize("clones", [1.0, 16.0, EM])
def test_batch_never_falls_with_pseudo_statistics(kind, clones):
    """The trace is the penalised bound: it rises, with pseudo-counts of the weights and without."""
    rng = np.random.default_rng(3)
    for trial in range(30):
        prior, a, X, R, plain = problem(rng, kind, 2, 10, 4)
        pseudo_statistics = rng.choice([0.3, 3.0]) * plain.family.statistics(
            prior.m + rng.normal(size=(5, 2))
        ).mean(0)
        pseudo_statistics[:3] *= [trial % 2, 0, 0]
        mixture = Mixture(
            plain.family,
            Dirichlet(0.0 if clones == EM else a),
            clones=clones,
            pseudo_statistics=pseudo_statistics,
        )
        fit = fit_batch(mixture, X, mixture.m_step(X, R), max_epochs=30, tolerance=0)
        assert np.diff(fit.trace).min() > -1e-9 * abs(fit.trace).max()


@kinds
@pytest.mark.parametrize("case", ["plain", "weighted", "em", "chain", "rows", "states"])
def test_starts_side_by_side_end_as_one_after_another(kind, case, monkeypatch):
    """Bit for bit, however many rows there are and however the states are cut."""
    rng = np.random.default_rng(30)
    N = 20_000 if case == "rows" else 60
    if case == "states":
        monkeypatch.setattr("vbkit.mixture.CACHED", 2 * 3 * N)  # two at a time
    prior, a, X, _, _ = problem(rng, kind, 2, N, 3)
    labels = MarkovChain() if case == "chain" else Dirichlet(a)
    mixture = Mixture(prior.family(), labels, clones=EM if case == "em" else 1.0)
    weights = rng.uniform(0.5, 2, N) if case == "weighted" else None
    starts = [
        mixture.m_step(X, rng.dirichlet(np.ones(3), N), weights) for _ in range(5)
    ]
    settings = {"weights": weights, "max_epochs": 40, "tolerance": 0.1}
    together = fit_each_start(mixture, X, starts, **settings)
    assert len({fit.epochs for fit in together}) > 1 or case == "rows"
    for start, fit in zip(starts, together, strict=True):
        alone = fit_batch(mixture, X, start, **settings)
        assert np.array_equal(fit.S, alone.S)
        assert np.array_equal(fit.trace, alone.trace)
        assert (fit.epochs, fit.converged) == (alone.epochs, alone.converged)


class Tempered(Dirichlet):
    """Labels whose rows are divided as at a temperature of 2."""

    def infer(self, L, logs, data):
        L /= 2
        return super().infer(L, logs, data)


def test_labels_that_infer_in_a_way_of_their_own_are_asked_start_by_start():
    rng = np.random.default_rng(31)
    prior, a, X, _, _ = problem(rng, Full, 2, 60, 3)
    mixture = Mixture(prior.family(), Tempered(a))
    starts = [mixture.m_step(X, rng.dirichlet(np.ones(3), 60)) for _ in range(2)]
    together = fit_each_start(mixture, X, starts, max_epochs=3, tolerance=1e6)
    for start, fit in zip(starts, together, strict=True):
        alone = fit_batch(mixture, X, start, max_epochs=3, tolerance=1e6)
        assert np.array_equal(fit.S, alone.S) and np.array_equal(fit.trace, alone.trace)


def test_online_too_labels_infer_in_a_way_of_their_own():
    rng = np.random.default_rng(32)
    prior, a, X, _, _ = problem(rng, Full, 2, 30, 3)
    plain = Mixture(prior.family(), Dirichlet(a))
    tempered = Mixture(prior.family(), Tempered(a))
    start = plain.m_step(X, rng.dirichlet(np.ones(3), 30))
    schedule = sato2000(30)
    retention, gain, _ = schedule.rates(30)
    S = start
    for n in range(30):
        S = retention[n] * S + gain[n] * tempered.e_step(X[n : n + 1], S).S
    found = fit_online(tempered, X, start, schedule).S
    assert found == pytest.approx(S, rel=1e-12)
    assert np.abs(found - fit_online(plain, X, start, schedule).S).max() > 0.01


def test_starts_side_by_side_have_one_shape():
    mixture = Mixture(Isotropic(np.zeros(2), 1.0, 1.0, 1.0).family())
    X = np.eye(2)
    with pytest.raises(ValueError, match="starts have the shapes"):
        fit_each_start(
            mixture, X, [np.ones((1, 4)), np.array([[1, 0, 0, 1], [2, 1, 1, 2]])]
        )
    with pytest.raises(ValueError, match="starts have the shapes"):
        fit_each_start(mixture, X, [])


def test_what_a_fit_reports():
    *_, X, R, mixture = problem(np.random.default_rng(4), Full)
    start, schedule = mixture.m_step(X, R), sato2000(12)
    none, short, fit = (
        fit_batch(mixture, X, start, max_epochs=n) for n in (0, 3, 5000)
    )
    assert (
        none.epochs == 0
        and not none.converged
        and (none.S == start).all()
        and len(short.trace) == 4
    )
    assert (
        fit.converged
        and fit.n_components == 3
        and fit.elbo == fit.trace[-1]
        and "not" not in repr(fit)
    )
    assert (
        abs(fit.trace[-1] - fit.trace[-2]) < 1e-6 <= abs(fit.trace[-2] - fit.trace[-3])
    )
    close(
        [mixture.elbo(X, start), mixture.elbo(X, fit.S)], fit.trace[[0, -1]], rtol=1e-13
    )
    assert fit_batch(mixture, X, fit.S).epochs == 1
    watched, silent = (
        fit_online(mixture, X, start, schedule, epochs=2, monitor=m)
        for m in (True, False)
    )
    assert (silent.S == watched.S).all() and watched.trace[-1] == mixture.elbo(
        X, watched.S
    )
    stopped = fit_online(mixture, X, start, schedule, epochs=500, tolerance=0.01)
    assert stopped.converged and 1 < stopped.epochs < 500
    assert watched.epochs == silent.epochs == 2


def test_inputs_are_left_alone():
    """Arguments come back as they were, and a second fit gives the same bits."""
    rng = np.random.default_rng(13)
    *_, X, R, mixture = problem(rng, Full, N=30)
    start, w = mixture.m_step(X, R), rng.uniform(0.5, 1, 30)
    kept, results = (X.copy(), start.copy(), w.copy()), []
    for _ in range(2):
        online = fit_online(
            mixture,
            mixture.observe(X, w),
            start,
            sato2000(30),
            rng=np.random.default_rng(1),
        )
        results.append((online.S, fit_batch(mixture, X, start, weights=w).S))
    for one, other in zip(
        (*results[0], *kept), (*results[1], X, start, w), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@kinds
@pytest.mark.parametrize("start", [init_from_rows, init_gaussian])
def test_starts(kind, start):
    """Distinct rows, drawn in to the mean by `init_from_rows`; equal counts."""
    *_, X, R, mixture = problem(np.random.default_rng(5), kind, 2, 30)
    S = start(mixture, X, 4, np.random.default_rng(6), spread=0.2)
    centres = mixture.family.parameters(2.0**100 * S)[0]
    if start is init_from_rows:
        centres = X.mean(0) + (centres - X.mean(0)) / 0.8
    distance = abs(centres[:, None] - X[None]).sum(-1)
    close(S[:, 0], 30 / 4)
    assert (distance.min(1) < 1e-9).all() and len(set(distance.argmin(1))) == 4
    assert fit_batch(mixture, X, S).converged


@kinds
@pytest.mark.parametrize("D, K", [(1, 2), (2, 3), (3, 9), (4, 17)])
def test_online_is_the_discounted_sums(kind, D, K):
    """(3.6)-(3.16): the state is T times the sum of w_s r_s t(x_s), discounted by the lambdas since
    (3.23), eta one over the sum of discounts; responsibilities by the textbook posterior of data so
    weighted."""
    rng = np.random.default_rng(6)
    prior, a, X, R, mixture = problem(rng, kind, D, 25, K)
    N, T, memory, w = 25, 40.0, 7.0, rng.uniform(0.2, 2, 25)
    lambdas = [1 - 1 / ((tau - 2) * 0.3 + 5) for tau in range(2, N + 2)]
    both, soft = (
        np.concatenate([X + 0.1, X]),
        np.concatenate([R, 0 * R]),
    )  # the start: 25 data in a memory of 7
    start = T * mixture.m_step(X + 0.1, R) / N
    for t in range(N):
        discounts, old = (
            [np.prod(lambdas[s + 1 : t]) for s in range(t)],
            memory * np.prod(lambdas[:t]),
        )
        eta = 1 / (sum(discounts) + old)
        power = (
            T
            * eta
            * np.concatenate([np.full(N, old / N), discounts * w[:t], np.zeros(N - t)])
        )
        q = oracles.posterior(prior, a, both, soft, power)
        soft[N + t] = oracles.responsibilities(q, X[t : t + 1])[0]
        if t in (1, 7, 24):
            schedule = sato2000(T, tau0=5, kappa=0.3, memory=memory)
            fit = fit_online(mixture, mixture.observe(X[:t], w[:t]), start, schedule)
            close(fit.S, mixture.m_step(both, soft, power))
            close(fit.schedule.learning_rate, eta, rtol=1e-13)


def test_schedule_closed_forms():
    """(3.6), (3.13), (3.22)-(3.25)."""
    tau0, kappa, n = 20.0, 0.02, 2_000_000
    keep, gain, after = Schedule(
        memory=0, forgetting_rate=1 / tau0, decay=kappa, total=3.0
    ).rates(400)
    lambdas, eta = (
        1 - 1 / (np.arange(400) * kappa + tau0),
        [1.0],
    )  # (3.23) for tau = 2, ...; (3.6): eta(1) = 1
    for tau in range(1, 400):
        eta.append(1 / (1 + lambdas[tau] / eta[-1]))
    close(gain / 3, eta)
    direct = [
        1 / sum(np.prod(lambdas[s + 1 : t + 1]) for s in range(t + 1))
        for t in range(0, 400, 57)
    ]
    close(gain[::57] / 3, direct)
    close(keep, 1 - gain / 3)
    close(after.forgetting_rate, 1 / (400 * kappa + tau0))
    gain = sato2000(1.0, tau0=tau0, kappa=kappa).rates(n)[1]
    close(gain[0], 1 / (1 + (1 - 1 / tau0) * tau0))
    close(n * gain[-1], 1 + 1 / kappa, rtol=0.03)
    close(without_discount(1.0, memory=5).rates(50)[1], 1 / np.arange(6, 56))
    keep, gain, after = Schedule(
        memory=0, forgetting_rate=0.25, decay=0, total=None
    ).rates(9)
    assert (
        (keep == 0.75).all()
        and (gain == 1).all()
        and after.forgetting_rate == 0.25
        and sato2000(5.0).learning_rate == 0.01
    )
    keep, gain, after = accumulation().rates(9)
    assert (
        (keep == 1).all()
        and (gain == 1).all()
        and accumulation().rates(0)[2] == accumulation()
    )


@kinds
@pytest.mark.parametrize(
    "schedule",
    [sato2000(300, tau0=11, kappa=0.03), accumulation(), Schedule(3, 0.1, 0)],
)
def test_a_stream_resumes_bit_for_bit(kind, schedule):
    """Cut anywhere, over several epochs, in the order given or a random one."""
    rng = np.random.default_rng(7)
    *_, X, R, mixture = problem(rng, kind, 3, 300, 4)
    w, start = rng.uniform(0, 2, 300), mixture.m_step(X, R)
    data = mixture.observe(X, w)
    whole = fit_online(mixture, data, start, schedule, epochs=3)
    S, state = start, schedule
    for _ in range(3):
        for i, j in pairwise(
            [0, *np.sort(rng.choice(np.arange(1, 300), 6, replace=False)), 300]
        ):
            part = fit_online(
                mixture, mixture.observe(X[i:j], w[i:j]), S, state, monitor=False
            )
            S, state = part.S, part.schedule
    assert (S == whole.S).all() and state == whole.schedule
    one, two = np.random.default_rng(8), np.random.default_rng(8)
    shuffled = fit_online(mixture, data, start, schedule, epochs=3, rng=one)
    first = fit_online(mixture, data, start, schedule, epochs=2, rng=two)
    second = fit_online(mixture, data, first.S, first.schedule, rng=two)
    assert (second.S == shuffled.S).all() and not (shuffled.S == whole.S).all()
    assert [*first.trace, *second.trace[1:]] == shuffled.trace.tolist()


def test_long_streams_are_cut_into_blocks():
    *_, X, R, mixture = problem(np.random.default_rng(9), Isotropic, 1, 200_000, 2)
    start, schedule = 1000 * mixture.m_step(X[:20], R[:20]), sato2000(200_000)
    whole = fit_online(mixture, X, start, schedule, monitor=False)
    first = fit_online(mixture, X[:77_777], start, schedule, monitor=False)
    assert (
        fit_online(mixture, X[77_777:], first.S, first.schedule, monitor=False).S
        == whole.S
    ).all()
    close(whole.S[:, 0].sum(), 200_000)


@pytest.mark.parametrize("K, D", [(1, 2), (3, 2), (4, 3)])
def test_scikit_learn_has_the_same_posterior(K, D):
    """Same prior, same start, same posterior. Its lower bound lacks terms of K, N and the prior
    only."""
    prior, a, X, _, mixture = problem(np.random.default_rng(11), Full, D, 60, K)
    theirs = BayesianGaussianMixture(
        n_components=K,
        weight_concentration_prior_type="dirichlet_distribution",
        weight_concentration_prior=a,
        mean_prior=prior.m,
        mean_precision_prior=prior.beta,
        degrees_of_freedom_prior=prior.nu,
        covariance_prior=prior.B,
        reg_covar=0,
        init_params="random",
        random_state=5,
        max_iter=20_000,
        tol=1e-13,
    ).fit(X)
    R = np.random.RandomState(5).uniform(size=(60, K))  # its random start
    start = mixture.m_step(X, R / R.sum(1, keepdims=True))
    fit = fit_batch(mixture, X, start, max_epochs=20_000, tolerance=1e-13)
    beta, nu, mean, scatter = mixture.family.posterior(fit.S)
    ours = (
        mixture.labels.posterior(fit.S[:, 0]),
        beta,
        nu,
        mean,
        scatter / nu[:, None, None],
    )
    names = (
        "weight_concentration_",
        "mean_precision_",
        "degrees_of_freedom_",
        "means_",
        "covariances_",
    )
    for value, name in zip(ours, names, strict=True):
        close(value, getattr(theirs, name), rtol=1e-5, atol=1e-6)
    multigamma = (
        D * (D - 1) / 4 * np.log(np.pi)
    )  # of each posterior component's multivariate gamma function
    component = multigammaln(prior.nu / 2, D) - D / 2 * np.log(
        prior.beta
    )  # log normalisers of the prior
    component += prior.nu / 2 * (D * np.log(2) - np.linalg.slogdet(prior.B)[1])
    dropped = (
        K * (multigamma - component)
        + gammaln(K * a)
        - K * gammaln(a)
        - X.size / 2 * np.log(2 * np.pi)
    )
    close(fit.elbo - theirs.lower_bound_, dropped, atol=1e-6)


@kinds
def test_halves_add_up_to_the_component(kind):
    rng = np.random.default_rng(12)
    *_, X, R, mixture = problem(rng, kind, 2, 40)
    S = mixture.m_step(X, R)
    for w in (np.ones(40), rng.uniform(0.1, 2, 40)):
        for k, whole in enumerate(mixture.e_step(X, S, w).S):
            halves = split_halves(mixture, mixture.observe(X, w), S, k)
            r = mixture.responsibilities(X, S)[:, k] * w
            _, centre, C = oracles.moments(X, r)
            side = (X - centre) @ np.linalg.eigh(C)[1][:, -1] > 0
            close(halves.first + halves.second, whole)
            close(
                sorted(half[0] for half in halves),
                sorted([r[side].sum(), r[~side].sum()]),
            )


# ---- warnings, weights, shapes -------------------------------------------------------------------


class Wrong(IsotropicGaussian):
    """A family whose expected theta_0 is half of what it should be."""

    compiled_density = None

    def expected(self, S):
        theta = super().expected(S)
        theta[:, 0] /= 2
        return theta

    def value_and_gradient(self, S):
        return self.log_normalizer(S), self.expected(S)


def test_a_fall_warns_and_is_no_convergence():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(50, 2)), rng.normal(size=(50, 2)) + 3])
    mixture = Mixture(Wrong([0.0, 0.0], 1.0, 1.0, 1.0))
    start = init_from_rows(mixture, X, 3, rng)
    with pytest.warns(
        ConvergenceWarning, match="the ELBO fell from .* check the family"
    ):
        states, elbos = zip(*islice(batch_epochs(mixture, X, start), 31), strict=True)
    fall = int(np.argmin(np.diff(elbos)))
    assert elbos[fall + 1] < elbos[fall] - 1
    with pytest.warns(ConvergenceWarning, match="the ELBO fell"):
        fit = fit_batch(mixture, X, states[fall], max_epochs=1, tolerance=1e9)
    assert not fit.converged and "not converged" in repr(fit)
    right = Mixture(IsotropicGaussian([0.0, 0.0], 1.0, 1.0, 1.0))
    assert fit_batch(right, X, start).converged


def test_identical_components_warn_in_batch_and_online():
    *_, X, _, mixture = problem(np.random.default_rng(0), Full, 2, 30)
    same = np.tile(mixture.m_step(X, np.full((30, 1), 1 / 3)), (3, 1))
    for learn in (fit_batch, lambda *a: fit_online(*a, sato2000(30))):
        with pytest.warns(
            ConvergenceWarning, match="all 3 components of the start are identical"
        ):
            assert np.ptp(learn(mixture, X, same).S, axis=0).max() < 1e-9
        learn(mixture, X, same[:1])  # one component has nothing to separate from


@kinds
def test_the_history_of_a_fit(kind):
    """`batch_epochs` and `online_epochs` give what the fits do, epoch by epoch."""
    rng = np.random.default_rng(2)
    *_, X, R, mixture = problem(rng, kind, 2, 30)
    start, w = mixture.m_step(X, R), rng.uniform(0.5, 2, 30)
    fit = fit_batch(mixture, X, start, max_epochs=5, tolerance=0, weights=w)
    states, elbos = zip(*islice(batch_epochs(mixture, X, start, w), 6), strict=True)
    assert (states[-1] == fit.S).all() and (elbos == fit.trace).all()
    assert (states[0] == start).all()
    one, two = np.random.default_rng(3), np.random.default_rng(3)
    fit = fit_online(mixture, X, start, sato2000(30), epochs=4, rng=one, weights=w)
    *_, (S, elbo, schedule) = islice(
        online_epochs(mixture, X, start, sato2000(30), rng=two, weights=w), 5
    )
    assert (S == fit.S).all() and elbo == fit.elbo and schedule == fit.schedule
    close(elbo, mixture.elbo(X, S, w))


@pytest.mark.parametrize("seed", range(10))
def test_a_start_takes_each_of_few_distinct_rows_once(seed):
    rows = np.array([[0.0], [1.0], [2.0], [5.0]])
    X = np.repeat(rows, [1, 1, 30, 1], axis=0)
    mixture, rng = (
        Mixture(IsotropicGaussian([0.0], 1.0, 1.0, 1.0)),
        np.random.default_rng(seed),
    )
    start = init_from_rows(mixture, X, 4, rng, spread=1e-9)
    close(np.sort(start[:, 1] / start[:, 0]), rows[:, 0], atol=1e-6)


@kinds
def test_weights_count_rows_also_in_starts(kind):
    """A start from weighted rows has the statistics of repeated rows; rows of weight 0 have no part
    in it."""
    rng = np.random.default_rng(4)
    *_, X, _, mixture = problem(rng, kind, 2, 30)
    w = rng.integers(0, 4, 30)
    w[:25], X[:25] = 0, X[:25] + 100
    for start in (init_from_rows, init_gaussian):
        S = start(mixture, X, 3, np.random.default_rng(5), weights=w)
        kept = start(mixture, X[25:], 3, np.random.default_rng(5), weights=w[25:])
        close(S, kept)
        close(S[:, 0], w.sum() / 3)
        one = start(mixture, X, 1, np.random.default_rng(5), spread=1.0, weights=w)
        again = start(
            mixture, np.repeat(X, w, axis=0), 1, np.random.default_rng(5), spread=1.0
        )
        close(one[0, 0], again[0, 0])
        if start is init_from_rows:
            close(one, again)
        else:
            exact = Mixture(mixture.family, Dirichlet(0.0), clones=EM)
            (_, (_, ours)), (_, (_, theirs)) = (
                exact.parameters(one),
                exact.parameters(again),
            )
            close(ours, theirs)
    with pytest.raises(ValueError, match="n_components is 6, but X has only"):
        init_from_rows(mixture, X, 6, rng, weights=w)


@pytest.mark.parametrize("run", [run_stream, reference_stream])
def test_what_does_not_fit_never_reaches_compiled_code(run):
    *_, X, R, mixture = problem(np.random.default_rng(6), Isotropic, 2, 20, 3)
    S, rates = mixture.m_step(X, R), np.ones(20)
    run(mixture, S, X, rates, rates)
    for state in (S[:, :3], S[0], np.pad(S, ((0, 0), (0, 1)))):
        with pytest.raises(ValueError, match="the state has shape"):
            run(mixture, state, X, rates, rates)
    for args in (
        (X, rates[1:], rates),
        (X, rates, rates[1:]),
        (X[:, [0, 1, 1]], rates, rates),
    ):
        with pytest.raises(ValueError):
            run(mixture, S, *args)


def test_the_plain_stream_bears_points_far_from_every_component():
    mixture = Mixture(IsotropicGaussian([0.0], 1.0, 1.0, 1.0), Dirichlet(1.0))
    S = mixture.m_step(np.array([[-1.0], [0.0], [1.0]]), np.eye(2)[[0, 1, 1]])
    X, rates = np.array([[1e3], [-1e4]]), np.ones(2)
    close(
        reference_stream(mixture, S, X, rates, rates),
        run_stream(mixture, S, X, rates, rates),
    )


def test_gaussian_starts_have_the_spread_of_the_weighted_data():
    rng = np.random.default_rng(0)
    X, times = rng.normal(3.0, [1.0, 2.0], (60, 2)), rng.integers(0, 4, 60)
    mixture = Mixture(
        NormalWishart.from_pseudo_data([3.0, 3.0], 1.0, 1e-6), Dirichlet(1.0)
    )
    start = init_gaussian(mixture, X, 2, rng, spread=0.25, weights=1e6 * times)
    repeated = np.repeat(X, times, axis=0)
    found = mixture.parameters(start).components.covariance
    expected = 0.25 * repeated.var(axis=0).mean() * np.eye(2)
    np.testing.assert_allclose(
        found, [expected, expected], rtol=1e-4, atol=1e-4
    )  # the prior has little share


def test_a_stream_ends_where_a_component_collapses():
    """Once the start is forgotten a single point is all that it holds."""
    mixture, X = (
        Mixture(IsotropicGaussian([0.0], 1.0, 1.0, 1.0), clones=EM),
        [[1.0], [2.0], [3.0]],
    )
    start = mixture.m_step(X, np.ones((3, 1)))
    for run in (run_stream, reference_stream):
        with pytest.raises(ValueError, match="component 0 has collapsed"):
            run(mixture, start, np.array(X), np.zeros(3), np.ones(3))


def test_a_stream_names_the_data_point_that_no_component_takes():
    """The first is all that is kept, with a gain of 0: then no component has any weight."""
    mixture = Mixture(
        IsotropicGaussian([0.0], 1.0, 1.0, 1.0), Dirichlet(0.0), clones=EM
    )
    X, start = np.array([[1.0], [2.0]]), mixture.m_step([[1.0], [2.0]], np.ones((2, 1)))
    for run in (run_stream, reference_stream):
        with (
            np.errstate(all="ignore"),
            pytest.raises(ValueError, match=r"point 1 .*\[2\.\]"),
        ):
            run(mixture, start, X, np.zeros(2), np.zeros(2))


def test_ascent_stops_where_responsibilities_are_no_numbers():
    theta = np.array([[0.0, 0.0, 0.0]])  # of width 0
    rows = np.ones((2, 1))
    for climb in (run_ascent, plain_ascent):
        assert climb(rows, np.ones(2), theta.copy(), SIGMA) == 0


def test_the_learning_rate_of_what_has_seen_nothing():
    assert (
        accumulation().learning_rate == np.inf and sato2000(9.0).learning_rate == 0.01
    )


def test_an_elbo_that_is_no_number_ends_learning():
    with pytest.raises(ValueError, match="after 1 epochs the ELBO is nan"):
        check_rise([-1.0, np.nan])


def test_without_monitor_there_is_no_trace():
    rng = np.random.default_rng(1)
    *_, X, R, mixture = problem(rng, KINDS[0], 2, 20)
    fit = fit_online(mixture, X, mixture.m_step(X, R), accumulation(), monitor=False)
    assert fit.trace.size == 0
