"""What is exactly known of one component too many: sums over labels, integrals by other rules."""

from itertools import product

import numpy as np
import pytest
from oracles import close
from scipy.integrate import quad
from scipy.special import logsumexp, roots_jacobi
from scipy.stats import norm

from vbkit.families import BetaBernoulli, IsotropicGaussian, KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import log_evidence, redundancy


@pytest.mark.parametrize(
    "family", [KnownCovariance(0.3, 4.0), IsotropicGaussian(0.0, 0.5, 2.0, 1.0)]
)
def test_occupation_by_labels_one_by_one(family):
    X, phi = np.array([[-1.0], [0.2], [0.4], [2.0]]), 0.7
    mixture, T = Mixture(family, Dirichlet(phi)), family.statistics(X)
    log_p, smaller = [], []
    for z in product((0, 1), repeat=4):
        S = np.array([T[np.array(z) == k].sum(axis=0) for k in (0, 1)])
        log_p.append(
            family.log_normalizer(S).sum() + mixture.labels.log_normalizer(S[:, 0])
        )
        smaller.append(min(sum(z), 4 - sum(z)))
    p, smaller = np.exp(np.array(log_p) - logsumexp(log_p)), np.array(smaller)
    found = redundancy.occupation(family, phi, X)
    close(found, [log_evidence(mixture, X, 2), p[smaller > 0].sum(), p @ smaller / 4])


def test_identical_rows_are_the_sum_over_all_labellings():
    family, row = BetaBernoulli(3, 0.4), np.array([1, 0, 1])
    for a in (0.2, 1.0, 5.0):
        close(
            redundancy.occupation_of_identical(family, a, row, 7),
            redundancy.occupation(family, a, np.tile(row, (7, 1))),
        )
    close(redundancy.occupation_of_identical(KnownCovariance(0.0, 2.0), 1.0, [0.8], 5).log_evidence,
          log_evidence(Mixture(KnownCovariance(0.0, 2.0)), np.full((5, 1), 0.8), 2))  # fmt: skip


def test_occupation_refuses_what_it_cannot_sum():
    with pytest.raises(ValueError, match="X has 21 rows"):
        redundancy.occupation(KnownCovariance(0.0, 1.0), 1.0, np.zeros((21, 1)))
    with pytest.raises(ValueError, match="size"):
        redundancy.occupation_of_identical(KnownCovariance(0.0, 1.0), 1.0, [0.0], 0)
    with pytest.raises(ValueError, match="concentration"):
        redundancy.occupation(KnownCovariance(0.0, 1.0), 0.0, np.zeros((2, 1)))


@pytest.mark.parametrize(
    "v, prior, noise",
    [(0.0, 1.0, 1.0), (1.7, 1.0, 1.0), (3.0, 0.5, 0.2), (0.4, 2.0, 1e-4)],
)
def test_product_posterior_by_two_dimensions(v, prior, noise):
    def over_b(
        power,
    ):  # E over a is done by the formula of a product of two normals, over b by adaptive quadrature
        def f(b):
            s = noise + prior * b * b
            return (
                norm.pdf(v, 0, s**0.5)
                * norm.pdf(b, 0, prior**0.5)
                * (v * prior * b * b / s) ** power
            )

        return 2 * sum(
            quad(f, low, high, epsabs=1e-14)[0]
            for low, high in ((0, 0.01), (0.01, 0.3), (0.3, 20))
        )

    mean, evidence = redundancy.product_posterior(v, prior, noise)
    close(
        [mean[0], evidence[0]],
        [over_b(1) / over_b(0), np.log(over_b(0))],
        rtol=1e-6,
        atol=1e-8,
    )
    if noise == 1.0:  # the inner formula too
        a = np.linspace(-9, 9, 1201)
        p = norm.pdf(v, np.outer(a, a), 1) * np.outer(norm.pdf(a), norm.pdf(a))
        sums = p.sum() * (a[1] - a[0]) ** 2, (p * np.outer(a, a)).sum() / p.sum()
        close([np.exp(evidence[0]), mean[0]], sums, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "v, prior, noise", [(200.0, 1.0, 1.0), (-60.0, 0.1, 0.3), (900.0, 2.0, 1e-3)]
)
def test_product_posterior_far_out(v, prior, noise):
    """The mass is where |a| = |b| = sqrt(|v|): adaptive quadrature there, of logs less the top."""
    peak = np.sqrt(abs(v))
    low, high = max(peak - 12 * prior**0.5, 1e-3), peak + 12 * prior**0.5

    def log_p(b):
        return norm.logpdf(v, 0, np.sqrt(noise + prior * b * b)) + norm.logpdf(
            b, 0, prior**0.5
        )

    def p(b):
        return np.exp(log_p(b) - top)

    top = log_p(np.linspace(low, high, 1001)).max()
    fine = {"points": [peak], "epsabs": 0, "epsrel": 1e-11, "limit": 200}
    mass = [
        quad(f, low, high, **fine)[0]
        for f in (p, lambda b: p(b) * v * prior * b * b / (noise + prior * b * b))
    ]
    mean, evidence = redundancy.product_posterior([v, 0.3], prior, noise)
    close(
        [mean[0], evidence[0]],
        [mass[1] / mass[0], top + np.log(2 * mass[0])],
        rtol=1e-9,
    )


def test_pair_evidence_by_another_quadrature_and_by_refinement():
    """Gauss rules of the prior itself: Jacobi for the share, Hermite for each centre."""
    (x, w), (z, q) = (np.polynomial.hermite_e.hermegauss(n) for n in (40, 120))
    share, chance = roots_jacobi(40, 0.5, 0.5)
    share, chance = (share + 1) / 2, chance / chance.sum()
    one, two = z[:, None, None], z[:, None]
    fit_of = np.zeros((120, 120, 40))
    for place, count in zip(x, w / w.sum(), strict=True):
        a, b = one * place - one**2 / 2, two * place - two**2 / 2
        fit_of += count * np.logaddexp(np.log(share) + a, np.log1p(-share) + b)
    q = q / q.sum()
    truth = np.log(np.einsum("i,j,k,ijk", q, q, chance, np.exp(20 * fit_of)))
    close(
        redundancy.pair_log_evidence([20.0], np.array([1.5]), 1.0), [[truth]], atol=3e-6
    )
    fine, finer = (
        redundancy.pair_log_evidence([100.0], np.array([0.25, 2.0]), 10.0, fineness=k)
        for k in (1, 2)
    )
    close(fine, finer, atol=2e-4)


def test_pair_evidence_of_next_to_no_data():
    """The prior alone has the evidence 1, however close to 0 and 1 it puts the weights."""
    concentrations = np.array([0.05, 0.08, 0.25, 0.5, 1.0, 4.0])
    close(redundancy.pair_log_evidence([1e-12], concentrations, 1.0), 0, atol=1e-6)
