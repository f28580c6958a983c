"""What a fit found, for a person and for a program."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from distsearch._wording import count
from distsearch.cli._console import columns, facts
from distsearch.tables import whole_file

__all__ = ["caution", "describe", "strict_json", "write_json"]

_MOST_ROWS = 15


def describe(report: Mapping[str, Any], output: Path | None, *, verbose: bool = False) -> str:
    """Return a report as text: the facts, then the λ that moved most.

    Parameters
    ----------
    report : mapping
        What was found.
    output : Path or None
        Where the model is.
    verbose : bool
        Show every feature.
    """
    metric, base, score = report["scoring"], report["base_score"], report["score"]
    sizes = [count(report["rows"], "row"), count(report["features"], "feature")]
    if report["classes"] is not None:
        sizes.append(count(report["classes"], "class"))
    categories, kinds = report["categorical"], ""
    if categories:
        sizes[1] += f" ({len(categories)} categorical)"
        kinds = " and encoded categories"
    work, repeats = count(report["evaluations"], "evaluation"), report["already_known"]
    pairs = [
        ("Data", f"{report['data']}: {', '.join(sizes)}"),
        ("Estimator", f"{report['estimator']} by {report['strategy']}"),
        (f"Base {metric}", f"{_number(base)}, on standardised features{kinds}"),
        (f"Found {metric}", f"{score:.4f} ({_number(score - base, '+')}), {_where(report['cv'])}"),
        *_encoding(categories),
        *[("Caution", line) for line in caution(report)],
        ("Work", f"{work}, {repeats:,} not scored again, {report['seconds']:.1f} s"),
        ("Model", str(output) if output else "not saved; use -o FILE to save it"),
    ]
    tables = [_lambdas(report["lambdas"], verbose)] if report["lambdas"] else []
    if verbose and categories:
        tables.append(_categories(categories))
    return "\n\n".join([facts(pairs), *tables])


def caution(report: Mapping[str, Any]) -> list[str]:
    """Return why the score found is no estimate for new rows, in one or two sentences."""
    candidates, cv = report["evaluations"], report["cv"]
    if cv == "resubstitution":
        why = "The found score is that of the rows the model was fitted on"
    elif candidates > 1:
        why = f"The found score is the best of {candidates:,} on the same folds"
    else:
        return []
    return [f"{why}, so it is optimistic.", "For a fair one, predict rows that fit has not seen."]


def _number(value: float, sign: str = "") -> str:
    return "undefined" if math.isnan(value) else f"{value:{sign}.4f}"


def _where(cv: Any) -> str:
    return "on the training rows" if cv == "resubstitution" else f"mean of {cv} folds"


def _lambdas(lambdas: Mapping[str, float], verbose: bool) -> str:
    order = sorted(lambdas, key=lambda name: -abs(lambdas[name] - 1.0))
    shown = order if verbose else order[:_MOST_ROWS]
    table = columns(("feature", "λ"), [(name, f"{lambdas[name]:.4g}") for name in shown])
    rest = len(order) - len(shown)
    return f"{table}\n({rest} more, changed less; --verbose shows all)" if rest else table


def _encoding(categories: Mapping[str, int]) -> list[tuple[str, str]]:
    if not categories:
        return []
    how = "ordered target statistics, learned in each training part"
    return [("Categories", f"{count(len(categories), 'feature')} by {how}")]


def _categories(categories: Mapping[str, int]) -> str:
    rows = [(name, "ordered target statistics", f"{n:,}") for name, n in categories.items()]
    return columns(("feature", "encoding", "categories"), rows, left=2)


def write_json(path: Path | None, report: Mapping[str, Any]) -> None:
    """Write a report as strict JSON, whole or not at all."""
    if path is None:
        return
    text = strict_json({**report, "caution": " ".join(caution(report)) or None})
    with whole_file(path) as file:
        file.write(f"{text}\n".encode())


def strict_json(value: Any) -> str:
    """Return a value as JSON that every reader accepts.

    A number that JSON does not have becomes null; where it stands under a name, a second entry
    ``<name>_reason`` says what it was.
    """
    return json.dumps(_plain(value), allow_nan=False, ensure_ascii=False, indent=2)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        plain: dict[str, Any] = {}
        for key, each in value.items():
            plain[str(key)] = _plain(each)
            if _no_number(each):
                plain[f"{key}_reason"] = "undefined" if math.isnan(each) else "infinite"
        return plain
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):  # arrays and scalars of NumPy
        return _plain(value.tolist())
    if _no_number(value):
        return None
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def _no_number(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
