"""Figures of the method's study on the sonar data; set DISTSEARCH_DATA to the folder of sonar.csv.

Means over the study's 50 folds. Those of the base classifiers are published; the others were
computed with a separate program that follows the study's protocol.
"""

import numpy as np
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distsearch.boxcox import BoxCoxSearchCV, BoxCoxTransformer, _search_cv

FOLDS = RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=42)


def accuracy(model, data):
    return 100 * cross_val_score(model, *data, cv=FOLDS).mean()


@pytest.mark.parametrize(
    ("classifier", "published"), [(GaussianNB(), 67.700), (KNeighborsClassifier(), 81.343)]
)
def test_lambda_one_is_the_base_classifier(sonar, classifier, published):
    plain = accuracy(make_pipeline(StandardScaler(), classifier), sonar)
    assert plain == pytest.approx(published, abs=5e-4)
    mapper = BoxCoxTransformer(1.0, out_of_range="extrapolate")
    assert accuracy(make_pipeline(mapper, classifier), sonar) == pytest.approx(plain, abs=1e-9)


def test_likelihood_with_naive_bayes(sonar):
    mapper = BoxCoxTransformer(out_of_range="extrapolate")
    assert accuracy(make_pipeline(mapper, GaussianNB()), sonar) == pytest.approx(74.143, abs=5e-4)


def test_one_lambda_for_all_with_naive_bayes(sonar, monkeypatch):
    # The likelihood start, which this strategy does not use, would be most of the time.
    monkeypatch.setattr(_search_cv, "mle_lambdas", lambda scaled: np.ones(scaled.shape[1]))
    search = BoxCoxSearchCV(
        GaussianNB(), "spherical", cv="resubstitution", out_of_range="extrapolate"
    )
    assert accuracy(search, sonar) == pytest.approx(73.767, abs=5e-4)


def test_a_third_of_the_test_rows_leave_the_training_range(sonar):
    X, y = sonar
    values, rows = [], []
    for train, test in FOLDS.split(X, y):
        mapper = BoxCoxTransformer(1.0).fit(X[train])
        outside = [mapper.count_out_of_range(row[np.newaxis]).sum() for row in X[test]]
        values.append(np.sum(outside) / X[test].size)
        rows.append(np.mean(np.array(outside) > 0))
    assert 100 * np.mean(values) == pytest.approx(0.94, abs=0.01)
    assert 100 * np.mean(rows) == pytest.approx(33, abs=1)
