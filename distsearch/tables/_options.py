"""How a data file is to be read, as a value that travels with a fitted model."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from distsearch._wording import did_you_mean, joined
from distsearch.errors import InvalidInputError

__all__ = ["DEFAULT_OPTIONS", "ReadOptions"]


@dataclass(frozen=True)
class ReadOptions:
    """The reading rule of a data file.

    A saved model carries the rule its training file was read with, so that the file to predict is
    read in the same way.

    Parameters
    ----------
    delimiter : str, optional
        The one ASCII character between fields. Found from the first lines when not given.
    encoding : str, default="utf-8"
        The text encoding. A byte-order mark in the file takes precedence.
    decimal : {".", ","}, default="."
        The decimal mark of numbers.
    missing : tuple of str, default=()
        Texts that stand for a missing value, such as ``"?"``. The empty field always does.
    categorical : tuple of str, default=()
        Columns whose values are kept as the text in the file, so that 007, 07 and 7 stay apart.

    Examples
    --------
    >>> options = ReadOptions(missing=("?",))
    >>> ReadOptions.from_dict(options.to_dict()) == options
    True
    """

    delimiter: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    missing: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("missing", "categorical"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        self._check_delimiter()
        if self.decimal not in {".", ","}:
            raise InvalidInputError(f"decimal must be '.' or ','. Got {self.decimal!r} instead.")
        if self.delimiter == self.decimal:
            raise InvalidInputError(
                f"delimiter and decimal are both {self.decimal!r}; one of them must be another "
                "character, such as delimiter=';'."
            )
        try:
            # An empty text tells text encodings from codecs such as base64, which have a name too.
            "".encode(codecs.lookup(self.encoding).name)
        except (LookupError, TypeError, ValueError):
            raise InvalidInputError(
                f"encoding must be a text encoding that Python knows, such as 'utf-8', 'cp1252' "
                f"or 'utf-16'. Got {self.encoding!r} instead."
            ) from None

    def _check_delimiter(self) -> None:
        value = self.delimiter
        if value is None:
            return
        one = isinstance(value, str) and len(value) == 1 and value.isascii()
        if not one or value == '"' or not (value.isprintable() or value == "\t"):
            raise InvalidInputError(
                "delimiter must be one ASCII character other than a quote or a line end, such as "
                f"',' or ';'. Got {value!r} instead."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain Python values, ready for JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ReadOptions:
        """Return the options that `to_dict` wrote.

        Parameters
        ----------
        values : mapping of str to object
            Options by name; those left out take their defaults.
        """
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise InvalidInputError(
                    f"There is no reading option {name!r}; the options are {joined(known)}."
                    f"{did_you_mean(str(name), known)}"
                )
        return cls(**values)


def _texts(name: str, value: object) -> tuple[str, ...]:
    # A single text is taken whole: its characters are never what was meant.
    if isinstance(value, str):
        return (value,)
    texts = tuple(value) if isinstance(value, list | tuple | set | frozenset) else None
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise InvalidInputError(f"{name} must be a list of texts. Got {value!r} instead.")
    return texts


DEFAULT_OPTIONS = ReadOptions()
