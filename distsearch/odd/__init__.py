"""ODD: a learned transform that pulls class centres apart and each class together."""

from distsearch.odd._classifier import ODDClassifier
from distsearch.odd._direct_lda import DirectLDA
from distsearch.odd._schedule import PaperSchedule

__all__ = ["DirectLDA", "ODDClassifier", "PaperSchedule"]
