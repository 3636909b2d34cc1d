"""Accumulation is Sato's recursion with a growing total, a batch of what was inferred, and exact
for one component."""

import numpy as np
import pytest
from oracles import close
from scipy.special import digamma, softmax

from tests.benchmarks.online import numpy_pass
from vbkit.course.orders import counts_of_copies
from vbkit.course.stream import make_mixture
from vbkit.data import (
    FIVE_CENTRES,
    FIVE_WEIGHTS,
    FIVE_WIDTHS,
    ghahramani2000,
    random_clusters,
)
from vbkit.families import IsotropicGaussian, NormalGamma, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import (
    ConvergenceWarning,
    accumulation,
    component_prior_means,
    fit_batch,
    fit_online,
    without_discount,
)
from vbkit.mixture import Mixture

pytestmark = pytest.mark.filterwarnings("error")
X, _ = ghahramani2000(400, np.random.default_rng(1))
MEANS = np.random.default_rng(2).uniform(-12, 12, (7, 1))
MIXTURE = Mixture(NormalGamma([0.5], 0.2, 1.5, 0.8), Dirichlet(0.6))
START = component_prior_means(MIXTURE, MEANS)
FIT = fit_online(MIXTURE, X, START, accumulation(), monitor=False)


def test_the_slide_s_updates():
    """Expected parameters, VE step and VM step as printed, with the components' own m_k."""
    alpha, a, b, m, g = (
        0.6 * np.ones(7),
        1.5 * np.ones(7),
        0.8 * np.ones(7),
        MEANS[:, 0],
        0.2 * np.ones(7),
    )
    for y in X[:, 0]:
        log_s = (
            digamma(alpha)
            + 0.5 * (digamma(a) - np.log(b))
            - 0.5 * (a / b * y**2 + 1 / g + m**2 * a / b)
            + a / b * m * y
        )
        s = softmax(log_s)  # the slide's VM step, in its order
        alpha = alpha + s
        a = a + s / 2
        b = b + 0.5 * s * g * (y - m) ** 2 / (g + s)
        m = (g * m + y * s) / (g + s)
        g = g + s
    beta, shape, mean, rate = MIXTURE.family.posterior(FIT.S)
    for ours, slide in (
        (beta, g),
        (shape, a),
        (mean[:, 0], m),
        (rate[:, 0], b),
        (0.6 + FIT.S[:, 0], alpha),
    ):
        close(ours, slide, rtol=1e-8)


def test_the_loop_that_is_timed_is_the_same_algorithm():
    mixture = make_mixture(1, 1.0)
    S = fit_online(
        mixture, X, component_prior_means(mixture, MEANS), accumulation(), monitor=False
    ).S
    close(numpy_pass(X, MEANS), 1 + S[:, 0], rtol=1e-8)


@pytest.mark.parametrize("total", ["growing", "fixed"])
def test_sato_without_discount(total):
    """(3.10), (3.12), (3.13) with lambda = 1: accumulation if T grows with the data, and not if it
    is fixed."""
    mean, S, eta = np.zeros_like(START), START, np.inf
    for tau, t in enumerate(MIXTURE.family.statistics(X), 1):
        r = softmax(MIXTURE.family.expected(S) @ t + MIXTURE.labels.expected(S[:, 0]))
        eta = 1 / (1 + 1 / eta)
        mean = mean + eta * (np.outer(r, t) - mean)
        S = START + (tau if total == "growing" else 400) * mean
    assert np.allclose(S, FIT.S, rtol=1e-11, atol=1e-11) == (total == "growing")
    close(S[:, 0].sum(), 400)  # at the end both stand for as many data


def test_what_was_inferred_at_the_time_adds_up_to_the_state():
    S, R = START, []
    for x in X:
        R.append(MIXTURE.responsibilities(x[None], S)[0])
        S = fit_online(MIXTURE, x[None], S, accumulation(), monitor=False).S
    close(S, FIT.S)
    close(START + MIXTURE.m_step(X, np.array(R)), FIT.S)


@pytest.mark.parametrize("D", [1, 2])
def test_one_component_is_exact_in_any_order(D):
    rng, single = (
        np.random.default_rng(3),
        Mixture(NormalGamma(np.zeros(D), 0.2, 1.5, 0.8)),
    )
    data = rng.normal(size=(50, D))
    batch = fit_batch(single, data, np.zeros((1, 1 + 2 * D))).S
    for _ in range(3):
        close(
            fit_online(
                single,
                data,
                np.zeros((1, 1 + 2 * D)),
                accumulation(),
                rng=rng,
                monitor=False,
            ).S,
            batch,
        )


def test_a_second_pass_counts_the_data_twice_and_a_fixed_total_does_not():
    again = fit_online(MIXTURE, X, START, accumulation(), epochs=2, monitor=False).S
    close([FIT.S[:, 0].sum(), again[:, 0].sum()], [400, 800])
    fixed = fit_online(
        MIXTURE, X, FIT.S, without_discount(400), epochs=2, monitor=False
    ).S
    close(fixed[:, 0].sum(), 400)


@pytest.mark.parametrize("D", [1, 2, 3])
def test_pseudo_statistics_are_prior_means(D):
    """The component with the pseudo-statistics has, after any data, the posterior of a family with
    that prior mean."""
    rng = np.random.default_rng(D)
    means, data, centre = (
        rng.normal(size=(4, D)),
        rng.normal(size=(6, D)),
        rng.normal(size=D),
    )
    kinds = [
        lambda m: NormalGamma(m, 0.3, 1.2, np.arange(1.0, D + 1)),
        lambda m: IsotropicGaussian(m, 0.3, 1.2, 0.9),
        lambda m: NormalWishart(m, 0.3, D + 1.2, np.eye(D) + 0.2),
    ]
    for make in kinds:
        common = make(centre)
        S = component_prior_means(Mixture(common), means) + common.statistics(data).sum(
            0
        )
        assert (S[:, 0] == 6).all()
        for s, m in zip(S, means, strict=True):
            own = make(m)
            direct = (
                own.statistics(data)
                @ own.expected(own.statistics(data).sum(0, keepdims=True))[0]
            )
            close(common.statistics(data) @ common.expected(s[None])[0], direct)


def test_components_with_equal_priors_never_separate():
    with pytest.raises(
        ValueError,
        match="means has only 2 distinct rows for 3 components.*never separate.*spread",
    ):
        component_prior_means(MIXTURE, [[1.0], [2.0], [1.0]])
    with pytest.raises(ValueError, match="means has 2 columns"):
        component_prior_means(MIXTURE, np.zeros((3, 2)))
    same = np.zeros((7, 3))
    with pytest.warns(
        ConvergenceWarning, match="identical.*never separate.*component_prior_means"
    ):
        assert (
            np.ptp(fit_online(MIXTURE, X, same, accumulation()).S, axis=0).max() < 1e-9
        )
    unequal = Mixture(MIXTURE.family, Dirichlet(np.arange(1.0, 8)))  # these do separate
    assert np.ptp(fit_online(unequal, X, same, accumulation()).S[:, 0]) > 1
    fit_online(MIXTURE, X, same[:1], accumulation())


def test_shares_of_components_at_one_place_freeze():
    """All n_k - c grow in proportion, c = (d + 1) / 2 - alpha: the flow against the algorithm, for
    heavy components."""
    rng, begin = np.random.default_rng(5), np.outer([60.0, 20.0, 20.0], [1, 0, 1])
    for alpha in (0.05, 4.0):
        n_components = Mixture(NormalGamma([0.0], 0.1, 1.0, 1.0), Dirichlet(alpha))
        runs = [
            fit_online(
                n_components,
                rng.normal(size=(1000, 1)),
                begin,
                accumulation(),
                monitor=False,
            )
            for _ in range(20)
        ]
        counts = np.mean([run.S[:, 0] for run in runs], axis=0)
        close(counts, counts_of_copies([60, 20, 20], alpha, 2, 1000), rtol=0.01)
        constant = 100 / 1100 * counts
        assert (constant[0] > 60.4) if alpha < 1.5 else (constant[0] < 59.6)


@pytest.mark.parametrize("D", [1, 2])
def test_five_clusters(D):
    points, labels = ghahramani2000(20_000, np.random.default_rng(0), D)
    assert points.shape == (20_000, D) and abs(points).max() < 13
    for k in range(5):
        own = points[labels == k]
        close(own.mean(0), FIVE_CENTRES[D][k], atol=0.1)
        close(
            [own.std(0).mean(), len(own) / 20_000],
            [FIVE_WIDTHS[k], FIVE_WEIGHTS[k]],
            atol=0.03,
        )
    weights, centres, widths = random_clusters(np.random.default_rng(1), D)
    close(weights.sum(), 1)
    gaps = np.linalg.norm(centres[:, None] - centres, axis=2) + 9 * np.eye(5)
    assert (
        centres.shape == (5, D)
        and gaps.min() >= 3
        and abs(centres).max() <= 10
        and (abs(widths - 0.75) <= 0.25).all()
    )


@pytest.mark.parametrize("arguments", [(0,), (2.5,), (10, 3), (10, "1")])
def test_five_clusters_need_sensible_arguments(arguments):
    size, *rest = arguments
    with pytest.raises(ValueError, match="dimension" if rest else "size"):
        ghahramani2000(size, np.random.default_rng(0), *rest)
