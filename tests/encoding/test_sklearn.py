"""As a part of scikit-learn: its own checks, pipelines, copies, files and routed weights."""

import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from encoding.tables import assert_same_bits, make_large, quietly
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from distsearch.encoding import OrderedTargetEncoder

X, TARGETS, WEIGHTS = make_large(120)
NAME = "distsearch.encoding._encoder.OrderedTargetEncoder"


@pytest.mark.filterwarnings("ignore:None of the columns is categorical")
@pytest.mark.filterwarnings("ignore:These are the rows that the encoder was fitted on")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [OrderedTargetEncoder(), OrderedTargetEncoder(columns="all", smoothing=1e6)]
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


class TestPipelines:
    def test_no_warning_and_the_ordered_values(self):
        model = make_pipeline(OrderedTargetEncoder("all"), LogisticRegression())
        y = TARGETS["multiclass"]
        model.fit(X, y)
        model.predict(X)
        model.score(X, y)
        alone = LogisticRegression().fit(OrderedTargetEncoder("all").fit_transform(X, y), y)
        np.testing.assert_array_equal(model[-1].coef_, alone.coef_)

    def test_cross_validation_and_search(self):
        model = make_pipeline(OrderedTargetEncoder("all", smoothing=0.0, prior=0.5), Ridge())
        model.set_params(orderedtargetencoder__smoothing=2.0)
        scores = cross_val_score(model, X, TARGETS["continuous"] * 1e-12, cv=3)
        assert np.isfinite(scores).all()
        search = GridSearchCV(model, {"orderedtargetencoder__smoothing": [0.5, 5.0]}, cv=2)
        search.fit(X, np.tanh(TARGETS["continuous"]))
        assert search.best_params_["orderedtargetencoder__smoothing"] in {0.5, 5.0}

    def test_inside_a_column_transformer_and_a_union(self):
        y = TARGETS["binary"]
        split = make_column_transformer(
            (OrderedTargetEncoder("all"), ["text", "code"]), remainder="passthrough"
        )
        values = split.fit_transform(X, y)
        expected = OrderedTargetEncoder("all").fit_transform(X[["text", "code"]], y)
        assert_same_bits(values[:, :2].astype(float), expected)
        split.transform(X)
        union = FeatureUnion(
            [("one", OrderedTargetEncoder("all")), ("two", OrderedTargetEncoder())]
        )
        assert union.fit_transform(X, y).shape == (120, 8)

    def test_names_through_a_pipeline(self):
        model = make_pipeline(OrderedTargetEncoder("all"), LogisticRegression())
        model.set_output(transform="pandas").fit(X, TARGETS["multiclass"])
        assert model[-1].feature_names_in_.tolist() == [
            f"{name}_{label}" for name in X for label in "HLMNOP"
        ]


class TestRoutedWeights:
    y = TARGETS["binary"]
    expected = OrderedTargetEncoder("all").fit_transform(X, y, WEIGHTS)

    def test_asking_for_them_in_fit_is_enough(self):
        with config_context(enable_metadata_routing=True):
            encoder = OrderedTargetEncoder("all").set_fit_request(sample_weight=True)
            ridge = Ridge().set_fit_request(sample_weight=False)
            model = make_pipeline(encoder, ridge).fit(X, self.y, sample_weight=WEIGHTS)
            model.predict(X)
        alone = Ridge().fit(self.expected, self.y)
        np.testing.assert_array_equal(model[-1].coef_, alone.coef_)

    def test_in_cross_validation(self):
        with config_context(enable_metadata_routing=True):
            encoder = OrderedTargetEncoder("all").set_fit_request(sample_weight=True)
            ridge = Ridge().set_fit_request(sample_weight=True)
            ridge.set_score_request(sample_weight=True)
            scores = cross_val_score(
                make_pipeline(encoder, ridge), X, self.y, params={"sample_weight": WEIGHTS}
            )
        assert np.isfinite(scores).all()

    def test_not_asked_for_is_refused_and_declined_is_left_out(self):
        with config_context(enable_metadata_routing=True):
            ridge = Ridge().set_fit_request(sample_weight=True)
            with pytest.raises(ValueError, match="sample_weight"):
                make_pipeline(OrderedTargetEncoder("all"), ridge).fit(
                    X, self.y, sample_weight=WEIGHTS
                )
            encoder = OrderedTargetEncoder("all").set_fit_request(sample_weight=False)
            model = make_pipeline(encoder, ridge).fit(X, self.y, sample_weight=WEIGHTS)
        plain = OrderedTargetEncoder("all").fit(X, self.y)
        assert_same_bits(model[0].prior_, plain.prior_)

    def test_without_routing_by_prefix(self):
        model = make_pipeline(OrderedTargetEncoder("all"), Ridge())
        model.fit(X, self.y, orderedtargetencoder__sample_weight=WEIGHTS)
        np.testing.assert_array_equal(model[-1].coef_, Ridge().fit(self.expected, self.y).coef_)


def all_that_comes_of(encoder, y, table=X):
    earlier = OrderedTargetEncoder("all").fit(table[:50], y[:50])
    return [
        encoder.transform(table),
        encoder.transform(table, y),
        encoder.transform(table[50:], y[50:], earlier=earlier),
        encoder.prior_,
        *encoder.encodings_,
        clone(encoder).fit_transform(table, y),
    ]


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("by", ["pickle", "joblib", "skops"])
def test_copies_give_the_same_bits(kind, weighted, by, tmp_path):
    y = TARGETS[kind]
    encoder = OrderedTargetEncoder("all").fit(X, y, WEIGHTS if weighted else None)
    expected = quietly(all_that_comes_of, encoder, y)
    again = COPIES[by](encoder, tmp_path)
    for one, two in zip(quietly(all_that_comes_of, again, y), expected, strict=True):
        assert_same_bits(one, two)
    for name in ("n_samples_seen_", "target_type_", "n_features_in_"):
        assert getattr(again, name) == getattr(encoder, name)
    assert again.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()
    for one, two in zip(again.categories_, encoder.categories_, strict=True):
        assert [v if v == v else None for v in one] == [v if v == v else None for v in two]
    assert_same_bits(
        quietly(again.partial_fit(X, y).transform, X),
        quietly(encoder.partial_fit(X, y).transform, X),
    )


def by_joblib(encoder, folder):
    joblib.dump(encoder, folder / "encoder.joblib")
    return joblib.load(folder / "encoder.joblib")


def by_skops(encoder, folder):
    skops.io.dump(encoder, folder / "encoder.skops")
    assert skops.io.get_untrusted_types(file=folder / "encoder.skops") == [NAME]
    return skops.io.load(folder / "encoder.skops", trusted=[NAME])


def by_a_process(encoder):
    """Have it read and written again by a fresh process."""
    program = (
        "import pickle, sys; e = pickle.load(sys.stdin.buffer); pickle.dump(e, sys.stdout.buffer)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps(encoder),
        capture_output=True,
        check=True,
    )
    return pickle.loads(done.stdout)


def test_a_copy_from_another_process():
    y = TARGETS["multiclass"]
    encoder = OrderedTargetEncoder("all").fit(X, y)
    expected = quietly(all_that_comes_of, encoder, y)
    for one, two in zip(
        quietly(all_that_comes_of, by_a_process(encoder), y), expected, strict=True
    ):
        assert_same_bits(one, two)


COPIES = {
    "pickle": lambda encoder, _: pickle.loads(pickle.dumps(encoder)),
    "joblib": by_joblib,
    "skops": by_skops,
}


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["a", "b", None, "a"], dtype="str"),
        pd.Series(pd.Categorical(["a", "b", None, "a"], list("cba"))),
        pd.to_datetime(pd.Series(["2020-01-01", "2020-01-02", None, "2020-01-01"])),
        pd.to_datetime(pd.Series(["2020-01-01", "2020-01-02", None, "2020-01-01"])).dt.tz_localize(
            "Asia/Tokyo"
        ),
        pd.to_timedelta(pd.Series([1, 2, None, 1]), unit="D"),
        pd.Series([True, False, None, True], dtype=object),
        pd.Series([1, "1", None, 1], dtype=object),
        pd.Series([1, 2, None, 1], dtype="Int64"),
    ],
    ids=lambda column: str(column.dtype),
)
@pytest.mark.parametrize("labels", ["text", "whole", "truth", "numbers"])
def test_columns_and_labels_of_all_types_in_a_file(column, labels, tmp_path):
    y = {
        "text": list("uvuw"), "whole": [0, 1, 1, 0], "truth": [True, False, True, True],
        "numbers": [0.5, 1.5, 2.5, 1e-9],
    }[labels]  # fmt: skip
    table = column.to_frame("c")
    encoder = OrderedTargetEncoder("all").fit(table, y)
    again = by_skops(encoder, tmp_path)
    assert_same_bits(quietly(again.transform, table), quietly(encoder.transform, table))
    if encoder.classes_ is not None:
        assert again.classes_.tolist() == encoder.classes_.tolist()


def test_an_encoder_that_was_not_fitted_in_a_file(tmp_path):
    again = by_skops(OrderedTargetEncoder(smoothing=3.0, order="when"), tmp_path)
    assert again.get_params() == OrderedTargetEncoder(smoothing=3.0, order="when").get_params()


def test_clone_and_parameters():
    how = {
        "columns": ["text"], "target_type": "binary", "smoothing": 2, "prior": 0.5,
        "order": "random", "n_permutations": 2, "noise": 0.1, "drop": "H",
        "handle_unknown": "nan", "handle_missing": "prior", "backend": "processes:2",
        "random_state": 4,
    }  # fmt: skip
    encoder = OrderedTargetEncoder(**how)
    assert encoder.get_params() == how
    assert clone(encoder).get_params() == how
    assert list(OrderedTargetEncoder().get_params()) == sorted(how)
    assert repr(OrderedTargetEncoder(smoothing=2)) == "OrderedTargetEncoder(smoothing=2)"
    fitted = OrderedTargetEncoder("all").fit(X, TARGETS["binary"])
    assert not hasattr(clone(fitted), "prior_")


@pytest.mark.parametrize(
    "use",
    [
        lambda e: e.transform(X),
        lambda e: e.get_feature_names_out(),
        lambda e: e.statistics("text"),
        lambda e: OrderedTargetEncoder().merge(e),
        lambda e: OrderedTargetEncoder("all").fit(X, TARGETS["binary"]).transform(
            X, TARGETS["binary"], earlier=e
        ),
    ],
)  # fmt: skip
def test_not_fitted(use):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        use(OrderedTargetEncoder())


def test_tags():
    tags = OrderedTargetEncoder().__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.allow_nan
    assert tags.input_tags.categorical
    assert tags.input_tags.string
    assert not tags.input_tags.sparse


def test_methods_return_the_encoder_itself():
    encoder = OrderedTargetEncoder("all")
    assert encoder.fit(X, TARGETS["binary"]) is encoder
    assert encoder.partial_fit(X, TARGETS["binary"]) is encoder
    assert encoder.merge(clone(encoder).fit(X, TARGETS["binary"])) is encoder


def test_the_import_loads_no_ray():
    program = (
        "import sys, distsearch.encoding; print('ray' in sys.modules, 'polars' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]
