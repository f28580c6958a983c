"""Small things that the contract's tests share."""

from __future__ import annotations

import math
import pickle
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from distsearch.backends import _engine
from distsearch.backends._protocol import Outcome, Unit
from distsearch.backends._seeds import derive_seed, seed_sequence

__all__: list[str] = []


def seeded(number: int) -> list[Unit]:
    root = seed_sequence(20)
    return [Unit(place, derive_seed(root, place), f"unit {place}") for place in range(number)]


def plain(payloads: Any) -> list[Unit]:
    return [Unit(payload) for payload in payloads]


def in_order(outcomes: Iterator[Outcome]) -> list[Outcome]:
    return sorted(outcomes, key=lambda outcome: outcome.index)


def bits(outcomes: Iterator[Outcome]) -> list[bytes]:
    """Return the values as bytes: equal to the last bit, or not equal."""
    return [pickle.dumps(outcome.unwrap()) for outcome in in_order(outcomes)]


def global_state() -> tuple[Any, ...]:
    state = np.random.get_state(legacy=False)  # noqa: NPY002
    return state["state"]["key"].tobytes(), state["has_gauss"], state["gauss"], random.getstate()


def data() -> dict[str, Any]:
    return {"X": np.random.default_rng(5).normal(size=(150, 3))}


@contextmanager
def raises(kind: type[BaseException], *words: str) -> Iterator[None]:
    """Expect an error whose message has these words; pytest is not needed to import this."""
    try:
        yield
    except kind as error:
        text = str(error)
        assert all(word in text for word in words), f"{words} expected in {text!r}"
    else:
        raise AssertionError(f"{kind.__name__} was expected")


@contextmanager
def no_second_copies() -> Iterator[None]:
    """Hand no unit out twice, however long a busy machine lets it wait."""
    usual = _engine.OVERDUE_SECONDS
    _engine.OVERDUE_SECONDS = math.inf
    try:
        yield
    finally:
        _engine.OVERDUE_SECONDS = usual


class Guarded:
    def __init__(self) -> None:
        self.guard = threading.Lock()


def values(outcomes: Iterator[Outcome]) -> list[Any]:
    return [outcome.unwrap() for outcome in in_order(outcomes)]
