"""One copy of a component, two, or both stable: landscapes over the share, and transitions."""

import numpy as np
import pytest
from oracles import close
from scipy.special import expit, gammaln

from vbkit.phases import solve
from vbkit.theory import coexistence, free_energy_of_copies, switch_concentration

SHARES = expit(np.linspace(-23, 23, 277))
COMPONENTS = {
    "centre, D = 1": coexistence.ideal_known(1),
    "centre, D = 1, narrow prior": coexistence.ideal_known(1, 0.5),
    "centre and width, D = 2": coexistence.ideal_isotropic(2),
    "four answers": coexistence.ideal_bernoulli(0, 4, 0.3),
    "centre and covariance, D = 4": coexistence.ideal_full(4),
    "inside and pinned": coexistence.ideal_bernoulli(2, 2, 0.3),
    "inside": coexistence.ideal_bernoulli(4, 0, 0.3),
}


def test_the_state_curve_goes_from_nothing_to_almost_half_of_the_data():
    counts, phi = coexistence.state_curve(coexistence.ideal_known(1), 50.0)
    close(counts[[0, -1]], [1e-25, 0.4999 * 50], rtol=1e-12)
    assert len(counts) == len(phi) == 1500


@pytest.mark.parametrize(("concentration", "found"), [(0.1, [0]), (9.0, [2])])
def test_an_empty_copy_is_a_minimum_where_f_rises_from_it(concentration, found):
    shares = np.array([1e-3, 0.1, 0.5])
    assert (
        coexistence.minima(
            coexistence.ideal_known(1), concentration, 1e3, shares
        ).tolist()
        == found
    )


@pytest.mark.parametrize(
    ("made", "prior", "average", "parameters"),
    [
        (coexistence.ideal_isotropic(2), [0.1, 1, 1], [1, 0, 0, 2], 3),
        (coexistence.ideal_full(2), [0.1, 3, 1, 0, 1], [1, 0, 0, 1, 0, 1], 5),
        (
            coexistence.ideal_bernoulli(1, 2, 0.4),
            [0.4, 0.4, 3],
            [1, 0.3, 1, 1, 0.7, 0, 0],
            1 + 2 * 0.8,
        ),
    ],
)
def test_ideal_components(made, prior, average, parameters):
    """Priors worth a tenth of a data point, of width 1; average data of mean 0 and width 1."""
    close(made.family.packed_hyperparameters, prior)
    close(made.average, average)
    close(made.parameters, parameters)


@pytest.mark.parametrize("name", COMPONENTS)
def test_landscape_of_many_shares_is_that_of_each(name):
    made, phi, N = COMPONENTS[name], 1.7, 1e3
    shares = np.array([1e-5, 0.1, 0.5, 0.9])
    F = [
        free_energy_of_copies(made.family, phi, N * made.average, w)
        for w in [(s, 1 - s) for s in shares] + [(1, 0)]
    ]
    close(
        coexistence.share_landscape(made, phi, N, shares),
        np.array(F[:-1]) - F[-1],
        atol=1e-7,
    )


def test_parameters_count_the_slope_of_the_evidence():
    for name, made in COMPONENTS.items():
        A, S = made.family.log_normalizer, made.average
        slopes = [2 * A(N / 2 * S) - A(N * S) - A(0 * S) for N in (1e6, 1e8)]
        close(
            (slopes[0] - slopes[1]) / np.log(100),
            made.parameters / 2,
            atol=1e-4,
            err_msg=name,
        )


def test_minima_are_the_minima_of_the_landscape():
    for make, phi, N in (
        (coexistence.ideal_known(1), 1.2, 1e3),
        (coexistence.ideal_known(1), 0.6, 1e3),
        (coexistence.ideal_isotropic(2), 2.1, 1e3),
    ):
        F, half = (coexistence.share_landscape(make, phi, N, SHARES), len(SHARES) // 2)
        found = coexistence.minima(make, phi, N, SHARES[: half + 1])
        for i in found:  # the minimum lies between i - 1 and i
            assert (
                F[i - 1 : i + 1].min() < min(F[i - 2], F[i + 1]) + 1e-8
                if i
                else F[0] <= F[1]
            )
        visible = [
            i for i in range(60, half + 1) if F[i] < min(F[i - 1], F[i + 1]) - 1e-9
        ]
        assert set(visible) <= {j for i in found for j in (i - 1, i, i + 1)}


def test_order_of_transition():
    wide, narrow = coexistence.ideal_known(1, 10.0), coexistence.ideal_known(1, 0.5)
    first = coexistence.find_transition(wide, 1e4)
    assert (
        first.copies_spinodal < first.transition < first.empty_spinodal
        and first.jump > 0.49
        and 0 < first.barrier < 0.24
    )
    close(
        first.transition,
        switch_concentration(wide.family, 1e4 * wide.average),
        rtol=2e-3,
    )
    second = coexistence.find_transition(narrow, 1e4)
    assert (
        second.copies_spinodal == second.transition == second.empty_spinodal
        and second.jump == 0
    )
    shares = np.array([0.4, 0.45, 0.499])  # equal shares are best from there on
    for factor, best_is_equal in ((0.99, False), (1.01, True)):
        F = coexistence.share_landscape(
            narrow, factor * second.transition, 1e4, np.append(shares, 0.5)
        )
        assert (F[:-1].min() > F[-1]) == best_is_equal
    loose = coexistence.ideal_known(
        1, 1e3
    )  # whose empty component never stops being a minimum
    third = coexistence.find_transition(loose, 100)
    w = np.append(np.logspace(-12, -1, 50), [0.2, 0.3, 0.4, 0.5])
    lowest = [
        coexistence.share_landscape(loose, third.transition * f, 100, w).min()
        for f in (0.99, 1.01)
    ]
    assert (
        third.empty_spinodal == np.inf
        and lowest[1] < 0 < lowest[0]
        and third.jump == pytest.approx(0.5, abs=1e-3)
    )
    few = coexistence.find_transition(coexistence.ideal_isotropic(1), 1e4)
    assert (
        1 < few.jump * 1e4 < 100
        and few.empty_spinodal > few.transition > few.copies_spinodal
    )


@pytest.mark.parametrize(
    "variance", [5.3, 5.8, 7.0]
)  # log(variance / 2 pi), C, is negative in the first two
def test_the_share_jumps_to_one_half_where_a_few_data_are_better_than_many(variance):
    n = np.logspace(
        -4, 1, 4000
    )  # data of the smaller copy, of endless data, at the limit 1: by hand
    few = 0.5 * np.log1p(variance * n) + n * np.log(n) - n - gammaln(1 + n)
    jump = coexistence.find_transition(coexistence.ideal_known(1, variance), 1e6).jump
    assert (jump > 0.4) == (few.min() < 0.5 * np.log(variance / (2 * np.pi)))


def test_order_against_sweeps_of_the_engine():
    """All rows alike: VB's whole problem is the share. Follow its minimum up and down."""
    made, N = coexistence.ideal_bernoulli(0, 4, 0.3), 100.0
    order, counts = coexistence.find_transition(made, N), N * (np.arange(16) == 15)
    row = N * made.average

    def end(start, a):
        return solve(
            counts,
            np.outer([start, 1 - start], row),
            a,
            0.3,
            max_iterations=20_000,
            tolerance=1e-22,
        ).S[0, :, 0]

    assert (
        end(0.45, order.copies_spinodal * 0.97).min()
        < 1
        < 49.9
        < end(0.45, order.copies_spinodal * 1.03).min()
    )
    assert (
        end(1e-4, order.empty_spinodal * 0.95).min()
        < 1
        < 49
        < end(1e-4, order.empty_spinodal * 1.05).min()
    )
