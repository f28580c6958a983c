"""Data files in and out, and the catalogue of data sets that need no file."""

from distsearch.tables._catalogue import Entry, catalogue
from distsearch.tables._loading import Table, load
from distsearch.tables._numbers import describe_missing, numeric_features
from distsearch.tables._options import ReadOptions
from distsearch.tables._reading import read_table
from distsearch.tables._writing import write_table

__all__ = [
    "Entry",
    "ReadOptions",
    "Table",
    "catalogue",
    "describe_missing",
    "load",
    "numeric_features",
    "read_table",
    "write_table",
]
