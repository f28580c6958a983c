"""Tables with their encoded columns in place, of training rows and of later ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from distsearch._wording import count, listed
from distsearch.cli._report import strict_json
from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import DistsearchWarning, InvalidInputError
from distsearch.tables import ReadOptions, fetch, whole_file
from distsearch.tables._files import has_types, is_parquet

__all__ = ["as_written", "encoded_names", "made_names", "put", "write_report"]


def as_written(
    data: str, options: ReadOptions, output: Path, copied: Iterable[str]
) -> pd.DataFrame:
    """Read a table such that columns that are only copied come out as they went in.

    From text to text no value of theirs is taken for a number, so that 007 and 1.50 stay what they
    are. A Parquet file gets numbers, and so does a CSV file from one with decimal commas.

    Parameters
    ----------
    data : str
        The data file, or a name of the catalogue.
    options : ReadOptions
        The reading rule.
    output : Path
        What will be written.
    copied : iterable of str
        The columns.
    """
    numbers = has_types(Path(data)) or is_parquet(output) or options.decimal != "."
    if not numbers:
        options = replace(options, categorical=tuple({*options.categorical, *copied}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DistsearchWarning)  # said when it was read for its values
        return fetch(data, options)[0]


def encoded_names(encoder: OrderedTargetEncoder) -> list[str]:
    """Return the names of the columns that a fitted encoder encodes."""
    return [str(encoder.feature_names_in_[place]) for place in encoder.encoded_features_]


def made_names(encoder: OrderedTargetEncoder, name: str) -> list[str]:
    """Return the names of what one encoded column becomes."""
    return [str(each) for each in encoder.statistics(name).columns[2:]]


def put(
    encoder: OrderedTargetEncoder, values: pd.DataFrame, frame: pd.DataFrame, source: str
) -> pd.DataFrame:
    """Replace the columns of a table that an encoder encodes, each where it stands.

    Parameters
    ----------
    encoder : OrderedTargetEncoder
        Fitted.
    values : DataFrame of shape (n_rows, n_outputs)
        What it made of the rows.
    frame : DataFrame of shape (n_rows, n_columns)
        The table; its columns may be in any order.
    source : str
        Where the table comes from, for messages.

    Raises
    ------
    InvalidInputError
        When the table has a column of a name that is made.
    """
    made = {name: made_names(encoder, name) for name in encoded_names(encoder)}
    kept = {str(name) for name in frame.columns if name not in made}
    taken = [name for names in made.values() for name in names if name in kept]
    if taken:
        raise InvalidInputError(
            f"{source}: the encoding makes {count(len(taken), 'column')} of names that are taken: "
            f"{listed(taken, 5)}. Rename them in the table."
        )
    blocks = [
        values[made[name]] if name in made else frame[[name]]
        for name in map(str, frame.columns)
    ]  # fmt: skip
    return pd.concat([block.reset_index(drop=True) for block in blocks], axis=1)


def write_report(path: Path | None, report: Mapping[str, Any]) -> None:
    """Write a report as strict JSON, whole or not at all."""
    if path is None:
        return
    with whole_file(path) as file:
        file.write(f"{strict_json(report)}\n".encode())
