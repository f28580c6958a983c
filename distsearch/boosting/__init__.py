"""Cluster-based boosting, and the four boosters that it is compared with."""

from distsearch.boosting._adaboost import ResamplingAdaBoostClassifier
from distsearch.boosting._adaboost_kl import AdaBoostKLClassifier
from distsearch.boosting._brownboost import BrownBoostClassifier
from distsearch.boosting._c45 import C45TreeClassifier
from distsearch.boosting._cbb import CBBClassifier
from distsearch.boosting._named import named_estimator
from distsearch.boosting._perceptron import PerceptronClassifier
from distsearch.boosting._pruneboost import PruneBoostClassifier
from distsearch.boosting._rbf_network import RBFNetworkClassifier
from distsearch.boosting._stump import DecisionStumpClassifier
from distsearch.boosting._x_means import XMeans

__all__ = [
    "AdaBoostKLClassifier",
    "BrownBoostClassifier",
    "C45TreeClassifier",
    "CBBClassifier",
    "DecisionStumpClassifier",
    "PerceptronClassifier",
    "PruneBoostClassifier",
    "RBFNetworkClassifier",
    "ResamplingAdaBoostClassifier",
    "XMeans",
    "named_estimator",
]
