"""What stands in the cells of the tables that people would print of a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from distsearch._wording import count
from distsearch.sweep.compare._metrics import in_percent
from distsearch.sweep.compare._numbers import NONE, digits_for, number, p_value, signed
from distsearch.sweep.compare._panel import BEST, Panel
from distsearch.sweep.compare._tables import Table

__all__ = ["compact", "every_cell", "over_data_sets"]

_Parts = tuple[str, str, str, str]
_MANY_DATA = 8
_MOST_PAIRS = 10


def compact(panel: Panel) -> Table:
    """Return means, deviations and gains, a row a competitor and a column a data set.

    Where there are many data sets and fewer competitors, it is the other way round.
    """
    parts = [_column(panel, data) for data in panel.data]
    bold = {(i, j) for j, data in enumerate(panel.data) for i in panel.best(data)}
    names, labels = panel.data, panel.shown
    if len(panel.data) > max(_MANY_DATA, len(panel.shown)):
        names, labels = labels, names
        parts = [list(line) for line in zip(*parts, strict=True)]
        bold = {(j, i) for i, j in bold}
    lines = zip(labels, *map(_aligned, parts), strict=True)
    return Table(
        _title(panel),
        [panel.heading, *names],
        [list(line) for line in lines],
        bold=frozenset((i, j + 1) for i, j in bold),
        below=_left_out(panel),
    )


def _title(panel: Panel) -> str:
    if len(panel.every) < 2:
        return panel.name
    gains = "differences to" if panel.lower else "gains over"
    unit = " in points" if in_percent(panel.metric) else ""
    return f"{panel.name}: {gains} {panel.whole.baseline}{unit}"


def _left_out(panel: Panel) -> list[str]:
    left = len(panel.every) - len(panel.shown)
    if not left:
        return []
    extra = f" and {panel.whole.baseline}" if len(panel.shown) > BEST else ""
    return [
        f"These are the best {BEST} of {len(panel.every):,} by average rank{extra}; the other "
        f"{left:,} are left out here, and the CSV form has all."
    ]


def _column(panel: Panel, data: str) -> list[_Parts]:
    digits = panel.digits(data)
    return [_parts(panel, panel.rows.get((data, name)), digits) for name in panel.shown]


def _aligned(column: Sequence[_Parts]) -> list[str]:
    """Return the cells of a column, each part aligned with those above and below it."""
    mean, sd, gain, mark = (max(map(len, part)) for part in zip(*column, strict=True))
    return [
        " ".join(
            text
            for text, width in (
                (a.rjust(mean), mean),
                (b.rjust(sd), sd),
                (c.rjust(gain) + d.ljust(mark), gain),
            )
            if width
        )
        for a, b, c, d in column
    ]


def _parts(panel: Panel, row: Mapping[str, Any] | None, digits: int) -> _Parts:
    """Return mean, deviation, gain and mark of a cell."""
    if row is None or row["n"] == 0:
        return NONE, "", "", ""
    mean, sd, gain = (panel.scale * row[name] for name in ("mean", "sd", "gain"))
    deviation = "" if math.isnan(sd) else f"± {number(sd, digits)}"
    if math.isnan(gain):
        return number(mean, digits), deviation, "", ""
    mark = "*)" if row["p_corrected_holm"] < panel.whole.alpha else ")"
    return number(mean, digits), deviation, f"({signed(gain, digits)}", mark


def over_data_sets(panel: Panel) -> Table | None:
    """Return ranks, wins and tests over data sets, where there are any."""
    if panel.across.empty:
        return None
    digits = 2 if in_percent(panel.metric) else digits_for(panel.across["mean"])
    rows = {str(row["competitor"]): row for row in panel.across.to_dict("records")}
    n_data = int(panel.across["n_data"].iloc[0])
    header = [panel.heading, "average rank", "mean", "gain"]
    header += ["wins/ties/losses", "Wilcoxon p", "Holm p"]
    return Table(
        f"{panel.name}: over {count(n_data, 'data set')}, rank 1 is best",
        header,
        [[name, *_over(panel, rows[name], digits)] for name in panel.shown if name in rows],
        below=[*_left_out(panel), *_tests(panel)],
    )


def _over(panel: Panel, row: Mapping[Any, Any], digits: int) -> list[str]:
    start = [number(row["average_rank"]), number(panel.scale * row["mean"], digits)]
    if row["baseline"]:
        return [*start, *[NONE] * 4]
    return [
        *start,
        signed(panel.scale * row["gain"], digits),
        f"{row['wins']}/{row['ties']}/{row['losses']}",
        p_value(row["p_wilcoxon"]),
        p_value(row["p_wilcoxon_holm"]),
    ]


def _tests(panel: Panel) -> Iterator[str]:
    """Yield what the tests of all competitors say."""
    row = panel.part(panel.whole.friedman).iloc[0]
    yield (
        f"Friedman χ² = {row['chi2']:.2f}, p {_equals(row['p'])}; "
        f"Iman-Davenport F = {row['f']:.2f}, p {_equals(row['p_f'])}."
    )
    pairs = panel.part(panel.whole.nemenyi)
    differ = pairs[pairs["differ"].astype(bool)]
    if len(differ) > _MOST_PAIRS:
        which = f"{len(differ):,} of {count(len(pairs), 'pair')} do"
    elif len(differ):
        told = [f"{a} and {b}" for a, b in zip(differ["first"], differ["second"], strict=True)]
        which = f"these do: {'; '.join(told)}"
    else:
        which = "no two do"
    yield (
        f"Nemenyi: competitors differ at α = {panel.whole.alpha:g} whose average ranks are more "
        f"than {row['critical_difference']:.2f} apart; {which}."
    )


def _equals(value: float) -> str:
    text = p_value(value)
    return text if text.startswith("<") else f"= {text}"


def every_cell(panel: Panel) -> Table:
    """Return every number of every cell."""
    header = ["data", panel.heading, "n", "mean", "sd", "pairs", "gain", "sd of gain"]
    header += ["wins/ties/losses", "t-test p", "corrected p", "Holm p"]
    lines = [
        [data, name, *_numbers(panel, panel.rows[data, name], panel.digits(data))]
        for data in panel.data
        for name in panel.shown
        if (data, name) in panel.rows
    ]
    return Table(f"{panel.name}: every cell", header, lines, left=2, below=_left_out(panel))


def _numbers(panel: Panel, row: Mapping[str, Any], digits: int) -> Sequence[str]:
    start = [f"{row['n']:,}"]
    start += [number(panel.scale * row[name], digits) for name in ("mean", "sd")]
    if row["baseline"]:
        return [*start, *[NONE] * 7]
    return [
        *start,
        f"{row['pairs']:,}",
        signed(panel.scale * row["gain"], digits),
        number(panel.scale * row["gain_sd"], digits),
        f"{row['wins']}/{row['ties']}/{row['losses']}",
        *(p_value(row[name]) for name in ("p_paired", "p_corrected", "p_corrected_holm")),
    ]
