"""A small study, its results, and how a store of them is read without our own reader."""

import os
import sqlite3
import warnings

from distsearch.sweep.store import (
    DataRecord,
    Result,
    RunRecord,
    SettingRecord,
    StudyRecord,
    UnitRecord,
)

RUN = RunRecord(
    command="distsearch sweep study.toml",
    spec='study = "boxcox"\n',
    backend="serial",
    versions={"python": "3.11"},
    platform={"cpus": 2},
)


def hash_of(number):
    return f"{number:064x}"


def make_study(units=6, name="boxcox", first=0, scorers=("accuracy", "f1")):
    """A study of `units` units, whose hashes count from `first`."""
    return StudyRecord(
        name=name,
        title="Box-Cox search on sonar",
        seed=42,
        scorers=tuple(scorers),
        baseline="base",
        data=(DataRecord("sonar", "d" * 64, "sonar.csv", 208, 60, 2, 0.25),),
        settings=(
            SettingRecord("estimator", "KNN", "KNN", "knn", {"n_neighbors": 5}),
            SettingRecord("method", "base", "base", "standardize"),
        ),
        units=tuple(
            UnitRecord(
                place, hash_of(first + place), "sonar", "KNN", "base", place // 10, place % 10
            )
            for place in range(units)
        ),
    )


def make_result(number):
    """A result of the unit with that number; the third of every three failed."""
    if number % 3 == 2:
        return Result(hash_of(number), error_type="ValueError", error="no", traceback="Trace\n")
    return Result(
        hash_of(number),
        {"accuracy": number / 100, "f1": float("nan")},
        {"lambdas": [0.5, float(number)]},
        fit_seconds=1.5,
        predict_seconds=0.25,
    )


def rows(path, query="SELECT * FROM results ORDER BY study, position, metric"):
    """What is in a store, read by SQLite alone."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def in_child(work):
    """Run work() in a fork that may not write everywhere; return what it returned, as text."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads only sleep
        child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            said = str(work())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode(errors="replace"))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said
