"""The work of ``distsearch status``, ``export`` and ``compare``: what a store says."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import pandas as pd

from distsearch._wording import count
from distsearch.cli import _checks
from distsearch.cli._console import columns, facts
from distsearch.cli._errors import one_line
from distsearch.errors import InvalidInputError
from distsearch.sweep import export_table
from distsearch.sweep.compare import compare, render
from distsearch.sweep.store import StoreReader, StudyRecord
from distsearch.tables import whole_file, write_table

__all__ = ["compare_study", "export", "show_status"]

_STATES = ("done", "failed", "pending")


def show_status(store: Path, study: str | None, errors: int) -> None:
    """Print how far a study is."""
    with StoreReader(store) as reader:
        record = reader.study(study)
        results = reader.results(record)
        runs = reader.runs()
        driver = reader.driver()
    states = results["state"].value_counts()
    tally = ", ".join(f"{int(states.get(state, 0)):,} {state}" for state in _STATES)
    pairs = [
        ("Study", f"{record.name}{': ' if record.title else ''}{record.title}"),
        ("Units", f"{len(results):,}: {tally}"),
        *_runs(runs[runs["study"] == record.name]),
    ]
    if driver is not None:
        pairs.append(("Now", f"{driver} is writing"))
    click.echo(facts(pairs))
    click.echo(f"\n{_groups(results)}")
    failed = results[results["state"] == "failed"]
    for row in failed.head(errors).itertuples():
        click.echo(
            f"Failed: {row.data}, {row.estimator}, {row.method}, repeat {row.repeat}, "
            f"fold {row.fold}: {row.error_type}: {one_line(str(row.error))}"
        )
    if len(failed) > errors:
        click.echo(f"({len(failed) - errors:,} more failed; export has them all)")


def _runs(runs: pd.DataFrame, most: int = 3) -> list[tuple[str, str]]:
    """Return a line for each of the last runs."""
    lines = [
        ("Runs", f"{row.started:%Y-%m-%d %H:%M:%S} UTC: {_outcome(row.outcome)}, on {row.backend}, "
         f"{row.host}")
        for row in runs.tail(most).itertuples()
    ]  # fmt: skip
    more = len(runs) - len(lines)
    return [("Runs", f"{count(more, 'earlier one')}"), *lines] if more > 0 else lines


def _outcome(said: object) -> str:
    return said if isinstance(said, str) else "still running, or killed"


def _groups(results: pd.DataFrame) -> str:
    keys = ["data", "estimator", "method"]
    rows: list[tuple[str, ...]] = [
        (*map(str, labels), *(f"{int((group['state'] == state).sum()):,}" for state in _STATES))
        for labels, group in results.groupby(keys, sort=False)
    ]
    return columns((*keys, *_STATES), rows, left=3)


def export(
    store: Path,
    study: str | None,
    output: Path | None,
    form: str | None,
    *,
    times: bool,
    pending: bool,
) -> None:
    """Write a study's results as a table."""
    ending = {"csv": ".csv", "parquet": ".parquet"}.get(form or "")
    if output is None and form == "parquet":
        raise InvalidInputError("--format parquet needs a file: name it with -o.")
    _checks.check_outputs({"-o": output}, store)
    if output is not None and ending and output.suffix.lower() != ending:
        raise InvalidInputError(
            f"-o {output} does not end in {ending}, which --format {form} needs. Change either."
        )
    record, results = _read(store, study)
    table = export_table(record, results, times=times, pending=pending)
    if output is None:
        table.to_csv(sys.stdout, index=False, lineterminator="\n")
        return
    write_table(table, output)
    click.echo(f"{count(len(table), 'row')} written to {output}.", err=True)


def compare_study(
    store: Path,
    study: str | None,
    output: Path | None,
    form: str,
    *,
    metrics: tuple[str, ...],
    detail: bool,
    **how: Any,
) -> None:
    """Compare what competes in a study."""
    _checks.check_outputs({"-o": output}, store)
    record, results = _read(store, study)
    comparison = compare(record, results, metrics=list(metrics) or None, **how)
    text = render(comparison, form, detail=detail)
    if output is None:
        click.echo(text.rstrip("\n"))
        return
    with whole_file(output) as file:
        file.write(f"{text.rstrip(chr(10))}\n".encode())
    click.echo(f"Written to {output}.", err=True)


def _read(store: Path, study: str | None) -> tuple[StudyRecord, pd.DataFrame]:
    with StoreReader(store) as reader:
        record = reader.study(study)
        return record, reader.results(record)
