"""What is printed of a comparison."""

import io
import math
import re
import time

import pandas as pd
import pytest
from sweep.compare.made import random_study, results_of, study_of

from distsearch.errors import UnknownNameError
from distsearch.sweep.compare import compare, render
from distsearch.sweep.compare._numbers import digits_for, number, p_value, signed

# Gains of 0.1 on every split but one are certain enough to be marked.
SCORES = {
    ("a", "E", "base"): [0.5, 0.6, 0.5, 0.6],
    ("a", "E", "new"): [0.6, 0.7, 0.6, 0.71],
    ("b", "E", "base"): [0.8, 0.7, 0.9, 0.8],
    ("b", "E", "new"): [0.7, 0.8, 0.9, 0.8],
}


@pytest.fixture(scope="module")
def comparison():
    return compare(study_of(("a", "b"), title="Two data sets"), results_of(SCORES))


@pytest.fixture(scope="module")
def many():
    return compare(*random_study(4, 1, 40, repeats=1, folds=3), metrics=["accuracy"])


TERMINAL = """\
Two data sets: methods compared with base

accuracy %, E: gains over base in points

accuracy %                       a                    b
----------  ----------------------  -------------------
base        55.00 ± 5.77            80.00 ± 8.16
new         65.25 ± 6.08 (+10.25*)  80.00 ± 8.16 (0.00)

accuracy %, E: over 2 data sets, rank 1 is best

accuracy %  average rank   mean   gain  wins/ties/losses  Wilcoxon p  Holm p
----------  ------------  -----  -----  ----------------  ----------  ------
base                1.75  67.50      –                 –           –       –
new                 1.25  72.62  +5.12             1/1/0       1.000   1.000

Friedman χ² = 1.00, p = 0.317; Iman-Davenport F = 1.00, p = 0.500.
Nemenyi: competitors differ at α = 0.05 whose average ranks are more than 1.39 apart; no two do.

Cells have the mean and the standard deviation over splits, then the mean difference to base on \
the same splits. * marks p < 0.05 in the corrected resampled t-test, Holm-adjusted within each \
data set.

Note: Over 2 data sets the Wilcoxon and Friedman tests have little power: no difference found is \
no sign of equality.
"""


def test_a_terminal(comparison):
    assert render(comparison) == TERMINAL


def test_markdown(comparison):
    lines = render(comparison, "markdown").splitlines()
    assert "| accuracy % | a | b |" in lines
    assert "| :-- | --: | --: |" in lines
    assert "| base | 55.00 ± 5.77 | 80.00 ± 8.16 |" in lines
    assert r"| new | **65.25 ± 6.08 (+10.25\*)** | 80.00 ± 8.16 (0.00) |" in lines
    assert "**accuracy %, E: gains over base in points**" in lines


def test_latex(comparison):
    said = render(comparison, "latex")
    table = said[said.index(r"\begin{tabular}") : said.index(r"\end{tabular}")]
    assert table == (
        "\\begin{tabular}{lrr}\n\\toprule\naccuracy \\% & a & b \\\\\n\\midrule\n"
        "base & 55.00 $\\pm$ 5.77 & 80.00 $\\pm$ 8.16 \\\\\n"
        "new & \\textbf{65.25 $\\pm$ 6.08 (+10.25*)} & 80.00 $\\pm$ 8.16 (0.00) \\\\\n"
        "\\bottomrule\n"
    )
    for line in said.splitlines():  # nothing but tabulars and comments
        assert not line or line.startswith(("%", "\\")) or line.endswith(r"\\")


def test_labels_that_latex_and_markdown_take_for_commands():
    label = r"a_1 & 50% #$ {x} ~^ \b | λ <±> [*"
    comparison = compare(
        study_of(methods=("[base]", label)),
        results_of({("d", "E", "[base]"): [0.5, 0.6], ("d", "E", label): [0.5, 0.5]}),
    )
    said = render(comparison, "latex")
    assert (
        r"a\_1 \& 50\% \#\$ \{x\} \textasciitilde{}\textasciicircum{} \textbackslash{}b "
        r"\textbar{} $\lambda$ \textless{}$\pm$\textgreater{} [* & " in said
    )
    assert "\n{}[base] & " in said
    row = next(line for line in render(comparison, "markdown").splitlines() if "50%" in line)
    assert len(re.findall(r"(?<!\\)\|", row)) == 3


def test_csv_is_read_back_to_the_last_bit(comparison):
    text = render(comparison, "csv")
    table = pd.read_csv(io.StringIO(text))
    cells = table[table["part"] == "splits"]
    for name in ("n", "mean", "sd", "gain", "gain_sd", "wins", "t_corrected", "p_corrected_holm"):
        expected = comparison.cells[name].astype(float)
        pd.testing.assert_series_equal(
            cells[name].astype(float).reset_index(drop=True), expected, check_exact=True
        )
    across = table[table["part"] == "data sets"]
    assert across["method"].tolist() == ["base", "new"]
    assert across["average_rank"].tolist() == [1.75, 1.25]
    assert across["friedman_chi2"].tolist() == comparison.friedman["chi2"].tolist() * 2
    assert len(table) == 6


def test_csv_has_published_numbers_as_the_scorers_would_give_them(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text("data,estimator,method,metric,mean,source\na,E,new,accuracy,65,A\n")
    comparison = compare(study_of(("a", "b")), results_of(SCORES), published=path)
    table = pd.read_csv(io.StringIO(render(comparison, "csv")))
    row = table[table["part"] == "published"].iloc[0]
    assert row["published_mean"] == 0.65
    assert row["mean"] == pytest.approx(0.6525)
    assert row["source"] == "A"


def test_detail_adds_every_cell(comparison):
    plain, detailed = render(comparison), render(comparison, detail=True)
    assert "every cell" not in plain
    lines = detailed[detailed.index("every cell") :].splitlines()[2:8]
    assert lines[0].split("  ")[0] == "data"
    row = comparison.cells.query("data == 'a' and method == 'new'").iloc[0]
    tests = [p_value(row[name]) for name in ("p_paired", "p_corrected", "p_corrected_holm")]
    assert re.split(r"\s{2,}", lines[3]) == [
        "a", "new", "4", "65.25", "6.08", "4", "+10.25", "0.50", "4/0/0", *tests
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["terminal", "markdown", "latex", "csv"])
def test_the_same_text_from_results_in_any_order(form):
    study, results = random_study(3, 2, 3, repeats=1, folds=4)
    shuffled = results.sample(frac=1, random_state=1)
    assert render(compare(study, results), form) == render(compare(study, shuffled), form)


def test_more_than_thirty_methods(many):
    said = render(many)
    title = "accuracy %, E0: gains over m0 in points\n\n"
    table = said[said.index(title) + len(title) :].split("\n\n", maxsplit=1)[0].splitlines()
    best = many.across.sort_values("average_rank", kind="stable")["competitor"].tolist()[:10]
    shown = [line.split()[0] for line in table[2:]]
    assert shown == (best if "m0" in best else [*best, "m0"])
    assert "These are the best 10 of 40 by average rank" in said
    assert "the CSV form has all" in said
    assert len(said) < 6000
    everything = pd.read_csv(io.StringIO(render(many, "csv")))
    assert set(everything["method"]) == {f"m{i}" for i in range(40)}


def test_more_than_thirty_methods_on_one_data_set():
    methods = [f"m{i}" for i in range(35)]
    scores = {("d", "E", method): [0.3 + 0.01 * i] for i, method in enumerate(methods)}
    comparison = compare(study_of(methods=methods), results_of(scores))
    said = render(comparison)
    assert "m34" in said
    assert "m25" in said
    assert "m24" not in said
    assert "by average rank and m0; the other 24 are left out" in said


def test_many_data_sets_stand_below_each_other():
    study, results = random_study(9, 1, 2, repeats=1, folds=3)
    said = render(compare(study, results, metrics=["accuracy"]))
    assert re.search(r"^accuracy % +m0 +m1$", said, flags=re.MULTILINE)
    assert re.search(r"^d8 +\d", said, flags=re.MULTILINE)


def test_a_wide_table_is_cut():
    study, results = random_study(8, 1, 9, repeats=1, folds=3)
    said = render(compare(study, results, metrics=["accuracy"]))
    tables = [line for line in said.splitlines() if line.startswith(("----", "m8", "m7"))]
    assert max(map(len, tables)) <= 120
    assert sum(line.startswith("m8") for line in tables) >= 3


def test_seconds_keep_their_digits_and_the_smaller_is_best():
    scores = {("d", "E", "base"): [0.5], ("d", "E", "new"): [0.5]}
    results = results_of(scores, fit_seconds=[0.02, 0.00125])
    said = render(compare(study_of(), results, metrics=["fit_seconds"]), "markdown")
    assert "fit_seconds (lower is better), E: differences to base" in said
    assert "| new | **0.00125 (-0.01875)** |" in said


def test_holes_are_dashes():
    scores = {**SCORES, ("b", "E", "new"): [None] * 4}
    said = render(compare(study_of(("a", "b")), results_of(scores)))
    assert re.search(r"^new +65.25 ± 6.08 \(\+10.25\*\) +–$", said, flags=re.MULTILINE)
    assert "Note: 4 of 16 units have not run" in said


def test_nothing_to_compare():
    empty = compare(study_of(), results_of(SCORES).iloc[:0])
    assert render(empty) == "study: there are no results to compare.\n"
    assert pd.read_csv(io.StringIO(render(empty, "csv"))).empty


def test_one_method_alone():
    scores = {key: values for key, values in SCORES.items() if key[2] == "base"}
    said = render(compare(study_of(("a", "b"), methods=("base",)), results_of(scores)))
    assert "55.00 ± 5.77" in said
    assert "gain" not in said
    assert "*" not in said


@pytest.mark.parametrize("over", ["estimators", "both"])
@pytest.mark.parametrize("form", ["terminal", "markdown", "latex", "csv"])
def test_other_competitors(over, form):
    study, results = random_study(3, 2, 2, repeats=1, folds=3)
    said = render(compare(study, results, over=over), form, detail=True)
    assert ("E1 / m1" in said) == (over == "both")
    assert "nan" not in said


def test_an_unknown_form(comparison):
    with pytest.raises(UnknownNameError, match=r"no form 'latx'. Did you mean 'latex'\?"):
        render(comparison, "latx")


def test_numbers():
    assert number(math.nan) == "–"
    assert number(-0.001) == "0.00"
    assert [signed(value) for value in (1.234, -1.234, 0.001, -0.001)] == [
        "+1.23", "-1.23", "0.00", "0.00"
    ]  # fmt: skip
    assert [p_value(value) for value in (0, 0.00099, 0.001, 0.0456, 1.0, math.nan)] == [
        "< 0.001", "< 0.001", "0.001", "0.046", "1.000", "–"
    ]  # fmt: skip
    assert [digits_for([value]) for value in (0.0123, 1.23, 12.3, 1234.0, 1e-9)] == [4, 2, 1, 0, 6]
    assert digits_for([0.0, math.nan]) == 2


def test_a_large_study_takes_seconds():
    study, results = random_study(4, 5, 120, repeats=5, folds=10)
    assert len(results) == 120_000
    start = time.process_time()
    comparison = compare(study, results)
    render(comparison)
    assert time.process_time() - start < 6  # about 2 s on a machine that is not busy
