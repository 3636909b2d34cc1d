"""Sequential selection of the number of components against fitting every number of them from
several starts."""

from functools import partial
from itertools import product

import numpy as np

from vbkit import data as data_sets
from vbkit.course.sato import sato_mixture
from vbkit.learning import init_gaussian
from vbkit.structure import learn_batch, learn_online, run_search, start_search

from .measure import Row, measure, ratio

N_COMPONENTS, STARTS, ATTEMPTS = range(1, 11), 5, 40
LEARNERS = {"batch": learn_batch, "online": learn_online}


def selection_rows(name: str, learner: str) -> list[Row]:
    """Of Sato's data set A or B: time and data seen, all direct fits over a greedy search from ten
    components. Both learn alike; what they find is in the note. There is no bar: the ratio says
    what a search saves on such data."""
    rng, learn = np.random.default_rng(0), LEARNERS[learner]
    X, _ = data_sets.sato2000(name, rng)
    prior = partial(sato_mixture, X, model="isotropic", prior_strength=1.0)
    starts = {
        K: [init_gaussian(prior(K), X, K, rng) for _ in range(STARTS)]
        for K in N_COMPONENTS
    }

    def search():
        rng = np.random.default_rng(1)
        first = start_search(prior, X, starts[10][0], rng, learn=learn, candidates=1)
        return run_search(first, ATTEMPTS)

    def direct():
        order = np.random.default_rng(1)
        models = {K: (prior(K), prior(K).observe(X)) for K in N_COMPONENTS}
        return [
            learn(*models[K], start, order) for K in N_COMPONENTS for start in starts[K]
        ]

    found, fits = search(), direct()
    best, visits = (
        max(fits, key=lambda fit: fit.elbo),
        len(X) * sum(fit.epochs for fit in fits),
    )
    sizes = f"{found.best.n_components} and {best.n_components} components"
    text = f"{sizes}, ELBO {found.best.elbo - best.elbo:+.1f} nats"
    t = measure(direct=direct, search=search)
    size = f"every K / a search, {name}, {learner}"
    return [
        Row(
            f"{size}, data seen",
            visits / sum(record.visits for record in found.records),
            note=text,
        ),
        ratio(
            f"{size}, time",
            t["direct"],
            t["search"],
            note=f"{1e3 * np.median(t['search']):.0f} ms a search",
        ),
    ]


SECTIONS = {
    "selection": lambda: (
        row for case in product("AB", LEARNERS) for row in selection_rows(*case)
    )
}
