"""Estimators, strategies and tables at the edge of what a search can be given."""

import sys

import numpy as np
import pytest
from boxcox.stubs import SignClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from distsearch.backends import SerialBackend
from distsearch.boxcox import BoxCoxSearchCV, IterativeGrid
from distsearch.errors import BackendError, InvalidInputError, SearchFailedError, UnknownNameError

X = np.array([[1.0], [2.0], [4.0], [8.0]])
y = np.array([0, 0, 1, 1])


class Quits(SignClassifier):
    def fit(self, X, y):
        sys.exit(0)


class QuitsAtLast(SignClassifier):
    """Ends the process in the last fit, the one whose y is not made by the search."""

    def fit(self, X, y):
        if len(y) == 4:
            sys.exit(0)
        return super().fit(X, y)


def test_an_estimator_that_ends_the_process_fails():
    with pytest.raises(SearchFailedError, match="SystemExit"):
        BoxCoxSearchCV(Quits(), "spherical", cv=2).fit(X, y)
    with pytest.raises(BackendError, match="SystemExit: 0"):
        BoxCoxSearchCV(Quits(), "spherical", cv=2, error_score="raise").fit(X, y)
    with pytest.raises(BackendError, match="SystemExit: 0"):
        BoxCoxSearchCV(QuitsAtLast(), "spherical", cv=2).fit(X, y)


def test_a_class_in_place_of_an_object_is_refused():
    with pytest.raises(InvalidInputError, match=r"Got IterativeGrid instead of IterativeGrid\(\)"):
        BoxCoxSearchCV(GaussianNB(), IterativeGrid, cv=2).fit(X, y)
    with pytest.raises(UnknownNameError, match=r"Got SerialBackend instead of SerialBackend\(\)"):
        BoxCoxSearchCV(GaussianNB(), cv=2, backend=SerialBackend).fit(X, y)


@pytest.mark.parametrize("semantics", ["product", "reference"])
def test_without_a_feature_to_search(semantics):
    binary = np.repeat([[0.0], [1.0]], 2, axis=0)
    search = BoxCoxSearchCV(
        GaussianNB(), IterativeGrid(semantics=semantics), cv="resubstitution"
    ).fit(binary, y)
    assert search.lambdas_.tolist() == [1.0]
    assert (search.best_score_, search.n_evaluations_) == (1.0, 1)
    assert IterativeGrid(semantics=semantics).planned(0) == 1


@pytest.mark.parametrize("nothing", ["passthrough", None])
def test_a_pipeline_that_does_nothing_has_tags(nothing):
    assert get_tags(BoxCoxSearchCV(Pipeline([("nothing", nothing)]))).input_tags.allow_nan
