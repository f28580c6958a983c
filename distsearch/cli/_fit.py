"""``distsearch fit``: search on a table, report, save the model."""

from __future__ import annotations

from typing import Any

import click

from distsearch.cli._options import (
    OUTPUT,
    SEED,
    backend_option,
    reading_options,
    settings,
    trust_option,
)

__all__ = ["command"]

_STRATEGIES = ("iterative", "spherical", "diagonal", "full", "mle")
_COUNT = click.IntRange(1, 1_000_000)
_FOLDS_HELP = (
    "Folds that a candidate is scored on, drawn by the seed, or 'resubstitution' for the training "
    "rows."
)


@click.command("fit")
@click.argument("data")
@click.option("--target", metavar="COLUMN", help="The column to learn.")
@click.option("--method", type=click.Choice(["boxcox"]), default="boxcox", show_default=True)
@click.option(
    "--estimator",
    default="knn",
    show_default=True,
    metavar="NAME",
    help="knn, nb, svc, logistic, lda, perceptron, mlp, ridge, … or a class of scikit-learn.",
)
@click.option(
    "--param",
    "params",
    multiple=True,
    callback=settings,
    metavar="NAME=VALUE",
    help="A parameter of it. Repeatable.",
)
@click.option("--strategy", type=click.Choice(_STRATEGIES), default="iterative", show_default=True)
@click.option("--gridsize", type=_COUNT, help="Values of λ on the grid (11).")
@click.option("--epochs", type=_COUNT, help="Rounds over all features (iterative; 4).")
@click.option("--shift-epoch", type=_COUNT, help="Restart every so many epochs (iterative).")
@click.option("--shuffle-epoch", type=_COUNT, help="Shuffle features every so many (iterative).")
@click.option("--finer-epoch", type=_COUNT, help="Halve the grid every so many (iterative).")
@click.option("--semantics", help="'product', or 'reference' as the authors' program (iterative).")
@click.option("--scoring", metavar="METRIC", help="Any metric of scikit-learn. [accuracy or r2]")
@click.option("--cv", default="5", show_default=True, help=_FOLDS_HELP)
@backend_option
@click.option("--seed", type=SEED, default=0, show_default=True)
@click.option("--columns", multiple=True, metavar="COLUMN", help="Use only these. Repeatable.")
@click.option("--ignore", multiple=True, metavar="COLUMN", help="Do not use these. Repeatable.")
@click.option(
    "--impute",
    type=click.Choice(["error", "median", "mean"]),
    default="error",
    show_default=True,
    help="What to do about missing numbers; a missing category is a category of its own.",
)
@click.option(
    "--missing-target",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="What to do about rows without a target.",
)
@reading_options
@click.option(
    "--out-of-range",
    type=click.Choice(["clip", "extrapolate", "error"]),
    default="clip",
    show_default=True,
    help="What prediction does with values outside the training range.",
)
@click.option(
    "--checkpoint",
    type=OUTPUT,
    help="Keeps scores, so that the same command continues after a stop. [OUTPUT.partial]",
)
@click.option("-o", "--output", type=OUTPUT, help="The file to save the model in.")
@click.option("--json", "json_file", type=OUTPUT, help="A file for the report as JSON.")
@trust_option
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.option("--verbose", is_flag=True, help="Report every feature.")
def command(**given: Any) -> None:
    """Search on a table, report, and save the best model.

    DATA is a CSV or Parquet file, or a name from `distsearch data list`. Everything is checked
    before the work starts. A fit that was stopped continues when the same command is given again.

    Columns of text, and those that --categorical names, are categories. They have no λ; ordered
    target statistics make numbers of them, learned anew in the training rows of every fold.

    \b
    distsearch fit iris -o iris.skops
    distsearch fit flowers.csv --target species --estimator nb --strategy iterative \\
        --epochs 8 --backend processes -o flowers.skops
    """  # noqa: D301
    from distsearch.cli._fitting import Request, run

    run(Request(**given))
