"""Three kinds of people or two: the free energy of both readings of an example of the thesis."""

import numpy as np
import pytest
from oracles import close

from vbkit.course import two_readings
from vbkit.families import BetaBernoulli
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import free_energy_terms


@pytest.mark.parametrize(
    "a, b, total", [(1, 0.1, 100), (0.3, 0.3, 1e4), (3.0, 1.4, 50)]
)
def test_path_is_the_free_energy_along_the_ties(a, b, total):
    X = np.array([[1, 1, 0], [0, 1, 1], [0, 1, 0]])
    mixture = Mixture(BetaBernoulli(3, b), Dirichlet(a))

    def F(s):
        R = np.array([[1, 0, 0], [0, 1, 0], [s, 0, 1 - s]])
        return free_energy_terms(mixture, X, R, total * two_readings.SHARES).sum()

    given = np.array([0, 0.2, 0.7, 1])
    ours = two_readings.free_energy_of_ties(a, b, total, given)
    close(ours - ours[0], [F(s) - F(0) for s in given], atol=1e-9)


def test_switch_is_where_both_hard_assignments_cost_the_same():
    b = np.array([0.05, 0.2, 0.4])
    for total in (1e2, 1e6):
        a = two_readings.switch(b, total)
        close(
            two_readings.free_energy_of_ties(a, b, total, 0.0),
            two_readings.free_energy_of_ties(a, b, total, 1.0),
            atol=1e-6 * total**0.5,
        )
    shift = [
        np.log(total) * (two_readings.switch(b, total) - 4 * b) for total in (1e8, 1e10)
    ]
    close(shift[0], shift[1], rtol=0.05)
    assert (shift[0] > 0).all()
