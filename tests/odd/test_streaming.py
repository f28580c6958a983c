"""Rows in batches, in any order and on several machines, are as rows at once."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd.data import batches, blobs, real
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from distsearch.errors import InvalidInputError
from distsearch.odd import ODDClassifier

SETTINGS = [
    {},
    {"shrinkage": 0.0},
    {"shrinkage": 0.3, "ddof": 0},
    {"n_components": 2, "class_weight": "balanced"},
    {"discriminant": "distance", "gamma": 0.1},
]


def assert_same(one, other, X, tolerance=1e-9):
    assert one.criterion_ == pytest.approx(other.criterion_, rel=tolerance)
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_allclose(one.class_count_, other.class_count_, rtol=1e-12)
    np.testing.assert_allclose(one.priors_, other.priors_, rtol=1e-12)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=tolerance)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def streamed(odd, parts, **how):
    for part in parts:
        odd.partial_fit(*part, **how)
    return odd


@pytest.mark.parametrize("how", SETTINGS, ids=str)
@pytest.mark.parametrize("name", ["iris", "wine", "crabs", "yeast"])
def test_batches_of_real_rows(name, how):
    X, y = real(name)
    odd = ODDClassifier(random_state=0, **how)
    whole = clone(odd).fit(X, y)
    assert_same(streamed(clone(odd), batches(X, y, 7)), whole, X, 1e-7)
    parts = [clone(odd).partial_fit(*part) for part in batches(X, y, 3)]
    assert_same(clone(odd).merge(*parts), whole, X, 1e-7)
    assert_same(clone(odd).merge(*parts[::-1]), whole, X, 1e-7)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**16), st.lists(st.integers(1, 40), max_size=4))
def test_any_division_into_batches(seed, cuts):
    X, y = blobs(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    parts = [(X[rows], y[rows]) for rows in np.split(order, sorted(set(cuts))) if len(rows)]
    assert_same(streamed(ODDClassifier(), parts), ODDClassifier().fit(X, y), X)


def test_a_class_at_a_time_and_classes_that_come_late():
    X, y = blobs()
    whole = ODDClassifier().fit(X, y)
    parts = [(X[y == k], y[y == k]) for k in (2, 0, 1)]
    odd = streamed(ODDClassifier(), parts, classes=[0, 1, 2])
    assert_same(odd, whole, X)
    assert_same(streamed(ODDClassifier(), parts), whole, X)


def test_not_fitted_until_the_rows_suffice():
    X, y = blobs()
    odd = ODDClassifier().partial_fit(X[:3], y[:3])
    with pytest.raises(NotFittedError, match=r"do not suffice.*one class, 0"):
        odd.predict(X)
    assert_same(odd.partial_fit(X[3:], y[3:]), ODDClassifier().fit(X, y), X)


def test_a_refused_batch_leaves_what_was_learned():
    X, y = blobs()
    odd = ODDClassifier().partial_fit(X, y)
    before = odd.predict_proba(X)
    with pytest.raises(InvalidInputError, match="column 'x0', row"):
        odd.partial_fit(np.full((3, 4), np.nan), [0, 1, 2])
    with pytest.raises(ValueError, match="X has 3 features"):
        odd.partial_fit(X[:, :3], y)
    with pytest.raises(InvalidInputError, match="labels that are not in classes: 2"):
        odd.partial_fit(X, y, classes=[0, 1])
    np.testing.assert_array_equal(odd.predict_proba(X), before)
    assert odd.class_count_.tolist() == [12, 9, 20]


def test_labels_of_another_type_are_no_new_classes():
    X, y = blobs()
    odd = ODDClassifier().partial_fit(X, y)
    with pytest.raises(InvalidInputError, match="Labels must be numbers in all batches"):
        odd.partial_fit(X, y.astype(str))
    with pytest.raises(InvalidInputError, match="Labels must be numbers in all batches"):
        odd.merge(ODDClassifier().fit(X, y.astype(str)))
    assert odd.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "how", [{"exponent": 5.0}, {"class_weight": {0: -1.0}}, {"init": np.ones((2, 2))}], ids=str
)
def test_settings_that_no_further_row_mends_are_refused_at_once(how):
    X, y = blobs()
    with pytest.raises(InvalidInputError, match=next(iter(how))):
        ODDClassifier(**how).partial_fit(X, y)


def test_batches_go_on_from_a_fit_and_fit_begins_anew():
    X, y = blobs()
    odd = ODDClassifier().fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
    assert_same(odd, ODDClassifier().fit(X, y), X)
    assert_same(odd.fit(X[::2], y[::2]), ODDClassifier().fit(X[::2], y[::2]), X)


def test_more_features_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 60)), np.arange(40) % 2
    X[y == 1, 0] += 3
    whole, parts = ODDClassifier().fit(X, y), [(X[:20], y[:20]), (X[20:], y[20:])]
    assert_same(streamed(ODDClassifier(), parts), whole, X, 1e-6)
    shards = [ODDClassifier().partial_fit(*part) for part in parts]
    assert_same(ODDClassifier().merge(*shards), whole, X, 1e-6)
    # A fit at once works in the span of the rows and keeps nothing to add to.
    for add in (lambda: whole.partial_fit(X, y), lambda: shards[0].merge(whole)):
        with pytest.raises(InvalidInputError, match="fewer rows than features"):
            add()


def test_weights_count_as_repetition_in_batches_too():
    X, y = blobs()
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    weight[[0, 12, 21]] = 2
    rows = np.repeat(np.arange(len(X)), weight)
    odd = ODDClassifier()
    for i in range(3):
        odd.partial_fit(X[i::3], y[i::3], sample_weight=weight[i::3])
    assert_same(odd, ODDClassifier().fit(X[rows], y[rows]), X)
    assert_same(ODDClassifier().fit(X, y, sample_weight=weight), odd, X)


def test_the_range_of_later_batches_counts():
    X, y = blobs()
    order = np.argsort(X[:, 0])
    odd = streamed(ODDClassifier(), [(X[part], y[part]) for part in np.split(order, [9, 30])])
    assert_same(odd, ODDClassifier().fit(X, y), X)
    np.testing.assert_allclose(
        odd.components_, ODDClassifier().fit(X, y).components_, atol=1e-8
    )  # fmt: skip


def test_a_column_that_varies_only_later():
    X, y = blobs()
    X[:30, 1] = 5.0
    odd = ODDClassifier().partial_fit(X[:30], y[:30])
    assert odd.kept_features_.tolist() == [0, 2, 3]
    odd.partial_fit(X[30:], y[30:])
    assert odd.kept_features_.tolist() == [0, 1, 2, 3]
    assert_same(odd, ODDClassifier().fit(X, y), X)


def test_sparse_batches():
    X = sparse.random_array((90, 6), density=0.4, rng=np.random.default_rng(0), format="csr")
    y = np.arange(90) % 3
    odd = streamed(ODDClassifier(), [(X[i::3], np.roll(y, 1)[i::3]) for i in range(3)])
    assert_same(odd, ODDClassifier().fit(X, np.roll(y, 1)), X, 1e-7)
    mixed = ODDClassifier(shrinkage=0.0).partial_fit(X[:50].toarray(), y[:50])
    mixed.partial_fit(X[50:], y[50:])
    np.testing.assert_allclose(mixed.predict_proba(X), mixed.predict_proba(X.toarray()), atol=1e-9)
    dense = ODDClassifier(shrinkage=0.0).fit(X.toarray(), y)
    np.testing.assert_allclose(mixed.predict_proba(X), dense.predict_proba(X), atol=1e-7)


def test_merging_a_copy_counts_its_rows_again():
    X, y = blobs()
    odd = ODDClassifier().fit(X, y)
    twice = ODDClassifier().fit(np.vstack([X, X]), np.concatenate([y, y]))
    assert_same(clone(odd).merge(odd, pickle.loads(pickle.dumps(odd))), twice, X)
    assert odd.class_count_.tolist() == [12, 9, 20]
    assert_same(odd.merge(odd), twice, X)


def test_merging_brings_classes_that_were_not_there():
    X, y = blobs()
    few, rest = ODDClassifier().fit(X[y < 2], y[y < 2]), ODDClassifier().fit(X[y > 0], y[y > 0])
    ones = y == 1
    both = np.vstack([X, X[ones]]), np.concatenate([y, y[ones]])
    assert_same(few.merge(rest), ODDClassifier().fit(*both), X)


def test_what_cannot_be_merged():
    X, y = blobs()
    odd = ODDClassifier().fit(X, y)
    with pytest.raises(InvalidInputError, match=r"same features.*4.*and 3"):
        odd.merge(ODDClassifier().fit(X[:, :3], y))
    with pytest.raises(InvalidInputError, match="Got 3 instead"):
        odd.merge(3)
    with pytest.raises(InvalidInputError, match="are fitted"):
        odd.merge(ODDClassifier())
    for how in ({"activation": "tanh", "max_iter": 3}, {"pca": 2}):
        with pytest.raises(InvalidInputError, match="through another activation, with pca, or on"):
            odd.merge(ODDClassifier(**how).fit(X, y))
    # All or none are added.
    with pytest.raises(InvalidInputError, match="Got 3 instead"):
        odd.merge(ODDClassifier().fit(X, y), 3)
    assert odd.partial_fit(X, y).class_count_.tolist() == [24, 18, 40]
    assert odd.merge() is odd
    with pytest.raises(NotFittedError):
        ODDClassifier().merge().predict(X)


@pytest.mark.parametrize(
    "how", [{"activation": "tanh"}, {"pca": 2}, {"threshold": "balanced"}], ids=str
)
def test_what_needs_all_rows_has_no_batches(how):
    odd = ODDClassifier(**how)
    assert not hasattr(odd, "partial_fit")
    assert not hasattr(odd, "merge")
    with pytest.raises(AttributeError, match="partial_fit"):
        odd.partial_fit(*blobs())
