"""ODD as a scikit-learn classifier and transformer."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from distsearch._sklearn import HasMethods, Interval, StrOptions, available_where
from distsearch.odd._batches import combine, moments_kept_by
from distsearch.odd._discriminants import highest
from distsearch.odd._schedule import PaperSchedule
from distsearch.odd._workings import ODDWorkings

__all__ = ["ODDClassifier"]

Floats = NDArray[np.float64]


class ODDClassifier(ODDWorkings):
    """Optimised discriminative distances: pull class centres apart and each class together.

    Use it as a classifier that looks at each class's own spread, or to see many features in few. It
    learns F(x) = g(xM + r) that minimises, the norm of a covariance being that of its eigenvalues,

        Ω = (γ + Σ_k ‖Cov(F(X_k))‖) / (Π_{i<j} ‖a_i - a_j‖)^e,    a_k = mean of F(X_k).

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        Columns of M; None for the number of classes, as in the paper. For linear F more than one
        less than the number of classes gain nothing: further components are zero. "auto" adds
        components until another improves Ω by less than a hundredth, by the exact solver for
        linear F whatever `solver` and `activation` are.
    activation : "linear", "tanh" or object, default="linear"
        g; an object has ``value(z)`` and ``derivative(z, y)`` with y = g(z), both elementwise.
    gamma : float, default=1.0
        γ. For linear F it decides nothing but the scale of M.
    exponent : float or None, default=None
        e; 2 / (c (c - 1)) for c classes by default, so that the denominator is the geometric mean
        of the distances. For linear F it decides nothing but the scale of M, and must be below
        twice that, for Ω has no minimum otherwise.
    ddof : {0, 1}, default=1
        What is taken off the number of rows in the divisor of covariances.
    shrinkage : float or "auto", default="auto"
        How far the covariance S of each class is shrunk: a number from 0 (not at all, as in the
        paper) to 1 draws it to tr(S)/n · I; "auto" draws it to the mean of all classes, and that
        to a multiple of the identity, by the oracle approximating formula. Needed where a class
        has fewer rows than there are features. For other F the covariance after the transform is
        drawn to a multiple of the identity, to the same extent.
    class_weight : dict, "balanced" or None, default=None
        Factor of each class's spread in Ω, and of its prior probability.
    pca : int, float or None, default=None
        Principal components to take first: how many, or the share of variance that they keep.
    solver : {"auto", "cmaes+bfgs", "es"} or PaperSchedule, default="auto"
        "auto" is exact for linear F: in closed form for two classes, else quasi-Newton descent on
        whitened moments, checked to be the global minimum; for fewer components than one less than
        the classes, thousands of starts are screened. For other F it descends from the linear
        solution at several scales and from random starts. The others are the paper's schedule.
    init : "auto", "random" or array-like, default="auto"
        Where "auto" starts: as said above, at random, or at this M (for other than linear F, with
        r below it) for features scaled to [-1, 1].
    n_restarts : int, default=2
        Further random starts, where starts are random.
    max_iter : int, default=1000
        Iterations of a quasi-Newton descent.
    tol : float, default=1e-10
        A descent ends when log Ω falls by less than this in an iteration.
    early_stopping : bool, default=False
        For other than linear F: end descents, and choose among them, by log loss on rows set aside.
    validation_fraction : float, default=0.2
        Share of the rows that is set aside.
    n_iter_no_change : int, default=10
        Iterations without improvement after which a descent is ended early.
    discriminant : {"gaussian", "distance"}, default="gaussian"
        What probabilities come from. "gaussian": a Gaussian for each class where it lands, with
        covariances drawn to their mean, and priors. "distance" is the paper's: the share of the
        distance to a class's centre in the distances to all.
    threshold : {"nearest", "balanced"}, default="nearest"
        "nearest": a row is of the most probable class, which for "distance" is that of the nearest
        centre. "balanced": `decision_function` is above 0 where a class claims a row against the
        rest, by the threshold of highest balanced accuracy on the training rows, as in the paper;
        the class with the highest value is predicted.
    backend : str or Backend, default="serial"
        Where long descents, large populations and very many rows are worked on: "serial",
        "processes", "processes:8", "ray", "ray:HOST:PORT" or a `Backend`. The result does not
        depend on it.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Seed of starts, screening, populations and rows set aside.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    components_ : ndarray of shape (n_components, n_kept)
        Mᵀ for features scaled to [-1, 1]. For linear F turned so that components are uncorrelated
        within classes, the widest first, the entry of largest magnitude positive.
    intercept_ : ndarray of shape (n_components,)
        r for features scaled to [-1, 1]. For linear F the mean of the training rows lands on 0.
    scalings_ : ndarray of shape (n_features_in_, n_components)
        The same as `components_` for features as they are given; rows of constant ones are 0.
    kept_features_ : ndarray of int of shape (n_kept,)
        Features (with `pca`, principal components) that are not constant in training.
    centers_, covariances_ : ndarray
        Where the classes' means land, of shape (n_classes, n_components), and their covariances
        there, shrunk, of shape (n_classes, n_components, n_components).
    class_count_ : ndarray of shape (n_classes,)
        Weight of the rows of each class.
    priors_ : ndarray of shape (n_classes,)
        Prior probabilities.
    thresholds_ : ndarray of shape (n_classes,) or None
        What `threshold="balanced"` found; None otherwise.
    criterion_ : float
        Ω, of the training rows that a descent sees.
    n_components_ : int
        Number of components.
    history_ : dict of ndarray
        ``stage``, ``start``, ``iteration`` and ``criterion``: `n_iter_` rows, one an iteration.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Features are scaled to [-1, 1] by their training range (sparse ones are divided by their largest
    magnitude); later rows may leave it.

    References
    ----------
    Bonyadi, M. R., Tieng, Q. M. and Reutens, D. C. (2017). Optimization of distributions
    differences for classification. arXiv:1703.00989.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from distsearch.odd import ODDClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> odd = ODDClassifier(n_components=2).fit(X, y)
    >>> odd.predict(X[:3])
    array([0, 0, 0])
    >>> odd.transform(X).shape
    (178, 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "activation": [StrOptions({"linear", "tanh"}), HasMethods(["value", "derivative"])],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "exponent": [Interval(Real, 0, None, closed="neither"), None],
        "ddof": [Interval(Integral, 0, 1, closed="both")],
        "shrinkage": [Interval(Real, 0, 1, closed="both"), StrOptions({"auto"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "pca": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            None,
        ],
        "solver": [StrOptions({"auto", "cmaes+bfgs", "es"}), PaperSchedule],
        "init": [StrOptions({"auto", "random"}), "array-like"],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "discriminant": [StrOptions({"gaussian", "distance"})],
        "threshold": [StrOptions({"nearest", "balanced"})],
        "backend": [str, HasMethods(["share", "run", "close"])],
        "random_state": ["random_state", np.random.Generator, np.random.SeedSequence],
    }

    def __init__(
        self,
        n_components: Any = None,
        *,
        activation: Any = "linear",
        gamma: float = 1.0,
        exponent: float | None = None,
        ddof: int = 1,
        shrinkage: Any = "auto",
        class_weight: Any = None,
        pca: Any = None,
        solver: Any = "auto",
        init: Any = "auto",
        n_restarts: int = 2,
        max_iter: int = 1000,
        tol: float = 1e-10,
        early_stopping: bool = False,
        validation_fraction: float = 0.2,
        n_iter_no_change: int = 10,
        discriminant: str = "gaussian",
        threshold: str = "nearest",
        backend: Any = "serial",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.activation = activation
        self.gamma = gamma
        self.exponent = exponent
        self.ddof = ddof
        self.shrinkage = shrinkage
        self.class_weight = class_weight
        self.pca = pca
        self.solver = solver
        self.init = init
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.discriminant = discriminant
        self.threshold = threshold
        self.backend = backend
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the transform and the classes' places.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training rows; sparse ones for linear F without `pca` only.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts; not negative.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When there is one class only, two classes have the same mean, a value is missing or
            infinite, or there are too few rows for covariances that are not shrunk.
        """
        self._validate_params()
        self._fit_rows(self._read_training(X, y, sample_weight))
        return self

    @available_where(ODDWorkings._takes_batches)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from further rows, as if they had been there from the start.

        There is such a method for linear F without `pca` and with ``threshold="nearest"``. What
        is kept of the rows are the moments of each class. While they do not suffice for a
        transform, the estimator counts as not fitted.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels; labels may be new.
        classes : array-like, optional
            All labels that may occur, as other classifiers ask for; checked, not needed.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts; not negative.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When a label is not one of `classes`.
        """
        self._validate_params()
        batch = self._batch(X, y, classes, sample_weight)
        self._fit_moments(combine(moments_kept_by(self), batch))
        return self

    @available_where(ODDWorkings._takes_batches)
    def merge(self, *others: ODDClassifier) -> Self:
        """Add what other estimators have learned, as if their rows had been given here.

        Parameters
        ----------
        *others : ODDClassifier
            Fitted on other rows with the same features; this estimator need not be fitted.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When their features differ.
        """
        self._validate_params()
        total = self._learned_by(others)
        if others and total is not None:
            self._fit_moments(total)
        return self

    def transform(self, X: Any) -> Floats:
        """Return F of rows.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Or a frame, see `set_output`.
        """
        self._check_fitted()
        return self._land(self._read(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        labels: NDArray[Any] = self.classes_[highest(scores)]
        return labels

    def decision_function(self, X: Any) -> Floats:
        """Return how much each row is like each class.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive for the second. For "gaussian" the logarithm of the odds of a
            class against the rest, for "distance" the value of `predict_proba` (of two classes,
            their difference), with ``threshold="balanced"`` less the threshold of the class.
        """
        self._check_fitted()
        scores = self._scores(self._land(self._read(X)))
        if self.thresholds_ is not None:
            scores = scores - self.thresholds_
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows add up to 1. Those of "distance" are never above 1 / (n_classes - 1).
        """
        self._check_fitted()
        return self._probabilities(self._land(self._read(X)))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        self._check_fitted()
        return self._log_probabilities(self._land(self._read(X)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the components: ``odd0``, ``odd1``, ….

        Parameters
        ----------
        input_features : array-like of str, optional
            Checked against the features of fit, otherwise not used.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "components_")
        _check_feature_names_in(self, input_features, generate_names=False)
        return np.asarray([f"odd{j}" for j in range(self.n_components_)], dtype=object)
