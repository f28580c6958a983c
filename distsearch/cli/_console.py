"""The little tables that commands print."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["columns", "facts"]


def columns(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return rows under a header, aligned.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : sequence of sequence of str
        Cells.
    left : int
        How many columns stand on the left; the others are aligned to the right, as numbers are.
    """
    table = [list(header), *map(list, rows)]
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Return one line a fact: its name, unless that is the name above, then what it is."""
    width = max(len(name) for name, _ in pairs)
    above = ["", *(name for name, _ in pairs)]
    return "\n".join(
        f"{('' if name == before else name).ljust(width)}  {text}"
        for before, (name, text) in zip(above, pairs, strict=False)
    )
