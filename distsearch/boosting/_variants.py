"""Variants of cluster-based boosting: the paper's, and one that does better."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from distsearch.boosting._cluster_runs import ACTIONS
from distsearch.boosting._types import TYPES
from distsearch.errors import InvalidInputError

__all__ = ["VARIANTS", "Variant", "variant_for"]

_PAPER = {"HES": "boost", "HEP": "boost slowly", "HOS": "one function", "HOP": "nothing"}


@dataclass(frozen=True)
class Variant:
    """What is done inside clusters, and how much the initial function has to say.

    Parameters
    ----------
    actions : dict of str to str
        The action for each type of cluster.
    booster : {"adaboost", "kl"}
        What boosts.
    borrow : float
        What a row of another cluster weighs in boosting, where one of the cluster weighs 1.
    max_initial_vote : float
        The initial function's largest vote.
    """

    actions: dict[str, str]
    booster: str
    borrow: float
    max_initial_vote: float


VARIANTS = {
    "paper": Variant(_PAPER, "adaboost", 0.0, float("inf")),
    "pooled": Variant(dict.fromkeys(TYPES, "boost"), "kl", 0.3, 1.0),
}


def variant_for(
    name: str,
    actions: dict[str, str] | None,
    booster: str | None,
    borrow: float | None,
    max_initial_vote: float | None,
) -> Variant:
    """Return a variant with some of it changed.

    Parameters
    ----------
    name : {"paper", "pooled"}
        The variant.
    actions : dict of str to str or None
        Changed actions.
    booster, borrow, max_initial_vote
        Changed values; None for the variant's own.

    Raises
    ------
    InvalidInputError
        For a type or an action that does not exist.
    """
    variant = VARIANTS[name]
    for kind, action in (actions or {}).items():
        if kind not in TYPES or action not in ACTIONS:
            raise InvalidInputError(
                f"The 'actions' parameter of CBBClassifier must have types of clusters "
                f"({', '.join(TYPES)}) and what is done in them ({', '.join(ACTIONS)}). Got "
                f"{{{kind!r}: {action!r}}} instead."
            )
    given = {"booster": booster, "borrow": borrow, "max_initial_vote": max_initial_vote}
    changed: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    return replace(variant, actions={**variant.actions, **(actions or {})}, **changed)
