"""Rows are gone through in blocks, so that no copy of a large table is made."""

import tracemalloc

import numpy as np
import pytest

from distsearch.odd import ODDClassifier, _workings


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 20))
    return X, (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)


def peak(call):
    """Return the bytes that a call had at most."""
    tracemalloc.start()
    call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_fit_and_transform_hold_a_part_of_the_table(table, monkeypatch):
    X, y = table
    odd = ODDClassifier()
    assert peak(lambda: odd.fit(X, y)) < 1.5 * X.nbytes
    monkeypatch.setattr(_workings, "BLOCK", 2**17)
    assert peak(lambda: odd.transform(X)) < 0.5 * X.nbytes


@pytest.mark.parametrize("block", [1, 7 * 20, 50 * 20, 10**9])
def test_rows_land_where_they_do_at_once(table, monkeypatch, block):
    X, y = table
    odd = ODDClassifier().fit(X, y)
    whole = odd.transform(X[:100])
    monkeypatch.setattr(_workings, "BLOCK", block)
    np.testing.assert_allclose(odd.transform(X[:100]), whole, rtol=1e-13, atol=1e-13)
