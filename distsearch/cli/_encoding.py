"""The work of ``distsearch encode``: training rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np
import pandas as pd

from distsearch._wording import did_you_mean, joined, listed
from distsearch.cli import _checks, _models
from distsearch.cli._encoded import as_written, put, write_report
from distsearch.cli._encoding_report import describe, make_report
from distsearch.cli._errors import Interrupted, as_options
from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import DataError, InvalidInputError, UnknownNameError
from distsearch.tables import ReadOptions, Table, describe_missing, fetch, load, write_table
from distsearch.tables._cells import is_text, parse_numbers

__all__ = ["Request", "run"]

_TASKS: dict[str, Literal["auto", "classification", "regression"]] = {
    "auto": "auto",
    "continuous": "regression",
    "binary": "classification",
    "multiclass": "classification",
}
_ADVICE = (
    ("task='regression'", "--target-type continuous"),
    ("task='classification'", "--target-type multiclass"),
    ("target_type='multiclass', or 'continuous'", "--target-type multiclass, or continuous"),
    ("order='given'", "--order given"),
    ("order names ", "--order names "),
)
"""Advice of the library, and what it is here."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What ``distsearch encode`` was asked of training rows; the names are those of its options."""

    data: str
    target: str | None
    columns: tuple[str, ...]
    ignore: tuple[str, ...]
    output: Path
    save: Path | None
    target_type: str
    smoothing: float
    prior: str | float
    order: str
    permutations: int
    noise: float
    drop: str | None
    unknown: str
    handle_missing: str
    seed: int
    backend: str
    missing_target: Literal["error", "drop"]
    delimiter: str | None
    decimal: str | None
    encoding: str | None
    missing: tuple[str, ...]
    categorical: tuple[str, ...]
    json_file: Path | None
    quiet: bool

    @property
    def reading(self) -> ReadOptions:
        """The reading rule: what was given, defaults for the rest."""
        names = ("delimiter", "decimal", "encoding", "missing", "categorical")
        given = {name: getattr(self, name) for name in names}
        return ReadOptions(**{name: value for name, value in given.items() if value})

    @property
    def ordered_by(self) -> str | None:
        """The column that orders the rows."""
        return None if self.order in {"given", "random"} else self.order.removeprefix("column:")


def run(request: Request) -> None:
    """Encode the training rows, write them, save the encoder and report."""
    _checks.check_outputs(
        {"-o": request.output, "--save": request.save, "--json": request.json_file}, request.data
    )
    if request.permutations > 1 and request.order != "random":
        raise InvalidInputError(
            f"--permutations {request.permutations} needs --order random, and the order is "
            f"{request.order!r}."
        )
    with _advising():
        table, encoded = _load(request)
        encoder = _make_encoder(request, table, encoded)
        values = encoder.fit_transform(table.X, table.y)
    frame = put(encoder, values, _whole_table(request, table, encoded), request.data)
    report = {
        **make_report(table, encoder, request.order),
        "output": str(request.output),
        "encoder": None if request.save is None else str(request.save),
    }
    written: list[str] = []
    try:
        write_table(frame, request.output)
        written.append(str(request.output))
        if request.save is not None:
            _models.save(request.save, encoder, table, report, kind="encoder")
            written.append(str(request.save))
        write_report(request.json_file, report)
    except KeyboardInterrupt as error:
        raise Interrupted(f"{joined(written) or 'nothing'} was written.") from error
    if not request.quiet:
        click.echo(describe(report))


@contextmanager
def _advising() -> Iterator[None]:
    """Name options where the library names its parameters."""
    try:
        yield
    except (DataError, InvalidInputError) as error:
        text = str(error)
        for advice, option in _ADVICE:
            text = text.replace(advice, option)
        raise type(error)(text) from error.__cause__


def _load(request: Request) -> tuple[Table, list[str]]:
    """Return the table and the columns to encode."""
    table = load(
        request.data,
        request.target,
        options=request.reading,
        task=_TASKS[request.target_type],
        missing_target=request.missing_target,
    )
    for note in table.notes:
        click.echo(f"Note: {as_options(note)}.", err=True)
    _check_columns(request, table)
    left_out = {*request.ignore, request.ordered_by}
    encoded = list(dict.fromkeys(request.columns)) or [
        str(name) for name, column in table.X.items() if name not in left_out and _is_text(column)
    ]
    if not encoded:
        raise InvalidInputError(
            f"{table.source}: there is nothing to encode, for every "
            f"{'other column' if any(left_out - {None}) else 'column'} is numeric. Name "
            f"columns with --columns, or declare numbers that are names with --categorical."
        )
    if not request.columns:
        _refuse_decimals(table, encoded)
    _check_values(request, table, encoded)
    return _as_categories(table, encoded), encoded


def _refuse_decimals(table: Table, encoded: list[str]) -> None:
    """Refuse to take numbers with the other decimal mark for text, unless they are named."""
    other = "," if table.options.decimal == "." else "."
    for name in encoded:
        texts = table.X[name].dropna()
        declared = name in table.options.categorical
        if not declared and is_text(texts) and not parse_numbers(texts, other)[1].any():
            raise DataError(
                f"{table.source}: {name!r} looks like numbers with the decimal mark {other!r} "
                f"({listed(texts.drop_duplicates(), 3)}). Use --decimal {other!r}, or name the "
                f"columns to encode with --columns."
            )


def _check_columns(request: Request, table: Table) -> None:
    by = [request.ordered_by] if request.ordered_by is not None else []
    known = [*map(str, table.X.columns), table.target]
    named = {"--columns": request.columns, "--ignore": request.ignore, "--order": by}
    for option, names in named.items():
        for name in names:
            if name not in known:
                raise UnknownNameError(
                    f"{option} {name}: {table.source} has no such column; the columns are "
                    f"{listed(known, 20)}.{did_you_mean(name, known)}"
                )
            if name == table.target and option != "--ignore":
                raise InvalidInputError(
                    f"{option} {name}: that is the target, and rows would be told their own. Name "
                    f"another column."
                )
    both = [name for name in request.columns if name in request.ignore]
    if both:
        raise InvalidInputError(f"{listed(both)} in --columns and in --ignore: choose one of them.")


def _is_text(column: pd.Series[Any]) -> bool:
    dtype = column.dtype
    numeric = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
    return not numeric and bool(column.notna().any())


def _check_values(request: Request, table: Table, encoded: list[str]) -> None:
    X = table.X[encoded]
    if request.handle_missing == "error":
        _checks.check_missing(
            describe_missing(X), len(X), table.source,
            "Fill them in, or use --missing own, prior or nan.",
        )  # fmt: skip
    unique = [str(name) for name in X if X[name].nunique() == len(X)]
    if unique:
        click.echo(
            f"Note: no two rows have the same value of {listed(unique)}, so every training row "
            f"gets the prior there; --ignore leaves such a column as it is.",
            err=True,
        )
    if request.order == "given" and _is_sorted(table):
        click.echo(
            f"Note: the rows are sorted by {table.target!r}, so their values tell where they stand "
            f"in the file. Use --order random.",
            err=True,
        )


def _is_sorted(table: Table) -> bool:
    y = table.y
    if table.task == "regression":
        return bool((y[1:] >= y[:-1]).all() or (y[1:] <= y[:-1]).all())
    return int((y[1:] != y[:-1]).sum()) + 1 == len(np.unique(y))


def _as_categories(table: Table, encoded: list[str]) -> Table:
    """Return the columns that an encoder needs; what is no number is text, and declared so.

    Then a later file is read alike, whatever its values look like.
    """
    texts = [name for name in encoded if _is_text(table.X[name])]
    X = table.X.copy(deep=False)
    for name in texts:
        if not isinstance(X[name].dtype, pd.StringDtype):
            X[name] = X[name].astype(object).map(str, na_action="ignore")
    declared = dict.fromkeys([*table.options.categorical, *texts])
    return replace(table, X=X, options=replace(table.options, categorical=tuple(declared)))


def _make_encoder(request: Request, table: Table, encoded: list[str]) -> OrderedTargetEncoder:
    by = request.ordered_by
    encoder = OrderedTargetEncoder(
        encoded,
        target_type=_target_type(request, table),
        smoothing=request.smoothing,
        prior=request.prior,
        order=request.order if by is None else list(table.X.columns).index(by),
        n_permutations=request.permutations,
        noise=request.noise,
        drop=_find_class(request, table),
        handle_unknown=request.unknown,
        handle_missing=request.handle_missing,
        backend=request.backend,
        random_state=request.seed,
    )
    encoder.set_output(transform="pandas")
    return encoder


def _target_type(request: Request, table: Table) -> str:
    if request.target_type == "auto" and table.task == "regression":
        return "continuous"
    return request.target_type


def _find_class(request: Request, table: Table) -> Any:
    """Return the class that ``--drop`` names, as the encoder knows it."""
    if request.drop is None:
        return None
    if table.task == "regression":
        raise InvalidInputError(
            f"--drop {request.drop}: {table.target!r} is continuous and has no classes. Leave it "
            f"out, or use --target-type multiclass."
        )
    classes = {str(label): label for label in np.unique(table.y).tolist()}
    if len(classes) == 2 and request.target_type != "multiclass":
        raise InvalidInputError(
            f"--drop {request.drop}: {table.target!r} has two classes, which share one column. "
            f"Leave it out, or use --target-type multiclass for a column each."
        )
    if request.drop not in {*classes, "first"}:
        raise UnknownNameError(
            f"--drop {request.drop}: {table.target!r} has no such class; the classes are "
            f"{listed(classes.values(), 20)}.{did_you_mean(request.drop, classes)}"
        )
    return classes.get(request.drop, "first")


def _whole_table(request: Request, table: Table, encoded: list[str]) -> pd.DataFrame:
    """Return all columns of the rows that were encoded, as they are in the file."""
    copied = {*map(str, table.X.columns), table.target}.difference(encoded)
    frame = as_written(request.data, request.reading, request.output, copied)
    if len(frame) > len(table.y):  # what is missing depends on the rule
        known = fetch(request.data, request.reading)[0][table.target].notna().to_numpy()
        frame = frame[known].reset_index(drop=True)
    return frame
