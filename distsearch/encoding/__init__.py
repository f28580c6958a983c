"""Ordered target statistics: categories encoded by the targets of the rows before."""

from distsearch.encoding._encoder import OrderedTargetEncoder

__all__ = ["OrderedTargetEncoder"]
