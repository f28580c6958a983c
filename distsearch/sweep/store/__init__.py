"""The results of sweeps: one SQLite file, one driver, a transaction a finished unit."""

from distsearch.sweep.store._driver import Driver
from distsearch.sweep.store._reader import StoreReader
from distsearch.sweep.store._records import (
    DataRecord,
    Result,
    RunRecord,
    SettingRecord,
    StudyRecord,
    UnitRecord,
)
from distsearch.sweep.store._store import Store

__all__ = [
    "DataRecord",
    "Driver",
    "Result",
    "RunRecord",
    "SettingRecord",
    "Store",
    "StoreReader",
    "StudyRecord",
    "UnitRecord",
]
