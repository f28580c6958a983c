"""The same bits wherever blocks of rows are encoded."""

import numpy as np
import pandas as pd
import pytest
from backends.counting import Counting
from encoding.tables import KINDS, assert_same_bits, make_large, quietly

from distsearch.backends import get_backend
from distsearch.encoding import OrderedTargetEncoder, _passes

SETTINGS = {
    "as given": {},
    "random": {"order": "random"},
    "three orders": {"order": "random", "n_permutations": 3},
    "by column": {"order": "when"},
    "noise": {"noise": 0.2},
    "all": {"order": "random", "n_permutations": 3, "noise": 0.1, "handle_missing": "prior"},
    "no smoothing": {"smoothing": 0.0, "prior": 0.25},
}


@pytest.fixture(autouse=True)
def small_jobs(monkeypatch):
    """Have blocks of 50 rows sent to workers, which is not worth their while."""
    monkeypatch.setattr(_passes, "_SMALLEST_JOB", 1)
    monkeypatch.setattr(_passes, "_SMALLEST_BLOCK", 50)


@pytest.fixture(scope="module")
def processes():
    with get_backend("processes:2") as backend:
        yield backend


def outcomes(backend, kind, how, weighted):
    """Return all that comes of an encoder on that backend."""
    X, targets, weights = make_large(400)
    y, weights = targets[kind], weights if weighted else None
    encoder = OrderedTargetEncoder(
        ["text", "code", "flag"], target_type=kind, random_state=7, backend=backend, **how
    )
    trained = quietly(encoder.fit_transform, X, y, weights)
    fitted = quietly(encoder.fit, X, y, weights)
    again = quietly(fitted.transform, X, y, sample_weight=weights)
    later = quietly(fitted.transform, X)
    batches = OrderedTargetEncoder(["text", "code", "flag"], target_type=kind, backend=backend)
    for rows in (slice(0, 150), slice(150, 400)):
        batches.partial_fit(X[rows], y[rows], None if weights is None else weights[rows])
    return trained, again, later, batches.transform(X)


@pytest.mark.parametrize(
    ("how", "kind", "weighted"),
    [
        ("as given", "continuous", True),
        ("random", "binary", False),
        ("three orders", "continuous", True),
        ("by column", "multiclass", False),
        ("noise", "binary", True),
        ("all", "continuous", False),
        ("no smoothing", "multiclass", True),
    ],
)
def test_processes(processes, how, kind, weighted):
    counting, how = Counting(processes), SETTINGS[how]
    found = outcomes(counting, kind, how, weighted)
    # Three columns of eight blocks, twice for fit_transform.
    assert counting.n_units >= 2 * 3 * 8
    for one, two in zip(found, outcomes("serial", kind, how, weighted), strict=True):
        assert_same_bits(one, two)


@pytest.mark.ray
@pytest.mark.parametrize("kind", KINDS)
def test_ray(own_ray, kind):
    counting = Counting(own_ray)
    how = {"binary": "by column", "continuous": "noise", "multiclass": "all"}[kind]
    found = outcomes(counting, kind, SETTINGS[how], weighted=True)
    assert counting.n_units >= 2 * 3 * 8
    for one, two in zip(found, outcomes("serial", kind, SETTINGS[how], True), strict=True):
        assert_same_bits(one, two)


def test_by_name():
    X, targets, _ = make_large(400)
    serial, there = (
        OrderedTargetEncoder(backend=name).fit_transform(X, targets["multiclass"])
        for name in ("serial", "processes:2")
    )
    assert_same_bits(serial, there)


def test_shards_on_workers(processes):
    X, targets, weights = make_large(400)
    y = targets["continuous"]

    def make(backend):
        return OrderedTargetEncoder("all", target_type="continuous", backend=backend)

    expected = make("serial").fit_transform(X, y, weights)
    parts = [make(processes).fit(X[s], y[s], weights[s]) for s in (slice(170), slice(170, None))]
    whole = make(processes).merge(*parts)
    first = whole.transform(X[:170], y[:170], sample_weight=weights[:170])
    rest = whole.transform(X[170:], y[170:], sample_weight=weights[170:], earlier=parts[0])
    assert_same_bits(np.vstack([first, rest]), expected)


def test_small_tables_stay_here(processes, monkeypatch):
    monkeypatch.undo()
    X, targets, _ = make_large(400)
    counting = Counting(processes)
    OrderedTargetEncoder("all", backend=counting).fit_transform(X, targets["multiclass"])
    assert counting.n_units == 0


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(list("abca") * 50, categories=list("xcba"))),
        pd.Series(["a", None, "b", "nan"] * 50),
        pd.Series(pd.to_datetime(["2020-01-01", None] * 100)),
        pd.Series([1, None, 3, 1] * 50, dtype="Int64"),
        pd.Series([1, "1", None, True] * 50, dtype=object),
    ],
    ids=lambda column: str(column.dtype),
)
def test_columns_of_all_types(processes, column):
    X = column.to_frame("c").set_axis(np.arange(200)[::-1], axis=0)
    y = np.arange(200) % 7 % 2
    values = [
        OrderedTargetEncoder("all", backend=backend, order=order, random_state=0)
        .set_output(transform="pandas")
        .fit_transform(X, y)
        for order in ("given", "random")
        for backend in ("serial", processes)
    ]
    pd.testing.assert_frame_equal(values[0], values[1], check_exact=True)
    pd.testing.assert_frame_equal(values[2], values[3], check_exact=True)


def test_what_was_learned_is_the_same(processes):
    X, targets, _ = make_large(400)
    serial, there = (
        OrderedTargetEncoder("all", backend=backend).fit(X, targets["multiclass"])
        for backend in ("serial", processes)
    )
    for one, two in zip(serial.categories_, there.categories_, strict=True):
        np.testing.assert_array_equal(one, two)
    for one, two in zip(serial.encodings_, there.encodings_, strict=True):
        assert_same_bits(one, two)
