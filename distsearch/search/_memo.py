"""Scores already known, so that no candidate is paid for twice, in this run or after a stop.

Strategies are deterministic given the scores, so a search that was stopped needs no saved state:
run again from its beginning, it finds every score here and arrives where it was in moments.
"""

from __future__ import annotations

import os
import time
import warnings
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from distsearch.errors import DistsearchWarning, InvalidInputError

__all__ = ["Memo"]


class Memo:
    """Scores by candidate, optionally kept in a file.

    Parameters
    ----------
    path : path-like, optional
        Where to keep the scores; a candidate that failed is not kept, so that it is tried again.
    fingerprint : str
        Names everything else that a score depends on: data, estimator, metric, splits, seed.
    every : float
        Seconds between two writes of the file.

    Raises
    ------
    InvalidInputError
        When the folder is not writable, or the file exists and is no checkpoint, or is one with
        another fingerprint.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, fingerprint: str = "", every: float = 5.0
    ) -> None:
        self._scores: dict[bytes, float] = {}
        self._path = None if path is None else Path(path)
        self._fingerprint = fingerprint
        self._every = every
        self._written = time.monotonic()
        self._unsaved = 0
        self._complained = False
        if self._path is not None:
            if not os.access(self._path.parent, os.W_OK):
                raise InvalidInputError(
                    f"The checkpoint {str(self._path)!r} cannot be written: its folder does not "
                    f"exist or is read-only. Name a file in a writable folder."
                )
            self._load(self._path)
        self.n_loaded = len(self._scores)

    @staticmethod
    def count_in(path: str | os.PathLike[str]) -> int:
        """Return how many scores a checkpoint file keeps; 0 where there is no such file."""
        if not Path(path).exists():
            return 0
        with np.load(path, allow_pickle=False) as file:
            return len(file["scores"])

    @staticmethod
    def _key(candidate: NDArray[np.float64]) -> bytes:
        return (candidate + 0.0).tobytes()  # + 0.0 makes -0.0 and 0.0 one candidate

    def get(self, candidate: NDArray[np.float64]) -> float | None:
        """Return the candidate's score, or None where it is not known."""
        return self._scores.get(self._key(candidate))

    def put(self, candidate: NDArray[np.float64], score: float) -> None:
        """Remember a score, and write the file when it is time."""
        self._scores[self._key(candidate)] = score
        self._unsaved += 1
        if time.monotonic() - self._written >= self._every:
            self.save()

    def save(self) -> None:
        """Write the file, whole or not at all; nothing to do without a path or without news."""
        if self._path is None or not self._unsaved:
            return
        known = {key: score for key, score in self._scores.items() if not np.isnan(score)}
        scratch = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            with scratch.open("wb") as file:
                np.savez(
                    file,
                    fingerprint=np.array(self._fingerprint),
                    keys=np.frombuffer(b"".join(known), dtype=np.uint8),
                    scores=np.fromiter(known.values(), dtype=np.float64),
                )
                file.flush()
                os.fsync(file.fileno())
            scratch.replace(self._path)
        except OSError as error:
            self._complain(error)
        finally:
            scratch.unlink(missing_ok=True)
        self._written = time.monotonic()
        self._unsaved = 0

    def _complain(self, error: OSError) -> None:
        """Warn once: a search is worth more than its checkpoint."""
        if not self._complained:
            warnings.warn(
                f"The checkpoint {str(self._path)!r} could not be written ({error.strerror}); "
                f"the search goes on without it.",
                DistsearchWarning,
                stacklevel=2,
            )
        self._complained = True

    def _load(self, path: Path) -> None:
        try:
            # Opened here, because NumPy leaves a broken archive open.
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                fingerprint, keys, scores = (file[n] for n in ("fingerprint", "keys", "scores"))
        except FileNotFoundError:
            return
        # TypeError: what NumPy reads from a file of one array is no archive.
        except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
            raise InvalidInputError(
                f"{str(path)!r} exists and is not a checkpoint of a search. "
                f"Name another file, or delete this one."
            ) from error
        if str(fingerprint) != self._fingerprint:
            raise InvalidInputError(
                f"The checkpoint {str(path)!r} belongs to another search: its data, estimator, "
                f"metric, splits or seed differ from this one's. Name another file, or delete it."
            )
        parts = keys.tobytes()
        width = len(parts) // max(len(scores), 1)
        self._scores = {
            parts[i * width : (i + 1) * width]: score for i, score in enumerate(scores.tolist())
        }
