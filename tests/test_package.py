"""What importing the package does to its surroundings: nothing."""

import subprocess
import sys

import pytest

import distsearch

PROBE = """
import os, random, sys, warnings
import numpy as np, sklearn, scipy.stats, sklearn.pipeline, sklearn.ensemble, sklearn.metrics
from sklearn import get_config
def state():
    numpy_state = np.random.get_state()
    return (
        list(warnings.filters), dict(os.environ), random.getstate(), numpy_state[1].tolist(),
        numpy_state[2:], os.getcwd(), sys.path[:], get_config(), np.geterr(), sys.excepthook,
    )
before = state()
import MODULE
assert state() == before, [one for one, two in zip(before, state()) if one != two]
loaded = {"ray", "matplotlib", "polars"} & set(sys.modules)
assert not loaded, loaded
print("fine")
"""


def run(script):
    """Run a script in a process of its own; return what it prints, and its error if it fails."""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("module", ["distsearch", "distsearch.boxcox"])
def test_importing_changes_nothing_outside(module):
    script = PROBE.replace("MODULE", module)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout == "fine\n", done.stderr


def test_the_front_page_loads_nothing_until_it_is_asked():
    script = "import distsearch, sys; assert 'sklearn' not in sys.modules; print(dir(distsearch))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    for name in distsearch.__all__:
        assert repr(name) in done.stdout, done.stderr


@pytest.mark.parametrize("name", distsearch.__all__)
def test_every_public_name_is_there(name):
    assert getattr(distsearch, name) is not None


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="'distsearch' has no attribute 'BoxCox'"):
        distsearch.BoxCox  # noqa: B018
