"""Seeds, against NumPy's own rules for them."""

import numpy as np
import pytest

from distsearch.backends import derive_seed, seed_sequence
from distsearch.errors import InvalidInputError


def numbers(seed):
    return seed.generate_state(4).tolist()


def test_an_integer_names_the_seed():
    assert numbers(seed_sequence(3)) == numbers(np.random.SeedSequence(3))
    assert numbers(seed_sequence(np.int64(3))) == numbers(np.random.SeedSequence(3))


def test_a_seed_sequence_is_itself():
    root = np.random.SeedSequence(3)
    assert seed_sequence(root) is root


def test_none_is_fresh():
    assert numbers(seed_sequence(None)) != numbers(seed_sequence(None))


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_a_generator_is_advanced_by_what_was_drawn(make):
    first = make(3)
    one, two = numbers(seed_sequence(first)), numbers(seed_sequence(first))
    assert one != two
    assert numbers(seed_sequence(make(3))) == one


@pytest.mark.parametrize("wrong", [-1, 1.5, "3", [1]])
def test_anything_else_is_refused(wrong):
    with pytest.raises(InvalidInputError, match="random_state must be"):
        seed_sequence(wrong)


def test_a_derived_seed_is_the_child_that_numpy_spawns():
    root = np.random.SeedSequence(5)
    children = np.random.SeedSequence(5).spawn(3)
    assert [numbers(derive_seed(root, n)) for n in range(3)] == [numbers(c) for c in children]
    grandchild = children[2].spawn(2)[1]
    assert numbers(derive_seed(root, 2, 1)) == numbers(grandchild)
    assert numbers(derive_seed(derive_seed(root, 2), 1)) == numbers(grandchild)
    assert root.n_children_spawned == 0
