from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli import recording
from scipy import special
from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from distsearch.cli import _models
from distsearch.cli._categories import in_place, make_preparation, with_encoding
from distsearch.encoding import OrderedTargetEncoder

SERIAL = ("--backend", "serial", "--quiet")


@pytest.fixture(scope="module")
def goods() -> pd.DataFrame:
    """150 rows: two numbers, two categories of which one has holes, and labels they tell of."""
    rng = np.random.default_rng(8)
    y = np.repeat([0, 1, 1], 50)
    color = np.where(rng.random(150) < 0.7, np.array(["blue", "red"])[y], "green")
    made = np.where(rng.random(150) < 0.4, "here", np.where(rng.random(150) < 0.8, "far", None))
    return pd.DataFrame({
        "color": color.astype(object),
        "size": np.exp(rng.normal(size=150) + 0.5 * y).round(6),
        "made": made,
        "weight": (rng.normal(size=150) ** 2 + y).round(6),
        "label": np.array(["bad", "good"])[y],
    })  # fmt: skip


@pytest.fixture
def data(goods: pd.DataFrame, tmp_path: Path) -> Path:
    path = tmp_path / "goods.csv"
    goods.to_csv(path, index=False)
    return path


def encoder(*columns: int, target_type: str = "binary", seed: int = 0) -> OrderedTargetEncoder:
    return OrderedTargetEncoder(
        list(columns), target_type=target_type, order="random", random_state=seed
    )


def fit(run: Callable[..., Any], *args: Any, folder: Path) -> tuple[Any, dict[str, Any]]:
    report = folder / "report.json"
    done = run("fit", *args, "--json", report, *SERIAL)
    assert done.code == 0, done.err
    return done, json.loads(report.read_text(encoding="utf-8"))


class TestNothingLeaks:
    """A column of unique values is the worst that an encoder of targets can meet."""

    @pytest.fixture
    def noise(self, tmp_path: Path) -> Path:
        rng = np.random.default_rng(4)
        frame = pd.DataFrame({
            "a": rng.normal(size=240), "id": [f"n{row}" for row in rng.permutation(240)],
            "b": rng.normal(size=240), "label": np.repeat(["no", "yes", "so"], [120, 60, 60]),
        })  # fmt: skip
        path = tmp_path / "noise.csv"
        frame.to_csv(path, index=False)
        return path

    @pytest.mark.parametrize("estimator", ["tree", "knn"])
    def test_the_score_is_that_of_chance_and_of_a_table_without_it(
        self, run: Callable[..., Any], noise: Path, tmp_path: Path, estimator: str
    ) -> None:
        call = (noise, "--target", "label", "--estimator", estimator, "--strategy", "spherical")
        if estimator == "tree":
            call += ("--param", "max_depth=2")
        done, found = fit(run, *call, folder=tmp_path)
        _, without = fit(run, *call, "--ignore", "id", folder=tmp_path)
        assert "every row has a value of its own in 'id'" in done.err
        assert "--ignore 'id'" in done.err
        assert found["score"] == without["score"] < 0.5 + 0.05
        assert found["base_score"] == without["base_score"]
        assert found["lambdas"] == without["lambdas"]
        assert found["evaluations"] == without["evaluations"]

    def test_every_row_of_a_fold_is_encoded_alike(
        self, run: Callable[..., Any], noise: Path, tmp_path: Path
    ) -> None:
        recording.LOG.clear()
        fit(
            run, noise, "--target", "label", "--estimator", "cli.recording:Recording", "--trust",
            "cli.recording", "--strategy", "mle", "--cv", "4", "--seed", "9", folder=tmp_path,
        )  # fmt: skip
        # Training rows of a category of its own get the prior, so all rows have to get the same,
        # which the standardisation makes zeros.
        y = pd.read_csv(noise)["label"].to_numpy()
        folds = StratifiedKFold(4, shuffle=True, random_state=9)
        expected = [rows for split in folds.split(y, y) for rows in split]
        everything = np.arange(240)
        log = recording.LOG
        # The folds of the search, the fit on all rows, and the folds of the base score.
        assert [kind for kind, _ in log] == [
            *["fit", "predict"] * 4,
            "fit",
            *["fit", "predict"] * 4,
        ]
        for (_, X), rows in zip(log, [*expected, everything, *expected], strict=True):
            assert X.shape == (len(rows), 5)
            assert not X[:, 1:4].any()
            assert X[:, [0, 4]].all()


class TestScores:
    def test_are_those_of_a_plain_loop(
        self, run: Callable[..., Any], data: Path, goods: pd.DataFrame, tmp_path: Path
    ) -> None:
        done, report = fit(
            run, data, "--target", "label", "--estimator", "nb", "--strategy", "spherical",
            "--gridsize", "3", "--scoring", "neg_log_loss", "--seed", "3", folder=tmp_path,
        )  # fmt: skip
        X, y = goods.drop(columns="label"), goods["label"]
        folds = StratifiedKFold(5, shuffle=True, random_state=3)

        def score(numbers: pd.DataFrame) -> float:
            model = make_pipeline(
                ColumnTransformer([
                    ("color", "passthrough", [0]), ("size", StandardScaler(), [1]),
                    ("made", "passthrough", [2]), ("weight", StandardScaler(), [3]),
                ]), encoder(0, 2, seed=3), StandardScaler(), GaussianNB(),
            )  # fmt: skip
            table = X.assign(**numbers)
            return float(cross_val_score(model, table, y, cv=folds, scoring="neg_log_loss").mean())

        numbers = X[["size", "weight"]]
        scaled = 1 + (numbers - numbers.min()) / (numbers.max() - numbers.min())
        scores = {lam: score(special.boxcox(scaled, lam)) for lam in (-5.0, 0.0, 5.0)}
        best = max(scores, key=lambda lam: scores[lam])
        assert report["score"] == pytest.approx(scores[best], abs=1e-9)
        assert report["base_score"] == pytest.approx(score(numbers), abs=1e-9)
        assert report["lambdas"] == {"size": best, "weight": best}
        assert report["categorical"] == {"color": 3, "made": 3}
        assert report["estimator"] == "GaussianNB()"
        assert "'color' and 'made' are text and taken for categories." in done.err

    def test_whole_numbers_are_no_classes_for_a_regressor(
        self, run: Callable[..., Any], data: Path, goods: pd.DataFrame, tmp_path: Path
    ) -> None:
        frame = goods.drop(columns="made").assign(label=(goods["size"] * 3).round() + 1)
        assert frame["label"].nunique() < 50
        frame.to_csv(data, index=False)
        _, report = fit(
            run, data, "--target", "label", "--estimator", "ridge", "--strategy", "mle",
            "--cv", "3", folder=tmp_path,
        )  # fmt: skip
        model = make_pipeline(
            ColumnTransformer(
                [("color", "passthrough", [0]), ("numbers", StandardScaler(), [1, 2])]
            ),
            encoder(0, target_type="continuous"), StandardScaler(), Ridge(random_state=0),
        )  # fmt: skip
        folds = KFold(3, shuffle=True, random_state=0)
        X, y = frame.drop(columns="label"), frame["label"]
        assert report["base_score"] == pytest.approx(cross_val_score(model, X, y, cv=folds).mean())

    def test_a_table_of_categories_alone_has_one_score(
        self, run: Callable[..., Any], data: Path, goods: pd.DataFrame, tmp_path: Path
    ) -> None:
        frame = goods[["color", "made", "label"]]
        frame.to_csv(data, index=False)
        for strategy in ("iterative", "spherical", "diagonal", "full", "mle"):
            done, report = fit(
                run, data, "--target", "label", "--estimator", "nb", "--strategy", strategy,
                folder=tmp_path,
            )  # fmt: skip
            folds = StratifiedKFold(5, shuffle=True, random_state=0)
            model = make_pipeline(encoder(0, 1), StandardScaler(), GaussianNB())
            expected = cross_val_score(model, frame[["color", "made"]], frame["label"], cv=folds)
            assert report["score"] == report["base_score"] == pytest.approx(expected.mean())
            assert (report["lambdas"], report["evaluations"]) == ({}, 1)
            assert "Note: no feature is numeric, so there is no λ to search." in done.err

    @pytest.mark.parametrize(("ignored", "warned"), [((), True), (("size", "weight"), False)])
    def test_trees_see_no_map(
        self, run: Callable[..., Any], data: Path, tmp_path: Path, ignored: tuple[str, ...],
        warned: bool,
    ) -> None:  # fmt: skip
        ignore = [part for name in ignored for part in ("--ignore", name)]
        done, _ = fit(
            run, data, "--target", "label", "--estimator", "tree", "--strategy", "mle", *ignore,
            folder=tmp_path,
        )  # fmt: skip
        assert ("DecisionTreeClassifier splits on the order" in done.err) is warned


class TestModel:
    @pytest.fixture
    def model(self, run: Callable[..., Any], data: Path, tmp_path: Path) -> Path:
        path = tmp_path / "m.skops"
        done = run("fit", data, "--target", "label", "--estimator", "nb", "--strategy", "mle",
                   "-o", path, *SERIAL)  # fmt: skip
        assert done.code == 0
        assert "--trust" not in done.err
        return path

    def test_is_the_whole_pipeline(self, model: Path, goods: pd.DataFrame) -> None:
        content = _models.load(model)
        steps = content["model"]
        assert [name for name, _ in steps.steps] == [
            "codes", "boxcox", "encode", "standardize", "estimator",
        ]  # fmt: skip
        assert content["reading"]["categorical"] == ["color", "made"]
        X, y = goods.drop(columns="label"), goods["label"]
        mapped = steps["boxcox"].transform(steps["codes"].transform(X))
        numbers = mapped[:, [1, 3]]
        np.testing.assert_allclose(numbers.mean(axis=0), 0, atol=1e-12)
        by_hand = make_pipeline(encoder(0, 2), StandardScaler(), GaussianNB()).fit(
            X.assign(size=numbers[:, 0], weight=numbers[:, 1]), y
        )
        np.testing.assert_allclose(
            steps.predict_proba(X),
            by_hand.predict_proba(X.assign(size=numbers[:, 0], weight=numbers[:, 1])),
            rtol=1e-10,
        )

    def test_predicts_for_categories_it_has_not_seen_and_missing_ones(
        self, run: Callable[..., Any], model: Path, goods: pd.DataFrame, tmp_path: Path
    ) -> None:
        new = goods.drop(columns="label").head(8).astype({"color": object, "made": object})
        new["color"] = ["blue", "pink", None, "5", "red", "1.0", "blue", "007"]
        new["made"] = [None, "far", "here", None, "true", "far", "far", "far"]
        new[["weight", "made", "size", "color"]].to_csv(tmp_path / "new.csv", index=False)
        output = tmp_path / "p.parquet"
        done = run("predict", model, tmp_path / "new.csv", "--proba", "-o", output)
        assert (done.code, done.err) == (0, f"8 predictions in {output}.\n")
        got = pd.read_parquet(output)
        pipeline = _models.load(model)["model"]
        np.testing.assert_array_equal(got["proba_good"], pipeline.predict_proba(new)[:, 1])
        assert got["prediction"].tolist() == pipeline.predict(new).tolist()
        codes = pipeline["codes"].transform(new)
        assert codes["color"].tolist() == [0, -1, -1, -1, 2, -1, 0, -1]
        assert codes["made"].tolist() == [-2, 0, 1, -2, -1, 0, 0, 0]
        encoded = pipeline[:-2].transform(new)
        prior = np.mean(goods["label"] == "good")
        np.testing.assert_allclose(encoded[[1, 2, 3, 5, 7], 0], prior)
        known = goods["made"].isna().to_numpy()
        own = (np.sum(known & (goods["label"] == "good")) + prior) / (known.sum() + 1)
        np.testing.assert_allclose(encoded[[0, 3], 2], own)

    @pytest.mark.parametrize("texts", [["5", "6"], ["true", "false"], ["", ""], ["1,5", "007"]])
    def test_a_file_in_which_categories_look_like_something_else(
        self, run: Callable[..., Any], model: Path, goods: pd.DataFrame, tmp_path: Path,
        texts: list[str],
    ) -> None:  # fmt: skip
        new = goods.drop(columns="label").head(2)
        new.assign(color=texts).to_csv(tmp_path / "new.csv", index=False)
        output = tmp_path / "p.parquet"
        assert run("predict", model, tmp_path / "new.csv", "--proba", "-o", output).code == 0
        expected = _models.load(model)["model"].predict_proba(new.assign(color=["?", "?"]))
        got = pd.read_parquet(output)
        np.testing.assert_array_equal(got["proba_good"], expected[:, 1])

    def test_more_columns_may_be_read_as_text(
        self, run: Callable[..., Any], model: Path, goods: pd.DataFrame, tmp_path: Path
    ) -> None:
        new = goods.assign(id=[f"{row:03}" for row in range(150)])
        new.to_csv(tmp_path / "new.csv", index=False)
        call = ("predict", model, tmp_path / "new.csv", "--keep", "id")
        done = run(*call, "--categorical", "id", "--categorical", "size")
        assert done.out.splitlines()[1].startswith("000,")
        plain = run(*call)
        assert plain.out.splitlines()[1].startswith("0,")
        predictions = [
            pd.read_csv(io.StringIO(each.out))["prediction"].tolist() for each in (done, plain)
        ]
        assert predictions[0] == predictions[1]

    def test_values_outside_the_range_are_counted_and_numbers_have_to_be_there(
        self, run: Callable[..., Any], model: Path, goods: pd.DataFrame, tmp_path: Path
    ) -> None:
        new = goods.drop(columns="label").head(5).astype({"size": object})
        new.loc[:2, "size"] = 1e9
        new.to_csv(tmp_path / "new.csv", index=False)
        done = run("predict", model, tmp_path / "new.csv")
        assert "Note: 3 values outside the training range (clip): 'size' 3." in done.err
        new.assign(size="large").to_csv(tmp_path / "new.csv", index=False)
        assert "'size' is text ('large')" in run("predict", model, tmp_path / "new.csv").error
        new.assign(size=None).to_csv(tmp_path / "new.csv", index=False)
        refused = run("predict", model, tmp_path / "new.csv")
        assert refused.code == 2
        assert "'size' 5" in refused.error
        assert "'made'" not in refused.error


def test_declared_codes_stay_apart(run: Callable[..., Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    code = rng.choice(["7", "07", "007"], 120)
    pd.DataFrame({"code": code, "label": np.where(code == "07", "x", "y")}).to_csv(
        tmp_path / "d.csv", index=False
    )
    call = (tmp_path / "d.csv", "--target", "label", "--estimator", "tree", "--strategy", "mle")
    done, report = fit(run, *call, "--categorical", "code", folder=tmp_path)
    assert report["categorical"] == {"code": 3}
    assert report["score"] > 0.9
    assert "taken for categories" not in done.err


def test_columns_that_mix_numbers_and_text_have_to_be_declared(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    frame = pd.DataFrame({"doors": ["2", "3", "more"] * 20, "label": ["a", "b", "b"] * 20})
    frame.to_csv(tmp_path / "d.csv", index=False)
    call = (tmp_path / "d.csv", "--target", "label", "--estimator", "tree", "--strategy", "mle")
    error = run("fit", *call, *SERIAL).error
    assert "'doors' has 20 of 60 values that are text ('more'" in error
    assert "declare them categorical if their values are names: --categorical 'doors'" in error
    assert "--ignore 'doors'" in error
    _, report = fit(run, *call, "--categorical", "doors", folder=tmp_path)
    assert report["score"] > 0.9
    assert "Did you mean 'doors'" in run("fit", *call, "--categorical", "door").error


def test_missing_numbers_are_filled_and_missing_categories_are_not(
    run: Callable[..., Any], goods: pd.DataFrame, tmp_path: Path
) -> None:
    holes = goods.copy()
    holes.loc[[3, 60, 120], "size"] = np.nan
    data, output = tmp_path / "holes.csv", tmp_path / "m.skops"
    holes.to_csv(data, index=False)
    call = ("fit", data, "--target", "label", "--estimator", "nb", "--strategy", "mle", *SERIAL)
    refused = run(*call)
    assert refused.code == 2
    assert "in 1 column of 150 rows: 'size' 3" in refused.error
    assert run(*call, "--impute", "median", "-o", output).code == 0
    codes = _models.load(output)["model"]["codes"].transform(holes.drop(columns="label"))
    assert codes["size"].tolist() == holes["size"].fillna(holes["size"].median()).tolist()
    assert (codes["made"] == -2).tolist() == holes["made"].isna().tolist()
    assert list(codes.columns) == ["color", "size", "made", "weight"]


def test_every_category_is_listed_on_request(
    run: Callable[..., Any], data: Path, tmp_path: Path
) -> None:
    call = (data, "--target", "label", "--estimator", "nb", "--strategy", "mle")
    short, _ = fit(run, *call, folder=tmp_path)
    long, _ = fit(run, *call, "--verbose", folder=tmp_path)
    assert "4 features (2 categorical), 2 classes" in short.out
    assert "2 features by ordered target statistics, learned in each training part" in short.out
    tail = [line.split("  ")[0] for line in short.out.splitlines()[-2:]]
    assert sorted(tail) == ["size", "weight"]
    assert long.out.splitlines()[-2:] == [
        "color    ordered target statistics           3",
        "made     ordered target statistics           3",
    ]


def test_a_truth_value_is_a_number(run: Callable[..., Any], goods: pd.DataFrame, data: Path,
                                   tmp_path: Path) -> None:  # fmt: skip
    goods.assign(made=np.tile(["true", "false"], 75)).to_csv(data, index=False)
    _, report = fit(run, data, "--target", "label", "--estimator", "nb", "--strategy", "mle",
                    folder=tmp_path)  # fmt: skip
    assert report["categorical"] == {"color": 3}
    assert "made" in report["lambdas"]


def test_a_column_of_the_catalogue_can_be_declared(run: Callable[..., Any], tmp_path: Path) -> None:
    name = "petal width (cm)"
    done = run("fit", "iris", "--categorical", "petal", "--strategy", "mle", *SERIAL)
    assert (done.code, "--categorical names 'petal'" in done.error) == (2, True)
    _, report = fit(run, "iris", "--categorical", name, "--estimator", "nb", "--strategy", "mle",
                    folder=tmp_path)  # fmt: skip
    assert report["categorical"] == {name: 22}


class TestPieces:
    @pytest.mark.parametrize("chosen", [[], [0], [3], [1, 2], [0, 3], [0, 1, 2, 3]])
    def test_columns_stay_where_they_are(self, chosen: list[int]) -> None:
        X = np.arange(20.0).reshape(5, 4)
        made = in_place(4, chosen, "passthrough", StandardScaler()).fit_transform(X)
        expected = np.where(np.isin(range(4), chosen), X, StandardScaler().fit_transform(X))
        np.testing.assert_allclose(made, expected)

    def test_nothing_to_prepare(self) -> None:
        assert make_preparation("error", 3, []) is None
        assert with_encoding(GaussianNB(), [], np.array([0, 1]), 0).get_params() == (
            GaussianNB().get_params()
        )

    @pytest.mark.parametrize(
        ("estimator", "y", "kind"),
        [(GaussianNB(), [0, 1, 1], "binary"), (GaussianNB(), ["a", "b", "c"], "multiclass"),
         (GaussianNB(), range(200), "multiclass"), (Ridge(), [0, 1, 1], "continuous")],
    )  # fmt: skip
    def test_the_kind_of_target_is_the_estimators(self, estimator: Any, y: Any, kind: str) -> None:
        model = with_encoding(estimator, [2, 5], np.array(y), 7)
        assert model[0].get_params()["target_type"] == kind
        assert (model[0].columns, model[0].random_state) == ([2, 5], 7)
        assert is_classifier(model) is is_classifier(estimator)
