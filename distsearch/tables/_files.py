"""From a path to the text of a file, as UTF-8 bytes; every way this can fail is said in one line.

The text stays bytes because the C parser reads bytes more than twice as fast as Python text.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

from distsearch._wording import did_you_mean
from distsearch.errors import DataError

__all__ = ["check_readable", "has_types", "is_arrays", "is_parquet", "read_text"]

# The marks of UTF-32 begin with those of UTF-16 and so come first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FOREIGN = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook; export the sheet as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook; export the sheet as CSV"),
    (b"PAR1", "Parquet; let the file name end in .parquet"),
    (b"BZh", "compressed with bzip2; unpack it or use gzip"),
    (b"\xfd7zXZ", "compressed with xz; unpack it or use gzip"),
    (b"%PDF", "a PDF document; export the table as CSV"),
    (b"\x93NUMPY", "an array of NumPy; save it as CSV with column names"),
    (b"\x89HDF", "an HDF5 file; export the table as CSV or Parquet"),
    (b"ARROW1", "an Arrow file; export the table as CSV or Parquet"),
    (b"SQLite format 3", "an SQLite database; export the table as CSV"),
)


def is_parquet(path: Path) -> bool:
    """Return whether the file's name says that it is Parquet."""
    return path.suffix.lower() in {".parquet", ".pq"}


def is_arrays(path: Path) -> bool:
    """Return whether the file's name says that it holds arrays of NumPy."""
    return path.suffix.lower() == ".npz"


def has_types(path: Path) -> bool:
    """Return whether the file says itself which columns are numbers, unlike text."""
    return is_parquet(path) or is_arrays(path)


def check_readable(path: Path) -> None:
    """Raise a `DataError` unless `path` is a file that is there."""
    try:
        if path.is_file():
            return
        if path.is_dir():
            raise DataError(f"{path} is a folder, not a data file; name a file in it.")
        if path.exists():
            raise DataError(f"{path} is not a regular file; write the data to a file first.")
        folder = path.parent
        there = sorted(each.name for each in folder.iterdir()) if folder.is_dir() else None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None
    if there is None:
        raise DataError(f"{path} does not exist, and neither does the folder {folder}.")
    raise DataError(f"{path} does not exist.{did_you_mean(path.name, there)}")


def read_text(path: Path, encoding: str) -> bytes:
    """Return the text of the file as UTF-8 bytes without a byte-order mark.

    Parameters
    ----------
    path : Path
        The file, plain or compressed with gzip.
    encoding : str
        Its encoding, unless it starts with a byte-order mark.
    """
    raw = _read_bytes(path)
    if not raw:
        raise DataError(f"{path} is empty (0 bytes); a header line and rows are needed.")
    _refuse_foreign(path, raw)
    mark, encoding = _encoding(raw, encoding)
    try:
        text = raw[mark:].decode(encoding)
    except UnicodeDecodeError as error:
        raise _decoding_error(path, raw, mark + error.start, encoding) from None
    except UnicodeError as error:
        raise DataError(f"{path} is not {encoding} text: {error}.") from None
    if "\0" in text:
        raise DataError(
            f"{path} is not a text file as {encoding}: it has a zero byte at offset "
            f"{raw.find(0)}. If it is UTF-16 without a mark, set encoding='utf-16-le'."
        )
    if codecs.lookup(encoding).name == "utf-8":
        return raw[mark:]
    return text.encode("utf-8")


def _refuse_foreign(path: Path, raw: bytes) -> None:
    for start, what in _FOREIGN:
        if raw.startswith(start):
            raise DataError(f"{path} is not a text file: it looks like {what}.")


def _decoding_error(path: Path, raw: bytes, offset: int, encoding: str) -> DataError:
    line = raw.count(b"\n", 0, offset) + 1
    return DataError(
        f"{path} is not {encoding} text: byte 0x{raw[offset]:02x} at offset {offset} (counted "
        f"from 0, line {line}). Set the file's encoding, such as encoding='latin-1' or 'cp1252'."
    )


def _read_bytes(path: Path) -> bytes:
    check_readable(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None
    if not raw.startswith(b"\x1f\x8b"):
        return raw
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"{path} is a damaged gzip file ({error}); copy or compress it again."
        ) from None


def _encoding(raw: bytes, encoding: str) -> tuple[int, str]:
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return len(mark), name
    return 0, encoding
