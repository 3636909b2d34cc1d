"""The models through scikit-learn's conventions."""

try:
    import sklearn  # noqa: F401
except ImportError as error:
    message = "vbkit.estimators needs scikit-learn: pip install 'vbkit[sklearn]'"
    raise ImportError(message) from error

from vbkit.estimators.factorization import VariationalMatrixFactorization
from vbkit.estimators.mixture import VariationalMixture
from vbkit.estimators.storage import load_model, save_model
