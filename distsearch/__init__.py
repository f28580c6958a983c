"""Distributed search for classifiers on tables.

>>> from distsearch import BoxCoxSearchCV
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from distsearch._version import __version__

if TYPE_CHECKING:
    from distsearch.backends import get_backend as get_backend
    from distsearch.boosting import AdaBoostKLClassifier as AdaBoostKLClassifier
    from distsearch.boosting import BrownBoostClassifier as BrownBoostClassifier
    from distsearch.boosting import CBBClassifier as CBBClassifier
    from distsearch.boosting import PruneBoostClassifier as PruneBoostClassifier
    from distsearch.boosting import ResamplingAdaBoostClassifier as ResamplingAdaBoostClassifier
    from distsearch.boxcox import BoxCoxSearchCV as BoxCoxSearchCV
    from distsearch.boxcox import BoxCoxTransformer as BoxCoxTransformer
    from distsearch.encoding import OrderedTargetEncoder as OrderedTargetEncoder
    from distsearch.odd import ODDClassifier as ODDClassifier

_HOME = {
    # estimators
    "AdaBoostKLClassifier": "distsearch.boosting",
    "BoxCoxSearchCV": "distsearch.boxcox",
    "BoxCoxTransformer": "distsearch.boxcox",
    "BrownBoostClassifier": "distsearch.boosting",
    "CBBClassifier": "distsearch.boosting",
    "ODDClassifier": "distsearch.odd",
    "OrderedTargetEncoder": "distsearch.encoding",
    "PruneBoostClassifier": "distsearch.boosting",
    "ResamplingAdaBoostClassifier": "distsearch.boosting",
    # where work runs
    "get_backend": "distsearch.backends",
}

__all__ = [
    "AdaBoostKLClassifier",
    "BoxCoxSearchCV",
    "BoxCoxTransformer",
    "BrownBoostClassifier",
    "CBBClassifier",
    "ODDClassifier",
    "OrderedTargetEncoder",
    "PruneBoostClassifier",
    "ResamplingAdaBoostClassifier",
    "__version__",
    "get_backend",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'distsearch' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
