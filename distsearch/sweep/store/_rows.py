"""What is written into the tables: a unit's row, a study's rows, the beginning of a run."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from typing import Any

from distsearch.sweep.store._records import Result, RunRecord, SettingRecord, StudyRecord
from distsearch.sweep.store._values import now, text, to_json

__all__ = ["begin", "unit_row"]

_COLUMNS = {"data": 9, "settings": 8, "plan": 8}


def unit_row(result: Result, run: int) -> tuple[Any, ...]:
    """Return the row of a unit in `units`.

    Parameters
    ----------
    result : Result
        What became of it.
    run : int
        The number of the run.

    Returns
    -------
    tuple
    """
    return (
        result.hash,
        "failed" if result.failed else "done",
        to_json(result.facts),
        text(result.error_type),
        text(result.error),
        text(result.traceback),
        float(result.fit_seconds),
        float(result.predict_seconds),
        int(result.attempts),
        now(),
        run,
    )


def begin(connection: sqlite3.Connection, study: StudyRecord, run: RunRecord) -> int:
    """Write a study and the beginning of a run; to be called within a transaction.

    Parameters
    ----------
    connection : sqlite3.Connection
        To write to.
    study : StudyRecord
        The study, which takes the place of one of the same name.
    run : RunRecord
        What is known of the run.

    Returns
    -------
    int
        The number of the run.
    """
    connection.execute("UPDATE runs SET outcome = 'lost' WHERE outcome IS NULL")
    connection.execute("DELETE FROM studies WHERE name = ?", (study.name,))
    connection.execute(
        "INSERT INTO studies VALUES (?, ?, ?, ?, ?)",
        (study.name, text(study.title), study.seed, to_json(study.scorers), study.baseline),
    )
    for table, rows in _study_rows(study).items():
        connection.execute(f"DELETE FROM {table} WHERE study = ?", (study.name,))
        marks = ", ".join("?" * _COLUMNS[table])
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    cursor = connection.execute(
        "INSERT INTO runs VALUES (NULL, ?, ?, NULL, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            study.name,
            now(),
            os.getpid(),
            text(os.uname().nodename),
            text(run.command),
            text(run.spec),
            study.seed,
            to_json({each.label: each.hash for each in study.data}),
            text(run.backend),
            to_json(dict(run.versions)),
            to_json(dict(run.platform)),
        ),
    )
    return int(cursor.lastrowid or 0)


def _study_rows(study: StudyRecord) -> dict[str, Iterator[tuple[Any, ...]]]:
    """Return the rows of each table that has the study in its first column."""
    name = study.name
    return {
        "data": (
            (
                name,
                place,
                d.label,
                d.hash,
                text(d.source),
                d.rows,
                d.features,
                d.classes,
                d.test_to_train,
            )
            for place, d in enumerate(study.data)
        ),
        "settings": (
            (name, place, s.kind, s.label, s.entry, s.name, *_parameters(s))
            for place, s in enumerate(study.settings)
        ),
        "plan": (
            (name, u.position, u.hash, u.data, u.estimator, u.method, u.repeat, u.fold)
            for u in study.units
        ),
    }


def _parameters(setting: SettingRecord) -> tuple[str, str]:
    return to_json(dict(setting.params), spell=True), to_json(dict(setting.varied), spell=True)
