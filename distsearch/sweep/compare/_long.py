"""A comparison as one long table, for other programs."""

from __future__ import annotations

import pandas as pd

from distsearch.sweep.compare._comparison import Comparison
from distsearch.sweep.compare._metrics import scale

__all__ = ["long_table"]

_FRIEDMAN = ["chi2", "p", "f", "p_f"]
_SHOWN = ["mean", "published_mean", "gain", "published_gain"]
_COUNTS = ["n", "pairs", "wins", "losses", "ties"]
_COLUMNS = ["part", "metric", "data", "estimator", "method", "competitor", "baseline"]
_COLUMNS += ["n", "mean", "sd", "pairs", "gain", "gain_sd", "wins", "losses", "ties"]
_COLUMNS += ["t_paired", "p_paired", "p_paired_holm"]
_COLUMNS += ["t_corrected", "p_corrected", "p_corrected_holm"]
_COLUMNS += ["average_rank", "p_wilcoxon", "p_wilcoxon_holm"]
_COLUMNS += ["friedman_chi2", "friedman_p", "friedman_f", "friedman_p_f", "critical_difference"]
_COLUMNS += ["published_mean", "published_gain", "source"]


def long_table(comparison: Comparison) -> pd.DataFrame:
    """Return everything but the pairs of the Nemenyi test as one table.

    Returns
    -------
    table : DataFrame
        ``part`` says what a row is over: "splits" of one data set, "data sets", or "published" for
        a published number beside ours. Values are as the scorers gave them, published ones too.
    """
    parts = [
        comparison.cells.assign(part="splits"),
        _over_data_sets(comparison),
        _published(comparison),
    ]
    known = [part for part in parts if len(part)]
    table = pd.concat(known, ignore_index=True) if known else pd.DataFrame(columns=_COLUMNS)
    table = table.reindex(columns=_COLUMNS)
    return table.astype(dict.fromkeys(_COUNTS, "Int64"))


def _over_data_sets(comparison: Comparison) -> pd.DataFrame:
    tests = comparison.friedman.rename(columns={name: f"friedman_{name}" for name in _FRIEDMAN})
    tests = tests.drop(columns=["n_data", "k", "left_out"])
    table = comparison.across.merge(tests, on=["metric", "group"], how="left")
    if comparison.over != "both":
        group, own = ("estimator", "method")
        if comparison.over == "estimators":
            group, own = own, group
        table = table.assign(**{group: table["group"], own: table["competitor"]})
    return table.assign(part="data sets", n=table["n_data"])


def _published(comparison: Comparison) -> pd.DataFrame:
    if comparison.published is None:
        return pd.DataFrame()
    table = comparison.published.assign(part="published")
    factors = table["metric"].map(scale)
    return table.assign(**{name: table[name] / factors for name in _SHOWN})
