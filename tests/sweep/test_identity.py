import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from distsearch.registry import make_estimator
from distsearch.sweep import _identity
from distsearch.sweep._identity import describe_estimator, unit_hash, unit_seed

UNIT = {
    "data": "d" * 32,
    "split": "s" * 32,
    "estimator": {"class": "sklearn.SVC", "params": {"C": 2.0}},
    "method": "boxcox",
    "params": {"strategy": "iterative", "epochs": 4},
    "impute": None,
    "seed": 42,
}


def test_names_of_one_estimator_describe_one_estimator():
    expected = {"class": "sklearn.KNeighborsClassifier", "params": {}}
    for name, params in [("knn", {}), ("KNeighborsClassifier", {}), ("knn", {"n_neighbors": 5})]:
        assert describe_estimator(make_estimator(name, params)) == expected


def test_only_what_differs_from_the_defaults_is_described():
    assert describe_estimator(SVC(C=2.0, gamma="auto"))["params"] == {"C": 2.0, "gamma": "auto"}
    assert describe_estimator(KNeighborsClassifier(3))["params"] == {"n_neighbors": 3}


def test_the_short_names_own_defaults_are_described():
    params = describe_estimator(make_estimator("mlp"))["params"]
    assert params == {"hidden_layer_sizes": (10, 10), "max_iter": 1000}


def test_a_hash_is_stable():
    # Worked once by hand from the documented parts with sha256 of sorted JSON.
    import hashlib
    import json

    whole = {**UNIT, "version": _identity.__version__, "method": ["boxcox", UNIT["params"]]}
    del whole["params"]
    text = json.dumps(whole, sort_keys=True)
    assert unit_hash(**UNIT) == hashlib.sha256(text.encode()).hexdigest()[:32]


def test_the_order_of_parameters_does_not_matter():
    turned = {**UNIT, "params": {"epochs": 4, "strategy": "iterative"}}
    assert unit_hash(**turned) == unit_hash(**UNIT)


def test_every_part_matters(monkeypatch):
    others = [
        {"data": "e" * 32},
        {"split": "t" * 32},
        {"estimator": {"class": "sklearn.SVC", "params": {"C": 3.0}}},
        {"method": "boxcox-map"},
        {"params": {"strategy": "iterative", "epochs": 5}},
        {"impute": "mean"},
        {"seed": 43},
    ]
    names = {unit_hash(**UNIT), *(unit_hash(**{**UNIT, **other}) for other in others)}
    monkeypatch.setattr(_identity, "__version__", "999")
    names.add(unit_hash(**UNIT))
    assert len(names) == len(others) + 2


@given(st.integers(0, 2**32 - 1))
def test_a_seed_belongs_to_the_unit(seed):
    name = unit_hash(**UNIT)
    one, again = (unit_seed(seed, name).generate_state(4) for _ in range(2))
    np.testing.assert_array_equal(one, again)
    other = unit_seed(seed, unit_hash(**{**UNIT, "data": "e" * 32})).generate_state(4)
    assert (one != other).any()
