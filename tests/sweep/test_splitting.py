import numpy as np
import pytest
from sklearn.model_selection import (
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
)

from distsearch.errors import DataError, InvalidInputError
from distsearch.sweep._splitting import draw_splits
from distsearch.sweep.spec import Protocol

Y = np.arange(40) % 2
X = np.zeros((40, 1))


def same(ours, theirs):
    theirs = list(theirs)
    assert len(ours) == len(theirs)
    for split, (train, test) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(split.train, train)
        np.testing.assert_array_equal(split.test, test)


def test_k_fold_is_scikit_learns():
    ours = draw_splits(Protocol(kind="k-fold", folds=4, repeats=3), X, Y, 42)
    same(ours, RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=42).split(X, Y))
    assert [(each.repeat, each.fold) for each in ours] == [
        (r, f) for r in range(3) for f in range(4)
    ]


def test_hold_out_is_scikit_learns():
    ours = draw_splits(Protocol(kind="hold-out", repeats=5, test_size=0.3), X, Y, 1)
    same(ours, StratifiedShuffleSplit(5, test_size=0.3, random_state=1).split(X, Y))
    assert [(each.repeat, each.fold) for each in ours] == [(r, 0) for r in range(5)]


def test_groups_stay_together():
    groups = np.repeat(np.arange(10), 4)
    ours = draw_splits(Protocol(kind="group-k-fold", folds=5, repeats=2), X, Y, 3, groups=groups)
    first = StratifiedGroupKFold(5, shuffle=True, random_state=3).split(X, Y, groups)
    second = StratifiedGroupKFold(5, shuffle=True, random_state=4).split(X, Y, groups)
    same(ours, [*first, *second])
    for split in ours:
        assert not set(groups[split.train]) & set(groups[split.test])


def test_numbers_are_not_stratified():
    y = np.linspace(0, 1, 40)
    ours = draw_splits(Protocol(folds=4), X, y, 0, task="regression")
    same(ours, RepeatedKFold(n_splits=4, n_repeats=1, random_state=0).split(X))


def test_a_split_is_named_by_its_rows():
    one, other = (draw_splits(Protocol(folds=4), X, Y, seed) for seed in (1, 2))
    assert [each.hash for each in one] == [
        each.hash for each in draw_splits(Protocol(folds=4), X, Y, 1)
    ]
    assert len({each.hash for each in (*one, *other)}) == 8


def test_a_rare_class_is_refused():
    y = np.array([0] * 38 + [1] * 2)
    with pytest.raises(InvalidInputError, match="too few for 10 folds"):
        draw_splits(Protocol(), X, y, 0)


def test_given_splits(tmp_path):
    path = tmp_path / "splits.csv"
    path.write_text("a,b\ntrain,test\ntrain,\ntest,train\n")
    one, other = draw_splits(Protocol(kind="given"), X[:3], Y[:3], 0, given=path)
    assert (one.train.tolist(), one.test.tolist()) == ([0, 1], [2])
    assert (other.train.tolist(), other.test.tolist()) == ([2], [0])
    assert [(each.repeat, each.fold) for each in (one, other)] == [(0, 0), (1, 0)]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a\ntrain\ntest\n", "has 2 lines under its header, and the data 3 rows"),
        ("a\ntrain\ntest\nvalid\n", "column 'a' has 'valid'; allowed are"),
        ("a\ntrain\ntrain\ntrain\n", "column 'a' has 3 rows to train on and 0 rows to test on"),
    ],
)
def test_given_splits_that_cannot_be_used(tmp_path, text, error):
    path = tmp_path / "splits.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=error):
        draw_splits(Protocol(kind="given"), X[:3], Y[:3], 0, given=path)


def test_rows_of_each_class_are_counted():
    y = np.repeat(["F", "M"], [30, 10])
    protocol = Protocol(kind="hold-out", repeats=20, train_rows={"F": 3, "M": 7})
    ours = draw_splits(protocol, np.zeros((40, 1)), y, 5)
    assert [(each.repeat, each.fold) for each in ours] == [(r, 0) for r in range(20)]
    for split in ours:
        assert np.unique(y[split.train], return_counts=True)[1].tolist() == [3, 7]
        assert sorted([*split.train, *split.test]) == list(range(40))
    # Every row trains as often as chance has it: 2 and 14 of 20 times.
    times = np.bincount(np.concatenate([each.train for each in ours]), minlength=40)
    assert times[:30].max() <= 8
    assert times[30:].min() >= 7
    assert len({each.hash for each in ours}) == 20


@pytest.mark.parametrize(
    ("rows", "word"),
    [({"F": 3}, "each class once: 'F' and 'M'"), ({"F": 3, "M": 1, "X": 1}, "'X'"),
     ({"F": 30, "M": 1}, "class 'F', which has 30")],
)  # fmt: skip
def test_rows_of_classes_that_are_not_there(rows, word):
    y = np.repeat(["F", "M"], [30, 10])
    with pytest.raises(InvalidInputError, match=word):
        draw_splits(Protocol(kind="hold-out", train_rows=rows), np.zeros((40, 1)), y, 5)
