"""The models through scikit-learn's conventions."""

from vbkit.checks import require

require("sklearn", "sklearn")

from vbkit.own_data.estimators.factorization import VariationalMatrixFactorization
from vbkit.own_data.estimators.hidden_markov import VariationalHMM
from vbkit.own_data.estimators.mixture import VariationalMixture
from vbkit.own_data.estimators.regression import VariationalRegressionMixture
from vbkit.own_data.estimators.storage import load_model, save_model
