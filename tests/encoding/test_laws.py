"""What must not change the values, and where they must lie."""

import numpy as np
import pandas as pd
import pytest
from encoding.ordered_definition import is_missing
from encoding.tables import NUMBERS, assert_same_bits, numbers_up_to, problems, quietly
from hypothesis import given, settings
from hypothesis import strategies as st

from distsearch.encoding import OrderedTargetEncoder

WEIGHTS = st.floats(0.01, 100.0)


def both_faces(problem, table, **how):
    encoder = problem.encoder(**how)
    trained = encoder.fit_transform(table, problem.y, problem.weights)
    return trained, encoder.transform(table)


@settings(max_examples=40, deadline=None)
@given(problems(weights=WEIGHTS, pools=[["a", "b", "c", "d", "e", None]]), st.data())
def test_names_of_categories_do_not_matter(problem, data):
    names = data.draw(st.permutations(["e", "Z", 7, ("x", 1), 2.5]))
    renamed = [
        [each if each is None else names["abcde".index(each)] for each in column]
        for column in problem.columns
    ]
    other = pd.DataFrame(
        {f"c{j}": pd.Series(column, dtype=object) for j, column in enumerate(renamed)}
    )
    for one, two in zip(
        both_faces(problem, problem.table), both_faces(problem, other), strict=True
    ):
        assert_same_bits(one, two)


@settings(max_examples=50, deadline=None)
@given(problems(weights=WEIGHTS, most_columns=2, most_rows=12), st.data())
def test_the_index_does_not_matter(problem, data):
    n = len(problem.y)
    odd = problem.table.set_axis(data.draw(st.permutations([*range(n - 1), "a"])), axis=0)
    y = pd.Series(problem.y, index=data.draw(st.permutations(range(n))))
    encoder = problem.encoder()
    assert_same_bits(
        encoder.fit_transform(odd, y, problem.weights), both_faces(problem, problem.table)[0]
    )


@settings(max_examples=40, deadline=None)
@given(problems(weights=WEIGHTS, most_columns=2, most_rows=12), st.randoms(use_true_random=False))
def test_the_order_of_columns_does_not_matter(problem, random):
    places = list(range(len(problem.columns)))
    random.shuffle(places)
    width = 3 if problem.kind == "multiclass" else 1
    outputs = [place * width + k for place in places for k in range(width)]
    table = problem.table
    for one, two in zip(
        both_faces(problem, table), both_faces(problem, table.iloc[:, places]), strict=True
    ):
        assert_same_bits(one[:, outputs], two)


@settings(max_examples=40, deadline=None)
@given(problems(weights=WEIGHTS, numbers=numbers_up_to(1e12), most_columns=2), st.data())
def test_the_order_of_rows_does_not_matter_to_later_rows(problem, data):
    rows = data.draw(st.permutations(range(len(problem.y))))
    weights = None if problem.weights is None else np.asarray(problem.weights)[rows]
    y = np.asarray(problem.y)
    encoder = problem.encoder().fit(problem.table.iloc[rows], y[rows], weights)
    later = quietly(encoder.transform, problem.table)
    assert_same_bits(later, both_faces(problem, problem.table)[1])


@settings(max_examples=40, deadline=None)
@given(problems(most_rows=10, most_columns=2), st.data())
def test_a_weight_is_the_row_that_many_times(problem, data):
    n = len(problem.y)
    times = data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    rows = np.repeat(np.arange(n), times)
    first = np.cumsum(times) - times
    weighted, repeated = problem.encoder(), problem.encoder()
    one = weighted.fit_transform(problem.table, problem.y, times)
    many = repeated.fit_transform(problem.table.iloc[rows], np.asarray(problem.y)[rows])
    # The copies of a row see each other, but the first sees what the weighted row sees.
    np.testing.assert_allclose(one, many[first], rtol=1e-12, atol=1e-12 * problem.scale)
    np.testing.assert_allclose(
        weighted.transform(problem.table), repeated.transform(problem.table),
        rtol=1e-12, atol=1e-12 * problem.scale,
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(problems(), st.sampled_from([0.125, 3.0, 1e6]))
def test_all_weights_and_the_smoothing_scale_together(problem, factor):
    n = len(problem.y)
    one = problem.encoder().fit_transform(problem.table, problem.y)
    two = problem.encoder(smoothing=factor).fit_transform(problem.table, problem.y, [factor] * n)
    np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12 * problem.scale)


@settings(max_examples=40, deadline=None)
@given(problems(weights=WEIGHTS, most_columns=2, most_rows=12), st.data())
def test_a_row_of_no_weight_changes_nothing(problem, data):
    n = len(problem.y)
    place = data.draw(st.integers(0, n))
    table = problem.table
    extra = pd.concat([table.iloc[:place], table.iloc[:1], table.iloc[place:]])
    y = [*problem.y[:place], problem.y[-1], *problem.y[place:]]
    own = [1.0] * n if problem.weights is None else problem.weights
    one, two = problem.encoder(), problem.encoder()
    trained = one.fit_transform(table, problem.y, own)
    with_extra = two.fit_transform(extra, y, [*own[:place], 0.0, *own[place:]])
    assert_same_bits(np.delete(with_extra, place, axis=0), trained)
    assert_same_bits(two.transform(table), one.transform(table))


@settings(max_examples=40, deadline=None)
@given(problems(["multiclass"], weights=WEIGHTS), st.sampled_from([0.0, 0.3, 1.0]))
def test_the_columns_of_a_feature_sum_to_one(problem, smoothing):
    encoder = problem.encoder(smoothing=smoothing)
    trained = quietly(encoder.fit_transform, problem.table, problem.y, problem.weights)
    for values in (trained, encoder.transform(problem.table)):
        sums = values.reshape(len(values), -1, 3).sum(axis=2)
        sums = sums[~np.isnan(sums)]
        np.testing.assert_allclose(sums, 1.0, rtol=1e-13)
        assert smoothing == 0 or sums.size == values.size / 3


@settings(max_examples=40, deadline=None)
@given(problems(["binary", "continuous"], weights=WEIGHTS), st.sampled_from([1e-9, 0.5, 1.0, 1e9]))
def test_values_lie_between_the_least_and_the_largest_target(problem, smoothing):
    y = [float(v == "yes") if problem.kind == "binary" else v for v in problem.y]
    slack = 1e-12 * max(abs(v) for v in y)
    for values in both_faces(problem, problem.table, smoothing=smoothing):
        assert values.min() >= min(y) - slack
        assert values.max() <= max(y) + slack


@settings(max_examples=40, deadline=None)
@given(problems(weights=WEIGHTS, most_columns=2, most_rows=12))
def test_a_row_does_not_see_its_own_target_nor_later_ones(problem):
    """With a prior that is a number, a row's value depends on the rows before it only."""
    y = list(problem.y)
    last = {"binary": "no", "multiclass": "L", "continuous": 77.0}[problem.kind]
    if problem.kind != "continuous" and sorted({*y[:-1], last}) != sorted(set(y)):
        return
    values = [
        problem.encoder(prior=0.4).fit_transform(problem.table, targets, problem.weights)
        for targets in (y, [*y[:-1], last])
    ]
    assert_same_bits(*values)


@settings(max_examples=40, deadline=None)
@given(problems(weights=WEIGHTS, most_columns=2, most_rows=12))
def test_training_rows_given_again_are_encoded_the_same(problem):
    encoder = problem.encoder()
    trained = encoder.fit_transform(problem.table, problem.y, problem.weights)
    again = encoder.transform(problem.table, problem.y, sample_weight=problem.weights)
    assert_same_bits(again, trained)
    fitted = problem.encoder().fit(problem.table, problem.y, problem.weights)
    assert_same_bits(quietly(fitted.transform, problem.table), encoder.transform(problem.table))


@settings(max_examples=40, deadline=None)
@given(problems(["continuous"], weights=WEIGHTS), NUMBERS)
def test_adding_a_number_to_the_target_adds_it_to_the_values(problem, shift):
    one = both_faces(problem, problem.table)
    moved = [value + shift for value in problem.y]
    encoder = problem.encoder()
    two = encoder.fit_transform(problem.table, moved, problem.weights)
    scale = problem.scale + abs(shift)
    np.testing.assert_allclose(two, one[0] + shift, rtol=1e-12, atol=1e-11 * scale)
    np.testing.assert_allclose(
        encoder.transform(problem.table), one[1] + shift, rtol=1e-12, atol=1e-11 * scale
    )


@pytest.mark.parametrize("n", [2**15 + 1, 2**17 + 3])
@pytest.mark.parametrize("kind", ["binary", "continuous", "multiclass"])
def test_tables_longer_than_what_is_handled_at_a_time(n, kind):
    """Beside running sums by pandas; whole numbers, whose sums floats have exactly."""
    rng = np.random.default_rng(n)
    X = pd.DataFrame({"c": rng.choice(np.array([None, *"abcdefgh"], dtype=object), n)})
    y = rng.integers(0, {"binary": 2, "continuous": 1000, "multiclass": 11}[kind], n)
    trained = OrderedTargetEncoder(target_type=kind).fit_transform(X, y)
    groups = [str(value) for value in X["c"]]
    count = pd.Series(y).groupby(groups).cumcount()
    labels = [None] if kind != "multiclass" else range(11)
    for k, label in enumerate(labels):
        own = pd.Series(y if label is None else (y == label).astype(int))
        before = own.groupby(groups).cumsum() - own
        np.testing.assert_allclose(trained[:, k], (before + own.mean()) / (count + 1), rtol=1e-13)
    new = pd.DataFrame({"c": ["a", "?"]})
    later = OrderedTargetEncoder(target_type=kind).fit(X, y).transform(new)
    own = pd.Series(y if len(labels) == 1 else (y == 0).astype(int))
    a = own[np.array(groups) == "a"]
    np.testing.assert_allclose(
        later[:, 0], [(a.sum() + own.mean()) / (len(a) + 1), own.mean()], rtol=1e-13
    )


def test_the_missing_values_are_one_category():
    values = [None, float("nan"), pd.NA, pd.NaT, np.nan, None]
    assert all(is_missing(value) for value in values)
    X = pd.DataFrame({"c": pd.Series(values, dtype=object)})
    y = [1, 1, 1, 1, 0, 1]
    p = 5 / 6
    encoder = OrderedTargetEncoder("all")
    np.testing.assert_allclose(
        encoder.fit_transform(X, y).ravel(), [(k + p) / (k + 1) for k in range(4)] + [
            (4 + p) / 5, (4 + p) / 6,
        ], rtol=1e-15,
    )  # fmt: skip
    np.testing.assert_allclose(encoder.transform(X).ravel(), [(5 + p) / 7] * 6, rtol=1e-15)
    assert [len(each) for each in encoder.categories_] == [0]
