"""What further rows may mend."""

from distsearch.errors import InvalidInputError

__all__ = ["TooFewRowsError"]


class TooFewRowsError(InvalidInputError):
    """The rows so far have no transform; a fit in batches goes on."""
