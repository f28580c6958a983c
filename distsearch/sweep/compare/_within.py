"""Every competitor against the baseline within one data set, over its splits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from distsearch.sweep.compare._grid import Grid
from distsearch.sweep.compare._metrics import lower_is_better
from distsearch.sweep.compare._statistics import holm, t_test

__all__ = ["TIE", "ratios_of", "within"]

TIE = 1e-12
"""Scores that differ by less are equal: means of the same numbers differ in their last bits."""


def ratios_of(grid: Grid, given: Mapping[str, float]) -> NDArray[np.float64]:
    """Return each cell's test rows by training rows: as given, else 1 / (folds - 1), or NaN."""
    with np.errstate(divide="ignore"):
        derived = np.where(grid.folds > 1, 1.0 / (grid.folds - 1), np.nan)
    of_data = grid.cells["data"].map(dict(given)).to_numpy(dtype=float, na_value=np.nan)
    return np.where(np.isnan(of_data), derived, of_data)


def within(
    grid: Grid, metric: str, scores: NDArray[np.float64], ratios: NDArray[np.float64]
) -> pd.DataFrame:
    """Return the statistics of one metric, a row a cell.

    Parameters
    ----------
    grid : Grid
        Where results belong.
    metric : str
        The metric.
    scores : ndarray of shape (n_cells, n_splits)
        NaN where missing.
    ratios : ndarray of shape (n_cells,)
        Test rows by training rows; NaN where unknown.

    Returns
    -------
    cells : DataFrame
        As `Comparison.cells` describes.
    """
    baseline = grid.against == np.arange(len(grid.against))
    others = np.where((grid.against < 0) | baseline, -1, grid.against)
    differences = np.full_like(scores, np.nan)
    paired = others >= 0
    differences[paired] = scores[paired] - scores[others[paired]]
    differences[np.abs(differences) < TIE] = 0.0
    better = -differences if lower_is_better(metric) else differences

    n, mean, sd = _summary(scores)
    pairs, gain, gain_sd = _summary(differences)
    t_paired, p_paired = t_test(gain, gain_sd, pairs, 0.0)
    t_corrected, p_corrected = t_test(gain, gain_sd, pairs, ratios)
    table = grid.cells[["data", "estimator", "method", "competitor", "group"]].copy()
    table.insert(0, "metric", metric)
    table["baseline"] = baseline
    table["n"], table["mean"], table["sd"] = n, mean, sd
    table["pairs"], table["gain"], table["gain_sd"] = pairs, gain, gain_sd
    table["wins"] = (better > 0).sum(axis=1)
    table["losses"] = (better < 0).sum(axis=1)
    table["ties"] = (better == 0).sum(axis=1)
    table["t_paired"], table["p_paired"] = t_paired, p_paired
    table["p_paired_holm"] = _holm_by_group(grid.cells, p_paired)
    table["t_corrected"], table["p_corrected"] = t_corrected, p_corrected
    table["p_corrected_holm"] = _holm_by_group(grid.cells, p_corrected)
    return table


def _summary(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return each row's number of values, mean and standard deviation, leaving NaN out."""
    known = ~np.isnan(values)
    n = known.sum(axis=1)
    # Measured from the first value, equal numbers have a deviation of 0 to the last bit.
    first = values[np.arange(len(values)), known.argmax(axis=1)] if values.size else np.zeros(0)
    shifted = np.where(known, values - first[:, None], 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        offset = shifted.sum(axis=1) / n
        squares = np.where(known, (shifted - offset[:, None]) ** 2, 0.0).sum(axis=1)
        sd = np.sqrt(squares / np.where(n > 1, n - 1, np.nan))
    return n, first + offset, sd


def _holm_by_group(cells: pd.DataFrame, p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    adjusted = np.full(len(p_values), np.nan)
    for places in cells.groupby(["data", "group"], sort=False).indices.values():
        adjusted[places] = holm(p_values[places])
    return adjusted
