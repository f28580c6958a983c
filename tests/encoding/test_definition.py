"""The encoder beside the definition."""

import numpy as np
import pytest
from encoding.ordered_definition import is_close, later_values, training_values
from encoding.tables import frame_of, make_large, problems, quietly
from hypothesis import given, settings
from hypothesis import strategies as st

from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import DistsearchWarning

WEIGHTS = st.just(0.0) | st.floats(0.01, 100.0) | st.integers(1, 4)


@settings(max_examples=200, deadline=None)
@given(
    st.data(),
    problems(weights=WEIGHTS),
    st.sampled_from([0.0, 0.5, 1.0, 10.0]),
    st.none() | st.floats(-2.0, 2.0),
)
def test_every_value_is_the_definitions(data, problem, smoothing, prior):
    how = {"weights": problem.weights, "smoothing": smoothing, "prior": prior}
    new = [
        data.draw(st.lists(st.sampled_from([*column, "unseen", 99, 1]), min_size=4, max_size=4))
        for column in problem.columns
    ]
    encoder = problem.encoder(smoothing=smoothing, prior="mean" if prior is None else prior)
    trained = quietly(encoder.fit_transform, problem.table, problem.y, problem.weights)
    is_close(
        trained,
        training_values(problem.columns, problem.y, problem.kind, **how),
        problem.scale,
    )
    is_close(
        encoder.transform(frame_of(new)),
        later_values(problem.columns, problem.y, problem.kind, new, **how),
        problem.scale,
    )


@settings(max_examples=40, deadline=None)
@given(problems(weights=WEIGHTS, most_columns=2, most_rows=12), st.data())
def test_ordered_by_a_column_with_ties(problem, data):
    n = len(problem.y)
    times = data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    table = problem.table
    table.insert(1, "time", times)
    encoder = problem.encoder(order="time")
    found = np.asarray(encoder.fit_transform(table, problem.y, problem.weights))
    assert encoder.encoded_features_.tolist() == [0, *range(2, table.shape[1])]
    width = 3 if problem.kind == "multiclass" else 1
    assert found[:, width].tolist() == times
    order = sorted(range(n), key=lambda i: times[i])
    expected = training_values(
        problem.columns, problem.y, problem.kind, weights=problem.weights, orders=[order]
    )
    found = np.delete(found.astype(float), width, axis=1)
    is_close(found, expected, problem.scale)


def drawn_order(n, **how):
    """Return a random order: with y = 0 and a prior of 1, the row at place k becomes 1/(k + 1)."""
    encoder = OrderedTargetEncoder(
        "all", target_type="continuous", prior=1.0, order="random", **how
    )
    values = encoder.fit_transform(np.zeros((n, 1)), np.zeros(n)).ravel()
    return np.argsort(-values).tolist(), values


@settings(max_examples=40, deadline=None)
@given(problems(weights=WEIGHTS, most_rows=12), st.integers(0, 1000))
def test_a_random_order(problem, seed):
    order, _ = drawn_order(len(problem.y), random_state=seed)
    assert sorted(order) == list(range(len(order)))
    encoder = problem.encoder(order="random", random_state=seed)
    is_close(
        encoder.fit_transform(problem.table, problem.y, problem.weights),
        training_values(
            problem.columns, problem.y, problem.kind, weights=problem.weights, orders=[order]
        ),
        problem.scale,
    )


def test_several_random_orders_are_averaged():
    """Three orders of four rows, told apart by the averages that only they have."""
    n, seed = 4, 5
    _, averages = drawn_order(n, random_state=seed, n_permutations=3)
    from itertools import combinations_with_replacement, permutations

    column, y = ["a", "a", "a", "a"], [0.1, 1.7, -3.3, 9.2]
    found = OrderedTargetEncoder(
        "all", target_type="continuous", order="random", random_state=seed, n_permutations=3
    ).fit_transform(frame_of([column]), y)
    matches = 0
    for orders in combinations_with_replacement(permutations(range(n)), 3):
        orders = [list(order) for order in orders]
        counted = [np.mean([1 / (order.index(i) + 1) for order in orders]) for i in range(n)]
        if not np.allclose(counted, averages, atol=1e-12):
            continue
        expected = training_values([column], y, "continuous", orders=orders)
        matches += np.allclose(found, expected, atol=1e-12)
    assert matches >= 1


def test_random_orders_differ_with_the_seed_and_are_even():
    orders = [drawn_order(6, random_state=seed)[0] for seed in range(300)]
    assert len({tuple(order) for order in orders}) > 200
    places = np.argsort(orders, axis=1).mean(axis=0)
    np.testing.assert_allclose(places, 2.5, atol=0.5)


def test_more_orders_come_nearer_to_the_mean_of_all():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (60, 1))
    y = rng.integers(0, 2, 60)

    def values(n_permutations, seed):
        return OrderedTargetEncoder(
            "all", order="random", n_permutations=n_permutations, random_state=seed
        ).fit_transform(X, y)

    spread = [np.std([values(k, seed) for seed in range(8)], axis=0).mean() for k in (1, 16)]
    assert spread[1] < spread[0] / 2.5


@pytest.mark.parametrize("kind", ["binary", "continuous", "multiclass"])
@pytest.mark.parametrize("weighted", [False, True])
def test_some_hundred_rows_with_many_categories(kind, weighted):
    X, targets, weights = make_large(150)
    y, weights = targets[kind].tolist(), weights if weighted else None
    if kind == "continuous":
        y = (targets[kind] / np.abs(targets[kind]).max()).tolist()
    columns = [X[name].tolist() for name in X]
    encoder = OrderedTargetEncoder("all", target_type=kind, smoothing=2.5)
    expected = training_values(columns, y, kind, weights=weights, smoothing=2.5)
    is_close(encoder.fit_transform(X, y, weights), expected)


def test_without_smoothing_a_warning_tells_of_first_rows():
    with pytest.warns(DistsearchWarning, match="Without smoothing, the first row"):
        OrderedTargetEncoder(smoothing=0).fit_transform([["a"], ["a"]], [0, 1])
