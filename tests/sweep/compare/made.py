"""Studies with results made by hand."""

import numpy as np
import pandas as pd

from distsearch.sweep.store._records import DataRecord, SettingRecord, StudyRecord


def study_of(
    data=("d",), estimators=("E",), methods=("base", "new"), scorers=("accuracy",), **options
):
    """A study with those labels; an estimator or a method may be (label, entry)."""
    settings = [
        SettingRecord(kind, label, entry, "name")
        for kind, labels in (("estimator", estimators), ("method", methods))
        for label, entry in ((each, each) if isinstance(each, str) else each for each in labels)
    ]
    return StudyRecord(
        name=options.get("name", "study"),
        title=options.get("title", ""),
        seed=0,
        scorers=tuple(scorers),
        baseline=options.get("baseline"),
        data=tuple(DataRecord(label, "hash", f"{label}.csv", 100, 4, 2) for label in data),
        settings=tuple(settings),
        units=(),
    )


def results_of(scores, metric="accuracy", repeats=1, **columns):
    """Results of {(data, estimator, method): scores}, folds after folds for each repeat."""
    rows = []
    for (data, estimator, method), values in scores.items():
        folds = len(values) // repeats
        for split, value in enumerate(values):
            rows.append(
                {
                    "position": len(rows),
                    "hash": f"hash{len(rows)}",
                    "data": data,
                    "estimator": estimator,
                    "method": method,
                    "repeat": split // folds,
                    "fold": split % folds,
                    "state": "pending" if value is None else "done",
                    "fit_seconds": 0.25,
                    "predict_seconds": 0.5,
                    metric: np.nan if value is None else value,
                    "attempts": 1,
                    "error_type": "",
                    "error": "",
                    "facts": None,
                }
            )
    return pd.DataFrame(rows).assign(**columns)


def random_study(n_data, n_estimators, n_methods, repeats, folds, seed=0):
    """A study with every unit done, and random accuracies."""
    data = [f"d{i}" for i in range(n_data)]
    estimators = [f"E{i}" for i in range(n_estimators)]
    methods = [f"m{i}" for i in range(n_methods)]
    index = pd.MultiIndex.from_product(
        [data, estimators, methods, range(repeats), range(folds)],
        names=["data", "estimator", "method", "repeat", "fold"],
    )
    rng = np.random.default_rng(seed)
    results = index.to_frame(index=False)
    results["state"] = "done"
    results["accuracy"] = rng.integers(60, 101, len(results)) / 100
    results["f1"] = rng.integers(60, 101, len(results)) / 100
    results["fit_seconds"] = rng.gamma(2.0, 0.01, len(results))
    results["predict_seconds"] = rng.gamma(2.0, 0.001, len(results))
    study = study_of(data, estimators, methods, ("accuracy", "f1"))
    return study, results
