"""What is known of a metric by its name: which way is better, and how it is shown."""

from __future__ import annotations

__all__ = ["SECONDS", "heading", "in_percent", "lower_is_better", "scale"]

SECONDS = ("fit_seconds", "predict_seconds")
"""Metrics that every study has; less is better."""

# Shares and coefficients that are 1 at best, with or without an average such as f1_macro.
_BOUNDED = frozenset(
    {
        "accuracy",
        "adjusted_mutual_info_score",
        "adjusted_rand_score",
        "average_precision",
        "balanced_accuracy",
        "completeness_score",
        "d2",
        "explained_variance",
        "f1",
        "fowlkes_mallows_score",
        "homogeneity_score",
        "jaccard",
        "matthews_corrcoef",
        "normalized_mutual_info_score",
        "precision",
        "r2",
        "rand_score",
        "recall",
        "roc_auc",
        "top_k_accuracy",
        "v_measure_score",
    }
)
_STEMS = tuple(f"{name}_" for name in sorted(_BOUNDED))


def lower_is_better(metric: str) -> bool:
    """Say whether a smaller value wins: only for seconds, as scikit-learn negates its losses."""
    return metric in SECONDS


def in_percent(metric: str) -> bool:
    """Say whether it is a share or a coefficient, shown in percent and its gains in points."""
    return metric in _BOUNDED or metric.startswith(_STEMS)


def scale(metric: str) -> float:
    """Return what a value is multiplied by to be shown."""
    return 100.0 if in_percent(metric) else 1.0


def heading(metric: str) -> str:
    """Return its name with the unit, as in ``accuracy %``."""
    return f"{metric} %" if in_percent(metric) else metric
