"""The contract, kept by each of the three backends."""

from contextlib import nullcontext

import pytest

from distsearch.backends import ProcessesBackend, RayBackend, SerialBackend
from distsearch.backends.contract import BackendContract, WorkerContract


class TestSerial(BackendContract):
    def make(self, workers):
        return SerialBackend()


class TestProcesses(WorkerContract):
    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def _kept(cls):
        # Workers are kept from test to test, as a long-lived program would.
        cls.kept = {}
        yield
        for backend in cls.kept.values():
            backend.close()

    def make(self, workers):
        return ProcessesBackend(workers)

    def opened(self, workers):
        if workers not in self.kept:
            self.kept[workers] = self.make(workers)
        return nullcontext(self.kept[workers])


@pytest.mark.ray
class TestRay(WorkerContract):
    @pytest.fixture(autouse=True)
    def _ray(self, own_ray):
        self.own_ray = own_ray

    def make(self, workers):
        return RayBackend(workers=workers)

    def opened(self, workers):
        return self.make(workers)
