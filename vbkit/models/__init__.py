"""Models beyond a mixture of one family: factor analysis, and predictions of outputs."""

from vbkit.models.factor_analysis import (
    FactorAnalysis,
    FactorParameters,
    Factors,
    Relevance,
)
from vbkit.models.prediction import Prediction, predict_outputs
