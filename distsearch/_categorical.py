"""Categorical columns before an estimator: encoded anew in each of its fits.

What is learned from the target is learned wherever the estimator is fitted, and so never from a row
that it is scored on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from distsearch.encoding import OrderedTargetEncoder

__all__ = ["TargetType", "encode_first", "make_encoder"]

TargetType = Literal["binary", "multiclass", "continuous"]


def make_encoder(columns: Sequence[int], target_type: TargetType, seed: int) -> Any:
    """Return the encoder of categorical columns, not fitted.

    Rows are taken in a random order, because many files are sorted by class: in the order of such
    a file, the first rows would be encoded from their own class alone.

    Parameters
    ----------
    columns : sequence of int
        Their positions.
    target_type : {"binary", "multiclass", "continuous"}
        What the target is.
    seed : int
        Draws the order of the rows.
    """
    return OrderedTargetEncoder(
        list(columns), target_type=target_type, order="random", random_state=seed
    )


def encode_first(estimator: Any, encoder: Any) -> Pipeline:
    """Put an encoder before an estimator, and a standardisation of all columns between them.

    Parameters
    ----------
    estimator : estimator
        A classifier or a regressor.
    encoder : transformer
        From `make_encoder`.
    """
    return Pipeline(
        [("encode", encoder), ("standardize", StandardScaler()), ("estimator", estimator)]
    )
