"""How candidates are chosen and scored: strategies, objectives and the one loop between them."""

from distsearch.search._history import History
from distsearch.search._loop import SearchResult, search
from distsearch.search._memo import Memo
from distsearch.search._objective import Objective, Scored
from distsearch.search._progress import LineReporter, Progress, report, reporting
from distsearch.search._strategy import Batch, Plan, ScriptedStrategy, Strategy

__all__ = [
    "Batch",
    "History",
    "LineReporter",
    "Memo",
    "Objective",
    "Plan",
    "Progress",
    "Scored",
    "ScriptedStrategy",
    "SearchResult",
    "Strategy",
    "report",
    "reporting",
    "search",
]
