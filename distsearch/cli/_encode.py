"""``distsearch encode``: categories as numbers, for training rows and for later ones."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from distsearch.cli._options import OUTPUT, SEED, reading_options

__all__ = ["command"]

_POLICIES = click.Choice(["prior", "own", "nan", "error"])
_WITH_APPLY = {"data", "output", "model", "json_file", "quiet"}
_READING = {"delimiter", "decimal", "encoding", "missing", "categorical"}


def _not_negative(ctx: click.Context, param: click.Parameter, value: float) -> float:
    if math.isfinite(value) and value >= 0:
        return value
    raise click.BadParameter(f"must be a number, 0 or more. Got {value} instead.", ctx, param)


def _mean_or_number(ctx: click.Context, param: click.Parameter, text: str) -> str | float:
    if text == "mean":
        return text
    try:
        if math.isfinite(number := float(text)):
            return number
    except ValueError:
        pass
    raise click.BadParameter(f"must be 'mean' or a number. Got {text!r} instead.", ctx, param)


@click.command("encode")
@click.argument("data")
@click.option("--target", metavar="COLUMN", help="The column to encode by.")
@click.option(
    "--columns",
    multiple=True,
    metavar="COLUMN",
    help="Encode only these. Repeatable. [all that are not numeric]",
)
@click.option("--ignore", multiple=True, metavar="COLUMN", help="Do not encode these. Repeatable.")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    required=True,
    help="The table to write, CSV or Parquet by its ending.",
)
@click.option("--save", type=OUTPUT, help="A file to save the encoder in, for later rows.")
@click.option(
    "--apply",
    "model",
    type=click.Path(path_type=Path),
    help="A file that --save wrote: encode DATA by all of its training rows.",
)
@click.option(
    "--target-type",
    type=click.Choice(["auto", "binary", "continuous", "multiclass"]),
    default="auto",
    show_default=True,
    help="What the target is; text and up to 100 different whole numbers are classes.",
)
@click.option(
    "--smoothing",
    type=float,
    default=1.0,
    show_default=True,
    callback=_not_negative,
    help="Rows with the prior as their target that each category is given besides its own.",
)
@click.option(
    "--prior",
    default="mean",
    show_default=True,
    metavar="mean|NUMBER",
    callback=_mean_or_number,
    help="What is expected of a category without rows: the mean of the target, or a number.",
)
@click.option(
    "--order",
    default="given",
    show_default=True,
    metavar="given|random|COLUMN",
    help="The order in which rows see each other: as in the file, drawn by the seed, or by the "
    "values of a column, such as a time. A column that is called given or random is written "
    "column:given. The rows stay where they are.",
)
@click.option(
    "--permutations",
    type=click.IntRange(1, 10_000),
    default=1,
    show_default=True,
    help="Random orders to average over.",
)
@click.option(
    "--noise",
    type=float,
    default=0.0,
    show_default=True,
    callback=_not_negative,
    help="Multiply the values of training rows by 1 + NOISE · z, z being standard normal.",
)
@click.option("--drop", metavar="CLASS", help="Leave out the column of a class, or of the 'first'.")
@click.option(
    "--unknown",
    type=_POLICIES,
    default="prior",
    show_default=True,
    help="What later rows get for a category that training had not; 'own' is the formula for no "
    "rows.",
)
@click.option(
    "--missing",
    "handle_missing",
    type=_POLICIES,
    default="own",
    show_default=True,
    help="What a missing value gets; with 'own' it is a category of its own.",
)
@click.option("--seed", type=SEED, default=0, show_default=True)
@click.option(
    "--backend",
    default="serial",
    show_default=True,
    metavar="NAME",
    help="Where the work runs, as for fit. The result is the same from each.",
)
@click.option(
    "--missing-target",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="What to do about rows without a target.",
)
@reading_options
@click.option("--json", "json_file", type=OUTPUT, help="A file for the report as JSON.")
@click.option("--quiet", is_flag=True, help="Print no report.")
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Encode categories by the target, without any row seeing its own.

    DATA is a CSV or Parquet file. Each category becomes the mean target of the rows of its category
    that come before (for several classes, their shares, a column each); it takes the place of its
    column, and all other columns stay as they are. Train a model on the result. Later rows, which a
    model is to predict, are encoded with --apply, by all training rows; the target may be missing.

    \b
    distsearch encode train.csv --target sold -o train_encoded.csv --save encoder.skops
    distsearch encode new.csv --apply encoder.skops -o new_encoded.csv
    """  # noqa: D301
    if given["model"] is None:
        from distsearch.cli._encoding import Request, run

        run(Request(**{name: value for name, value in given.items() if name != "model"}))
        return
    _check_apply(ctx)
    from distsearch.cli._applying import Request as Later
    from distsearch.cli._applying import run as apply

    apply(Later(**{name: given[name] for name in _WITH_APPLY | _READING}))


def _check_apply(ctx: click.Context) -> None:
    """Refuse options that only the encoding of training rows has."""
    wrong = [
        max(param.opts, key=len)
        for param in ctx.command.params
        if param.name not in _WITH_APPLY | _READING
        and ctx.get_parameter_source(str(param.name)) is click.core.ParameterSource.COMMANDLINE
    ]
    if wrong:
        raise click.UsageError(
            f"{', '.join(wrong)} cannot go with --apply: the encoder was fitted already. Leave "
            f"{'it' if len(wrong) == 1 else 'them'} out, or fit again with --target.",
            ctx,
        )
