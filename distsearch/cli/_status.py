"""``distsearch status``: what a store has, and what it lacks."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["STORE", "STUDY", "command"]

STORE = click.argument("store", type=click.Path(path_type=Path))
STUDY = click.option("--study", metavar="NAME", help="Which one, where the store has several.")


@click.command("status")
@STORE
@STUDY
@click.option("--errors", default=5, show_default=True, help="How many failed units to show.")
def command(store: Path, study: str | None, errors: int) -> None:
    """Show how far a study is: units done, failed and to do, its runs, and who is writing now.

    STORE is the file that distsearch sweep writes.
    """
    from distsearch.cli._results import show_status

    show_status(store, study, errors)
