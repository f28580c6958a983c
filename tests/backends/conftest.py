"""What the tests of the backends share."""

from multiprocessing import resource_tracker

import pytest
from joblib.externals.loky.backend import resource_tracker as loky_tracker

pytest.register_assert_rewrite("distsearch.backends.contract")


@pytest.fixture(scope="session", autouse=True)
def _trackers():
    """Start the resource trackers, which stay until this process is gone, before any counting."""
    resource_tracker.ensure_running()
    loky_tracker.ensure_running()
