"""What is learned in pieces is what is learned at once, to the last bit; sums are exact."""

from fractions import Fraction
from functools import reduce
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from encoding.ordered_definition import same_category
from encoding.tables import (
    KINDS,
    assert_same_bits,
    cuts,
    labels_of,
    make_large,
    numbers_up_to,
    problems,
    quietly,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import InvalidInputError

MAGNITUDES = [1e-9, 3e-5, 1.0, 7e6, 1e12]
WILD = st.builds(lambda digits, size: digits * size, numbers_up_to(10), st.sampled_from(MAGNITUDES))
WEIGHTS = st.sampled_from([0.1, 1.0, 1 / 3, 2.0, 1e-6, 1e6])
WILD_PROBLEMS = problems(weights=WEIGHTS, numbers=WILD, most_columns=2, most_rows=12)


@st.composite
def cut_problems(draw):
    """Problems, and where to cut them; a piece may have one label only."""
    problem = draw(WILD_PROBLEMS)
    return problem, draw(cuts(len(problem.y)))


def pieces(problem, bounds):
    weights = problem.weights
    for low, high in pairwise(bounds):
        own = None if weights is None else weights[low:high]
        yield problem.table.iloc[low:high], problem.y[low:high], own


def assert_same_encoder(one, two, table):
    assert_same_bits(one.transform(table), two.transform(table))
    assert_same_bits(one.prior_, two.prior_)
    assert one.n_samples_seen_ == two.n_samples_seen_
    assert one.target_type_ == two.target_type_
    if one.classes_ is not None:
        np.testing.assert_array_equal(one.classes_, two.classes_)
    assert by_category(one) == by_category(two)


def by_category(encoder):
    """Return what is known of the first column; 1 and 1.0 are one category, "1" another."""
    table = encoder.statistics(0).to_numpy().tolist()
    return {(isinstance(row[0], str), row[0]): row[1:] for row in table}


@settings(max_examples=60, deadline=None)
@given(cut_problems())
def test_partial_fits_are_one_fit(cut):
    problem, bounds = cut
    whole = problem.encoder().fit(problem.table, problem.y, problem.weights)
    batches = problem.encoder()
    for piece in pieces(problem, bounds):
        batches.partial_fit(*piece)
    quietly(assert_same_encoder, batches, whole, problem.table)


@settings(max_examples=60, deadline=None)
@given(cut_problems())
def test_shards_are_encoded_as_in_one_piece(cut):
    problem, bounds = cut
    expected = problem.encoder().fit_transform(problem.table, problem.y, problem.weights)
    shards = list(pieces(problem, bounds))
    parts = [problem.encoder().partial_fit(*shard) for shard in shards]
    whole = problem.encoder().merge(*parts)
    found, earlier = [], None
    for (X, y, weights), part in zip(shards, parts, strict=True):
        found.append(whole.transform(X, y, sample_weight=weights, earlier=earlier))
        earlier = problem.encoder().merge(*([] if earlier is None else [earlier]), part)
    assert_same_bits(np.vstack(found), expected)


@settings(max_examples=30, deadline=None)
@given(cut_problems(), st.randoms(use_true_random=False))
def test_merging_in_any_order_and_grouping(cut, random):
    problem, bounds = cut

    def parts():
        return [problem.encoder().partial_fit(*piece) for piece in pieces(problem, bounds)]

    def paired(encoders):
        while len(encoders) > 1:
            encoders = [
                problem.encoder().merge(*encoders[k : k + 2]) for k in range(0, len(encoders), 2)
            ]
        return encoders[0]

    whole = problem.encoder().fit(problem.table, problem.y, problem.weights)
    shuffled = parts()
    random.shuffle(shuffled)
    for merged in (
        problem.encoder().merge(*parts()),
        reduce(lambda one, two: one.merge(two), reversed(parts())),
        paired(shuffled),
    ):
        assert_same_bits(merged.transform(problem.table), quietly(whole.transform, problem.table))
        assert_same_bits(merged.prior_, whole.prior_)


def test_merging_leaves_the_others_as_they_were():
    X, targets, weights = make_large(100)
    halves = [
        OrderedTargetEncoder("all").fit(X[rows], targets["multiclass"][rows], weights[rows])
        for rows in (slice(0, 50), slice(50, None))
    ]
    before = [quietly(half.transform, X) for half in halves]
    merged = OrderedTargetEncoder("all").merge(*halves)
    merged.merge(halves[0]).partial_fit(X, targets["multiclass"])
    for half, expected in zip(halves, before, strict=True):
        assert_same_bits(quietly(half.transform, X), expected)
    assert merged.n_samples_seen_ == 250


def test_no_others_to_merge():
    fitted = OrderedTargetEncoder().fit([["a"], ["b"]], [0, 1])
    before = quietly(fitted.transform, [["a"]])
    assert fitted.merge() is fitted
    assert_same_bits(fitted.transform([["a"]]), before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by", ["given", "when"])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_shards_with_noise_and_order(kind, by, noise):
    """Rows sorted by the column of the order; 70,000 are more than one block of noise."""
    n = 70_000 if noise else 300
    X, targets, weights = make_large(n)
    X = X.sort_values("when", kind="stable")
    y = np.asarray(targets[kind])
    how = {"order": by, "noise": noise, "random_state": 3, "target_type": kind}

    def make():
        return OrderedTargetEncoder(["text", "flag"], **how)

    expected = make().fit_transform(X, y, weights)
    bounds = [0, n // 7, n // 7 + 1, n]
    shards = [slice(low, high) for low, high in pairwise(bounds)]
    parts = [make().partial_fit(X[s], y[s], weights[s]) for s in shards]
    whole = make().merge(*parts)
    earlier = [None, parts[0], make().merge(*parts[:2])]
    found = [
        whole.transform(X[s], y[s], sample_weight=weights[s], earlier=before)
        for s, before in zip(shards, earlier, strict=True)
    ]
    assert_same_bits(np.vstack(found), expected)


def test_batches_whose_tables_have_other_types():
    """A column of whole numbers in one batch, of numbers and missing ones in the next, ..."""
    batches = [
        pd.Series([1, 2, 1]),
        pd.Series([1.0, None, 2.5]),
        pd.Series([1, "1", None], dtype=object),
        pd.Series([2, 1, 2], dtype="uint8"),
        pd.Series([True, False, True]),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series(pd.Categorical([2, 1, 2], categories=[1, 2, 3])),
    ]
    y = [0, 1, 1]
    encoder = OrderedTargetEncoder("all")
    for batch in batches:
        encoder.partial_fit(batch.to_frame("c"), y)
    column = pd.concat([batch.astype(object) for batch in batches], ignore_index=True)
    whole = OrderedTargetEncoder("all").fit(column.to_frame("c"), y * len(batches))
    new = pd.DataFrame({"c": pd.Series([1, 2, 2.5, "1", None, 0, True, 7], dtype=object)})
    assert_same_bits(encoder.transform(new), whole.transform(new))
    values = column.tolist()
    rows = [j for j, value in enumerate(values) if same_category(value, 1)]
    p = 2 / 3
    expected = (sum((y * len(batches))[j] for j in rows) + p) / (len(rows) + 1)
    assert whole.transform(new)[0, 0] == pytest.approx(expected, rel=1e-14)


def test_classes_grow():
    X = np.array([["a"], ["b"], ["a"], ["b"], ["a"], ["b"]])
    y = ["M", "M", "M", "L", "H", "M"]
    encoder = OrderedTargetEncoder().partial_fit(X[:2], y[:2])
    with pytest.raises(ValueError, match="one class"):
        encoder.transform(X)
    assert encoder.partial_fit(X[2:4], y[2:4]).target_type_ == "binary"
    assert encoder.transform(X).shape == (6, 1)
    assert encoder.classes_.tolist() == ["L", "M"]
    assert encoder.partial_fit(X[4:], y[4:]).target_type_ == "multiclass"
    assert encoder.classes_.tolist() == ["H", "L", "M"]
    assert_same_bits(encoder.transform(X), quietly(OrderedTargetEncoder().fit(X, y).transform, X))


@settings(max_examples=60, deadline=None)
@given(st.data(), st.lists(WILD, min_size=2, max_size=30))
def test_later_values_are_the_exact_ones_rounded(data, y):
    """Without prior and smoothing, a value is a sum divided by a weight: three roundings."""
    n = len(y)
    codes = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    weights = data.draw(st.none() | st.lists(WEIGHTS, min_size=n, max_size=n))
    encoder = OrderedTargetEncoder("all", target_type="continuous", smoothing=0)
    encoder.fit(np.array(codes)[:, np.newaxis], y, weights)
    own = [1.0] * n if weights is None else weights
    for code in set(codes):
        rows = [j for j in range(n) if codes[j] == code]
        # The product of weight and target is a float, whose sum is exact.
        total = sum(Fraction(own[j] * y[j]) for j in rows)
        exact = total / sum(Fraction(own[j]) for j in rows)
        found = encoder.transform([[code]])[0, 0]
        assert abs(Fraction(found) - exact) <= abs(exact) * 8 * Fraction(2) ** -53


def test_sums_that_cancel():
    y = [1e16, 1.0, -1e16, 1e-300, 1e300, 5.0, -1e300, 3.0]
    encoder = OrderedTargetEncoder("all", target_type="continuous", smoothing=0)
    encoder.fit(np.zeros((8, 1)), y)
    assert encoder.transform([[0]]).item() == 9 / 8
    trained = OrderedTargetEncoder("all", target_type="continuous", prior=0.0).fit_transform(
        np.zeros((8, 1)), y
    )
    assert trained[3].item() == 1 / 4
    assert trained[7].item() == 6 / 8


@pytest.mark.parametrize("tiny", [5e-324, 2.0**-1060, 1e-310])
def test_the_smallest_numbers(tiny):
    encoder = OrderedTargetEncoder("all", target_type="continuous", smoothing=0)
    encoder.fit([[0], [0], [0], [1]], [tiny, tiny, 1.0, -tiny])
    assert encoder.transform([[1]]).item() == -tiny
    minus_one = OrderedTargetEncoder("all", target_type="continuous", smoothing=0)
    minus_one.fit([[0], [0], [0]], [tiny, 1.0, -1.0], [1.0, 1.0, 1.0])
    encoder.partial_fit([[0]], [-1.0])
    assert encoder.transform([[0]]).item() == pytest.approx(tiny * 2 / 4, abs=5e-324)


def test_products_too_small_for_floats_are_refused():
    encoder = OrderedTargetEncoder("all", target_type="continuous")
    with pytest.raises(InvalidInputError, match=r"weight 0\.1 times the target 5e-324 of row 1"):
        encoder.fit([[0], [0]], [1.0, 5e-324], [1.0, 0.1])


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_weights_of_classes_are_exact_too(kind):
    """0.1 ten times is 0.1 * 10 exactly, not its running sum in floats."""
    labels = labels_of(kind)
    X = np.array([["a"]] * 10 + [["b"]] * len(labels))
    last = max(labels)
    y = [last] * 10 + labels
    encoder = OrderedTargetEncoder(smoothing=0, target_type=kind).fit(
        X, y, [0.1] * 10 + [1.0] * len(labels)
    )
    table = encoder.statistics(0).set_index("category")
    assert table.loc["a", "weight"] == float(10 * Fraction(0.1))
    assert table.loc["a"].iloc[-1] == 1.0
