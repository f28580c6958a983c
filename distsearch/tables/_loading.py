"""One door to data: a file or a data set of the catalogue becomes features and target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from distsearch._wording import count, did_you_mean, quoted
from distsearch.errors import DataError, InvalidInputError, UnknownNameError
from distsearch.tables._catalogue import (
    Entry,
    catalogue,
    check_random_state,
    find_entry,
    load_entry,
)
from distsearch.tables._columns import check_columns, choose_features, choose_target
from distsearch.tables._labels import Task, as_binary, as_labels, as_numbers, likely_task
from distsearch.tables._mixed import describe_categories, mixed_features
from distsearch.tables._numbers import numeric_features
from distsearch.tables._options import DEFAULT_OPTIONS, ReadOptions
from distsearch.tables._places import Places
from distsearch.tables._reading import read_table

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["Table", "fetch", "load"]


@dataclass(frozen=True, eq=False)
class Table:
    """Features and target, ready for an estimator.

    Parameters
    ----------
    name : str
        A short name: that of the catalogue, or the file's without its ending.
    X : pandas.DataFrame
        The features.
    y : numpy.ndarray
        The target: text, integers or truth values for classification, floats for regression.
    target : str
        The name of the target column.
    task : {"classification", "regression"}
        What the target is for.
    source : str
        The path of the file, or the name in the catalogue.
    options : ReadOptions
        The rule the file was read with.
    notes : tuple of str
        What is worth knowing about the data, a sentence each.
    categorical : tuple of str
        The features that are categories, where `load` was asked to find them.
    """

    name: str
    X: pd.DataFrame
    y: NDArray[Any]
    target: str
    task: Task
    source: str
    options: ReadOptions = DEFAULT_OPTIONS
    notes: tuple[str, ...] = field(default=())
    categorical: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Origin:
    """Where a frame came from, for names and messages."""

    name: str
    source: str
    options: ReadOptions
    entry: Entry | None = None

    @property
    def path(self) -> Path | None:
        return None if self.entry else Path(self.source)

    def rows(self, rows: Iterable[int]) -> str:
        return Places(self.path, self.options).describe(rows)


def load(
    source: str | PathLike[str],
    target: str | None = None,
    *,
    options: ReadOptions = DEFAULT_OPTIONS,
    columns: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    task: Literal["auto", "classification", "regression"] = "auto",
    positive: object = None,
    missing_target: Literal["error", "drop"] = "error",
    numeric: bool = False,
    categories: bool = False,
    random_state: int | None = None,
) -> Table:
    """Load a data file or a data set of the catalogue.

    Parameters
    ----------
    source : str or path-like
        A path, or a name from `catalogue`. A file without an ending whose name is also in the
        catalogue is meant only by a path, such as ``./iris``.
    target : str, optional
        The column to learn. Needed for files; data sets of the catalogue know theirs.
    options : ReadOptions, optional
        How to read the file.
    columns : sequence of str, optional
        The features to use, in this order; all columns but the target when not given.
    ignore : sequence of str, default=()
        Columns that are not to be used.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target is for. With "auto", text, truth values and up to a hundred different whole
        numbers are classes; other numbers are for regression.
    positive : str, int or list of these, optional
        The class or classes that become label 1; all others become 0.
    missing_target : {"error", "drop"}, default="error"
        What to do about rows without a target.
    numeric : bool, default=False
        Whether every feature has to be numeric, see `numeric_features`.
    categories : bool, default=False
        Whether every feature has to be numeric or a category, see `mixed_features`. The options of
        the table then declare all that are categories.
    random_state : int, optional
        Draws a generated data set of the catalogue anew, from 0 to 2**32 - 1; its usual rows when
        not given.

    Returns
    -------
    Table
        Features and target.

    Raises
    ------
    UnknownNameError
        Nothing is called `source`, or a column or class is not there.
    DataError
        The file cannot be read, or its target cannot be learned.
    InvalidInputError
        A choice is not allowed, or a `random_state` is given for data that is not generated.

    Examples
    --------
    >>> load("iris").X.shape
    (150, 4)
    """
    _check_choice("task", task, ("auto", "classification", "regression"))
    _check_choice("missing_target", missing_target, ("error", "drop"))
    frame, origin = _fetch(source, options, random_state)
    default = origin.entry.target if origin.entry else None
    target = choose_target(frame, target or default, origin.source)
    chosen = choose_features(frame, target, columns, ignore, origin.source)
    notes: list[str] = []
    frame = _without_missing_target(frame, target, missing_target, origin, notes)
    X, categorical = frame[chosen], tuple[str, ...]()
    if categories:
        X, categorical = mixed_features(X, origin.path, options)
        notes += describe_categories(X, categorical, options.categorical)
        declared = dict.fromkeys([*options.categorical, *categorical])
        options = replace(options, categorical=tuple(declared))
    elif numeric:
        X = numeric_features(X, origin.path, options)
    goal = _choose_task(frame[target], target, task, origin)
    y = _make_target(frame[target], goal, positive, origin, notes)
    return Table(
        name=origin.name,
        X=X.reset_index(drop=True),
        y=y,
        target=target,
        task=goal,
        source=origin.source,
        options=options,
        notes=tuple(notes),
        categorical=categorical,
    )


def fetch(
    source: str | PathLike[str],
    options: ReadOptions = DEFAULT_OPTIONS,
    random_state: int | None = None,
) -> tuple[pd.DataFrame, Entry | None]:
    """Return the frame of a data file, or that of a data set of the catalogue and its entry.

    Parameters
    ----------
    source : str or path-like
        As in `load`.
    options : ReadOptions, optional
        How to read a file.
    random_state : int, optional
        As in `load`.
    """
    entry = find_entry(source) if isinstance(source, str) else None
    if entry is not None:
        check_random_state(random_state, entry.name, entry)
        return load_entry(entry, random_state), entry
    if not str(source):
        raise InvalidInputError("The name of the data is empty. Name a file or a data set.")
    path = Path(source)
    if isinstance(source, str) and not path.exists() and path.name == source and not path.suffix:
        raise UnknownNameError(_unknown_source(source))
    check_random_state(random_state, str(source), None)
    return read_table(path, options), None


def _fetch(
    source: str | PathLike[str], options: ReadOptions, random_state: int | None
) -> tuple[pd.DataFrame, _Origin]:
    frame, entry = fetch(source, options, random_state)
    check_columns("categorical", options.categorical, frame, str(source))
    if entry is not None:
        return frame, _Origin(entry.name, entry.name, options, entry)
    path = Path(source)
    name = path.name.removesuffix(".gz")
    return frame, _Origin(Path(name).stem, str(path), options)


def _unknown_source(source: str) -> str:
    names = [entry.name for entry in catalogue()]
    aliases = [alias for entry in catalogue() for alias in entry.aliases]
    files = [path.name for path in Path().iterdir() if path.is_file()]
    return (
        f"{source!r} is neither a file in {Path.cwd()} nor a data set of the catalogue "
        f"({', '.join(names)}).{did_you_mean(source, [*names, *aliases, *files])}"
    )


def _without_missing_target(
    frame: pd.DataFrame, target: str, how: str, origin: _Origin, notes: list[str]
) -> pd.DataFrame:
    missing = frame[target].isna().to_numpy()
    number = int(missing.sum())
    if not number:
        return frame
    where = origin.rows(frame.index[missing])
    if number == len(frame):
        raise DataError(f"{origin.source}: the target {target!r} has no values at all.")
    if how == "error":
        raise DataError(
            f"{origin.source}: the target {target!r} is missing in {count(number, 'row')}, on "
            f"{where}. Fill it in, or drop these rows with missing_target='drop'."
        )
    notes.append(f"{count(number, 'row')} without a target dropped, on {where}")
    return frame[~missing]


def _choose_task(column: pd.Series[Any], target: str, task: str, origin: _Origin) -> Task:
    if task == "auto":
        known = origin.entry is not None and target == origin.entry.target
        return origin.entry.task if known and origin.entry else likely_task(column)
    return "regression" if task == "regression" else "classification"


def _make_target(
    column: pd.Series[Any], task: Task, positive: object, origin: _Origin, notes: list[str]
) -> NDArray[Any]:
    if task == "regression":
        if positive is not None:
            raise InvalidInputError("positive names a class, and task is 'regression'.")
        numbers, wrong = as_numbers(column, origin.options.decimal)
        if wrong.any():
            first = quoted(column.iloc[int(wrong.argmax())])
            raise DataError(
                f"{origin.source}: the target {column.name!r} has {int(wrong.sum())} of "
                f"{count(len(column), 'value')} that are no finite numbers ({first} first), on "
                f"{origin.rows(column.index[wrong])}; correct them, or use task='classification'."
            )
        return numbers
    labels, about = as_labels(column, origin.source)
    notes.extend(about)
    entry = origin.entry
    if entry is not None and entry.labels and column.name == entry.target:
        notes.append("labels: " + ", ".join(f"{i} = {text}" for i, text in enumerate(entry.labels)))
        if positive in entry.labels:
            positive = entry.labels.index(str(positive))
    if positive is None:
        return labels
    binary, note = as_binary(labels, positive, origin.source, str(column.name))
    notes.append(note)
    return binary


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidInputError(
            f"{name} must be {' or '.join(map(repr, allowed))}. Got {value!r} instead."
        )
