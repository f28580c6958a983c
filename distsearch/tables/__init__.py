"""Data files in and out, and the catalogue of data sets that need no file."""

from distsearch.tables._catalogue import Entry, catalogue
from distsearch.tables._loading import Table, fetch, load
from distsearch.tables._mixed import is_category, mixed_features
from distsearch.tables._numbers import describe_missing, numeric_features
from distsearch.tables._options import ReadOptions
from distsearch.tables._reading import read_table
from distsearch.tables._whole import check_writable, whole_file
from distsearch.tables._writing import write_table

__all__ = [
    "Entry",
    "ReadOptions",
    "Table",
    "catalogue",
    "check_writable",
    "describe_missing",
    "fetch",
    "is_category",
    "load",
    "mixed_features",
    "numeric_features",
    "read_table",
    "whole_file",
    "write_table",
]
