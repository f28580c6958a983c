"""One BLAS and one OpenMP thread while a unit runs.

Thread counts change results in the last bits (k-means' centres, for one), so every backend pins
them, serial too. Finding the loaded libraries takes about a millisecond, setting their number a
few microseconds: the libraries found are remembered until another module has been imported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import ThreadpoolController

__all__ = ["single_threaded"]

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
}
"""What a worker's environment says before anything is loaded."""

_found: tuple[int, ThreadpoolController] | None = None


def _controller() -> ThreadpoolController:
    global _found  # noqa: PLW0603 - a cache of what the process has loaded
    loaded = len(sys.modules)
    if _found is None or _found[0] != loaded:
        _found = (loaded, ThreadpoolController())
    return _found[1]


@contextmanager
def single_threaded() -> Iterator[None]:
    """Hold every BLAS and OpenMP library that is loaded to one thread.

    Examples
    --------
    >>> from distsearch.backends import single_threaded
    >>> with single_threaded():
    ...     pass
    """
    with _controller().limit(limits=1):
        yield
