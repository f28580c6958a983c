"""The Box-Cox search as a scikit-learn estimator."""

from __future__ import annotations

import os
import warnings
from contextlib import nullcontext
from numbers import Real
from typing import Any, ClassVar, Self

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from distsearch._scoring import make_scorer, maximum_score
from distsearch._sklearn import HasMethods, StrOptions
from distsearch._splits import RESUBSTITUTION, make_splits
from distsearch._version import __version__
from distsearch.backends import SerialBackend, Unit, derive_seed, open_backend, seed_sequence
from distsearch.boxcox._columns import Columns, column_names, find_features
from distsearch.boxcox._invariance import warn_if_invariant
from distsearch.boxcox._mle import mle_lambdas
from distsearch.boxcox._objective import PlainObjective
from distsearch.boxcox._stand_in import StandIn
from distsearch.boxcox._strategies import STRATEGIES, make_strategy
from distsearch.boxcox._transformer import BoxCoxTransformer
from distsearch.errors import DistsearchWarning, InvalidInputError
from distsearch.search import LineReporter, Memo, SearchResult, reporting, search

__all__ = ["BoxCoxSearchCV"]

_REFIT_KEY = 2**128
"""Seed key of the last fit: beyond those of the candidates, which are 128-bit digests."""


class BoxCoxSearchCV(StandIn):
    """Search the Box-Cox λ of every feature that make a given estimator best.

    Use it in place of the estimator: features are scaled to [1, 2], mapped by their λ and
    standardised, and the estimator is fitted on the result. The λ are those with the best score
    on the training data.

    Parameters
    ----------
    estimator : estimator
        Any scikit-learn classifier or regressor. It is cloned, never changed.
    strategy : str or strategy, default="iterative"
        How the λ are searched: "iterative", "spherical", "diagonal", "full" or "mle" with their
        defaults, or an object such as ``IterativeGrid(epochs=8)``.
    scoring : str, callable or None, default=None
        The metric that is maximised, as in scikit-learn; None means accuracy for classifiers and
        R² for regressors.
    cv : int, splitter, iterable or "resubstitution", default=5
        The splits that a candidate is scored on, as in scikit-learn. "resubstitution" trains and
        scores on all rows, which is the paper's setting.
    out_of_range : {"clip", "extrapolate", "error"}, default="clip"
        What prediction does with values outside the training range; see `BoxCoxTransformer`.
    passthrough : array-like of int or str, or None, default=None
        Features, by position or name, that the estimator gets as they are: they are neither
        searched nor scaled, mapped or standardised. Meant for codes of categories that the
        estimator encodes itself, anew in every split.
    backend : str or Backend, default="serial"
        Where candidates are scored: "serial", "processes", "processes:8", "ray",
        "ray:HOST:PORT" or a `Backend`. The result does not depend on it.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Seed of restarts and shuffles, and of every fit by its λ and fold, for estimators whose
        own ``random_state`` is None.
    error_score : float or "raise", default=nan
        Score of a candidate whose fit or scoring raises; "raise" ends the search instead. NaN
        never wins.
    checkpoint : path-like or None, default=None
        File to keep scores in while searching. After a stop, the same fit continues from it. Needs
        a ``random_state``.
    verbose : int, default=0
        Above 0, progress is written to standard error.

    Attributes
    ----------
    lambdas_ : ndarray of shape (n_features_in_,)
        The λ found; 1 for features that were not searched.
    best_score_ : float
        The score they earned.
    best_estimator_ : Pipeline
        ``BoxCoxTransformer`` with these λ, then the estimator, fitted on all rows.
    search_history_ : dict of str to ndarray
        One row a candidate: ``evaluation``, ``epoch``, ``feature`` (-1: more than one varies),
        ``value`` (its λ), ``score``, ``from_memo`` and ``best_score`` so far. Goes into a data
        frame as it is.
    search_lambdas_ : ndarray of shape (n_rows, n_features_in_)
        The whole λ vector of each row of the history.
    n_evaluations_ : int
        Candidates really scored; a repeated one is scored once.
    searched_features_ : ndarray of int
        Features whose λ were searched: those with three distinct values or more that are not
        passed on as they are. For fewer values, standardising makes every λ the same.
    passthrough_features_ : ndarray of int
        Positions of the features passed on as they are.
    strategy_ : strategy
        The strategy as it ended.
    scorer_ : callable
        The metric.
    n_features_in_, feature_names_in_, classes_
        As in scikit-learn.

    See Also
    --------
    BoxCoxTransformer : The map alone.

    Notes
    -----
    The range of a feature is taken from all training rows before the splits, as in the paper; the
    standardisation is learned on the training rows of each split.

    The search stops at the metric's maximum, which nothing can beat.

    References
    ----------
    Blum, L., Elgendi, M. and Menon, C. (2022). Impact of Box-Cox transformation on machine
    learning algorithms. Frontiers in Artificial Intelligence 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from distsearch.boxcox import BoxCoxSearchCV, IterativeGrid
    >>> X, y = load_iris(return_X_y=True)
    >>> search = BoxCoxSearchCV(GaussianNB(), strategy=IterativeGrid(epochs=2)).fit(X, y)
    >>> search.lambdas_.shape
    (4,)
    >>> bool(search.best_score_ >= 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "get_params"])],
        "strategy": [StrOptions(set(STRATEGIES)), HasMethods(["begin", "ask", "tell", "planned"])],
        "scoring": [str, callable, None],
        "cv": [StrOptions({RESUBSTITUTION}), "cv_object"],
        "out_of_range": [StrOptions({"clip", "extrapolate", "error"})],
        "passthrough": ["array-like", None],
        "backend": [str, HasMethods(["share", "run", "close"])],
        "random_state": ["random_state", np.random.Generator, np.random.SeedSequence],
        "error_score": [StrOptions({"raise"}), Real],
        "checkpoint": [str, os.PathLike, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator: Any,
        strategy: Any = "iterative",
        *,
        scoring: Any = None,
        cv: Any = 5,
        out_of_range: str = "clip",
        passthrough: Any = None,
        backend: Any = "serial",
        random_state: Any = None,
        error_score: Any = np.nan,
        checkpoint: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.strategy = strategy
        self.scoring = scoring
        self.cv = cv
        self.out_of_range = out_of_range
        self.passthrough = passthrough
        self.backend = backend
        self.random_state = random_state
        self.error_score = error_score
        self.checkpoint = checkpoint
        self.verbose = verbose

    def fit(self, X: Any, y: Any, **params: Any) -> Self:
        """Search the λ and fit the estimator with them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Targets.
        **params : dict
            Passed to the estimator's ``fit``, ``groups`` to the splitter; with metadata routing,
            to whoever requested them.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When a class has fewer rows than there are folds, when there is only one class, when
            the strategy cannot work on so many features, or when ``passthrough`` has something
            that is no feature.
        SearchFailedError
            When no candidate could be scored.
        """
        self._validate_params()
        routed = self._route(params)
        root = seed_sequence(self.random_state)
        X_seen, (X, y) = X, self._validate(X, y)
        passed = find_features(self.passthrough, self, X.shape[1])
        columns = Columns.learn(X, column_names(self, X.shape[1]), passed)
        self.passthrough_features_ = passed
        scaled = columns.scale(X)
        self.searched_features_ = np.flatnonzero(columns.searchable)
        self.scorer_ = make_scorer(self.estimator, self.scoring)
        splits = make_splits(
            self.cv, X, y, classifier=is_classifier(self.estimator),
            split_params=routed.splitter.split,
        )  # fmt: skip
        warn_if_invariant(self.estimator)
        objective = PlainObjective(
            scaled, y, self.searched_features_, self.estimator, self.scorer_, splits,
            maximum=maximum_score(self.scorer_), passthrough=passed,
            fit_params=routed.estimator.fit, score_params=routed.scorer.score,
        )  # fmt: skip
        self._keep(self._search(objective, root))
        self.best_estimator_ = self._refit(X_seen, y, routed.estimator.fit, root)
        return self

    def _validate(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        tags = get_tags(self)
        X, y = validate_data(
            self, X, y, dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if tags.input_tags.allow_nan else True,
            ensure_min_samples=2,
            multi_output=tags.target_tags.multi_output,
            y_numeric=not is_classifier(self.estimator),
        )  # fmt: skip
        if is_classifier(self.estimator):
            check_classification_targets(y)
            if y.ndim == 1 and len(np.unique(y)) < 2:
                raise InvalidInputError(
                    f"The target has one class, {y[:1].tolist()[0]!r}; a classifier needs two or "
                    f"more. Choose another target column or other rows."
                )
        return X, y

    def _search(self, objective: PlainObjective, root: np.random.SeedSequence) -> SearchResult:
        strategy = self.strategy
        if isinstance(strategy, type):
            raise InvalidInputError(
                f"strategy must be a name or a strategy, not a class of them. "
                f"Got {strategy.__name__} instead of {strategy.__name__}()."
            )
        self.strategy_ = (
            make_strategy(strategy) if isinstance(strategy, str) else clone(strategy, safe=False)
        )
        memo = None
        if self.checkpoint is not None:
            if self.random_state is None:
                raise InvalidInputError(
                    "A checkpoint needs a random_state: without one every fit is another search, "
                    "and none could continue. Set random_state to an integer."
                )
            memo = Memo(self.checkpoint, _fingerprint(objective, root))
        listener = reporting(LineReporter()) if self.verbose else nullcontext()
        with listener, open_backend(self.backend) as backend:
            return search(
                self.strategy_,
                objective,
                backend,
                start=self._start(objective),
                seed=root,
                memo=memo,
                error_score=self.error_score,
                label="Box-Cox search",
            )

    def _start(self, objective: PlainObjective) -> NDArray[np.float64]:
        """Estimate where the search starts, unless the strategy looks at fixed points only."""
        if getattr(self.strategy_, "uses_start", True):
            return mle_lambdas(objective.scaled[:, objective.active])
        return np.ones(len(objective.active))

    def _keep(self, result: SearchResult) -> None:
        features = self.searched_features_
        self.lambdas_ = np.ones(self.n_features_in_)
        self.lambdas_[features] = result.best
        self.best_score_ = result.best_score
        self.n_evaluations_ = result.n_evaluations
        table = result.history.table()
        coordinate = table.pop("coordinate")
        feature = np.full(len(coordinate), -1)
        feature[coordinate >= 0] = features[coordinate[coordinate >= 0]]
        self.search_history_ = {
            "evaluation": table.pop("evaluation"), "epoch": table.pop("epoch"),
            "feature": feature, **table,
        }  # fmt: skip
        self.search_lambdas_ = np.ones((len(feature), self.n_features_in_))
        self.search_lambdas_[:, features] = result.history.candidates

    def _refit(
        self, X: Any, y: NDArray[Any], fit_params: dict[str, Any], root: np.random.SeedSequence
    ) -> Pipeline:
        """Fit as a unit of work does, so that the model does not depend on where this runs."""
        mapper = BoxCoxTransformer(
            self.lambdas_, out_of_range=self.out_of_range, passthrough=self.passthrough
        )
        backend = SerialBackend()
        with backend.share((mapper, self.estimator, X, y, fit_params)) as shared:
            unit = Unit(None, derive_seed(root, _REFIT_KEY), "the last fit")
            (outcome,) = backend.run(_fit_unit, [unit], shared)
        fitted: Pipeline = outcome.unwrap()
        return fitted


def _fit_unit(unit: Unit, shared: Any) -> Pipeline:
    del unit
    mapper, estimator, X, y, fit_params = shared
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DistsearchWarning)  # what the search has said already
        mapped = mapper.fit_transform(X)
    estimator = clone(estimator)
    estimator.fit(mapped, y, **fit_params)
    return Pipeline([("boxcox", mapper), ("estimator", estimator)])


def _fingerprint(objective: PlainObjective, root: np.random.SeedSequence) -> str:
    """Name everything that a score depends on besides the λ."""
    try:
        digest: str = joblib.hash(
            (__version__, vars(objective), root.entropy, root.spawn_key), hash_name="sha1"
        )
    except Exception as error:
        raise InvalidInputError(
            f"A checkpoint needs an estimator and a metric that can be pickled: {error}. "
            f"Define them in a module, or search without a checkpoint."
        ) from error
    return digest
