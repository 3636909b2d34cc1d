"""The models through scikit-learn's conventions."""

from vbkit.checks import require

require("sklearn", "sklearn")

from vbkit.estimators.factorization import VariationalMatrixFactorization
from vbkit.estimators.hidden_markov import VariationalHMM
from vbkit.estimators.mixture import VariationalMixture
from vbkit.estimators.regression import VariationalRegressionMixture
from vbkit.estimators.storage import load_model, save_model
