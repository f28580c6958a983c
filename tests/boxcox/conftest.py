import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer


@pytest.fixture(scope="session")
def blobs():
    """Two classes of skewed columns, 60 rows, with some overlap."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 30)
    X = np.exp(rng.normal(size=(60, 3)) * [0.5, 1.0, 1.5] + 0.8 * y[:, np.newaxis])
    return X, y


@pytest.fixture(scope="session")
def breast():
    """Every fourth row and fourth column of the breast cancer data, in float64."""
    X, y = load_breast_cancer(return_X_y=True)
    return X[::4, ::6], y[::4]


@pytest.fixture(scope="session")
def sonar():
    folder = os.environ.get("DISTSEARCH_DATA")
    if not folder:
        pytest.skip("DISTSEARCH_DATA names no folder with sonar.csv")
    table = pd.read_csv(Path(folder) / "sonar.csv")
    return table.iloc[:, :60].to_numpy(), np.where(table["target"] == "R", 1, -1)
