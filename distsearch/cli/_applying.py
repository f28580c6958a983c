"""The work of ``distsearch encode --apply``: later rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from distsearch._wording import count, did_you_mean, listed
from distsearch.cli import _checks, _models
from distsearch.cli._console import facts
from distsearch.cli._encoded import as_written, encoded_names, put, write_report
from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import DataError, InvalidInputError
from distsearch.tables import (
    ReadOptions,
    describe_missing,
    fetch,
    numeric_features,
    write_table,
)

__all__ = ["Request", "run"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """What ``distsearch encode --apply`` was asked; the names are those of its options."""

    data: str
    model: Path
    output: Path
    delimiter: str | None
    decimal: str | None
    encoding: str | None
    missing: tuple[str, ...]
    categorical: tuple[str, ...]
    json_file: Path | None
    quiet: bool

    def reading(self, trained: dict[str, Any]) -> ReadOptions:
        """Return the reading rule of the training file, changed by what was given."""
        names = ("delimiter", "decimal", "encoding", "missing", "categorical")
        given = {name: getattr(self, name) for name in names}
        known = ReadOptions.from_dict(trained)
        given["categorical"] = (*known.categorical, *self.categorical)
        return replace(known, **{name: value for name, value in given.items() if value})


def run(request: Request) -> None:
    """Encode later rows by what training rows have taught, write them and report."""
    _checks.check_outputs(
        {"-o": request.output, "--json": request.json_file}, request.data, request.model
    )
    content = _models.load(request.model, kind="encoder")
    encoder: OrderedTargetEncoder = content["model"].set_output(transform="pandas")
    options = request.reading(content["reading"])
    frame, _ = fetch(request.data, options)
    X = _features(request, frame, encoder, options)
    unknown = _count_unknown(encoder, X)
    _tell(request, encoder, content["report"], unknown, len(X))
    values = encoder.transform(X)
    copied = [str(name) for name in frame.columns if name not in encoded_names(encoder)]
    written = as_written(request.data, options, request.output, copied)
    write_table(put(encoder, values, written, request.data), request.output)
    report = {
        "data": request.data,
        "rows": len(X),
        "encoder": str(request.model),
        "columns": encoded_names(encoder),
        "unknown": unknown,
        "missing": describe_missing(X[encoded_names(encoder)]),
        "output": str(request.output),
    }
    write_report(request.json_file, report)
    if not request.quiet:
        click.echo(_describe(report, encoder, content))


def _features(
    request: Request, frame: pd.DataFrame, encoder: OrderedTargetEncoder, options: ReadOptions
) -> pd.DataFrame:
    """Return the encoder's features in its order; those that it only copies may be missing."""
    needed = encoded_names(encoder)
    lacking = [name for name in needed if name not in frame.columns]
    if lacking:
        raise DataError(
            f"{request.data} lacks {len(lacking)} of {count(len(needed), 'column')} that "
            f"{request.model} encodes: {listed(lacking)}."
            f"{did_you_mean(lacking[0], map(str, frame.columns))}"
        )
    X = frame.reindex(columns=[str(name) for name in encoder.feature_names_in_])
    for name, known in zip(needed, encoder.categories_, strict=True):
        if known.dtype.kind in "iuf" and not pd.api.types.is_numeric_dtype(X[name].dtype):
            X[name] = numeric_features(
                frame[[name]], request.data, options,
                remedy="The encoder knows numbers there: correct them, or encode the training rows "
                "again with --categorical for that column.",
            )[name]  # fmt: skip
    if encoder.handle_missing == "error":
        _checks.check_missing(
            describe_missing(X[needed]), len(X), request.data,
            "Fill them in, or encode the training rows again with --missing own, prior or nan.",
        )  # fmt: skip
    return X


def _count_unknown(encoder: OrderedTargetEncoder, X: pd.DataFrame) -> dict[str, int]:
    """Return how many values of each column are categories that training had not."""
    counts = {}
    for name, known in zip(encoded_names(encoder), encoder.categories_, strict=True):
        new = X[name].dropna()
        counts[name] = int((~new.isin(known.tolist())).sum())
        if encoder.handle_missing == "own" and len(encoder.statistics(name)) == len(known):
            counts[name] += len(X) - len(new)
    return {name: number for name, number in counts.items() if number}


def _tell(
    request: Request,
    encoder: OrderedTargetEncoder,
    trained: dict[str, Any],
    unknown: dict[str, int],
    rows: int,
) -> None:
    if unknown:
        worst = sorted(unknown, key=lambda name: -unknown[name])[:5]
        shown = ", ".join(f"{name!r} {unknown[name]}" for name in worst)
        more = f", {len(unknown) - 5} more columns" if len(unknown) > 5 else ""
        text = f"categories that training had not in {count(sum(unknown.values()), 'value')}"
        if encoder.handle_unknown == "error":
            raise InvalidInputError(
                f"{request.data}: {text}: {shown}{more}. Correct them, or encode the training rows "
                f"again with --unknown prior, own or nan."
            )
        click.echo(f"Note: {text} ({encoder.handle_unknown}): {shown}{more}.", err=True)
    if request.data == trained["data"] and rows == trained["rows"]:
        click.echo(
            f"Note: {request.data} is the training table, and its own targets are in these values. "
            f"Do not train a model on them, but on those that were written with the encoder.",
            err=True,
        )


def _describe(
    report: dict[str, Any], encoder: OrderedTargetEncoder, content: dict[str, Any]
) -> str:
    names, rows = report["columns"], f"{encoder.n_samples_seen_:,}"
    shown = listed(names, 8)
    pairs = [
        ("Data", f"{report['data']}: {count(report['rows'], 'row')}"),
        ("Encoder", f"{report['encoder']}, of {content['target']!r} ({encoder.target_type_})"),
        ("Encoded", f"{count(len(names), 'column')}, by all {rows} training rows: {shown}"),
        ("Output", report["output"]),
    ]
    return facts(pairs)
