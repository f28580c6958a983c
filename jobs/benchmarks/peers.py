"""The same trials by the tools that people use for them today, each as its own guide does it."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import product
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

__all__ = ["Trials", "grid_search", "is_installed", "optuna_runs", "tune_run"]

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Trials:
    """Settings to try, and what to try them on.

    Parameters
    ----------
    X, y : ndarray
        The data.
    splits : sequence of (ndarray, ndarray)
        Training and test rows.
    grid : mapping of str to sequence
        Values of the parameters of a nearest-neighbour classifier; a trial each combination.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    splits: Sequence[tuple[NDArray[Any], NDArray[Any]]]
    grid: Mapping[str, Sequence[Any]]

    @property
    def settings(self) -> list[dict[str, Any]]:
        """Every combination, the last parameter fastest."""
        return [dict(zip(self.grid, each, strict=True)) for each in product(*self.grid.values())]

    def accuracy(self, params: Mapping[str, Any]) -> float:
        """Run one trial: the mean accuracy over the splits."""
        X, y = self.X, self.y
        scores = [_model(**params).fit(X[a], y[a]).score(X[b], y[b]) for a, b in self.splits]
        return float(np.mean(scores))

    def in_order(self, found: Iterable[tuple[Mapping[str, Any], float]]) -> Scores:
        """Put what was found, with its parameters, in the order of the settings."""
        known = {tuple(params[name] for name in self.grid): value for params, value in found}
        return np.array([known[combination] for combination in product(*self.grid.values())])


def _model(**params: Any) -> Any:
    return make_pipeline(StandardScaler(), KNeighborsClassifier(**params))


def is_installed(module: str) -> bool:
    """Say whether a module can be imported with all that it needs."""
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def grid_search(trials: Trials, workers: int) -> Scores:
    """Let scikit-learn's own search do them; nothing is kept on the way."""
    grid = {f"kneighborsclassifier__{name}": values for name, values in trials.grid.items()}
    search = GridSearchCV(_model(), grid, cv=trials.splits, n_jobs=workers, refit=False)
    found = search.fit(trials.X, trials.y).cv_results_
    scores = found["mean_test_score"]
    names = [
        {name: params[f"kneighborsclassifier__{name}"] for name in trials.grid}
        for params in found["params"]
    ]
    return trials.in_order(zip(names, scores, strict=True))


@dataclass(frozen=True)
class _Way:
    """A way to run trials with Optuna.

    Parameters
    ----------
    journal : bool
        Keep them in its journal file rather than in SQLite.
    queued : bool
        Put all in the study's queue first, which is faster than its sampler of grids. Two
        processes on one SQLite file may take the same trial out of it, which is an error.
    processes : int
        How many work on the study.
    """

    journal: bool
    queued: bool
    processes: int

    def run(self, trials: Trials) -> Scores:
        """Have the trials done in a new study, and read their values."""
        with TemporaryDirectory() as folder:
            study = self._study(folder, trials)
            settings = trials.settings if self.queued else []
            for setting in settings:
                study.enqueue_trial(setting)
            if self.processes == 1:
                self.take_part(folder, trials, len(settings))
            else:
                shares = [len(settings[place :: self.processes]) for place in range(self.processes)]
                Parallel(n_jobs=self.processes)(
                    delayed(self.take_part)(folder, trials, share) for share in shares
                )
            return trials.in_order((each.params, each.value) for each in study.trials)

    def take_part(self, folder: str, trials: Trials, share: int) -> None:
        """Work on the study until this process has done its share, or all is done."""

        def objective(trial: Any) -> float:
            return trials.accuracy(
                {
                    name: trial.suggest_categorical(name, list(values))
                    for name, values in trials.grid.items()
                }
            )

        self._study(folder, trials).optimize(objective, n_trials=share if self.queued else None)

    def _study(self, folder: str, trials: Trials) -> Any:
        optuna: Any = import_module("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        storage = f"sqlite:///{folder}/study.db"
        if self.journal:
            backend = optuna.storages.journal.JournalFileBackend(f"{folder}/study.log")
            storage = optuna.storages.JournalStorage(backend)
        samplers = optuna.samplers
        return optuna.create_study(
            study_name="trials",
            direction="maximize",
            storage=storage,
            load_if_exists=True,
            # A sampler that learns from trials that are given would only cost time.
            sampler=samplers.RandomSampler(seed=0)
            if self.queued
            else samplers.GridSampler(trials.grid, seed=0),
        )


def optuna_runs(trials: Trials, workers: int) -> dict[str, Callable[[], Scores]]:
    """Return the trials by Optuna: with SQLite, alone and in parallel, and with its journal."""
    ways = {
        "Optuna, SQLite, 1 process": _Way(journal=False, queued=True, processes=1),
        f"Optuna, SQLite, {workers} processes": _Way(False, queued=False, processes=workers),
        f"Optuna, journal, {workers} processes": _Way(True, queued=True, processes=workers),
    }
    return {name: partial(way.run, trials) for name, way in ways.items()}


def _trainable(config: Mapping[str, Any], trials: Trials) -> dict[str, float]:
    return {"accuracy": trials.accuracy(config)}


def tune_run(trials: Trials, *, reuse_actors: bool) -> Scores:
    """Let Ray Tune do them on the Ray that is there, a CPU a trial."""
    os.environ["RAY_AIR_NEW_OUTPUT"] = "0"  # its other output cannot be silenced
    tune: Any = import_module("ray.tune")
    logging.getLogger("ray.tune").setLevel(logging.ERROR)
    with TemporaryDirectory() as folder:
        results = tune.Tuner(
            tune.with_parameters(_trainable, trials=trials),
            param_space={name: tune.grid_search(values) for name, values in trials.grid.items()},
            tune_config=tune.TuneConfig(reuse_actors=reuse_actors),
            run_config=tune.RunConfig(name="trials", storage_path=folder, verbose=0),
        ).fit()
        return trials.in_order((each.config, each.metrics["accuracy"]) for each in results)
