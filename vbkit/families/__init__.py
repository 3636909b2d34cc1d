"""Conjugate families: one short file each (see `vbkit.families.base` for what a family is)."""

from vbkit.families.base import Family, variance_floor
from vbkit.families.dirichlet import Dirichlet
from vbkit.families.isotropic_gaussian import IsotropicGaussian
from vbkit.families.normal_gamma import NormalGamma
from vbkit.families.normal_wishart import NormalWishart

__all__ = ["Dirichlet", "Family", "IsotropicGaussian", "NormalGamma", "NormalWishart", "variance_floor"]
