import numpy as np
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from odd.data import blobs
from scipy.linalg import subspace_angles
from scipy.stats import ortho_group
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils.estimator_checks import parametrize_with_checks

from distsearch.errors import InvalidInputError
from distsearch.odd import DirectLDA


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([DirectLDA()])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def scatters(X, y):
    n = X.shape[1]
    between, within = np.zeros((n, n)), np.zeros((n, n))
    for label in np.unique(y):
        rows = X[y == label]
        off = rows.mean(axis=0) - X.mean(axis=0)
        between += len(rows) * np.outer(off, off)
        for row in rows:
            within += np.outer(row - rows.mean(axis=0), row - rows.mean(axis=0))
    return between, within


def direct_lda(X, y, n_components):
    """Yu and Yang's steps with the whole scatter matrices; a direction a column."""
    between, within = scatters(X, y)
    values, Y = np.linalg.eigh(between)
    kept = values > 1e-9 * values.max()
    Z = Y[:, kept] / np.sqrt(values[kept])
    return Z @ np.linalg.eigh(Z.T @ within @ Z)[1][:, :n_components]


def nearest(landed, centers):
    return np.array(
        [np.argmin([np.linalg.norm(row - center) for center in centers]) for row in landed]
    )


@pytest.mark.parametrize("n_components", [None, 1, 2])
@pytest.mark.parametrize(
    ("counts", "n_features"),
    [((12, 9, 20), 4), ((7, 5, 6), 60), ((3, 2, 4, 2), 40), ((1, 1, 6), 5), ((30, 40, 20, 10), 3)],
)
def test_it_is_the_papers_by_the_whole_matrices(counts, n_features, n_components):
    X, y = blobs(1, counts, n_features)
    A = direct_lda(X, y, n_components)
    model = DirectLDA(n_components).fit(X, y)
    assert model.scalings_.shape == A.shape
    signs = np.sign((A * model.scalings_).sum(axis=0))
    atol = 1e-7 * np.abs(A).max()
    np.testing.assert_allclose(model.scalings_ * signs, A, atol=atol)
    new = np.random.default_rng(0).normal(size=(50, n_features)) * 3
    landed = (new - X.mean(axis=0)) @ A
    np.testing.assert_allclose(model.transform(new) * signs, landed, atol=1e-6)
    centers = [((X[y == k] - X.mean(axis=0)) @ A).mean(axis=0) for k in range(len(counts))]
    np.testing.assert_array_equal(model.predict(new), nearest(landed, centers))
    np.testing.assert_allclose(model.means_ * signs, centers, atol=1e-7)


@pytest.mark.parametrize(("counts", "n_features"), [((12, 9, 20), 4), ((7, 5, 6), 60)])
def test_it_diagonalises_both_scatters(counts, n_features):
    X, y = blobs(2, counts, n_features)
    between, within = scatters(X, y)
    A = DirectLDA().fit(X, y).scalings_
    np.testing.assert_allclose(A.T @ between @ A, np.eye(2), atol=1e-9)
    inside = A.T @ within @ A
    np.testing.assert_allclose(inside, np.diag(np.diag(inside)), atol=1e-9)
    assert (np.diff(np.diag(inside)) >= 0).all()


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_ldas_subspace_where_the_means_span_all(n_components):
    """Without a null space of the scatter between classes both solve the same problem."""
    X, y = blobs(3, counts=(20, 30, 25, 15, 10), n_features=4)
    lda = LinearDiscriminantAnalysis(solver="eigen", n_components=n_components).fit(X, y)
    ours = DirectLDA(n_components).fit(X, y).scalings_
    assert subspace_angles(ours, lda.scalings_[:, :n_components]).max() < 1e-6


@pytest.mark.parametrize("n_components", [1, 2])
def test_ldas_subspace_where_classes_are_round(n_components):
    X, y = blobs(4, counts=(40, 30, 25), n_features=6)
    X = X @ np.linalg.inv(np.linalg.cholesky(scatters(X, y)[1])).T
    lda = LinearDiscriminantAnalysis(n_components=n_components).fit(X, y)
    ours = DirectLDA(n_components).fit(X, y).scalings_
    assert subspace_angles(ours, lda.scalings_[:, :n_components]).max() < 1e-6


def test_two_classes_are_cut_between_their_means():
    """One direction, that of the difference of the means."""
    X, y = blobs(5, counts=(15, 25), n_features=7)
    first, second = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
    new = np.random.default_rng(0).normal(size=(60, 7)) * 4
    expected = (new - (first + second) / 2) @ (second - first) > 0
    model = DirectLDA().fit(X, y)
    np.testing.assert_array_equal(model.predict(new), expected.astype(int))
    assert subspace_angles(model.scalings_, (second - first)[:, None]).max() < 1e-7


class TestDecisions:
    def test_two_classes_have_one_number(self):
        X, y = blobs(5, counts=(15, 25))
        model = DirectLDA().fit(X, np.array(["no", "yes"])[y])
        scores = model.decision_function(X)
        distance = np.abs(model.transform(X) - model.means_.T)
        assert scores.shape == (40,)
        np.testing.assert_allclose(scores, distance[:, 0] - distance[:, 1], atol=1e-12)
        np.testing.assert_array_equal(model.predict(X), np.where(scores > 0, "yes", "no"))

    def test_the_first_of_two_that_are_equally_near(self):
        model = DirectLDA().fit([[0.0], [2.0], [4.0], [6.0]], ["b", "b", "a", "a"])
        assert model.decision_function([[3.0]]).tolist() == [0.0]
        assert model.predict([[2.9], [3.0], [3.1]]).tolist() == ["b", "a", "a"]

    def test_more_have_one_each(self):
        X, y = blobs()
        names = np.array(["b", "c", "a"])[y]
        model = DirectLDA().fit(X, names)
        scores = model.decision_function(X)
        assert scores.shape == (41, 3)
        assert model.classes_.tolist() == ["a", "b", "c"]
        landed = model.transform(X)
        for k, name in enumerate(model.classes_):
            own = landed[names == name].mean(axis=0)
            expected = -np.sqrt(((landed - own) ** 2).sum(axis=1))
            np.testing.assert_allclose(scores[:, k], expected, atol=1e-10)
        np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])


def test_more_features_than_rows_are_told_apart():
    """Rows of a class that are one point in the projection: the null space that it keeps."""
    X, y = blobs(6, counts=(4, 5, 3), n_features=2000, apart=1.0)
    model = DirectLDA().fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.scalings_.shape == (2000, 2)


def test_real_tables():
    """Far above chance where no dimension is reduced before, as the paper has it for faces."""
    X, y = load_digits(return_X_y=True)
    train = np.arange(len(X)) % 2 == 0
    model = DirectLDA().fit(X[train], y[train])
    A = direct_lda(X[train], y[train], None)
    centers = [(X[train][y[train] == k] @ A).mean(axis=0) for k in range(10)]
    expected = nearest(X[~train] @ A, centers)
    np.testing.assert_array_equal(model.predict(X[~train]), expected)
    assert model.score(X[~train], y[~train]) > 0.8


def test_names_and_frames():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = DirectLDA().set_output(transform="pandas").fit(X, y)
    assert list(model.transform(X).columns) == ["directlda0", "directlda1"]
    assert list(model.get_feature_names_out()) == ["directlda0", "directlda1"]
    assert list(model.feature_names_in_) == list(X.columns)


def test_means_on_a_line_have_one_direction():
    X = np.array([[0, 1], [0, -1], [3, 1], [3, -1], [5, 1], [5, -1]], dtype=float)
    y = np.repeat([0, 1, 2], 2)
    model = DirectLDA().fit(X, y)
    assert model.transform(X).shape == (6, 1)
    assert model.scalings_[1, 0] == pytest.approx(0, abs=1e-12)
    assert DirectLDA(2).fit(X, y).transform(X).shape == (6, 1)
    np.testing.assert_array_equal(
        model.predict([[1.4, 9], [1.6, 9], [3.9, 9], [4.1, 9]]), [0, 1, 1, 2]
    )


class TestRefusals:
    @pytest.mark.parametrize("offset", [0.0, 0.1, 1e6, -1e8])
    def test_equal_means(self, offset):
        """The means of the same rows in another order differ in the last bits."""
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(50, 4)) + offset
        X = np.vstack([rows, rng.permutation(rows), rng.permutation(rows)])
        with pytest.raises(InvalidInputError, match="same mean in every feature"):
            DirectLDA().fit(X, np.repeat([0, 1, 2], 50))
        with pytest.raises(InvalidInputError, match="same mean in every feature"):
            DirectLDA().fit(np.full((150, 3), offset), np.repeat([0, 1, 2], 50))

    def test_one_class(self):
        with pytest.raises(InvalidInputError, match="the data have one class, 'x'"):
            DirectLDA().fit(np.eye(3), ["x"] * 3)

    @pytest.mark.parametrize(("asked", "n_features", "limit"), [(3, 4, 2), (2, 1, 1), (7, 4, 2)])
    def test_more_components_than_there_are(self, asked, n_features, limit):
        X, y = blobs(n_features=n_features)
        with pytest.raises(
            InvalidInputError, match=f"n_components={asked} .* Use {limit} or fewer"
        ):
            DirectLDA(asked).fit(X, y)
        assert DirectLDA(limit).fit(X, y).scalings_.shape == (n_features, limit)

    @pytest.mark.parametrize("asked", [0, 1.5, "all"])
    def test_what_is_no_number_of_components(self, asked):
        with pytest.raises(
            ValueError, match="'n_components' parameter of DirectLDA must be an int"
        ):
            DirectLDA(asked).fit(*blobs())


def test_it_can_be_kept():
    X, y = blobs()
    model = DirectLDA().fit(X, y)
    kept = skops.io.dumps(model)
    trusted = ["distsearch.odd._direct_lda.DirectLDA"]
    assert skops.io.get_untrusted_types(data=kept) == trusted
    again = skops.io.loads(kept, trusted=trusted)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert [name for name in vars(model) if name.startswith("_")] == []


seeds = st.integers(0, 2**16)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_turning_and_moving_the_rows_changes_no_decision(seed):
    X, y = blobs(seed, counts=(8, 7, 9), n_features=5)
    new = np.random.default_rng(seed).normal(size=(20, 5)) * 3
    Q = ortho_group.rvs(5, random_state=np.random.default_rng(seed))
    moved = DirectLDA().fit(X @ Q + 3.0, y).decision_function(new @ Q + 3.0)
    np.testing.assert_allclose(moved, DirectLDA().fit(X, y).decision_function(new), atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(seeds, st.floats(1e-6, 1e6))
def test_the_unit_of_the_features_does_not_matter(seed, unit):
    X, y = blobs(seed, counts=(8, 7, 9), n_features=5)
    plain = DirectLDA().fit(X, y).decision_function(X)
    other = clone(DirectLDA()).fit(X * unit, y).decision_function(X * unit)
    np.testing.assert_allclose(other, plain, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_the_order_of_the_rows_does_not_matter(seed):
    X, y = blobs(seed, counts=(8, 7, 9), n_features=30)
    order = np.random.default_rng(seed).permutation(len(X))
    shuffled = DirectLDA().fit(X[order], y[order]).decision_function(X)
    np.testing.assert_allclose(shuffled, DirectLDA().fit(X, y).decision_function(X), atol=1e-7)
