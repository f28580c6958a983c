"""The classifiers that have a name of their own in boosting studies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from distsearch._wording import did_you_mean
from distsearch.boosting._c45 import C45TreeClassifier
from distsearch.boosting._perceptron import PerceptronClassifier
from distsearch.boosting._rbf_network import RBFNetworkClassifier
from distsearch.boosting._stump import DecisionStumpClassifier
from distsearch.errors import UnknownNameError

__all__ = ["NAMES", "named_estimator"]


def _svm() -> Any:
    return make_pipeline(MinMaxScaler(), SVC(kernel="linear", C=1.0))


_MAKERS: dict[str, Callable[[], Any]] = {
    "tree": C45TreeClassifier,
    "svm": _svm,
    "mlp": PerceptronClassifier,
    "rbf": RBFNetworkClassifier,
    "stump": DecisionStumpClassifier,
}

NAMES = tuple(_MAKERS)
"""The names that `named_estimator` knows."""


def named_estimator(name: str) -> Any:
    """Return a new classifier by its name: the closest there is to Weka's with its defaults.

    ======= ========================== ========================================================
    name    Weka                       what differs
    ======= ========================== ========================================================
    "tree"  J48 -C 0.25 -M 2           `C45TreeClassifier`: information gain, splits in two, no
                                       raising of subtrees; missing values go one way
    "svm"   SMO -C 1, linear           libsvm behind a `MinMaxScaler`; its tolerance
    "mlp"   MultilayerPerceptron       `PerceptronClassifier`: log loss instead of squared
            -L 0.3 -M 0.2 -N 500 -H a  errors, a step for 16 rows instead of one
    "rbf"   RBFNetwork                 `RBFNetworkClassifier`: other random starts of k-means,
            -B 2 -W 0.1 -R 1e-8        on columns that are standardised, not scaled again
    "stump" DecisionStump              `DecisionStumpClassifier`: Gini index, no branch for
                                       missing values
    ======= ========================== ========================================================

    Only "tree" takes missing values. In all of them categories must be columns of their own.

    Parameters
    ----------
    name : {"tree", "svm", "mlp", "rbf", "stump"}
        The name.

    Returns
    -------
    classifier
        Not fitted.

    Raises
    ------
    UnknownNameError
        For another name.

    Examples
    --------
    >>> named_estimator("tree")
    C45TreeClassifier()
    """
    if not isinstance(name, str) or name not in _MAKERS:
        raise UnknownNameError(
            f"The name of a classifier must be one of {', '.join(NAMES)}. Got {name!r} instead."
            f"{did_you_mean(str(name), NAMES)}"
        )
    return _MAKERS[name]()
