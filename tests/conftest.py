"""One private Ray for every test that needs one."""

import pytest


@pytest.fixture(scope="session")
def own_ray():
    """A Ray with four CPUs; backends made meanwhile use it and leave it running."""
    from distsearch.backends import RayBackend

    with RayBackend(workers=4) as backend:
        yield backend.start()
