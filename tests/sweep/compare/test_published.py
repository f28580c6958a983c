"""Published numbers beside ours."""

import pytest
from sweep.compare.made import results_of, study_of

from distsearch.errors import DataError
from distsearch.sweep.compare import compare, render

SCORES = {
    ("d", "E", "base"): [0.75, 0.85],
    ("d", "E", "new"): [0.8, 0.9],
    ("later", "E", "base"): [None, None],
}


def compared(tmp_path, text, scores=SCORES):
    path = tmp_path / "published.csv"
    path.write_text(text, encoding="utf-8")
    return compare(study_of(("d", "later")), results_of(scores), published=path)


HEAD = "data,estimator,method,metric,mean,gain,source\n"


def test_numbers_beside_ours(tmp_path):
    text = (
        f"{HEAD}d,E,base,accuracy,80.05,,A\nd,E,new,accuracy,84.9,4.8,A\n"
        "d,E,new,accuracy,85.16,,B\n"
    )
    comparison = compared(tmp_path, text)
    table = comparison.published
    assert table["mean"].tolist() == pytest.approx([80, 85, 85])
    assert table["mean_difference"].tolist() == pytest.approx([-0.05, 0.1, -0.16])
    assert table["gain_difference"].tolist()[1] == pytest.approx(0.2)
    assert table["source"].tolist() == ["A", "A", "B"]
    expected = [
        ("A", "mean", 2, 1, 2, 0.1, "d / E / new / accuracy"),
        ("A", "gain", 1, 0, 0, 0.2, "d / E / new / accuracy"),
        ("B", "mean", 1, 0, 0, -0.16, "d / E / new / accuracy"),
    ]
    for row, wanted in zip(comparison.agreement.itertuples(index=False), expected, strict=True):
        assert list(row)[:5] == list(wanted)[:5]
        assert row.largest == pytest.approx(wanted[5])
        assert row.where == wanted[6]
    said = render(comparison)
    assert (
        "A: of 2 means, 1 agree within 0.05 and 2 within 0.15; the largest difference is +0.10, "
        "at d / E / new / accuracy." in said
    )
    assert "Published numbers, in percent and points" in said


def test_a_metric_that_is_no_share_is_compared_as_it_is(tmp_path):
    comparison = compared(tmp_path, f"{HEAD}d,E,base,fit_seconds,0.2,,A\n")
    assert comparison.published.empty  # not asked for
    path = tmp_path / "published.csv"
    study = study_of(("d", "later"))
    comparison = compare(study, results_of(SCORES), metrics=["fit_seconds"], published=path)
    assert comparison.published["mean_difference"].tolist() == pytest.approx([0.05])


def test_cells_without_ours_are_counted(tmp_path):
    text = f"{HEAD}later,E,base,accuracy,80,,A\nlater,E,new,accuracy,80,,A\n"
    comparison = compared(tmp_path, text)
    assert comparison.published.empty
    assert comparison.notes[-2] == "1 published cell left out: ours have no scores yet."
    assert comparison.notes[-1].startswith("1 published cell left out: the study does not plan")
    assert "None of the published numbers can be held against ours yet." in render(comparison)


def test_only_gains_and_columns_in_another_order(tmp_path):
    comparison = compared(tmp_path, "gain, metric,method,estimator,data\n5.1,accuracy,new,E,d\n\n")
    assert comparison.published["gain_difference"].tolist() == pytest.approx([-0.1])
    said = render(comparison)
    assert "our gain" in said
    assert "our mean" not in said
    assert "Published: of 1 gain, 0 agree within 0.05 and 1 within 0.15" in said


def test_a_byte_order_mark_and_quotes(tmp_path):
    comparison = compared(tmp_path, f'\ufeff{HEAD}"d","E","new",accuracy,85,,"Doe, 2020"\n')
    assert comparison.published["source"].tolist() == ["Doe, 2020"]


def test_every_mistake_is_listed(tmp_path):
    text = (
        f"{HEAD}d,E,nwe,accuracy,80,,A\nD9,E,new,acc,80,,A\nd,E,new,accuracy,eighty,,A\n"
        f"d,E,new,accuracy,,,A\nd,E,new,accuracy,80,5,1,A\nd\n"
    )
    with pytest.raises(DataError) as caught:
        compared(tmp_path, text)
    lines = str(caught.value).splitlines()
    assert lines[0] == ("published.csv, line 2: the study has no method 'nwe'. Did you mean 'new'?")
    assert lines[1].startswith("published.csv, line 3: the study has no data 'D9'.")
    assert lines[2].startswith("published.csv, line 3: the study has no metric 'acc'.")
    assert "line 4: mean must be a number" in lines[3]
    assert "line 5: it has neither a mean nor a gain." in lines[4]
    assert "line 6: it has more cells than the first line" in lines[5]
    assert "line 7: the study has no estimator ''" in lines[6]
    assert lines[-1].endswith("published.csv has 10 mistakes; nothing was compared.")


def test_many_mistakes_are_cut(tmp_path):
    with pytest.raises(DataError) as caught:
        compared(tmp_path, HEAD + "x,E,new,accuracy,80,,A\n" * 30)
    lines = str(caught.value).splitlines()
    assert len(lines) == 22
    assert lines[-2] == "and 10 more mistakes."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("data,estimator,method,mean\n", "lacks 1 column: metric"),
        ("data,estimator,method,metric\n", "has neither a column mean nor a column gain"),
        ("data,estimator,method,metric,mean,sourse\n", "has 'sourse'.* Did you mean 'source'"),
        ("data,estimator,method,metric,mean,mean\n", "has a column twice"),
        ("data;estimator;method;metric;mean\n", "lacks 4 columns"),
        ("", "lacks 4 columns"),
    ],
)
def test_columns_that_cannot_be(tmp_path, text, words):
    with pytest.raises(DataError, match=words):
        compared(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"cannot be read from .*no\.csv"):
        compare(study_of(("d", "later")), results_of(SCORES), published=tmp_path / "no.csv")


def test_a_file_in_another_encoding(tmp_path):
    path = tmp_path / "published.csv"
    path.write_bytes(f"{HEAD}d,E,new,accuracy,85,,Müller\n".encode("latin-1"))
    with pytest.raises(DataError, match="not in UTF-8"):
        compare(study_of(("d", "later")), results_of(SCORES), published=path)


def test_many_published_numbers_show_the_worst(tmp_path):
    lines = "".join(f"d,E,new,accuracy,{85 + i / 100},,A{i}\n" for i in range(70))
    said = render(compared(tmp_path, HEAD + lines))
    assert "These are the 20 of 70 cells that differ most" in said
    table = said[said.index("Published numbers") : said.index("These are the 20")]
    assert "A69" in table
    assert "A50" in table
    assert "A49" not in table
