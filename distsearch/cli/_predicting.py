"""The work of ``distsearch predict``."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
from sklearn.metrics import get_scorer

from distsearch._wording import count, did_you_mean, quoted
from distsearch.backends import single_threaded
from distsearch.boxcox import BoxCoxTransformer
from distsearch.cli import _checks, _models
from distsearch.cli._errors import one_line
from distsearch.errors import DataError, InvalidInputError, UnknownNameError
from distsearch.tables import (
    ReadOptions,
    describe_missing,
    fetch,
    mixed_features,
    write_table,
)

__all__ = ["Request", "run"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """What ``distsearch predict`` was asked; the names are those of its options."""

    model: Path
    data: str
    output: Path | None
    proba: bool
    keep: tuple[str, ...]
    delimiter: str | None
    decimal: str | None
    encoding: str | None
    missing: tuple[str, ...]
    categorical: tuple[str, ...]
    trust: tuple[str, ...]

    def reading(self, trained: dict[str, Any]) -> ReadOptions:
        """Return the reading rule of the training file, changed by what was given."""
        names = ("delimiter", "decimal", "encoding", "missing", "categorical")
        given = {name: getattr(self, name) for name in names}
        known = ReadOptions.from_dict(trained)
        given["categorical"] = (*known.categorical, *self.categorical)
        return replace(known, **{name: value for name, value in given.items() if value})


def run(request: Request) -> None:
    """Predict and write."""
    _checks.check_outputs({"-o": request.output}, request.data, request.model)
    content = _models.load(request.model, request.trust)
    model, options = content["model"], request.reading(content["reading"])
    if request.proba and not hasattr(model, "predict_proba"):
        raise InvalidInputError(
            f"--proba: {type(model[-1]).__name__} gives no probabilities. Leave it out, or fit "
            f"another estimator."
        )
    frame, _ = fetch(request.data, options)
    X = _features(request, frame, content, options)
    with single_threaded():
        answer = _answer(request, frame, X, model)
        _tell_outside(model, X)
        _tell_score(request, frame, X, content)
    if request.output is None:
        _print(answer)
        return
    write_table(answer, request.output)
    click.echo(f"{count(len(answer), 'prediction')} in {request.output}.", err=True)


def _print(answer: pd.DataFrame) -> None:
    """Write the same bytes as to a file, whatever the terminal's encoding."""
    if sys.stdout is None:
        raise InvalidInputError("Standard output is closed. Open it, or name a file with -o.")
    text: str = answer.to_csv(index=False, lineterminator="\n")
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def _features(
    request: Request, frame: pd.DataFrame, content: dict[str, Any], options: ReadOptions
) -> pd.DataFrame:
    """Return the model's features in its order: numbers, and text where it knows categories."""
    features, target = content["features"], content["target"]
    lacking = [name for name in features if name not in frame.columns]
    if lacking:
        shown = ", ".join(map(repr, lacking[:10])) + (", …" if len(lacking) > 10 else "")
        raise DataError(
            f"{request.data} lacks {len(lacking)} of {count(len(features), 'feature')} of the "
            f"model: {shown}."
            f"{did_you_mean(lacking[0], [str(name) for name in frame.columns])}"
        )
    extra = [name for name in frame if name not in {*features, target, *request.keep}]
    if extra:
        shown = ", ".join(map(repr, extra[:5])) + (", …" if len(extra) > 5 else "")
        click.echo(f"Note: {count(len(extra), 'column')} not used: {shown}.", err=True)
    for name in request.keep:
        if name not in frame.columns:
            raise UnknownNameError(
                f"--keep {name}: {request.data} has no such column."
                f"{did_you_mean(name, [str(each) for each in frame.columns])}"
            )
    trained = ReadOptions.from_dict(content["reading"])
    known = replace(options, categorical=trained.categorical)
    X, categorical = mixed_features(
        frame[features], request.data, known, infer=False,
        remedy="The model needs numbers there: correct them, or encode them as for its training.",
    )  # fmt: skip
    if content["report"]["impute"] == "error":
        _checks.check_missing(
            describe_missing(X.drop(columns=list(categorical))), len(X), request.data,
            "The model was fitted without any; fill them in, or fit again with --impute median.",
        )  # fmt: skip
    return X


def _answer(request: Request, frame: pd.DataFrame, X: pd.DataFrame, model: Any) -> pd.DataFrame:
    made = {"prediction": model.predict(X)}
    if request.proba:
        shares = model.predict_proba(X).T
        made |= {f"proba_{c}": p for c, p in zip(model.classes_, shares, strict=True)}
    for name in request.keep:
        if name in made:
            raise InvalidInputError(f"--keep {name}: a column of that name is made. Rename it.")
    kept = frame[list(dict.fromkeys(request.keep))].reset_index(drop=True)
    return pd.concat([kept, pd.DataFrame(made)], axis=1)


def _tell_outside(model: Any, X: pd.DataFrame) -> None:
    values: Any = X
    for step in model[:-1]:
        if isinstance(step, BoxCoxTransformer):
            counts = step.count_out_of_range(values)
            if counts.any():
                worst = np.argsort(-counts, kind="stable")[: min(3, int((counts > 0).sum()))]
                shown = ", ".join(f"{X.columns[j]!r} {counts[j]}" for j in worst)
                click.echo(
                    f"Note: {count(int(counts.sum()), 'value')} outside the training range "
                    f"({step.out_of_range}): {shown}.",
                    err=True,
                )
            return
        values = step.transform(values)


def _tell_score(
    request: Request, frame: pd.DataFrame, X: pd.DataFrame, content: dict[str, Any]
) -> None:
    target, metric = content["target"], content["report"]["scoring"]
    if target not in frame.columns:
        return
    known = frame[target].notna().to_numpy()
    if not known.any():
        return
    try:
        truth = _truth(frame[target][known], content["classes"])
        score = get_scorer(metric)(content["model"], X[known], truth)
    except ValueError as error:
        click.echo(
            f"Note: {target!r} could not be compared with: {one_line(str(error))}.", err=True
        )
        return
    seen = request.data == content["report"]["data"]
    click.echo(
        f"{metric} on {count(int(known.sum()), 'row')} with {target!r}: {score:.4f}"
        f"{', optimistic, for the model was fitted on this data' if seen else ''}",
        err=True,
    )


def _truth(column: pd.Series[Any], classes: list[Any] | None) -> Any:
    """Return a target as the model knows it: text, whole numbers, or numbers."""
    if classes is not None and all(isinstance(each, str) for each in classes):
        return column.astype(str).to_numpy(dtype=str)
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    if np.isnan(numbers).any():
        raise ValueError(f"{quoted(column[np.isnan(numbers)].iloc[0])} is no number")
    if classes is None:
        return numbers
    labels = numbers.astype(type(classes[0]))
    if (labels != numbers).any():
        raise ValueError(f"{quoted(numbers[labels != numbers][0])} is no class of the model")
    return labels
