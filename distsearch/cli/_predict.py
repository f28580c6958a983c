"""``distsearch predict``: use a saved model on a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from distsearch.cli._options import OUTPUT, reading_options, trust_option

__all__ = ["command"]


@click.command("predict")
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    help="The file to write, CSV or Parquet by its ending; standard output if not given.",
)
@click.option("--proba", is_flag=True, help="Add the probability of each class, a column each.")
@click.option(
    "--keep", multiple=True, metavar="COLUMN", help="A column of DATA to copy. Repeatable."
)
@reading_options
@trust_option
def command(**given: Any) -> None:
    """Predict with a saved model.

    MODEL is a file that fit saved. DATA is read as the training file was; its columns are matched
    by name, in any order. If it has the target too, the score is shown.

    \b
    distsearch predict flowers.skops new.csv -o predictions.csv --keep id
    """  # noqa: D301
    from distsearch.cli._predicting import Request, run

    run(Request(**given))
