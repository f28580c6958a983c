"""Corners in which shards, types or weights meet; values worked by hand or by the definition."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import skops.io

from distsearch.encoding import OrderedTargetEncoder
from distsearch.encoding import _passes as passes
from distsearch.errors import InvalidInputError


def text(*values: Any) -> pd.DataFrame:
    return pd.DataFrame({"c": list(values)})


class TestEarlierRowsWithWeights:
    """Weights 0.5, 1, 1, 1 then none: prior 4.5 / 7.5 for the targets below."""

    X, y, w = text(*"abababab"), [0, 1, 1, 0, 1, 1, 0, 1], [0.5, 1, 1, 1, 1, 1, 1, 1]

    @pytest.mark.parametrize("target_type", ["binary", "continuous"])
    def test_equal_one_piece(self, target_type: str) -> None:
        def encoder() -> OrderedTargetEncoder:
            return OrderedTargetEncoder(target_type=target_type)

        whole = encoder().fit(self.X, self.y, self.w)
        first = encoder().fit(self.X[:4], self.y[:4], self.w[:4])
        got = whole.transform(self.X[4:], self.y[4:], earlier=first).ravel()
        p = 5 / 7.5
        # Before row 4, "a" has weight 1.5 and sum 1, "b" weight 2 and sum 1.
        expected = [(1 + p) / 2.5, (1 + p) / 3, (2 + p) / 3.5, (2 + p) / 4]
        np.testing.assert_allclose(got, expected, rtol=1e-15)
        merged = encoder().merge(first, encoder().fit(self.X[4:], self.y[4:]))
        np.testing.assert_array_equal(merged.encodings_[0], whole.encodings_[0])


class TestWeightsOfZero:
    def test_a_category_without_weight_is_known(self) -> None:
        X, y, w = text(*"aabbc"), [0, 1, 0, 1, 1], [1, 1, 1, 1, 0]
        encoder = OrderedTargetEncoder(handle_unknown="error").fit(X, y, w)
        assert encoder.transform(text("c")) == 0.5
        encoder.set_params(handle_unknown="nan")
        trained = encoder.transform(X, y, sample_weight=w)
        np.testing.assert_array_equal(trained, encoder.fit_transform(X, y, w))
        bare = OrderedTargetEncoder(smoothing=0).fit(X, y, w)
        assert bare.transform(text("c")) == 0.5
        own = OrderedTargetEncoder(smoothing=0, handle_unknown="own").fit(X, y, w)
        assert np.isnan(own.transform(text("z"))).all()

    def test_blocks_know_the_totals_of_categories_that_have_no_weight_in_them(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(passes, "_SMALLEST_JOB", 1)
        monkeypatch.setattr(passes, "_SMALLEST_BLOCK", 2)
        X, y = text(*"aaaaaabb"), [1, 1, 1, 1, 0, 1, 0, 0]
        w = [1, 1, 1, 1, 0, 0, 1, 1]
        p = 4 / 6
        a = [p, (1 + p) / 2, (2 + p) / 3, (3 + p) / 4, (4 + p) / 5, (4 + p) / 5]
        for backend in ("serial", "processes:2"):
            encoder = OrderedTargetEncoder(backend=backend)
            got = encoder.fit_transform(X, y, w).ravel()
            np.testing.assert_allclose(got, [*a, p, p / 2], rtol=1e-15)
            assert encoder.categories_[0].tolist() == ["a", "b"]


IDS = [2**53, 2**53 + 1, None, 2**53]


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"c": IDS}),
        pa.table({"c": pa.array(IDS, pa.int64())}),
        np.array(IDS, dtype=object).reshape(-1, 1),
        [[each] for each in IDS],
        pd.DataFrame({"c": pd.array(IDS, dtype="Int64")}),
    ],
    ids=["polars", "arrow", "objects", "lists", "nullable"],
)
def test_whole_numbers_beside_a_missing_value_stay_exact(X: Any) -> None:
    encoder = OrderedTargetEncoder([0])
    np.testing.assert_array_equal(
        encoder.fit_transform(X, [0, 1, 0, 1]).ravel(), [0.5] * 3 + [0.25]
    )
    assert encoder.categories_[0].tolist() == [2**53, 2**53 + 1]


def test_floats_that_are_nan_are_missing() -> None:
    zero = pd.array([0.0, 1.0, None, 0.0], dtype="Float64")
    X = pd.DataFrame({"c": zero / pd.array([0.0, 1.0, 1.0, 0.0], dtype="Float64")})
    encoder = OrderedTargetEncoder(["c"])
    np.testing.assert_array_equal(
        encoder.fit_transform(X, [0, 1, 1, 0]).ravel(), [0.5, 0.5, 0.25, 0.5]
    )
    arrow = pd.DataFrame({"c": pd.array([1.0, None, np.nan], dtype=pd.ArrowDtype(pa.float64()))})
    encoder.fit(arrow, [0, 1, 1])
    np.testing.assert_allclose(encoder.transform(arrow[::-1]).ravel(), [8 / 9, 8 / 9, 1 / 3])


def test_a_dictionary_may_hold_a_missing_value() -> None:
    X = pa.table({"c": pa.array([1.5, float("nan"), 1.5]).dictionary_encode()})
    got = OrderedTargetEncoder([0]).fit_transform(X, [0, 1, 1])
    np.testing.assert_allclose(got.ravel(), [2 / 3, 2 / 3, 1 / 3])


TIMES = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-01"])


class TestTimes:
    def test_meet_text_in_another_shard(self) -> None:
        encoder = OrderedTargetEncoder(["c"], target_type="binary")
        encoder.partial_fit(pd.DataFrame({"c": TIMES}), [1, 0, 1]).partial_fit(text("x"), [0])
        got = encoder.transform(pd.DataFrame({"c": TIMES[:2]})).ravel()
        np.testing.assert_allclose(got, [(2 + 0.5) / 3, 0.5 / 2])
        assert encoder.statistics("c")["category"].tolist() == [*TIMES[:2], "x"]

    def test_of_a_zone_are_the_same_in_every_container(self) -> None:
        X = pd.DataFrame({"c": TIMES.tz_localize("Europe/Berlin")})
        encoder = OrderedTargetEncoder(["c"]).fit(X, [1, 0, 0])
        expected = [(1 + 1 / 3) / 3, (1 / 3) / 2]
        for other in (X.astype("category"), X.astype(object)):
            np.testing.assert_allclose(encoder.transform(other[:2]).ravel(), expected)

    def test_out_of_bounds_of_another_unit_are_unknown(self) -> None:
        encoder = OrderedTargetEncoder().fit(pd.DataFrame({"c": TIMES.as_unit("ns")}), [1, 0, 0])
        new = pd.DataFrame({"c": np.array(["3000-01-01", "2020-01-02"], dtype="M8[s]")})
        np.testing.assert_allclose(encoder.transform(new).ravel(), [1 / 3, 1 / 6])

    @pytest.mark.parametrize("kind", ["object", "zone", "span", "mixed"])
    def test_survive_a_file(self, kind: str) -> None:
        column: Any = {
            "object": TIMES.astype(object),
            "zone": TIMES.tz_localize("Asia/Tokyo"),
            "span": pd.to_timedelta([1, 2, 1], "D").astype(object),
            "mixed": pd.Series(["a", TIMES[0], None], dtype=object),
        }[kind]
        X = pd.DataFrame({"c": column})
        encoder = OrderedTargetEncoder(["c"]).partial_fit(X, [0, 1, 1])
        data = skops.io.dumps(encoder)
        trusted = ["distsearch.encoding._encoder.OrderedTargetEncoder"]
        assert skops.io.get_untrusted_types(data=data) == trusted
        loaded = skops.io.loads(data, trusted=trusted)
        np.testing.assert_array_equal(loaded.transform(X), encoder.transform(X))
        np.testing.assert_array_equal(
            loaded.partial_fit(X, [1, 0, 1]).transform(X),
            encoder.partial_fit(X, [1, 0, 1]).transform(X),
        )


class TestFailedFits:
    def test_leave_nothing_behind(self) -> None:
        encoder = OrderedTargetEncoder()
        with pytest.raises(InvalidInputError, match="one class"):
            encoder.fit(text(*"ab"), ["x", "x"])
        encoder.partial_fit(text(*"abab"), [0, 1, 1, 0])
        assert encoder.n_samples_seen_ == 4

    def test_a_class_to_drop_may_come_later(self) -> None:
        encoder = OrderedTargetEncoder(drop="z")
        encoder.partial_fit(text(*"abc"), ["u", "v", "w"])
        with pytest.raises(InvalidInputError, match="drop must be"):
            encoder.transform(text("a"))
        encoder.partial_fit(text("a"), ["z"])
        assert encoder.n_samples_seen_ == 4
        assert encoder.get_feature_names_out().tolist() == ["c_u", "c_v", "c_w"]


def test_an_unordered_categorical_orders_by_its_values() -> None:
    when = pd.Categorical(["b", "a", "c"], categories=["c", "b", "a"])
    X = text("k", "k", "k").assign(t=when)
    got = OrderedTargetEncoder(["c"], order="t").fit_transform(X, [1, 0, 1])[:, 0]
    np.testing.assert_allclose(got.astype(float), [(0 + 2 / 3) / 2, 2 / 3, (1 + 2 / 3) / 3])


def test_decimals_are_numbers() -> None:
    y = [Decimal("1.5"), Decimal("2"), Decimal("4.0")]
    encoder = OrderedTargetEncoder().fit(text(*"aab"), y)
    assert encoder.target_type_ == "continuous"
    np.testing.assert_array_equal(encoder.prior_, [2.5])


@pytest.mark.parametrize(
    ("y", "w", "words"),
    [
        ([1e-300, 1e-300], [1e-300, 1.0], "too small"),
        ([1.5, 1e300], [1.0, 1e300], "too large"),
        ([0, 1], [1e308, 1e308], "weights add up"),
    ],
)
def test_products_out_of_range_are_refused(y: list[Any], w: list[float], words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        OrderedTargetEncoder().fit(text(*"ab"), y, w)
