"""An estimator of columns of different kinds, some of whose cells are missing."""

import numpy as np
import pytest

from vbkit.families import BetaBernoulli, Columns, DirichletCategorical, NormalGamma
from vbkit.own_data import VariationalMixture, load_model, save_model

KINDS = Columns(
    [
        NormalGamma([170.0], 0.1, 1.0, 50.0),
        BetaBernoulli(1, 0.5),
        DirichletCategorical((3,), 0.5),
    ]
)


def people(seed: int, N: int):
    """Height, an answer and a category of two kinds of people, a fifth of the cells missing,
    and the kinds."""
    rng = np.random.default_rng(seed)
    z = rng.integers(2, size=N)
    X = np.stack(
        [
            rng.normal(np.array([160.0, 185.0])[z], 5.0),
            rng.random(N) < np.array([0.1, 0.9])[z],
            np.where(rng.random(N) < 0.8, z, 2),
        ],
        axis=1,
    )
    X[rng.random(X.shape) < 0.2] = np.nan
    return X, z


def test_groups_are_found_and_new_rows_with_gaps_are_told():
    X, z = people(0, 400)
    model = VariationalMixture(family=KINDS, random_state=0).fit(X)
    assert model.n_components_ == 2
    labels = model.predict(X)
    assert max((labels == z).mean(), (labels != z).mean()) > 0.93
    new, kinds = people(1, 200)
    told = model.predict(new)
    assert max((told == kinds).mean(), (told != kinds).mean()) > 0.9
    nothing = np.full((1, 3), np.nan)
    assert model.score_samples(nothing)[0] == pytest.approx(0, abs=1e-12)
    assert len(model.columns_) == 3


def test_the_density_of_what_is_seen_is_the_sum_over_what_is_not():
    X, _ = people(2, 150)
    model = VariationalMixture(2, family=KINDS, random_state=0).fit(X)
    rows = np.array(
        [[172.0, answer, level] for answer in (0, 1) for level in (0, 1, 2)]
    )
    whole = np.exp(model.score_samples(rows)).sum()
    seen = np.exp(model.score_samples([[172.0, np.nan, np.nan]]))[0]
    assert whole == pytest.approx(seen, rel=1e-10)


def test_a_model_with_gaps_goes_on_and_is_saved(tmp_path):
    X, _ = people(3, 300)
    model = VariationalMixture(2, family=KINDS, random_state=0).fit(X[:200])
    model.partial_fit(X[200:])
    save_model(model, tmp_path / "people.npz")
    again = load_model(tmp_path / "people.npz")
    assert np.allclose(again.predict_proba(X), model.predict_proba(X), atol=1e-12)
    rows, labels = model.sample(50)
    assert rows.shape == (50, 3) and not np.isnan(rows).any()


def test_other_families_still_refuse_gaps():
    X, _ = people(4, 50)
    with pytest.raises(ValueError, match="NaN"):
        VariationalMixture().fit(X)
