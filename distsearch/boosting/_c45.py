"""A decision tree with the pruning of C4.5, for comparisons with J48."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree, _build_pruned_tree_py, ccp_pruning_path
from sklearn.utils import Bunch
from sklearn.utils.validation import column_or_1d

from distsearch._sklearn import Interval

__all__ = ["C45TreeClassifier", "added_errors"]

Floats = NDArray[np.float64]

_CHILDLESS = -1
_MARGIN = 0.1
_COLLAPSE = 1e-3
_ROUNDING = 1e-6


class C45TreeClassifier(DecisionTreeClassifier):  # type: ignore[misc]
    """A decision tree, pruned where that does not raise C4.5's estimate of its errors.

    The closest to Weka's J48 with its defaults. What differs: splits are chosen by information gain
    instead of the gain ratio, every split is in two, so that categories must be columns of their
    own, numeric splits have no penalty, and a subtree is replaced by a leaf but never raised.

    Parameters
    ----------
    confidence : float, default=0.25
        Confidence of the upper bound on a leaf's errors, CF; smaller ones prune more.
    criterion : {"entropy", "gini", "log_loss"}, default="entropy"
        Quality of a split.
    min_samples_leaf : int or float, default=2
        Rows in a leaf, whatever their weight.
    max_depth, min_samples_split, min_weight_fraction_leaf, max_features
        As in DecisionTreeClassifier.
    random_state, class_weight
        As in DecisionTreeClassifier.

    Attributes
    ----------
    tree_ : Tree
        The tree after pruning; everything else is as in DecisionTreeClassifier.

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for machine learning. Morgan Kaufmann.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from distsearch.boosting import C45TreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> int(C45TreeClassifier(random_state=0).fit(X, y).get_n_leaves())
    13
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: allowed
        for name, allowed in DecisionTreeClassifier._parameter_constraints.items()
        if name
        in {"criterion", "min_samples_leaf", "max_depth", "min_samples_split"}
        | {"max_features", "random_state", "class_weight", "min_weight_fraction_leaf"}
    } | {"confidence": [Interval(Real, 0, 0.5, closed="right")]}

    tree_: Any

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        criterion: str = "entropy",
        min_samples_leaf: int | float = 2,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        super().__init__(
            criterion=criterion,
            min_samples_leaf=min_samples_leaf,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            class_weight=class_weight,
        )
        self.confidence = confidence

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Grow the tree and prune it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; missing values are allowed.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Whole numbers say as how many rows each counts; others are shares of the rows that
            there are, whatever they add up to.
        check_input : bool, default=True
            As in DecisionTreeClassifier.

        Returns
        -------
        self
        """
        super().fit(X, column_or_1d(y, warn=True), sample_weight, check_input)
        return self

    def _prune_tree(self) -> None:
        """Replace subtrees by leaves; scikit-learn calls this at the end of a fit."""
        tree = self.tree_
        leaves = _leaves(tree, self.confidence)
        if leaves is None:
            return
        pruned = Tree(
            self.n_features_in_, np.atleast_1d(self.n_classes_).astype(np.intp), self.n_outputs_
        )
        _build_pruned_tree_py(pruned, tree, leaves)
        self.tree_ = pruned

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Return how cost-complexity pruning would go on from the pruned tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights.

        Returns
        -------
        Bunch
            With ``ccp_alphas`` and ``impurities``.
        """
        fitted = clone(self).fit(X, y, sample_weight=sample_weight)
        return Bunch(**ccp_pruning_path(fitted.tree_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        tags.classifier_tags.multi_label = False
        return tags


def added_errors(rows: Floats, errors: Floats, confidence: float) -> Floats:
    """Return what the upper confidence bound adds to the errors seen (C4.5's addErrs).

    Parameters
    ----------
    rows, errors : ndarray
        Rows in a leaf, and how many of them are wrong.
    confidence : float
        CF.
    """
    few = _none_wrong(rows, confidence)
    one = _normal_bound(rows, np.ones_like(rows), confidence)
    interpolated = few + errors * (one - few)
    return np.where(errors < 1, interpolated, _normal_bound(rows, errors, confidence))


def _none_wrong(rows: Floats, confidence: float) -> Floats:
    bound: Floats = rows * (1 - np.exp(np.log(confidence) / rows))
    return bound


def _normal_bound(rows: Floats, errors: Floats, confidence: float) -> Floats:
    z = norm.isf(confidence)
    share = np.minimum((errors + 0.5) / rows, 1.0)
    spread = np.sqrt(share / rows - share**2 / rows + z**2 / (4 * rows**2))
    rate = (share + z**2 / (2 * rows) + z * spread) / (1 + z**2 / rows)
    return np.where(errors + 0.5 >= rows, np.maximum(rows - errors, 0.0), rate * rows - errors)


def _counts(tree: Any) -> Floats:
    """Return as how many rows each node counts.

    Weights that are no whole numbers, such as those of a booster that add up to 1, are shares of
    the rows that there are.
    """
    rows: Floats = tree.weighted_n_node_samples
    if (rows == np.floor(rows)).all():
        return rows
    shares: Floats = rows * (tree.n_node_samples[0] / rows[0])
    return shares


def _leaves(tree: Any, confidence: float) -> NDArray[np.uint8] | None:
    """Return the nodes that become leaves; None where nothing is to be pruned."""
    left, right = tree.children_left, tree.children_right
    inner = np.flatnonzero(left != _CHILDLESS)
    if not len(inner):
        return None
    rows = _counts(tree)
    wrong = rows * (1 - tree.value[:, 0, :].max(axis=1))
    estimate = wrong + added_errors(rows, wrong, confidence)
    kept = left != _CHILDLESS
    below, expected = wrong.tolist(), estimate.tolist()
    as_leaf = estimate.tolist()
    # Children stand behind their parents.
    for node in inner[::-1].tolist():
        a, b = left[node], right[node]
        below[node] = below[a] + below[b]
        useless = below[node] >= wrong[node] - _COLLAPSE
        split = expected[a] + expected[b]
        if useless or as_leaf[node] <= split + _MARGIN + _ROUNDING:
            kept[node] = False
        else:
            expected[node] = split
    return None if kept[inner].all() else (~kept).astype(np.uint8)
