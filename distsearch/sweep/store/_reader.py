"""The store as its readers see it, while a driver writes or not."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import TYPE_CHECKING

from distsearch._wording import did_you_mean, listed
from distsearch.errors import InvalidInputError, StoreError, UnknownNameError
from distsearch.sweep.store._driver import Driver, current_driver
from distsearch.sweep.store._explain import explained
from distsearch.sweep.store._file import locate
from distsearch.sweep.store._file_read import open_to_read
from distsearch.sweep.store._frames import results_frame, runs_frame
from distsearch.sweep.store._records import DataRecord, SettingRecord, StudyRecord, UnitRecord
from distsearch.sweep.store._values import metrics_by_hash

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["StoreReader"]

_UNITS = """
SELECT w.place, u.state, u.fit_seconds, u.predict_seconds, u.attempts, u.error_type, u.error,
       u.facts
FROM wanted AS w JOIN units AS u ON u.hash = w.hash
"""
_DATA = "label, hash, source, rows, features, classes, test_to_train"
_KNOWN = """
SELECT w.hash, s.metric FROM wanted AS w JOIN units AS u ON u.hash = w.hash
LEFT JOIN scores AS s ON s.hash = u.hash WHERE u.state = 'done'
"""
_SCORES = """
SELECT w.place, s.metric, s.value FROM wanted AS w JOIN scores AS s ON s.hash = w.hash
"""


class StoreReader:
    """A store of results, to read from; nothing in it is ever changed.

    Each call reads one consistent state of the file, with all that was recorded before, and holds
    nothing open afterwards.

    Parameters
    ----------
    path : path
        The file.

    Raises
    ------
    StoreError
        When there is none, or it is none of ours.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        with explained(self._path):
            self._real = locate(self._path)
        with self._reading():
            pass

    def __enter__(self) -> StoreReader:
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing: there is nothing open."""

    def studies(self) -> list[str]:
        """Return the names of the studies, sorted."""
        with self._reading() as connection:
            return _names(connection)

    def study(self, name: str | None = None) -> StudyRecord:
        """Return a study as it was last planned.

        Parameters
        ----------
        name : str, optional
            Its name; may be left out where there is only one.

        Returns
        -------
        StudyRecord

        Raises
        ------
        UnknownNameError
            When there is no such study.
        InvalidInputError
            When no name is given and there are several.
        StoreError
            When the file cannot be read.
        """
        with self._reading() as connection:
            return _study(connection, _chosen(_names(connection), name, self._path))

    def results(self, study: StudyRecord) -> pd.DataFrame:
        """Return what is known of each unit of a study.

        Parameters
        ----------
        study : StudyRecord
            Of this store or not; results are found by the hashes of its units.

        Returns
        -------
        pandas.DataFrame of shape (n_units, 14 + n_scorers)
            In the study's order: position, hash, data, estimator, method, repeat, fold, state
            (``done``, ``failed`` or ``pending``), a column a scorer (NaN where there is no value),
            fit_seconds, predict_seconds (NaN where pending; not twice where they are scorers),
            attempts, error_type, error, facts (JSON).

        Raises
        ------
        StoreError
            When the file cannot be read.
        """
        with self._wanting(study) as connection:
            units = connection.execute(_UNITS).fetchall()
            scores = connection.execute(_SCORES).fetchall()
        return results_frame(study, units, scores)

    def finished(self, study: StudyRecord) -> dict[str, frozenset[str]]:
        """Return the hashes of a study's done units, each with the metrics stored for it.

        Parameters
        ----------
        study : StudyRecord
            Of this store or not.
        """
        with self._wanting(study) as connection:
            return metrics_by_hash(connection.execute(_KNOWN))

    def runs(self) -> pd.DataFrame:
        """Return the manifest: one row a run, the first one first.

        Returns
        -------
        pandas.DataFrame of shape (n_runs, 14)
            id, study, started, ended (NaT where unknown), outcome (missing while a run is going on;
            ``lost`` where one was killed), pid, host, command, spec, seed, data (JSON), backend,
            versions (JSON), platform (JSON).

        Raises
        ------
        StoreError
            When the file cannot be read.
        """
        with self._reading() as connection:
            cursor = connection.execute("SELECT * FROM runs ORDER BY id")
            names = [column[0] for column in cursor.description]
            return runs_frame(names, cursor.fetchall())

    def driver(self) -> Driver | None:
        """Return who is writing to the store now, or None.

        Raises
        ------
        StoreError
            When the lock cannot be read.
        """
        with explained(self._path):
            return current_driver(self._real)

    @contextmanager
    def _wanting(self, study: StudyRecord) -> Iterator[sqlite3.Connection]:
        """Give a connection with the table `wanted`, of the study's units."""
        with self._reading() as connection:
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute("BEGIN")
            connection.execute("CREATE TEMP TABLE wanted (place INTEGER PRIMARY KEY, hash TEXT)")
            connection.executemany(
                "INSERT INTO wanted VALUES (?, ?)",
                enumerate(map(attrgetter("hash"), study.units)),
            )
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path):
            if not os.path.exists(self._real):
                raise StoreError(f"{self._path} does not exist. Run a study first.")
            connection = open_to_read(self._real, self._path)
            try:
                yield connection
            finally:
                connection.close()


def _names(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM studies ORDER BY name")]


def _chosen(names: Sequence[str], name: str | None, path: str) -> str:
    if not names:
        raise InvalidInputError(f"{path} has no study yet. Run one first.")
    if name is None:
        if len(names) == 1:
            return names[0]
        raise InvalidInputError(
            f"{path} has {len(names)} studies: {listed(names)}. Name one of them."
        )
    if name not in names:
        raise UnknownNameError(
            f"{path} has no study {name!r}.{did_you_mean(name, names)} It has {listed(names)}."
        )
    return name


def _study(connection: sqlite3.Connection, name: str) -> StudyRecord:
    def rows(table: str, columns: str) -> sqlite3.Cursor:
        return connection.execute(
            f"SELECT {columns} FROM {table} WHERE study = ? ORDER BY position", (name,)
        )

    connection.execute("BEGIN")
    title, seed, scorers, baseline = connection.execute(
        "SELECT title, seed, scorers, baseline FROM studies WHERE name = ?", (name,)
    ).fetchone()
    return StudyRecord(
        name=name,
        title=title,
        seed=seed,
        scorers=tuple(json.loads(scorers)),
        baseline=baseline,
        data=tuple(DataRecord(*row) for row in rows("data", _DATA)),
        settings=tuple(
            SettingRecord(*row[:4], *map(json.loads, row[4:]))
            for row in rows("settings", "kind, label, entry, name, params, varied")
        ),
        units=tuple(
            UnitRecord(*row)
            for row in rows("plan", "position, hash, data, estimator, method, repeat, fold")
        ),
    )
