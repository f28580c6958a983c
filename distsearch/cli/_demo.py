"""``distsearch demo``: the main job on data that is at hand."""

from __future__ import annotations

from typing import Any

import click

from distsearch.cli._options import OUTPUT, SEED, backend_option

__all__ = ["command"]


@click.command("demo")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    default="demo-model.skops",
    show_default=True,
    help="The file to save the best model in.",
)
@backend_option
@click.option("--estimator", default="nb", show_default=True, metavar="NAME", help="A classifier.")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True)
@click.option("--repeats", type=click.IntRange(1), default=2, show_default=True)
@click.option("--seed", type=SEED, default=0, show_default=True)
@click.option("--quiet", is_flag=True, help="Show no progress.")
def command(**given: Any) -> None:
    """Compare methods on the breast cancer data.

    The λ are searched on the training rows of each split, the accuracy is that of the rows left
    out. The best method is fitted on all rows and saved. Takes about a minute on two cores.
    """
    from distsearch.cli._demonstrating import run

    run(**given)
