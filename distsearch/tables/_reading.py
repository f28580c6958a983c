"""Reading a data file into a frame, by the one rule that `ReadOptions` states."""

from __future__ import annotations

import importlib.util
import io
import re
import warnings
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distsearch._wording import count, joined, listed
from distsearch.errors import DataError, DistsearchWarning, MissingExtraError
from distsearch.tables._arrays import read_arrays
from distsearch.tables._cells import clean_text, is_text, mask_numbers, parse_numbers
from distsearch.tables._files import check_readable, is_arrays, is_parquet, read_text
from distsearch.tables._layout import Layout, check_names, find_layout
from distsearch.tables._options import DEFAULT_OPTIONS, ReadOptions
from distsearch.tables._places import Places
from distsearch.tables._records import check_widths

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_table"]


def read_table(path: str | PathLike[str], options: ReadOptions = DEFAULT_OPTIONS) -> pd.DataFrame:
    """Read a CSV, Parquet or ``.npz`` file.

    Text is taken as it stands but for surrounding blanks, which are removed with one warning. A
    column of numbers becomes numeric; every other column, and every column that the options
    declare categorical, stays text. Only the empty field and the texts in ``options.missing`` are
    missing values: NA, None and nan are text.

    Parameters
    ----------
    path : str or path-like
        A ``.parquet`` file, a ``.npz`` file with arrays X and y, or a text file with a header line
        (.csv, .tsv, .txt), which may be compressed with gzip.
    options : ReadOptions, optional
        The reading rule. Columns in ``options.categorical`` that the file lacks are not an error,
        for a file to predict need not have the label.

    Returns
    -------
    pandas.DataFrame
        The rows in the order of the file, numbered from 0.

    Raises
    ------
    DataError
        The file is not there, is not text in the given encoding, or is not a table.
    MissingExtraError
        A Parquet file was given and pyarrow is not installed.
    """
    path = Path(path)
    if is_arrays(path):
        return read_arrays(path)
    frame, stripped_names = _read_parquet(path) if is_parquet(path) else _read_csv(path, options)
    return _clean(frame, path, options, stripped_names)


def _read_parquet(path: Path) -> tuple[pd.DataFrame, int]:
    import pandas as pd

    check_readable(path)
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingExtraError(
            f"{path} is a Parquet file, and reading it needs pyarrow: "
            "pip install 'distsearch[parquet]'."
        )
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read as Parquet: {_first_line(error)}.") from None
    given = [str(name) for name in frame.columns]
    names = [name.strip() for name in given]
    check_names(names, path)
    if frame.empty:
        raise DataError(f"{path} has columns ({listed(names)}) and no rows.")
    frame.columns = pd.Index(names)
    for name in names:
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            frame[name] = frame[name].astype(object).infer_objects()
    return frame.reset_index(drop=True), sum(map(str.__ne__, given, names))


def _read_csv(path: Path, options: ReadOptions) -> tuple[pd.DataFrame, int]:
    data = read_text(path, options.encoding)
    layout = find_layout(data, path, options)
    check_widths(data, path, layout.dialect, len(layout.names))
    as_text = {name: str for name in options.categorical if name in layout.names}
    frame = _parse(data, path, layout, options, dtype=as_text)
    # Truth values and integers beyond 64 bits come back as Python objects or as booleans, which
    # would not be written again as they were; their text is kept instead.
    objects = [name for name in frame.columns if not _is_plain(frame[name])]
    if objects:
        frame[objects] = _parse(
            data, path, layout, options, dtype=dict.fromkeys(objects, str), usecols=objects
        )
    frame = _drop_unnamed(frame, path, layout, options)
    _check_no_second_header(frame, path, options)
    return frame, layout.stripped_names


def _drop_unnamed(
    frame: pd.DataFrame, path: Path, layout: Layout, options: ReadOptions
) -> pd.DataFrame:
    unnamed = list(layout.names[len(layout.named) :])
    for name in unnamed:
        filled = (frame[name].notna() & (frame[name].astype(str).str.strip() != "")).to_numpy()
        if filled.any():
            where = Places(path, options).describe([int(filled.argmax())])
            raise DataError(
                f"{path}: a field on {where} is to the right of the last of "
                f"{count(len(layout.named), 'named column')}; name its column or remove it."
            )
    return frame.drop(columns=unnamed)


def _parse(
    data: bytes, path: Path, layout: Layout, options: ReadOptions, **how: Any
) -> pd.DataFrame:
    import pandas as pd

    # Later versions read floats exactly by default and deprecate the argument.
    if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1):
        how["float_precision"] = "round_trip"
    try:
        frame: pd.DataFrame = pd.read_csv(
            io.BytesIO(data),
            sep=layout.dialect.delimiter,
            skipinitialspace=layout.dialect.skip_blanks,
            names=list(layout.names),
            header=0,
            index_col=False,
            decimal=options.decimal,
            keep_default_na=False,
            na_values=["", *options.missing],
            low_memory=False,
            **how,
        )
        return frame
    except pd.errors.ParserError as error:
        raise DataError(f"{path} cannot be read as CSV: {_parser_trouble(error)}.") from None


def _parser_trouble(error: Exception) -> str:
    text = _first_line(error).removeprefix("Error tokenizing data. C error: ")
    opened = re.search(r"EOF inside string starting at row (\d+)", text)
    if opened:
        return f"the quote opened in row {int(opened.group(1))} is never closed"
    return text


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _is_plain(column: pd.Series[Any]) -> bool:
    import pandas as pd

    if column.dtype != object:
        return not pd.api.types.is_bool_dtype(column.dtype)
    return pd.api.types.infer_dtype(column, skipna=True) in {"string", "empty"}


def _check_no_second_header(frame: pd.DataFrame, path: Path, options: ReadOptions) -> None:
    if frame.shape[1] < 2 or not all(is_text(frame[name]) for name in frame.columns):
        return
    same = None
    for name in frame.columns:
        equal = (frame[name].str.strip() == name).to_numpy(dtype=bool, na_value=False)
        same = equal if same is None else same & equal
        if not same.any():
            return
    if same is not None:
        where = Places(path, options).describe(same.nonzero()[0])
        raise DataError(
            f"{path}: the header is repeated on {where}. "
            "Remove it there, for it turns every column into text."
        )


def _clean(
    frame: pd.DataFrame, path: Path, options: ReadOptions, stripped_names: int
) -> pd.DataFrame:
    stripped: dict[str, int] = {}
    # Parquet says itself which columns are text; in a text file only the values can.
    as_text = list(frame.columns) if is_parquet(path) else options.categorical
    for name in frame.columns:
        column = given = frame[name]
        if name in options.categorical and not is_text(column):
            column = column.astype(object).map(str, na_action="ignore")
        if not is_text(column):
            masked = mask_numbers(column, options.missing)
            if masked is not column:
                frame[name] = masked
            continue
        try:
            cleaned, times = clean_text(column, options.missing)
        except TypeError:
            raise DataError(
                f"{path}: column {name!r} has lists or records; a column of a table has one number "
                "or text in each row."
            ) from None
        if times:
            stripped[name] = times
        if name not in as_text and cleaned is not column:
            cleaned = _as_read_without_blanks(cleaned, options.decimal)
        if cleaned is not given:
            frame[name] = cleaned
    _warn_stripped(path, stripped, stripped_names)
    return frame


def _as_read_without_blanks(column: pd.Series[Any], decimal: str) -> pd.Series[Any]:
    # The first values settle it for nearly every column of text.
    if parse_numbers(column.head(100), decimal)[1].any():
        return column
    numbers, wrong = parse_numbers(column, decimal)
    return column if wrong.any() else numbers


def _warn_stripped(path: Path, stripped: dict[str, int], names: int) -> None:
    if not stripped and not names:
        return
    parts = []
    if stripped:
        where = [f"{name!r} {times}" for name, times in list(stripped.items())[:10]]
        if len(stripped) > 10:
            where.append(f"{len(stripped) - 10} more columns")
        parts.append(f"{count(sum(stripped.values()), 'text value')} ({joined(where)})")
    if names:
        parts.append(count(names, "column name"))
    warnings.warn(
        f"{path}: blanks around {' and '.join(parts)} were removed.",
        DistsearchWarning,
        stacklevel=4,
    )
