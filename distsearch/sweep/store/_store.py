"""The store as its one driver sees it."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType

from distsearch.errors import StoreError
from distsearch.sweep.store._explain import explained
from distsearch.sweep.store._file import locate, open_to_write, settle
from distsearch.sweep.store._lock import Lock
from distsearch.sweep.store._records import Result, RunRecord, StudyRecord
from distsearch.sweep.store._rows import begin, unit_row
from distsearch.sweep.store._values import metrics_by_hash, now, text

__all__ = ["Store"]

_SAVE_UNIT = """
INSERT INTO units VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (hash) DO UPDATE SET
    state = excluded.state, facts = excluded.facts, error_type = excluded.error_type,
    error = excluded.error, traceback = excluded.traceback, fit_seconds = excluded.fit_seconds,
    predict_seconds = excluded.predict_seconds, attempts = excluded.attempts,
    finished = excluded.finished, run = excluded.run
WHERE excluded.state = 'done' OR units.state = 'failed'
"""
_SAVE_SCORE = "INSERT OR REPLACE INTO scores VALUES (?, ?, ?)"
_FINISHED = """
SELECT u.hash, s.metric FROM plan AS p JOIN units AS u ON u.hash = p.hash
LEFT JOIN scores AS s ON s.hash = u.hash WHERE p.study = ? AND u.state = 'done'
"""
_FAILED = """
SELECT u.hash FROM plan AS p JOIN units AS u ON u.hash = p.hash
WHERE p.study = ? AND u.state = 'failed'
"""


class Store:
    """A store of results, to write to; made by `drive`, and closed by ``with``.

    Every method raises `StoreError` with one line when the file cannot be read or written. What
    `record` has returned from is in the file whatever happens next.

    Examples
    --------
    >>> with Store.drive("sweep.db", study=study, run=run) as store:  # doctest: +SKIP
    ...     store.record(Result("a unit's hash", {"accuracy": 0.9}))
    """

    def __init__(
        self, path: str, lock: Lock, connection: sqlite3.Connection, study: str, run: int
    ) -> None:
        self._path = path
        self._lock = lock
        self._connection = connection
        self._study = study
        self._run = run
        self._pid = os.getpid()
        self._turn = threading.RLock()
        self._closed = False
        self._broken = False

    @classmethod
    def drive(cls, path: str | os.PathLike[str], *, study: StudyRecord, run: RunRecord) -> Store:
        """Open a store to write results of a study into it.

        Parameters
        ----------
        path : path
            The file; it is made if it is not there or empty.
        study : StudyRecord
            What is planned; it takes the place of an earlier study of the same name. Results stay.
        run : RunRecord
            What is known of this run.

        Returns
        -------
        Store

        Raises
        ------
        StoreBusyError
            When another driver has it, within a second.
        StoreError
            When the file is none of ours, or cannot be read or written.
        """
        shown = os.fspath(path)
        with explained(shown):
            real = locate(shown)
            lock = Lock(real, shown)
            try:
                connection = open_to_write(real, shown)
                try:
                    with _transaction(connection):
                        number = begin(connection, study, run)
                except BaseException:
                    connection.close()
                    raise
            except BaseException:
                lock.release()
                raise
        return cls(shown, lock, connection, study.name, number)

    def finished(self) -> dict[str, frozenset[str]]:
        """Return the hashes of this study's done units, each with the metrics stored for it."""
        with self._using():
            return metrics_by_hash(self._connection.execute(_FINISHED, (self._study,)))

    def failed(self) -> frozenset[str]:
        """Return the hashes of this study's failed units."""
        with self._using():
            rows = self._connection.execute(_FAILED, (self._study,)).fetchall()
        return frozenset(unit for (unit,) in rows)

    def record(self, result: Result) -> None:
        """Keep what became of a unit, in one transaction.

        Where there is something for the unit already, a success takes the place of anything but
        keeps scores of metrics that it does not have itself; a failure takes the place of a failure
        only.

        Parameters
        ----------
        result : Result
            Of a unit of any study.

        Raises
        ------
        StoreError
            When it could not be kept. Unless another program only kept the file locked, nothing
            more can be recorded before the store is opened again.
        """
        unit = unit_row(result, self._run)
        scores = () if result.failed else result.scores.items()
        rows = [(result.hash, metric, float(value)) for metric, value in scores]
        with self._using():
            self._lock.check()
            with _transaction(self._connection):
                self._connection.execute(_SAVE_UNIT, unit)
                self._connection.executemany(_SAVE_SCORE, rows)

    def close(self, outcome: str = "finished") -> None:
        """Write how the run ended, leave everything in the one file and let go of it.

        Parameters
        ----------
        outcome : str
            ``finished``, ``interrupted``, or ``failed: ...``; a second call changes nothing.

        Raises
        ------
        StoreError
            When that could not be written; the results are safe and the lock is gone.
        """
        with self._turn:
            if self._closed:
                return
            self._closed = True
            try:
                if os.getpid() == self._pid:
                    self._end(outcome)
            finally:
                self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
            return
        with suppress(StoreError):  # the first error is the one to tell
            self.close(_outcome(error))

    def _end(self, outcome: str) -> None:
        with explained(self._path):
            try:
                if not self._broken:
                    self._lock.check()
                    with _transaction(self._connection):
                        self._connection.execute(
                            "UPDATE runs SET ended = ?, outcome = ? WHERE id = ?",
                            (now(), text(outcome), self._run),
                        )
                    settle(self._connection)
            finally:
                self._connection.close()

    @contextmanager
    def _using(self) -> Iterator[None]:
        """Take turns with other threads, and do not go on after an error of the disk."""
        with self._turn:
            if os.getpid() != self._pid:
                raise StoreError(
                    f"{self._path} is open in the process that this one was forked from. "
                    "Record results there."
                )
            if self._closed or self._broken:
                raise StoreError(
                    f"{self._path} was closed{' by an error' if self._broken else ''}. "
                    "Open it again to go on."
                )
            with explained(self._path):
                try:
                    yield
                except sqlite3.Error as error:
                    # After a failed sync the system may take lost pages for written ones.
                    code = getattr(error, "sqlite_errorcode", None) or 0
                    self._broken = code & 0xFF != sqlite3.SQLITE_BUSY
                    raise


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


def _outcome(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt | SystemExit):
        return "interrupted"
    said = " ".join(str(error).split())
    return f"failed: {type(error).__name__}: {said}" if said else f"failed: {type(error).__name__}"
