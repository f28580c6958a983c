"""The metrics of a study."""

from __future__ import annotations

from sklearn.metrics import get_scorer, get_scorer_names

from distsearch._wording import did_you_mean, quoted
from distsearch.sweep.spec._context import Context

__all__ = ["DEFAULT_SCORERS", "OWN_SCORERS", "check_scorers"]

OWN_SCORERS = ("balanced_accuracy_ovr", "fit_seconds", "predict_seconds")
"""The metrics that scikit-learn does not have."""

DEFAULT_SCORERS = ("accuracy",)


def check_scorers(context: Context, *, regressors: bool) -> None:
    """Note names that no metric has, and metrics of classifiers in a study of regressors."""
    given = context.document.get("scorers")
    if given is None:
        if regressors and context.is_whole("scorers"):
            context.add(
                "the estimators are regressors, and the metric of a study that names none is "
                "'accuracy'. Name one, such as scorers = ['r2']."
            )
        return
    theirs = get_scorer_names()
    for number, name in enumerate(given):
        if name not in theirs and name not in OWN_SCORERS:
            context.add(
                f"there is no metric {quoted(name)}.{did_you_mean(name, [*theirs, *OWN_SCORERS])} "
                f"Metrics are scikit-learn's, such as 'accuracy', 'roc_auc' or 'r2', and "
                f"{', '.join(OWN_SCORERS)}.",
                "scorers",
                number,
            )
        elif regressors and _is_of_classifiers(name):
            context.add(
                f"{quoted(name)} is a metric of classifiers, and the estimators are regressors. "
                "Use one such as 'r2'.",
                "scorers",
                number,
            )


def _is_of_classifiers(name: str) -> bool:
    if name in OWN_SCORERS:
        return name == "balanced_accuracy_ovr"
    module: str = get_scorer(name)._score_func.__module__
    return module.endswith(("._classification", "._ranking"))
