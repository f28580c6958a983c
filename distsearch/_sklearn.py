"""The private names of scikit-learn that distsearch uses, so that a move is mended in one place."""

from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils._metadata_requests import _routing_enabled as routing_enabled
from sklearn.utils.validation import _check_method_params as rows_of_params

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "routing_enabled",
    "rows_of_params",
    "validate_parameter_constraints",
]
