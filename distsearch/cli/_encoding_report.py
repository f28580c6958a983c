"""What is said about the encoding of training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from distsearch._wording import count, listed, quoted
from distsearch.cli._console import columns, facts
from distsearch.cli._encoded import encoded_names, made_names
from distsearch.encoding import OrderedTargetEncoder
from distsearch.tables import Table

__all__ = ["describe", "make_report"]

_MOST_ROWS, _MOST_CLASSES, _MOST_CATEGORIES = 15, 8, 3
_MOST_FREQUENT = 10
_WIDEST = 18


def make_report(table: Table, encoder: OrderedTargetEncoder, order: str) -> dict[str, Any]:
    """Return what there is to say about an encoder and its training rows.

    Parameters
    ----------
    table : Table
        The training rows.
    encoder : OrderedTargetEncoder
        Fitted on them.
    order : str
        Their order: "given", "random" or a column.
    """
    kind = encoder.target_type_
    labels = [] if encoder.classes_ is None else encoder.classes_.tolist()
    return {
        "data": table.source,
        "rows": len(table.y),
        "target": table.target,
        "target_type": kind,
        "classes": labels or None,
        "positive_class": labels[1] if kind == "binary" else None,
        "prior": _priors(encoder, labels) if kind == "multiclass" else encoder.prior_[0].item(),
        "prior_given": encoder.prior != "mean",
        "smoothing": encoder.smoothing,
        "order": order,
        "permutations": encoder.n_permutations,
        "noise": encoder.noise,
        "unknown": encoder.handle_unknown,
        "missing": encoder.handle_missing,
        "seed": encoder.random_state,
        "backend": encoder.backend,
        "columns": {name: _column(encoder, name) for name in encoded_names(encoder)},
    }


def _priors(encoder: OrderedTargetEncoder, classes: Sequence[Any]) -> dict[str, float]:
    """Return the prior of each class that has a column."""
    left_out = None
    if encoder.drop is not None:
        left_out = encoder.drop if encoder.drop in classes else classes[0]
    kept = [str(label) for label in classes if label != left_out]
    return dict(zip(kept, encoder.prior_.tolist(), strict=True))


def _column(encoder: OrderedTargetEncoder, name: str) -> dict[str, Any]:
    known = encoder.statistics(name)
    missing = known["category"].isna()
    most = known.sort_values("weight", ascending=False, kind="stable").head(_MOST_FREQUENT)
    return {
        "categories": int((~missing).sum()),
        "missing": int(known["weight"][missing].sum()),
        "outputs": made_names(encoder, name),
        "most_frequent": [
            {"category": category, "rows": int(weight), "values": values}
            for category, weight, *values in most.itertuples(index=False, name=None)
        ],
    }


def describe(report: Mapping[str, Any]) -> str:
    """Return the report on training rows as text."""
    encoder, described = report["encoder"], report["columns"]
    pairs = [
        ("Data", f"{report['data']}: {count(report['rows'], 'row')}"),
        ("Target", _target(report)),
        ("Prior", _prior(report)),
        ("Encoded", f"{count(len(described), 'column')}, by the rows before in {_order(report)}"),
        ("Output", report["output"]),
        ("Encoder", encoder or "not saved; with --save FILE it would encode later rows"),
    ]
    if encoder:
        later = f"distsearch encode NEW --apply {encoder} -o OUT"
        pairs.append(("Later rows", f"{later}, by all {report['rows']:,} rows"))
    shown = list(described.items())[:_MOST_ROWS]
    table = _table(shown)
    rest = len(described) - len(shown)
    more = f"\n({count(rest, 'more column')}; --json has all)" if rest else ""
    return f"{facts(pairs)}\n\n{table}{more}"


def _order(report: Mapping[str, Any]) -> str:
    if report["order"] == "given":
        return "the given order"
    if report["order"] == "random":
        return count(report["permutations"], "random order")
    return f"the order of {report['order'].removeprefix('column:')!r}"


def _target(report: Mapping[str, Any]) -> str:
    kind, classes = report["target_type"], report["classes"]
    if kind == "continuous":
        return f"{report['target']!r}, continuous"
    if kind == "binary" and classes == [0, 1]:
        return f"{report['target']!r}, binary: 0 and 1"
    if kind == "binary":
        return f"{report['target']!r}, binary: 1 is {quoted(classes[1])}, 0 is {quoted(classes[0])}"
    return f"{report['target']!r}, {len(classes)} classes: {listed(classes, _MOST_CLASSES)}"


def _prior(report: Mapping[str, Any]) -> str:
    prior, given = report["prior"], ", as given" if report["prior_given"] else ""
    if not isinstance(prior, Mapping):
        return f"{prior:.4g}{given or ', the mean target'}"
    shown = [f"{label} {number:.4g}" for label, number in list(prior.items())[:_MOST_CLASSES]]
    rest = len(prior) - len(shown)
    return ", ".join([*shown, *([f"{rest} more"] if rest else [])]) + given


def _table(described: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    most = [_most_frequent(about) for _, about in described]
    title = "most frequent (rows, later value)"
    if len(described[0][1]["outputs"]) > 1:
        title = "most frequent (rows)"
    width = max(len(title), *map(len, most))
    rows = [
        (name, f"{about['categories']:,}", f"{about['missing']:,}", text.ljust(width))
        for (name, about), text in zip(described, most, strict=True)
    ]  # fmt: skip
    return columns(("column", "categories", "missing", title.ljust(width)), rows)


def _most_frequent(about: Mapping[str, Any]) -> str:
    texts = []
    for each in about["most_frequent"][:_MOST_CATEGORIES]:
        category = "(missing)" if each["category"] is None else _shortened(str(each["category"]))
        value = f", {each['values'][0]:.4g}" if len(each["values"]) == 1 else ""
        texts.append(f"{category} ({each['rows']:,}{value})")
    return "; ".join(texts)


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
