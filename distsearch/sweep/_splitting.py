"""Training and test rows, drawn once for all methods, so that comparisons are paired."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import (
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
)

from distsearch._splits import make_splits
from distsearch._wording import count, listed
from distsearch.errors import DataError, InvalidInputError
from distsearch.sweep.spec import Protocol
from distsearch.tables import read_table

__all__ = ["Split", "draw_splits"]

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """One division of the rows.

    Parameters
    ----------
    repeat, fold : int
        Its place in the protocol, each from 0.
    train, test : ndarray of int
        Row numbers.
    """

    repeat: int
    fold: int
    train: Rows
    test: Rows

    @cached_property
    def hash(self) -> str:
        """A name that depends on the rows alone."""
        digest = hashlib.sha256(self.train.astype("<i8").tobytes())
        digest.update(b"|" + self.test.astype("<i8").tobytes())
        return digest.hexdigest()[:32]


def draw_splits(
    protocol: Protocol,
    X: NDArray[Any],
    y: NDArray[Any],
    seed: int,
    *,
    task: str = "classification",
    groups: NDArray[Any] | None = None,
    given: Path | None = None,
) -> tuple[Split, ...]:
    """Draw the splits of a data set.

    Parameters
    ----------
    protocol : Protocol
        How.
    X, y : ndarray
        The data.
    seed : int
        The ``random_state`` of scikit-learn's splitter; repeats of a group k-fold after the first
        get the numbers after it.
    task : {"classification", "regression"}
        Classes are stratified; numbers are not.
    groups : ndarray of shape (n_samples,), optional
        Which rows belong together.
    given : Path, optional
        The file of given splits.

    Raises
    ------
    InvalidInputError
        When a class is too rare, or a part has one class only.
    DataError
        When the file of splits cannot be used.
    """
    if protocol.kind == "given":
        return _given(given, len(y))
    if protocol.kind == "hold-out" and protocol.train_rows is not None:
        return _by_class(protocol.train_rows, protocol.repeats, y, seed, task)
    pairs: list[tuple[Rows, Rows]] = []
    for splitter in _splitters(protocol, seed, stratified=task == "classification"):
        pairs += make_splits(
            splitter, X, y, classifier=task == "classification",
            split_params={} if groups is None else {"groups": groups},
        )  # fmt: skip
    folds = 1 if protocol.kind == "hold-out" else protocol.folds
    return tuple(
        Split(number // folds, number % folds, train, test)
        for number, (train, test) in enumerate(pairs)
    )


def _splitters(protocol: Protocol, seed: int, *, stratified: bool) -> list[Any]:
    if protocol.kind == "hold-out":
        kind = StratifiedShuffleSplit if stratified else ShuffleSplit
        return [kind(protocol.repeats, test_size=protocol.test_size, random_state=seed)]
    if protocol.kind == "k-fold":
        repeated = RepeatedStratifiedKFold if stratified else RepeatedKFold
        return [repeated(n_splits=protocol.folds, n_repeats=protocol.repeats, random_state=seed)]
    return [
        StratifiedGroupKFold(protocol.folds, shuffle=True, random_state=(seed + repeat) % 2**32)
        for repeat in range(protocol.repeats)
    ]


def _by_class(
    train_rows: Mapping[str, int], repeats: int, y: NDArray[Any], seed: int, task: str
) -> tuple[Split, ...]:
    """Draw so many rows of each class to train on, anew in every repeat."""
    if task != "classification":
        raise InvalidInputError(
            "train_rows counts rows of classes, and the target is a number. Use test_size."
        )
    labels, codes, numbers = np.unique(y, return_inverse=True, return_counts=True)
    names = [str(label) for label in labels]
    unlike = sorted(set(train_rows).symmetric_difference(names))
    if unlike:
        raise InvalidInputError(
            f"train_rows must name each class once: {listed(names)}. Got {listed(train_rows)} "
            f"instead."
        )
    for name, number in zip(names, numbers.tolist(), strict=True):
        if train_rows[name] >= number:
            raise InvalidInputError(
                f"train_rows asks for {count(train_rows[name], 'row')} of class {name!r}, which "
                f"has {number}; at least one must be left to test on."
            )
    splits = []
    for repeat in range(repeats):
        order = np.random.default_rng((seed, repeat)).permutation(len(y))
        rank = np.empty(len(y), dtype=np.int64)  # of a row among those of its class, in that order
        for code in range(len(labels)):
            own = order[codes[order] == code]
            rank[own] = np.arange(len(own))
        trains = rank < np.array([train_rows[name] for name in names])[codes]
        splits.append(Split(repeat, 0, np.flatnonzero(trains), np.flatnonzero(~trains)))
    return tuple(splits)


def _given(path: Path | None, n_rows: int) -> tuple[Split, ...]:
    """Read splits from a file: a line a row of the data, a column a split."""
    if path is None:
        raise InvalidInputError("the protocol 'given' needs a file of splits for each data set.")
    frame = read_table(path)
    if len(frame) != n_rows:
        raise DataError(
            f"{path}: has {count(len(frame), 'line')} under its header, and the data "
            f"{count(n_rows, 'row')}. Write one line a row, in the same order."
        )
    return tuple(
        _given_split(number, frame[name], path) for number, name in enumerate(frame.columns)
    )


def _given_split(number: int, column: pd.Series[Any], path: Path) -> Split:
    parts = column.astype("string").str.strip().fillna("").to_numpy(dtype=object)
    wrong = sorted({str(part) for part in parts} - {"train", "test", ""})
    if wrong:
        raise DataError(
            f"{path}: column {column.name!r} has {listed(wrong, 5)}; allowed are 'train', 'test' "
            f"and nothing for a row that is not used."
        )
    train, test = (np.flatnonzero(parts == part) for part in ("train", "test"))
    if not len(train) or not len(test):
        raise DataError(
            f"{path}: column {column.name!r} has {count(len(train), 'row')} to train on and "
            f"{count(len(test), 'row')} to test on; both need one or more."
        )
    return Split(number, 0, train, test)
