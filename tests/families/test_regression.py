"""Linear experts and their predictions: the family's contract, exact evidence, least squares as the
limit, predictions against sums over the joint density."""

import numpy as np
import pytest
from oracles import close
from scipy import stats
from scipy.integrate import trapezoid
from sklearn.linear_model import LinearRegression as LeastSquares

from vbkit.families import (
    IsotropicGaussian,
    KnownCovariance,
    LinearRegression,
    NormalWishart,
    Product,
    check_family,
)
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, fit_online, init_from_rows, sato2000
from vbkit.learning.online import reference_stream, run_stream
from vbkit.mixture import EM, Mixture
from vbkit.models import predict_outputs
from vbkit.structure import run_search, start_search
from vbkit.theory import log_evidence

pytestmark = pytest.mark.filterwarnings("error")


def rows(dx, dy, N=60, seed=0):
    rng = np.random.default_rng(seed)
    x = 3 + rng.normal(size=(N, dx))
    y = 50 + x @ rng.normal(size=(dx, dy)) + 0.5 * rng.normal(size=(N, dy))
    return np.hstack([x, y])


def network(X, dx, **prior):
    """A normalized Gaussian network measured from the mean of its data."""
    mean = X.mean(axis=0)
    gate = NormalWishart(mean[:dx], 0.5, dx + 1.0, np.eye(dx))
    return Product(gate, LinearRegression(mean[:dx], mean[dx:], **prior))


def bent(N=400, seed=1):
    """Outputs on a roof: two lines that meet."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 3, N)
    return np.column_stack([x, 2 - np.abs(x) + 0.1 * rng.normal(size=N)])


@pytest.mark.parametrize(("dx", "dy"), [(1, 1), (2, 1), (1, 2)])
def test_an_expert_with_its_gate_is_a_family(dx, dy):
    X = rows(dx, dy)
    check_family(network(X, dx), X)


def test_one_noise_for_all_outputs_and_a_precision_for_each_weight():
    X = rows(2, 2)
    check_family(network(X, 2, common_noise=True, precision=[0.3, 2.0, 0.1]), X)


def test_an_isotropic_gate_will_do():
    X = rows(2, 1)
    mean = X.mean(axis=0)
    gate = IsotropicGaussian(mean[:2], 1.0, 2.0, 1.0)
    check_family(Product(gate, LinearRegression(mean[:2], mean[2:])), X)


@pytest.mark.parametrize("dy", [1, 2])
def test_the_evidence_is_a_multivariate_student_density(dy):
    X = rows(2, dy, N=7)
    mean = X.mean(axis=0)
    family = LinearRegression(mean[:2], mean[2:], precision=0.7, shape=1.3, rate=0.4)
    S = family.statistics(X).sum(axis=0)
    design = np.column_stack([X[:, :2] - mean[:2], np.ones(7)])
    scale = 0.4 / 1.3 * (np.eye(7) + design @ design.T / 0.7)
    exact = sum(stats.multivariate_t.logpdf(y, np.full(7, m), scale, df=2.6)
                for y, m in zip(X[:, 2:].T, mean[2:], strict=True))  # fmt: skip
    close(
        family.log_normalizer(S) - family.log_normalizer(np.zeros_like(S)),
        exact,
        rtol=1e-10,
    )


def test_one_expert_in_the_em_limit_is_least_squares():
    X = rows(2, 2)
    mixture = Mixture(network(X, 2), Dirichlet(0.0), clones=EM)
    S = mixture.m_step(X, np.ones((len(X), 1)))
    fit = LeastSquares().fit(X[:, :2], X[:, 2:])
    new = rows(2, 2, 5, seed=3)[:, :2]
    found = predict_outputs(mixture, new, S)
    close(found.mean, fit.predict(new), rtol=1e-9)
    residual = X[:, 2:] - fit.predict(X[:, :2])
    close(found.variance, np.tile((residual**2).mean(axis=0), (5, 1)), rtol=1e-9)


@pytest.mark.parametrize("joint", [False, True])
def test_predictions_are_those_of_the_joint_density(joint):
    X = bent(60)
    family = (
        NormalWishart(X.mean(axis=0), 0.5, 4.0, np.eye(2))
        if joint
        else network(X, 1, shape=2)
    )
    mixture = Mixture(family, Dirichlet(1.0))
    S = fit_batch(mixture, X, init_from_rows(mixture, X, 3, np.random.default_rng(1))).S
    y = np.concatenate(
        [-np.geomspace(1e4, 1e-3, 40_000), np.geomspace(1e-3, 1e4, 40_000)]
    )
    for x in (-2.5, 0.1, 4.0):
        p = np.exp(mixture.log_predictive(np.column_stack([np.full(len(y), x), y]), S))
        mean = trapezoid(p * y, y) / trapezoid(p, y)
        variance = trapezoid(p * (y - mean) ** 2, y) / trapezoid(p, y)
        found = predict_outputs(mixture, [[x]], S)
        close([found.mean[0, 0], found.variance[0, 0]], [mean, variance], rtol=2e-4)
        close(found.gate.sum(), 1.0)


def test_a_variance_that_does_not_exist_is_infinite():
    X = rows(1, 1)
    mixture = Mixture(network(X, 1, shape=0.3))
    found = predict_outputs(
        mixture, X[:2, :1], np.zeros((2, mixture.family.n_statistics))
    )
    assert np.isinf(found.variance).all() and np.isfinite(found.mean).all()


@pytest.mark.long
def test_the_elbo_rises_to_a_point_where_it_stands_still():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        dx, dy = rng.integers(1, 3, 2)
        X = rng.normal(size=(rng.integers(8, 40), dx + dy))
        mixture = Mixture(
            network(X, dx, precision=rng.gamma(1.0)), Dirichlet(rng.gamma(1.0) + 0.1)
        )
        R = rng.dirichlet(np.ones(3), len(X))
        trace = fit_batch(
            mixture, X, mixture.m_step(X, R), max_epochs=30, tolerance=0
        ).trace
        assert (np.diff(trace) > -1e-8 * np.abs(trace[:-1]).max()).all()


def test_the_gradient_vanishes_where_learning_ends():
    X = bent(80)
    mixture = Mixture(network(X, 1), Dirichlet(1.0))
    start = init_from_rows(mixture, X, 2, np.random.default_rng(2))
    end = fit_batch(mixture, X, start, max_epochs=20_000, tolerance=1e-13).S

    def slope(S, towards):
        step = 1e-4 * (towards - S)
        return abs(mixture.elbo(X, S + step) - mixture.elbo(X, S - step)) / 2e-4

    rng = np.random.default_rng(3)
    for _ in range(20):
        towards = mixture.m_step(X, rng.dirichlet([1, 1], len(X)))
        assert slope(end, towards) < 1e-3 * slope(start, towards)


def test_the_elbo_is_at_most_the_evidence():
    X = bent(7)
    mixture = Mixture(network(X, 1), Dirichlet(0.5))
    start = init_from_rows(mixture, X, 2, np.random.default_rng(1))
    assert fit_batch(mixture, X, start).elbo <= log_evidence(mixture, X, 2) + 1e-9


def test_a_roof_is_found_and_learned_online():
    X = bent()
    mixture, rng = Mixture(network(X, 1), Dirichlet(1.0)), np.random.default_rng(1)
    one = mixture.m_step(X, np.ones((len(X), 1)))
    best = run_search(start_search(mixture, X, one, rng)).best
    x = np.linspace(-2.8, 2.8, 50)[:, None]
    truth = 2 - np.abs(x)
    error = np.sqrt(np.mean((predict_outputs(mixture, x, best.S).mean - truth) ** 2))
    line = np.sqrt(np.mean((predict_outputs(mixture, x, one).mean - truth) ** 2))
    assert best.n_components >= 2 and error < 0.15 < line
    online = fit_online(mixture, X, best.S, sato2000(len(X)), epochs=5, rng=rng)
    assert abs(online.elbo - best.elbo) < 0.05 * abs(best.elbo)


too_far = np.errstate(over="ignore")(predict_outputs)
BAD = {
    "x.1. is .*too far": lambda: too_far(
        BALL, [[0.0], [1e300]], BALL.m_step(ROWS, np.ones((60, 1)))
    ),
    "the expert's mean_x is": lambda: Product(
        NormalWishart([0.0], 1.0, 2.0, [[1.0]]), LinearRegression([1.0], [0.0])
    ),
    "gate is 3; it must be a Gaussian": lambda: Product(
        3, LinearRegression([1.0], [0.0])
    ),
    "shape is 0": lambda: LinearRegression([0.0], [0.0], shape=0),
    "precision is -1": lambda: LinearRegression([0.0], [0.0], precision=-1),
    "x has 2 columns; it must have 1": lambda: predict_outputs(
        MIXTURE, np.ones((3, 2)), STATE
    ),
    "x has 2 columns; it must have fewer than the 2": lambda: predict_outputs(
        JOINT, np.ones((3, 2)), JOINT.m_step(ROWS, np.ones((60, 1)))
    ),
    "the family is IsotropicGaussian": lambda: predict_outputs(
        Mixture(IsotropicGaussian([0.0, 0], 1.0, 1.0, 1.0)), [[1.0]], np.zeros((1, 4))
    ),
    "the state has shape": lambda: predict_outputs(MIXTURE, [[1.0]], STATE[:, :3]),
}
ROWS = rows(1, 1)
MIXTURE = Mixture(network(ROWS, 1))
STATE = MIXTURE.m_step(ROWS, np.ones((60, 1)))
BALL = Mixture(
    Product(IsotropicGaussian([0.0], 1.0, 1.0, 1.0), LinearRegression([0.0], [0.0]))
)
JOINT = Mixture(NormalWishart([0.0, 0], 1.0, 3.0, np.eye(2)))


@pytest.mark.parametrize("words", BAD)
def test_bad_input(words):
    with pytest.raises(ValueError, match=words):
        BAD[words]()


@pytest.mark.parametrize(("dx", "dy", "common"), [(3, 1, False), (1, 3, True)])
@pytest.mark.parametrize("gated", [True, False])
@pytest.mark.parametrize("clones", [1.0, EM])
def test_the_online_loop_is_the_numpy_loop(dx, dy, common, gated, clones):
    """Experts alone and with a gate, with weights, forgetting, and one component more than a vector
    of eight."""
    X, rng = rows(dx, dy), np.random.default_rng(5)
    family = network(X, dx, precision=np.linspace(0.3, 2, dx + 1), common_noise=common)
    if not gated:
        family = family.expert
    mixture = Mixture(family, Dirichlet(0.0 if clones == EM else 0.7), clones)
    S = mixture.m_step(X, rng.dirichlet(np.full(9, 0.5), len(X)) + 0.5)
    rates = (
        rng.uniform(0.97, 1, len(X)),
        rng.uniform(0, 2, len(X)),
        rng.uniform(0, 2, len(X)),
    )
    ours, slow = (run(mixture, S, X, *rates) for run in (run_stream, reference_stream))
    close(ours, slow, rtol=0, atol=1e-11 * np.abs(slow).max())
    assert mixture.family.compiled_density is not None


def test_an_expert_without_noise_ends_the_stream():
    x = np.linspace(-1, 1, 20)
    X = np.column_stack([x, 2 * x + 1])
    family = LinearRegression(np.zeros(1), np.zeros(1))
    mixture = Mixture(family, Dirichlet(0.0), EM)
    S = mixture.m_step(X, np.ones((20, 1)))
    with pytest.raises(ValueError, match="explains its outputs without noise"):
        run_stream(mixture, S, X, np.ones(20), np.ones(20))


@pytest.mark.parametrize("common", [False, True])
def test_outputs_are_drawn_with_the_moments_of_the_prediction(common):
    X, rng = rows(2, 2, N=12), np.random.default_rng(6)
    mean = X.mean(axis=0)
    family = LinearRegression(mean[:2], mean[2:], 0.5, 3.0, 2.0, common)
    s, x = family.statistics(X).sum(axis=0), X[:3, :2] + 1
    expected, variance = family.conditional(s[None], x)
    y = family.sample_outputs(s, np.repeat(x, 40_000, axis=0), rng).reshape(
        3, 40_000, 2
    )
    error = np.sqrt(variance[0] / 40_000)
    assert (np.abs(y.mean(axis=1) - expected[0]) < 5 * error).all()
    square = (y - expected[0][:, None]) ** 2
    error = square.std(axis=1) / np.sqrt(40_000)
    assert (np.abs(square.mean(axis=1) - variance[0]) < 5 * error).all()


def test_a_network_draws_rows_like_its_own():
    """Draws from what was learned have the moments of the data that it learned from."""
    X = bent(2000)
    mixture = Mixture(network(X, 1), Dirichlet(1.0))
    S = fit_batch(mixture, X, init_from_rows(mixture, X, 4, np.random.default_rng(1))).S
    drawn = mixture.sample(S, 20_000, np.random.default_rng(2))
    for moment in (lambda x: x, lambda x: x**2, lambda x: x[:, 0] * x[:, 1]):
        found, wanted = moment(drawn), moment(X)
        error = np.hypot(
            found.std(axis=0) / 20_000**0.5, wanted.std(axis=0) / 2000**0.5
        )
        assert (np.abs(found.mean(axis=0) - wanted.mean(axis=0)) < 5 * error).all()


def test_the_variance_is_infinite_up_to_two_degrees_of_freedom():
    """2 shape of an expert; nu + 1 - D of rows, and as many more as there are inputs."""
    for shape, infinite in ((0.99, True), (1.0, True), (1.01, False)):
        family = LinearRegression([0.0], [0.0], shape=shape)
        nothing = np.zeros((1, family.n_statistics))
        assert (
            np.isinf(family.conditional(nothing, np.ones((1, 1)))[1]).all() == infinite
        )
        joint = Mixture(NormalWishart([0.0, 0.0], 1.0, 2 * shape, np.eye(2)))
        found = predict_outputs(joint, [[1.0]], np.zeros((1, joint.n_statistics)))
        assert np.isinf(found.variance).all() == infinite


def test_a_gate_without_compiled_code_leaves_the_network_without():
    class Plain(NormalWishart):
        compiled_density = None

    gate, expert = Plain([0.0], 1.0, 1.0, np.eye(1)), LinearRegression([0.0], [0.0])
    assert Product(gate, expert).compiled_density is None


def test_an_infinite_variance_of_a_component_out_of_reach_does_not_count():
    family = Product(
        KnownCovariance([0.0], 1.0), LinearRegression([0.0], [0.0], shape=0.5)
    )
    X = np.array([[0.0, 1.0]] * 10 + [[1e6, 1.0]])
    mixture, R = Mixture(family), np.zeros((11, 2))
    R[:10, 0], R[10, 1] = 1, 0.01
    S = mixture.m_step(X, R)
    near, far = (
        predict_outputs(mixture, [[0.0]], S),
        predict_outputs(mixture, [[1e4]], S),
    )
    assert near.gate[0, 1] == 0 and np.isfinite(near.variance).all()
    assert far.gate[0, 0] == 0 and np.isinf(far.variance).all()


def test_stacked_states_are_packed_as_each_by_itself():
    family = LinearRegression(np.zeros(2), np.zeros(3))
    S = np.random.default_rng(1).normal(size=(4, 5, family.n_statistics))
    close(family.pack(*family.unpack(S)), S)
