"""The two-copies calculation against the engine's own bound, and its limit of many data."""

import numpy as np
import pytest
from oracles import close
from scipy.optimize import brentq
from scipy.special import betaln, gammaln
from scipy.stats import norm

from vbkit.families import (
    BetaBernoulli,
    IsotropicGaussian,
    KnownCovariance,
    NormalWishart,
)
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import (
    change_of_free_energy,
    coexistence,
    critical_concentration,
    free_energy_of_copies,
    gain_of_halves,
    prior_constant,
    slope_in_share,
    stationary_concentration,
    switch_concentration,
    switch_concentrations,
)

RING = np.sqrt(2) * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
FAMILIES = {
    3: IsotropicGaussian(np.zeros(2), 0.7, 1.2, 0.6),
    5: NormalWishart(np.zeros(2), 0.7, 3.1, np.eye(2)),
}


@pytest.mark.parametrize("d", FAMILIES)
@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.25, 0.25, 0.25, 0.25], [1.0]])
def test_equal_shares_give_the_engine_s_bound(d, shares):
    mixture = Mixture(FAMILIES[d], Dirichlet(0.8))
    data = mixture.observe(RING, weights=np.full(4, 10.0))
    S = mixture.m_step(data, np.ones((4, 1)))[0]
    bound = mixture.elbo(
        data, np.outer(shares, S)
    )  # equal shares are a fixed point of the responsibilities
    assert free_energy_of_copies(FAMILIES[d], 0.8, S, shares) == pytest.approx(
        -bound, rel=1e-12
    )


@pytest.mark.parametrize("d", FAMILIES)
@pytest.mark.parametrize("phi", [0.5, 2.0, 7.0])
def test_engine_and_exact_form_approach_the_formula_like_1_over_n(d, phi):
    mixture, shares, errors = Mixture(FAMILIES[d], Dirichlet(phi)), [0.3, 0.7], []
    for N in (1e4, 1e6):
        data = mixture.observe(RING, weights=np.full(4, N / 4))
        S = mixture.m_step(data, np.ones((4, 1)))[0]
        engine = mixture.elbo(data, np.outer([0.5, 0.5], S)) - mixture.elbo(
            data, np.outer(shares, S)
        )
        F = [
            free_energy_of_copies(FAMILIES[d], phi, S, w) for w in (shares, [0.5, 0.5])
        ]
        formula = change_of_free_energy(shares, d, phi)
        errors.append([abs(engine - formula), abs(F[0] - F[1] - formula)])
        assert (
            engine - (F[0] - F[1]) < 1e-7
        )  # the engine also chooses the best responsibilities
    few, many = np.array(errors)
    assert (many < 1e-3).all() and (many < 0.02 * few + 1e-7).all()


def test_more_copies_and_the_slope_in_log_n():
    shares, one = (
        np.array([0.1, 0.2, 0.3, 0.4]),
        FAMILIES[3].statistics(RING).mean(axis=0),
    )
    F = [
        free_energy_of_copies(FAMILIES[3], 0.5, 1e7 * one, w)
        for w in (shares, np.full(4, 0.25))
    ]
    assert F[0] - F[1] == pytest.approx(change_of_free_energy(shares, 3, 0.5), abs=1e-4)
    pays = [
        free_energy_of_copies(FAMILIES[3], 0.5, N * one, [0.5, 0.5])
        - free_energy_of_copies(FAMILIES[3], 0.5, N * one, [1.0, 0.0])
        for N in (1e6, 1e7)
    ]
    assert (pays[1] - pays[0]) / np.log(10) == pytest.approx(
        critical_concentration(3) - 0.5, abs=1e-4
    )


def test_sign_decides_who_dies():
    assert critical_concentration(3) == 2.0
    assert (
        change_of_free_energy([0.1, 0.9], 3, 1.9)
        < 0
        < change_of_free_energy([0.1, 0.9], 3, 2.1)
    )
    assert change_of_free_energy([0.5, 0.5], 3, 1.0) == 0


def ideal(M, N):
    """A component in M dimensions, prior variance 10, and N data with the moments of N(0, I)."""
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * M)).reshape(M, -1).T
    return (
        KnownCovariance(np.zeros(M), 10.0),
        corners,
        np.full(len(corners), N / len(corners)),
    )


@pytest.mark.parametrize("M", [1, 2, 4])
@pytest.mark.parametrize("phi", [0.5, 1.0, 2.0, 4.0])
def test_slope_in_log_n_of_duplicate_against_empty_component(M, phi):
    """(M + 1) / 2 - phi within .02, by the engine's own bound: N from 1e4 to 1e9."""
    costs, sizes = [], np.array([1e4, 1e5, 1e6, 1e7, 1e8, 1e9])
    for N in sizes:
        family, X, w = ideal(M, N)
        mixture = Mixture(family, Dirichlet(phi))
        S = mixture.m_step(X, np.ones((len(X), 1)), w)[0]
        empty, duplicate = (
            mixture.elbo(X, np.outer(shares, S), w) for shares in ([1, 0], [0.5, 0.5])
        )
        costs.append(empty - duplicate)
    assert abs(np.polyfit(np.log(sizes), costs, 1)[0] - ((M + 1) / 2 - phi)) < 0.02


@pytest.mark.parametrize("M", [1, 2, 4])
@pytest.mark.parametrize("prior_variance", [1.0, 10.0])
def test_switch_at_finite_n(M, prior_variance):
    """Where Stirling's formula puts it; its limit; on either side of it F prefers another."""
    family, one, places = (
        KnownCovariance(np.zeros(M), prior_variance),
        np.eye(M + 1)[0],
        [],
    )
    for N in (1e5, 1e7, 1e9):

        def cost(phi, N=N):
            n_components = (
                M / 2 * np.log(prior_variance / 4)
                + gammaln(phi)
                + (2 * phi - 1) * np.log(2)
            )
            return (
                ((M + 1) / 2 - phi) * np.log(N) + n_components - 0.5 * np.log(2 * np.pi)
            )

        places.append(switch_concentration(family, N * one))
        assert places[-1] == pytest.approx(brentq(cost, 0.1, 9), abs=20 / N + 1e-6)
        for phi, sign in ((places[-1] * 0.99, 1), (places[-1] * 1.01, -1)):
            F = [
                free_energy_of_copies(family, phi, N * one, w)
                for w in ([0.5, 0.5], [1, 0])
            ]
            assert sign * (F[0] - F[1]) > 0
    limit = np.polyfit(1 / np.log([1e5, 1e7, 1e9]), places, 2)[-1]
    assert (
        abs(limit - critical_concentration(M))
        < 0.02
        < abs(places[0] - critical_concentration(M))
        or M == 1
    )


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: critical_concentration(0), "parameters is 0"),
        (lambda: change_of_free_energy([0.5, 0.6], 3, 1.0), "shares is"),
        (
            lambda: change_of_free_energy([0.0, 1.0], 3, 1.0),
            "every copy must have a share > 0",
        ),
        (
            lambda: free_energy_of_copies(FAMILIES[3], 1.0, np.ones((2, 4)), [1.0]),
            "S has shape",
        ),
        (
            lambda: switch_concentration(KnownCovariance(0.0, 1e6), np.array([2.0, 0])),
            "S holds 2 data",
        ),
        (lambda: switch_concentration(FAMILIES[3], np.ones((2, 4))), "S has shape"),
        (
            lambda: free_energy_of_copies(FAMILIES[3], -1.0, np.ones(4), [1.0]),
            "concentration is -1.0",
        ),
        (
            lambda: free_energy_of_copies(FAMILIES[3], 1.0, np.ones(4), [-0.5, 1.5]),
            "shares is",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("phi", [1.03e-6, 0.97e6])
def test_switches_are_found_up_to_the_stated_ends(phi):
    size = 30.0
    labels = gammaln(phi + size) + gammaln(phi) - 2 * gammaln(phi + size / 2)
    found = switch_concentrations([labels - size * np.log(2)], size)
    assert found == pytest.approx([phi], rel=1e-3)


def test_switches_are_looked_for_from_a_millionth_to_a_million():
    def gains(phi, size=30.0):
        labels = gammaln(phi + size) + gammaln(phi) - 2 * gammaln(phi + size / 2)
        return labels - size * np.log(2)

    phi = np.array([0.95e-6, 1.05e-6, 0.95e6, 1.05e6])
    close(
        switch_concentrations(gains(phi), 30.0), [0, phi[1], phi[2], np.inf], rtol=1e-3
    )


MADE = {
    "known": coexistence.ideal_known(2),
    "isotropic": coexistence.ideal_isotropic(1),
    "full": coexistence.ideal_full(2),
    "bernoulli": coexistence.ideal_bernoulli(2, 2, 0.3),
}


@pytest.mark.parametrize("name", MADE)
def test_slope_is_the_derivative_of_the_free_energy(name):
    made, N, h = MADE[name], 60.0, 1e-6
    S, shares = N * made.average, np.array([0.02, 0.2, 0.45, 0.7])
    for phi in (0.3, 2.0, 9.0):
        F = [
            [
                free_energy_of_copies(made.family, phi, S, [w + e, 1 - w - e])
                for w in shares
            ]
            for e in (h, -h)
        ]
        close(
            slope_in_share(made.family, phi, S, shares),
            (np.array(F[0]) - F[1]) / (2 * h * N),
            rtol=1e-5,
            atol=1e-7,
        )


@pytest.mark.parametrize("name", MADE)
def test_the_slope_vanishes_at_the_stationary_concentration(name):
    made, N = MADE[name], 500.0
    shares = np.array([1e-6, 1e-3, 0.01, 0.1, 0.3, 0.499])
    found = stationary_concentration(made.family, N * made.average, shares)
    for w, phi in zip(shares, found, strict=True):
        if phi < np.inf:
            assert (
                abs(slope_in_share(made.family, phi, N * made.average, [w])[0]) < 1e-9
            )
            low, high = (
                slope_in_share(made.family, phi * f, N * made.average, [w])[0]
                for f in (0.99, 1.01)
            )
            assert high < 0 < low  # more concentration draws towards equal shares
        else:
            assert slope_in_share(made.family, 1e8, N * made.average, [w])[0] > 0
    close(found[-1], (made.parameters + 1) / 2, rtol=0.03)


def test_where_no_concentration_makes_f_stationary():
    made, share = coexistence.ideal_known(4), [1e-4]
    assert stationary_concentration(made.family, 100 * made.average, share)[0] == np.inf
    assert all(
        slope_in_share(made.family, phi, 100 * made.average, share)[0] > 0
        for phi in (1e-8, 1.0, 1e8)
    )


def test_stationary_shares_are_fixed_points_of_the_engine():
    made, N = coexistence.ideal_bernoulli(0, 3, 0.4), 200.0
    row = made.average * N
    for w in (0.01, 0.2, 0.4):
        (phi,) = stationary_concentration(made.family, row, [w])
        mixture = Mixture(made.family, Dirichlet(phi))
        data = mixture.observe(np.ones((1, 3)), [N])
        close(
            mixture.e_step(data, np.outer([w, 1 - w], row)).S,
            np.outer([w, 1 - w], row),
            rtol=1e-8,
        )


def test_prior_constant_is_laplace_s():
    for D, variance in ((1, 10.0), (3, 0.7)):
        c = D / 2 * np.log(2 * np.pi) + norm.logpdf(0, 0, variance**0.5) * D
        made = coexistence.ideal_known(D, variance)
        close(prior_constant(made.family, 1e7 * made.average, D), c, atol=1e-5)
    b, b2, p = 1.3, 0.6, 0.3  # Beta density over the root of the Fisher information
    c = (
        -betaln(b, b2)
        + (b - 0.5) * np.log(p)
        + (b2 - 0.5) * np.log(1 - p)
        + 0.5 * np.log(2 * np.pi)
    )
    S = 1e7 * np.array([1, p, 1 - p])
    close(prior_constant(BetaBernoulli(1, b, b2), S, 1), c, atol=1e-5)
    shape, rate, count = 2.5, 1.7, 0.4  # mean and precision 1: information diag(1, 1/2)
    c = (
        np.log(2 * np.pi)
        + norm.logpdf(0, 0, count**-0.5)
        + shape * np.log(rate)
        - gammaln(shape)
        - rate
        + np.log(2) / 2
    )
    family = IsotropicGaussian(np.zeros(1), count, shape, rate)
    close(prior_constant(family, 1e7 * np.array([1, 0, 1.0]), 2), c, atol=1e-5)


@pytest.mark.parametrize("name", MADE)
def test_the_box(name):
    made, N = MADE[name], 1e6
    c = prior_constant(made.family, N * made.average, made.parameters)
    for phi in (0.4, 2.0, 6.0):
        F = [
            free_energy_of_copies(made.family, phi, N * made.average, w)
            for w in ([0.5, 0.5], [1.0, 0.0])
        ]
        box = (
            ((made.parameters + 1) / 2 - phi) * np.log(N / 4)
            + gammaln(phi)
            - 0.5 * np.log(2 * np.pi)
            - c
        )
        assert abs(F[0] - F[1] - box) < 1e-3


@pytest.mark.parametrize("share", [[0.0], [1.0], [-0.1, 0.5], "a"])
def test_bad_shares_are_named(share):
    with pytest.raises(ValueError, match="share"):
        slope_in_share(MADE["known"].family, 1.0, MADE["known"].average, share)
    for shares in ([0.5], [0.3, 0.6]):
        with pytest.raises(ValueError, match="below 1/2"):
            stationary_concentration(
                MADE["known"].family, MADE["known"].average, shares
            )


@pytest.mark.skipif(
    np.finfo(np.longdouble).max <= np.finfo(float).max, reason="no longer floats here"
)
def test_longer_floats_that_a_float64_does_not_hold_are_refused():
    S = np.array([1, 0.1], np.longdouble) * np.longdouble("1e400")
    family = KnownCovariance([0.0], 2.0, [[1.0]])
    with pytest.raises(ValueError, match="every number must be finite"):
        gain_of_halves(family, S)
