"""``distsearch data``: the data sets that need no file."""

from __future__ import annotations

import click

from distsearch.cli._console import columns

__all__ = ["command"]


@click.group("data")
def command() -> None:
    """See the data sets that need no file."""


@command.command("list")
def list_() -> None:
    """List the data sets that fit and predict know by name."""
    from distsearch.tables import catalogue

    rows = [
        (each.name, each.description, f"{each.rows:,}", str(each.features), str(each.classes or ""))
        for each in catalogue()
    ]
    click.echo(columns(("name", "subject", "rows", "features", "classes"), rows, left=2))
