"""One private Ray for every test of the backends that needs one."""

from multiprocessing import resource_tracker

import pytest
from joblib.externals.loky.backend import resource_tracker as loky_tracker

pytest.register_assert_rewrite("distsearch.backends.contract")


TOKEN = "ab" * 24


@pytest.fixture(scope="session")
def own_ray():
    """A Ray with four CPUs; backends made meanwhile use it and leave it running."""
    from distsearch.backends import RayBackend

    with RayBackend(workers=4) as backend:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RAY_AUTH_TOKEN", TOKEN)
            backend.start()
        yield backend


@pytest.fixture(scope="session", autouse=True)
def _trackers():
    """Start the resource trackers, which stay until this process is gone, before any counting."""
    resource_tracker.ensure_running()
    loky_tracker.ensure_running()
