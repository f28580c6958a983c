"""``distsearch compare``: what a study says, with its statistics."""

from __future__ import annotations

from pathlib import Path

import click

from distsearch.cli._options import OUTPUT
from distsearch.cli._status import STORE, STUDY

__all__ = ["command"]


@click.command("compare")
@STORE
@STUDY
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this. Repeatable.")
@click.option("--baseline", metavar="LABEL", help="What the others are compared with.")
@click.option(
    "--over",
    type=click.Choice(["auto", "methods", "estimators", "both"]),
    default="auto",
    show_default=True,
    help="What competes.",
)
@click.option(
    "--published",
    type=click.Path(path_type=Path),
    help="A CSV file of published numbers to put beside: data, estimator, method, metric, mean, "
    "gain, source.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "markdown", "latex", "csv"]),
    default="terminal",
    show_default=True,
)
@click.option("--detail", is_flag=True, help="Show every comparison with all its tests.")
@click.option("--alpha", default=0.05, show_default=True, help="The level of the tests.")
@click.option("-o", "--output", type=OUTPUT, help="The file to write. [standard output]")
def command(
    store: Path,
    study: str | None,
    metrics: tuple[str, ...],
    baseline: str | None,
    over: str,
    published: Path | None,
    form: str,
    detail: bool,
    alpha: float,
    output: Path | None,
) -> None:
    """Compare the methods, or the estimators, of a study.

    Means, differences on the same splits, wins and losses; the paired t-test, and the corrected
    one that allows for the overlap of training parts; over data sets the ranks and the tests of
    Wilcoxon, Friedman and Nemenyi. p-values are adjusted by Holm.
    """
    from distsearch.cli._results import compare_study

    compare_study(
        store, study, output, form,
        metrics=metrics, baseline=baseline, over=over, published=published, detail=detail,
        alpha=alpha,
    )  # fmt: skip
