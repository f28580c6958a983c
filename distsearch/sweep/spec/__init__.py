"""The study file."""

from distsearch.sweep.spec._reading import read_spec
from distsearch.sweep.spec._schema import schema
from distsearch.sweep.spec._scorers import ON_TRAINING_ROWS, OWN_SCORERS
from distsearch.sweep.spec._types import Data, Limits, Protocol, Setting, Spec, Tuning

__all__ = [
    "ON_TRAINING_ROWS",
    "OWN_SCORERS",
    "Data",
    "Limits",
    "Protocol",
    "Setting",
    "Spec",
    "Tuning",
    "read_spec",
    "schema",
]
