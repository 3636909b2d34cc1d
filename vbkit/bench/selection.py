"""Sequential selection of the number of units against fitting every number of them from several starts."""

from functools import partial
from itertools import product

import numpy as np

from vbkit import data as data_sets
from vbkit.bench.measure import Row, measure, ratio
from vbkit.learning import gaussian_start
from vbkit.models import sato_mixture
from vbkit.structure import begin, learn_batch, learn_online, select

UNITS, STARTS, ATTEMPTS = range(1, 11), 5, 40
LEARNERS = {"batch": learn_batch, "on-line": learn_online}


def selection_rows(name: str, learner: str) -> list[Row]:
    """Of Sato's data set A or B: time and data seen, all direct fits over a greedy search from ten units. Both learn
    alike; what they find is in the note. There is no bar: the ratio says what a search saves on such data."""
    rng, learn = np.random.default_rng(0), LEARNERS[learner]
    X, _ = data_sets.sato2000(name, rng)
    prior = partial(sato_mixture, X, model="isotropic", gamma0=1.0)
    starts = {K: [gaussian_start(prior(K), X, K, rng) for _ in range(STARTS)] for K in UNITS}

    def search():
        return select(begin(prior, X, starts[10][0], np.random.default_rng(1), learn=learn), ATTEMPTS)

    def direct():
        order = np.random.default_rng(1)
        models = {K: (prior(K), prior(K).observe(X)) for K in UNITS}
        return [learn(*models[K], start, order) for K in UNITS for start in starts[K]]

    found, fits = search(), direct()
    best, visits = max(fits, key=lambda fit: fit.elbo), len(X) * sum(fit.epochs for fit in fits)
    text = f"{found.best.units} and {best.units} units, bound {found.best.elbo - best.elbo:+.1f} nats"
    t = measure(direct=direct, search=search)
    size = f"every K / a search, {name}, {learner}"
    return [
        Row(f"{size}, data seen", visits / sum(record.visits for record in found.records), note=text),
        ratio(f"{size}, time", t["direct"], t["search"], note=f"{1e3 * np.median(t['search']):.0f} ms a search"),
    ]


SECTIONS = {"selection": lambda: (row for case in product("AB", LEARNERS) for row in selection_rows(*case))}
