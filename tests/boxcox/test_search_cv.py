import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import skops.io
from boxcox.reference_program import scaled_to_one_two, training_accuracy
from boxcox.stubs import (
    HoldsALock,
    NoiseClassifier,
    Recorder,
    SeededNoise,
    SignClassifier,
    WarnsAndFails,
)
from scipy import special
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import accuracy_score, f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from distsearch.backends import SerialBackend, get_backend
from distsearch.boxcox import (
    STRATEGIES,
    BoxCoxSearchCV,
    BoxCoxTransformer,
    DiagonalGrid,
    FullGrid,
    IterativeGrid,
    SphericalGrid,
)
from distsearch.errors import (
    CannotBeSentError,
    DistsearchWarning,
    InvalidInputError,
    SearchFailedError,
)
from distsearch.search import ScriptedStrategy

RESUBSTITUTION = {"cv": "resubstitution"}


def equal(one, other):
    """Hold two fitted searches to be the same, bit for bit."""
    np.testing.assert_array_equal(one.lambdas_, other.lambdas_)
    assert one.best_score_ == other.best_score_
    assert one.search_history_.keys() == other.search_history_.keys()
    for name, column in one.search_history_.items():
        np.testing.assert_array_equal(column, other.search_history_[name])
    np.testing.assert_array_equal(one.search_lambdas_, other.search_lambdas_)


class TestResult:
    def test_predicts_as_the_same_steps_by_hand(self, blobs):
        X, y = blobs
        X_new = np.random.default_rng(1).uniform(X.min(axis=0), X.max(axis=0), (40, 3))
        search = BoxCoxSearchCV(GaussianNB(), "spherical").fit(X, y)
        span = X.max(axis=0) - X.min(axis=0)
        scaler = StandardScaler()
        Z = scaler.fit_transform(special.boxcox(scaled_to_one_two(X), search.lambdas_))
        model = GaussianNB().fit(Z, y)
        Z_new = special.boxcox(1 + (X_new - X.min(axis=0)) / span, search.lambdas_)
        Z_new = scaler.transform(Z_new)
        np.testing.assert_array_equal(search.predict(X_new), model.predict(Z_new))
        np.testing.assert_allclose(search.predict_proba(X_new), model.predict_proba(Z_new))

    def test_the_score_is_cross_validation_on_the_mapped_data(self, blobs):
        X, y = blobs
        search = BoxCoxSearchCV(GaussianNB(), SphericalGrid(), cv=4, scoring="f1").fit(X, y)
        means = []
        for lam in np.linspace(-5, 5, 11):
            model = make_pipeline(StandardScaler(), GaussianNB())
            mapped = special.boxcox(scaled_to_one_two(X), lam)
            means.append(cross_val_score(model, mapped, y, cv=4, scoring="f1").mean())
        np.testing.assert_allclose(search.search_history_["score"], means, rtol=1e-12)
        assert search.best_score_ == search.search_history_["score"].max()
        assert search.lambdas_.tolist() == [np.linspace(-5, 5, 11)[np.argmax(means)]] * 3

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_the_training_score_is_the_models(self, breast, strategy):
        X, y = breast
        if strategy == "full":
            X = X[:, :2]
        search = BoxCoxSearchCV(KNeighborsClassifier(), strategy, **RESUBSTITUTION).fit(X, y)
        assert search.best_score_ == search.best_estimator_.score(X, y) == search.score(X, y)
        slow = training_accuracy(scaled_to_one_two(X), y, KNeighborsClassifier())
        assert search.best_score_ == slow(search.lambdas_)

    def test_the_estimator_is_fitted_on_all_rows(self, blobs):
        X, y = blobs
        search = BoxCoxSearchCV(Recorder(), "mle").fit(X, y)
        inner = search.best_estimator_[-1]
        assert len(inner.X_) == 60
        np.testing.assert_array_equal(inner.X_, search.best_estimator_[0].transform(X))

    def test_history(self, blobs):
        X, y = blobs
        X = np.insert(X, 1, 7.0, axis=1)  # a constant column
        search = BoxCoxSearchCV(GaussianNB(), IterativeGrid(3, epochs=2), random_state=0).fit(X, y)
        table, lambdas = search.search_history_, search.search_lambdas_
        assert list(table) == [
            "evaluation", "epoch", "feature", "value", "score", "from_memo", "best_score",
        ]  # fmt: skip
        assert search.searched_features_.tolist() == [0, 2, 3]
        assert (lambdas[:, 1] == 1).all()
        assert search.lambdas_[1] == 1
        assert table["feature"][:10].tolist() == [-1] + [0] * 3 + [2] * 3 + [3] * 3
        single = table["feature"] >= 0
        np.testing.assert_array_equal(
            table["value"][single], lambdas[single, table["feature"][single]]
        )
        assert np.isnan(table["value"][~single]).all()
        best = np.argmax(table["score"])
        np.testing.assert_array_equal(lambdas[best], search.lambdas_)
        assert table["best_score"][-1] == table["score"].max() == search.best_score_
        assert search.n_evaluations_ == (~table["from_memo"]).sum()
        assert len(pd.DataFrame(table)) == len(pl.DataFrame(table)) == len(lambdas)

    def test_out_of_range(self, blobs):
        X, y = blobs
        far = X * 3
        answers = {}
        for mode in ("clip", "extrapolate"):
            search = BoxCoxSearchCV(GaussianNB(), "spherical", out_of_range=mode).fit(X, y)
            answers[mode] = search.predict_proba(far)
            assert np.isfinite(search.predict_proba(-far)).all()
        inside = np.clip(far, X.min(axis=0), X.max(axis=0))
        clipping = BoxCoxSearchCV(GaussianNB(), "spherical").fit(X, y)
        np.testing.assert_array_equal(answers["clip"], clipping.predict_proba(inside))
        assert not np.allclose(answers["clip"], answers["extrapolate"])
        with pytest.raises(InvalidInputError, match="outside the training range"):
            BoxCoxSearchCV(GaussianNB(), "mle", out_of_range="error").fit(X, y).predict(far)

    def test_one_row(self, blobs):
        X, y = blobs
        search = BoxCoxSearchCV(GaussianNB(), "spherical").fit(X, y)
        one_by_one = [search.predict(row[np.newaxis])[0] for row in X]
        np.testing.assert_array_equal(one_by_one, search.predict(X))


class TestAnyEstimator:
    def test_multiclass(self):
        X, y = load_iris(return_X_y=True)
        search = BoxCoxSearchCV(GaussianNB(), "spherical").fit(X, y)
        assert search.classes_.tolist() == [0, 1, 2]
        assert search.predict_proba(X).shape == (150, 3)
        assert search.best_score_ > 0.94

    @pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 1], [5.0, 7.0]], ids=str)
    def test_labels(self, blobs, labels):
        X, y = blobs
        named = np.array(labels)[y]
        plain = BoxCoxSearchCV(GaussianNB(), "spherical").fit(X, y)
        search = BoxCoxSearchCV(GaussianNB(), "spherical").fit(X, named)
        assert search.classes_.tolist() == labels
        assert search.predict(X).dtype == named.dtype
        np.testing.assert_array_equal(search.predict(X), np.array(labels)[plain.predict(X)])
        np.testing.assert_array_equal(search.lambdas_, plain.lambdas_)

    def test_regression(self):
        X, y = load_diabetes(return_X_y=True)
        X = X[:150, [2, 3, 8]]
        search = BoxCoxSearchCV(Ridge(), IterativeGrid(5, epochs=2), cv=3).fit(X, y[:150])
        plain = make_pipeline(StandardScaler(), Ridge())
        assert search.best_score_ >= cross_val_score(plain, X, y[:150], cv=3).mean()
        assert search.score(X, y[:150]) > 0.4
        assert not hasattr(search, "classes_")

    def test_several_targets(self):
        X, y = make_regression(60, 3, n_targets=2, random_state=0)
        search = BoxCoxSearchCV(LinearRegression(), "spherical", cv=3).fit(X, y)
        assert search.predict(X).shape == (60, 2)

    def test_methods_are_those_of_the_estimator(self, blobs):
        ridge = BoxCoxSearchCV(RidgeClassifier(), "mle")
        for search in (ridge, clone(ridge).fit(*blobs)):
            assert hasattr(search, "predict")
            assert hasattr(search, "decision_function")
            assert not hasattr(search, "predict_proba")
        assert ridge.fit(*blobs).decision_function(blobs[0]).shape == (60,)

    def test_a_pipeline(self, blobs):
        X, y = blobs
        pipeline = make_pipeline(SelectKBest(k=2), LogisticRegression())
        search = BoxCoxSearchCV(pipeline, "spherical").fit(X, y)
        assert search.best_estimator_[-1][-1].coef_.shape == (1, 2)
        assert search.get_params()["estimator__selectkbest__k"] == 2

    def test_two_valued_columns_only(self, blobs):
        X, y = blobs
        dummies = (X > np.median(X, axis=0)).astype(float)
        for strategy in STRATEGIES:
            search = BoxCoxSearchCV(GaussianNB(), strategy).fit(dummies, y)
            assert search.lambdas_.tolist() == [1.0] * 3
            assert search.searched_features_.size == 0
            plain = make_pipeline(StandardScaler(), GaussianNB())
            assert search.best_score_ == cross_val_score(plain, dummies, y).mean()

    @pytest.mark.parametrize("lam", [-5.0, 0.0, 3.0])
    def test_a_two_valued_column_is_the_same_for_every_lambda(self, lam):
        dummy = np.array([0.0, 1, 1, 0, 1])[:, np.newaxis]
        np.testing.assert_allclose(
            BoxCoxTransformer(lam).fit_transform(dummy), StandardScaler().fit_transform(dummy)
        )

    def test_a_strategy_of_ones_own(self, blobs):
        class Fixed:
            """Speaks the protocol and nothing more."""

            def begin(self, start, seed):
                self.inner = SphericalGrid(3)
                self.inner.begin(start, seed)

            def __getattr__(self, name):
                if name.startswith("_") or name == "inner":
                    raise AttributeError(name)
                return getattr(self.inner, name)

            def ask(self):
                return self.inner.ask()

            def tell(self, scores):
                self.inner.tell(scores)

            def planned(self, n_dimensions):
                return 3

        search = BoxCoxSearchCV(GaussianNB(), Fixed()).fit(*blobs)
        equal(search, BoxCoxSearchCV(GaussianNB(), SphericalGrid(3)).fit(*blobs))


class TestScoring:
    def test_by_name_callable_and_scorer(self, blobs):
        X, y = blobs

        def by_hand(estimator, X, y):
            return f1_score(y, estimator.predict(X))

        searches = [
            BoxCoxSearchCV(GaussianNB(), "spherical", scoring=scoring).fit(X, y)
            for scoring in ("f1", by_hand, make_scorer(f1_score))
        ]
        equal(searches[0], searches[1])
        equal(searches[0], searches[2])
        assert searches[0].score(X, y) == f1_score(y, searches[0].predict(X))

    def test_a_metric_that_needs_probabilities(self, blobs):
        search = BoxCoxSearchCV(GaussianNB(), "spherical", scoring="neg_log_loss").fit(*blobs)
        assert search.best_score_ < 0

    def test_the_search_ends_at_the_maximum(self):
        X = np.r_[np.arange(1.0, 7), np.arange(101.0, 107)][:, np.newaxis]
        y = np.repeat([0, 1], 6)
        search = BoxCoxSearchCV(GaussianNB(), IterativeGrid(epochs=50, shift_epoch=1), cv=3)
        assert search.fit(X, y).n_evaluations_ == 1
        assert search.best_score_ == 1.0

    def test_a_count_does_not_end_it(self, blobs):
        scorer = make_scorer(accuracy_score, normalize=False)
        search = BoxCoxSearchCV(GaussianNB(), "diagonal", scoring=scorer, cv=2).fit(*blobs)
        assert len(search.search_history_["score"]) == 3 * 11 + 2
        assert search.best_score_ > 1


class TestSplits:
    def test_kinds_of_cv(self, blobs):
        X, y = blobs
        searches = [
            BoxCoxSearchCV(GaussianNB(), "spherical", cv=cv).fit(X, y)
            for cv in (3, StratifiedKFold(3), list(StratifiedKFold(3).split(X, y)))
        ]
        equal(searches[0], searches[1])
        equal(searches[0], searches[2])

    def test_groups(self, blobs):
        X, y = blobs
        groups = np.tile(np.arange(6), 10)
        search = BoxCoxSearchCV(GaussianNB(), "spherical", cv=GroupKFold(3))
        by_rows = list(GroupKFold(3).split(X, y, groups))
        equal(
            search.fit(X, y, groups=groups),
            BoxCoxSearchCV(GaussianNB(), "spherical", cv=by_rows).fit(X, y),
        )
        with pytest.raises(ValueError, match="groups"):
            clone(search).fit(X, y)

    @pytest.mark.parametrize(
        "cv", [10, RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=42)]
    )
    def test_a_rare_class_is_refused_before_any_work(self, cv):
        X = np.column_stack([np.arange(1, 11), [1, 3, 5, 2, 4, 1, 3, 5, 2, 4]])
        y = np.array(list("aaaaaaabbb"))
        with pytest.raises(InvalidInputError, match=r"'b' has 3 .* 10 folds.* at most 3 folds"):
            BoxCoxSearchCV(WarnsAndFails(limit=-np.inf), cv=cv).fit(X, y)

    def test_one_class(self, blobs):
        with pytest.raises(InvalidInputError, match="one class, 'only'"):
            BoxCoxSearchCV(GaussianNB()).fit(blobs[0], ["only"] * 60)


class TestInput:
    @pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda d: d])
    def test_tables(self, blobs, make):
        X, y = blobs
        plain = BoxCoxSearchCV(GaussianNB(), "spherical").fit(X, y)
        columns = dict(zip(["a", "b", "c"], X.T, strict=True))
        table = X.tolist() if make(columns) is columns else make(columns)
        search = BoxCoxSearchCV(GaussianNB(), "spherical").fit(table, y.tolist())
        equal(search, plain)
        np.testing.assert_array_equal(search.predict_proba(table), plain.predict_proba(X))
        if not isinstance(table, list):
            assert search.feature_names_in_.tolist() == ["a", "b", "c"]
            assert search.best_estimator_[0].feature_names_in_.tolist() == ["a", "b", "c"]

    def test_columns_in_another_order_are_refused(self, blobs):
        table = pd.DataFrame(blobs[0], columns=["a", "b", "c"])
        search = BoxCoxSearchCV(GaussianNB(), "mle").fit(table, blobs[1])
        with pytest.raises(ValueError, match="feature names"):
            search.predict(table[["b", "a", "c"]])

    def test_read_only(self, blobs):
        X, y = (values.copy() for values in blobs)
        X.flags.writeable = y.flags.writeable = False
        search = BoxCoxSearchCV(KNeighborsClassifier(), DiagonalGrid(3)).fit(X, y)
        equal(search, BoxCoxSearchCV(KNeighborsClassifier(), DiagonalGrid(3)).fit(*blobs))
        np.testing.assert_array_equal(search.predict(X), search.predict(blobs[0]))

    def test_float32_stays_float32(self, blobs):
        X, y = blobs
        search = BoxCoxSearchCV(Recorder(), "mle").fit(X.astype(np.float32), y)
        assert search.best_estimator_[-1].X_.dtype == np.float32

    def test_missing_values_follow_the_estimator(self, blobs):
        X, y = blobs[0].copy(), blobs[1]
        X[::7, 1] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            BoxCoxSearchCV(GaussianNB()).fit(X, y)
        boosting = HistGradientBoostingClassifier(max_iter=5, random_state=0)
        with pytest.warns(DistsearchWarning, match="splits on the order"):
            search = BoxCoxSearchCV(boosting, SphericalGrid(3), cv=2).fit(X, y)
        assert search.predict(X).shape == (60,)
        pipeline = make_pipeline(SimpleImputer(), GaussianNB())
        search = BoxCoxSearchCV(pipeline, SphericalGrid(3), cv=2).fit(X, y)
        assert np.isfinite(search.predict_proba([[np.nan, np.nan, np.nan]])).all()
        assert search.best_score_ > 0.6

    def test_columns_without_values_beside_others(self, blobs):
        X, y = blobs[0].copy(), blobs[1]
        X[:, 1] = np.nan
        imputer = SimpleImputer(keep_empty_features=True)
        search = BoxCoxSearchCV(make_pipeline(imputer, GaussianNB()), "spherical").fit(X, y)
        assert search.searched_features_.tolist() == [0, 2]
        assert np.isfinite(search.predict_proba(X)).all()

    def test_an_outlier_is_warned_of_once(self, blobs):
        X, y = blobs[0].copy(), blobs[1]
        X[3, 1] = 1e30
        with pytest.warns(DistsearchWarning, match="x1") as caught:
            BoxCoxSearchCV(GaussianNB(), "mle").fit(X, y)
        assert len(caught) == 1
        assert caught[0].filename == __file__

    def test_not_fitted(self, blobs):
        search = BoxCoxSearchCV(GaussianNB())
        for call in (search.predict, search.predict_proba):
            with pytest.raises(NotFittedError):
                call(blobs[0])
        assert not hasattr(search, "classes_")


class TestParametersOfFit:
    def test_weights_reach_every_fit(self, blobs):
        X, y = blobs
        weight = np.where(np.arange(60) % 5 == 0, 0.0, 1.0)
        search = BoxCoxSearchCV(GaussianNB(), "spherical", **RESUBSTITUTION)
        weighted = clone(search).fit(X, y, sample_weight=weight)
        slow = []
        for lam in np.linspace(-5, 5, 11):
            Z = StandardScaler().fit_transform(special.boxcox(scaled_to_one_two(X), lam))
            slow.append(GaussianNB().fit(Z, y, sample_weight=weight).score(Z, y))
        np.testing.assert_array_equal(weighted.search_history_["score"], slow)
        assert weighted.best_estimator_[-1].class_prior_.tolist() == [0.5, 0.5]
        assert weighted.best_estimator_[-1].class_count_.tolist() == [24, 24]

    def test_of_a_step_of_a_pipeline(self, blobs):
        pipeline = make_pipeline(SelectKBest(k=2), Recorder())
        search = BoxCoxSearchCV(pipeline, "mle", cv=2)
        weight = np.arange(60.0)
        search.fit(*blobs, recorder__sample_weight=weight)
        np.testing.assert_array_equal(search.best_estimator_[-1][-1].sample_weight_, weight)

    def test_that_nobody_takes(self, blobs):
        with pytest.raises(InvalidInputError, match=r"GaussianNB.fit takes no 'weight'"):
            BoxCoxSearchCV(GaussianNB()).fit(*blobs, weight=1)

    @pytest.mark.parametrize("cv", [3, "resubstitution"])
    def test_routing(self, blobs, cv):
        X, y = blobs
        weight = np.where(y == 1, 5.0, 1.0)
        with config_context(enable_metadata_routing=True):
            scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
            model = GaussianNB().set_fit_request(sample_weight=True)
            search = BoxCoxSearchCV(model, "spherical", scoring=scorer, cv=cv)
            search.fit(X, y, sample_weight=weight)
            assert search.best_estimator_[-1].class_prior_[1] == pytest.approx(5 / 6)
            score = search.score(X, y, sample_weight=weight)
            by_hand = accuracy_score(y, search.predict(X), sample_weight=weight)
            assert score == by_hand != search.score(X, y)
            if cv == "resubstitution":
                assert search.best_score_ == score

    def test_routing_of_groups(self, blobs):
        X, y = blobs
        groups = np.tile(np.arange(6), 10)
        search = BoxCoxSearchCV(GaussianNB(), "spherical", cv=GroupKFold(3))
        plain = clone(search).fit(X, y, groups=groups)
        with config_context(enable_metadata_routing=True):
            equal(search.fit(X, y, groups=groups), plain)

    def test_routing_refuses_what_nobody_asked_for(self, blobs):
        with config_context(enable_metadata_routing=True), pytest.raises(TypeError, match="weird"):
            BoxCoxSearchCV(GaussianNB()).fit(*blobs, weird=np.ones(60))


class TestFailures:
    def test_the_first_error_is_the_cause(self, blobs):
        with pytest.raises(SearchFailedError, match=r"ArithmeticError.*too large") as caught:
            BoxCoxSearchCV(WarnsAndFails(limit=-np.inf), "spherical").fit(*blobs)
        assert isinstance(caught.value.__cause__, ArithmeticError)

    def test_some_fail(self, blobs):
        limit = np.median(
            [BoxCoxTransformer(lam).fit_transform(blobs[0])[0, 0] for lam in range(-5, 6)]
        )
        search = BoxCoxSearchCV(WarnsAndFails(limit), "spherical", **RESUBSTITUTION)
        with pytest.warns((DistsearchWarning, RuntimeWarning)) as caught:  # the last fit's, too
            search.fit(*blobs)
        failed = np.isnan(search.search_history_["score"])
        assert failed.sum() == 5
        texts = [str(w.message) for w in caught if w.category is DistsearchWarning]
        assert any("5 of 11 candidates failed" in text for text in texts)
        assert any("6 × RuntimeWarning: did not converge" in text for text in texts)
        assert len(texts) == 2
        assert not np.isnan(search.best_score_)

    def test_raise(self, blobs):
        with pytest.raises(ArithmeticError):
            BoxCoxSearchCV(WarnsAndFails(-np.inf), error_score="raise").fit(*blobs)

    def test_what_cannot_be_sent_is_said_at_once(self, blobs):
        with pytest.raises(CannotBeSentError, match="guard"):
            BoxCoxSearchCV(HoldsALock()).fit(*blobs)

    def test_a_grid_that_is_too_large(self, breast):
        search = BoxCoxSearchCV(GaussianNB(), FullGrid(max_candidates=100))
        with pytest.raises(InvalidInputError, match=r"11\^3 candidates; at most 100"):
            search.fit(breast[0][:, :3], breast[1])

    @pytest.mark.parametrize(
        ("parameters", "name"),
        [
            ({"strategy": "iterativ"}, "strategy"),
            ({"strategy": object()}, "strategy"),
            ({"cv": "loo"}, "cv"),
            ({"out_of_range": "wrap"}, "out_of_range"),
            ({"error_score": "ignore"}, "error_score"),
            ({"backend": 4}, "backend"),
            ({"random_state": "x"}, "random_state"),
            ({"scoring": 3}, "scoring"),
        ],
    )
    def test_parameters(self, blobs, parameters, name):
        with pytest.raises(ValueError, match=f"'{name}' parameter of BoxCoxSearchCV"):
            BoxCoxSearchCV(GaussianNB(), **parameters).fit(*blobs)


@pytest.fixture(scope="module")
def two_processes():
    with get_backend("processes:2") as backend:
        yield backend


RESTARTS = IterativeGrid(3, epochs=3, shift_epoch=1, shuffle_epoch=1)


class TestReproducible:
    @pytest.mark.parametrize("estimator", [GaussianNB(), NoiseClassifier(), SeededNoise()])
    def test_on_every_backend(self, blobs, two_processes, estimator):
        search = BoxCoxSearchCV(estimator, IterativeGrid(3, epochs=2, shift_epoch=1), cv=2)
        here = clone(search).set_params(random_state=5).fit(*blobs)
        there = clone(search).set_params(random_state=5, backend=two_processes).fit(*blobs)
        equal(here, there)
        model, other = here.best_estimator_[-1], there.best_estimator_[-1]
        if isinstance(estimator, SeededNoise):
            np.testing.assert_array_equal(model.guesses_, other.guesses_)
            assert len(set(here.search_history_["score"])) > 3  # not one stream for all
        again = clone(search).set_params(random_state=6).fit(*blobs)
        assert again.search_lambdas_.tolist() != here.search_lambdas_.tolist()

    def test_the_callers_generator_is_neither_used_nor_moved(self, blobs):
        results = []
        for seed in (1, 2):
            np.random.seed(seed)
            before = np.random.get_state()
            results.append(
                BoxCoxSearchCV(SeededNoise(), RESTARTS, cv=2, random_state=7).fit(*blobs)
            )
            after = np.random.get_state()
            np.testing.assert_array_equal(before[1], after[1])
            assert before[2:] == after[2:]
        equal(*results)

    @pytest.mark.parametrize(
        "make",
        [
            lambda: 0,
            lambda: np.random.RandomState(0),
            lambda: np.random.default_rng(0),
            lambda: np.random.SeedSequence(0),
        ],
    )
    def test_kinds_of_random_state(self, blobs, make):
        first, second = (
            BoxCoxSearchCV(NoiseClassifier(), RESTARTS, cv=2, random_state=make()).fit(*blobs)
            for _ in range(2)
        )
        equal(first, second)

    def test_none_is_a_new_seed_each_time(self, blobs):
        search = BoxCoxSearchCV(GaussianNB(), RESTARTS, cv=2)
        first = clone(search).fit(*blobs).search_lambdas_
        second = clone(search).fit(*blobs).search_lambdas_
        assert first.tolist() != second.tolist()

    def test_fitting_again_is_the_same(self, blobs):
        search = BoxCoxSearchCV(GaussianNB(), RESTARTS, random_state=3, cv=2).fit(*blobs)
        first = copy.deepcopy(search)
        equal(search.fit(*blobs), first)

    @pytest.mark.parametrize("strategy", ["full", "spherical", "iterative", "diagonal"])
    def test_ties_are_settled_by_rule(self, two_processes, strategy):
        X = np.r_[np.arange(1.0, 7), np.arange(101.0, 107)][:, np.newaxis]
        y = np.repeat(["a", "b"], 6)
        search = BoxCoxSearchCV(LinearSVC(random_state=0), strategy, **RESUBSTITUTION).fit(X, y)
        (start,) = BoxCoxTransformer().fit(X).lambdas_
        expected = {"full": -5.0, "spherical": -5.0, "diagonal": 1.0}.get(strategy)
        expected = np.clip(start, -5, 5) if expected is None else expected
        assert search.lambdas_.tolist() == [expected]
        assert search.best_score_ == 1.0
        if strategy == "full":
            equal(search, clone(search).set_params(backend=two_processes).fit(X, y))

    def test_a_function_made_on_the_spot_travels(self, blobs):
        pipeline = make_pipeline(FunctionTransformer(lambda Z: Z**3), GaussianNB())
        search = BoxCoxSearchCV(pipeline, SphericalGrid(3), cv=2)
        equal(
            clone(search).fit(*blobs), clone(search).set_params(backend="processes:2").fit(*blobs)
        )

    def test_a_backend_object_stays_open(self, blobs):
        with SerialBackend() as backend:
            for _ in range(2):
                BoxCoxSearchCV(GaussianNB(), "mle", backend=backend).fit(*blobs)


class TestManners:
    def test_nothing_given_is_changed(self, blobs):
        strategy, estimator = IterativeGrid(3, epochs=2), GaussianNB()
        X, y = (values.copy() for values in blobs)
        search = BoxCoxSearchCV(estimator, strategy, cv=2).fit(X, y)
        assert search.strategy is strategy
        assert search.estimator is estimator
        assert not hasattr(estimator, "classes_")
        assert vars(strategy).keys() == strategy.get_params().keys()
        assert search.strategy_.done
        assert isinstance(search.strategy_, ScriptedStrategy)
        np.testing.assert_array_equal(X, blobs[0])
        np.testing.assert_array_equal(y, blobs[1])

    def test_clone_keeps_the_parameters(self):
        search = BoxCoxSearchCV(
            GaussianNB(var_smoothing=0.1), DiagonalGrid(5), scoring="f1", cv=3,
            out_of_range="error", backend="processes:2", random_state=4, error_score=0.0,
            checkpoint="x", verbose=1,
        )  # fmt: skip
        twin = clone(search)
        for name, value in search.get_params().items():
            if name not in {"estimator", "strategy"}:
                assert twin.get_params()[name] == value
        assert twin.get_params()["estimator__var_smoothing"] == 0.1
        assert twin.get_params()["strategy__gridsize"] == 5

    def test_inside_a_grid_search(self, blobs):
        search = BoxCoxSearchCV(GaussianNB(), IterativeGrid(3), random_state=0, **RESUBSTITUTION)
        choices = {"strategy__epochs": [1, 2], "strategy__gridsize": [3, 5]}
        grid = GridSearchCV(search, choices, cv=2)
        grid.fit(*blobs)
        assert len(grid.cv_results_["params"]) == 4
        assert grid.best_estimator_.strategy_.epochs == grid.best_params_["strategy__epochs"]

    def test_inside_a_cross_validation(self, blobs):
        search = BoxCoxSearchCV(GaussianNB(), "spherical", **RESUBSTITUTION)
        scores = cross_val_score(search, *blobs, cv=3)
        for score, (train, test) in zip(scores, StratifiedKFold(3).split(*blobs), strict=True):
            model = clone(search).fit(blobs[0][train], blobs[1][train])
            assert score == accuracy_score(blobs[1][test], model.predict(blobs[0][test]))

    def test_pickle(self, blobs):
        search = BoxCoxSearchCV(GaussianNB(), RESTARTS, random_state=0, cv=2).fit(*blobs)
        again = pickle.loads(pickle.dumps(search))
        equal(search, again)
        np.testing.assert_array_equal(search.predict(blobs[0]), again.predict(blobs[0]))
        np.testing.assert_array_equal(search.strategy_.best[0], again.strategy_.best[0])

    @pytest.mark.parametrize("state", [0, None])
    def test_skops(self, blobs, state):
        search = BoxCoxSearchCV(GaussianNB(), RESTARTS, random_state=state, cv=2).fit(*blobs)
        data = skops.io.dumps(search)
        strangers = skops.io.get_untrusted_types(data=data)
        assert all(name.startswith(("distsearch.", "sklearn.", "numpy.")) for name in strangers)
        assert "numpy.random.bit_generator.SeedSequence" not in strangers
        again = skops.io.loads(data, trusted=strangers)
        equal(search, again)
        np.testing.assert_array_equal(search.predict(blobs[0]), again.predict(blobs[0]))

    def test_html(self):
        assert "GaussianNB" in BoxCoxSearchCV(GaussianNB())._repr_html_()

    def test_trees_are_warned_about_and_others_are_not(self, blobs):
        with pytest.warns(DistsearchWarning, match="DecisionTreeClassifier splits") as caught:
            BoxCoxSearchCV(DecisionTreeClassifier(random_state=0), "mle").fit(*blobs)
        assert caught[0].filename == __file__
        BoxCoxSearchCV(KNeighborsClassifier(), "mle").fit(*blobs)  # any warning is an error here

    def test_verbose_writes_to_standard_error(self, blobs, capsys):
        BoxCoxSearchCV(GaussianNB(), "spherical", verbose=1).fit(*blobs)
        out, err = capsys.readouterr()
        assert out == ""
        assert "Box-Cox search: 11, best 0." in err
        BoxCoxSearchCV(GaussianNB(), "spherical").fit(*blobs)
        assert capsys.readouterr() == ("", "")


class TestCheckpoint:
    def search(self, path, **changes):
        parameters = {"random_state": 3, "cv": 3, "checkpoint": path, **changes}
        return BoxCoxSearchCV(GaussianNB(), RESTARTS, **parameters)

    def test_the_same_fit_continues(self, blobs, tmp_path):
        first = self.search(tmp_path / "scores").fit(*blobs)
        second = self.search(str(tmp_path / "scores")).fit(*blobs)
        assert second.n_evaluations_ == 0 < first.n_evaluations_
        np.testing.assert_array_equal(first.lambdas_, second.lambdas_)
        assert first.best_score_ == second.best_score_

    @pytest.mark.parametrize(
        "changes", [{"random_state": 4}, {"cv": 4}, {"scoring": "f1"}], ids=str
    )
    def test_another_fit_is_refused(self, blobs, tmp_path, changes):
        self.search(tmp_path / "scores").fit(*blobs)
        with pytest.raises(InvalidInputError, match="belongs to another search"):
            self.search(tmp_path / "scores", **changes).fit(*blobs)

    def test_other_data_or_another_estimator_are_refused(self, blobs, tmp_path):
        X, y = blobs
        self.search(tmp_path / "scores").fit(X, y)
        with pytest.raises(InvalidInputError, match="belongs to another search"):
            self.search(tmp_path / "scores").fit(X**1.001, y)
        with pytest.raises(InvalidInputError, match="belongs to another search"):
            self.search(tmp_path / "scores").fit(X, 1 - y)
        other = self.search(tmp_path / "scores")
        with pytest.raises(InvalidInputError, match="belongs to another search"):
            other.set_params(estimator__var_smoothing=0.1).fit(X, y)

    def test_another_strategy_uses_what_is_known(self, blobs, tmp_path):
        self.search(tmp_path / "scores").fit(*blobs)
        longer = self.search(tmp_path / "scores").set_params(strategy__epochs=4).fit(*blobs)
        alone = self.search(None).set_params(strategy__epochs=4).fit(*blobs)
        np.testing.assert_array_equal(longer.lambdas_, alone.lambdas_)
        assert 0 < longer.n_evaluations_ < alone.n_evaluations_

    def test_without_a_seed_none_could_continue(self, blobs, tmp_path):
        search = BoxCoxSearchCV(SignClassifier(), "mle", checkpoint=tmp_path / "scores")
        with pytest.raises(InvalidInputError, match="random_state"):
            search.fit(*blobs)

    def test_an_estimator_that_cannot_be_hashed(self, blobs, tmp_path):
        search = BoxCoxSearchCV(
            SignClassifier(), "mle", checkpoint=tmp_path / "scores", random_state=0,
            scoring=lambda estimator, X, y: 0.0,
        )  # fmt: skip
        with pytest.raises(InvalidInputError, match="can be pickled"):
            search.fit(*blobs)
