import importlib.util
import sys
from pathlib import Path

import pytest

import distsearch

ROOT = Path(distsearch.__file__).parents[1]


@pytest.fixture(scope="session")
def papers():
    """The folder of the papers' studies."""
    return ROOT / "jobs" / "papers"


def _job(name):
    spec = importlib.util.spec_from_file_location(f"{name}_job", ROOT / "jobs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def boxcox_2d():
    """The job as a module."""
    return _job("boxcox_2d")


@pytest.fixture(scope="session")
def odd_tables():
    """The job as a module."""
    return _job("odd_tables")
