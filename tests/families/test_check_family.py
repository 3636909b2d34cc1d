"""`check_family` accepts right families and says of a wrong one what is wrong; a family of your own
gets everything."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import digamma, gammaln, logsumexp

from vbkit.families import (
    BetaBernoulli,
    DirichletCategorical,
    Family,
    IsotropicGaussian,
    KnownCovariance,
    NormalGamma,
    NormalWishart,
    check_family,
)
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_batch, fit_online, init_from_rows
from vbkit.mixture import EM, Mixture

pytestmark = pytest.mark.filterwarnings("error")


@dataclass(frozen=True, eq=False)
class Exponential(Family):
    """x > 1 with density rate exp(-rate (x - 1)), rate ~ Gamma(shape, inverse scale): data may be
    neither 1 nor 0."""

    shape: float = 2.0
    inverse_scale: float = 1.5
    dimension = 1

    def check_data(self, X):
        X = super().check_data(X)
        if (X <= 1).any():
            raise ValueError(f"X reaches {X.min()}; it must be greater than 1")
        return X

    def statistics(self, X):
        assert (X > 1).all()
        return np.column_stack([np.ones(len(X)), -(X[:, 0] - 1)])

    def log_normalizer(self, S):  # t = (1, 1 - x), theta = (log rate, rate)
        a, b = self.shape + S[..., 0], self.inverse_scale - S[..., 1]
        return gammaln(a) - a * np.log(b)

    def expected(self, S):
        a, b = self.shape + S[:, 0], self.inverse_scale - S[:, 1]
        return np.stack([digamma(a) - np.log(b), a / b], axis=1)

    def sample(self, s, size, rng):
        rate = rng.gamma(self.shape + s[0], 1 / (self.inverse_scale - s[1]), (size, 1))
        return 1 + rng.exponential(1 / rate)


RNG = np.random.default_rng(0)
POSITIVE = 1 + RNG.exponential(2.0, (40, 1))
PLANE = RNG.standard_normal((40, 2)) @ [[1.0, 0.5], [0, 0.3]] + 3
BITS = RNG.random((40, 5)) < 0.3
GAUSSIANS = [
    NormalWishart([2.0, 2.0], 0.5, 3.0, np.eye(2)),
    IsotropicGaussian([2.0, 2.0], 0.5, 2.0, 1.0),
    NormalGamma([2.0, 2.0], 0.5, 2.0, 1.0),
    KnownCovariance([2.0, 2.0], 4.0, [[1.0, 0.5], [0.5, 0.4]]),
]


@pytest.mark.parametrize("family", GAUSSIANS)
def test_the_gaussian_families_pass(family):
    check_family(family, PLANE)


def test_columns_that_are_the_same_are_no_reason_for_alarm():
    check_family(GAUSSIANS[0], np.column_stack([PLANE[:, 0], PLANE[:, 0]]))


@pytest.mark.parametrize("distance", [1.0, 30.0])
def test_data_far_from_the_prior_mean_are_no_reason_for_alarm(distance):
    rng = np.random.default_rng(2)
    groups = 3 * rng.standard_normal((3, 2))[np.arange(300) % 3]
    X = groups + rng.standard_normal((300, 2)) + distance
    check_family(KnownCovariance([0.3, 0.3], 2.0, 0.4 * np.eye(2) + 0.1), X)


def test_bernoulli_and_one_of_your_own_pass():
    check_family(BetaBernoulli(5, 0.4, 0.8), BITS)
    check_family(BetaBernoulli(5, 0.4, 0.8, np.float64), BITS)
    check_family(Exponential(), POSITIVE)


def wrong(**methods):
    return type("Wrong", (Exponential,), methods)()


def halved(self, S):
    W = Exponential.expected(self, S)
    W[:, 0] /= 2
    return W


WRONG = {
    "the first column of statistics must be 1": wrong(
        statistics=lambda self, X: Exponential.statistics(self, X) * [2, 1]
    ),
    "the statistics of a row depend on the other rows": wrong(
        statistics=lambda self, X: (
            Exponential.statistics(self, X) + [0, X.mean() if X.size else 0]
        )
    ),
    "expected is not the gradient of log_normalizer": wrong(expected=halved),
    "log_predictive.* must .* be the difference of log-normalisers": wrong(
        log_predictive=lambda self, S, X: Exponential.log_predictive(self, S, X) - 0.01
    ),
    "the predictive density adds up to (1.9|2).*not to 1": wrong(
        log_base=lambda self, X: np.full(len(X), np.log(2))
    ),
    "the predictive density adds up to .*check_data lets impossible data pass": wrong(
        check_data=Family.check_data,
        statistics=lambda self, X: np.column_stack(
            [np.ones(len(X)), -abs(X[:, 0] - 1)]
        ),
    ),
    "draws from sample do not have the moments": wrong(
        sample=lambda self, s, size, rng: 1 + rng.exponential(3.0, (size, 1))
    ),
    "log_normalizer must map": wrong(
        log_normalizer=lambda self, S: np.atleast_1d(
            Exponential.log_normalizer(self, S)
        )
    ),
    "log_base must be None or of shape": wrong(
        log_base=lambda self, X: np.zeros((len(X), 1))
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_a_wrong_family_is_told_what_is_wrong(message):
    with pytest.raises(ValueError, match=rf"^Wrong: .*{message}"):
        check_family(WRONG[message], POSITIVE)


def test_an_elbo_that_falls_is_found_though_every_part_passes_alone():
    """A gradient that is right at the states where it is tested, and wrong elsewhere."""

    class Wrong(Exponential):
        def expected(self, S):
            W = Exponential.expected(self, S)
            return W if S[:, 0].sum() != 40 else W * [0.5, 1]

    with pytest.raises(
        ValueError,
        match="the batch ELBO is .* in epoch ., after .*; it must never fall",
    ):
        check_family(Wrong(), POSITIVE)


def test_bad_arguments():
    with pytest.raises(ValueError, match="family is 3; it must be a Family"):
        check_family(3, POSITIVE)
    with pytest.raises(ValueError, match="X has 9 rows"):
        check_family(Exponential(), POSITIVE[:9])
    with pytest.raises(ValueError, match="greater than 1"):
        check_family(Exponential(), POSITIVE - 1)


@pytest.mark.parametrize("method", ["statistics", "log_normalizer", "expected"])
def test_a_missing_method_is_named(method):
    class Empty(Family):
        dimension = 1

    with pytest.raises(NotImplementedError, match=f"Empty does not define {method}"):
        getattr(Empty(), method)(np.ones((2, 2)))


def test_a_family_without_sampler_says_so():
    class Silent(Exponential):
        sample = Family.sample

    check_family(Silent(), POSITIVE)
    with pytest.raises(NotImplementedError, match="Silent does not define sample"):
        Mixture(Silent()).sample(np.ones((1, 2)), 3, RNG)


def test_data_that_may_not_be_one():
    """`statistics` is evaluated at rows of data only: batch, online, EM, prediction and sampling of
    such a family."""
    mixture = Mixture(Exponential(), Dirichlet(0.7))
    start = init_from_rows(mixture, POSITIVE, 2, np.random.default_rng(1))
    fit = fit_batch(mixture, POSITIVE, start)
    assert np.diff(fit.trace).min() > -1e-10
    online = fit_online(mixture, POSITIVE, start, accumulation())
    assert online.S[:, 0].sum() == pytest.approx(80)
    a, b, n = 2 + fit.S[:, 0], 1.5 - fit.S[:, 1], fit.S[:, 0]
    log_lomax = np.log(a / b) - (a + 1) * np.log1p((POSITIVE - 1) / b)
    exact = logsumexp(log_lomax, axis=1, b=(0.7 + n) / (1.4 + 40))
    np.testing.assert_allclose(
        mixture.log_predictive(POSITIVE, fit.S), exact, rtol=1e-9
    )
    assert (mixture.sample(fit.S, 50, RNG) > 1).all()
    em = Mixture(Exponential(), Dirichlet(0.0), clones=EM)
    assert np.isfinite(fit_batch(em, POSITIVE, start).elbo)
    weights, (natural,) = em.parameters(start)
    np.testing.assert_allclose(natural[:, 1], -start[:, 0] / start[:, 1])


WHOLE = np.random.default_rng(3).integers(0, 3, (50, 1))
SCALES = np.random.default_rng(4).standard_normal((100, 3)) * [0.001, 1, 1000]


@pytest.mark.parametrize(
    ("family", "X"),
    [
        (NormalGamma([0.0], 1.0, 1.0, 1.0), WHOLE),  # whole numbers, but a Gaussian's
        (NormalWishart.from_pseudo_data(np.zeros(3), SCALES.var(), 1.0), SCALES),
        (
            NormalWishart([0.0, 0.0], 1.0, 2.0, np.eye(2)),
            np.column_stack([np.ones(50), WHOLE]),
        ),
    ],
    ids=["whole numbers", "a prior far wider than a column", "a constant column"],
)
def test_unusual_data_are_no_reason_for_alarm(family, X):
    check_family(family, X)


@pytest.mark.parametrize(
    ("shortcut", "message"),
    [
        ("value", "value_and_gradient must be"),
        ("gradient", "value_and_gradient must be"),
        ("block", "block_statistics must be"),
        ("shape of the block", "block_statistics must be"),
        ("shape of the density", "log_predictive.* must have shape"),
    ],
)
def test_a_wrong_shortcut_is_named(shortcut, message):
    class Wrong(KnownCovariance):
        def value_and_gradient(self, S):
            value, gradient = super().value_and_gradient(S)
            return value + (shortcut == "value"), gradient * (
                2 if shortcut == "gradient" else 1
            )

        def block_statistics(self, X):
            T = self.statistics(X) * (2 if shortcut == "block" else 1)
            return T[:1] if shortcut == "shape of the block" else T

        def log_predictive(self, S, X):
            rows = super().log_predictive(S, X)
            return rows[..., None] if shortcut == "shape of the density" else rows

    with pytest.raises(ValueError, match=message):
        check_family(Wrong([2.0, 2.0], 4.0), PLANE)


def test_a_unit_of_the_data_is_no_origin():
    """A hyperparameter that the statistics depend on, but not as a point from which they begin."""

    @dataclass(frozen=True, eq=False)
    class InUnits(Exponential):
        unit: float = 2.0

        def statistics(self, X):
            return Exponential.statistics(self, X) / [1.0, self.unit]

        def log_base(self, X):
            return np.full(len(X), -np.log(self.unit))

        def sample(self, s, size, rng):
            return 1 + self.unit * (Exponential.sample(self, s, size, rng) - 1)

    check_family(InUnits(), POSITIVE)


@dataclass(frozen=True, eq=False)
class Counts(Family):
    """Independent Poisson columns, whose rates are gamma variables (0.5, 0.3)."""

    dimension: int = 1
    base: float = 1.0

    def check_data(self, X):
        X = super().check_data(X)
        if (X < 0).any() or (X % 1 != 0).any():
            raise ValueError("X must be whole numbers >= 0")
        return X

    def statistics(self, X):
        return np.column_stack([np.ones(len(X)), X])

    def log_normalizer(self, S):
        a, b = 0.5 + S[..., 1:], 0.3 + S[..., :1]
        return (gammaln(a) - a * np.log(b)).sum(axis=-1)

    def expected(self, S):
        a, b = 0.5 + S[:, 1:], 0.3 + S[:, :1]
        return np.column_stack([-(a / b).sum(axis=1), digamma(a) - np.log(b)])

    def log_base(self, X):
        return -self.base * gammaln(X + 1).sum(axis=1)


@dataclass(frozen=True, eq=False)
class Forgetful(Family):
    """A unit Gaussian measured from a centre of its own, which it may forget to state as origin."""

    centre: float = 1.0
    states: bool = False
    dimension = 1

    @property
    def origin(self):
        return np.full(1, self.centre if self.states else 0.0)

    def statistics(self, X):
        return np.column_stack([np.ones(len(X)), X[:, 0] - self.centre])

    def log_normalizer(self, S):
        return 0.5 * (S[..., 1] ** 2 / (1 + S[..., 0]) - np.log(1 + S[..., 0]))

    def expected(self, S):
        m, v = S[:, 1] / (1 + S[:, 0]), 1 / (1 + S[:, 0])
        return np.column_stack([-0.5 * (m**2 + v), m])

    def log_base(self, X):
        return -0.5 * ((X[:, 0] - self.centre) ** 2 + np.log(2 * np.pi))


def test_check_family_asks_for_the_origin():
    rows = RNG.normal(size=(40, 1))
    check_family(Forgetful(states=True), rows)
    with pytest.raises(ValueError, match="Forgetful: .*`origin` must be centre"):
        check_family(Forgetful(), rows)


def test_check_family_asks_for_the_origin_in_the_plane():
    class Careless(IsotropicGaussian):
        origin = np.zeros(2)

    with pytest.raises(ValueError, match="Careless: .*`origin` must be mean"):
        check_family(Careless([1.0, 2.0], 1.0, 2.0, 1.0), PLANE)


def test_check_family_sums_counts_on_a_line():
    x = RNG.poisson(3.0, (40, 1))
    check_family(Counts(), x)
    with pytest.raises(ValueError, match="adds up to"):
        check_family(Counts(base=0.9), x)


def test_check_family_sums_counts_in_several_dimensions():
    rows = RNG.poisson([3.0, 9.0], (200, 2)).astype(float)
    check_family(Counts(2), rows)
    with pytest.raises(ValueError, match="the predictive density adds up to"):
        check_family(Counts(2, base=0.9), rows)


def test_check_family_tries_the_compiled_density():
    class Wrong(IsotropicGaussian):
        packed_hyperparameters = np.array([1.0, 2.0, 3.0])

    with pytest.raises(ValueError, match="Wrong: compiled_density"):
        check_family(Wrong([0, 0], 1.0, 2.0, 1.0), PLANE)


# ---- bounded data, rows with a fixed total, and what is left out ----


class Power(Family):
    """x in (0, 1) with the density a x^(a - 1), a ~ Gamma(1, 1)."""

    dimension = 1

    def statistics(self, X):
        return np.column_stack([np.ones(len(X)), np.log(X[:, 0])])

    def log_base(self, X):
        return -np.log(X[:, 0])

    def log_normalizer(self, S):
        shape = 1 + S[..., 0]
        return gammaln(shape) - shape * np.log(1 - S[..., 1])

    def expected(self, S):
        shape = 1 + S[:, 0]
        rate = 1 - S[:, 1]
        return np.stack([digamma(shape) - np.log(rate), shape / rate], axis=1)

    def check_data(self, X):
        X = super().check_data(X)
        if not ((X > 0) & (X < 1)).all():
            raise ValueError("X must lie between 0 and 1")
        return X


@pytest.mark.parametrize("first", [0.2, 0.7])
def test_bounded_data_pass_whichever_row_is_first(first):
    X = np.concatenate([[[first]], RNG.beta(3, 1, (40, 1))])
    assert check_family(Power(), X) == []

    class Wrong(Power):
        def log_base(self, X):
            return 0.1 + Power.log_base(self, X)

    with pytest.raises(ValueError, match=r"adds up to 1\.(0[89]|1)"):
        check_family(Wrong(), X)


class Multinomial(Family):
    """Rows of three counts that add up to `total`."""

    dimension = 3

    def __init__(self, total=6, base=0.0, draw="well", em=1.0):
        self.total = total
        self.base = base
        self.draw = draw
        self.em = em

    def statistics(self, X):
        return np.column_stack([np.ones(len(X)), X])

    def log_base(self, X):
        return self.base + gammaln(self.total + 1) - gammaln(X + 1).sum(axis=1)

    def log_normalizer(self, S):
        counts = 1 + S[..., 1:]
        return gammaln(counts).sum(axis=-1) - gammaln(counts.sum(axis=-1))

    def expected(self, S):
        counts = 1 + S[:, 1:]
        if self.em != 1 and S.max() > 1e20:
            counts = counts**self.em
        mean = digamma(counts) - digamma(counts.sum(axis=1))[:, None]
        return np.column_stack([np.zeros(len(S)), mean])

    def check_data(self, X):
        X = super().check_data(X)
        if (X < 0).any() or (X % 1).any() or (X.sum(axis=1) != self.total).any():
            raise ValueError(
                f"each row of X must hold whole numbers of total {self.total}"
            )
        return X

    def sample(self, s, size, rng):
        if self.draw == "one row":
            return np.tile([2.0, 2.0, 2.0], (size, 1))
        chances = rng.dirichlet(1 + s[1:], size)
        if self.draw == "impossible":
            return chances
        return rng.multinomial(self.total, chances).astype(float)


THREE = RNG.multinomial(6, [0.5, 0.3, 0.2], 40)


def test_rows_of_a_fixed_total_are_judged_by_how_often_they_are_drawn():
    assert check_family(Multinomial(), THREE) == []
    wrong = "draws from sample do not come as often as the predictive density says"
    with pytest.raises(ValueError, match=r"adds up to 1\.[12]|" + wrong):
        check_family(Multinomial(base=0.2), THREE)
    with pytest.raises(ValueError, match="do not have the moments|" + wrong):
        check_family(Multinomial(draw="one row"), THREE)
    with pytest.raises(ValueError, match="sample draws impossible rows"):
        check_family(Multinomial(draw="impossible"), THREE)


def test_the_em_limit_is_tried():
    with pytest.raises(
        ValueError, match="no maximum of the likelihood in the EM limit"
    ):
        check_family(Multinomial(em=0.5), THREE)


def test_what_is_left_out_is_said():
    same = np.column_stack([PLANE[:, 0], np.full(len(PLANE), 2.0)])
    said = check_family(GAUSSIANS[0], same)
    assert "The sum over all data was left out: a column is constant." in said
    assert any("EM limit was left out: component 0 has" in each for each in said)


def test_parts_of_the_wrong_kind_are_named():
    class Nowhere(Power):
        dimension = None

    class Forgetful(Power):
        def check_data(self, X):
            super().check_data(X)

    class Flatter(Power):
        def log_normalizer(self, S):
            if S.ndim != 2:
                raise ValueError("S must be (K, P)")
            return Power.log_normalizer(self, S)

    X = RNG.beta(3, 1, (40, 1))
    for family, words in (
        (Nowhere(), "dimension is None; it must be a whole number"),
        (Forgetful(), "check_data must return the data"),
        (Flatter(), "log_normalizer must map .*S must be"),
    ):
        with pytest.raises(ValueError, match=words):
            check_family(family, X)


def test_all_rows_of_categories_are_summed_so_that_a_small_error_is_found():
    class Wrong(DirichletCategorical):
        log_predictive = Family.log_predictive

        def log_base(self, X):
            return np.full(len(X), 1e-4)

    X = np.random.default_rng(1).integers([2, 3], size=(30, 2)).astype(float)
    check_family(DirichletCategorical((2, 3), 1.0), X)
    with pytest.raises(ValueError, match="the predictive density adds up to 1, not"):
        check_family(Wrong((2, 3), 1.0), X)
