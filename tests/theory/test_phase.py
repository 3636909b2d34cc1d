"""Coefficients and phases: Stirling's formula, brute force over assignments, tables by hand."""

from itertools import combinations_with_replacement

import numpy as np
import oracles
import pytest
from oracles import close
from scipy.special import gammaln

from vbkit.theory import coefficient, phase_lines, predict, theorem

PAIRS = [
    (a, b)
    for a in (0.3, 0.9, 1.7, 2.2, 2.9, 3.6, 5.1, 8.0)
    for b in (0.02, 0.13, 0.31, 0.47, 0.55, 0.9, 2.0)
]
TRUTHS = [(1, 1), (2, 0), (0, 2), (2, 1), (1, 0), (0, 1), (1, 3)]


@pytest.mark.parametrize("a, b", PAIRS[::4])
def test_coefficient_is_what_stirling_leaves(a, b):
    """F_3 + F_4 of (5.3) less its terms of order N, at counts that are powers of N."""
    gamma, K, M = np.array([1, 1, 0.5, 0.7]), 4, 3
    delta = np.array([[1, 0, 0.5], [1, 1, 0.6], [0.5, 0, 0.3], [0.7, 0.4, 0.7]])
    values, logs = [], np.log(10) * np.array([8, 10, 12])
    for log_n in logs:
        n, few = np.exp(gamma * log_n), 0.3 * np.exp(delta * log_n)
        many, N = n[:, None] - few, n.sum()
        free = gammaln(K * a + N) - gammaln(a + n).sum()
        free += (
            gammaln(2 * b + n)[:, None] - gammaln(b + few) - gammaln(b + many)
        ).sum()
        order_n = N * np.log(N) - n @ np.log(n) + (n * np.log(n)) @ np.full(K, M)
        order_n -= (few * np.log(few) + many * np.log(many)).sum()
        values.append(free - order_n)
    close(np.diff(values) / np.diff(logs), coefficient(gamma, delta, a, b), atol=0.02)


def exponents(M, kinds, interior, deterministic, impurity):
    """Exponents of sizes and minorities for redundant components of these kinds, or None."""
    rows = [[1.0] * M for _ in range(interior)] + [
        [impurity] * M for _ in range(deterministic)
    ]
    sizes, depth = [1.0] * len(rows), 0
    for kind in kinds:
        if kind == "cut":
            if not interior or depth == M:
                return None
            rows[0][depth] = 0.0
            rows.append(list(rows[0]))
            depth += 1
        elif kind == "interior":
            if not interior or depth:
                return None
            rows.append([1.0] * M)
        elif kind == "deterministic":
            if not deterministic:
                return None
            rows.append([impurity] * M)
        else:
            rows.append([0.0] * M)
        sizes.append(oracles.EXPONENTS[kind])
    if "small vertex" in kinds and not interior:
        return None
    return np.array(sizes), np.array(rows)


@pytest.mark.parametrize("interior, deterministic", TRUTHS)
@pytest.mark.parametrize("extra", [0, 1, 2, 3])
def test_prediction_is_the_least_of_all_assignments(interior, deterministic, extra):
    """Over every choice of kinds for the redundant components, with the exponents written out."""
    M, K = 5, interior + deterministic + extra
    order = ("empty", "small vertex", "deterministic", "interior", "cut")
    for a, b in PAIRS:
        found = {}
        for kinds in combinations_with_replacement(order, extra):
            for impurity in (0.0, 0.5) if interior else (0.0,):
                made = exponents(M, kinds, interior, deterministic, impurity)
                if made is not None:
                    found[kinds] = min(
                        found.get(kinds, np.inf), coefficient(*made, a, b)
                    )
        phase = predict(M, K, interior, deterministic, a, b)
        close(phase.coefficient, min(found.values()))
        close(found[tuple(sorted(phase.redundant, key=order.index))], phase.coefficient)


def test_values_derived_elsewhere():
    """Coefficients for M = 4 worked out by hand, and where the theorem as printed has others."""
    for truth, K, pair, ours, printed in [
        ((2, 0), 3, (1, 1), 5.5, 5.5), ((2, 0), 3, (3.5, 0.2), 6.4, 5.8),
        ((2, 0), 3, (5, 0.3), 6.6, 6.2),
        ((2, 0), 3, (2, 0.1), 5.95, 5.4), ((1, 1), 2, (1, 1), 5.5, 6.5),
        ((1, 1), 2, (1, 0.8), 5.1, 5.7),
        ((1, 1), 2, (1, 2), 7.5, 10.5), ((1, 1), 2, (1, 0.2), 3.3, 3.3),
        ((0, 2), 3, (4, 1), 12.5, 11.0),
        ((1, 1), 3, (2, 0.1), 3.8, 3.8), ((1, 1), 3, (5, 0.3), 5.4, 5.4),
    ]:  # fmt: skip
        close(predict(4, K, *truth, *pair).coefficient, ours)
        close(theorem(4, K, *truth, *pair).coefficient, printed)
    assert predict(4, 3, 1, 1, 0.7, 10**30) == predict(4, 3, 1, 1, 0.7, 1e30)
    full = predict(2, 4, 1, 0, 3, 0.1)
    close(full.coefficient, 2.3)
    assert full.redundant == ("vertices",) * 3
    close(theorem(2, 4, 1, 0, 3, 0.1).coefficient, 3.1)


@pytest.mark.parametrize("a, b", [pair for pair in PAIRS if pair[1] < 0.5])
def test_theorem_holds_where_both_kinds_of_components_exist(a, b):
    for M, K, interior, deterministic in [(4, 3, 1, 1), (5, 4, 1, 1), (6, 5, 2, 1)]:
        ours, printed = (
            f(M, K, interior, deterministic, a, b) for f in (predict, theorem)
        )
        close(ours.coefficient, printed.coefficient)
        assert ours.redundant == printed.redundant


@pytest.mark.parametrize("truth", [(1, 1), (2, 0), (0, 2)])
@pytest.mark.parametrize("M", [3, 4, 7])
def test_phases_change_on_the_lines_and_nowhere_else(M, truth):
    K, a_max, b_max = sum(truth) + 1, M + 2.0, 2.0
    lines = phase_lines(M, *truth, a_max, b_max)
    for names, ends in lines.items():
        across = np.array([[0, 1], [-1, 0]]) @ (ends[1] - ends[0])
        across *= 1e-3 / np.hypot(*across)
        for share in (0.2, 0.5, 0.9):
            point = ends[0] + share * (ends[1] - ends[0])
            sides = [
                predict(M, K, *truth, *(point + sign * across)) for sign in (1, -1)
            ]
            assert {side.redundant[0] for side in sides} == set(names)
            assert abs(sides[0].coefficient - sides[1].coefficient) < 2e-3 * K * (1 + M)
    rng, inside = np.random.default_rng(0), 0
    for _ in range(300):
        one, other = rng.uniform(0.01, 1, (2, 2)) * [a_max, b_max]
        crossed = sum(crosses(one, other, *ends) for ends in lines.values())
        same = (
            predict(M, K, *truth, *one).redundant
            == predict(M, K, *truth, *other).redundant
        )
        inside += not crossed
        assert same or crossed
        assert not same or crossed != 1
    assert inside > 30


def crosses(p, q, r, s):
    """Whether the segments pq and rs cross."""

    def side(u, v, w):
        return (v[0] - u[0]) * (w[1] - u[1]) - (v[1] - u[1]) * (w[0] - u[0])

    return side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0


def test_example_with_partly_pinned_components():
    """Section 3.3, K = 3: three clusters iff a > (M + 1) b for b < 1/2, a > 1 + (M - 1) b above."""

    def cost(
        *n_components,
    ):  # of each component used, how many of its three coordinates are interior
        delta = np.array(
            [[1.0] * n + [0.0] * (3 - n) for n in n_components]
            + [[0.0] * 3] * (3 - len(n_components))
        )
        return lambda a, b: coefficient(
            [1] * len(n_components) + [0] * (3 - len(n_components)), delta, a, b
        )

    two, three = (
        [cost(1, 0), cost(1, 1)],
        [cost(0, 0, 0), cost(1, 0, 0), cost(1, 1, 0), cost(1, 1, 1)],
    )
    for b in (0.05, 0.2, 0.45, 0.6, 1.3):
        switch = 4 * b if b < 0.5 else 1 + 2 * b
        for a in (switch - 0.01, switch + 0.01):
            best = [min(f(a, b) for f in costs) for costs in (two, three)]
            assert (best[1] < best[0]) == (a > switch)


@pytest.mark.parametrize(
    "name, call",
    [
        ("n_components", lambda: predict(4, 1, 1, 1, 1, 1)),
        ("interior and deterministic", lambda: predict(4, 3, 0, 0, 1, 1)),
        ("interior", lambda: theorem(4, 3, -1, 2, 1, 1)),
        ("dimension", lambda: phase_lines(1, 1, 1, 3, 1)),
        ("concentration is 0", lambda: predict(4, 3, 1, 1, 0, 1)),
        ("pseudo_count is -1", lambda: theorem(4, 3, 1, 1, 1, -1)),
        ("minorities", lambda: coefficient([1, 0.5], [[1, 1], [1, 0]], 1, 1)),
        ("minorities", lambda: coefficient([1.5], [[1]], 1, 1)),
    ],
)
def test_bad_input(name, call):
    with pytest.raises(ValueError, match=name):
        call()


def test_on_a_line_the_theorems_say_what_holds_just_below_it_in_a():
    for a, b in ((2.5, 0.8), (1.5, 0.25)):  # upright and slanted, M = 4
        assert theorem(4, 3, 1, 1, a, b).redundant == ("empty",)
        assert theorem(4, 3, 1, 1, a + 1e-6, b).redundant != ("empty",)


def test_all_vertices_and_none_to_spare():
    a, b, M = 2.0, 0.05, 3
    found = predict(M, 8, 2, 0, a, b)
    assert found.redundant == ("vertices",) * 6
    assert found.coefficient == pytest.approx(8 * a - 0.5 + 8 * (0.5 - a + M * b))


def test_many_components_need_not_all_be_vertices():
    """4 components for 4 patterns: above b = 1/2 vertices cost more than an interior component."""
    assert predict(2, 4, 1, 0, 1.0, 2.0) == (4 - 0.5 + 0.5, ("empty",) * 3)
