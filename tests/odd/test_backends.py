"""The same bits wherever blocks of rows, descents and populations are worked on."""

import numpy as np
import pytest
from backends.counting import Counting
from odd.data import blobs
from scipy import sparse

from distsearch.backends import get_backend
from distsearch.odd import ODDClassifier, PaperSchedule, _fitting, _nonlinear, _schedule

X, Y = blobs(counts=(40, 30, 50))

SETTINGS = {
    "blocks": {},
    "one component": {"n_components": 1, "shrinkage": 0.0},
    "descents": {"activation": "tanh", "max_iter": 15, "threshold": "balanced"},
    "stopped early": {"activation": "tanh", "max_iter": 15, "early_stopping": True},
    "random starts": {"activation": "tanh", "max_iter": 15, "init": "random", "n_restarts": 5},
    "population": {
        "activation": "tanh",
        "solver": PaperSchedule(iterations=4, newton_iterations=2),
    },
    "evolution": {"activation": "tanh", "solver": PaperSchedule(large=0, es_iterations=4)},
}


@pytest.fixture(autouse=True)
def small_jobs(monkeypatch):
    """Have blocks of 25 rows, short descents and small populations sent to workers."""
    monkeypatch.setattr(_fitting, "BLOCK", 100)
    monkeypatch.setattr(_fitting, "_WORTH_SENDING", 1)
    monkeypatch.setattr(_nonlinear, "_WORTH_SENDING", 0)
    monkeypatch.setattr(_schedule, "_WORTH_SENDING", 0)


@pytest.fixture(scope="module")
def processes():
    with get_backend("processes:2") as backend:
        yield backend


def outcomes(backend, how):
    odd = ODDClassifier(random_state=7, backend=backend, **how).fit(X, Y)
    return (
        odd.components_,
        odd.intercept_,
        odd.covariances_,
        *odd.history_.values(),
        (odd.predict_proba(X)),
    )


def assert_same_bits(found, expected):
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("how", SETTINGS)
def test_processes(processes, how):
    counting = Counting(processes)
    found = outcomes(counting, SETTINGS[how])
    assert counting.n_units >= 5  # blocks of 120 rows, besides descents and candidates
    assert_same_bits(found, outcomes("serial", SETTINGS[how]))


@pytest.mark.ray
@pytest.mark.parametrize("how", ["blocks", "descents", "population"])
def test_ray(own_ray, how):
    counting = Counting(own_ray)
    found = outcomes(counting, SETTINGS[how])
    assert counting.n_units >= 5
    assert_same_bits(found, outcomes("serial", SETTINGS[how]))


def test_batches_and_sparse_rows(processes):
    rows = sparse.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    for table in (X, rows):
        ours, theirs = (
            ODDClassifier(backend=backend).partial_fit(table[:70], Y[:70])
            .partial_fit(table[70:], Y[70:])
            for backend in ("serial", processes)
        )  # fmt: skip
        np.testing.assert_array_equal(ours.components_, theirs.components_)


def test_blocks_add_up_to_the_whole(monkeypatch):
    blocks = ODDClassifier().fit(X, Y)
    monkeypatch.undo()
    whole = ODDClassifier().fit(X, Y)
    np.testing.assert_allclose(blocks.predict_proba(X), whole.predict_proba(X), atol=1e-10)
    assert blocks.criterion_ == pytest.approx(whole.criterion_, rel=1e-12)


def test_small_tables_stay_here(processes, monkeypatch):
    monkeypatch.undo()
    counting = Counting(processes)
    for how in ({}, {"activation": "tanh", "max_iter": 5}):
        ODDClassifier(backend=counting, random_state=0, **how).fit(X, Y)
    assert counting.n_units == 0


def test_by_name(monkeypatch):
    monkeypatch.undo()
    one = ODDClassifier(backend="processes:2").fit(X, Y)
    np.testing.assert_array_equal(one.components_, ODDClassifier().fit(X, Y).components_)
    with pytest.raises(ValueError, match="threads"):
        ODDClassifier(backend="threads").fit(X, Y)
