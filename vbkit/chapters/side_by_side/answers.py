"""Answers to the exercises of chapter 10, and the mistakes that their checkers recognise."""

import numpy as np
from scipy.special import betaln, gammaln

from vbkit.factorization import kappa, thresholds
from vbkit.families import BetaBernoulli
from vbkit.press.exercises import Exercise
from vbkit.theory import (
    critical_concentration,
    occupation_of_identical,
    switch_concentration,
)


def tax_and_sweeps(inside, pinned, b, phi, N) -> tuple[float, float]:
    """Return the concentration above which a copy of a Bernoulli component pays in the limit, and
    the estimated sweeps until the smaller of two copies, which starts with 40 % of N data, has less
    than one of them at the concentration phi.

    `inside` of its coordinates have a probability between 0 and 1, `pinned` are always the same.
    """
    tax = critical_concentration(inside + 2 * b * pinned)
    return tax, _sweeps(tax, phi, N)


def _sweeps(tax, phi, N) -> float:
    """A gap between two copies grows from N / 5 to N - 2, if at all."""
    return _signed_sweeps(tax, phi, N) if tax > phi else np.inf


def _signed_sweeps(tax, phi, N) -> float:
    return N / (2 * (tax - phi)) * np.log((N - 2) / (0.2 * N))


def share_and_switch(phi, b, M, N) -> tuple[float, float]:
    """Return E[min(n, N - n)] / N under the exact posterior of two components, and the
    concentration at which VB's two equal copies have the F of one beside an empty one.

    The data are N identical rows of M ones.
    """
    family = BetaBernoulli(M, b)
    share = occupation_of_identical(family, phi, np.ones(M), N).smaller
    S = N * family.statistics(np.ones((1, M)))[0]
    return share, switch_concentration(family, S)


def coefficient_gap(phi, b, M) -> float:
    """Return by how much VB's coefficient of log N exceeds that of exact Bayes, for those data."""
    return min(max(phi - M * b, 0.0), 0.5)


def all_pay_one_half(inside, pinned, b, phi, N):
    """You let a pinned coordinate pay one half. It pays b, since its probability is at the edge."""
    tax = (inside + pinned + 1) / 2
    return tax, _sweeps(tax, phi, N)


def without_the_weight(inside, pinned, b, phi, N):
    """You counted the coordinates, but each copy also pays half a data point for its weight."""
    tax = inside / 2 + b * pinned
    return tax, _sweeps(tax, phi, N)


def half_the_interest(inside, pinned, b, phi, N):
    """Your tax is right. But the gap grows by 2 (tax - phi) / N per sweep, since both copies
    lose."""
    tax, sweeps = tax_and_sweeps(inside, pinned, b, phi, N)
    return tax, 2 * sweeps


def dies_before_it_began(inside, pinned, b, phi, N):
    """Your tax is right. But a number of sweeps below zero means that the gap shrinks: this copy
    never dies."""
    tax, _ = tax_and_sweeps(inside, pinned, b, phi, N)
    return tax, _signed_sweeps(tax, phi, N)


def of_the_first(phi, b, M, N):
    """This is the share of the first component, one half by symmetry. Take the smaller one."""
    return 0.5, share_and_switch(phi, b, M, N)[1]


def one_labelling_per_count(phi, b, M, N):
    """You gave each count n the weight of a single labelling. In how many ways can n of N rows be
    chosen?"""
    return _smaller_share(phi, b, M, N, ways=0.0), share_and_switch(phi, b, M, N)[1]


def without_the_answers(phi, b, M, N):
    """You have the weights' prior, but not the answers: each component also has M Beta
    normalisers."""
    return _smaller_share(phi, b, 0, N), share_and_switch(phi, b, M, N)[1]


def the_tax(phi, b, M, N):
    """The share is right. But from the tax on two copies are only stable. They are best later:
    where is their F that of one?"""
    return share_and_switch(phi, b, M, N)[0], M * b + 0.5


def grows_for_ever(phi, b, M):
    """This grows with phi for ever. Once a copy pays for VB as well, its coefficient stops
    rising."""
    return max(phi - M * b, 0.0)


def never_below_zero(phi, b, M):
    """This can become negative. Where an empty component is the best for both, they agree."""
    return min(phi - M * b, 0.5)


def exact_less_vb(phi, b, M):
    """The order is swapped: the question is VB's coefficient minus that of exact Bayes."""
    return -coefficient_gap(phi, b, M)


def _smaller_share(phi, b, M, N, ways=1.0):
    n = np.arange(N + 1)
    log_p = (
        gammaln(phi + n)
        + gammaln(phi + N - n)
        + M * (betaln(b + n, b) + betaln(b + N - n, b))
    )
    log_p -= ways * (gammaln(n + 1) + gammaln(N - n + 1))
    p = np.exp(log_p - log_p.max())
    return float(p @ np.minimum(n, N - n) / p.sum() / N)


exercise_1 = Exercise(
    tax_and_sweeps,
    [
        (0, 4, 0.3, 1.2, 200),
        (2, 2, 0.5, 1.5, 100),
        (4, 0, 0.3, 3.0, 100),
        (3, 5, 1.2, 2.0, 500),
    ],
    mistakes=(
        all_pay_one_half,
        without_the_weight,
        half_the_interest,
        dies_before_it_began,
    ),
    hint="Tax: the weight, and each coordinate. Sweeps: the gap grows from 0.2 N to N - 2.",
    meaning="Below this concentration VB drops a redundant copy, in sweeps proportional to N.",
    further="count the sweeps with the function of section 4.",
)
exercise_2 = Exercise(
    share_and_switch,
    [(4.5, 0.3, 4, 9), (2.0, 0.25, 4, 20), (1.0, 0.3, 3, 200), (3.0, 1.0, 2, 5000)],
    mistakes=(of_the_first, one_labelling_per_count, without_the_answers, the_tax),
    hint="With very large phi and b all labellings weigh the same: what must N = 2 give? And the "
    "switch lies where section 5's two_less_one is zero.",
    meaning="Exact Bayes uses the second component smoothly, and long before VB switches.",
    further="the exact share at VB's switch, for more and more rows.",
)
exercise_3 = Exercise(
    coefficient_gap,
    [(0.5, 0.25, 4), (1.2, 0.25, 4), (2.0, 0.25, 4), (3.0, 0.4, 5), (7.0, 0.4, 5)],
    mistakes=(grows_for_ever, never_below_zero, exact_less_vb),
    hint="It is never negative, and never above one half.",
    meaning="VB loses at most half a data point's worth of log N: the tax for the weight.",
    further="explain the one half from the width of the important terms in your sum.",
)


def pair_switch(L, M) -> tuple[float, float]:
    """Return the singular value, at noise 1, from which on a pair of an L x M table with learned
    priors is better alive than off, and the shrunk value to which the least F jumps there."""
    switch = thresholds((L, M)).keep
    return switch, float(kappa(switch**2, (L, M))) / switch


def alive_but_not_best(L, M):
    """There a pair can live, since F has a second minimum. Alive is better only later, where that
    minimum is below zero."""
    local = thresholds((L, M)).local
    return local, np.sqrt(L * M) / local


def without_shrinking(L, M):
    """Your singular value is right. But VB shrinks it: which gamma hat has the least ratio?"""
    switch, _ = pair_switch(L, M)
    return switch, switch


def one_factor_is_free(L, M):
    """You left out the distance of v from its prior. Both factors pay."""
    r = np.logspace(-3, 4, 100_001)
    shrunk = np.sqrt(r**3 / ((r + L) * (r + M)))
    ratio = (r / 2 + L / 2 * np.log1p(r / L)) / shrunk
    return ratio.min(), shrunk[ratio.argmin()]


exercise_4 = Exercise(
    pair_switch,
    [(20, 30), (1, 1), (10, 40), (50, 60)],
    mistakes=(alive_but_not_best, without_shrinking, one_factor_is_free),
    hint="Compute cost and gamma hat at 10,000 values of r. Which ratio is the least?",
    meaning="The pair jumps, since its ratio is not least at zero.",
    further="compare the jump with half of the singular value, for tables of other shapes.",
    rtol=2e-3,  # values on a grid of r will do
)
