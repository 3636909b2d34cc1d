"""What ties observations to the components of a family, and what learning asks of every such
model."""

from vbkit.models.conditional import Prediction, predict_outputs
from vbkit.models.factor_analysis import FactorAnalysis, FactorParameters, Factors
from vbkit.models.hidden_markov import HiddenMarkov, HiddenMarkovParameters
from vbkit.models.model import EM, Model
from vbkit.models.relevance import Relevance
from vbkit.models.sequences import Sequences
