"""``distsearch export``: a study's results as one table."""

from __future__ import annotations

from pathlib import Path

import click

from distsearch.cli._options import OUTPUT
from distsearch.cli._status import STORE, STUDY

__all__ = ["command"]


@click.command("export")
@STORE
@STUDY
@click.option("-o", "--output", type=OUTPUT, help="The file to write. [standard output, as CSV]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "parquet"]),
    help="What to write, where the file's ending does not say it.",
)
@click.option("--times", is_flag=True, help="Add seconds and attempts, which differ between runs.")
@click.option("--pending", is_flag=True, help="Add the units that have no result yet.")
def command(
    store: Path,
    study: str | None,
    output: Path | None,
    form: str | None,
    times: bool,
    pending: bool,
) -> None:
    """Write the results of a study as one table: a row a unit, a column a parameter and a metric.

    Without --times the table depends on the study alone: however often its run was stopped, and
    wherever it ran, the file is the same to the byte.
    """
    from distsearch.cli._results import export

    export(store, study, output, form, times=times, pending=pending)
