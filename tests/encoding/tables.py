"""Tables for the tests of encoders, drawn at random or made by hand, and how to compare bits."""

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import DistsearchWarning

MISSING = [None, float("nan"), pd.NA, pd.NaT]

KINDS = ["binary", "continuous", "multiclass"]

POOLS = [
    ["a", "b", "c", *MISSING],
    ["x", "nan", "None", "<NA>", "", *MISSING],
    [1, "1", 2.5, True, False, 0, "True", None],
    [0, 1, 2, 3],
    [-5, 10**12, 7],
    [0.5, 1.5, float("inf"), float("nan")],
    [True, False, None],
    [pd.Timestamp("2020-01-01"), pd.Timestamp("1999-12-31 23:59"), pd.NaT],
    [("a", 1), ("a", 2), ()],
]


def numbers_up_to(most):
    """Floats whose products with weights are not too small for floats."""
    return st.floats(-most, most).map(lambda value: value if abs(value) > 1e-100 else 0.0)


NUMBERS = numbers_up_to(1e3)


@dataclass
class Problem:
    """A training table: one list a column."""

    columns: list
    y: list
    kind: str
    weights: list | None

    @property
    def scale(self):
        return max([1.0, *(abs(v) for v in self.y if not isinstance(v, str))])

    @property
    def table(self):
        return frame_of(self.columns)

    def encoder(self, **how):
        return OrderedTargetEncoder("all", target_type=self.kind, **how)


def frame_of(columns):
    return pd.DataFrame(
        {f"c{j}": pd.Series(list(values), dtype=object) for j, values in enumerate(columns)}
    )


def labels_of(kind):
    return {"binary": ["no", "yes"], "multiclass": ["L", "M", "H"]}[kind]


@st.composite
def problems(
    draw, kinds=KINDS, weights=None, numbers=NUMBERS, pools=POOLS, most_columns=3, most_rows=20
):
    kind = draw(st.sampled_from(kinds))
    n = draw(st.integers(3, most_rows))
    chosen = draw(st.lists(st.sampled_from(pools), min_size=1, max_size=most_columns))
    columns = [
        draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n)) for pool in chosen
    ]  # fmt: skip
    if kind == "continuous":
        y = draw(st.lists(numbers, min_size=n, max_size=n))
    else:
        labels = labels_of(kind)
        rest = n - len(labels)
        y = labels + draw(st.lists(st.sampled_from(labels), min_size=rest, max_size=rest))
        y = draw(st.permutations(y))
    some = None
    if weights is not None and draw(st.booleans()):
        some = draw(st.lists(weights, min_size=n, max_size=n).filter(any))
    return Problem(columns, y, kind, some)


@st.composite
def cuts(draw, n):
    """Places to cut n rows at, from 0 to n."""
    inner = draw(st.sets(st.integers(1, n - 1), max_size=4))
    return [0, *sorted(inner), n]


def quietly(call, *args, **kwargs):
    """Call without the warnings about 0/0 and about training rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DistsearchWarning)
        return call(*args, **kwargs)


def assert_same_bits(found, expected):
    found, expected = (np.asarray(each, dtype=np.float64) for each in (found, expected))
    np.testing.assert_array_equal(found, expected)
    bits = [np.where(np.isnan(each), 0.0, each).view(np.int64) for each in (found, expected)]
    np.testing.assert_array_equal(*bits)


def make_large(n=400, seed=0):
    """A frame with text, numbers, missing values and truth values; three targets; weights."""
    rng = np.random.default_rng(seed)
    text = rng.choice(np.array(["a", "b", "c", None], dtype=object), n)
    X = pd.DataFrame(
        {
            "text": pd.Series(text, dtype=object),
            "code": rng.integers(0, n // 4, n),
            "when": rng.integers(0, 50, n),
            "flag": rng.random(n) < 0.3,
        }
    )
    targets = {
        "binary": rng.integers(0, 2, n),
        "continuous": rng.normal(size=n) * 10.0 ** rng.integers(-9, 12, n),
        "multiclass": rng.choice(np.array(["H", "L", "M", "N", "O", "P"]), n),
    }
    return X, targets, rng.random(n) + 0.1
