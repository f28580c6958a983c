"""Tables as text: aligned for a terminal, with pipes for Markdown, or for LaTeX with booktabs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

__all__ = ["WRITERS", "Table", "Text", "latex", "markdown", "terminal"]

_WIDTH = 120
_GAP = 2


@dataclass(frozen=True)
class Text:
    """Lines between tables."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Parameters
    ----------
    title : str
        What it is of.
    header : sequence of str
        Names of the columns.
    rows : sequence of sequence of str
        Cells. Runs of spaces align parts of cells on a terminal and count as one elsewhere.
    left : int
        How many columns hold labels; they stand on the left, and again where a wide table is cut.
    bold : set of (int, int)
        Row and column of the cells to stress, where the form can.
    below : sequence of str
        Lines that belong to it.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    bold: frozenset[tuple[int, int]] = frozenset()
    below: Sequence[str] = field(default_factory=tuple)


def terminal(block: Table | Text) -> str:
    """Return it with columns aligned, a wide table cut into several below each other."""
    if isinstance(block, Text):
        return "\n".join(block.lines)
    table = [list(block.header), *map(list, block.rows)]
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
    parts = [_aligned(table, widths, chosen, block.left) for chosen in _cut(widths, block.left)]
    return "\n".join([block.title, "", "\n\n".join(parts), *_below(block, "")])


def _cut(widths: Sequence[int], left: int) -> list[list[int]]:
    """Return the columns of each part of a table that is too wide for one."""
    labels = list(range(left))
    start = sum(widths[:left]) + _GAP * left
    parts, used = [list(labels)], start
    for place in range(left, len(widths)):
        if used + widths[place] > _WIDTH and len(parts[-1]) > left:
            parts.append(list(labels))
            used = start
        parts[-1].append(place)
        used += widths[place] + _GAP
    return parts


def _aligned(
    table: Sequence[Sequence[str]], widths: Sequence[int], chosen: Sequence[int], left: int
) -> str:
    gap = " " * _GAP
    lines = [
        gap.join(
            row[place].ljust(widths[place]) if place < left else row[place].rjust(widths[place])
            for place in chosen
        ).rstrip()
        for row in table
    ]
    lines.insert(1, gap.join("-" * widths[place] for place in chosen))
    return "\n".join(lines)


def markdown(block: Table | Text) -> str:
    """Return it with pipes, and text as paragraphs."""
    if isinstance(block, Text):
        return "\n\n".join(map(_markdown_text, block.lines))
    rule = [":--" if place < block.left else "--:" for place in range(len(block.header))]
    rows = [
        [
            f"**{_markdown_text(cell)}**" if (i, j) in block.bold else _markdown_text(cell)
            for j, cell in enumerate(row)
        ]
        for i, row in enumerate(block.rows)
    ]
    lines = [[_markdown_text(cell) for cell in block.header], rule, *rows]
    piped = [f"| {' | '.join(line)} |" for line in lines]
    below = (_markdown_text(line) for line in block.below)
    paragraphs = [f"**{_markdown_text(block.title)}**", "\n".join(piped), *below]
    return "\n\n".join(paragraphs)


_MARKDOWN_SPECIAL = re.compile(r"[\\|*`<\[\]~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def _markdown_text(text: str) -> str:
    return _MARKDOWN_SPECIAL.sub(lambda found: f"\\{found[0]}", " ".join(text.split()))


def latex(block: Table | Text) -> str:
    """Return it as a tabular that needs booktabs; titles and text become comments."""
    if isinstance(block, Text):
        return "\n".join(_comment(line) for line in block.lines)
    shape = "l" * block.left + "r" * (len(block.header) - block.left)
    rows = [
        [
            rf"\textbf{{{_latex_text(cell)}}}" if (i, j) in block.bold else _latex_text(cell)
            for j, cell in enumerate(row)
        ]
        for i, row in enumerate(block.rows)
    ]
    return "\n".join(
        [
            _comment(block.title),
            rf"\begin{{tabular}}{{{shape}}}",
            r"\toprule",
            _latex_row([_latex_text(cell) for cell in block.header]),
            r"\midrule",
            *map(_latex_row, rows),
            r"\bottomrule",
            r"\end{tabular}",
            *_below(block, "% "),
        ]
    )


def _latex_row(cells: Sequence[str]) -> str:
    line = " & ".join(cells)
    # A bracket or a star after the \\ of the row above would be an argument of it.
    return rf"{'{}' if line.startswith(('[', '*')) else ''}{line} \\"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "λ": r"$\lambda$",
    "α": r"$\alpha$",
    "±": r"$\pm$",
    "–": "--",
    **{character: rf"\{character}" for character in "&%_#${}"},
}
_MINUS = re.compile(r"(?<!\w)-(?=\d)")


def _latex_text(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in " ".join(text.split()))
    return _MINUS.sub("$-$", escaped)


def _comment(line: str) -> str:
    return f"% {' '.join(line.split())}"


def _below(block: Table, mark: str) -> list[str]:
    return ["", *(f"{mark}{line}" for line in block.below)] if block.below else []


WRITERS: dict[str, Callable[[Table | Text], str]] = {
    "terminal": terminal,
    "markdown": markdown,
    "latex": latex,
}
"""What writes a block, by form."""
