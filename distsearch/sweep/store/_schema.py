"""The tables of a store.

========== ==========================================================================
Table      A row is
========== ==========================================================================
`meta`     the file itself: version of this format, when it was made
`studies`  a study: title, seed, names of its scorers (JSON list), baseline
`data`     a data set of a study: label, hash of its content, source, rows, features, classes,
           rows of a test part by those of its training part
`settings` an estimator or a method of a study with its parameters (JSON objects)
`plan`     a unit of a study: its place, its hash and its labels
`units`    what became of a unit, whatever studies it is in: state ``done`` or ``failed``, facts
           (JSON object), error, traceback, seconds, attempts, when it was finished, in which run
`scores`   a value of a metric for a done unit; NULL for NaN
`runs`     a run: study, start, end, outcome, process, command, study file, seed, hashes of the
           data (JSON object), backend, versions and platform (JSON objects)
========== ==========================================================================

The view `results` puts plan, units and scores side by side, a row for each planned unit and metric;
a unit without a score has one row, whose metric is NULL and whose state is ``failed`` or
``pending``. Times are text in UTC as ISO 8601 has them. A run without an end is either going on or
was killed; the next run of the store marks it ``lost``. JSON is strict: in facts, what is no
finite number is null; in parameters it is the text ``nan``, ``inf`` or ``-inf``.
"""

from __future__ import annotations

import sqlite3

__all__ = ["APPLICATION_ID", "FORMAT", "RESULTS_VIEW", "TABLES", "create"]

APPLICATION_ID = int.from_bytes(b"dssw", "big")
FORMAT = 1

TABLES = {
    "meta": "format INTEGER NOT NULL, created TEXT NOT NULL",
    "studies": """
        name TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, seed INTEGER NOT NULL,
        scorers TEXT NOT NULL, baseline TEXT""",
    "data": """
        study TEXT NOT NULL, position INTEGER NOT NULL, label TEXT NOT NULL, hash TEXT NOT NULL,
        source TEXT NOT NULL, rows INTEGER NOT NULL, features INTEGER NOT NULL, classes INTEGER,
        test_to_train REAL, PRIMARY KEY (study, position)""",
    "settings": """
        study TEXT NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL, label TEXT NOT NULL,
        entry TEXT NOT NULL, name TEXT NOT NULL, params TEXT NOT NULL, varied TEXT NOT NULL,
        PRIMARY KEY (study, position)""",
    "plan": """
        study TEXT NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL, data TEXT NOT NULL,
        estimator TEXT NOT NULL, method TEXT NOT NULL, repeat INTEGER NOT NULL,
        fold INTEGER NOT NULL, PRIMARY KEY (study, position)""",
    "units": """
        hash TEXT NOT NULL PRIMARY KEY, state TEXT NOT NULL CHECK (state IN ('done', 'failed')),
        facts TEXT NOT NULL, error_type TEXT NOT NULL, error TEXT NOT NULL,
        traceback TEXT NOT NULL, fit_seconds REAL, predict_seconds REAL,
        attempts INTEGER NOT NULL, finished TEXT NOT NULL, run INTEGER NOT NULL""",
    "scores": """
        hash TEXT NOT NULL, metric TEXT NOT NULL, value REAL, PRIMARY KEY (hash, metric)""",
    "runs": """
        id INTEGER PRIMARY KEY, study TEXT NOT NULL, started TEXT NOT NULL, ended TEXT,
        outcome TEXT, pid INTEGER NOT NULL, host TEXT NOT NULL, command TEXT NOT NULL,
        spec TEXT NOT NULL, seed INTEGER NOT NULL, data TEXT NOT NULL,
        backend TEXT NOT NULL, versions TEXT NOT NULL,
        platform TEXT NOT NULL""",
}
"""The columns of each table."""

# Plain enough for DuckDB too, which reads the text of a view by itself.
RESULTS_VIEW = """
CREATE VIEW results AS
SELECT p.study AS study, p."position" AS "position", p.hash AS hash, p.data AS data,
       p.estimator AS estimator, p.method AS method, p.repeat AS repeat, p.fold AS fold,
       COALESCE(u.state, 'pending') AS state, s.metric AS metric, s.value AS value,
       u.fit_seconds AS fit_seconds, u.predict_seconds AS predict_seconds,
       u.attempts AS attempts, u.error_type AS error_type, u.error AS error
FROM plan AS p
LEFT JOIN units AS u ON u.hash = p.hash
LEFT JOIN scores AS s ON s.hash = p.hash
"""

_WITHOUT_ROWID = frozenset({"data", "plan", "scores", "settings", "studies"})


def _options(table: str) -> str:
    options = ["WITHOUT ROWID"] if table in _WITHOUT_ROWID else []
    if sqlite3.sqlite_version_info >= (3, 37):
        options.append("STRICT")
    return ", ".join(options)


def create(connection: sqlite3.Connection, now: str) -> None:
    """Make the tables; to be called within a transaction.

    Parameters
    ----------
    connection : sqlite3.Connection
        Of an empty file.
    now : str
        The time, for `meta`.
    """
    for table, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {table} ({columns}) {_options(table)}")
    connection.execute(RESULTS_VIEW)
    connection.execute("INSERT INTO meta VALUES (?, ?)", (FORMAT, now))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
