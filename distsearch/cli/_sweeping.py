"""The work of ``distsearch sweep``."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import click

from distsearch._wording import bytes_text, count
from distsearch.cli import _checks
from distsearch.cli._console import columns, facts
from distsearch.cli._errors import Interrupted, one_line
from distsearch.errors import SearchFailedError
from distsearch.search import LineReporter, reporting
from distsearch.sweep import Group, Only, Plan, Summary, estimate, read_plan, run_plan, unit_name
from distsearch.sweep.spec import Spec
from distsearch.sweep.store import Result, StoreReader, UnitRecord

__all__ = ["Request", "run"]


@dataclass(frozen=True, kw_only=True)
class Request:
    """What ``distsearch sweep`` was asked; the names are those of its options."""

    study: Path
    store: Path | None
    backend: str
    only: tuple[str, ...]
    fail_fast: bool
    retry_failed: bool
    trust: tuple[str, ...]
    relocated: Path | None
    quiet: bool

    def store_of(self, spec: Spec) -> Path:
        """Return the file of results."""
        return self.store or Path(f"{spec.study}.sqlite")


def run(request: Request, *, dry_run: bool = False) -> None:
    """Check the study, then run it or say what it would cost."""
    only = Only.parse(request.only)
    files = None if request.relocated is None else json.loads(request.relocated.read_text())
    plan = read_plan(request.study, trust=request.trust, files=files)
    store = request.store_of(plan.spec)
    _checks.check_outputs({"--store": store}, request.study, *plan.spec.files)
    only.check(plan.study)
    for data in plan.work.data:
        for note in data.notes:
            click.echo(f"Note: {data.label}: {note}.", err=True)
    if dry_run:
        _show_plan(plan, store, only)
        return
    summary = _run(request, plan, store, only)
    click.echo(_told(summary, store))
    if summary.failed or summary.left:
        raise SearchFailedError(
            f"{count(summary.failed + summary.left, 'unit')} of {summary.planned:,} failed; "
            f"'distsearch status {store}' shows which and why, --retry-failed runs them again."
        )


def _run(request: Request, plan: Plan, store: Path, only: Only) -> Summary:
    reporter = LineReporter()

    def tell(unit: UnitRecord, result: Result) -> None:
        text = f"Failed: {unit_name(unit)}: {result.error_type}: {one_line(result.error)}"
        reporter.say(text)

    try:
        with nullcontext() if request.quiet else reporting(reporter):
            return run_plan(
                plan,
                store,
                backend=request.backend,
                only=only,
                retry_failed=request.retry_failed,
                fail_fast=request.fail_fast,
                on_failure=tell,
                command=shlex.join(["distsearch", *sys.argv[1:]]),
            )
    except KeyboardInterrupt as error:
        raise Interrupted(_kept(store, plan)) from error


def _kept(store: Path, plan: Plan) -> str:
    if not store.exists():
        return "nothing was run."
    with StoreReader(store) as reader:
        done = len(reader.finished(plan.study))
    return (
        f"{done:,} of {count(len(plan.study.units), 'unit')} are in {store}; the same command "
        f"continues from there."
    )


def _told(summary: Summary, store: Path) -> str:
    parts = [count(summary.planned, "unit")]
    if summary.known:
        parts.append(f"{summary.known:,} known before")
    parts += [f"{summary.done:,} done", f"{summary.failed + summary.left:,} failed"]
    return f"{', '.join(parts)}. Next:\n  distsearch compare {shlex.quote(str(store))}"


def _show_plan(plan: Plan, store: Path, only: Only) -> None:
    finished = {}
    if store.exists():
        with StoreReader(store) as reader:
            finished = reader.finished(plan.study)
    groups = estimate(plan, finished, only)
    units, pending = sum(each.units for each in groups), sum(each.pending for each in groups)
    seconds = [each.seconds for each in groups if not math.isnan(each.seconds)]
    unknown = len(groups) - len(seconds)
    protocol = plan.spec.protocol
    click.echo(
        facts([
            ("Study", f"{plan.study.name}{': ' if plan.study.title else ''}{plan.study.title}"),
            *(
                ("Data", f"{each.label}: {count(each.rows, 'row')}, "
                 f"{count(each.features, 'feature')}, {_splits(plan, place)}")
                for place, each in enumerate(plan.study.data)
            ),
            ("Protocol", f"{protocol.kind}, seed {plan.study.seed}"),
            ("Metrics", ", ".join(plan.study.scorers)),
            ("Units", f"{units:,} in {count(len(groups), 'group')}; {units - pending:,} are in "
             f"{store}, {pending:,} to run"),
            ("Cost", f"about {_duration(sum(seconds))} of one core"
             + (f", and {count(unknown, 'group')} of unknown cost" if unknown else "")
             + "; from one fit of each estimator on each data set"),
            *_memory(plan),
        ])
    )  # fmt: skip
    click.echo("\n" + _table(groups))


def _memory(plan: Plan) -> list[tuple[str, str]]:
    most = max(map(plan.memory, range(len(plan.study.units))), default=0)
    return [("Memory", f"up to {bytes_text(most)} a unit, besides the data")] if most else []


def _splits(plan: Plan, place: int) -> str:
    return count(len(plan.work.data[place].splits), "split")


def _table(groups: Sequence[Group], most: int = 60) -> str:
    header = ("data", "estimator", "method", "units", "to run", "fits a unit", "core time")
    rows = [
        (
            each.data, each.estimator, each.method, f"{each.units:,}", f"{each.pending:,}",
            f"{each.fits:,}", "?" if math.isnan(each.seconds) else _duration(each.seconds),
        )
        for each in groups[:most]
    ]  # fmt: skip
    more = len(groups) - len(rows)
    return columns(header, rows, left=3) + (f"\n({more:,} more groups)" if more else "")


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
