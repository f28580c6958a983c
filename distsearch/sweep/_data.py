"""The data sets of a study, loaded once: numbers, target, and the splits that every unit shares."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from distsearch._wording import count, joined
from distsearch.errors import DataError
from distsearch.sweep._splitting import Split, draw_splits
from distsearch.sweep.spec import Data, Protocol
from distsearch.tables import describe_missing, load, numeric_features

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

    @property
    def n_classes(self) -> int | None:
        """The number of classes; None for numbers."""
        return None if self.y.dtype.kind == "f" else len(np.unique(self.y))

    @property
    def test_to_train(self) -> float:
        """Rows of a test part by rows of its training part, the mean over the splits."""
        return float(np.mean([len(split.test) / len(split.train) for split in self.splits]))

    def preparation(self) -> Any:
        """Return what has to be learned from each training part before any method; None if nothing.

        A category that the training part lacks becomes zeros in every column of its feature.
        """
        if self.impute is None and not self.categorical:
            return None
        numeric = [j for j in range(len(self.names)) if j not in self.categorical]
        fill: Any = "passthrough"
        if self.impute is not None:
            fill = SimpleImputer(strategy=self.impute, keep_empty_features=True)
        encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        return ColumnTransformer(
            [("numeric", fill, numeric), ("categorical", encode, list(self.categorical))]
        )


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
    # With only numbers, loading can say in which line of the file text stands.
    numeric = not data.options.categorical
    table = _load(data, task, columns=data.columns, ignore=ignore, numeric=numeric)
    groups = None
    if data.groups is not None:
        groups = _load(data, task, columns=(data.groups,)).X[data.groups].to_numpy()
    X, categorical = _as_numbers(table.X, data, table.source)
    y = table.y.astype(str) if table.y.dtype.kind == "O" else table.y
    splits = draw_splits(protocol, X, y, seed, task=task, groups=groups, given=data.splits)
    names = tuple(str(name) for name in table.X.columns)
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
    )


def _load(data: Data, task: Task, **how: Any) -> Any:
    drawn: dict[str, Any] = {} if data.random_state is None else {"random_state": data.random_state}
    return load(
        data.source, data.target, options=data.options, task=task, positive=data.positive,
        missing_target=data.missing_target, **how, **drawn,
    )  # fmt: skip


def _as_numbers(
    frame: pd.DataFrame, data: Data, source: str
) -> tuple[NDArray[Any], tuple[int, ...]]:
    text = [name for name in frame.columns if name in data.options.categorical]
    numeric = numeric_features(frame.drop(columns=text), source, data.options)
    _refuse_missing(numeric, data, source)
    columns = [
        _codes(frame[name]) if name in text else numeric[name].to_numpy(dtype=np.float64)
        for name in frame.columns
    ]
    X = np.column_stack(columns).astype(data.dtype)
    if data.scale is not None:
        X = MinMaxScaler(data.scale).fit_transform(X)
    return X, tuple(j for j, name in enumerate(frame.columns) if name in text)


def _codes(column: pd.Series[Any]) -> NDArray[np.float64]:
    """Return the place of each value in the order of their texts; -1 for a missing one."""
    codes, _ = pd.factorize(column.astype("string"), sort=True)
    return np.asarray(codes, dtype=np.float64)


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
