import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)

from distsearch._splits import make_splits
from distsearch.errors import InvalidInputError

X = np.zeros((10, 2))
RARE = np.array(list("aaaaaaabbb"))
EVEN = np.array([0, 1] * 5)


def splits(cv, y=EVEN, classifier=True, **params):
    return make_splits(cv, X, y, classifier=classifier, split_params=params)


def same(ours, theirs):
    for one, other in zip(ours, theirs, strict=True):
        for rows, expected in zip(one, other, strict=True):
            np.testing.assert_array_equal(rows, expected)


def test_resubstitution_is_all_rows_twice():
    same(splits("resubstitution"), [(range(10), range(10))])


def test_as_scikit_learn_would():
    same(splits(3), StratifiedKFold(3).split(X, EVEN))
    same(splits(3, np.arange(10.0), classifier=False), KFold(3).split(X))
    shuffled = ShuffleSplit(4, random_state=1)
    same(splits(shuffled), shuffled.split(X))


def test_an_iterable_of_rows():
    parts = [(np.arange(8), np.arange(8, 10)), (np.arange(2, 10), np.arange(2))]
    same(splits(iter(parts)), parts)


def test_an_iterable_of_lists_and_masks():
    mask = np.arange(10) < 4
    same(splits([(mask, ~mask), ([0, 1, 2], [-1])]), [(range(4), range(4, 10)), (range(3), [9])])


@pytest.mark.parametrize(
    "split",
    [
        ([], [0, 1]),
        (np.arange(10), np.array([], dtype=int)),
        (np.arange(11), [0, 1]),
        ([0.0, 1.0], [2, 3]),
        (np.arange(9) < 5, [2, 3]),
    ],
)
@pytest.mark.parametrize("classifier", [True, False])
def test_what_is_no_split_is_refused(split, classifier):
    whole = (np.arange(10), np.arange(10))
    with pytest.raises(InvalidInputError, match=r"^Split 1 of cv must be two arrays.* from 0 to 9"):
        splits([whole, split], classifier=classifier)


def test_groups():
    groups = np.repeat(np.arange(5), 2)
    same(splits(GroupKFold(5), groups=groups), GroupKFold(5).split(X, EVEN, groups))


@pytest.mark.parametrize(
    ("cv", "folds"),
    [
        (10, 10),
        (4, 4),
        (StratifiedKFold(5), 5),
        (RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=42), 10),
        (RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=42), 4),
    ],
)
def test_a_class_with_fewer_rows_than_folds(cv, folds):
    with pytest.raises(InvalidInputError) as caught:
        splits(cv, RARE)
    text = str(caught.value)
    for words in ("'b'", "3 of the rows", f"{folds} folds", "at most 3 folds"):
        assert words in text


@pytest.mark.parametrize(
    "cv", [3, RepeatedStratifiedKFold(n_splits=3, n_repeats=5, random_state=42)]
)
def test_just_enough_rows(cv):
    for train, test in splits(cv, RARE):
        assert set(RARE[train]) == set(RARE[test]) == {"a", "b"}


def test_a_class_of_one_row():
    with pytest.raises(InvalidInputError, match=r"Class 7 has 1 .*cv='resubstitution'"):
        splits(2, np.array([5] * 9 + [7]))


@pytest.mark.parametrize("cv", [KFold(2), [(np.arange(5), np.arange(5, 10))]])
def test_training_rows_of_one_class(cv):
    with pytest.raises(InvalidInputError, match=r"split \d .*one class, '[ab]'"):
        splits(cv, np.array(list("aaaaabbbbb")))


def test_test_rows_of_one_class_are_no_reason_to_refuse():
    assert len(splits(LeaveOneOut())) == 10


def test_no_split_at_all():
    with pytest.raises(InvalidInputError, match="no split at all"):
        splits([])
