"""scikit-learn's own checks of an estimator."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from vbkit.own_data import VariationalMatrixFactorization, VariationalMixture

GAUSSIAN = ("gaussian", "diagonal", "spherical", "known")
ESTIMATORS = [VariationalMixture(family=family) for family in GAUSSIAN]
ESTIMATORS += [VariationalMixture(family="columns")]
ESTIMATORS += [VariationalMixture(3), VariationalMatrixFactorization()]
WHOLE = {
    "bernoulli": 2,
    "categorical": 6,
    "poisson": 1000,
}  # numbers from 0 to below this


class OnWholeNumbers(VariationalMixture):
    """The mixture, given the checks' real numbers as whole ones of the family's domain."""

    def _data(self, X, weights, reset):
        raw, weights = super()._data(X, weights, reset)
        top = WHOLE[self.family]
        if sparse.issparse(raw):
            raw = raw.copy()
            raw.data = np.floor(np.abs(raw.data)) % top
            return raw, weights
        return np.floor(np.abs(raw)) % top, weights


@parametrize_with_checks(ESTIMATORS)
def test_every_check_passes(estimator, check):
    check(estimator)


CLASSIFIER = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"),
    "the check takes whatever has predict_proba for a classifier",
)
REAL_NUMBERS = dict.fromkeys(
    """check_dict_unchanged check_dont_overwrite_parameters check_dtype_object
    check_estimators_dtypes check_estimators_fit_returns_self check_estimators_nan_inf
    check_estimators_overwrite_params
    check_estimators_pickle check_f_contiguous_array_estimator check_fit2d_1feature
    check_fit2d_1sample check_fit2d_predict1d check_fit_check_is_fitted check_fit_idempotent
    check_fit_score_takes_y check_methods_sample_order_invariance check_methods_subset_invariance
    check_n_features_in check_n_features_in_after_fitting check_pipeline_consistency
    check_positive_only_tag_during_fit check_readonly_memmap_input
    check_sample_weight_equivalence_on_dense_data check_sample_weights_list
    check_transformer_data_not_an_array check_transformer_general check_transformer_n_iter
    check_transformer_preserve_dtypes""".split(),
    "its data are real numbers, which the family refuses",
)
NOT_BINARY = dict.fromkeys(
    """check_estimator_sparse_tag check_sample_weight_equivalence_on_sparse_data
    check_sample_weights_not_an_array check_sample_weights_not_overwritten
    check_sample_weights_pandas_series check_sample_weights_shape""".split(),
    "its data are whole numbers above 1, which the family refuses",
)
DECLARED = dict.fromkeys(WHOLE, REAL_NUMBERS) | {
    "bernoulli": REAL_NUMBERS | NOT_BINARY | CLASSIFIER
}


def outcomes(estimator, declared):
    """How each check of an estimator ended, by its name."""
    results = check_estimator(
        estimator, expected_failed_checks=declared, on_fail=None, on_skip=None
    )
    assert all(result["status"] != "failed" for result in results), results
    return {result["check_name"]: result["status"] for result in results}


@pytest.mark.long
@pytest.mark.parametrize("family", WHOLE)
def test_only_checks_with_data_of_another_kind_fail(family):
    ended = outcomes(VariationalMixture(family=family), DECLARED[family])
    assert {name for name, status in ended.items() if status == "xfail"} == {
        *DECLARED[family]
    }


@pytest.mark.long
@pytest.mark.parametrize("family", WHOLE)
def test_they_pass_with_data_of_the_familys_kind(family):
    declared = CLASSIFIER if family == "bernoulli" else {}
    ended = outcomes(OnWholeNumbers(family=family), declared)
    assert {name for name, status in ended.items() if status == "xfail"} == {*declared}
