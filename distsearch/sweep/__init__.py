"""Batch sweeps: a study as a file, its units on any backend, its results in one store."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distsearch.sweep._bundle import Bundle, make_bundle, pack_package
    from distsearch.sweep._cost import Group, estimate
    from distsearch.sweep._export import export_table
    from distsearch.sweep._methods import METHODS
    from distsearch.sweep._plan import Only, Plan, make_plan, read_plan, unit_name
    from distsearch.sweep._run import Summary, TooManyFailuresError, run_plan

__all__ = [
    "METHODS",
    "Bundle",
    "Group",
    "Only",
    "Plan",
    "Summary",
    "TooManyFailuresError",
    "estimate",
    "export_table",
    "make_bundle",
    "make_plan",
    "pack_package",
    "read_plan",
    "run_plan",
    "unit_name",
]

_HOMES = {
    "METHODS": "_methods",
    "Bundle": "_bundle",
    "Group": "_cost",
    "Only": "_plan",
    "Plan": "_plan",
    "Summary": "_run",
    "TooManyFailuresError": "_run",
    "estimate": "_cost",
    "export_table": "_export",
    "make_bundle": "_bundle",
    "make_plan": "_plan",
    "pack_package": "_bundle",
    "read_plan": "_plan",
    "run_plan": "_run",
    "unit_name": "_plan",
}


def __getattr__(name: str) -> Any:
    # A store can be read without scikit-learn, which takes a second to import.
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
