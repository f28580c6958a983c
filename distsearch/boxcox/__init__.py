"""Box-Cox search: the λ of every feature that make a given estimator best."""

from distsearch.boxcox._exploration import GridSummary, summarize_grid
from distsearch.boxcox._grids import MLE, DiagonalGrid, FullGrid, SphericalGrid
from distsearch.boxcox._iterative import IterativeGrid
from distsearch.boxcox._search_cv import BoxCoxSearchCV
from distsearch.boxcox._strategies import STRATEGIES, make_strategy
from distsearch.boxcox._transform import box_cox, inverse_box_cox
from distsearch.boxcox._transformer import BoxCoxTransformer

__all__ = [
    "MLE",
    "STRATEGIES",
    "BoxCoxSearchCV",
    "BoxCoxTransformer",
    "DiagonalGrid",
    "FullGrid",
    "GridSummary",
    "IterativeGrid",
    "SphericalGrid",
    "box_cox",
    "inverse_box_cox",
    "make_strategy",
    "summarize_grid",
]
