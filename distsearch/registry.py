"""Estimators by name, for the command line and for files that describe experiments.

=========================  ====================================================
Name                       Estimator
=========================  ====================================================
``knn``                    KNeighborsClassifier
``nb``                     GaussianNB
``svc``                    SVC
``logistic``               LogisticRegression
``lda``                    LinearDiscriminantAnalysis
``qda``                    QuadraticDiscriminantAnalysis
``perceptron``             SGDClassifier(loss="perceptron")
``mlp``                    MLPClassifier(hidden_layer_sizes=(10, 10), max_iter=1000)
``tree``                   DecisionTreeClassifier
``forest``                 RandomForestClassifier
``odd``                    ODDClassifier
``direct-lda``             DirectLDA
``cbb``                    CBBClassifier
``cbb-pooled``             CBBClassifier(variant="pooled")
``adaboost-resampling``    ResamplingAdaBoostClassifier
``pruneboost``             PruneBoostClassifier
``brownboost``             BrownBoostClassifier
``adaboost-kl``            AdaBoostKLClassifier
``linear``                 LinearRegression
``ridge``                  Ridge
``lasso``                  Lasso
``svr``                    SVR
``knn-regressor``          KNeighborsRegressor
``mlp-regressor``          MLPRegressor(hidden_layer_sizes=(10, 10), max_iter=1000)
``tree-regressor``         DecisionTreeRegressor
``forest-regressor``       RandomForestRegressor
any other class            its name in scikit-learn, such as ``RidgeClassifier``
``package.module:Class``   a class from elsewhere, if its module is trusted
=========================  ====================================================
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any

from distsearch._wording import did_you_mean
from distsearch.errors import InvalidInputError, UnknownNameError

__all__ = ["SHORT_NAMES", "is_trusted", "make_estimator"]

_SMALL_NETWORK = {"hidden_layer_sizes": (10, 10), "max_iter": 1000}

SHORT_NAMES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "knn": ("sklearn.neighbors:KNeighborsClassifier", {}),
    "nb": ("sklearn.naive_bayes:GaussianNB", {}),
    "svc": ("sklearn.svm:SVC", {}),
    "logistic": ("sklearn.linear_model:LogisticRegression", {}),
    "lda": ("sklearn.discriminant_analysis:LinearDiscriminantAnalysis", {}),
    "qda": ("sklearn.discriminant_analysis:QuadraticDiscriminantAnalysis", {}),
    "perceptron": ("sklearn.linear_model:SGDClassifier", {"loss": "perceptron"}),
    "mlp": ("sklearn.neural_network:MLPClassifier", _SMALL_NETWORK),
    "tree": ("sklearn.tree:DecisionTreeClassifier", {}),
    "forest": ("sklearn.ensemble:RandomForestClassifier", {}),
    "odd": ("distsearch.odd:ODDClassifier", {}),
    "direct-lda": ("distsearch.odd:DirectLDA", {}),
    "cbb": ("distsearch.boosting:CBBClassifier", {}),
    "cbb-pooled": ("distsearch.boosting:CBBClassifier", {"variant": "pooled"}),
    "adaboost-resampling": ("distsearch.boosting:ResamplingAdaBoostClassifier", {}),
    "pruneboost": ("distsearch.boosting:PruneBoostClassifier", {}),
    "brownboost": ("distsearch.boosting:BrownBoostClassifier", {}),
    "adaboost-kl": ("distsearch.boosting:AdaBoostKLClassifier", {}),
    "linear": ("sklearn.linear_model:LinearRegression", {}),
    "ridge": ("sklearn.linear_model:Ridge", {}),
    "lasso": ("sklearn.linear_model:Lasso", {}),
    "svr": ("sklearn.svm:SVR", {}),
    "knn-regressor": ("sklearn.neighbors:KNeighborsRegressor", {}),
    "mlp-regressor": ("sklearn.neural_network:MLPRegressor", _SMALL_NETWORK),
    "tree-regressor": ("sklearn.tree:DecisionTreeRegressor", {}),
    "forest-regressor": ("sklearn.ensemble:RandomForestRegressor", {}),
}
"""Short names: where the class is, and the parameters that differ from its defaults."""


def make_estimator(
    name: str,
    params: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
    trust: Collection[str] = (),
) -> Any:
    """Make the estimator that a name stands for, its parameters checked.

    Parameters
    ----------
    name : str
        A short name, the name of a public class of scikit-learn, or ``package.module:Class``.
    params : mapping of str to object, optional
        Its parameters; the others keep the defaults that belong to the name.
    seed : int, optional
        Becomes ``random_state`` where the estimator has that parameter and `params` do not set it.
    trust : collection of str
        Modules that may be imported for ``package.module:Class``, with all below them.

    Returns
    -------
    estimator
        Not fitted.

    Raises
    ------
    UnknownNameError
        For a name or parameter that does not exist; the message has the nearest ones.
    InvalidInputError
        For a parameter whose value the estimator does not take, and for modules not trusted.

    Examples
    --------
    >>> make_estimator("knn", {"n_neighbors": 3})
    KNeighborsClassifier(n_neighbors=3)
    """
    from distsearch._sklearn import check_parameters

    place, defaults = SHORT_NAMES.get(name, ("", {}))
    cls = _load(place) if place else _find(name, trust)
    try:
        estimator = cls()
    except TypeError as error:
        raise InvalidInputError(
            f"{name} cannot be made from simple parameters: {error}. Choose another estimator."
        ) from None
    known = estimator.get_params(deep=False)
    given = dict(params or {})
    for key in given:
        if key not in known:
            raise UnknownNameError(
                f"{cls.__name__} has no parameter {key!r}.{did_you_mean(key, known)} "
                f"Its parameters are {', '.join(known)}."
            )
    if seed is not None and "random_state" in known:
        given.setdefault("random_state", seed)
    estimator.set_params(**{**defaults, **given})
    check_parameters(estimator)
    return estimator


def is_trusted(module: str, trust: Collection[str]) -> bool:
    """Say whether ``module`` is one of the trusted modules or below one of them."""
    return any(module == each or module.startswith(f"{each}.") for each in trust)


def _find(name: str, trust: Collection[str]) -> Any:
    if ":" not in name:
        return _find_in_sklearn(name)
    module = name.partition(":")[0]
    if not is_trusted(module, trust):
        raise InvalidInputError(
            f"{name!r} would run code from {module!r}, which is not trusted. If you trust it, say "
            f"so: --trust {module}."
        )
    return _load(name)


def _find_in_sklearn(name: str) -> Any:
    from sklearn.utils import all_estimators

    classes = dict(all_estimators(type_filter=["classifier", "regressor"]))
    if name not in classes:
        raise UnknownNameError(
            f"There is no estimator {name!r}.{did_you_mean(name, [*SHORT_NAMES, *classes])} "
            f"Short names are {', '.join(SHORT_NAMES)}; any classifier or regressor of "
            f"scikit-learn can be named by its class."
        )
    return classes[name]


def _load(place: str) -> Any:
    module, _, name = place.partition(":")
    try:
        found = getattr(import_module(module), name)
    except ImportError as error:
        raise UnknownNameError(f"{module!r} cannot be imported: {error}.") from error
    except AttributeError:
        raise UnknownNameError(f"There is no {name!r} in {module!r}.") from None
    if not (isinstance(found, type) and hasattr(found, "fit") and hasattr(found, "get_params")):
        raise InvalidInputError(f"{place} is not an estimator class.")
    return found
