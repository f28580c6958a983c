"""What a study's results say: tests, comparisons and the tables that print them."""

from distsearch.sweep.compare._comparison import Comparison, compare
from distsearch.sweep.compare._metrics import heading, in_percent, lower_is_better
from distsearch.sweep.compare._published import PublishedValue, read_published
from distsearch.sweep.compare._ranks import (
    average_ranks,
    critical_difference,
    friedman,
    iman_davenport,
    nemenyi,
)
from distsearch.sweep.compare._render import FORMS, render
from distsearch.sweep.compare._statistics import (
    corrected_t_test,
    holm,
    paired_t_test,
    wilcoxon_signed_rank,
)

__all__ = [
    "FORMS",
    "Comparison",
    "PublishedValue",
    "average_ranks",
    "compare",
    "corrected_t_test",
    "critical_difference",
    "friedman",
    "heading",
    "holm",
    "iman_davenport",
    "in_percent",
    "lower_is_better",
    "nemenyi",
    "paired_t_test",
    "read_published",
    "render",
    "wilcoxon_signed_rank",
]
