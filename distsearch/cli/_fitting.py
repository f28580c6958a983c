"""The work of ``distsearch fit``."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from distsearch._wording import count
from distsearch.boxcox import BoxCoxSearchCV
from distsearch.boxcox._invariance import warn_if_invariant
from distsearch.cli import _checks, _models
from distsearch.cli._baseline import base_score
from distsearch.cli._categories import make_preparation, with_encoding
from distsearch.cli._errors import Interrupted, as_options
from distsearch.cli._report import describe, write_json
from distsearch.errors import DataError, InvalidInputError
from distsearch.registry import make_estimator
from distsearch.search import LineReporter, Memo, reporting
from distsearch.tables import ReadOptions, Table, describe_missing, load

__all__ = ["Request", "run"]

_STRATEGY_OPTIONS = (
    "gridsize", "epochs", "shift_epoch", "shuffle_epoch", "finer_epoch", "semantics",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Request:
    """What ``distsearch fit`` was asked; the names are those of its options."""

    data: str
    target: str | None
    method: str
    estimator: str
    params: tuple[tuple[str, Any], ...]
    strategy: str
    gridsize: int | None
    epochs: int | None
    shift_epoch: int | None
    shuffle_epoch: int | None
    finer_epoch: int | None
    semantics: str | None
    scoring: str | None
    cv: str
    backend: str
    seed: int
    columns: tuple[str, ...]
    ignore: tuple[str, ...]
    impute: str
    missing_target: Literal["error", "drop"]
    delimiter: str | None
    decimal: str | None
    encoding: str | None
    missing: tuple[str, ...]
    categorical: tuple[str, ...]
    out_of_range: str
    checkpoint: Path | None
    output: Path | None
    json_file: Path | None
    trust: tuple[str, ...]
    quiet: bool
    verbose: bool

    @property
    def reading(self) -> ReadOptions:
        """The reading rule: what was given, defaults for the rest."""
        names = ("delimiter", "decimal", "encoding", "missing", "categorical")
        given = {name: getattr(self, name) for name in names}
        return ReadOptions(**{name: value for name, value in given.items() if value})

    @property
    def kept(self) -> Path | None:
        """The file that keeps scores while the search runs."""
        if self.checkpoint is None and self.output is not None:
            return self.output.with_name(f"{self.output.name}.partial")
        return self.checkpoint


def run(request: Request) -> None:
    """Search, report and save."""
    estimator = _make_estimator(request)
    table = _load(request, is_classifier(estimator))
    search = _make_search(request, estimator, table)
    try:
        model, report = _work(request, estimator, search, table)
        try:
            _save(request, model, table, report)
        except DataError as error:
            click.echo(describe(report, None, verbose=request.verbose))
            raise DataError(f"{error} {_kept(request.kept)}") from error.__cause__
    except KeyboardInterrupt as error:
        raise Interrupted(_kept(request.kept)) from error
    click.echo(describe(report, request.output, verbose=request.verbose))


def _work(
    request: Request, estimator: Any, search: BoxCoxSearchCV, table: Table
) -> tuple[Pipeline, dict[str, Any]]:
    n_features, categorical = table.X.shape[1], search.passthrough or []
    preparation = make_preparation(request.impute, n_features, categorical)
    X = table.X if preparation is None else preparation.fit_transform(table.X)
    if 0 < len(categorical) < n_features:
        warn_if_invariant(estimator)  # the search sees a pipeline, which may be anything
    start = time.monotonic()
    with nullcontext() if request.quiet else reporting(LineReporter()):
        search.fit(X, table.y)
    seconds = time.monotonic() - start
    base = base_score(search, X, table.y)
    model = _make_model(preparation, search)
    return model, _report(request, estimator, table, search, base, seconds)


def _make_model(preparation: Any, search: BoxCoxSearchCV) -> Pipeline:
    """Join all steps in one pipeline."""
    name = "codes" if search.passthrough else "impute"
    first = [] if preparation is None else [(name, preparation)]
    mapper, (last, estimator) = search.best_estimator_.steps
    inner = estimator.steps if search.passthrough else [(last, estimator)]
    return Pipeline([*first, mapper, *inner])


def _save(request: Request, model: Pipeline, table: Table, report: dict[str, Any]) -> None:
    if request.output is not None:
        _models.save(request.output, model, table, report)
    write_json(request.json_file, report)
    if request.kept is not None:
        request.kept.unlink(missing_ok=True)


def _make_estimator(request: Request) -> Any:
    estimator = make_estimator(
        request.estimator, dict(request.params), seed=request.seed, trust=request.trust
    )
    if not (is_classifier(estimator) or is_regressor(estimator)):
        raise InvalidInputError(
            f"{request.estimator} is neither a classifier nor a regressor. Choose another one."
        )
    return estimator


def _load(request: Request, classifier: bool) -> Table:
    _checks.check_outputs(
        {"-o": request.output, "--json": request.json_file, "--checkpoint": request.kept},
        request.data,
    )
    _checks.check_scoring_name(request.scoring)
    _checks.parse_folds(request.cv)
    table = load(
        request.data,
        request.target,
        options=request.reading,
        columns=request.columns or None,
        ignore=request.ignore,
        task="classification" if classifier else "regression",
        missing_target=request.missing_target,
        categories=True,
    )
    for note in table.notes:
        click.echo(f"Note: {as_options(note)}.", err=True)
    if request.impute == "error":
        _checks.check_missing(
            describe_missing(table.X.drop(columns=list(table.categorical))),
            len(table.X),
            table.source,
            "Fill them in, leave these columns out with --ignore, or use --impute median.",
        )
    if len(table.categorical) == table.X.shape[1]:
        click.echo("Note: no feature is numeric, so there is no λ to search.", err=True)
    return table


def _make_search(request: Request, estimator: Any, table: Table) -> BoxCoxSearchCV:
    categorical = [j for j, name in enumerate(table.X.columns) if name in table.categorical]
    options = {name: getattr(request, name) for name in _STRATEGY_OPTIONS}
    return BoxCoxSearchCV(
        with_encoding(estimator, categorical, table.y, request.seed),
        _checks.make_strategy(request.strategy, options, table.X.shape[1] - len(categorical)),
        scoring=request.scoring,
        cv=_checks.make_splitter(
            _checks.parse_folds(request.cv), request.seed, classifier=is_classifier(estimator)
        ),
        out_of_range=request.out_of_range,
        passthrough=categorical or None,
        backend=request.backend,
        random_state=request.seed,
        checkpoint=request.kept,
    )


def _kept(path: Path | None) -> str:
    if path is None:
        return "nothing was kept; with -o or --checkpoint the scores would have been."
    number = Memo.count_in(path)
    if not number:
        return "nothing was kept."
    return f"{count(number, 'evaluation')} kept in {path}; the same command continues from there."


def _report(
    request: Request,
    estimator: Any,
    table: Table,
    search: BoxCoxSearchCV,
    base: float,
    seconds: float,
) -> dict[str, Any]:
    known = search.search_history_["from_memo"]
    lambdas = dict(zip(map(str, table.X.columns), search.lambdas_.tolist(), strict=True))
    categorical = {name: table.X[name].nunique(dropna=False) for name in table.categorical}
    return {
        "data": table.source,
        "rows": len(table.y),
        "features": table.X.shape[1],
        "classes": len(search.classes_) if table.task == "classification" else None,
        "target": table.target,
        "method": request.method,
        "estimator": repr(estimator),
        "strategy": repr(search.strategy),
        "scoring": request.scoring or ("accuracy" if table.task == "classification" else "r2"),
        "cv": _checks.parse_folds(request.cv),
        "seed": request.seed,
        "impute": request.impute,
        "backend": request.backend,
        "base_score": base,
        "score": search.best_score_,
        "evaluations": search.n_evaluations_,
        "already_known": int(known.sum()),
        "seconds": seconds,
        "lambdas": {name: lam for name, lam in lambdas.items() if name not in categorical},
        "categorical": categorical,
        "encoder": repr(search.estimator[0]) if categorical else None,
    }
