"""Seeds that belong to the unit of work, never to a worker."""

from __future__ import annotations

from typing import Any

import numpy as np

from distsearch.errors import InvalidInputError

__all__ = ["derive_seed", "seed_sequence"]


def seed_sequence(random_state: Any = None) -> np.random.SeedSequence:
    """Turn what scikit-learn users pass as ``random_state`` into a root seed.

    Parameters
    ----------
    random_state : int, None, RandomState, Generator or SeedSequence
        An integer names the seed; None draws a fresh one from the operating system; a generator
        is advanced by one draw, as scikit-learn does.

    Returns
    -------
    numpy.random.SeedSequence

    Raises
    ------
    InvalidInputError
        For anything else, and for negative integers.
    """
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(0, 2**32, size=4, dtype=np.uint64))
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(0, 2**32, size=4, dtype=np.uint64))
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return np.random.SeedSequence(int(random_state))
    raise InvalidInputError(
        f"random_state must be a non-negative integer, None, a RandomState, a Generator or a "
        f"SeedSequence. Got {random_state!r} instead."
    )


def derive_seed(root: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """Return the seed of the unit that ``key`` names, whoever runs it and whenever.

    Parameters
    ----------
    root : numpy.random.SeedSequence
        The root seed of the whole run.
    *key : int
        Non-negative integers that name the unit.
    """
    return np.random.SeedSequence(entropy=root.entropy, spawn_key=(*root.spawn_key, *key))
