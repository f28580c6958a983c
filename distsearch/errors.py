"""One small tree of exceptions.

Every error a user can cause is a `DistsearchError` whose message says what is wrong, the value,
what is allowed and what to do. Each doubles as the built-in that a caller would expect to catch.
"""

from collections.abc import Sequence

__all__ = [
    "BackendError",
    "CannotBeSentError",
    "DataError",
    "DistsearchError",
    "DistsearchWarning",
    "InvalidInputError",
    "MissingExtraError",
    "ResourceError",
    "SearchFailedError",
    "SpecError",
    "StoreBusyError",
    "StoreError",
    "UnitLostError",
    "UnitTimeoutError",
    "UnknownNameError",
]


class DistsearchError(Exception):
    """Root of every error that distsearch raises on purpose."""


class InvalidInputError(DistsearchError, ValueError):
    """A value or a combination of values that cannot work."""


class UnknownNameError(InvalidInputError):
    """A name that nothing answers to; the message lists the nearest known ones."""


class DataError(DistsearchError, ValueError):
    """A table that cannot be read, or that cannot be learned from."""


class MissingExtraError(DistsearchError, ImportError):
    """An optional package is needed for what was asked; the message says what to install."""


class BackendError(DistsearchError, RuntimeError):
    """The place where work runs cannot be had or stopped working."""


class ResourceError(BackendError):
    """More was asked than the machine or the cluster has; the message has both numbers."""


class CannotBeSentError(BackendError, TypeError):
    """An object that cannot travel to a worker; the message names the attribute."""


class UnitLostError(BackendError):
    """A unit of work whose worker died under it on every try."""


class UnitTimeoutError(BackendError, TimeoutError):
    """A unit of work that took longer than it was given."""


class SpecError(InvalidInputError):
    """A study file with mistakes.

    Parameters
    ----------
    path : str
        The file.
    problems : sequence of str
        Every mistake found, each a sentence that begins with its place.
    """

    def __init__(self, path: str, problems: Sequence[str]) -> None:
        super().__init__(path, problems)
        self.path = path
        self.problems = tuple(problems)

    @property
    def summary(self) -> str:
        """How many mistakes there are."""
        number = len(self.problems)
        mistakes = "a mistake" if number == 1 else f"{number} mistakes"
        return f"{self.path} has {mistakes}; nothing was run."

    def __str__(self) -> str:
        return "\n".join([*self.problems, self.summary])


class StoreError(DistsearchError, RuntimeError):
    """A file of results that cannot be read or written."""


class StoreBusyError(StoreError):
    """Another process is writing to the file of results; the message says which."""


class SearchFailedError(DistsearchError, ValueError):
    """No candidate of a search could be scored."""


class DistsearchWarning(UserWarning):
    """Something worth knowing that did not stop the work."""
