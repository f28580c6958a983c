"""The metrics of a study."""

from __future__ import annotations

from sklearn.metrics import get_scorer, get_scorer_names

from distsearch._wording import did_you_mean, quoted
from distsearch.sweep.spec._context import Context

__all__ = ["DEFAULT_SCORERS", "ON_TRAINING_ROWS", "OWN_SCORERS", "check_scorers"]

OWN_SCORERS = (
    "balanced_accuracy_ovr",
    "balanced_accuracy_ovr_predicted",
    "balanced_accuracy_ovr_signed",
    "fit_seconds",
    "predict_seconds",
)
"""The metrics that scikit-learn does not have."""

ON_TRAINING_ROWS = "train_"
"""Before the name of a metric: the same on the rows that the model was fitted on."""

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
    known = [*theirs, *OWN_SCORERS]
    for number, written in enumerate(given):
        name = written.removeprefix(ON_TRAINING_ROWS)
        if written != name and name.endswith("_seconds"):
            context.add(
                f"{quoted(written)}: times have no training rows of their own; leave the prefix "
                f"{ON_TRAINING_ROWS!r} out.",
                "scorers",
                number,
            )
        elif name not in known:
            context.add(
                f"there is no metric {quoted(written)}.{did_you_mean(name, known)} "
                f"Metrics are scikit-learn's, such as 'accuracy', 'roc_auc' or 'r2', and "
                f"{', '.join(OWN_SCORERS)}; {ON_TRAINING_ROWS!r} before a name means the training "
                f"rows.",
                "scorers",
                number,
            )
        elif regressors and _is_of_classifiers(name):
            context.add(
                f"{quoted(written)} is a metric of classifiers, and the estimators are regressors. "
                "Use one such as 'r2'.",
                "scorers",
                number,
            )


def _is_of_classifiers(name: str) -> bool:
    if name in OWN_SCORERS:
        return name.startswith("balanced_accuracy_ovr")
    module: str = get_scorer(name)._score_func.__module__
    return module.endswith(("._classification", "._ranking"))
