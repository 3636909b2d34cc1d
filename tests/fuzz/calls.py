"""What is called: each maker gives a function and good arguments by their names."""

import numpy as np

from vbkit import (
    binary,
    data,
    factorization,
    families,
    learning,
    phases,
    structure,
    theory,
)
from vbkit.labels import MarkovChain
from vbkit.mixture import EM, Mixture
from vbkit.models import FactorAnalysis, Relevance, predict_outputs
from vbkit.press.ledger import rules

MAKERS = {}
N_NOISE = 0.3


def maker(function):
    MAKERS[function.__name__] = function
    return function


def pick(rng, choices):
    choices = list(choices)
    return choices[rng.integers(len(choices))]


# ---- good parts ----


def family_arguments(rng, D):
    mean, a, b, c = np.zeros(D), *rng.uniform(0.2, 4, 3)
    A = rng.normal(size=(D, D))
    scatter = A @ A.T + np.eye(D)
    return {
        families.NormalWishart: {
            "mean": mean,
            "mean_count": a,
            "degrees_of_freedom": D + b,
            "scatter": scatter,
        },
        families.NormalGamma: {
            "mean": mean,
            "mean_count": a,
            "shape": b,
            "rate": np.full(D, c),
        },
        families.IsotropicGaussian: {
            "mean": mean,
            "mean_count": a,
            "shape": b,
            "rate": c,
        },
        families.KnownCovariance: {
            "mean": mean,
            "prior_variance": a,
            "covariance": scatter,
        },
        families.BetaBernoulli: {"dimension": D, "b": a},
        families.GammaPoisson: {"dimension": D, "shape": a, "rate": b},
        families.DirichletCategorical: {"levels": (3,) * D, "b": a},
        families.LinearRegression: {
            "mean_x": mean,
            "mean_y": np.zeros(1),
            "precision": a,
        },
    }


def rows(rng, family, N):
    """Data (N, D) that the family is meant for."""
    D = family.dimension
    X = rng.normal(size=(N, D)) + 3 * rng.integers(0, 3, (N, 1))
    if isinstance(family, families.BetaBernoulli):
        return (X > 2).astype(pick(rng, (float, np.uint8, bool)))
    if isinstance(family, families.DirichletCategorical | families.GammaPoisson):
        return rng.integers(0, 3, (N, D)).astype(pick(rng, (float, np.int64)))
    return X


def problem(rng, model=None, kind=None):
    """A model, its data and a state of K components."""
    D, K, N = rng.integers(1, 4), rng.integers(1, 5), pick(rng, (2, 5, 20, 60))
    settings = family_arguments(rng, D)
    kind = kind or pick(rng, settings)
    family = kind(**settings[kind])
    clones = pick(rng, (1.0, 1.0, 1.0, 3.0, EM))
    X = rows(rng, family, N)
    model = (model or pick(rng, (Mixture, Mixture, hidden_markov)))(
        family, clones=clones
    )
    return model, X, np.array(model.m_step(X, rng.dirichlet(np.ones(K), N)))


def hidden_markov(family, clones=1.0):
    return Mixture(family, MarkovChain(), clones)


def searchable(rng):
    model, X, S = problem(rng, Mixture)
    return Mixture(model.family), X, S


def schedule_of(rng, total):
    makers = (learning.sato2000, learning.sato1999, learning.without_discount)
    return pick(rng, [*(f(float(total)) for f in makers), learning.accumulation()])


def matrix(rng):
    L, M = rng.integers(1, 8, 2)
    V = rng.normal(size=(L, M))
    if rng.random() < N_NOISE:
        V.flat[1:][rng.random(V.size - 1) < 0.3] = np.nan  # at least one is known
    return V


def full_matrix(rng):
    return np.nan_to_num(matrix(rng), nan=0.5)


def shape(rng):
    return tuple(int(n) for n in rng.integers(1, 30, 2))


# ---- families, models ----


@maker
def family(rng):
    return pick(rng, family_arguments(rng, rng.integers(1, 4)).items())


@maker
def pseudo_data(rng):
    kind = pick(
        rng, (families.NormalWishart, families.IsotropicGaussian, families.GammaPoisson)
    )
    D = rng.integers(1, 4)
    if kind is families.GammaPoisson:
        return kind.from_pseudo_data, {
            "mean": rng.uniform(1, 2, D),
            "count": rng.uniform(0.1, 3),
        }
    return kind.from_pseudo_data, {"mean": np.zeros(D), "variance": 2.0, "count": 1.5}


@maker
def gaussian_state(rng):
    D, K = rng.integers(1, 4), rng.integers(1, 4)
    kind = pick(
        rng, (families.NormalWishart, families.KnownCovariance, families.NormalGamma)
    )
    made = kind(**family_arguments(rng, D)[kind])
    counts, centres = rng.uniform(0, 9, K), rng.normal(size=(K, D))
    return made.state, {"counts": counts, "centres": centres, "covariances": np.eye(D)}


@maker
def mixture(rng):
    model, X, S = problem(rng)
    pseudo = np.zeros(S.shape[1] if isinstance(model, Mixture) else model.n_statistics)
    settings = {
        "family": model.family,
        "clones": model.clones,
        "pseudo_statistics": pseudo,
    }
    return type(model), settings


@maker
def dirichlet(rng):
    return families.Dirichlet, {"concentration": pick(rng, (1.5, rng.uniform(0, 3, 4)))}


@maker
def model_method(rng):
    model, X, S = problem(rng)
    data = {"X": X, "S": S}
    names = "e_step elbo responsibilities log_predictive".split()
    name = pick(
        rng,
        [*names, "sample", "parameters", "divergence", "m_step", "observe", "ratio"],
    )
    R = rng.dirichlet(np.ones(3), len(X))
    given = {
        "sample": {"S": S, "size": 5, "rng": np.random.default_rng(1)},
        "parameters": {"S": S},
        "divergence": {"S": S},
        "m_step": {"X": X, "R": R},
        "observe": {"X": X},
        "ratio": {"S": S},
    }
    if name == "sample" and isinstance(model.family, families.LinearRegression):
        name = "parameters"
    weighted = (
        {"weights": rng.uniform(0.1, 2, len(X))} if isinstance(model, Mixture) else {}
    )
    if name in ("e_step", "elbo", "m_step", "observe") and rng.random() < 0.5:
        return getattr(model, name), given.get(name, data) | weighted
    method = getattr(model, "log_normalizer_ratio" if name == "ratio" else name)
    return method, given.get(name, data)


@maker
def responsibilities_elbo(rng):
    model, X, S = problem(rng, Mixture)
    return model.elbo_of_responsibilities, {
        "X": X,
        "R": rng.dirichlet(np.ones(2), len(X)),
    }


@maker
def path(rng):
    model, X, S = problem(rng, hidden_markov)
    return pick(rng, (model.path, model.log_predictive)), {"X": X, "S": S}


@maker
def sequences(rng):
    model, X, S = problem(rng, hidden_markov)
    return model.observe, {"X": X, "lengths": pick(rng, (2, np.array([1, len(X) - 1])))}


@maker
def factor_analysis(rng):
    (D, K), Q = rng.integers(1, 4, 2), int(rng.integers(0, 3))
    X, family = (
        rng.normal(size=(20, D)),
        families.LinearRegression(np.zeros(Q), np.zeros(D)),
    )
    settings = {
        "relevance": pick(rng, (None, Relevance(1.0, 0.5))),
        "clones": pick(rng, (1.0, EM)),
    }
    model = FactorAnalysis(family, **settings)
    S, R = (
        np.array(model.m_step(X, rng.dirichlet(np.ones(K), 20))),
        rng.dirichlet(np.ones(2), 20),
    )
    data = {"X": X, "S": S}
    return pick(rng, [
        (FactorAnalysis, {"family": family} | settings),
        (model.m_step, {"X": X, "R": R}),
        *((f, data) for f in (model.e_step, model.elbo, model.log_predictive, model.factors)),
        *((f, {"S": S}) for f in (model.parameters, model.n_relevant, model.divergence)),
        (model.sample, {"S": S, "size": 5, "rng": np.random.default_rng(1)}),
        (learning.fit_batch, {"mixture": model, "X": X, "start": S, "max_epochs": 5}),
    ])  # fmt: skip


@maker
def experts(rng):
    D, K = rng.integers(1, 4, 2)
    known = family_arguments(rng, D)
    gates = families.NormalWishart, families.NormalGamma, families.IsotropicGaussian
    gate = (kind := pick(rng, gates))(**known[kind])
    expert = families.LinearRegression(**known[families.LinearRegression])
    model = Mixture(family := families.Product(gate, expert))
    X, x = rng.normal(size=(20, D + 1)), rng.normal(size=(5, D))
    S = np.array(model.m_step(X, rng.dirichlet(np.ones(K), 20)))
    start = {"mixture": model, "X": X, "start": S}
    return pick(rng, [
        (type(family), {"gate": gate, "expert": expert}),
        (predict_outputs, {"mixture": model, "x": x, "S": S}),
        (predict_outputs, {"mixture": model, "x": x, "S": S}),
        (model.log_predictive, {"X": X, "S": S}),
        (learning.fit_batch, start | {"max_epochs": 5}),
        (learning.fit_online, start | {"schedule": schedule_of(rng, 20), "epochs": 1}),
    ])  # fmt: skip


# ---- learning ----


@maker
def batch(rng):
    model, X, start = problem(rng)
    rest = {"max_epochs": 5, "tolerance": 1e-6}
    return learning.fit_batch, {"mixture": model, "X": X, "start": start, **rest}


@maker
def weighted_batch(rng):
    model, X, start = problem(rng, Mixture)
    weights = rng.uniform(0, 2, len(X))
    return learning.fit_batch, {
        "mixture": model, "X": X, "start": start, "weights": weights, "max_epochs": 5
    }  # fmt: skip


@maker
def online(rng):
    model, X, start = problem(rng)
    schedule = schedule_of(rng, len(X))
    rest = {"epochs": 2, "rng": pick(rng, (None, np.random.default_rng(1)))}
    given = {"mixture": model, "X": X, "start": start, "schedule": schedule}
    return learning.fit_online, given | rest


@maker
def chunks(rng):
    model, X, start = problem(rng, Mixture)
    source = pick(rng, (X, [X[: len(X) // 2], X[len(X) // 2 :]]))
    rest = {"rows": 7, "max_epochs": 4, "tolerance": 1e-6}
    return learning.fit_chunks, {
        "mixture": model,
        "source": source,
        "start": start,
        **rest,
    }


@maker
def start(rng):
    gaussian = pick(rng, (families.NormalWishart, families.NormalGamma))
    function = pick(rng, (learning.init_from_rows, learning.init_gaussian))
    model, X, S = problem(rng, Mixture, gaussian)
    given = {
        "mixture": model,
        "X": X,
        "n_components": 2,
        "rng": np.random.default_rng(1),
    }
    return function, given | {"spread": 0.5}


@maker
def uniform_start(rng):
    model, X, S = problem(rng, Mixture, families.NormalWishart)
    rest = {"n_components": 3, "total": 50.0, "rng": np.random.default_rng(2)}
    return learning.init_uniform, {"mixture": model, **rest}


@maker
def prior_means(rng):
    model, X, S = problem(rng, Mixture, families.NormalWishart)
    return learning.component_prior_means, {"mixture": model, "means": X[:3]}


@maker
def gradient(rng):
    D, K = rng.integers(1, 4), rng.integers(1, 4)
    weights, centres = rng.dirichlet(np.ones(K)), rng.normal(size=(K, D))
    given = {"X": rng.normal(size=(20, D)), "weights": weights, "centres": centres}
    rest = {"widths": np.ones(K), "schedule": learning.sato2000(20.0)}
    names = "sigma", "variance", "log variance"

    def run(**settings):
        fit = learning.fit_gradient(**settings)
        return fit if fit.diverged is None else fit.weights[: fit.diverged]

    return run, given | rest | {"parametrisation": pick(rng, names)}


@maker
def schedule(rng):
    options = {
        learning.sato2000: {"total": 10.0, "tau0": 20.0, "kappa": 0.1},
        learning.sato1999: {"total": 10.0, "eta0": 0.5, "eps0": 0.01, "gamma": 0.05},
        learning.reciprocal: {"total": 10.0, "eta0": 0.5, "gamma": 0.1},
        learning.without_discount: {"total": 10.0, "memory": 3.0},
        learning.sato2000(9.0).rates: {"n": 5},
        learning.Schedule: {"memory": 5.0, "forgetting_rate": 0.1, "decay": 0.0},
    }
    return pick(rng, options.items())


# ---- structure ----


@maker
def search(rng):
    model, X, start = searchable(rng)
    beta = pick(rng, (None, 0.5))
    settings = {"prior": model, "X": X, "start": start, "rng": np.random.default_rng(1)}

    def run(attempts, **settings):
        found = structure.run_search(structure.start_search(**settings), attempts)
        return found.best, found.base.S

    return run, settings | {"beta": beta, "min_improvement": 0.1, "attempts": 3}


@maker
def moves(rng):
    model, X, S = searchable(rng)
    stats = structure.responsibility_statistics(model, X, S)
    options = [
        (structure.merge, {"stats": stats, "first": 0, "second": 1}),
        (structure.delete, {"stats": stats, "components": [0]}),
        (structure.split, {"stats": stats, "component": 0}),
        (structure.responsibility_statistics, {"mixture": model, "X": X, "S": S}),
        (structure.init_by_splits, {"mixture": model, "X": X, "n_components": 2}),
    ]
    return pick(rng, options)


@maker
def tracker(rng):
    model, X, S = searchable(rng)

    def run(X, **settings):
        after = structure.track(structure.Tracker(**settings), X)
        return after.S, after.elbo

    given = {"prior": model, "S": S, "rng": np.random.default_rng(1)}
    return run, given | {"X": X, "memory": 30.0, "attempts": 1}


# ---- factorization ----


@maker
def factorize(rng):
    V, H = matrix(rng), int(rng.integers(0, 4))
    f = factorization.init_random(
        V, H, np.random.default_rng(1), offsets=rng.random() < 0.3
    )
    options = [
        (factorization.fit, {"V": V, "start": f, "max_sweeps": 5, "tolerance": 1e-6}),
        (factorization.fit_map, {"V": V, "start": f, "max_sweeps": 5}),
        (factorization.elbo, {"V": V, "f": f}),
        (f.predict, {"rows": [0], "cols": [0]}),
        (factorization.gibbs, {"V": V, "start": f, "draws": 3,
                               "rng": np.random.default_rng(1), "burn": 2, "thin": 1}),
    ]  # fmt: skip
    return pick(rng, options)


@maker
def factors(rng):
    V = matrix(rng)
    settings = {"prior_a": 1.0, "prior_b": rng.uniform(0.1, 2, 2), "noise": 0.5}
    if rng.random() < 0.5:
        given = {
            "V": V,
            "H": 2,
            "rng": np.random.default_rng(1),
            "offsets": bool(rng.random() < 0.5),
        }
        return factorization.init_random, given | settings
    return factorization.init_spectral, {"V": full_matrix(rng), "H": 2} | settings


@maker
def analytic(rng):
    V = full_matrix(rng)
    options = [
        (
            factorization.solve_fixed,
            {"V": V, "prior_a": 1.0, "prior_b": 2.0, "noise": 0.5},
        ),
        (factorization.solve_empirical, {"V": V, "noise": 0.5}),
        (factorization.solve_empirical, {"V": V, "H": 2}),
        (factorization.estimate_noise, {"V": V}),
        (factorization.free_energy_of_noise, {"V": V, "noise": rng.uniform(0.1, 2, 3)}),
    ]
    return pick(rng, options)


@maker
def shrinkage(rng):
    gamma = rng.uniform(0, 20, 4)
    f, prior = factorization, {"prior_a": rng.uniform(0.1, 2, 4), "prior_b": 1.0}
    options = [
        (f.thresholds, {"shape": shape(rng)}),
        (f.shrink_empirical, {"gamma": gamma, "shape": shape(rng), "noise": 1.0}),
        (f.shrink_fixed, {"gamma": gamma, "shape": shape(rng), "noise": 1.0} | prior),
        (f.fixed_threshold, {"strength": 2.0, "shape": shape(rng)}),
        (f.fixed_landscape, {"shrunk": gamma, "strength": 1.0, "shape": shape(rng)}),
        (f.learned_landscape, {"kappa": gamma, "gamma": 3.0, "shape": shape(rng)}),
    ]
    return pick(rng, options)


@maker
def entries(rng):
    rows, cols = np.divmod(rng.permutation(20)[:8], 5)
    given = {"rows": rows, "cols": cols, "values": rng.normal(size=8), "shape": (4, 5)}
    return pick(
        rng,
        [
            (factorization.ObservedEntries, given),
            (factorization.validate, {"V": matrix(rng)}),
        ],
    )


# ---- theory ----


@maker
def evidence(rng):
    model, X, S = problem(rng, Mixture)
    return theory.log_evidence, {
        "mixture": Mixture(model.family),
        "X": X[:5],
        "n_components": 2,
    }


@maker
def bits(rng):
    M, K = rng.integers(1, 4), rng.integers(1, 4)
    truth = binary.Truth(rng.dirichlet(np.ones(K)), rng.random((K, M)))
    X, _ = truth.sample(20, rng)
    R = rng.dirichlet(np.ones(2), 20)
    model = Mixture(families.BetaBernoulli(M))
    options = [
        (binary.Truth, {"weights": truth.weights.copy(), "means": truth.means.copy()}),
        (binary.pattern_counts, {"X": X}),
        (binary.binary_vectors, {"dimension": M}),
        (theory.free_energy_terms, {"mixture": model, "X": X, "R": R}),
        (
            theory.generalization_error,
            {"mixture": model, "S": model.m_step(X, R), "truth": truth},
        ),
        (phases.structured_starts, {"truth": truth, "n_components": 2, "total": 50.0}),
    ]
    return pick(rng, options)


@maker
def solutions(rng):
    starts = rng.uniform(0, 5, (3, 2, 5))
    given = {
        "counts": rng.uniform(0, 9, 4),
        "starts": starts,
        "a": 0.5,
        "b": rng.uniform(0.1, 2, 3),
    }
    return phases.solve, given | {"max_iterations": 30, "tolerance": 1e-8}


@maker
def phase_predictions(rng):
    given = {
        "dimension": 4,
        "n_components": 3,
        "interior": 1,
        "deterministic": 1,
        "a": 0.7,
        "b": 0.5,
    }
    return pick(rng, (theory.predict, theory.theorem)), given


@maker
def copies(rng):
    D = rng.integers(1, 4)
    made = families.KnownCovariance(np.zeros(D), 2.0)
    s = np.append(10.0, rng.normal(size=D))
    base = {"family": made, "S": s}
    options = [
        (theory.gain_of_halves, base),
        (theory.switch_concentration, base),
        (theory.slope_in_share, base | {"concentration": 1.0, "share": 0.3}),
        (
            theory.free_energy_of_copies,
            base | {"concentration": 1.0, "shares": [0.3, 0.7]},
        ),
        (theory.stationary_concentration, base | {"share": np.array([0.1, 0.4])}),
        (theory.switch_concentrations, {"gains": rng.uniform(0, 3, 3), "size": 30.0}),
        (theory.entropy, {"p": rng.dirichlet(np.ones(4))}),
    ]
    return pick(rng, options)


@maker
def running(rng):
    model, X, S = problem(rng, Mixture)
    given = {"mixture": Mixture(model.family), "X": X[:5], "start": S, "entropy": 0.0}
    return learning.running_elbo, given | {"schedule": learning.sato2000(9.0)}


@maker
def occupancy(rng):
    made = families.KnownCovariance(np.zeros(1), 2.0)
    options = [
        (
            theory.occupation,
            {"family": made, "concentration": 1.0, "X": rng.normal(size=(5, 1))},
        ),
        (
            theory.occupation_of_identical,
            {"family": made, "concentration": 1.0, "row": [1.0], "size": 5},
        ),
        (theory.product_posterior, {"v": 1.0, "prior": 1.0, "noise": 1.0}),
        (
            theory.pair_log_evidence,
            {"sizes": [5.0], "concentrations": [1.0], "prior_variance": 1.0},
        ),
    ]
    return pick(rng, options)


# ---- estimators, readers, data, rules ----


@maker
def estimator(rng):
    from vbkit.own_data import estimators

    kinds = "gaussian diagonal spherical known bernoulli categorical poisson".split()
    family, N = pick(rng, kinds), pick(rng, (5, 30))
    X = rng.normal(size=(N, 2))
    X = (X > 0) * 1.0 if family in kinds[4:] else X

    def run(X, sample_weight, **settings):
        made = estimators.VariationalMixture(**settings).fit(
            X, sample_weight=sample_weight
        )
        return made.predict_proba(X), made.score_samples(X), made.lower_bound_

    settings = {"n_components": pick(rng, (2, "auto")), "family": family, "prior_count": 1.0,
                "concentration": 0.5, "n_init": 1, "max_iter": 20, "tol": 1e-3}  # fmt: skip
    return run, settings | {
        "X": X,
        "sample_weight": rng.uniform(0.1, 2, N),
        "random_state": 1,
    }


@maker
def factorizer(rng):
    from vbkit.own_data import estimators

    def run(X, **settings):
        made = estimators.VariationalMatrixFactorization(**settings).fit(X)
        return made.inverse_transform(made.transform(X))

    settings = {"n_components": pick(rng, (None, 2)), "max_iter": 20, "tol": 1e-6}
    return run, settings | {"X": rng.normal(size=(8, 5)), "random_state": 1}


@maker
def ratings(rng):
    mark = pick(rng, "\t ,;")
    lines = (
        mark.join(map(str, rng.integers(1, 6, 3))) for _ in range(rng.integers(1, 9))
    )
    return read("ratings"), {"text": "\n".join(lines).encode()}


@maker
def items(rng):
    lines = [
        "item\tann\tbob",
        *(f"i{n}\t{n % 2}\t1" for n in range(rng.integers(1, 5))),
    ]
    return read("items"), {"text": "\n".join(lines).encode()}


def read(kind):
    import tempfile
    from pathlib import Path

    from vbkit.factorization.ratings import read_ratings

    def reader(text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "table.txt")
            path.write_bytes(text)
            return (read_ratings if kind == "ratings" else data.read_items)(path)

    return reader


@maker
def data_set(rng):
    g = np.random.default_rng(1)
    w, c, s = [0.5, 0.5], np.array([[0.0, 1], [2, 3]]), [1.0, 2.0]
    options = [
        (data.gaussian_mixture, {"rng": g, "size": 9, "weights": w, "centres": c, "widths": s}),
        (data.sato1999, {"size": 9, "rng": g, "layout": "irregular"}),
        (data.sato2000, {"name": "A", "rng": g, "size": 9}),
        (data.ghahramani2000, {"size": 9, "rng": g, "dimension": 2}),
        (data.changing_mixture, {"rng": g, "length": 4, "active": [[0], [0, 1]], "centres": c,
                                 "width": 1.0}),
    ]  # fmt: skip
    return pick(rng, options)


@maker
def rule(rng):
    options = [
        (rules.Rate, {"successes": 3, "runs": 7}),
        (rules.measurement, {"name": "gap", "value": pick(rng, (1.0, [1.0, 2.0]))}),
        (rules.parse, {"rule": "gap < 3 and max(gaps) > 1"}),
    ]
    return pick(rng, options)
