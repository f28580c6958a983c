"""One private Ray for every test that needs one."""

import signal

import pytest
from hypothesis import settings

# How long an example takes says more about what else the machine does.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure():
    """Take Ctrl-C, which a shell makes its background processes ignore, and their children too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def own_ray():
    """A Ray with four CPUs; backends made meanwhile use it and leave it running."""
    from distsearch.backends import RayBackend

    with RayBackend(workers=4) as backend:
        yield backend.start()
