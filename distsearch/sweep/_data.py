"""The data sets of a study, loaded once: numbers, target, and the splits that every unit shares."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler

from distsearch._wording import count, joined
from distsearch.errors import DataError
from distsearch.sweep._categories import Categories, Encoding, codes_of
from distsearch.sweep._splitting import Split, draw_splits
from distsearch.sweep.spec import Data, Protocol
from distsearch.tables import Table, describe_missing, load

__all__ = ["StudyData", "Task", "load_data"]

Task = Literal["classification", "regression"]


@dataclass(frozen=True, eq=False)
class StudyData:
    """One data set of a study, ready for units.

    Parameters
    ----------
    label : str
        What the study calls it.
    source : str
        Where it comes from.
    hash : str
        Names its content: features, target and which columns are categorical.
    X : ndarray of shape (n_samples, n_features)
        The features; a categorical column holds the numbers of its values in sorted order.
    y : ndarray of shape (n_samples,)
        The target.
    names : tuple of str
        The features' names.
    categorical : tuple of int
        Which columns are categorical.
    impute : str or None
        How missing values are filled within each training part; None where there are none.
    splits : tuple of Split
        Training and test rows.
    notes : tuple of str
        What is worth knowing about the data.
    encoding : {"target", "one-hot"}
        What becomes of categorical columns within each training part.
    seed : int
        The study's.
    """

    label: str
    source: str
    hash: str
    X: NDArray[Any]
    y: NDArray[Any]
    names: tuple[str, ...]
    categorical: tuple[int, ...]
    impute: str | None
    splits: tuple[Split, ...]
    notes: tuple[str, ...] = ()
    encoding: Encoding = "target"
    seed: int = 0

    @cached_property
    def n_classes(self) -> int | None:
        """The number of classes; None for numbers."""
        return None if self.y.dtype.kind == "f" else len(np.unique(self.y))

    @property
    def test_to_train(self) -> float:
        """Rows of a test part by rows of its training part, the mean over the splits."""
        return float(np.mean([len(split.test) / len(split.train) for split in self.splits]))

    @property
    def n_numeric(self) -> int:
        """The number of features that are not categorical."""
        return len(self.names) - len(self.categorical)

    @cached_property
    def categories(self) -> Categories | None:
        """The categorical columns; None if there are none."""
        if not self.categorical:
            return None
        return Categories(
            positions=self.categorical,
            n_features=len(self.names),
            encoding=self.encoding,
            target_type=(
                "continuous"
                if self.n_classes is None
                else "binary"
                if self.n_classes <= 2
                else "multiclass"
            ),
            seed=self.seed,
        )

    def imputer(self) -> Any:
        """Return what fills missing values from each training part; None if there are none.

        Codes of categories are never missing, so it leaves them alone.
        """
        if self.impute is None:
            return None
        return SimpleImputer(strategy=self.impute, keep_empty_features=True)


def load_data(data: Data, protocol: Protocol, seed: int, task: Task) -> StudyData:
    """Load a data set, check it, and draw its splits.

    Parameters
    ----------
    data : Data
        What the study says of it.
    protocol : Protocol
        How rows are split.
    seed : int
        Seed of the splits.
    task : {"classification", "regression"}
        What the study's estimators are for.

    Raises
    ------
    DataError
        When it cannot be read or learned from.
    InvalidInputError
        When a column or class is not there, or the splits cannot be drawn.
    """
    ignore = [*data.ignore, *([data.groups] if data.groups else [])]
    table = _load(data, task, columns=data.columns, ignore=ignore, categories=True)
    groups = None
    if data.groups is not None:
        groups = _load(data, task, columns=(data.groups,)).X[data.groups].to_numpy()
    X = _as_numbers(table, data)
    y = table.y.astype(str) if table.y.dtype.kind == "O" else table.y
    splits = draw_splits(protocol, X, y, seed, task=task, groups=groups, given=data.splits)
    names = tuple(str(name) for name in table.X.columns)
    categorical = tuple(j for j, name in enumerate(names) if name in table.categorical)
    return StudyData(
        label=data.label,
        source=table.source,
        hash=_content_hash(X, y, names, categorical),
        X=X,
        y=y,
        names=names,
        categorical=categorical,
        impute=data.impute if np.isnan(X).any() else None,
        splits=splits,
        notes=table.notes,
        encoding=data.categories,
        seed=seed,
    )


def _load(data: Data, task: Task, **how: Any) -> Table:
    drawn: dict[str, Any] = {} if data.random_state is None else {"random_state": data.random_state}
    return load(
        data.source, data.target, options=data.options, task=task, positive=data.positive,
        missing_target=data.missing_target, **how, **drawn,
    )  # fmt: skip


def _as_numbers(table: Table, data: Data) -> NDArray[Any]:
    """Return the features, with codes in place of categories."""
    frame = table.X
    X = np.empty(frame.shape, dtype=data.dtype)
    rest = [j for j, name in enumerate(frame.columns) if name not in table.categorical]
    if rest:
        X[:, rest] = _numeric(frame.iloc[:, rest], data, table.source)
    for j, name in enumerate(frame.columns):
        if name in table.categorical:
            X[:, j] = codes_of(frame[name])
    return X


def _numeric(frame: pd.DataFrame, data: Data, source: str) -> NDArray[Any]:
    _refuse_missing(frame, data, source)
    numbers = frame.to_numpy(dtype=np.float64).astype(data.dtype, copy=False)
    if data.scale is None:
        return numbers
    scaled: NDArray[Any] = MinMaxScaler(data.scale).fit_transform(numbers)
    return scaled


def _refuse_missing(frame: pd.DataFrame, data: Data, source: str) -> None:
    counts = describe_missing(frame)
    if not counts or data.impute != "error":
        return
    shown = [f"{name!r} {times}" for name, times in list(counts.items())[:10]]
    more = len(counts) - len(shown)
    tail = [f"{more} more columns"] if more else []
    raise DataError(
        f"{source}: values are missing in {count(len(counts), 'column')} of "
        f"{count(len(frame), 'row')}: {joined([*shown, *tail])}. Fill them in, leave these columns "
        f"out with ignore, or set impute to 'median', 'mean' or 'most_frequent'."
    )


def _content_hash(
    X: NDArray[Any], y: NDArray[Any], names: tuple[str, ...], categorical: tuple[int, ...]
) -> str:
    """Name the content in a way that neither a library's version nor the machine changes."""
    head = json.dumps([names, categorical, X.dtype.name, X.shape, y.dtype.kind])
    digest = hashlib.sha256(head.encode())
    digest.update(np.ascontiguousarray(X, dtype=X.dtype.newbyteorder("<")).tobytes())
    if y.dtype.kind == "U":
        digest.update(json.dumps(y.tolist()).encode())
    else:
        kind = "<f8" if y.dtype.kind == "f" else "<i8"
        digest.update(np.ascontiguousarray(y, dtype=kind).tobytes())
    return digest.hexdigest()[:32]
