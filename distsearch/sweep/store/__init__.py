"""The file of results."""

from distsearch.sweep.store._records import (
    DataRecord,
    Result,
    RunRecord,
    SettingRecord,
    StudyRecord,
    UnitRecord,
)

__all__ = ["DataRecord", "Result", "RunRecord", "SettingRecord", "StudyRecord", "UnitRecord"]
