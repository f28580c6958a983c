"""Patterns for files that are left out, as in a ``.gitignore``."""

from __future__ import annotations

import re

from distsearch.errors import InvalidInputError

__all__ = ["Exclude"]

_PARTS = re.compile(r"\*\*/|/\*\*$|\*|\?|\[[!^]?\]?[^]/]*\]|.", re.DOTALL)
_MEANINGS = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}


class Exclude:
    """A pattern for files.

    Without a slash it is the name of a file or folder at any depth; with one it is a path from the
    top. ``*`` and ``?`` stop at slashes, ``**/`` does not. A folder stands for all that is in it;
    with a slash at the end only folders are meant.

    Parameters
    ----------
    text : str
        The pattern.

    Raises
    ------
    InvalidInputError
        For one that says nothing, or takes back what others say, as in ``!this``.

    Examples
    --------
    >>> [Exclude("*.csv").matches(path) for path in ("a/b/c.csv", "a/c.csv.py")]
    [True, False]
    """

    def __init__(self, text: str) -> None:
        bare = text.removeprefix("/").removesuffix("/")
        start = "" if "/" in text.removesuffix("/") else "(?:.*/)?"
        end = "/.*" if text.endswith("/") else "(?:/.*)?"
        body = "".join(_meaning(part) for part in _PARTS.findall(bare))
        self.text = text
        try:
            self._pattern = re.compile(start + body + end, re.DOTALL)
        except re.error:  # such as [z-a]
            body = ""
        if not body or text.startswith("!"):
            raise InvalidInputError(
                f"--exclude must be a name such as '*.csv', a folder such as 'data/' or a path "
                f"such as 'package/data/*.csv'. Got {text!r} instead."
            )

    def matches(self, path: str) -> bool:
        """Say whether it means this file, whose path has slashes and begins at the top."""
        return self._pattern.fullmatch(path) is not None


def _meaning(part: str) -> str:
    if len(part) > 1 and part.startswith("["):
        inside = re.sub(r"[\\\[\]]", r"\\\g<0>", part[1:-1])
        return f"[^/{inside[1:]}]" if inside.startswith(("!", "^")) else f"[{inside}]"
    return _MEANINGS.get(part, re.escape(part))
