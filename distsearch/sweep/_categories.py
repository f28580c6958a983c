"""Categorical columns of a data set: which they are, and what makes numbers of them.

They are never encoded for the whole data set. Each training part learns the encoding anew, so that
nothing of a test row, least of all its target, is in any feature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from distsearch._categorical import TargetType, make_encoder

__all__ = ["Categories", "Encoding", "chain", "codes_of", "encoder_of"]

Encoding = Literal["target", "one-hot"]


@dataclass(frozen=True)
class Categories:
    """The categorical columns of a data set, as codes among its features.

    Parameters
    ----------
    positions : tuple of int
        Which columns they are.
    n_features : int
        The number of columns.
    encoding : {"target", "one-hot"}
        What becomes of them.
    target_type : {"binary", "multiclass", "continuous"}
        What the target is.
    seed : int
        Draws the orders of rows.
    """

    positions: tuple[int, ...]
    n_features: int
    encoding: Encoding
    target_type: TargetType
    seed: int

    @property
    def numeric(self) -> list[int]:
        """The other columns."""
        return [j for j in range(self.n_features) if j not in self.positions]

    @property
    def learn_from_target(self) -> bool:
        """Whether the encoding has to be learned within every part that a model is trained on."""
        return self.encoding == "target"

    def encoder(self) -> Any:
        """Return what makes numbers of the codes, not fitted.

        Ordered target statistics stay in place: a column, or one for each of three classes or
        more. Zeros and ones follow the numeric columns; a category that the training part lacks
        becomes zeros in every column of its feature.
        """
        if self.learn_from_target:
            return make_encoder(self.positions, self.target_type, self.seed)
        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        return ColumnTransformer(
            [
                ("numeric", "passthrough", self.numeric),
                ("categorical", one_hot, list(self.positions)),
            ]
        )


def encoder_of(categories: Categories | None) -> Any:
    """Return the encoder of categorical columns, if there are any; else None."""
    return None if categories is None else categories.encoder()


def chain(*steps: Any) -> Any:
    """Return one transformer for those that are not None; None if all are."""
    steps = tuple(step for step in steps if step is not None)
    return make_pipeline(*steps) if len(steps) > 1 else (*steps, None)[0]


def codes_of(column: pd.Series[Any]) -> NDArray[np.float64]:
    """Return the place of each value in the order of their texts; -1 for a missing one."""
    codes, _ = pd.factorize(column.astype("string"), sort=True)
    return np.asarray(codes, dtype=np.float64)
