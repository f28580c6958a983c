"""Arrays and frames that come out: types, names, and what is passed through."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import config_context

from distsearch.encoding import OrderedTargetEncoder

TABLE = pd.DataFrame(
    {
        "first": np.array([1, 2, 3], dtype="int8"),
        "kind": ["a", "b", "a"],
        "when": pd.to_datetime(["2020-01-01", None, "2020-01-03"]),
        "count": pd.array([1, None, 3], dtype="Int64"),
        "level": pd.Categorical(["x", "y", "x"]),
        "real": np.array([0.5, np.nan, 1.5], dtype="float32"),
    },
    index=["r", "s", "r"],
)
Y, CLASSES = [1, 0, 1], ["L", "M", "H"]
PASSED = ["first", "when", "count", "level", "real"]


class TestPandas:
    def encoder(self, columns=("kind",)):
        return OrderedTargetEncoder(list(columns)).set_output(transform="pandas")

    @pytest.mark.parametrize("y", [Y, CLASSES])
    def test_what_is_passed_through_is_unchanged_and_in_place(self, y):
        encoder = self.encoder()
        for found in (encoder.fit_transform(TABLE, y), encoder.transform(TABLE[:2])):
            pd.testing.assert_frame_equal(found[PASSED], TABLE[PASSED][: len(found)])
            names = found.columns.tolist()
            own = ["kind"] if y is Y else ["kind_H", "kind_L", "kind_M"]
            assert names == ["first", *own, "when", "count", "level", "real"]
            assert names == encoder.get_feature_names_out().tolist()
            assert (found[own].dtypes == np.float64).all()

    def test_all_columns(self):
        found = self.encoder(TABLE.columns).fit_transform(TABLE, Y)
        assert found.index.tolist() == ["r", "s", "r"]
        assert found.columns.tolist() == TABLE.columns.tolist()
        assert (found.dtypes == np.float64).all()

    @pytest.mark.parametrize(
        "table", [pl.from_pandas(TABLE), pa.Table.from_pandas(TABLE, preserve_index=False)]
    )
    def test_of_other_libraries(self, table):
        found = self.encoder().fit_transform(table, Y)
        assert found.index.tolist() == [0, 1, 2]
        assert found.columns.tolist() == TABLE.columns.tolist()
        np.testing.assert_array_equal(found["first"], [1, 2, 3])
        np.testing.assert_array_equal(found["real"].astype(float), TABLE["real"])
        assert found["when"].isna().tolist() == [False, True, False]

    def test_of_an_array(self):
        found = self.encoder([1]).fit_transform(np.array([[1.0, 2.0], [3.0, 4.0]]), [0, 1])
        assert found.columns.tolist() == ["x0", "x1"]
        np.testing.assert_array_equal(found, [[1.0, 0.5], [3.0, 0.5]])

    def test_everywhere(self):
        with config_context(transform_output="pandas"):
            found = OrderedTargetEncoder(["kind"]).fit_transform(TABLE, Y)
        pd.testing.assert_frame_equal(found[PASSED], TABLE[PASSED])

    def test_zones_of_times_passed_through_are_kept(self):
        times = pd.Series(pd.to_datetime(["2020-01-01", "2020-06-01"])).dt.tz_localize("Asia/Tokyo")
        table = pd.DataFrame({"t": times, "c": ["a", "b"]})
        found = self.encoder(["c"]).fit_transform(table, [0, 1])
        pd.testing.assert_series_equal(found["t"], times.rename("t"))

    def test_objects_passed_through_stay_objects(self):
        table = pd.DataFrame({"t": pd.Series([1, 2], dtype=object), "c": ["a", "b"]})
        found = self.encoder(["c"]).fit_transform(table, [0, 1])
        assert found["t"].dtype == object
        assert found["t"].tolist() == [1, 2]


class TestPolars:
    def encoder(self):
        return OrderedTargetEncoder(["kind"]).set_output(transform="polars")

    @pytest.mark.parametrize("y", [Y, CLASSES])
    def test_what_is_passed_through_is_unchanged(self, y):
        table = pl.from_pandas(TABLE)
        encoder = self.encoder()
        for found in (encoder.fit_transform(table, y), encoder.transform(table[:2])):
            assert isinstance(found, pl.DataFrame)
            assert found.columns == encoder.get_feature_names_out().tolist()
            assert found["first"].dtype == pl.Int8
            assert found["real"].dtype == pl.Float32
            assert found["level"].to_list() == ["x", "y", "x"][: len(found)]
            assert found["when"].to_list() == table["when"].to_list()[: len(found)]
            assert found["kind" if y is Y else "kind_H"].dtype == pl.Float64

    def test_of_pandas(self):
        found = self.encoder().fit_transform(TABLE, Y)
        assert isinstance(found, pl.DataFrame)
        assert found.columns == TABLE.columns.tolist()
        assert found["first"].to_list() == [1, 2, 3]

    def test_all_columns(self):
        encoder = OrderedTargetEncoder("all").set_output(transform="polars")
        found = encoder.fit_transform(pl.from_pandas(TABLE), Y)
        assert isinstance(found, pl.DataFrame)
        assert found.columns == TABLE.columns.tolist()


class TestArrays:
    def test_numbers_are_floats(self):
        table = TABLE[["first", "kind", "count", "real"]]
        found = OrderedTargetEncoder().fit_transform(table, Y)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found[:, 0], [1, 2, 3])
        np.testing.assert_array_equal(found[:, 2], [1, np.nan, 3])
        np.testing.assert_array_equal(found[:, 3], TABLE["real"])

    def test_text_that_is_passed_through_makes_objects(self):
        table = pd.DataFrame({"c": ["a", "b"], "d": ["u", "v"], "n": [1, 2]})
        found = OrderedTargetEncoder(["c"]).fit_transform(table, [0, 1])
        assert found.dtype == object
        assert found.tolist() == [[0.5, "u", 1], [0.5, "v", 2]]

    def test_several_classes_in_place(self):
        found = OrderedTargetEncoder().fit_transform(TABLE[["first", "kind", "real"]], CLASSES)
        assert found.shape == (3, 5)
        np.testing.assert_array_equal(found[:, 0], [1, 2, 3])
        np.testing.assert_array_equal(found[:, 4], TABLE["real"])


class TestNames:
    def names(self, features, labels, **how):
        n = len(labels)
        table = pd.DataFrame({name: ["a"] * n for name in features})
        how.setdefault("target_type", "multiclass")
        encoder = OrderedTargetEncoder(**how).fit(table, labels)
        return encoder.get_feature_names_out().tolist()

    def test_feature_and_class(self):
        assert self.names(["c", "d"], ["L", "H"]) == ["c_H", "c_L", "d_H", "d_L"]
        assert self.names(["c"], [0, 1, 2]) == ["c_0", "c_1", "c_2"]
        assert self.names(["c"], [0.0, 1.0, 2.0]) == ["c_0", "c_1", "c_2"]
        assert self.names(["c"], [True, False]) == ["c_False", "c_True"]

    def test_one_column_has_the_features_name(self):
        assert self.names(["c", "d"], ["L", "H"], target_type="binary") == ["c", "d"]
        assert self.names(["c"], [0.5, 1.5], target_type="continuous") == ["c"]

    def test_no_two_are_alike(self):
        names = self.names(["a", "a_b"], ["b_c", "c", "x"])
        assert names == ["a_b_c", "a_c", "a_x", "a_b_b_c", "a_b_c_2", "a_b_x"]
        assert len(set(names)) == 6

    def test_nor_like_one_that_is_passed_through(self):
        names = self.names(["c_H", "c", "c_H_2"], ["H", "L"], columns=["c"])
        assert names == ["c_H", "c_H_3", "c_L", "c_H_2"]

    def test_of_arrays(self):
        encoder = OrderedTargetEncoder().fit([["a"], ["b"], ["a"]], CLASSES)
        assert encoder.get_feature_names_out().tolist() == ["x0_H", "x0_L", "x0_M"]
        assert encoder.get_feature_names_out(["z"]).tolist() == ["z_H", "z_L", "z_M"]
        with pytest.raises(ValueError, match="input_features"):
            encoder.get_feature_names_out(["z", "y"])

    def test_of_frames(self):
        encoder = OrderedTargetEncoder().fit(TABLE, Y)
        with pytest.raises(ValueError, match="input_features is not equal"):
            encoder.get_feature_names_out(["z"] * 6)
        assert encoder.feature_names_in_.tolist() == TABLE.columns.tolist()
        assert encoder.n_features_in_ == 6
