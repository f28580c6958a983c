import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    get_scorer,
    log_loss,
    mean_squared_error,
    top_k_accuracy_score,
)
from sklearn.metrics import make_scorer as sklearn_scorer
from sklearn.naive_bayes import GaussianNB

from distsearch._scoring import make_scorer, maximum_score


@pytest.mark.parametrize(
    ("estimator", "scoring", "metric"),
    [
        (GaussianNB(), None, "accuracy"),
        (LinearRegression(), None, "r2"),
        (GaussianNB(), "f1", "f1"),
    ],
)
def test_scorers_by_name(estimator, scoring, metric):
    scorer, named = make_scorer(estimator, scoring), get_scorer(metric)
    assert (scorer._score_func, scorer._sign) == (named._score_func, named._sign)


def test_a_callable_is_taken_as_it_is():
    def scorer(estimator, X, y):
        return 0.0

    assert make_scorer(GaussianNB(), scorer) is scorer


def test_an_unknown_name():
    with pytest.raises(ValueError, match="acuracy"):
        make_scorer(GaussianNB(), "acuracy")


@pytest.mark.parametrize(
    "name",
    ["accuracy", "balanced_accuracy", "f1", "f1_macro", "roc_auc", "roc_auc_ovr", "r2",
     "average_precision", "matthews_corrcoef", "explained_variance", "jaccard", "recall"],
)  # fmt: skip
def test_shares_and_coefficients_end_at_one(name):
    assert maximum_score(get_scorer(name)) == 1.0


@pytest.mark.parametrize(
    "name", ["neg_log_loss", "neg_mean_squared_error", "neg_brier_score", "neg_max_error"]
)
def test_errors_end_at_zero(name):
    assert maximum_score(get_scorer(name)) == 0.0


@pytest.mark.parametrize(
    "scorer",
    [
        get_scorer("mutual_info_score"),
        get_scorer("positive_likelihood_ratio"),
        sklearn_scorer(accuracy_score, normalize=False),  # a count
        sklearn_scorer(top_k_accuracy_score, normalize=False, response_method="predict_proba"),
        sklearn_scorer(mean_squared_error),  # an error to be made as large as it gets
        sklearn_scorer(lambda y, prediction: 2.0),
        lambda estimator, X, y: 2.0,
    ],
)
def test_what_has_no_known_end(scorer):
    assert maximum_score(scorer) == np.inf


def test_own_scorers_of_known_metrics():
    assert maximum_score(sklearn_scorer(f1_score, average="macro")) == 1.0
    assert maximum_score(sklearn_scorer(mean_squared_error, greater_is_better=False)) == 0.0
    assert (
        maximum_score(
            sklearn_scorer(log_loss, greater_is_better=False, response_method="predict_proba")
        )
        == 0.0
    )
