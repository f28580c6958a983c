"""Reading arrays of NumPy as a table."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distsearch._wording import listed
from distsearch.errors import DataError
from distsearch.tables._files import check_readable

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["read_arrays"]

_TARGET = "y"


def read_arrays(path: Path) -> pd.DataFrame:
    """Read a ``.npz`` file with a table X and its target y.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    DataFrame
        Columns ``x0``, ``x1``, ... and ``y``.

    Raises
    ------
    DataError
        When it is not such a file; arrays of Python objects, which would run code, are refused.
    """
    import numpy as np
    import pandas as pd

    check_readable(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays: dict[str, NDArray[Any]] = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} cannot be read as arrays of NumPy: {error}.") from None
    shapes = {name: array.shape for name, array in arrays.items()}
    X, y = (arrays.get(name, np.empty(())) for name in ("X", _TARGET))
    if X.ndim != 2 or y.ndim != 1 or len(X) != len(y) or not X.size:
        raise DataError(
            f"{path} must hold an array X with a row a sample and a column a feature, and an array "
            f"y with a value a row. Got {listed(f'{n} of shape {s}' for n, s in shapes.items())} "
            f"instead."
        )
    if X.dtype.kind not in "biuf":
        raise DataError(
            f"{path}: X must hold numbers. Got values of type {X.dtype} instead; save the table as "
            f"CSV or Parquet."
        )
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    frame[_TARGET] = y
    return frame
