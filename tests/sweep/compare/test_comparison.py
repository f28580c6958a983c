"""Comparisons of small results whose numbers are worked by hand, by SciPy, or slowly."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sweep.compare.made import random_study, results_of, study_of

from distsearch.errors import InvalidInputError, UnknownNameError
from distsearch.sweep.compare import (
    average_ranks,
    compare,
    corrected_t_test,
    friedman,
    holm,
    in_percent,
    lower_is_better,
    paired_t_test,
    wilcoxon_signed_rank,
)

BASE = [0.8, 0.7, 0.9, 0.6, 0.5]
NEW = [0.9, 0.7, 0.8, 0.8, 0.7]


def one_data_set(**scores):
    scores = scores or {"base": BASE, "new": NEW}
    return results_of({("d", "E", method): values for method, values in scores.items()})


def cell(comparison, **labels):
    table = comparison.cells
    for name, label in labels.items():
        table = table[table[name] == label]
    assert len(table) == 1
    return table.iloc[0]


def several_data_sets(base, new, metric="accuracy"):
    """One split a data set, so that its mean is the value given."""
    labels = [f"d{i}" for i in range(len(base))]
    scores = {
        (label, "E", method): [value]
        for label, *values in zip(labels, base, new, strict=True)
        for method, value in zip(("base", "new"), values, strict=True)
    }
    return study_of(labels, scorers=(metric,)), results_of(scores, metric)


def test_a_cell_by_hand():
    # Differences 0.1, 0, -0.1, 0.2, 0.2 have mean 0.08 and variance 0.068 / 4: t is
    # 0.08 / sqrt(0.017 / 5) and, with 1/4 for five folds, 0.08 / sqrt(0.017 * 0.45).
    row = cell(compare(study_of(), one_data_set()), method="new")
    assert row["n"] == row["pairs"] == 5
    assert row["mean"] == pytest.approx(0.78)
    assert row["sd"] == pytest.approx(math.sqrt(0.028 / 4))
    assert row["gain"] == pytest.approx(0.08)
    assert row["gain_sd"] == pytest.approx(math.sqrt(0.017))
    assert (row["wins"], row["losses"], row["ties"]) == (3, 1, 1)
    assert row["t_paired"] == pytest.approx(0.08 / math.sqrt(0.017 / 5))
    assert row["p_paired"] == pytest.approx(stats.ttest_rel(NEW, BASE).pvalue)
    assert row["t_corrected"] == pytest.approx(0.08 / math.sqrt(0.017 * 0.45))
    assert row["p_corrected"] == pytest.approx(2 * stats.t.sf(row["t_corrected"], 4))
    assert row["p_corrected_holm"] == row["p_corrected"]


def test_the_baseline_is_not_compared_with_itself():
    row = cell(compare(study_of(), one_data_set()), method="base")
    assert row["baseline"]
    assert row["mean"] == pytest.approx(0.7)
    assert row[["pairs", "wins", "losses", "ties"]].tolist() == [0, 0, 0, 0]
    assert row[["gain", "p_paired", "p_corrected", "p_corrected_holm"]].isna().all()


def test_every_cell_is_that_of_the_public_functions():
    study, results = random_study(3, 2, 4, repeats=2, folds=5)
    comparison = compare(study, results)
    keys = ["data", "estimator", "method"]
    for metric in ("accuracy", "f1"):
        by_cell = {key: some.reset_index() for key, some in results.groupby(keys)}
        for key, some in by_cell.items():
            if key[2] == "m0":
                continue
            differences = (some[metric] - by_cell[(*key[:2], "m0")][metric]).round(12)
            row = cell(comparison, metric=metric, **dict(zip(keys, key, strict=True)))
            assert row["mean"] == pytest.approx(some[metric].mean())
            assert row["sd"] == pytest.approx(some[metric].std())
            assert row["gain"] == pytest.approx(differences.mean())
            assert row["wins"] == (differences > 0).sum()
            assert row["losses"] == (differences < 0).sum()
            expected = paired_t_test(differences)
            assert (row["t_paired"], row["p_paired"]) == pytest.approx(expected)
            expected = corrected_t_test(differences, 1 / 4)
            assert (row["t_corrected"], row["p_corrected"]) == pytest.approx(expected)
    for _, some in comparison.cells.groupby(["metric", "data", "estimator"]):
        assert some["p_corrected_holm"].to_numpy() == pytest.approx(
            holm(some["p_corrected"]), nan_ok=True
        )
        assert some["p_paired_holm"].to_numpy() == pytest.approx(
            holm(some["p_paired"]), nan_ok=True
        )


def test_the_order_of_results_does_not_matter():
    study, results = random_study(4, 2, 3, repeats=2, folds=3)
    shuffled = results.sample(frac=1, random_state=0)
    one, other = compare(study, results), compare(study, shuffled)
    pd.testing.assert_frame_equal(one.cells, other.cells)
    pd.testing.assert_frame_equal(one.across, other.across)


def test_ratios_of_hold_outs():
    results = one_data_set().assign(repeat=lambda table: table["fold"], fold=0)
    unknown = compare(study_of(), results)
    assert math.isnan(cell(unknown, method="new")["p_corrected"])
    assert any("Pass ratios" in note for note in unknown.notes)
    known = compare(study_of(), results, ratios={"d": 1 / 3})
    expected = corrected_t_test(np.subtract(NEW, BASE), 1 / 3)
    row = cell(known, method="new")
    assert (row["t_corrected"], row["p_corrected"]) == pytest.approx(expected)
    assert known.notes == ()


def test_only_splits_that_both_have_are_paired():
    results = one_data_set()
    results.loc[0, "state"] = "failed"  # base on fold 0
    results.loc[6, "state"] = "pending"  # new on fold 1
    comparison = compare(study_of(), results)
    row = cell(comparison, method="new")
    assert (row["n"], row["pairs"]) == (4, 3)
    assert row["mean"] == pytest.approx(np.mean([0.9, 0.8, 0.8, 0.7]))
    assert row["gain"] == pytest.approx(np.mean([-0.1, 0.2, 0.2]))
    expected = corrected_t_test([-0.1, 0.2, 0.2], 0.25)
    assert (row["t_corrected"], row["p_corrected"]) == pytest.approx(expected)
    assert comparison.notes == (
        "1 of 10 units has not run; everything here is of those done.",
        "1 unit of 10 failed and counts for nothing: d / E / base (1).",
        "Gains are over the splits that both have a score on: d / E / new (3 of its 4 and of 4 of "
        "base).",
    )


def test_an_undefined_score_counts_for_nothing():
    results = one_data_set()
    results.loc[[7, 8], "accuracy"] = [math.nan, math.inf]
    comparison = compare(study_of(), results)
    row = cell(comparison, method="new")
    assert (row["n"], row["pairs"]) == (3, 3)
    assert row["mean"] == pytest.approx(np.mean([0.9, 0.7, 0.7]))
    assert comparison.notes[0] == (
        "2 units done have no defined score and count for nothing: d / E / new (2)."
    )


def test_a_note_of_one_metric_says_which():
    results = one_data_set().assign(f1=lambda table: table["accuracy"])
    results.loc[7, "f1"] = math.nan
    notes = compare(study_of(scorers=("accuracy", "f1")), results).notes
    assert notes[0].startswith("f1: 1 unit done has no defined score and counts for nothing")


def test_a_failed_unit_has_no_score_whatever_its_columns_say():
    results = one_data_set()
    results.loc[5, ["state", "accuracy", "fit_seconds"]] = ["failed", 0.0, 0.0]
    comparison = compare(study_of(), results, metrics=["accuracy", "fit_seconds"])
    assert cell(comparison, method="new", metric="accuracy")["n"] == 4
    assert cell(comparison, method="new", metric="fit_seconds")["mean"] == 0.25


def test_nothing_has_run():
    results = one_data_set(base=[None] * 3, new=[None] * 3)
    comparison = compare(study_of(), results)
    assert comparison.cells["n"].tolist() == [0, 0]
    assert comparison.cells[["mean", "gain", "p_paired"]].isna().all(axis=None)
    assert "6 of 6 units have not run" in comparison.notes[0]


def test_no_units_at_all():
    comparison = compare(study_of(), one_data_set().iloc[:0])
    assert comparison.cells.empty
    assert comparison.across.empty
    assert comparison.notes == ()


def test_a_single_split():
    comparison = compare(study_of(), one_data_set(base=[0.5], new=[0.75]))
    row = cell(comparison, method="new")
    assert (row["gain"], row["wins"]) == (0.25, 1)
    assert row[["sd", "gain_sd", "p_paired", "p_corrected"]].isna().all()
    assert comparison.notes == ("A single split allows no test on d / E.",)


def test_a_single_method():
    study = study_of(("a", "b"), methods=("base",))
    scores = {(data, "E", "base"): [0.5, None] for data in "ab"}
    comparison = compare(study, results_of(scores))
    assert comparison.cells["baseline"].all()
    assert comparison.across.empty
    assert len(comparison.notes) == 1


def test_ties_up_to_rounding():
    # 0.1 + 0.2 is not 0.3 to the last bit; all differences are then 0, and p is 1.
    comparison = compare(study_of(), one_data_set(base=[0.3] * 3, new=[0.1 + 0.2] * 3))
    row = cell(comparison, method="new")
    assert (row["wins"], row["losses"], row["ties"]) == (0, 0, 3)
    assert (row["t_corrected"], row["p_corrected"]) == (0, 1)


def test_equal_gains_are_certain():
    row = cell(compare(study_of(), one_data_set(base=[0.25, 0.5], new=[0.5, 0.75])), method="new")
    assert (row["t_corrected"], row["p_corrected"]) == (math.inf, 0)


def test_less_is_better_for_seconds():
    study, results = several_data_sets([1.0, 2.0, 3.0], [0.5, 2.5, 1.0], "fit_seconds")
    comparison = compare(study, results)
    across = comparison.across.set_index("competitor")
    assert across.loc["new", ["wins", "losses", "ties"]].tolist() == [2, 1, 0]
    assert across["average_rank"].to_dict() == pytest.approx({"base": 5 / 3, "new": 4 / 3})
    assert comparison.cells.query("method == 'new'")["wins"].tolist() == [1, 0, 1]


def test_over_data_sets_by_hand():
    # Gains 1, 2, 3, 4, -5 and 0 hundredths: with the zero ranked first, ranks 2 .. 6 and R = 14 of
    # 20; how many of the 32 ways are as far from 10 is counted below.
    base = [0.5] * 6
    new = [0.51, 0.52, 0.53, 0.54, 0.45, 0.5]
    comparison = compare(*several_data_sets(base, new))
    row = comparison.across.set_index("competitor").loc["new"]
    assert row[["n_data", "wins", "losses", "ties"]].tolist() == [6, 4, 1, 1]
    assert row["mean"] == pytest.approx(np.mean(new))
    assert row["gain"] == pytest.approx(0.05 / 6)
    assert row["average_rank"] == pytest.approx((4 * 1 + 2 + 1.5) / 6)
    far = sum(
        abs(sum(r for bit, r in enumerate(range(2, 7)) if way >> bit & 1) - 10) >= 4
        for way in range(32)
    )
    assert row["p_wilcoxon"] == pytest.approx(far / 32)
    # χ² of two without ties is (wins - losses)² / N; here one of six data sets is tied.
    test = comparison.friedman.iloc[0]
    assert (test["n_data"], test["k"]) == (6, 2)
    assert test["chi2"] == pytest.approx(9 / 5)
    assert test["critical_difference"] == pytest.approx(1.959964 * math.sqrt(1 / 6), rel=1e-5)
    pair = comparison.nemenyi.iloc[0]
    assert pair[["first", "second", "differ"]].tolist() == ["base", "new", False]
    assert pair["rank_difference"] == pytest.approx(0.5)
    assert pair["p"] == pytest.approx(2 * stats.norm.sf(0.5 / math.sqrt(1 / 6)))


def test_over_data_sets_is_that_of_the_public_functions():
    study, results = random_study(6, 2, 4, repeats=1, folds=5)
    comparison = compare(study, results)
    keys = ["estimator", "data", "method"]
    means = results.pivot_table("accuracy", keys[:2], "method").round(12)
    for estimator in ("E0", "E1"):
        table = means.loc[estimator].to_numpy()
        across = comparison.across.query("metric == 'accuracy' and group == @estimator")
        assert across["average_rank"].tolist() == pytest.approx(average_ranks(table).tolist())
        gains = np.round(table - table[:, :1], 12)
        expected = [math.nan, *(wilcoxon_signed_rank(gains[:, j]) for j in range(1, 4))]
        assert across["p_wilcoxon"].tolist() == pytest.approx(expected, nan_ok=True)
        assert across["p_wilcoxon_holm"].tolist() == pytest.approx(holm(expected), nan_ok=True)
        test = comparison.friedman.query("metric == 'accuracy' and group == @estimator").iloc[0]
        assert (test["chi2"], test["p"]) == pytest.approx(friedman(table))
    assert len(comparison.nemenyi) == 2 * 2 * 6


def test_data_sets_without_every_competitor_are_left_out():
    study, results = several_data_sets([0.5] * 4, [0.6, 0.7, 0.4, 0.5])
    results.loc[results["data"].eq("d1") & results["method"].eq("new"), "state"] = "failed"
    comparison = compare(study, results)
    assert comparison.across["n_data"].tolist() == [3, 3]
    assert comparison.friedman["left_out"].tolist() == ["d1"]
    assert "Ranks leave out d1, where not every competitor has a score." in comparison.notes
    assert any("Over 3 data sets" in note and "little power" in note for note in comparison.notes)


def test_no_data_set_has_every_competitor():
    study = study_of(("a", "b"))
    scores = {("a", "E", "base"): [0.5, 0.5], ("b", "E", "new"): [0.5, 0.5]}
    comparison = compare(study, results_of(scores))
    assert comparison.across.empty
    assert comparison.friedman.empty
    assert comparison.nemenyi.empty
    assert comparison.notes == (
        "base has no score, so that there are no gains, on b / E.",
        "There are no ranks over data sets: on a and b not every competitor has a score.",
    )


def test_five_data_sets_are_not_few():
    assert not any("power" in note for note in compare(*several_data_sets(BASE, NEW)).notes)


def test_settings_of_an_entry_are_warned_of():
    study = study_of(methods=("base", ("map(a=1)", "map"), ("map(a=2)", "map")))
    results = one_data_set(**{"base": BASE, "map(a=1)": NEW, "map(a=2)": NEW})
    assert compare(study, results).notes == (
        "map has 2 settings. The best of many settings on the same test folds is optimistic: "
        "choose settings by nested validation, not from this table.",
    )


TWO_BY_TWO = {
    ("d", estimator, method): [value, value + 0.125]
    for (estimator, method), value in {
        ("A", "x"): 0.5,
        ("A", "y"): 0.625,
        ("B", "x"): 0.25,
        ("B", "y"): 0.75,
    }.items()
}


@pytest.mark.parametrize(
    ("over", "competitors", "gains"),
    [
        ("auto", ("x", "y"), {("A", "y"): 0.125, ("B", "y"): 0.5}),
        ("methods", ("x", "y"), {("A", "y"): 0.125, ("B", "y"): 0.5}),
        ("estimators", ("A", "B"), {("B", "x"): -0.25, ("B", "y"): 0.125}),
        (
            "both",
            ("A / x", "A / y", "B / x", "B / y"),
            {("A", "y"): 0.125, ("B", "x"): -0.25, ("B", "y"): 0.25},
        ),
    ],
)
def test_what_competes(over, competitors, gains):
    study = study_of(estimators=("A", "B"), methods=("x", "y"))
    comparison = compare(study, results_of(TWO_BY_TWO), over=over)
    assert comparison.competitors == competitors
    assert comparison.baseline == competitors[0]
    seen = comparison.cells.set_index(["estimator", "method"])["gain"].dropna()
    assert seen.to_dict() == gains


def test_estimators_compete_where_there_is_one_method():
    scores = {key: values for key, values in TWO_BY_TWO.items() if key[2] == "x"}
    study = study_of(estimators=("A", "B"), methods=("x",))
    assert compare(study, results_of(scores)).over == "estimators"


@pytest.mark.parametrize(
    ("over", "own", "asked", "expected"),
    [
        ("methods", None, None, "x"),
        ("methods", "y", None, "y"),
        ("methods", "y", "x", "x"),
        ("methods", "B", None, "x"),  # the study's is an estimator, which does not compete here
        ("estimators", "B", None, "B"),
        ("both", "y", None, "A / y"),
        ("both", None, "B", "B / x"),
        ("both", None, "B / y", "B / y"),
    ],
)
def test_the_baseline(over, own, asked, expected):
    study = study_of(estimators=("A", "B"), methods=("x", "y"), baseline=own)
    comparison = compare(study, results_of(TWO_BY_TWO), over=over, baseline=asked)
    assert comparison.baseline == expected
    chosen = comparison.cells.loc[comparison.cells["baseline"], "competitor"]
    assert set(chosen) == {expected}


def test_competitors_are_in_the_order_of_the_study():
    # The first data set lacks one of them.
    study = study_of(("a", "b"), methods=("base", "x", "y"))
    scores = {("a", "E", "base"): [0.5], ("a", "E", "y"): [0.5]}
    scores |= {("b", "E", method): [0.5] for method in ("base", "x", "y")}
    assert compare(study, results_of(scores)).competitors == ("base", "x", "y")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"baseline": "bas"}, r"'bas' is none of the methods.* Did you mean 'base'\?.*'new'"),
        ({"metrics": ["acuracy"]}, r"no metric 'acuracy'. Did you mean 'accuracy'\?"),
        ({"ratios": {"D1": 0.1}}, "'D1', which is no data set"),
    ],
)
def test_unknown_names(options, words):
    with pytest.raises(UnknownNameError, match=words):
        compare(study_of(), one_data_set(), **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"over": "method"}, r"over must be .* Did you mean 'methods'"),
        ({"alpha": 0}, "alpha must be between 0 and 1"),
        ({"ratios": {"d": 0}}, "ratios must be numbers above 0"),
        ({"metrics": []}, "metrics must name one or more"),
    ],
)
def test_values_out_of_bounds(options, words):
    with pytest.raises(InvalidInputError, match=words):
        compare(study_of(), one_data_set(), **options)


def test_results_of_another_study():
    with pytest.raises(InvalidInputError, match="the method 'other', which the study does not"):
        compare(study_of(), one_data_set(base=BASE, other=NEW))


@pytest.mark.parametrize(
    "metric",
    ["accuracy", "f1", "f1_macro", "balanced_accuracy_ovr", "roc_auc", "r2", "recall_weighted"],
)
def test_metrics_in_percent(metric):
    assert in_percent(metric)
    assert not lower_is_better(metric)


@pytest.mark.parametrize(
    "metric", ["neg_mean_squared_error", "fit_seconds", "neg_log_loss", "f10", "max_error"]
)
def test_metrics_as_they_are(metric):
    assert not in_percent(metric)
    assert lower_is_better(metric) == metric.endswith("seconds")
