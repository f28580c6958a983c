"""A comparison as text: for a terminal, Markdown, LaTeX or other programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from distsearch._wording import count, did_you_mean, joined
from distsearch.errors import UnknownNameError
from distsearch.sweep.compare._comparison import Comparison
from distsearch.sweep.compare._layout import compact, every_cell, over_data_sets
from distsearch.sweep.compare._long import long_table
from distsearch.sweep.compare._metrics import in_percent
from distsearch.sweep.compare._numbers import digits_for, number, signed
from distsearch.sweep.compare._panel import panels
from distsearch.sweep.compare._tables import WRITERS, Table, Text

__all__ = ["FORMS", "render"]

FORMS = (*WRITERS, "csv")
"""The forms that a comparison can be rendered in."""

_MANY_PUBLISHED = 60
_WORST = 20


def render(comparison: Comparison, form: str = "terminal", *, detail: bool = False) -> str:
    """Return a comparison as text.

    Parameters
    ----------
    comparison : Comparison
        What `compare` returned.
    form : {"terminal", "markdown", "latex", "csv"}
        Aligned columns, tables with pipes, tabulars that need booktabs with all else as comments,
        or one long table with full precision, which has everything but the pairs of Nemenyi's test.
    detail : bool
        Whether to add a table of every cell with both t-tests, which "csv" always has.

    Returns
    -------
    text : str
        It ends with a line break, and is the same for the same comparison.

    Raises
    ------
    UnknownNameError
        When there is no such form.

    Notes
    -----
    Metrics that are 1 at best are in percent and their gains in points; "csv" has them as they are.
    Of more than 30 competitors the 10 best by average rank are shown, and the baseline.
    """
    if form not in FORMS:
        raise UnknownNameError(
            f"There is no form {form!r}.{did_you_mean(str(form), FORMS)} "
            f"A comparison can be rendered in the forms {joined(FORMS)}."
        )
    if form == "csv":
        return str(long_table(comparison).to_csv(index=False, lineterminator="\n"))
    return "\n\n".join(map(WRITERS[form], _blocks(comparison, detail))) + "\n"


def _blocks(comparison: Comparison, detail: bool) -> Iterator[Table | Text]:
    yield Text((_opening(comparison),))
    for panel in panels(comparison):
        yield compact(panel)
        over = over_data_sets(panel)
        if over is not None:
            yield over
        if detail:
            yield every_cell(panel)
    if len(comparison.cells):
        yield Text((_legend(comparison),))
    if comparison.published is not None and comparison.agreement is not None:
        if len(comparison.published):
            yield _published(comparison.published)
        yield Text(tuple(_agreement(comparison.agreement)))
    if comparison.notes:
        yield Text(tuple(f"Note: {note}" for note in comparison.notes))


def _opening(comparison: Comparison) -> str:
    title = comparison.title or comparison.study
    if not len(comparison.cells):
        return f"{title}: there are no results to compare."
    what = "pairs of estimator and method" if comparison.over == "both" else comparison.over
    if len(comparison.competitors) < 2:
        return f"{title}: {comparison.baseline}"
    return f"{title}: {what} compared with {comparison.baseline}"


def _legend(comparison: Comparison) -> str:
    legend = "Cells have the mean and the standard deviation over splits"
    if len(comparison.competitors) < 2:
        return f"{legend}."
    return (
        f"{legend}, then the mean difference to {comparison.baseline} on the same splits. "
        f"* marks p < {comparison.alpha:g} in the corrected resampled t-test, Holm-adjusted within "
        f"each data set."
    )


def _published(table: pd.DataFrame) -> Table:
    """Return published numbers beside ours; of many the worst."""
    below = []
    if len(table) > _MANY_PUBLISHED:
        apart = table[["mean_difference", "gain_difference"]].abs().max(axis=1)
        below = [
            f"These are the {_WORST} of {count(len(table), 'cell')} that differ most; the CSV form "
            f"has all."
        ]
        table = table.loc[apart.sort_values(ascending=False, kind="stable").index[:_WORST]]
    kinds = [kind for kind in ("mean", "gain") if table[f"published_{kind}"].notna().any()]
    header = ["data", "estimator", "method", "metric"]
    for kind in kinds:
        header += [f"our {kind}", f"published {kind}", "difference"]
    rows = [_published_row(row, kinds) for row in table.to_dict("records")]
    title = "Published numbers, in percent and points for shares"
    return Table(title, [*header, "source"], rows, left=4, below=below)


def _published_row(row: dict[Any, Any], kinds: list[str]) -> list[str]:
    cells = [str(row[name]) for name in ("data", "estimator", "method", "metric")]
    digits = 2 if in_percent(cells[-1]) else digits_for([row["mean"]])
    for kind in kinds:
        show = signed if kind == "gain" else number
        cells += [show(row[kind], digits), show(row[f"published_{kind}"], digits)]
        cells.append(signed(row[f"{kind}_difference"], digits))
    return [*cells, str(row["source"])]


def _agreement(table: pd.DataFrame) -> Iterator[str]:
    if table.empty:
        yield "None of the published numbers can be held against ours yet."
    for row in table.to_dict("records"):
        yield (
            f"{row['source'] or 'Published'}: of {count(row['cells'], row['of'])}, "
            f"{row['within_0.05']:,} agree within 0.05 and {row['within_0.15']:,} within 0.15; the "
            f"largest difference is {signed(row['largest'])}, at {row['where']}."
        )
