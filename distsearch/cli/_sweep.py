"""``distsearch sweep``: run a study, or go on with it."""

from __future__ import annotations

from pathlib import Path

import click

from distsearch.cli._options import OUTPUT, backend_option, trust_option

__all__ = ["ONLY", "command"]

ONLY = click.option(
    "--only",
    multiple=True,
    metavar="KIND=LABELS",
    help="Run a part now: data=, estimator= or method= with labels or patterns, several between "
    "commas. Repeatable.",
)


@click.command("sweep")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--store", type=OUTPUT, help="The file of results. [the study's name.sqlite, here]")
@backend_option
@ONLY
@click.option("--dry-run", is_flag=True, help="Show units and their estimated cost; run nothing.")
@click.option(
    "--keep-going/--fail-fast",
    default=True,
    show_default=True,
    help="Whether other units still run after one has failed.",
)
@click.option("--retry-failed", is_flag=True, help="Run units again that have failed before.")
@trust_option
@click.option("--relocated", type=click.Path(path_type=Path), hidden=True)
@click.option("--quiet", is_flag=True, help="Show no progress.")
def command(
    study: Path,
    store: Path | None,
    backend: str,
    only: tuple[str, ...],
    dry_run: bool,
    keep_going: bool,
    retry_failed: bool,
    trust: tuple[str, ...],
    relocated: Path | None,
    quiet: bool,
) -> None:
    """Run a study: data sets x estimators x methods x splits.

    STUDY is a TOML file; README.md describes it. Everything is checked before the work starts.
    Each finished unit is on the disk at once. A sweep that was stopped, by whatever, continues when
    the same command is given again.

    \b
    distsearch sweep study.toml --dry-run
    distsearch sweep study.toml --store study.sqlite
    distsearch compare study.sqlite
    """  # noqa: D301
    from distsearch.cli._sweeping import Request, run

    request = Request(
        study=study,
        store=store,
        backend=backend,
        only=only,
        fail_fast=not keep_going,
        retry_failed=retry_failed,
        trust=trust,
        relocated=relocated,
        quiet=quiet,
    )
    run(request, dry_run=dry_run)
