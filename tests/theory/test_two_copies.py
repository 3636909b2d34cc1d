"""The two-copies calculation against the engine's own bound, and its limit of many data."""

import numpy as np
import pytest
from oracles import close
from scipy.optimize import brentq
from scipy.special import gammaln

from vbkit.families import IsotropicGaussian, KnownCovariance, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import (
    change_of_free_energy,
    critical_concentration,
    free_energy_of_copies,
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
