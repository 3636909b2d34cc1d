"""Conjugate families: one short file each (see `vbkit.families.base` for what a family
is)."""

from vbkit.families.base import Family
from vbkit.families.bernoulli import BetaBernoulli
from vbkit.families.categorical import DirichletCategorical
from vbkit.families.columns import Columns
from vbkit.families.contract import check_family
from vbkit.families.gaussian import variance_floor
from vbkit.families.known_covariance import KnownCovariance
from vbkit.families.normal_gamma import IsotropicGaussian, NormalGamma
from vbkit.families.normal_wishart import NormalWishart
from vbkit.families.poisson import GammaPoisson
from vbkit.families.product import Product
from vbkit.families.regression import LinearRegression
