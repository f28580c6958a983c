import importlib.util
from pathlib import Path

import pytest

import distsearch

ROOT = Path(distsearch.__file__).parents[1]


@pytest.fixture(scope="session")
def papers():
    """The folder of the papers' studies."""
    return ROOT / "jobs" / "papers"


@pytest.fixture(scope="session")
def boxcox_2d():
    """The job as a module."""
    spec = importlib.util.spec_from_file_location("boxcox_2d_job", ROOT / "jobs" / "boxcox_2d.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
