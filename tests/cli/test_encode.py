"""Values are those of the definition's tables, or worked by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from distsearch.cli import _models

FRUITS = ["apple"] * 3 + ["banana"] * 3 + ["cherry"] * 3
BINARY = [0, 0, 1, 0, 1, 1, 1, 1, 1]
TRAINED = [2 / 3, 1 / 3, 2 / 9, 2 / 3, 1 / 3, 5 / 9, 2 / 3, 5 / 6, 8 / 9]
LATER = {"apple": 5 / 12, "banana": 2 / 3, "cherry": 11 / 12, "dates": 2 / 3}
MULTI = [1, 1, 2, 1, 2, 2, 2, 3, 3]
MULTI_TRAINED = np.array([
    [0.333333, 0.444444, 0.222222], [0.666667, 0.222222, 0.111111], [0.777778, 0.148148, 0.074074],
    [0.333333, 0.444444, 0.222222], [0.666667, 0.222222, 0.111111], [0.444444, 0.481481, 0.074074],
    [0.333333, 0.444444, 0.222222], [0.166667, 0.722222, 0.111111], [0.111111, 0.481481, 0.407407],
])  # fmt: skip
MULTI_LATER = {
    "apple": [0.583333, 0.361111, 0.055556], "banana": [0.333333, 0.611111, 0.055556],
    "cherry": [0.083333, 0.361111, 0.555556], "dates": [0.333333, 0.444444, 0.222222],
}  # fmt: skip


@pytest.fixture
def table() -> pd.DataFrame:
    """Fruits between an id that looks like a number, a text to ignore, and the target."""
    return pd.DataFrame({
        "id": [f"00{row}" for row in range(9)], "fruit": FRUITS, "mass": ["1.50", "", *"3456789"],
        "note": list("aabbccdde"), "y": BINARY,
    })  # fmt: skip


@pytest.fixture
def fruits(table: pd.DataFrame, tmp_path: Path) -> Path:
    table.to_csv(tmp_path / "fruits.csv", index=False)
    return tmp_path / "fruits.csv"


@pytest.fixture
def encode(run: Callable[..., Any], fruits: Path, tmp_path: Path) -> Callable[..., Any]:
    """Encode the fruits; return how it ended and the table written, each value as text."""

    def call(*args: Any, data: Any = fruits, fit: bool = True) -> tuple[Any, Any]:
        output = tmp_path / "out.csv"
        output.unlink(missing_ok=True)
        by = ("--target", "y", "--ignore", "note") if fit else ()
        done = run("encode", data, *by, "-o", output, *args)
        written = pd.read_csv(output, dtype=str, keep_default_na=False) if output.exists() else None
        return done, written

    return call


def numbers(frame: pd.DataFrame, *columns: str) -> Any:
    return np.squeeze(frame[list(columns)].replace("", "nan").to_numpy().astype(float))


def new_fruits(tmp_path: Path, **columns: Any) -> Path:
    frame = pd.DataFrame({"price": ["1.10", "2.20", "3.30", "004"], "fruit": list(LATER)})
    path = tmp_path / "new.csv"
    frame.assign(**columns).to_csv(path, index=False)
    return path


def test_training_rows_get_ordered_values_and_the_rest_stays(
    encode: Callable[..., Any], table: pd.DataFrame
) -> None:
    done, written = encode()
    assert (done.code, done.err) == (0, "")
    np.testing.assert_allclose(numbers(written, "fruit"), TRAINED, rtol=1e-14)
    rest = table.drop(columns="fruit").astype(str)
    assert list(written.columns) == list(table.columns)
    pd.testing.assert_frame_equal(written.drop(columns="fruit"), rest, check_dtype=False)


def test_later_rows_get_full_statistics_whatever_stands_beside(
    encode: Callable[..., Any], tmp_path: Path
) -> None:
    model = tmp_path / "e.skops"
    assert encode("--save", model)[0].code == 0
    done, written = encode("--apply", model, data=new_fruits(tmp_path), fit=False)
    assert done.code == 0
    assert done.err == "Note: categories that training had not in 1 value (prior): 'fruit' 1.\n"
    assert list(written.columns) == ["price", "fruit"]
    assert list(written["price"]) == ["1.10", "2.20", "3.30", "004"]
    np.testing.assert_allclose(numbers(written, "fruit"), list(LATER.values()), rtol=1e-14)
    with_target = new_fruits(tmp_path, y=["0", "01", "", "x"])
    written = encode("--apply", model, data=with_target, fit=False)[1]
    assert list(written["y"]) == ["0", "01", "", "x"]
    np.testing.assert_allclose(numbers(written, "fruit"), list(LATER.values()), rtol=1e-14)


def test_several_classes_get_a_column_each(
    encode: Callable[..., Any], table: pd.DataFrame, fruits: Path, tmp_path: Path
) -> None:
    table.assign(y=MULTI).to_csv(fruits, index=False)
    model, names = tmp_path / "e.skops", ("fruit_1", "fruit_2", "fruit_3")
    done, written = encode("--save", model)
    assert list(written.columns) == ["id", *names, "mass", "note", "y"]
    np.testing.assert_allclose(numbers(written, *names), MULTI_TRAINED, atol=5e-7)
    assert "3 classes: 1, 2 and 3" in done.out
    assert "1 0.3333, 2 0.4444, 3 0.2222" in done.out
    written = encode("--apply", model, data=new_fruits(tmp_path), fit=False)[1]
    np.testing.assert_allclose(numbers(written, *names), list(MULTI_LATER.values()), atol=5e-7)
    written = encode("--drop", "2")[1]
    assert list(written.columns) == ["id", "fruit_1", "fruit_3", "mass", "note", "y"]
    np.testing.assert_allclose(
        numbers(written, "fruit_1", "fruit_3"), MULTI_TRAINED[:, [0, 2]], atol=5e-7
    )
    assert list(encode("--drop", "first")[1].columns[1:3]) == ["fruit_2", "fruit_3"]


def test_without_smoothing_the_first_row_is_no_number(encode: Callable[..., Any]) -> None:
    done, written = encode("--smoothing", "0")
    expected = [np.nan, 0, 0, np.nan, 0, 0.5, np.nan, 1, 1]
    np.testing.assert_allclose(numbers(written, "fruit"), expected)
    assert done.err.startswith("Note: Without smoothing")


def test_a_prior_that_is_given(encode: Callable[..., Any]) -> None:
    done, written = encode("--prior", "0.5", "--smoothing", "2")
    np.testing.assert_allclose(numbers(written, "fruit")[:3], [0.5, 1 / 3, 0.25])
    assert "0.5, as given" in done.out


def test_order_by_a_column(encode: Callable[..., Any], table: pd.DataFrame, fruits: Path) -> None:
    expected = np.empty(9)  # backwards, the apples see 1, 0, 0 and so on
    expected[[2, 1, 0]] = [2 / 3, 5 / 6, 5 / 9]
    expected[[5, 4, 3]] = [2 / 3, 5 / 6, 8 / 9]
    expected[[8, 7, 6]] = [2 / 3, 5 / 6, 8 / 9]
    for name, order in (("time", "time"), ("given", "column:given"), ("time", "column:time")):
        table.assign(**{name: range(9, 0, -1)}).to_csv(fruits, index=False)
        done, written = encode("--order", order)
        np.testing.assert_allclose(numbers(written, "fruit"), expected, rtol=1e-14)
        assert list(written[name]) == [str(each) for each in range(9, 0, -1)]
        assert f"in the order of {name!r}" in done.out


def test_the_column_of_the_order_may_be_missing_later(
    encode: Callable[..., Any], table: pd.DataFrame, fruits: Path, tmp_path: Path
) -> None:
    table.assign(day=list("ihgfedcba")).to_csv(fruits, index=False)
    model = tmp_path / "e.skops"
    assert encode("--order", "day", "--save", model)[0].code == 0
    written = encode("--apply", model, data=new_fruits(tmp_path), fit=False)[1]
    np.testing.assert_allclose(numbers(written, "fruit"), list(LATER.values()), rtol=1e-14)


def test_random_orders_are_drawn_by_the_seed_and_averaged(encode: Callable[..., Any]) -> None:
    one, again, other = (
        numbers(encode("--order", "random", "--seed", seed)[1], "fruit") for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()
    many = numbers(encode("--order", "random", "--permutations", 3000)[1], "fruit")
    # Each banana is first, second or third as often, and sees the others before it.
    zero = (2 / 3 + 5 / 6 + 8 / 9) / 3
    one_target = (2 / 3 + (1 / 3 + 5 / 6) / 2 + 5 / 9) / 3
    np.testing.assert_allclose(many[3:6], [zero, one_target, one_target], atol=0.02)


def test_noise_is_multiplied(encode: Callable[..., Any]) -> None:
    values = numbers(encode("--noise", "0.001", "--seed", "5")[1], "fruit")
    assert (values != TRAINED).all()
    np.testing.assert_allclose(values, TRAINED, rtol=0.006)


@pytest.mark.parametrize("ending", ["parquet", "csv.gz", "tsv"])
def test_other_files(encode: Callable[..., Any], run: Callable[..., Any], fruits: Path,
                     tmp_path: Path, ending: str) -> None:  # fmt: skip
    path = tmp_path / f"out.{ending}"
    assert run("encode", fruits, "--target", "y", "--ignore", "note", "-o", path).code == 0
    if ending == "parquet":
        frame = pd.read_parquet(path)
        assert frame["mass"].dtype == np.float64
    else:
        frame = pd.read_csv(path, sep="\t" if ending == "tsv" else ",")
    np.testing.assert_allclose(frame["fruit"], TRAINED, rtol=1e-14)


def test_parquet_in_keeps_truth_values_alike(encode: Callable[..., Any], tmp_path: Path) -> None:
    data, model = tmp_path / "d.parquet", tmp_path / "e.skops"
    pd.DataFrame({"ripe": [True, False] * 4, "y": [0, 1, 1, 1, 0, 0, 1, 0]}).to_parquet(data)
    assert encode("--target", "y", "--save", model, data=data, fit=False)[0].code == 0
    new = tmp_path / "new.csv"
    new.write_text("ripe\nTrue\nFalse\n")
    written = encode("--apply", model, data=new, fit=False)[1]
    np.testing.assert_allclose(numbers(written, "ripe"), [(2 + 0.5) / 5, 0.5])


def test_declared_categories_keep_their_zeros(encode: Callable[..., Any], tmp_path: Path) -> None:
    data, new, model = tmp_path / "d.csv", tmp_path / "new.csv", tmp_path / "e.skops"
    data.write_text("code,y\n007,1\n7,0\n007,1\n7,1\n7,0\n")
    new.write_text("code\n7\n007\n")
    to = ("--target", "y", "--save", model)
    assert encode(*to, "--categorical", "code", data=data, fit=False)[0].code == 0
    written = encode("--apply", model, data=new, fit=False)[1]
    np.testing.assert_allclose(numbers(written, "code"), [(1 + 0.6) / 4, (2 + 0.6) / 3])
    assert encode(*to, "--columns", "code", data=data, fit=False)[0].code == 0
    written = encode("--apply", model, data=new, fit=False)[1]
    np.testing.assert_allclose(numbers(written, "code"), [(3 + 0.6) / 6] * 2)


def test_a_later_file_is_read_alike_whatever_its_values_look_like(
    encode: Callable[..., Any], tmp_path: Path
) -> None:
    data, new, model = tmp_path / "d.csv", tmp_path / "new.csv", tmp_path / "e.skops"
    data.write_text("doors;y\n2;1\n4;0\n?;1\nmore;0\n2;0\n?;0\n")
    new.write_text("doors;z\n2;1,0\n4;1,5\n?;2\n")
    rule = ("--missing-value", "?", "--delimiter", ";")
    assert encode("--target", "y", "--save", model, *rule, data=data, fit=False)[0].code == 0
    done, written = encode("--apply", model, data=new, fit=False)
    assert not done.err
    expected = [(1 + 1 / 3) / 3, (1 / 3) / 2, (1 + 1 / 3) / 3]
    np.testing.assert_allclose(numbers(written, "doors"), expected)
    assert list(written["z"]) == ["1,0", "1,5", "2"]


def test_numbers_are_no_text_later(encode: Callable[..., Any], tmp_path: Path) -> None:
    data, new, model = tmp_path / "d.csv", tmp_path / "new.csv", tmp_path / "e.skops"
    data.write_text("code,y\n1,1\n2,0\n1,1\n2,1\n")
    new.write_text("code\n1\nx\n")
    encode("--target", "y", "--columns", "code", "--save", model, data=data, fit=False)
    done = encode("--apply", model, data=new, fit=False)[0]
    assert done.code == 2
    assert "'code' has 1 of 2 values that are text ('x'; line 3)" in done.error
    assert "--categorical" in done.error


@pytest.mark.parametrize(
    ("missing", "training", "later"),
    [
        ("own", [2 / 3, 5 / 6], 11 / 12),
        ("prior", [2 / 3, 2 / 3], 2 / 3),
        ("nan", [np.nan, np.nan], np.nan),
    ],
)
def test_missing_categories(
    encode: Callable[..., Any], table: pd.DataFrame, fruits: Path, tmp_path: Path,
    missing: str, training: list[float], later: float,
) -> None:  # fmt: skip
    frame = table.replace({"fruit": {"cherry": ""}})
    frame.to_csv(fruits, index=False)
    model = tmp_path / "e.skops"
    written = encode("--missing", missing, "--save", model)[1]
    np.testing.assert_allclose(numbers(written, "fruit")[6:8], training)
    new = new_fruits(tmp_path, fruit=["", "apple", "banana", "apple"])
    written = encode("--apply", model, data=new, fit=False)[1]
    np.testing.assert_allclose(numbers(written, "fruit")[0], later)


def test_unknown_categories_by_option(encode: Callable[..., Any], tmp_path: Path) -> None:
    model, new = tmp_path / "e.skops", new_fruits(tmp_path)
    encode("--unknown", "nan", "--save", model)
    assert np.isnan(numbers(encode("--apply", model, data=new, fit=False)[1], "fruit")[3])
    encode("--unknown", "error", "--save", model)
    done, written = encode("--apply", model, data=new, fit=False)
    assert (done.code, written) == (2, None)
    assert "1 value: 'fruit' 1. Correct them" in done.error
    new = new_fruits(tmp_path, fruit=["", *FRUITS[:3]])
    assert "1 value: 'fruit' 1" in encode("--apply", model, data=new, fit=False)[0].error


def test_a_target_of_numbers(encode: Callable[..., Any], tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    data.write_text("a,y\nu,1.5\nv,2.5\nu,3.5\nu,0.5\n")
    done, written = encode("--target", "y", data=data, fit=False)
    np.testing.assert_allclose(numbers(written, "a"), [2, 2, (1.5 + 2) / 2, (5 + 2) / 3])
    assert "'y', continuous" in done.out
    assert list(written["y"]) == ["1.5", "2.5", "3.5", "0.5"]


def test_whole_numbers_by_target_type(
    encode: Callable[..., Any], table: pd.DataFrame, fruits: Path
) -> None:
    table.assign(y=MULTI).to_csv(fruits, index=False)
    written = encode("--target-type", "continuous")[1]
    mean = 17 / 9
    np.testing.assert_allclose(
        numbers(written, "fruit")[:3], [mean, (1 + mean) / 2, (2 + mean) / 3]
    )
    result = encode("--target-type", "binary")[0]
    assert result.code == 2
    assert "Use --target-type multiclass, or continuous for numbers." in result.error
    table.to_csv(fruits, index=False)
    written = encode("--target-type", "multiclass", "--drop", "0")[1]
    np.testing.assert_allclose(numbers(written, "fruit_1"), TRAINED, rtol=1e-14)


def test_rows_without_a_target(
    encode: Callable[..., Any], table: pd.DataFrame, fruits: Path
) -> None:
    rows = table.astype(str)
    rows.loc[9] = ["009", "apple", "7", "e", ""]
    rows = rows.loc[[9, *range(9)]]
    rows.to_csv(fruits, index=False)
    result = encode()[0]
    assert result.code == 2
    assert "the target 'y' is missing in 1 row, on line 2" in result.error
    assert "--missing-target drop" in result.error
    done, written = encode("--missing-target", "drop")
    assert "Note: 1 row without a target dropped, on line 2." in done.err
    np.testing.assert_allclose(numbers(written, "fruit"), TRAINED, rtol=1e-14)
    assert list(written["id"]) == list(table["id"])
    assert list(written["y"]) == [str(each) for each in BINARY]


def test_text_labels_have_the_second_as_positive_class(
    encode: Callable[..., Any], table: pd.DataFrame, fruits: Path
) -> None:
    table.assign(y=["no" if each == 0 else "yes" for each in BINARY]).to_csv(fruits, index=False)
    done, written = encode()
    assert "binary: 1 is 'yes', 0 is 'no'" in done.out
    np.testing.assert_allclose(numbers(written, "fruit"), TRAINED, rtol=1e-14)


def test_the_report(encode: Callable[..., Any], fruits: Path, tmp_path: Path) -> None:
    file, model = tmp_path / "r.json", tmp_path / "e.skops"
    done = encode("--json", file, "--save", model)[0]
    lines = done.out.splitlines()
    assert lines[0].split(maxsplit=1) == ["Data", f"{fruits}: 9 rows"]
    assert f"distsearch encode NEW --apply {model} -o OUT, by all 9 rows" in done.out
    assert "Target      'y', binary: 0 and 1\nPrior       0.6667, the mean target" in done.out
    assert lines[-1].split(maxsplit=3) == [
        "fruit", "3", "0", "apple (3, 0.4167); banana (3, 0.6667); cherry (3, 0.9167)",
    ]  # fmt: skip
    report = json.loads(file.read_text())
    assert (report["rows"], report["target_type"], report["positive_class"]) == (9, "binary", 1)
    assert report["classes"] == [0, 1]
    assert report["columns"]["fruit"]["categories"] == 3
    assert report["columns"]["fruit"]["most_frequent"][0] == {
        "category": "apple", "rows": 3, "values": [pytest.approx(5 / 12)],
    }  # fmt: skip
    assert encode("--quiet")[0].out == ""
    assert "not saved" in encode()[0].out
    later = encode("--apply", model, "--json", file, data=new_fruits(tmp_path), fit=False)[0]
    assert "by all 9 training rows: 'fruit'" in later.out
    assert json.loads(file.read_text())["unknown"] == {"fruit": 1}


def test_notes_on_what_makes_values_worthless(
    encode: Callable[..., Any], run: Callable[..., Any], table: pd.DataFrame, fruits: Path,
    tmp_path: Path,
) -> None:  # fmt: skip
    sorted_ = [0, 0, 0, *[1] * 6]
    table.assign(y=sorted_).to_csv(fruits, index=False)
    assert "Note: the rows are sorted by 'y'" in encode()[0].err
    assert not encode("--order", "random")[0].err
    table.to_csv(fruits, index=False)
    done = encode("--categorical", "id")[0]
    assert "no two rows have the same value of 'id'" in done.err
    model = tmp_path / "e.skops"
    encode("--save", model)
    assert f"{fruits} is the training table" in encode("--apply", model, fit=False)[0].err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--columns", "fruits"], "--columns fruits: "),
        (["--ignore", "fruits"], "Did you mean 'fruit'?"),
        (["--order", "Time"], "--order Time: "),
        (["--categorical", "fruits"], "--categorical names 'fruits'"),
        (["--columns", "y"], "--columns y: that is the target"),
        (["--order", "y"], "--order y: that is the target"),
        (["--columns", "note"], "'note' in --columns and in --ignore"),
        (["--target", "z"], "there is no target column 'z'"),
        (["--ignore", "fruit"], "there is nothing to encode"),
        (["--permutations", "3"], "--permutations 3 needs --order random"),
        (["--smoothing", "-1"], "'--smoothing': must be a number, 0 or more"),
        (["--noise", "nan"], "'--noise': must be a number, 0 or more"),
        (["--prior", "median"], "'--prior': must be 'mean' or a number"),
        (["--prior", "inf"], "'--prior': must be 'mean' or a number"),
        (["--missing", "drop"], "'drop' is not one of 'prior', 'own', 'nan', 'error'"),
        (["--drop", "0"], "has two classes, which share one column"),
        (["--drop", "5", "--target-type", "multiclass"], "no such class; the classes are 0 and 1"),
        (["--drop", "5", "--target-type", "continuous"], "is continuous"),
        (["--backend", "here"], "'here'"),
        (["--save", "nowhere/e.skops"], "--save: nowhere/e.skops cannot be written"),
        (["--json", "nowhere/r.json"], "--json: nowhere/r.json cannot be written"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_line(encode: Callable[..., Any], args: list[str], words: str) -> None:
    result, written = encode(*args)
    assert (result.code, written) == (2, None)
    assert words in result.error


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("a,y\n", "no rows"),
        ("a,y\nu,1\nv,1\n", "only one class"),
        ("a,y\nu,1\nv,\n", "the target 'y' is missing in 1 row, on line 3"),
        ("a,y\nu,0.5\nv,1\nu,0.5\n", "use --target-type continuous"),
        ("a,y\nu,p\nv,q\nu,p\n", "--target-type"),
    ],
    ids=["empty", "no rows", "one class", "missing", "fractions", "text"],
)
def test_tables_that_cannot_be_encoded(
    encode: Callable[..., Any], tmp_path: Path, content: str, words: str
) -> None:
    data = tmp_path / "d.csv"
    data.write_text(content)
    kind = {"use --target-type continuous": "binary", "--target-type": "continuous"}
    args = ["--target", "y", "--target-type", kind.get(words, "auto")]
    result, written = encode(*args, data=data, fit=False)
    assert (result.code, written) == (2, None)
    assert words in result.error


def test_a_name_that_is_made_is_not_taken(
    encode: Callable[..., Any], table: pd.DataFrame, fruits: Path, tmp_path: Path
) -> None:
    table.assign(y=MULTI, fruit_1="a").to_csv(fruits, index=False)
    model = tmp_path / "e.skops"
    written = encode("--ignore", "fruit_1", "--save", model)[1]
    assert {"fruit_1_2", "fruit_2", "fruit_3", "fruit_1"} < set(written.columns)
    new = new_fruits(tmp_path, fruit_2=[1, 2, 3, 4])
    result, written = encode("--apply", model, data=new, fit=False)
    assert (result.code, written) == (2, None)
    assert "1 column of names that are taken: 'fruit_2'" in result.error


def test_columns_that_the_encoder_needs(encode: Callable[..., Any], tmp_path: Path) -> None:
    model = tmp_path / "e.skops"
    encode("--save", model)
    new = tmp_path / "new.csv"
    new.write_text("Fruit,y\napple,1\n")
    result = encode("--apply", model, data=new, fit=False)[0]
    assert result.code == 2
    assert "lacks 1 of 1 column" in result.error
    assert "'fruit'. Did you mean 'Fruit'?" in result.error


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--target", "y"], "--target cannot go with --apply"),
        (["--seed", "0", "--columns", "a"], "--columns, --seed cannot go with --apply"),
        (["--missing", "own"], "--missing cannot go with --apply"),
        (["--save", "e2.skops"], "--save cannot go with --apply"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_options_that_only_a_fit_takes(
    encode: Callable[..., Any], args: list[str], words: str
) -> None:
    result = encode("--apply", "e.skops", *args, fit=False)[0]
    assert result.code == 2
    assert words in result.error


def test_files_are_checked_before_the_work(
    run: Callable[..., Any], fruits: Path, tmp_path: Path
) -> None:
    by, model = ("encode", fruits, "--target", "y"), tmp_path / "e.skops"
    before = fruits.read_bytes()
    assert "'-o' / '--output'" in run(*by).error
    assert "would overwrite what is read" in run(*by, "-o", fruits).error
    assert "are one file" in run(*by, "-o", tmp_path / "a.csv", "--save", tmp_path / "a.csv").error
    assert "is a folder" in run(*by, "-o", tmp_path).error
    assert run(*by, "-o", tmp_path / "a.csv", "--save", model).code == 0
    apply = ("encode", fruits, "--apply", model)
    assert "would overwrite what is read" in run(*apply, "-o", model).error
    assert "There is no model file" in run("encode", fruits, "--apply", "e", "-o", "a.csv").error
    assert fruits.read_bytes() == before


def test_files_of_models_and_of_encoders_are_told_apart(
    run: Callable[..., Any], fruits: Path, tmp_path: Path
) -> None:
    encoder, model, tree = (tmp_path / f"{name}.skops" for name in ("e", "m", "t"))
    out = tmp_path / "out.csv"
    run("encode", fruits, "--target", "y", "-o", out, "--save", encoder)
    fit = ("fit", "iris", "--strategy", "mle", "--backend", "serial", "--quiet", "--estimator")
    assert run(*fit, "nb", "-o", model).code == 0
    assert run(*fit, "tree", "-o", tree).code == 0
    result = run("predict", encoder, fruits)
    assert result.code == 2
    assert f"{encoder} is an encoder that distsearch encode saved" in result.error
    assert f"distsearch encode DATA --apply {encoder} -o OUT" in result.error
    result = run("encode", fruits, "--apply", model, "-o", out)
    assert result.code == 2
    assert f"{model} is a model that distsearch fit saved" in result.error
    assert f"distsearch predict {model} DATA" in result.error
    assert (
        f"distsearch predict {tree} DATA" in run("encode", fruits, "--apply", tree, "-o", out).error
    )


def test_the_saved_encoder_is_one_for_python_too(
    encode: Callable[..., Any], table: pd.DataFrame, tmp_path: Path
) -> None:
    model = tmp_path / "e.skops"
    encode("--save", model)
    content = _models.load(model, kind="encoder")
    assert content["features"] == ["id", "fruit", "mass", "note"]
    values = content["model"].transform(table.drop(columns="y"))["fruit"]
    np.testing.assert_allclose(values, [LATER[name] for name in FRUITS], rtol=1e-14)


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from distsearch.cli import main\n"
        "try: main(['encode', '--help'])\n"
        "except SystemExit as end: assert not end.code\n"
        "print('loaded:', *sorted({'numpy', 'pandas', 'sklearn', 'skops'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[-1] == "loaded:"
    assert "distsearch encode new.csv --apply encoder.skops -o new_encoded.csv" in lines


@pytest.mark.parametrize(
    ("train", "test", "columns"),
    [("adult_train", "adult_test", 8), ("mushroom", None, 22), ("diamonds", None, 3)],
)
def test_real_tables(
    run: Callable[..., Any], tmp_path: Path, train: str, test: str | None, columns: int
) -> None:
    folder = os.environ.get("DISTSEARCH_DATA")
    if not folder:
        pytest.skip("DISTSEARCH_DATA is not set")
    data, out, model = Path(folder, f"{train}.csv"), tmp_path / "o.parquet", tmp_path / "e.skops"
    done = run("encode", data, "--target", "target", "-o", out, "--save", model)
    assert done.code == 0
    assert f"{columns} columns, by the rows before" in done.out
    before, after = pd.read_csv(data), pd.read_parquet(out)
    assert list(after.columns) == list(before.columns)
    assert after.drop(columns="target").dtypes.map(pd.api.types.is_numeric_dtype).all()
    later = Path(folder, f"{test or train}.csv")
    assert run("encode", later, "--apply", model, "-o", out).code == 0
    frame, encoded = pd.read_csv(later), pd.read_parquet(out)
    name = before.select_dtypes(exclude="number").columns[0]
    y = before["target"]
    y = y if y.dtype.kind in "iuf" else y.eq(max(y.unique()))
    groups = y.groupby(before[name].fillna("(missing)"))
    expected = (groups.sum() + y.mean()) / (groups.count() + 1)
    np.testing.assert_allclose(
        encoded[name], frame[name].fillna("(missing)").map(expected).fillna(y.mean()), rtol=1e-9
    )


def test_numbers_with_a_decimal_comma_are_not_taken_for_categories(run, tmp_path):
    (tmp_path / "d.csv").write_text("city;x;y\na;1,5;0\nb;2,5;1\na;3,25;1\nb;2;0\n")
    call = ("encode", tmp_path / "d.csv", "--target", "y", "-o", tmp_path / "o.csv")
    done = run(*call)
    assert done.code == 2
    assert "'x' looks like numbers with the decimal mark ','" in done.err
    assert "--decimal ','" in done.err
    assert run(*call, "--decimal", ",").code == 0
    assert run(*call, "--columns", "x").code == 0


def test_a_text_column_that_orders_the_rows_is_no_number(run, tmp_path):
    (tmp_path / "d.csv").write_text("city,y\na,0\nb,1\na,1\nb,0\n")
    call = ("encode", tmp_path / "d.csv", "--target", "y", "-o", tmp_path / "o.csv")
    done = run(*call, "--order", "city")
    assert done.code == 2
    assert "every other column is numeric" in done.err


def test_a_stop_between_two_files_tells_which_was_written(run, tmp_path, monkeypatch):
    (tmp_path / "d.csv").write_text("city,y\na,0\nb,1\na,1\nb,0\n")

    def stop(*args, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(_models, "save", stop)
    out = tmp_path / "o.csv"
    done = run("encode", tmp_path / "d.csv", "--target", "y", "-o", out, "--save", tmp_path / "e")
    assert done.code == 130
    assert f"{out} was written" in done.err
    assert out.exists()
