"""Writing a frame to a file, whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import gzip
import importlib.util
import io
import itertools
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, cast

from distsearch.errors import DataError, MissingExtraError
from distsearch.tables._files import is_parquet
from distsearch.tables._whole import whole_file

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["write_table"]


def write_table(
    frame: pd.DataFrame,
    path: str | PathLike[str],
    *,
    delimiter: str | None = None,
    index: bool = False,
) -> Path:
    """Write a frame as CSV or Parquet.

    The file appears under its name only when it is complete and on the disk, so a reader, or a
    run that is stopped, never sees half of it. Numbers are written such that reading gives the same
    ones; a missing value, and an empty text, is an empty field.

    Parameters
    ----------
    frame : pandas.DataFrame
        What to write.
    path : str or path-like
        The file; an existing one is replaced. ``.parquet`` gives Parquet, ``.tsv`` tabs between
        fields, a further ``.gz`` compression, anything else CSV.
    delimiter : str, optional
        The character between fields, if not the one that the file's ending stands for.
    index : bool, default=False
        Whether the row index is written too, as the first column.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    DataError
        The path is a folder, is in none, or cannot be written to.
    """
    path = Path(path)
    try:
        with whole_file(path) as file:
            _write(frame, file, path.resolve(), delimiter, index)
    except UnicodeEncodeError as error:
        raise DataError(
            f"{path} cannot be written: the character {error.object[error.start]!r} has no UTF-8."
        ) from None
    return path


def _write(
    frame: pd.DataFrame, file: IO[bytes], path: Path, delimiter: str | None, index: bool
) -> None:
    name = path.name.lower()
    if is_parquet(path):
        if importlib.util.find_spec("pyarrow") is None:
            raise MissingExtraError(
                f"{path} is a Parquet file, and writing it needs pyarrow: "
                "pip install 'distsearch[parquet]'."
            )
        frame.to_parquet(file, engine="pyarrow", index=index)
        return
    if delimiter is None:
        delimiter = "\t" if name.removesuffix(".gz").endswith(".tsv") else ","
    with contextlib.ExitStack() as stack:
        if name.endswith(".gz"):
            # No time of day in the file: the same frame gives the same bytes.
            packed = gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)
            file = cast("IO[bytes]", stack.enter_context(contextlib.closing(packed)))
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        frame.to_csv(text, sep=delimiter, index=index, lineterminator="\n", quoting=_quoting(frame))
        text.flush()
        text.detach()


def _quoting(frame: pd.DataFrame) -> Literal[0, 2]:
    # Older versions of the csv module leave a carriage return unquoted, which then ends the line.
    places = [place for place, dtype in enumerate(frame.dtypes) if dtype.kind not in "biufcmM"]
    texts = itertools.chain(
        frame.columns, *(frame.iloc[:, place].astype(str).unique() for place in places)
    )
    if any("\r" in str(text) for text in texts):
        return csv.QUOTE_NONNUMERIC
    return csv.QUOTE_MINIMAL
