"""The numbers and words that functions of the engine take where a user gives none,
as documented."""

import inspect
from importlib import import_module

import pytest

from vbkit.factorization import Factorization
from vbkit.families import BetaBernoulli, LinearRegression
from vbkit.latent import FactorAnalysis, HiddenMarkov
from vbkit.mixture import Mixture

DEFAULTS = {
    "data.ghahramani2000": {"dimension": 1},
    "data.random_clusters": {"dimension": 1},
    "data.sato1999": {"layout": "factorised"},
    "factorization.baselines.fit_map": {"max_sweeps": 1000, "tolerance": 1e-06},
    "factorization.baselines.gibbs": {"burn": 100, "thin": 1},
    "factorization.initialization.init_random": {"offsets": False},
    "factorization.iteration.fit": {
        "learn_prior": True,
        "learn_noise": True,
        "max_sweeps": 1000,
        "tolerance": 1e-06,
        "progress": False,
    },
    "factorization.model.Factorization": {
        "centre": 0.0,
        "trace": (),
        "converged": False,
    },
    "factorization.model.Factorization.predict": {"noise": True},
    "factorization.ratings.held_out_report": {
        "share": 0.1,
        "max_sweeps": 200,
        "progress": False,
    },
    "factorization.ratings.read_ratings": {"repeats": True},
    "factorization.ratings.synthetic_ratings": {
        "users": 943,
        "items": 1682,
        "ratings": 100_000,
        "H": 5,
    },
    "families.bernoulli.BetaBernoulli": {"b": 0.5},
    "families.categorical.DirichletCategorical": {"b": 0.5},
    "families.dirichlet.Dirichlet": {"concentration": 1.0},
    "families.poisson.GammaPoisson": {"shape": 1.0, "rate": 1.0},
    "families.regression.LinearRegression": {
        "precision": 1.0,
        "shape": 1.0,
        "rate": 1.0,
        "common_noise": False,
    },
    "latent.factor_analysis.FactorAnalysis": {"clones": 1.0},
    "latent.hidden_markov.HiddenMarkov": {"clones": 1.0},
    "latent.relevance.Relevance": {"shape": 0.001, "rate": 0.001},
    "learning.batch.Fit": {"epochs": 0, "converged": False},
    "learning.batch.fit_batch": {"max_epochs": 1000, "tolerance": 1e-06},
    "learning.chunks.fit_chunks": {
        "rows": 131072,
        "max_epochs": 1000,
        "tolerance": 1e-06,
        "progress": False,
    },
    "learning.gradient.fit_gradient": {"parametrisation": "sigma", "epochs": 1},
    "learning.hierarchical.fit_hierarchical": {"max_epochs": 1000, "tolerance": 1e-06},
    "learning.hierarchical.fit_hierarchical_online": {"epochs": 1, "every": 1},
    "learning.initialization.init_from_rows": {"spread": 0.3},
    "learning.initialization.init_gaussian": {"spread": 0.3},
    "learning.many.run_many": {"n_jobs": -1, "progress": False},
    "learning.online.fit_online": {"epochs": 1, "monitor": True, "tolerance": 0.0},
    "learning.online.online_epochs": {"monitor": True},
    "learning.schedule.Schedule": {
        "effective_sample_size": 100.0,
        "forgetting_rate": 0.01,
        "decay": 0.01,
    },
    "learning.schedule.sato1999": {"eta0": 0.5, "eps0": 0.01, "gamma": 0.05},
    "learning.schedule.sato2000": {"tau0": 100.0, "kappa": 0.01},
    "learning.schedule.without_discount": {"effective_sample_size": 100.0},
    "mixture.Mixture": {"clones": 1.0},
    "structure.search.Search": {"kind": "split", "exploring": False, "finished": False},
    "structure.search.learn_batch": {"max_epochs": 1000, "tolerance": 0.01},
    "structure.search.learn_online": {
        "max_epochs": 20,
        "tolerance": 0.01,
        "tau0": 100.0,
        "kappa": 0.01,
    },
    "structure.search.run_search": {"attempts": 40},
    "structure.search.start_search": {"min_improvement": 0.1, "candidates": 5},
    "structure.tracking.Tracker": {"effective_sample_size": 500.0, "attempts": 2},
    "theory.bernoulli.generalization_error": {"size": 100000},
    "theory.bernoulli_solver.solve": {"max_iterations": 1000, "tolerance": 1e-10},
    "theory.coexistence.ideal_known": {"prior_variance": 10.0},
    "theory.grid.grid_points": {"points": 51, "low": 0.0, "high": 1.0},
    "theory.redundancy.pair_log_evidence": {"fineness": 1},
    "theory.running_elbo.running_elbo": {"entropy": 0.0},
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults(name):
    module, _, function = f"vbkit.{name}".rpartition(".")
    owner = Factorization if module.endswith("Factorization") else import_module(module)
    parameters = inspect.signature(getattr(owner, function)).parameters
    found = {key: parameters[key].default for key in DEFAULTS[name]}
    assert found == DEFAULTS[name]


def test_weights_starts_and_transitions_are_uniform_and_factors_may_be_irrelevant():
    chain, family = HiddenMarkov(BetaBernoulli(1)), LinearRegression([0.0], [0.0])
    priors = Mixture(BetaBernoulli(1)).weights, FactorAnalysis(family).weights
    for prior in (*priors, chain.starts, chain.transitions):
        assert prior.concentration == 1.0
    relevance = FactorAnalysis(family).relevance
    assert (relevance.shape, relevance.rate) == (0.001, 0.001)
