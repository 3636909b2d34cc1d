"""What ties observations to the components of a family, and what learning asks of every such
model."""

from vbkit.latent.conditional import Prediction, predict_outputs
from vbkit.latent.factor_analysis import FactorAnalysis, FactorParameters, Factors
from vbkit.latent.hidden_markov import HiddenMarkov, HiddenMarkovParameters
from vbkit.latent.model import EM, Model
from vbkit.latent.relevance import Relevance
from vbkit.latent.sequences import Sequences
