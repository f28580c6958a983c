"""What the estimator takes, says and refuses."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from odd.data import blobs, groups, in_range
from scipy import sparse
from sklearn.decomposition import PCA

from distsearch.errors import InvalidInputError
from distsearch.odd import ODDClassifier

X, Y = blobs()
NAMES = ["length", "width", "depth", "weight"]


@pytest.mark.parametrize(
    "container",
    [
        lambda X: X.tolist(),
        lambda X: pd.DataFrame(X, columns=NAMES),
        lambda X: pl.DataFrame(X, schema=NAMES),
        lambda X: pl.DataFrame(X, schema=NAMES).to_arrow().to_pandas(),
        np.asfortranarray,
        lambda X: X.astype(np.float64)[:, ::1],
    ],
    ids=["list", "pandas", "polars", "arrow", "fortran", "array"],
)
def test_any_table(container):
    expected = ODDClassifier().fit(X, Y)
    table = container(X)
    odd = ODDClassifier().fit(table, Y)
    np.testing.assert_allclose(odd.predict_proba(table), expected.predict_proba(X), atol=1e-12)
    if hasattr(table, "columns"):
        assert odd.feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "b", "c"]), np.array(["a", "b", "c"], dtype=object), np.array([-1, 5, 7]),
        np.array([0.0, 1.0, 2.0]), pd.array(["a", "b", "c"], dtype="string").to_numpy(),
    ],
)  # fmt: skip
def test_any_label(labels):
    expected = ODDClassifier().fit(X, Y)
    odd = ODDClassifier().fit(X, labels[Y])
    np.testing.assert_array_equal(odd.classes_, labels)
    np.testing.assert_array_equal(odd.predict(X), labels[expected.predict(X)])
    two = ODDClassifier().fit(X, pd.Series(Y == 1))
    assert two.classes_.tolist() == [False, True]
    assert two.decision_function(X).shape == (len(X),)


def test_sparse_rows_are_divided_by_their_largest_magnitude():
    rows = sparse.random_array((90, 6), density=0.4, rng=np.random.default_rng(0), format="csr")
    y = np.arange(90) % 3
    for container in (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix):
        odd = ODDClassifier(shrinkage=0.0).fit(container(rows), y)
        M = odd.components_.T / np.abs(rows.toarray()).max(axis=0)[:, None]
        np.testing.assert_allclose(
            odd.transform(container(rows)), rows.toarray() @ M + odd.intercept_, atol=1e-9
        )
    # How rows are scaled decides nothing without shrinkage.
    dense = ODDClassifier(shrinkage=0.0).fit(rows.toarray(), y)
    np.testing.assert_allclose(odd.predict_proba(rows), dense.predict_proba(rows), atol=1e-7)
    for how in ({"activation": "tanh"}, {"pca": 2}):
        with pytest.raises(TypeError, match="Sparse"):
            ODDClassifier(**how).fit(rows, y)


@pytest.mark.parametrize("discriminant", ["gaussian", "distance"])
def test_sparse_and_dense_rows_land_at_the_same_place(discriminant):
    for trained in (X, sparse.csr_array(X)):
        odd = ODDClassifier(discriminant=discriminant).fit(trained, Y)
        for use in (odd.transform, odd.predict_proba, odd.decision_function, odd.predict):
            np.testing.assert_allclose(use(sparse.csr_array(X)), use(X), atol=1e-10)


def test_a_value_that_is_no_number_in_sparse_rows():
    rows = sparse.csr_array(np.array([[0.0, 1.0], [np.nan, 0.0], [1.0, 1.0], [0.0, np.inf]]))
    with pytest.raises(InvalidInputError, match="column 'x0', row 1"):
        ODDClassifier().fit(rows, [0, 1, 0, 1])


def test_names_of_what_comes_out():
    frame = pd.DataFrame(X, columns=NAMES, index=range(100, 100 + len(X)))
    odd = ODDClassifier(2).set_output(transform="pandas").fit(frame, Y)
    landed = odd.transform(frame)
    assert landed.columns.tolist() == odd.get_feature_names_out().tolist() == ["odd0", "odd1"]
    assert landed.index.tolist() == frame.index.tolist()
    plain = ODDClassifier(2).fit(X, Y).transform(X)
    np.testing.assert_allclose(landed.to_numpy(), plain, atol=1e-12)
    assert odd.set_output(transform="polars").transform(frame).columns == ["odd0", "odd1"]
    np.testing.assert_allclose(
        ODDClassifier(2).fit_transform(X, Y), plain, atol=1e-12
    )  # fmt: skip
    with pytest.raises(ValueError, match="feature names"):
        odd.predict(frame[NAMES[::-1]])


def test_principal_components_come_before_the_scaling():
    odd = ODDClassifier(2, pca=3, shrinkage=0.0).fit(X, Y)
    scores = PCA(3).fit_transform(X)
    expected = ODDClassifier(2, shrinkage=0.0).fit(scores, Y)
    assert odd.criterion_ == pytest.approx(expected.criterion_, rel=1e-9)
    np.testing.assert_allclose(odd.predict_proba(X), expected.predict_proba(scores), atol=1e-8)
    np.testing.assert_allclose((X - X.mean(axis=0)) @ odd.scalings_, odd.transform(X), atol=1e-9)
    wide = np.random.default_rng(0).normal(size=(len(X), 60)) * np.linspace(1, 9, 60)
    for table in (X, wide):
        by_share = PCA(0.8).fit(table).n_components_
        assert ODDClassifier(pca=0.8).fit(table, Y).components_.shape[1] == by_share
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    rows = np.repeat(np.arange(len(X)), weight)
    weighted = ODDClassifier(2, pca=3).fit(X, Y, sample_weight=weight)
    repeated = ODDClassifier(2, pca=3).fit(X[rows], Y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-8)
    with pytest.raises(InvalidInputError, match="pca=5 asks for more components than 4"):
        ODDClassifier(pca=5).fit(X, Y)


@pytest.mark.parametrize("how", [{"shrinkage": 0.0}, {}, {"n_components": 2, "ddof": 0}], ids=str)
def test_weights_count_as_repetition(how):
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    weight[[0, 12, 21]] = 2
    rows = np.repeat(np.arange(len(X)), weight)
    weighted = ODDClassifier(**how).fit(X, Y, sample_weight=weight)
    repeated = ODDClassifier(**how).fit(X[rows], Y[rows])
    assert weighted.criterion_ == pytest.approx(repeated.criterion_, rel=1e-10)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(weighted.covariances_, repeated.covariances_, atol=1e-8)


def test_with_ddof_0_only_ratios_of_weights_matter():
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    how = {"ddof": 0, "shrinkage": 0.2, "discriminant": "distance"}
    one = ODDClassifier(**how).fit(X, Y, sample_weight=weight)
    other = ODDClassifier(**how).fit(X, Y, sample_weight=weight * 1e-4)
    np.testing.assert_allclose(other.components_, one.components_, atol=1e-9)
    with pytest.raises(InvalidInputError, match="class 0 have a total sample_weight of"):
        ODDClassifier().fit(X, Y, sample_weight=weight * 1e-4)
    with pytest.raises(ValueError, match=r"non-zero|is 0"):
        ODDClassifier().fit(X, Y, sample_weight=weight * 0)


def test_the_order_of_rows_and_columns_decides_nothing():
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(X)), rng.permutation(4)
    one = ODDClassifier().fit(X, Y)
    other = ODDClassifier().fit(X[rows][:, columns], Y[rows])
    np.testing.assert_allclose(other.predict_proba(X[:, columns]), one.predict_proba(X), atol=1e-8)


def test_linear_maps_of_the_features_decide_nothing_without_shrinkage():
    A = np.random.default_rng(0).normal(size=(4, 4)) + 2 * np.eye(4)
    one = ODDClassifier(shrinkage=0.0).fit(X, Y)
    moved = ODDClassifier(shrinkage=0.0).fit(X @ A - 5, Y)
    assert moved.criterion_ == pytest.approx(one.criterion_, rel=1e-9)
    np.testing.assert_allclose(moved.predict_proba(X @ A - 5), one.predict_proba(X), atol=1e-7)


def test_the_mean_of_the_rows_lands_on_0_with_linear_f():
    odd = ODDClassifier().fit(X, Y)
    np.testing.assert_allclose(odd.transform(X).mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(
        in_range(X) @ odd.components_.T + odd.intercept_, odd.transform(X), atol=1e-12
    )


def test_shrinkage_draws_each_class_to_a_multiple_of_the_identity():
    for share in (0.25, 1.0):
        odd = ODDClassifier(2, shrinkage=share).fit(X, Y)
        for rows, found in zip(groups(in_range(X), Y), odd.covariances_, strict=True):
            S = np.cov(rows, rowvar=False)
            shrunk = (1 - share) * S + share * np.trace(S) / 4 * np.eye(4)
            landed = odd.components_ @ shrunk @ odd.components_.T
            np.testing.assert_allclose(found, landed, atol=1e-12)


def test_history_falls_to_the_criterion():
    for how in ({}, {"n_components": 1}, {"activation": "tanh", "max_iter": 30}):
        odd = ODDClassifier(random_state=0, shrinkage=0.0, **how).fit(X, Y)
        assert set(odd.history_) == {"stage", "start", "iteration", "criterion"}
        assert len({len(column) for column in odd.history_.values()}) == 1
        assert odd.n_iter_ == len(odd.history_["stage"])
        for start in np.unique(odd.history_["start"]):
            of_start = odd.history_["start"] == start
            way = odd.history_["criterion"][of_start]
            assert odd.history_["iteration"][of_start].tolist() == list(range(len(way)))
            assert (np.diff(way) <= 1e-12).all()
        assert odd.history_["criterion"].min() == pytest.approx(odd.criterion_, rel=1e-9)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"n_components": 0}, "'n_components' parameter of ODDClassifier must be an int"),
        ({"activation": "relu"}, "'activation' parameter .* 'linear'|'tanh'"),
        ({"gamma": 0.0}, "'gamma' parameter"),
        ({"exponent": 0.0}, "'exponent' parameter"),
        ({"ddof": 2}, "'ddof' parameter"),
        ({"shrinkage": 1.5}, "'shrinkage' parameter"),
        ({"solver": "sgd"}, "'solver' parameter"),
        ({"init": "zeros"}, "'init' parameter"),
        ({"threshold": "best"}, "'threshold' parameter"),
        ({"discriminant": "nearest"}, "'discriminant' parameter"),
        ({"pca": 0}, "'pca' parameter"),
        ({"exponent": 2.0}, "exponent must be below 0.6667 for 3 classes"),
        ({"class_weight": {9: 2.0}}, "class_weight"),
    ],
)
def test_parameters_that_cannot_work(how, said):
    with pytest.raises(ValueError, match=said):
        ODDClassifier(**how).fit(X, Y)


def test_rows_that_cannot_be_learned_from():
    with pytest.raises(InvalidInputError, match="Every feature is constant"):
        ODDClassifier().fit(np.ones((5, 2)), [0, 1, 0, 1, 0])
    few = [0, 1, 12, 13, 21, 22]
    with pytest.raises(InvalidInputError, match=r"vary in 3 directions of the 4 .* too few rows"):
        ODDClassifier(shrinkage=0.0).fit(X[few], Y[few])
    assert ODDClassifier().fit(X[few], Y[few]).score(X[few], Y[few]) == 1
    with pytest.raises(InvalidInputError, match="requires y"):
        ODDClassifier().fit(X, None)
    with pytest.raises(ValueError, match="continuous"):
        ODDClassifier().fit(X, X[:, 0])
    wide = sparse.csr_array(([1.0, 2.0], ([0, 1], [0, 30_000])), shape=(2, 40_000))
    with pytest.raises(InvalidInputError, match=r"covariances of 2 classes .* GiB"):
        ODDClassifier().fit(wide, [0, 1])
