import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from distsearch.search import Batch, History


@pytest.fixture
def history():
    history = History()
    history.add(Batch.of([[1.0, 1.0]], 0), np.array([np.nan]), np.array([False]))
    along = Batch.along(np.array([1.0, 1.0]), 1, np.array([-2.0, 3.0]), epoch=1)
    history.add(along, np.array([0.5, 0.25]), np.array([False, True]))
    history.add(Batch.of([[7.0, 8.0]], 2), np.array([0.75]), np.array([False]))
    return history


EXPECTED = {
    "evaluation": ([0, 1, 2, 3], np.int64),
    "epoch": ([0, 1, 1, 2], np.int64),
    "coordinate": ([-1, 1, 1, -1], np.int64),
    "value": ([np.nan, -2.0, 3.0, np.nan], np.float64),
    "score": ([np.nan, 0.5, 0.25, 0.75], np.float64),
    "from_memo": ([False, False, True, False], np.bool_),
    "best_score": ([np.nan, 0.5, 0.5, 0.75], np.float64),
}


def test_columns(history):
    table = history.table()
    assert list(table) == list(EXPECTED)
    for name, (values, dtype) in EXPECTED.items():
        np.testing.assert_array_equal(table[name], values)
        assert table[name].dtype == dtype
    assert len(history) == 4


def test_candidates(history):
    assert history.candidates.tolist() == [[1, 1], [1, -2], [1, 3], [7, 8]]


def test_goes_into_data_frames_unchanged(history):
    table = history.table()
    assert pd.DataFrame(table).dtypes.map(str).to_dict() == {
        name: str(column.dtype) for name, column in table.items()
    }
    assert pl.DataFrame(table).schema["from_memo"] == pl.Boolean
    assert pl.DataFrame(table)["score"].to_list()[1:] == [0.5, 0.25, 0.75]
    assert pa.table(table).num_rows == 4


def test_points_without_dimensions():
    history = History()
    history.add(Batch.of(np.empty((2, 0))), np.zeros(2), np.zeros(2, dtype=bool))
    assert np.isnan(history.table()["value"]).all()
